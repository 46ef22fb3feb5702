//go:build js && !cel

package cluster

// clusterAPI is in the larger build alone.
func clusterAPI() []operator { return nil }

type toys struct{}
