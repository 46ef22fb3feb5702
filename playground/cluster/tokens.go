//go:build !js

package cluster

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet/token"
	"kubewalk/playground/node/kubelet/volumemanager"
	"kubewalk/playground/sim"
)

// kubeletTokens is what asks for tokens; nil where kubelets make some up.
func (c Config) kubeletTokens() func(client.Transport, *sim.Rand) volumemanager.Tokens {
	if c.Tokens == nil {
		return nil
	}
	return func(transport client.Transport, rand *sim.Rand) volumemanager.Tokens {
		return token.NewManager(transport, rand)
	}
}
