package manager

import (
	"kubewalk/playground/controlplane/controller/garbagecollector"
	"kubewalk/playground/controlplane/controller/namespace"
	"kubewalk/playground/controlplane/controller/nodelifecycle"
	"kubewalk/playground/controlplane/controller/podgc"
	"kubewalk/playground/controlplane/controller/resourcequota"
	"kubewalk/playground/controlplane/controller/rootca"
	"kubewalk/playground/controlplane/controller/serviceaccount"
	"kubewalk/playground/controlplane/controller/tainteviction"
	"kubewalk/playground/sim"
)

// Upstream: cmd/kube-controller-manager/app/core.go, and certificates.go for the root CA.

func newNodeLifecycleController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	nc := nodelifecycle.NewNodeLifecycleController(ctx.Component, ctx.InformerFactory.Coordination().V1().Leases(),
		core.Pods(), core.Nodes(), ctx.Client, ctx.Options.NodeLifecycle)
	return nc.Run
}

func newTaintEvictionController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	return tainteviction.New(ctx.Component, ctx.Client, core.Pods(), core.Nodes()).Run
}

func newGarbageCollectorController(ctx ControllerContext) func(p *sim.Proc) {
	gc := garbagecollector.NewGarbageCollector(ctx.Component, ctx.InformerFactory, ctx.Client, ctx.Options.GCIgnoredResources)
	return func(p *sim.Proc) { gc.Run(p, ctx.Options.ConcurrentGCSyncs) }
}

func newPodGarbageCollectorController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	return podgc.NewPodGC(ctx.Component, ctx.Client, core.Pods(), core.Nodes(), ctx.Options.TerminatedPodThreshold).Run
}

func newNamespaceController(ctx ControllerContext) func(p *sim.Proc) {
	nm := namespace.NewNamespaceController(ctx.Component, ctx.Client, ctx.InformerFactory.Core().V1().Namespaces())
	return func(p *sim.Proc) { nm.Run(p, namespace.ConcurrentNamespaceSyncs) }
}

func newServiceAccountController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	return serviceaccount.NewServiceAccountsController(ctx.Component, core.ServiceAccounts(), core.Namespaces(), ctx.Client).Run
}

func newRootCACertificatePublisherController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	return rootca.NewPublisher(ctx.Component, core.ConfigMaps(), core.Namespaces(), ctx.Client).Run
}

func newResourceQuotaController(ctx ControllerContext) func(p *sim.Proc) {
	rq := resourcequota.NewController(ctx.Component, ctx.Client, ctx.InformerFactory, resourcequota.ResourceQuotaSyncPeriod)
	return func(p *sim.Proc) { rq.Run(p, resourcequota.ConcurrentResourceQuotaSyncs) }
}
