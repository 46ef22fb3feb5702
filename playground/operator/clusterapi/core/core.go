// Package core is Cluster API's core: what is the same in every cloud. It knows no provider's kinds.
// Upstream: core/reconcilers of sigs.k8s.io/cluster-api v1.14.
package core

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/clusterapi/kit"
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/sim"
)

// Name is the program's component.
const Name = "capi-controller-manager"

// Start brings the program up.
func Start(k *sim.Kernel, t client.Transport, dial kit.Dialer) *sim.Component {
	return kit.Start(k, t, Name, func(p *kit.Program, _ *runtime.Scheme) error {
		setupMachine := func(p *kit.Program) error { return setupMachine(p, dial) }
		for _, setup := range []func(*kit.Program) error{setupCluster, setupMachine, setupMachineSet, setupMachineDeployment} {
			if err := setup(p); err != nil {
				return err
			}
		}
		return nil
	})
}
