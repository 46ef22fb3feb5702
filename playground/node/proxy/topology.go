package proxy

import "slices"

// CategorizeEndpoints chooses among a port's endpoints: those to which cluster rules go, those to which rules of a Local
// policy go, and whether there are any at all. Where no endpoint is ready, those that still serve while they terminate take
// their place. Upstream: pkg/proxy/topology.go, CategorizeEndpoints.
func CategorizeEndpoints(endpoints []*Endpoint, svc *ServicePort, node, zone string) (cluster, local []*Endpoint, any bool) {
	if svc.UsesClusterEndpoints() {
		ready := filter(endpoints, func(e *Endpoint) bool { return e.Ready })
		cluster = hinted(ready, node, zone)
		if len(cluster) == 0 {
			cluster = filter(endpoints, func(e *Endpoint) bool { return e.Serving && e.Terminating })
		}
		any = len(cluster) > 0
	}
	if svc.UsesLocalEndpoints() {
		local = filter(endpoints, func(e *Endpoint) bool { return e.Local && e.Ready })
		if len(local) == 0 {
			local = filter(endpoints, func(e *Endpoint) bool { return e.Local && e.Serving && e.Terminating })
		}
		any = any || len(local) > 0 || slices.ContainsFunc(endpoints, func(e *Endpoint) bool { return e.Ready })
	}
	return cluster, local, any
}

func filter(endpoints []*Endpoint, keep func(e *Endpoint) bool) []*Endpoint {
	var out []*Endpoint
	for _, e := range endpoints {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

// hinted narrows ready endpoints to those meant for this node, or its zone, if every one of them has a hint and some are.
// Upstream: topologyModeFromHints.
func hinted(ready []*Endpoint, node, zone string) []*Endpoint {
	by := func(has func(e *Endpoint) []string, mine string) []*Endpoint {
		if mine == "" || slices.ContainsFunc(ready, func(e *Endpoint) bool { return len(has(e)) == 0 }) {
			return nil
		}
		return filter(ready, func(e *Endpoint) bool { return slices.Contains(has(e), mine) })
	}
	if near := by(func(e *Endpoint) []string { return e.Nodes }, node); len(near) > 0 {
		return near
	}
	if near := by(func(e *Endpoint) []string { return e.Zones }, zone); len(near) > 0 {
		return near
	}
	return ready
}
