package manager

import (
	"kubewalk/playground/controlplane/controller/podautoscaler"
	"kubewalk/playground/sim"
)

func newHorizontalPodAutoscalerController(ctx ControllerContext) func(p *sim.Proc) {
	return podautoscaler.NewHorizontalController(ctx.Component, ctx.Client, ctx.Options.Metrics,
		ctx.InformerFactory.Autoscaling().V2().HorizontalPodAutoscalers(), ctx.InformerFactory.Core().V1().Pods()).Run
}
