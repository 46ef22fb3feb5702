package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/trace"
)

// clusterView shows the whole cluster: on top up to MostInsides controllers from inside, and beside them the user,
// the scheduler, and all others as one; then the API server with the objects that ask for something, and the newest write;
// below them the nodes with their Pods.
type clusterView struct {
	surroundings
	at     clusterPlaces
	panels []controllerPanel
}

// clusterPlaces are where its parts are. They follow from how many controllers are shown from inside.
type clusterPlaces struct {
	width, height int
	around        surroundingPlaces
	panels        []panelPlaces
	wires         []controllerWires
	revision      rect
	newest        rect
	objects       rect
	object        size   // of one, with its kind and its numbers below each other
	lines         []size // of those in a line each
	pods          rect   // how many Pods there are
}

// clusterPanels are the places of a controller among others, measured from its corner.
var clusterPanels = map[Layout][MostInsides]panelPlaces{
	Wide: {
		{
			panel: rect{0, 0, 514, 190},
			want:  rect{16, 38, 90, 56}, have: rect{112, 38, 110, 56}, bar: rect{230, 42, 268, 30},
			says: rect{230, 74, 268, 24}, expects: rect{230, 98, 268, 22},
			labels: 20, queue: rect{16, 144, 160, 36}, worker: rect{194, 144, 138, 36}, later: rect{350, 144, 148, 36},
		},
		{
			panel: rect{0, 0, 252, 190},
			want:  rect{14, 36, 80, 52}, have: rect{102, 36, 110, 52}, says: rect{14, 90, 224, 22}, note: rect{14, 90, 224, 22},
			queue: rect{76, 116, 162, 32}, worker: rect{76, 152, 162, 32},
		},
		{
			panel: rect{0, 0, 164, 190},
			want:  rect{12, 36, 62, 52}, have: rect{80, 36, 76, 52}, says: rect{12, 90, 144, 22}, note: rect{12, 90, 144, 22}, caches: rect{14, 36, 140, 76},
			queue: rect{76, 116, 80, 32}, worker: rect{76, 152, 80, 32},
		},
	},
	Narrow: {
		{
			panel: rect{0, 0, 332, 132},
			want:  rect{14, 30, 66, 52}, have: rect{84, 30, 84, 52}, bar: rect{174, 32, 146, 22},
			says: rect{174, 54, 146, 22}, note: rect{174, 54, 146, 22}, expects: rect{174, 76, 146, 20},
			queue: rect{66, 97, 92, 31}, worker: rect{224, 97, 98, 31},
		},
		{
			panel: rect{0, 0, 163, 146},
			want:  rect{12, 30, 60, 46}, have: rect{80, 30, 75, 46}, caches: rect{14, 32, 140, 44}, note: rect{14, 27, 140, 22},
			queue: rect{76, 80, 79, 30}, worker: rect{76, 113, 79, 30},
		},
		{panel: rect{0, 0, 318, 40}, title: 176, queue: rect{194, 4, 118, 32}},
	},
}

// newClusterPlaces places the parts when so many controllers are shown from inside.
func newClusterPlaces(layout Layout, n int) (at clusterPlaces) {
	if layout == Narrow {
		return narrowClusterPlaces(n)
	}
	const nodes = 108
	a := &at.around
	a.mostNodes, a.inNode, a.tiles = 5, rect{12, 34, 12, 6}, []size{{wideTile, 27, 6}, {82, 27, 6}, {58, 24, 4}, {18, 18, 4}, {11, 11, 3}, {6, 6, 2}, {4, 4, 1}}
	a.hasRules = true
	y := 254 // of the API server
	if n == 0 {
		y = 120
		a.user, a.others, a.sched = rect{10, 8, 236, 68}, rect{262, 8, 236, 68}, rect{514, 8, 236, 78}
		a.userWire, a.othersWire, a.schedWire = []int{128, 76, 128, y}, []int{380, 76, 380, y}, []int{632, 86, 632, y}
		a.pillRoom = 200
	} else {
		a.user, a.others, a.sched = rect{540, 8, 210, 52}, rect{540, 65, 210, 66}, rect{540, 136, 210, 75}
		a.userWire, a.othersWire = []int{540, 34, 532, 34, 532, y}, []int{540, 98, 532, 98, 532, y}
		a.schedWire = []int{645, 211, 645, y}
	}
	at.addPanels(layout, n, 10, 8, 514, 11, y)
	a.hasHints = n == 1
	a.band = rect{10, y, 740, 112}
	a.nodes = rect{10, a.band.bottom() + 38, 740, nodes}
	at.width, at.height = 760, a.nodes.bottom()+2
	at.revision, at.newest = rect{24, y + 34, 158, 24}, rect{24, y + 60, 166, 24}
	at.objects, at.object, at.lines = rect{196, y + 8, 542, 66}, size{174, 66, 10}, []size{{266, 28, 10}, {174, 28, 10}, {174, 20, 3}, {128, 20, 3}}
	at.pods, a.waiting = rect{196, y + 80, 262, 24}, rect{462, y + 80, 276, 26}
	return at
}

func narrowClusterPlaces(n int) (at clusterPlaces) {
	a := &at.around
	a.mostNodes, a.inNode, a.tiles = 3, rect{3, 29, 3, 3}, []size{{78, 20, 3}, {50, 20, 2}, {14, 14, 3}, {9, 9, 2}, {5, 5, 1}, {3, 3, 1}}
	a.user, a.sched = rect{4, 4, 173, 34}, rect{183, 4, 173, 34}
	high := [...]int{0, 132, 146, 128}[n]
	y := 43 + high + 28
	at.addPanels(Narrow, n, 14, 43, 332, 6, y)
	a.userWire, a.schedWire = []int{9, 38, 9, y}, []int{351, 38, 351, y}
	more := 14 // below one panel there is room for more lines
	if n > 1 {
		more = 0
	}
	a.band = rect{4, y, 352, 85 + more}
	a.nodes = rect{4, a.band.bottom() + 16, 352, 61}
	at.width, at.height = 360, a.nodes.bottom()+11 // what passes along the nodes' edge needs some room below it
	at.revision, at.newest = rect{18, y + 30, 112, 22}, rect{18, y + 54, 104, 22}
	at.objects, at.object, at.lines = rect{134, y + 5, 216, 54 + more}, size{}, []size{{216, 22, 0}, {216, 17, 0}, {106, 17, 0}}
	at.pods, a.waiting = rect{130, y + 61 + more, 66, 22}, rect{196, y + 60 + more, 154, 24}
	return at
}

// addPanels puts the controllers beside each other, or below each other where three would have no room, and their wires below them.
func (at *clusterPlaces) addPanels(layout Layout, n, x, y, w, gap, to int) {
	for i := range n {
		p := clusterPanels[layout][n-1]
		switch at.wires = append(at.wires, controllerWires{}); {
		case layout == Narrow && n == 3:
			p = p.moved(x, y+i*(p.panel.h+4))
			lane := x + w - 8*i
			at.wires[i].around = []int{p.panel.right(), p.panel.y + p.panel.h/2, lane, p.panel.y + p.panel.h/2, lane, to}
			if i == n-1 {
				at.wires[i].around = []int{p.panel.mid(), p.panel.bottom(), p.panel.mid(), to}
			}
		default:
			p = p.moved(x+i*(p.panel.w+gap), y)
			at.wires[i] = p.wires(layout, n)
		}
		at.wires[i].from = p.panel.bottom()
		at.panels = append(at.panels, p)
	}
}

// wires are those of a controller that is one of so many.
func (p *panelPlaces) wires(layout Layout, n int) controllerWires {
	x := p.panel.x
	switch {
	case n == 1 && layout == Wide:
		return controllerWires{requests: x + 102, replies: x + 252, watch: x + 402, rooms: [3]int{190, 104, 160}} // beside the word at the wire of answers
	case n == 1:
		return controllerWires{requests: x + 58, replies: x + 162, watch: x + 268, rooms: [3]int{108, 84, 120}}
	case p.panel.w > 200:
		return controllerWires{requests: x + 62, watch: x + 188, rooms: [3]int{122, 0, 122}}
	}
	return controllerWires{requests: x + 40, watch: x + 114, rooms: [3]int{80, 0, 104}}
}

func newClusterView(s *Stage) *clusterView {
	names := s.roles.focus // in the order in which they were asked for, there or not: nothing moves when one starts
	at := newClusterPlaces(s.layout, len(names))
	v := &clusterView{surroundings: newSurroundings(s, at.around), at: at}
	for i, name := range names {
		v.panels = append(v.panels, newControllerPanel(s, name, at.panels[i]))
		wires := at.wires[i]
		wires.name = name
		v.controllers = append(v.controllers, wires)
	}
	return v
}

func (v *clusterView) size() (width, height int) { return v.at.width, v.at.height }

func (v *clusterView) hasQueues() bool { return false }

func (v *clusterView) follow(e *trace.Event, _ bool) {
	for i := range v.panels {
		if v.panels[i].follow(e) {
			v.todo.panels = true
		}
	}
	v.note(e)
}

func (v *clusterView) draw() {
	v.drawAll(func() {
		for i := range v.panels {
			v.panels[i].draw()
		}
	}, v.drawBand)
}

// drawBand draws the API server with the objects that ask for something, and how many Pods there are.
func (v *clusterView) drawBand() {
	a := &v.at
	v.group("band", func(put func(Shape)) {
		v.drawAPIServer(put, a.revision)
		v.drawNewest(put, a.newest)
		v.drawObjects(put)
		waiting := 0
		if area := v.areas[waitingArea]; area != nil {
			waiting = len(area.of)
		}
		if len(v.pods) == 0 {
			return
		}
		l := text("pods/count", RoleLabel, a.pods, v.podCount(waiting))
		if l.Title != "" || l.Word != "" {
			put(l)
		}
	})
}

// podCount says how many Pods there are, and how many of them have no node.
func (v *clusterView) podCount(waiting int) words {
	n, room := len(v.pods), v.at.pods.w
	switch {
	case waiting > 0 && n == 1:
		return first(room, typeText, said("scene.noNode.one"), said("scene.noNode.brief"))
	case waiting > 0:
		return first(room, typeText, said("scene.noNode", number(n), number(waiting)), said("scene.noNode.brief"))
	case n == 1:
		return said("scene.pod", "1")
	}
	return said("scene.pods", number(n))
}

// drawNewest draws what was written last.
func (v *surroundings) drawNewest(put func(Shape), at rect) {
	n := len(v.revisions)
	if n == 0 || v.storeState() == "down" {
		return
	}
	r := v.revisions[n-1]
	kind, name := strings.ToUpper(r.kind), r.about.Name
	options := []words{plain(kind + " " + short(r.about.Resource) + "/" + name), plain(kind + " " + name),
		plain(kind + " " + suffix(name)), plain(marks[r.kind] + " " + name), plain(kind + " " + short(r.about.Resource)), plain(kind)}
	if ns := r.about.Namespace; ns != "" && ns != "default" { // there may be another one of that name
		options = append([]words{plain(kind + " " + short(r.about.Resource) + "/" + name + " -n " + ns), plain(kind + " " + ns + "/" + name),
			plain(ns + "/" + name)}, options...)
	}
	l := text("revision", RoleNewest, at, first(at.w, typeText, options...))
	l.About = r.about.String()
	put(l)
}

// barePods are the Pods that nobody but their author sees to: they are objects in their own right.
func (v *clusterView) barePods() (keys []string) {
	for key, pod := range v.pods { // order: they are sorted, which all Pods of a Job need not be
		if len(pod.OwnerReferences) == 0 && !strings.HasPrefix(key, "kube-system/") {
			keys = append(keys, "pods "+key)
		}
	}
	slices.Sort(keys)
	return keys
}

// objectAt is what is said of an object that is drawn.
func (v *clusterView) objectAt(key string) workload {
	if pod, ok := strings.CutPrefix(key, "pods "); ok {
		return workload{state: "settled", details: v.podDetails(pod, v.podState(pod))}
	}
	return v.workloads[key]
}

// drawObjects draws them, as large as there is room for; those that have none are counted.
func (v *clusterView) drawObjects(put func(Shape)) {
	keys, area := append(v.objectKeys(), v.barePods()...), v.at.objects
	if z := v.at.object; z.w > 0 && len(keys) <= (area.w+z.gap)/(z.w+z.gap) {
		equal := z.w
		if len(keys) < 3 {
			equal = (area.w - z.gap) / 2
		}
		x := area.x
		for i, w := range v.cardWidths(keys, equal, z.gap, area.w) {
			v.drawObjectPanel(put, keys[i], v.objectAt(keys[i]), rect{x, area.y, w, z.h})
			x += w + z.gap
		}
		return
	}
	g := newGrid(area, len(keys), v.at.lines...)
	g.cell.h = (area.h - (g.rows-1)*g.cell.gap) / g.rows
	for i, key := range keys {
		r, ok := g.at(i)
		if left := len(keys) - i; left > 1 && i == g.cols*g.rows-1 {
			more := text("objects/more", RoleLabel, r, first(r.w, typeText, said("scene.more", number(left))))
			more.About = castAPIServer // who has them
			put(more)
			return
		}
		if ok {
			v.drawObjectLine(put, key, v.objectAt(key), r)
		}
	}
}
