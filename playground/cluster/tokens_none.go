//go:build js

package cluster

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet/volumemanager"
	"kubewalk/playground/sim"
)

func (Config) kubeletTokens() func(client.Transport, *sim.Rand) volumemanager.Tokens { return nil }

func (*Cluster) showIssuer() {}
