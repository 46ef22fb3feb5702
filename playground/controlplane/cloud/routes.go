//go:build !js || cel

package cloud

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/sim"
)

// A route is made in this time.
const minRoute, maxRoute = time.Second, 2 * time.Second

// Routing has the cloud lead packets between Pods of different nodes, by routes. Until there are any, none gets there.
func (c *Cloud) Routing() {
	c.routing = true
	c.routed()
}

// Routes implements Provider.
func (c *Cloud) Routes() (Routes, bool) { return c, c.routing }

// ListRoutes implements Routes. A route to a machine that is gone is a black hole.
func (c *Cloud) ListRoutes(p *sim.Proc, clusterName string) (out []*Route, err error) {
	if err := c.call(p, "ListRoutes"); err != nil {
		return nil, err
	}
	for _, r := range c.routes {
		if !c.Knows(r.TargetNode) {
			r.TargetNode, r.Blackhole = "", true
		}
		out = append(out, &r)
	}
	return out, nil
}

// CreateRoute implements Routes.
func (c *Cloud) CreateRoute(p *sim.Proc, clusterName, nameHint string, route *Route) error {
	if err := c.call(p, "CreateRoute"); err != nil {
		return err
	}
	if c.outage.RouteQuota {
		return fmt.Errorf("CreateRoute: quota exceeded: %s has %d routes of %d", region, len(c.routes), len(c.routes))
	}
	if !c.Knows(route.TargetNode) {
		return fmt.Errorf("CreateRoute: instance %s not found", route.TargetNode)
	}
	p.Sleep(c.rand.Between(minRoute, maxRoute))
	r := Route{Name: clusterName + "/" + nameHint, TargetNode: route.TargetNode, DestinationCIDR: route.DestinationCIDR}
	c.routes = append(c.routes, r)
	c.routed()
	p.Logger().V(4).Info("Route is made", "route", r.Name, "cidr", r.DestinationCIDR, "node", r.TargetNode)
	return nil
}

// DeleteRoute implements Routes.
func (c *Cloud) DeleteRoute(p *sim.Proc, clusterName string, route *Route) error {
	if err := c.call(p, "DeleteRoute"); err != nil {
		return err
	}
	c.routes = slices.DeleteFunc(c.routes, func(r Route) bool { return r.Name == route.Name && r.DestinationCIDR == route.DestinationCIDR })
	c.routed()
	p.Logger().V(4).Info("Route is deleted", "route", route.Name, "cidr", route.DestinationCIDR)
	return nil
}

// routed tells the network the ranges that a route leads to.
func (c *Cloud) routed() {
	if c.frontend == nil {
		return
	}
	cidrs := []string{}
	for _, r := range c.routes {
		cidrs = append(cidrs, r.DestinationCIDR)
	}
	c.frontend.Route(cidrs)
}
