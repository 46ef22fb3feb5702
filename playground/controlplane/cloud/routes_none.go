//go:build js && !cel

package cloud

import "kubewalk/playground/sim"

// Routing is in the larger build alone.
func (c *Cloud) Routing() {}

// Routes implements Provider.
func (c *Cloud) Routes() (Routes, bool) { return nil, false }

func startRouteController(ctx *controllerContext) (func(p *sim.Proc), bool) {
	ctx.skipRoutes()
	return nil, false
}
