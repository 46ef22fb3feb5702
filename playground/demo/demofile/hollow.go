package demofile

import (
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// levels are how much of a run a demo may ask to be kept.
var levels = map[string]trace.Level{"all": trace.All, "objects": trace.Objects, "totals": trace.Totals}

// hollow reads the nodes on which nothing runs: a number, or {count: 5000, zones: 3}.
func (b *builder) hollow(v value, c *cluster.Config) {
	if !v.There() {
		return
	}
	h := &cluster.HollowNodes{}
	m := v.mapping(hollowForm)
	h.Count = int(m["count"].whole("the number of hollow nodes", 1, 10000))
	h.Zones = int(m["zones"].whole("the number of zones", 0, 26))
	h.Pods = int(m["pods"].whole("pods", 0, 253))
	h.CPU, h.Memory = m["cpu"].Text("cpu"), m["memory"].Text("memory")
	if len(b.Problems) > 0 {
		return
	}
	c.HollowNodes = h
	if err := (cluster.Config{HollowNodes: h}).Validate(); err != nil {
		b.Fail(v.At, "%v", err)
		c.HollowNodes = nil
	}
}

// preload reads what stands before the cluster starts.
func (b *builder) preload(v value, c *cluster.Config) {
	if !v.There() {
		return
	}
	m := v.mapping(preloadForm)
	p := &cluster.Preload{
		Deployments: int(m["deployments"].whole("the number of Deployments", 1, 1000)),
		Replicas:    int(m["replicas"].whole("the number of replicas of each", 1, 150000)),
		CPU:         m["cpu"].Text("cpu"), Memory: m["memory"].Text("memory"), Image: m["image"].Text("image"),
	}
	few := 1
	b.ownImages(m["image"], "image", &few)
	if len(b.Problems) > 0 {
		return
	}
	if err := (cluster.Config{HollowNodes: c.HollowNodes, Preload: p, Controllers: c.Controllers}).Validate(); err != nil {
		b.Fail(v.At, "%v", err)
		return
	}
	c.Preload = p
}
