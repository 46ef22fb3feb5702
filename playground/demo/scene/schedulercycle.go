package scene

import (
	"strings"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/trace"
)

// cycle is what the scheduler has found out about the Pod that it took last.
type cycle struct {
	pod    string
	step   int // of cycleSteps, from 1; 0 before the first
	filter map[string]opinion
	score  map[string]int64
}

type opinion struct {
	fits           bool
	plugin, reason string
}

// cycleSteps are the steps of a scheduling and a binding cycle that are drawn.
var cycleSteps = []string{"filter", "score", "reserve", "bind"}

// follow takes note of an event, and tells whether it says something new.
func (c *cycle) follow(e *trace.Event) bool {
	pod := e.Object.Key()
	switch {
	case e.Op == trace.SchedulingPop:
		*c = cycle{pod: pod, filter: map[string]opinion{}, score: map[string]int64{}}
	case c.pod == "" || e.Object.Resource != "pods" || pod != c.pod:
		return false
	case e.Op == trace.NodeFilter:
		fits, _ := e.Get("fits").(bool)
		c.step, c.filter[e.Text("node")] = 1, opinion{fits, e.Text("plugin"), e.Text("reason")}
	case e.Op == trace.NodeScore:
		n, _ := e.Get("score").(int64)
		c.step, c.score[e.Text("node")] = 2, n
	case e.Op == trace.PodAssume:
		c.step = 3
	case e.Op == trace.RequestSend && strings.HasSuffix(e.Text("path"), "/binding"):
		c.step = 4
	default:
		return false
	}
	return true
}

// drawCycle draws the steps, and what the scheduler thinks of each node for the Pod.
func (v *schedulerView) drawCycle() {
	a := &v.at
	v.group("cycle", func(put func(Shape)) {
		if !v.cast[castScheduler] {
			return
		}
		v.drawSteps(put)
		p := v.pods[v.now.pod]
		if p == nil {
			put(text("cycle/idle", RoleLabel, rect{a.pod.x + 4, a.pod.y + a.pod.h/2 - 11, a.pod.w - 8, 22}, said("scene.scheduler.idle")))
			return
		}
		if !v.flies() { // what became of it
			l := text("cycle/idle", RoleDifference, rect{a.pod.x + 4, a.pod.y + a.pod.h/2 - 12, a.pod.w - 8, 24}, words{})
			l.State = "missing"
			became := said("scene.fitsNone", names(v.now.pod)[1])
			if p.Spec.NodeName != "" {
				l.State, l.Mark = "settled", "✓"
				became = said("scene.isOn", names(v.now.pod)[1], p.Spec.NodeName)
			}
			l.setTitle(first(l.W-18, typeName, became))
			put(l)
		}
		shown, _ := v.nodesBeside(a.mostNodes)
		best := int64(1)
		for _, n := range v.now.score { // order: the greatest
			best = max(best, n)
		}
		for i, name := range shown {
			v.drawColumn(put, i, name, best)
		}
	})
}

// flies tells whether the Pod is in its scheduling cycle or its binding cycle.
func (v *schedulerView) flies() bool {
	return v.place[v.now.pod] == schedulerArea(inFlight)
}

// inShort says in a word or two why a plugin rejects a node.
func inShort(plugin string) words {
	if key := "scene.filter." + plugin; phrase.Word("en", key) != "" {
		return said(key)
	}
	return said("scene.rejected")
}

func (v *schedulerView) drawSteps(put func(Shape)) {
	a := &v.at
	if v.layout == Narrow { // the one that it is in
		if v.now.step > 0 && v.flies() {
			s := Shape{ID: "cycle/step", Kind: Box, Role: RoleStep, Form: string(FormPill),
				State: "now", Z: LayerParts, X: a.steps.x, Y: a.steps.y, W: a.steps.w, H: a.steps.h}
			s.setTitle(said("scene.step." + cycleSteps[v.now.step-1]))
			put(s)
		}
		return
	}
	const gap = 18
	n := len(cycleSteps)
	w := (a.steps.w - (n-1)*gap) / n
	active := v.flies()
	for i, step := range cycleSteps {
		s := Shape{ID: "cycle/" + step, Kind: Box, Role: RoleStep, Form: string(FormPill),
			State: "later", Z: LayerParts, X: a.steps.x + i*(w+gap), Y: a.steps.y, W: w, H: a.steps.h}
		switch {
		case active && i+1 == v.now.step:
			s.State = "now"
		case active && i+1 < v.now.step:
			s.State = "done"
		}
		s.setTitle(said("scene.step." + step))
		put(s)
		if i > 0 {
			put(Shape{ID: "cycle/" + step + "/from", Kind: Line, Role: RoleTake, Path: path(s.X-gap, s.Y+s.H/2, s.X, s.Y+s.H/2), Z: LayerParts})
		}
	}
}

// drawColumn draws what the scheduler thinks of a node.
func (v *schedulerView) drawColumn(put func(Shape), i int, node string, best int64) {
	a := &v.at
	x, w := v.column(i)
	p := v.pods[v.now.pod]
	chosen := v.assumed[v.now.pod] == node || p.Spec.NodeName == node
	id := "opinion/" + node
	if o, judged := v.now.filter[node]; judged {
		c := Shape{ID: id, Kind: Box, Role: RoleVerdict, Form: string(FormTile),
			State: "rejected", Z: LayerParts, X: x, Y: a.filter, W: w, H: a.filterHigh, About: "nodes " + node}
		if o.fits {
			c.State = "fits"
			c.setTitle(said("scene.fits"))
		} else {
			c.setTitle(first(w-33, typeText, plain(o.reason), plain(o.plugin), inShort(o.plugin), said("scene.rejected.brief")))
		}
		c.Mark = marks[c.State]
		put(c)
	}
	if n, scored := v.now.score[node]; scored {
		c := Shape{ID: id + "/score", Kind: Box, Role: RoleNumber, Form: string(FormNumber),
			State: "score", Z: LayerParts, X: x + 2, Y: a.score, W: w - 2, H: a.scoreHigh, Title: count(n), About: "nodes " + node}
		c.setDetail(said("scene.step.score"))
		if chosen {
			c.State = "chosen"
		}
		put(c)
		if a.bar > 0 {
			bar := Shape{ID: id + "/most", Kind: Box, Role: RoleMeter, Form: string(FormTile), Z: LayerParts, X: x, Y: a.bar, W: w, H: 10}
			put(bar)
			bar.ID, bar.Role, bar.Z, bar.W = id+"/bar", RoleScoreBar, LayerChips, int(max(4, int64(w)*n/best))
			if chosen {
				bar.State = "chosen"
			}
			put(bar)
		}
	}
	r := rect{x, a.reserve, w, 26}
	if a.bar > 0 {
		r.h = 32
	}
	if chosen && v.flies() {
		g := tile(Shape{ID: "cycle/assumed", Role: RoleGhost, State: "assumed", About: "pods " + v.now.pod}, r)
		g.setTitle(first(w-33, typeText, said("scene.assumedHere"), said("scene.assumedHere.brief")))
		g.Mark = marks["assumed"]
		put(g)
	}
}
