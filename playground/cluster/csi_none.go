//go:build js && !cel

package cluster

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/volumemanager"
	"kubewalk/playground/sim"
)

// CSI drivers are in the larger build alone.
func storageDriver() []operator { return nil }

type storageDrivers struct{}

func (c *Cluster) kubeletCSI() func(*sim.Component, *client.Clientset, *cri.Runtime, kubelet.CSIHost) volumemanager.CSI {
	return nil
}

func (c *Cluster) storageProgram(string, *cri.Inside) cri.Guest { return nil }

func (c *Cluster) storagePart(string) *part { return nil }
