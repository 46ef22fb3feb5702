package scene

import (
	"strings"

	"kubewalk/playground/trace"
)

// cloudNumbers are what a cloud has, beside which its controller holds what is in the cluster.
type cloudNumbers struct {
	instances map[string]bool // by the name of the Node
	balancers map[string]bool // by the Service's key
}

func newCloudNumbers() cloudNumbers {
	return cloudNumbers{instances: map[string]bool{}, balancers: map[string]bool{}}
}

// follow takes note of what the cloud makes and loses, and tells whether that is something new.
func (c *cloudNumbers) follow(e *trace.Event) bool {
	switch node, isMachine := strings.CutPrefix(e.Component, "containerd/"); {
	case e.Op == trace.ComponentStart && isMachine:
		c.instances[node] = true
	case e.Op == trace.Input && e.Text("kind") == "terminate-instance":
		delete(c.instances, e.Text("node"))
	case e.Op == trace.Log && e.Component == castCloud && e.Text("message") == "Load balancer is made":
		c.balancers[e.Text("service")] = true
	case e.Op == trace.Log && e.Component == castCloud && e.Text("message") == "Load balancer is deleted":
		delete(c.balancers, e.Text("service"))
	default:
		return false
	}
	return true
}

// drawCloud draws how many Nodes the cluster has, and what the cloud has beside them, as far as a note leaves room.
func (v *controllerPanel) drawCloud(isNoted bool, large func(key string, r rect, n string, label words)) {
	a := &v.at
	x := a.want.x
	instances := []words{said("scene.cloud.instances"), said("scene.cloud.instances.brief")}
	if v.layout != Wide {
		instances = instances[1:] // the load balancers have room beside them
	}
	for _, n := range []struct {
		key    string
		count  int
		labels []words
	}{
		{"cache/nodes", len(v.seen["nodes"]), []words{plain("nodes")}},
		{"instances", len(v.cloud.instances), instances},
		{"balancers", len(v.cloud.balancers), []words{said("scene.cloud.balancers"), said("scene.cloud.balancers.brief")}},
	} {
		room := a.panel.right() - 10 - x
		label := first(room, typeText, n.labels...)
		if label == (words{}) {
			return
		}
		r := rect{x, a.want.y, max(a.want.w, label.width(typeText)), a.want.h}
		if isNoted && a.note.x < r.right() && a.note.y < r.bottom() && r.y < a.note.bottom() {
			return // the note says more
		}
		large(n.key, r, number(n.count), label)
		x = r.right() + 16
	}
}
