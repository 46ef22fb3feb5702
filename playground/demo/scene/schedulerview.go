package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// schedulerView shows the scheduler from inside: its queues, and the cycle of one Pod. Nodes are
// columns: above each what the scheduler thinks of it, below what is there.
type schedulerView struct {
	*Stage
	traffic
	at        schedulerPlaces
	now       cycle
	rejectors map[string]string // Pod → the plugins that it waits for
	todo      struct{ frames, cycle, nodes bool }
}

// schedulerPlaces are where the view's parts are.
type schedulerPlaces struct {
	width, height int
	panel, api    rect
	queues        []rect // as schedulerQueues; no height: how many there are is said
	counts        rect
	steps         rect
	pod           rect
	columns       rect // of the nodes: x and w
	filter, score int  // top edges
	bar, reserve  int
	filterHigh    int
	scoreHigh     int
	nodes         rect
	wire          int // x
	bus           int // y
	mostNodes     int
	tiles         []size
	inNode        rect
}

var schedulerLayouts = map[Layout]schedulerPlaces{
	Wide: {
		width: 760, height: 514,
		panel: rect{10, 8, 740, 318}, api: rect{10, 376, 186, 128},
		queues: []rect{{26, 66, 170, 44}, {26, 140, 170, 44}, {26, 214, 170, 96}},
		steps:  rect{318, 16, 420, 28}, pod: rect{212, 62, 526, 40},
		columns: rect{212, 0, 526, 0}, filter: 122, filterHigh: 36, score: 168, scoreHigh: 56, bar: 230, reserve: 254,
		nodes: rect{212, 352, 526, 152}, wire: 103, bus: 339, mostNodes: 4,
		inNode: rect{12, 58, 12, 8}, tiles: []size{{74, 27, 6}, {58, 24, 4}, {18, 18, 4}, {11, 11, 3}, {6, 6, 2}, {4, 4, 1}},
	},
	Narrow: {
		width: 360, height: 330,
		panel: rect{4, 4, 352, 212}, api: rect{4, 226, 352, 32},
		counts: rect{18, 34, 324, 20},
		steps:  rect{230, 8, 118, 24}, pod: rect{12, 58, 336, 34},
		columns: rect{12, 0, 336, 0}, filter: 98, filterHigh: 28, score: 130, scoreHigh: 50, reserve: 184,
		nodes: rect{12, 268, 336, 58}, wire: 180, bus: 263, mostNodes: 3,
		inNode: rect{6, 30, 6, 4}, tiles: []size{{50, 20, 4}, {14, 14, 3}, {9, 9, 2}, {5, 5, 1}, {3, 3, 1}},
	},
}

func newSchedulerView(s *Stage) *schedulerView {
	v := &schedulerView{Stage: s, traffic: newTraffic(), rejectors: map[string]string{}, at: schedulerLayouts[s.layout]}
	v.todo.frames, v.todo.cycle, v.todo.nodes = true, true, true
	return v
}

func (v *schedulerView) size() (width, height int) { return v.at.width, v.at.height }

func (v *schedulerView) hasQueues() bool { return true }

func (v *schedulerView) watched(string) { v.todo.frames = true }

func (v *schedulerView) packet(string, any) {}

func (v *schedulerView) follow(e *trace.Event, _ bool) {
	for _, d := range e.Deltas {
		switch d.Cell.Kind {
		case trace.CellComponent, trace.CellFault:
			v.todo.frames, v.todo.cycle, v.todo.nodes = true, true, true
			if d.Cell.Owner == castScheduler && d.New == nil {
				v.now = cycle{}
			}
		case trace.CellRevision:
			v.todo.frames = true
		case trace.CellScheduling, trace.CellAssumed:
			v.todo.cycle, v.todo.frames = true, true
		case trace.CellObject:
			v.todo.cycle = v.todo.cycle || d.Cell.Owner == "pods"
		}
	}
	pod := e.Object.Key()
	if e.Op == trace.SchedulingQueue {
		if v.rejectors[pod] = e.Text("rejectors"); v.rejectors[pod] == "" {
			delete(v.rejectors, pod)
		}
	}
	if v.now.follow(e) {
		v.todo.cycle = true
	}
}

func (v *schedulerView) draw() {
	s, d, todo := v.Stage, v.dirty, v.todo
	v.dirty = newDirt()
	v.todo = struct{ frames, cycle, nodes bool }{}
	if d.board {
		todo.frames, todo.cycle, todo.nodes = true, true, true
		for area := range s.areas { // order: each is a group of its own
			d.areas[area] = true
		}
	}
	if todo.frames || len(d.areas) > 0 {
		v.drawFrames()
	}
	if todo.cycle {
		v.drawCycle()
		d.areas[schedulerArea(inFlight)] = true
	}
	if todo.nodes || len(d.areas) > 0 || len(d.nodes) > 0 {
		v.drawNodes()
	}
	for node := range d.nodes { // order: it only marks
		d.areas[nodeArea(node)] = true
	}
	for _, area := range sorted(d.areas) {
		v.drawPods(area)
	}
}

// column is the place of a node's column.
func (v *schedulerView) column(i int) (x, w int) {
	shown, others := v.nodesBeside(v.at.mostNodes)
	n := len(shown)
	if others > 0 {
		n++
	}
	gap := v.at.columns.w / 50
	w = min((v.at.columns.w-(n-1)*gap)/n, 260)
	return v.at.columns.x + i*(w+gap), w
}

func (v *schedulerView) nodeRect(i int) rect {
	x, w := v.column(i)
	return rect{x, v.at.nodes.y, w, v.at.nodes.h}
}

// drawFrames draws the scheduler, its queues, the API server and the wires.
func (v *schedulerView) drawFrames() {
	a := &v.at
	v.group("frames", func(put func(Shape)) {
		f := panel("scheduler", RoleScheduler, v.upState(castScheduler), a.panel, castScheduler)
		f.setTitle(said("scene.scheduler"))
		if f.State == "running" {
			f.State = "active"
		}
		if f.State == "down" {
			f.setDetail(said("scene.down"))
		} else if t := v.trouble(castScheduler); t.state != "" {
			f.Detail = ""
			f.setTitle(first(200, typeName, t.words, said("scene.scheduler")))
		}
		put(f)
		waiting := func(queue string) string {
			n := 0
			if p := v.areas[schedulerArea(queue)]; p != nil {
				n = len(p.of)
			}
			return number(n)
		}
		if f.State != "down" {
			for i, q := range schedulerQueues {
				if len(a.queues) == 0 {
					break
				}
				r := a.queues[i]
				put(text("scheduler/"+q+"/label", RoleLabel, rect{r.x + 2, r.y - 21, r.w - 2, 21}, said("scene.scheduling."+q)))
				box := Shape{ID: "scheduler/" + q, Kind: Box, Role: RoleSet, Form: string(FormTile), State: "empty", Z: LayerParts, X: r.x, Y: r.y, W: r.w, H: r.h}
				if waiting(q) != "0" {
					box.State = "holds"
				}
				put(box)
				if q == "unschedulablePods" {
					v.drawRejectors(put, r)
				}
			}
			if a.counts.h > 0 {
				put(text("scheduler/counts", RoleLabel, a.counts, first(a.counts.w, typeText,
					said("scene.scheduling.counts", waiting(schedulerQueues[0]), waiting(schedulerQueues[1]), waiting(schedulerQueues[2])),
					said("scene.scheduling.counts.brief", waiting(schedulerQueues[0]), waiting(schedulerQueues[1]), waiting(schedulerQueues[2])))))
			}
		}
		v.drawAPI(put)
	})
	v.group("wires", func(put func(Shape)) {
		line := func(id, component string, at ...int) { v.putWire(put, id, component, true, at...) }
		line(castScheduler, castScheduler, a.wire, a.panel.bottom(), a.wire, a.api.y)
		shown, _ := v.nodesBeside(a.mostNodes)
		for i, name := range shown {
			r := v.nodeRect(i)
			if v.layout == Narrow {
				line("kubelet/"+name, "kubelet/"+name, r.mid(), r.y, r.mid(), a.api.bottom())
				continue
			}
			side := (a.api.right() + a.nodes.x) / 2
			line("kubelet/"+name, "kubelet/"+name, r.mid(), r.y, r.mid(), a.bus, side, a.bus, side, a.api.y+20, a.api.right(), a.api.y+20)
		}
	})
}

// drawRejectors names the plugins that rejected the Pod that was put aside last: only they know what would help.
func (v *schedulerView) drawRejectors(put func(Shape), r rect) {
	place := v.areas[schedulerArea("unschedulablePods")]
	const besides = 2 // Pods that stand above the names; a third takes their room
	if place == nil || len(place.keys) > besides && slices.ContainsFunc(place.keys[besides:], func(key string) bool { return key != "" }) {
		return
	}
	for _, key := range place.keys {
		if key == "" || v.rejectors[key] == "" {
			continue
		}
		plugins := strings.Split(v.rejectors[key], ",")
		top, line := r.y+40, 22
		if len(plugins) > 2 { // a third has room, too
			top, line = r.y+36, 19
		}
		for i, plugin := range plugins {
			l := text("scheduler/rejector/"+number(i), RoleLabel, rect{r.x + 8, top + i*line, r.w - 16, line}, words{})
			if l.setTitle(first(l.W, typeText, plain(plugin), inShort(plugin))); i < 3 {
				l.Z = LayerChips
				put(l)
			}
		}
		return
	}
}

// drawAPI draws the API server with the Pods that the scheduler has not heard of.
func (v *schedulerView) drawAPI(put func(Shape)) {
	a := &v.at
	api := panel("apiserver", RoleAPIServer, v.upState(castAPIServer), a.api, castAPIServer)
	api.setTitle(said("scene.api"))
	revision := said("scene.revision", count(v.revision))
	if v.layout == Narrow {
		v.dots(put, v.others(), a.panel.right()-4, a.panel.bottom()+1, a.panel.w-8)
		if api.Y, api.H = a.api.y, a.api.h; v.revision > 0 {
			api.setDetail(revision)
		}
		put(api)
		return
	}
	put(api)
	v.dots(put, v.others(), a.api.right()-12, a.api.bottom()-18, a.api.w-24)
	line := func(id string, i int, w words) {
		put(text(id, RoleLabel, rect{a.api.x + 14, a.api.y + 32 + i*22, a.api.w - 28, 22}, w))
	}
	if v.revision > 0 {
		r := text("store/revision", RoleStore, rect{a.api.x + 14, a.api.y + 32, a.api.w - 28, 22}, revision)
		r.About = "store"
		if state := v.storeState(); state != "" {
			r.State, r.Mark = state, frameMarks[state]
			r.setTitle(first(r.W-18, typeText, v.trouble("etcd").words, said("scene.down")))
		}
		put(r)
	}
	if n := len(v.pods); n == 1 {
		line("pods/count", 1, said("scene.pod", "1"))
	} else if n > 0 {
		line("pods/count", 1, said("scene.pods", number(n)))
	}
}

func (v *schedulerView) drawPods(area string) {
	a := &v.at
	if node, isNode := strings.CutPrefix(area, "node/"); isNode {
		shown, _ := v.nodesBeside(a.mostNodes)
		if i := slices.Index(shown, node); i >= 0 {
			r, in := v.nodeRect(i), a.inNode
			v.podTiles(area, rect{r.x + in.x, r.y + in.y, r.w - in.x - in.w, r.h - in.y - in.h}, a.tiles...)
			return
		}
		v.group("pods "+area, func(func(Shape)) {})
		return
	}
	if area == waitingArea {
		if v.layout == Wide {
			v.podTiles(area, rect{a.api.x + 14, a.api.y + 80, a.api.w - 28, 42}, size{74, 27, 6}, size{18, 18, 4}, size{9, 9, 2}, size{4, 4, 1})
		}
		return
	}
	if area == schedulerArea(inFlight) {
		v.drawFlying()
		return
	}
	for i, q := range schedulerQueues {
		if area == schedulerArea(q) && i < len(a.queues) {
			v.podTiles(area, a.queues[i].inset(8, 8, 8), size{74, 27, 6}, size{18, 18, 4}, size{11, 11, 3}, size{6, 6, 2}, size{4, 4, 1})
		}
	}
}

// drawFlying draws the Pod of the cycle, large, and the others that are being bound beside it.
func (v *schedulerView) drawFlying() {
	a := &v.at
	v.group("pods "+schedulerArea(inFlight), func(put func(Shape)) {
		flying := v.areas[schedulerArea(inFlight)]
		if flying == nil {
			return
		}
		place := rect{a.pod.right() - 80, a.pod.y + (a.pod.h-27)/2, 74, 27}
		for _, key := range flying.keys {
			if key == "" || strings.HasPrefix(key, ghostKey) {
				continue
			}
			about := "pods " + key
			if key != v.now.pod {
				if place.x > a.pod.x+a.pod.w/2 && v.layout == Wide {
					put(tile(Shape{ID: "pod/" + key, Role: RolePod, State: v.podState(key), About: about}, place, names(key)[1:]...))
					place.x -= 80
				}
				continue
			}
			r := a.pod
			if len(flying.of) > 1 && v.layout == Wide {
				r.w = r.w/2 - 10
			}
			c := Shape{ID: "pod/" + key, Kind: Box, Role: RolePod, Form: string(FormPanel),
				State: v.podState(key), Z: LayerChips, X: r.x, Y: r.y, W: r.w, H: r.h, About: about}
			for _, name := range names(key) {
				if c.Title = name; fits(name, r.w/2, typeName) {
					break
				}
			}
			// It is the Pod's own text: it goes where the Pod goes, and never lies on what the Pod passes.
			c.setDetail(first(r.w-38-c.titleWidth(typeName), typeText, asks(v.pods[key])...))
			put(c)
		}
	})
}

// asks say what a Pod needs of a node, from long to short.
func asks(p *corev1.Pod) (out []words) {
	if p == nil {
		return nil
	}
	var parts []string
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		for i := range p.Spec.Containers {
			if q, ok := p.Spec.Containers[i].Resources.Requests[resource]; ok {
				parts = append(parts, string(resource)+" "+q.String())
				break
			}
		}
	}
	for _, key := range sortedKeys(p.Spec.NodeSelector) {
		parts = append(parts, key+"="+p.Spec.NodeSelector[key])
	}
	for n := len(parts); n > 0; n-- {
		out = append(out, plain(strings.Join(parts[:n], " · ")))
	}
	return out
}

// drawNodes draws the nodes and how much of them Pods have asked for.
func (v *schedulerView) drawNodes() {
	a := &v.at
	v.group("nodes", func(put func(Shape)) {
		shown, others := v.nodesBeside(a.mostNodes)
		for i, name := range shown {
			r := v.nodeRect(i)
			state, says := v.nodeState(name)
			f := panel("node/"+name, RoleNode, state, r, "nodes "+name)
			f.Title = name
			room := r.w - 28
			if f.Mark != "" {
				room -= 20
			}
			if !fits(name, room, typeName) {
				f.Title = name[strings.LastIndexByte(name, '-')+1:]
			}
			room -= (textWidth(f.Title, typeName)+9)/10 + 10
			cpu, most, _ := v.asked(name)
			f.setDetail(first(room, typeText, says))
			if state == "ready" && most > 0 {
				f.setDetail(first(room, typeText, plain("cpu "+milli(cpu)+"/"+milli(most)), plain(milli(cpu)+"/"+milli(most))))
			}
			put(f)
			if v.layout == Narrow || most == 0 {
				continue
			}
			meter := Shape{ID: "node/" + name + "/cpu", Kind: Box, Role: RoleMeter, Form: string(FormTile), Z: LayerParts, X: r.x + 12, Y: r.y + 38, W: r.w - 24, H: 10}
			put(meter)
			if pod := v.nominatedTo(name); pod != "" {
				put(text("node/"+name+"/nominated", RoleExpects, rect{r.x + 12, r.bottom() - 27, r.w - 24, 22},
					first(r.w-24, typeText, said("scene.nominated", names(pod)[1]), said("scene.nominated.brief"))))
			}
			if cpu > 0 {
				meter.ID, meter.Role, meter.Z = meter.ID+"/asked", RoleMeterFill, LayerChips
				if meter.W = int(min(int64(meter.W), max(4, int64(meter.W)*cpu/most))); cpu >= most {
					meter.State = "full"
				}
				put(meter)
			}
		}
		if others > 0 {
			r := v.nodeRect(len(shown))
			put(panel("nodes", RoleNode, "ready", r, ""))
			more := text("nodes/more", RoleLabel, rect{r.x + 12, r.y + 8, r.w - 24, 22}, words{})
			more.setTitle(first(more.W, typeText, said("scene.nodes.more", number(others)), plain("+"+number(others))))
			put(more)
		}
	})
}

// nominatedTo is a Pod for which Pods on a node make room; "" for none.
func (v *schedulerView) nominatedTo(node string) string {
	for _, key := range sortedKeys(v.pods) {
		if p := v.pods[key]; p.Spec.NodeName == "" && p.Status.NominatedNodeName == node {
			return key
		}
	}
	return ""
}

// message draws what travels to and from the scheduler with words, and to and from the nodes without.
func (v *schedulerView) message(e *trace.Event, number string, n any, quiet bool) {
	m, there := n.(trace.Message)
	if !there {
		v.leave(v.Stage, number)
		return
	}
	component, back := m.From, v.roles.of(m.From) == castAPIServer
	if back {
		component = m.To
	}
	f := flightOf(m, e, number, component, back, quiet)
	lane := castScheduler
	switch v.roles.of(component) {
	case castScheduler:
		f.shape.State = "scheduler"
		if v.layout == Wide {
			f.room = 186
		}
	case castNode:
		node := nodeOf(component)
		if shown, _ := v.nodesBeside(v.at.mostNodes); !slices.Contains(shown, node) {
			return
		}
		lane, f.shape.State = "kubelet/"+node, "node"
	default:
		return
	}
	if f.arrow = "↓"; back {
		f.arrow, f.shape.State = "↑", "api"
	}
	if !m.Good {
		f.shape.State = "error"
	}
	if f.shape.Line = "wire/" + lane; back && v.isCut(component) {
		f.shape.Line += "/far"
	}
	v.enter(v.Stage, lane, f)
}
