// The manager: it runs the controller of Websites, and their webhooks.
package main

import (
	"flag"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	webv1 "example.com/website/api/v1"
	"example.com/website/internal/controller"
	webhookv1 "example.com/website/internal/webhook/v1"
)

var scheme = runtime.NewScheme()

func init() {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(webv1.AddToScheme(scheme))
}

func main() {
	metrics := flag.String("metrics-bind-address", "0", "where metrics are; 0 is nowhere")
	probes := flag.String("health-probe-bind-address", ":8081", "where probes are answered")
	elect := flag.Bool("leader-elect", false, "only one of several managers works")
	options := zap.Options{}
	options.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&options)))
	if err := run(*metrics, *probes, *elect); err != nil {
		ctrl.Log.Error(err, "The manager has failed")
		os.Exit(1)
	}
}

func run(metrics, probes string, elect bool) error {
	// region main
	options := ctrl.Options{
		Scheme:                 scheme,
		HealthProbeBindAddress: probes,
		LeaderElection:         elect,
		LeaderElectionID:       "website.example.com",
	}
	options.Metrics.BindAddress = metrics
	config := ctrl.GetConfigOrDie()
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return err
	}
	reconciler := &controller.WebsiteReconciler{
		Client:   mgr.GetClient(),
		Scheme:   mgr.GetScheme(),
		Recorder: mgr.GetEventRecorder("website"),
		Clock:    clock.RealClock{},
	}
	err = reconciler.SetupWithManager(mgr)
	if err != nil {
		return err
	}
	// endregion
	if os.Getenv("ENABLE_WEBHOOKS") != "false" {
		if err := webhookv1.SetupWebsiteWebhookWithManager(mgr); err != nil {
			return err
		}
	}
	if err := mgr.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("readyz", healthz.Ping); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}
