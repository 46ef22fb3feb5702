package teams

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/controllerruntime/manager"
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/operator/controllerruntime/webhook"
	"kubewalk/playground/sim"
)

// Name is the program's component.
const Name = "teams-operator"

// Start brings the program up.
func Start(k *sim.Kernel, t client.Transport) *sim.Component {
	component := k.Start(Name)
	component.Go("main", func(p *sim.Proc) {
		mgr := manager.New(component, t, manager.Options{Scheme: runtime.NewScheme(), WebhookServer: &webhook.Server{}})
		r := &Reconciler{Client: mgr.GetClient(), Scheme: mgr.GetScheme()}
		if err := r.SetupWithManager(mgr); err != nil {
			p.Logger().Error(err, "The manager has failed")
			return
		}
		mgr.Start(p)
	})
	return component
}
