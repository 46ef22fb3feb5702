package manager

import (
	"kubewalk/playground/controlplane/controller/disruption"
	"kubewalk/playground/sim"
)

func newDisruptionController(ctx ControllerContext) func(p *sim.Proc) {
	return disruption.NewDisruptionController(ctx.Component, ctx.InformerFactory, ctx.Client).Run
}
