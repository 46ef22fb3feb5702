package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/trace"
)

// objectsView draws a cluster of thousands of Pods, of which commits were kept and no messages: how many there are of each
// kind, those that have no node in the API server, and every other one on its node. A Pod is a small square.
type objectsView struct {
	surroundings
	at     objectsPlaces
	wanted map[string]int64  // by object
	states map[string]string // Pod → its kind of tallies
	counts map[string]int64  // by kind
	stale  bool              // what counts has to be counted again

	names   []string        // of the nodes, in their order
	ready   map[string]int  // by area: how many Pods of that kind are in it
	grids   map[string]grid // by area: how its squares were laid out when they were drawn
	changed map[string]bool // Pods of which something changed since
}

// objectsPlaces are where its parts are.
type objectsPlaces struct {
	width, height int
	tally         tallyPlaces
	around        surroundingPlaces
	revision      rect
	nodes         rect
	columns       int // of nodes, at least
	gap           int
	name, count   rect // in a node's box: how far from its corner; w is how much is left free
	pods          rect // the same, with what is left free at the other corner
	tiles         []size
}

var objectsLayouts = map[Layout]objectsPlaces{
	Wide: {
		width: 760, height: 514,
		tally: tallyPlaces{
			numbers: [3]rect{{24, 8, 160, 60}, {200, 8, 150, 60}, {370, 8, 120, 60}},
			lines:   [4]rect{{514, 6, 230, 22}, {514, 28, 230, 22}, {514, 50, 230, 22}},
			bar:     rect{10, 78, 740, 14}, trouble: rect{322, 106, 216, 24}, dots: rect{546, 112, 196, 10},
		},
		around:   surroundingPlaces{user: rect{10, 102, 300, 34}, band: rect{10, 146, 740, 108}, waiting: rect{22, 178, 716, 70}},
		revision: rect{602, 152, 136, 24},
		nodes:    rect{10, 262, 740, 250}, columns: 5, gap: 6,
		name: rect{10, 7, 64, 24}, count: rect{0, 6, 10, 26}, pods: rect{9, 34, 7, 6},
		tiles: []size{{8, 8, 1}, {7, 7, 1}, {5, 5, 1}, {4, 4, 1}, {3, 3, 1}, {2, 2, 1}},
	},
	Narrow: {
		width: 360, height: 386,
		tally: tallyPlaces{
			numbers: [3]rect{{12, 2, 150, 50}, {188, 2, 150, 50}},
			lines:   [4]rect{{12, 53, 160, 19}, {188, 53, 160, 19}, {12, 72, 160, 19}, {188, 72, 160, 19}},
			bar:     rect{4, 95, 352, 8}, trouble: rect{188, 72, 160, 19}, dots: rect{242, 116, 112, 10},
		},
		around:   surroundingPlaces{user: rect{4, 107, 232, 32}, band: rect{4, 144, 352, 70}, waiting: rect{12, 170, 336, 40}},
		revision: rect{200, 148, 148, 22},
		nodes:    rect{4, 219, 352, 165}, columns: 5, gap: 3,
		name: rect{4, 2, 4, 18}, count: rect{0, 20, 6, 22}, pods: rect{5, 42, 4, 3},
		tiles: []size{{5, 5, 1}, {4, 4, 1}, {3, 3, 1}, {2, 2, 1}, {1, 1, 1}},
	},
}

func newObjectsView(s *Stage) *objectsView {
	at := objectsLayouts[s.layout]
	return &objectsView{surroundings: newSurroundings(s, at.around), at: at,
		wanted: map[string]int64{}, states: map[string]string{}, counts: map[string]int64{},
		ready: map[string]int{}, grids: map[string]grid{}, changed: map[string]bool{}}
}

func (v *objectsView) size() (width, height int) { return v.at.width, v.at.height }

func (v *objectsView) hasQueues() bool { return false }

func (v *objectsView) watched(string) {}

func (v *objectsView) packet(string, any) {}

func (v *objectsView) message(*trace.Event, string, any, bool) {} // such a run has none

func (v *objectsView) follow(e *trace.Event, _ bool) {
	for _, d := range e.Deltas {
		switch c := d.Cell; c.Kind {
		case trace.CellComponent: // Pods on a node that is down are not what they were
			v.stale = true
		case trace.CellObject:
			v.wants(c.Owner+" "+c.Key, d.New)
		case trace.CellImage: // Pods look different while it is pulled
			delete(v.grids, nodeArea(c.Owner))
		}
	}
	for key := range v.dirty.pods { // order: it counts
		v.countPod(key)
		v.changed[key] = true
	}
	v.note(e)
}

// wants notes how many Pods an object asks for. A Deployment's Pods are its ReplicaSets'.
func (v *objectsView) wants(key string, o any) {
	delete(v.wanted, key)
	switch o := o.(type) {
	case *appsv1.ReplicaSet:
		v.wanted[key] = int64(or(o.Spec.Replicas, 1))
	case *appsv1.StatefulSet:
		v.wanted[key] = int64(or(o.Spec.Replicas, 1))
	case *appsv1.DaemonSet:
		v.wanted[key] = int64(o.Status.DesiredNumberScheduled)
	}
}

// tallied are the kinds of tallies by a Pod's state. Pods that have ended are not counted.
var tallied = map[string]string{
	PodPending: "pending", PodUnschedulable: "pending", PodScheduled: "starting", PodPulling: "starting", PodStarting: "starting", PodInit: "starting",
	PodRunning: "starting", PodReady: "ready", PodTerminating: "terminating", PodFailed: "notReady", PodLost: "notReady", PodWaiting: "notReady",
}

func (v *objectsView) countPod(key string) {
	kind := ""
	if v.pods[key] != nil {
		kind = tallied[v.podState(key)]
	}
	if before := v.states[key]; before != kind {
		v.counts[before]--
		v.counts[kind]++
		v.states[key] = kind
	}
	if v.pods[key] == nil {
		delete(v.states, key)
	}
}

func (v *objectsView) draw() {
	d := v.dirty
	v.dirty = newDirt()
	if v.stale {
		v.stale = false
		for key := range v.pods { // order: it counts
			v.countPod(key)
		}
		d.board = true
	}
	if d.board {
		v.drawWho(&v.at.tally)
		v.names, _ = v.nodesBeside(1 << 20)
		clear(v.grids)
		for area := range v.areas { // order: each is a group of its own
			d.areas[area] = true
		}
	}
	if d.board || d.user {
		v.drawBeside()
	}
	if d.board || d.strip || len(d.areas) > 0 {
		v.drawStore()
		total := int64(0)
		for _, n := range v.wanted { // order: it adds up
			total += n
		}
		v.drawTallies(&v.at.tally, v.counts, total, total, said("scene.wanted"))
	}
	for area := range d.areas { // order: each is counted
		n := 0
		if a := v.areas[area]; a != nil {
			for key := range a.of { // order: it counts
				if v.states[key] == "ready" {
					n++
				}
			}
		}
		v.ready[area] = n
	}
	if d.board || len(d.nodes)+len(d.areas) > 0 {
		v.drawMachines()
	}
	for _, area := range sorted(d.areas) {
		v.drawSquares(area)
	}
	for _, key := range sorted(v.changed) {
		v.drawSquare("pod/"+key, key)
		v.drawSquare("ghost/"+key, ghostKey+key)
	}
	clear(v.changed)
}

// drawStore draws the API server, where Pods are that have no node.
func (v *objectsView) drawStore() {
	v.group("band", func(put func(Shape)) {
		api := panel("apiserver", RoleAPIServer, v.upState(castAPIServer), v.around.band, castAPIServer)
		api.setTitle(said("scene.api"))
		put(api)
		if v.revision > 0 {
			r := text("store/revision", RoleStore, v.at.revision, first(v.at.revision.w, typeText, said("scene.revision", count(v.revision))))
			r.About = "store"
			put(r)
		}
	})
}

// machine is the place of a node, and whether there is room for words in it.
func (v *objectsView) machine(i, of int) (r rect, isSpacious bool) {
	a := &v.at
	columns, gap := min(a.columns, max(of, 2)), a.gap
	if of > 4*a.columns { // they are squares
		for gap = 2; columns*columns*a.nodes.h < of*a.nodes.w; {
			columns++
		}
	}
	rows := (of + columns - 1) / columns
	w, h := (a.nodes.w-(columns-1)*gap)/columns, (a.nodes.h-(rows-1)*gap)/max(rows, 1)
	r = rect{a.nodes.x + i%columns*(w+gap), a.nodes.y + i/columns*(h+gap), w, h}
	return r, w >= 60 && h >= 60
}

func (v *objectsView) drawMachines() {
	a := &v.at
	v.group("nodes", func(put func(Shape)) {
		for i, name := range v.names {
			r, isSpacious := v.machine(i, len(v.names))
			state, _ := v.nodeState(name)
			f := panel("node/"+name, RoleNode, state, r, "nodes "+name)
			f.Mark = ""
			if put(f); !isSpacious {
				continue
			}
			holds := Shape{ID: "node/" + name + "/ready", Kind: Box, Role: RoleDifference, Form: string(FormText), State: "settled", Z: LayerParts, H: a.count.h,
				Mark: marks[PodReady], Title: number(v.ready[nodeArea(name)])}
			holds.W = (textWidth(holds.Title, typeName)+9)/10 + 18
			holds.X, holds.Y = r.right()-a.count.w-holds.W, r.y+a.count.y
			put(holds)
			l := text("node/"+name+"/name", RoleLabel, rect{r.x + a.name.x, r.y + a.name.y, r.w - a.name.x - a.name.w, a.name.h}, words{})
			room := l.W
			if mark := frameMarks[state]; mark != "" && fits(last(name), room-18, typeText) {
				l.State, l.Mark = "down", mark
				room -= 18
			}
			l.Title = fitFirst(room, typeText, name, last(name))
			put(l)
		}
	})
}

// last is what a name ends in: "10" of "node-10".
func last(name string) string { return name[strings.LastIndexByte(name, '-')+1:] }

// drawSquares draws the Pods of an area, unless they are laid out as before: then only those that changed are drawn, one by one.
func (v *objectsView) drawSquares(area string) {
	r, ok := v.squares(area)
	if !ok {
		delete(v.grids, area)
		v.group("pods "+area, func(func(Shape)) {})
		return
	}
	now := grid{}
	if a := v.areas[area]; a != nil {
		now = newGrid(r, len(a.keys), v.at.tiles...)
	}
	if before, drawn := v.grids[area]; drawn && before == now {
		return
	}
	v.grids[area] = now
	v.podTiles(area, r, v.at.tiles...)
}

// squares is where the Pods of an area are drawn.
func (v *objectsView) squares(area string) (r rect, ok bool) {
	node, isNode := strings.CutPrefix(area, "node/")
	if !isNode {
		return v.around.waiting, true
	}
	i := slices.Index(v.names, node)
	if i < 0 {
		return rect{}, false
	}
	r, isSpacious := v.machine(i, len(v.names))
	in := v.at.pods
	if !isSpacious {
		in.y = in.h
	}
	return rect{r.x + in.x, r.y + in.y, r.w - in.x - in.w, r.h - in.y - in.h}, true
}

// drawSquare draws what has a place in an area, or takes it away.
func (v *objectsView) drawSquare(id, key string) {
	area := v.place[key]
	g, drawn := v.grids[area]
	if drawn {
		if at, ok := g.at(v.areas[area].of[key]); ok {
			v.add("pods "+area, v.podTile(key, at, g.cell.w))
			return
		}
	}
	v.drop(id)
}
