package kubebuilder

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/controllerruntime/clock"
	"kubewalk/playground/operator/controllerruntime/manager"
	"kubewalk/playground/operator/controllerruntime/runtime"
	webv1 "kubewalk/playground/operator/kubebuilder/api/v1"
	"kubewalk/playground/operator/kubebuilder/internal/controller"
	"kubewalk/playground/sim"
)

// Name is the program's component.
const Name = "website-operator"

// Start brings the program up, as the example's cmd/main.go does. mistakes are read whenever they matter.
func Start(k *sim.Kernel, t client.Transport, mistakes *Mistakes) *sim.Component {
	component := k.Start(Name)
	component.Go("main", func(p *sim.Proc) {
		scheme := runtime.NewScheme()
		webv1.AddToScheme(scheme)
		mgr := carelessManager{manager.New(component, t, scheme), mistakes}
		reconciler := &controller.WebsiteReconciler{
			Client:   mgr.GetClient(),
			Scheme:   mgr.GetScheme(),
			Recorder: mgr.GetEventRecorder("website-controller"),
			Clock:    clock.Func(k.Time),
		}
		if err := reconciler.SetupWithManager(mgr); err != nil {
			p.Logger().Error(err, "The manager has failed")
			return
		}
		mgr.Start(p)
	})
	return component
}
