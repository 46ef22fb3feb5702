package kubebuilder

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/controllerruntime/clock"
	"kubewalk/playground/operator/controllerruntime/manager"
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/operator/controllerruntime/webhook"
	webv1 "kubewalk/playground/operator/kubebuilder/api/v1"
	"kubewalk/playground/operator/kubebuilder/internal/controller"
	webhookv1 "kubewalk/playground/operator/kubebuilder/internal/webhook/v1"
	"kubewalk/playground/sim"
)

// Name is the program's component.
const Name = "website-operator"

// Start brings the program up, as the example's cmd/main.go does. mistakes are read whenever they matter; webhooks
// become this program's.
func Start(k *sim.Kernel, t client.Transport, mistakes *Mistakes, webhooks *webhook.Server) *sim.Component {
	component := k.Start(Name)
	component.Go("main", func(p *sim.Proc) {
		scheme := runtime.NewScheme()
		webv1.AddToScheme(scheme)
		mgr := carelessManager{manager.New(component, t, manager.Options{Scheme: scheme, WebhookServer: webhooks}), mistakes}
		reconciler := &controller.WebsiteReconciler{
			Client:   mgr.GetClient(),
			Scheme:   mgr.GetScheme(),
			Recorder: mgr.GetEventRecorder("website"),
			Clock:    clock.Func(k.Time),
		}
		err := reconciler.SetupWithManager(mgr)
		if err == nil {
			err = webhookv1.SetupWebsiteWebhookWithManager(mgr)
		}
		if err != nil {
			p.Logger().Error(err, "The manager has failed")
			return
		}
		mgr.Start(p)
	})
	return component
}
