//go:build js && !cel

package cluster

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet/cri"
)

// hookOperators are in the larger build alone.
func hookOperators() []operator { return nil }

type guest struct{}

func (c *Cluster) hostHooks(client.Transport, *cri.Inside) cri.Guest { return nil }

func (c *Cluster) hookPart() *part { return nil }
