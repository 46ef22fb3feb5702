package manager

import (
	"kubewalk/playground/controlplane/controller/daemonset"
	"kubewalk/playground/controlplane/controller/deployment"
	"kubewalk/playground/controlplane/controller/statefulset"
	"kubewalk/playground/sim"
)

// The controllers of group apps. Upstream: cmd/kube-controller-manager/app/apps.go.

func newDaemonSetController(ctx ControllerContext) func(p *sim.Proc) {
	apps, core := ctx.InformerFactory.Apps().V1(), ctx.InformerFactory.Core().V1()
	dsc := daemonset.NewDaemonSetsController(ctx.Component, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), ctx.Client)
	return func(p *sim.Proc) { dsc.Run(p, daemonset.ConcurrentDaemonSetSyncs) }
}

func newDeploymentController(ctx ControllerContext) func(p *sim.Proc) {
	apps := ctx.InformerFactory.Apps().V1()
	dc := deployment.NewDeploymentController(ctx.Component, apps.Deployments(), apps.ReplicaSets(), ctx.InformerFactory.Core().V1().Pods(), ctx.Client)
	return func(p *sim.Proc) { dc.Run(p, deployment.ConcurrentDeploymentSyncs) }
}

func newStatefulSetController(ctx ControllerContext) func(p *sim.Proc) {
	apps, core := ctx.InformerFactory.Apps().V1(), ctx.InformerFactory.Core().V1()
	ssc := statefulset.NewStatefulSetController(ctx.Component, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(),
		ctx.Client)
	return func(p *sim.Proc) { ssc.Run(p, statefulset.ConcurrentStatefulSetSyncs) }
}
