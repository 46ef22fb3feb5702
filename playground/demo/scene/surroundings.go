package scene

import "kubewalk/playground/trace"

// surroundings are what stands around what a view is about: below it the API server and the nodes with their Pods,
// beside it, small, whoever else is there; and what travels between them.
type surroundings struct {
	*Stage
	traffic
	around      surroundingPlaces
	controllers []controllerWires // those that have wires of their own
	todo        struct{ panels, band, beside, nodes bool }
}

// surroundingPlaces are where they are. Who has no height or no wire is not drawn.
type surroundingPlaces struct {
	band, nodes                     rect
	user, others, sched             rect
	userWire, othersWire, schedWire []int
	waiting                         rect // Pods without a node
	mostNodes                       int
	inNode                          rect // the place of Pods, measured from the node's corner; w and h are what is left free at the other
	tiles                           []size
	hasHints                        bool // there is room for a word at each wire
	pillRoom                        int  // for words on the wires of the user and of the others
	hasRules                        bool // below a node's Pods there is room for what kube-proxy has written there
}

func newSurroundings(s *Stage, at surroundingPlaces) surroundings {
	v := surroundings{Stage: s, traffic: newTraffic(), around: at}
	v.all()
	return v
}

func (v *surroundings) all() {
	v.todo.panels, v.todo.band, v.todo.beside, v.todo.nodes = true, true, true, true
}

func (v *surroundings) watched(string) { v.drawWires() }

// note takes note of what an event changes.
func (v *surroundings) note(e *trace.Event) {
	for _, d := range e.Deltas {
		switch c := d.Cell; c.Kind {
		case trace.CellComponent, trace.CellFault:
			v.all()
		case trace.CellRevision:
			v.todo.band = true
		case trace.CellQueue, trace.CellWorker, trace.CellWatch:
			v.todo.panels = true
		case trace.CellScheduling, trace.CellAssumed, trace.CellMessage:
			v.todo.beside = true
		}
	}
	if e.Op == trace.Input {
		v.todo.beside = true
	}
}

// drawAll draws what has changed.
func (v *surroundings) drawAll(panels, band func()) {
	d, todo := v.dirty, v.todo
	v.dirty = newDirt()
	v.todo = struct{ panels, band, beside, nodes bool }{}
	if d.board || todo.nodes {
		v.drawNodes()
		v.drawWires()
	}
	if todo.panels || d.board {
		panels()
	}
	if todo.beside || d.user || d.board {
		v.drawBeside()
	}
	if todo.band || d.band || d.strip || d.board || len(d.areas) > 0 {
		band()
	}
	if todo.nodes || d.board {
		for area := range v.areas { // order: each is a group of its own
			d.areas[area] = true
		}
	}
	for node := range d.nodes { // order: it only marks
		d.areas[nodeArea(node)] = true
	}
	if len(d.areas) > 0 || len(d.nodes) > 0 {
		v.drawNodes()
	}
	for _, area := range sorted(d.areas) {
		v.drawPods(area)
	}
}

// drawAPIServer draws the API server's box, and the revision of its store at a place.
func (v *surroundings) drawAPIServer(put func(Shape), at rect) {
	v.drawAPIPanel(put, v.storeState() != "") // else the line below the name has the sign, and the words: beside the name stands something else
	r := text("store/revision", RoleStore, at, said("scene.revision", count(v.revision)))
	if state := v.storeState(); state != "" {
		r.State, r.Mark = state, frameMarks[state]
		r.setTitle(said("scene.down"))
		if state != "down" {
			r.setTitle(first(at.w-18, typeText, v.trouble("etcd").words))
		}
	}
	if state := v.upState(castAPIServer); state != "running" && r.State == "" {
		says := v.trouble(castAPIServer).words
		if state == "down" {
			says = said("scene.down")
		}
		if r.State, r.Mark = state, frameMarks[state]; says.width(typeText) <= at.w-18 {
			r.setTitle(says)
		}
	}
	if r.About = "store"; v.revision > 0 || r.State != "" {
		put(r)
	}
}

// drawAPIPanel draws the API server's box, with the sign of its state or without, and whoever has no other place as dots at its edge.
func (v *surroundings) drawAPIPanel(put func(Shape), signed bool) {
	a := &v.around
	api := panel("apiserver", RoleAPIServer, v.upState(castAPIServer), a.band, castAPIServer)
	api.setTitle(said("scene.api"))
	if !signed {
		api.Mark = ""
	}
	put(api)
	if a.othersWire == nil { // they have no other place
		others := v.others()
		if _, ran := v.cast[castScheduler]; ran && a.schedWire == nil {
			others = append(others, castScheduler)
		}
		v.dots(put, others, a.band.right()-8, a.band.bottom()+3, a.band.w-16)
	}
}
