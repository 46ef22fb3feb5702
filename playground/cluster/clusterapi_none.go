//go:build js && !cel

package cluster

import (
	"kubewalk/playground/kubectl"
	"kubewalk/playground/sim"
)

// clusterAPI is in the larger build alone.
func clusterAPI() []operator { return nil }

type toys struct{}

func (toys) close() {}

// elsewhere is a command for another cluster, of which there is none.
func (*Cluster) elsewhere(_ *sim.Proc, file string, _ Input) kubectl.Result {
	return kubectl.NoKubeconfig(file)
}
