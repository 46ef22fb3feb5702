package manager

import (
	"kubewalk/playground/controlplane/controller/endpoint"
	"kubewalk/playground/controlplane/controller/endpointslice"
	"kubewalk/playground/sim"
)

func newEndpointSliceController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	c := endpointslice.NewController(ctx.Component, core.Pods(), core.Services(), core.Nodes(),
		ctx.InformerFactory.Discovery().V1().EndpointSlices(), endpointslice.MaxEndpointsPerSlice, ctx.Client)
	return func(p *sim.Proc) { c.Run(p, endpointslice.ConcurrentSyncs) }
}

func newEndpointsController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	c := endpoint.NewEndpointController(ctx.Component, core.Pods(), core.Services(), core.Endpoints(), ctx.Client)
	return func(p *sim.Proc) { c.Run(p, endpoint.ConcurrentSyncs) }
}
