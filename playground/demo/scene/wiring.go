package scene

import (
	"slices"

	"kubewalk/playground/trace"
)

// controllerWires join a controller to the API server.
type controllerWires struct {
	name     string
	from     int // where they leave it
	requests int // where each of them is
	replies  int // 0 when answers share the wire of what is watched
	watch    int
	rooms    [3]int // for the pills on them
	around   []int  // the only wire, when there is no room for more: the way from the API server
}

// of is the wire on which a kind of message travels.
func (c *controllerWires) of(kind string) (id string, room int) {
	switch {
	case c.around != nil:
		return c.name, 0
	case kind == "reply" && c.replies > 0:
		return c.name + "/replies", c.rooms[1]
	case kind == "reply" || kind == "watch":
		return c.name + "/watch", c.rooms[2]
	}
	return c.name, c.rooms[0]
}

func (v *surroundings) drawWires() {
	v.group("wires", func(put func(Shape)) {
		a := &v.around
		for i := range v.controllers {
			v.drawControllerWires(put, &v.controllers[i])
		}
		if a.userWire != nil {
			v.putWire(put, castUser, castUser, false, a.userWire...)
		}
		if a.othersWire != nil && len(v.others()) > 0 {
			v.putWire(put, castMinors, "", false, a.othersWire...)
		}
		if _, ran := v.cast[castScheduler]; ran && a.schedWire != nil {
			v.putWire(put, castScheduler, castScheduler, true, a.schedWire...)
		}
		shown, _ := v.nodesBeside(a.mostNodes)
		for i, name := range shown {
			if v.elsewhere.has(name) {
				continue
			}
			r := v.nodeRect(i)
			v.putLine(put, "kubelet/"+name, "kubelet/"+name, true, r.mid(), r.y, r.mid(), a.band.bottom())
			v.putFault(put, "kubelet/"+name, "kubelet/"+name, r.mid(), (r.y+a.band.bottom())/2, r.w)
		}
	})
}

func (v *surroundings) drawControllerWires(put func(Shape), c *controllerWires) {
	from, to, name := c.from, v.around.band.y, c.name
	if c.around != nil {
		v.putWire(put, name, name, true, c.around...)
		return
	}
	v.putLine(put, name, name, false, c.requests, from, c.requests, to)
	if c.replies > 0 {
		v.putLine(put, name+"/replies", name, false, c.replies, to, c.replies, from)
	}
	v.putLine(put, name+"/watch", name, true, c.watch, to, c.watch, from)
	if v.isCut(name) { // any other fault is the panel's to tell
		v.putFault(put, name, name, (c.requests+c.watch)/2, (from+to)/2, c.watch-c.requests+80)
	}
	if !v.around.hasHints || v.trouble(name).state != "" {
		return
	}
	for _, l := range []struct {
		at   int
		word string
		kind string
	}{{c.requests, "scene.wire.requests", "request"}, {c.replies, "scene.wire.replies", "reply"}, {c.watch, "scene.wire.watch", "watch"}} {
		if lane, _ := c.of(l.kind); l.at > 0 && !v.lively(lane) { // what is on it says what it is
			put(text("wire/"+l.word, RoleHint, rect{l.at + 10, (from+to)/2 - 11, 100, 22}, said(l.word)))
		}
	}
}

// wiresOf are a controller's own wires; nil when it has none.
func (v *surroundings) wiresOf(component string) *controllerWires {
	for i := range v.controllers {
		if v.controllers[i].name == component {
			return &v.controllers[i]
		}
	}
	return nil
}

// message draws what travels between the API server and the others.
func (v *surroundings) message(e *trace.Event, number string, n any, quiet bool) {
	m, there := n.(trace.Message)
	if !there {
		if v.around.hasHints && v.roles.of(v.whose(number)) == castController {
			defer v.drawWires()
		}
		v.leave(v.Stage, number)
		return
	}
	component, back := m.From, v.roles.of(m.From) == castAPIServer
	if back {
		component = m.To
	}
	if !v.hasWire(component) {
		return
	}
	f := flightOf(m, e, number, component, back, quiet)
	lane := component
	up, down := "↑", "↓"
	switch v.roles.of(component) {
	case castController:
		f.shape.State = "controller"
		lane, f.room = v.wiresOf(component).of(m.Kind)
		if lane != component {
			f.shape.Back = false // these wires begin at the API server
		}
	case castScheduler:
		if lane, f.shape.State = castScheduler, "scheduler"; v.layout == Wide {
			f.room = 200
		}
	case castUser:
		lane, f.room, f.shape.State = castUser, v.around.pillRoom, "user"
	case castNode:
		lane, f.shape.State = "kubelet/"+nodeOf(component), "node"
		up, down = down, up
		shown, _ := v.nodesBeside(v.around.mostNodes)
		if v.layout == Wide && len(shown) > 0 {
			f.room = v.nodeRect(0).w
		}
	default:
		lane, f.room, f.shape.State = castMinors, v.around.pillRoom, "other"
	}
	if f.arrow = down; back {
		f.arrow, f.shape.State = up, "api"
	}
	if !m.Good {
		f.shape.State = "error"
	}
	if f.shape.Line = "wire/" + lane; f.shape.Back && v.isCut(component) {
		f.shape.Line += "/far"
	}
	v.enter(v.Stage, lane, f)
	if v.around.hasHints && v.roles.of(component) == castController {
		v.drawWires()
	}
}

// hasWire tells whether a component is in the picture.
func (v *surroundings) hasWire(component string) bool {
	switch v.roles.of(component) {
	case castController:
		return v.wiresOf(component) != nil
	case castNode:
		shown, _ := v.nodesBeside(v.around.mostNodes)
		return slices.Contains(shown, nodeOf(component))
	case castUser:
		return v.around.userWire != nil
	case castScheduler:
		return v.around.schedWire != nil
	}
	return v.around.othersWire != nil
}
