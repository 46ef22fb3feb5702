package scene

import (
	"slices"
	"sort"
	"strings"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/trace"
)

// controllerView shows one controller from inside: what is wanted, what is in its cache,
// the difference, what it waits to see, its work queue and its workers. Below it stand
// the API server and the nodes; whoever else is there stands beside it, small.
type controllerView struct {
	*Stage
	inside
	traffic
	at   controllerPlaces
	todo struct{ panel, band, beside, nodes bool }
}

// controllerPlaces are where its parts are, and how large.
type controllerPlaces struct {
	width, height       int
	panel, band, nodes  rect
	user, others, sched rect // no height: they are not drawn
	want, have          rect
	bar                 rect
	says, expects       rect // what the difference is, what is waited for
	labels              int  // height of the words above the sets; 0 when they stand before them
	queue, worker       rect
	later               rect
	log                 rect
	revision            rect
	object, pods        rect
	requests, replies   int // x of the wires
	watch               int
	rooms               [3]int // for the pills on them
	mostNodes           int
	inNode              rect // the place of Pods, measured from the node's corner; w and h are what is left free at the other
	tiles               []size
}

var controllerLayouts = map[Layout]controllerPlaces{
	Wide: {
		width: 760, height: 514,
		panel: rect{10, 8, 514, 216}, band: rect{10, 280, 740, 86}, nodes: rect{10, 406, 740, 100},
		user: rect{540, 8, 210, 54}, others: rect{540, 70, 210, 68}, sched: rect{540, 146, 210, 78},
		want: rect{26, 46, 90, 56}, have: rect{122, 46, 110, 56}, bar: rect{240, 50, 268, 30},
		says: rect{240, 82, 268, 24}, expects: rect{240, 106, 268, 22},
		labels: 20, queue: rect{26, 152, 160, 36}, worker: rect{204, 152, 138, 36}, later: rect{360, 152, 148, 36},
		log:      rect{26, 191, 482, 24},
		revision: rect{24, 313, 108, 24}, object: rect{146, 290, 200, 66}, pods: rect{362, 290, 376, 68},
		requests: 112, replies: 262, watch: 412, rooms: [3]int{190, 104, 180},
		mostNodes: 5, inNode: rect{12, 34, 12, 6},
		tiles: []size{{82, 27, 6}, {58, 24, 4}, {18, 18, 4}, {11, 11, 3}, {6, 6, 2}, {4, 4, 1}},
	},
	Narrow: {
		width: 360, height: 330,
		panel: rect{4, 4, 352, 142}, band: rect{4, 182, 352, 56}, nodes: rect{4, 254, 352, 74},
		want: rect{18, 36, 66, 52}, have: rect{88, 36, 84, 52}, bar: rect{178, 40, 166, 24},
		says: rect{178, 64, 166, 22}, expects: rect{178, 86, 166, 20},
		queue: rect{66, 108, 98, 32}, worker: rect{234, 108, 110, 32},
		revision: rect{18, 210, 110, 22}, object: rect{134, 186, 216, 24}, pods: rect{134, 211, 216, 24},
		requests: 66, replies: 174, watch: 282, rooms: [3]int{118, 84, 132},
		mostNodes: 3, inNode: rect{6, 29, 6, 3},
		tiles: []size{{50, 20, 2}, {14, 14, 3}, {9, 9, 2}, {5, 5, 1}, {3, 3, 1}},
	},
}

func newControllerView(s *Stage, name string) *controllerView {
	v := &controllerView{Stage: s, inside: newInside(name), traffic: newTraffic(), at: controllerLayouts[s.layout]}
	v.all()
	return v
}

func (v *controllerView) size() (width, height int) { return v.at.width, v.at.height }

func (v *controllerView) hasQueues() bool { return false }

func (v *controllerView) all() {
	v.todo.panel, v.todo.band, v.todo.beside, v.todo.nodes = true, true, true, true
}

func (v *controllerView) follow(e *trace.Event, _ bool) {
	if v.inside.follow(e) {
		v.todo.panel = true
	}
	for _, d := range e.Deltas {
		switch c := d.Cell; c.Kind {
		case trace.CellComponent, trace.CellFault:
			v.all()
		case trace.CellRevision:
			v.todo.band = true
		case trace.CellQueue, trace.CellWorker, trace.CellWatch:
			v.todo.panel = true
		case trace.CellScheduling, trace.CellAssumed:
			v.todo.beside = true
		case trace.CellMessage:
			v.todo.beside = true
		}
	}
	if e.Op == trace.Input {
		v.todo.beside = true
	}
	if e.Op == trace.QueueGet && e.Component == v.name {
		v.todo.band = true // it shows the object that is worked on
	}
}

func (v *controllerView) watched(string) { v.drawWires() }

func (v *controllerView) draw() {
	s, d := v.Stage, v.dirty
	v.dirty = newDirt()
	todo := v.todo
	v.todo = struct{ panel, band, beside, nodes bool }{}
	if d.board || todo.nodes {
		v.drawNodes()
		v.drawWires()
	}
	if todo.panel || d.board {
		v.drawPanel()
	}
	if todo.beside || d.user || d.board {
		v.drawBeside()
	}
	if todo.band || d.band || d.strip || d.board || len(d.areas) > 0 {
		v.drawBand()
	}
	if todo.nodes || d.board {
		for area := range s.areas { // order: each is a group of its own
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

// drawPods draws the Pods of an area.
func (v *controllerView) drawPods(area string) {
	node, isNode := strings.CutPrefix(area, "node/")
	if !isNode {
		r := v.at.pods
		if v.layout == Wide { // the words stand above
			r = r.inset(0, 26, 0)
		} else {
			r.x, r.w = r.x+62, r.w-62
		}
		v.podTiles(area, r, v.at.tiles...)
		return
	}
	shown, _ := v.nodesBeside(v.at.mostNodes)
	for i, name := range shown {
		if name == node {
			r, in := v.nodeRect(i), v.at.inNode
			v.podTiles(area, rect{r.x + in.x, r.y + in.y, r.w - in.x - in.w, r.h - in.y - in.h}, v.at.tiles...)
			return
		}
	}
	v.group("pods "+area, func(func(Shape)) {})
}

func (v *controllerView) nodeRect(i int) rect {
	shown, others := v.nodesBeside(v.at.mostNodes)
	n := len(shown)
	if others > 0 {
		n++
	}
	gap := v.at.nodes.w / 60
	area := v.at.nodes
	w := min((area.w-(n-1)*gap)/n, area.w/2)
	return rect{area.x + (area.w-n*w-(n-1)*gap)/2 + i*(w+gap), area.y, w, area.h}
}

func (v *controllerView) drawNodes() {
	v.group("nodes", func(put func(Shape)) {
		shown, others := v.nodesBeside(v.at.mostNodes)
		here := map[string]bool{}
		for i, name := range shown {
			here[nodeArea(name)] = true
			r := v.nodeRect(i)
			state, says := v.nodeState(name)
			f := panel("node/"+name, RoleNode, state, r, "nodes "+name)
			room := r.w - 28
			if f.Mark != "" {
				room -= 20
			}
			f.Title = name
			if !fits(name, room, typeName) {
				f.Title = name[strings.LastIndexByte(name, '-')+1:]
			}
			f.setDetail(first(room-(textWidth(f.Title, typeName)+9)/10-10, typeText, says))
			put(f)
		}
		if others > 0 {
			pods := 0
			for area, a := range v.areas { // order: it counts
				if strings.HasPrefix(area, "node/") && !here[area] {
					pods += len(a.of)
				}
			}
			r := v.nodeRect(len(shown))
			put(panel("nodes", RoleNode, "ready", r, ""))
			in := v.at.inNode
			more := text("nodes/more", RoleLabel, rect{r.x + in.x, r.y + 8, r.w - in.x - in.w, 22}, words{})
			more.setTitle(first(more.W, typeText, said("scene.nodes.more", number(others)), plain("+"+number(others))))
			put(more)
			holds := text("nodes/pods", RoleLabel, rect{r.x + in.x, r.y + 32, r.w - in.x - in.w, 22}, words{})
			holds.setTitle(first(holds.W, typeText, said("scene.pods", number(pods)), plain(number(pods))))
			put(holds)
		}
	})
}

func (v *controllerView) drawWires() {
	v.group("wires", func(put func(Shape)) {
		a := &v.at
		from, to := a.panel.bottom(), a.band.y
		v.putWire(put, v.name, v.name, false, a.requests, from, a.requests, to)
		v.putWire(put, v.name+"/replies", v.name, false, a.replies, to, a.replies, from)
		v.putWire(put, v.name+"/watch", v.name, true, a.watch, to, a.watch, from)
		if a.sched.h > 0 {
			for _, l := range []struct {
				at   int
				word string
				lane string
			}{{a.requests, "scene.wire.requests", ""}, {a.replies, "scene.wire.replies", "/replies"}, {a.watch, "scene.wire.watch", "/watch"}} {
				if v.lively(v.name + l.lane) {
					continue // it says what it is
				}
				put(text("wire/"+l.word, RoleHint, rect{l.at + 10, (from+to)/2 - 11, 100, 22}, said(l.word)))
			}
			bus := (a.panel.right() + a.user.x) / 2
			v.putWire(put, castUser, castUser, false, a.user.x, a.user.y+a.user.h/2, bus, a.user.y+a.user.h/2, bus, to)
			if len(v.others()) > 0 {
				v.putWire(put, castMinors, "", false, a.others.x, a.others.y+a.others.h/2, bus, a.others.y+a.others.h/2, bus, to)
			}
			v.putWire(put, castScheduler, castScheduler, true, a.sched.mid(), a.sched.bottom(), a.sched.mid(), to)
		}
		shown, _ := v.nodesBeside(a.mostNodes)
		for i, name := range shown {
			r := v.nodeRect(i)
			v.putWire(put, "kubelet/"+name, "kubelet/"+name, true, r.mid(), r.y, r.mid(), a.band.bottom())
		}
	})
}

// message draws what travels between the API server and the others.
func (v *controllerView) message(e *trace.Event, number string, n any, quiet bool) {
	m, there := n.(trace.Message)
	if !there {
		if v.roles.of(v.whose(number)) == castController {
			defer v.drawWires()
		}
		v.leave(v.Stage, number)
		return
	}
	component, back := m.From, v.roles.of(m.From) == castAPIServer
	if back {
		component = m.To
	}
	f := flight{number: number, who: component, isQuiet: quiet, options: messageWords(m)}
	f.shape = Shape{ID: "message/" + number, Kind: Packet, Role: m.Kind, Z: LayerPackets, Back: back,
		From: m.Sent.Microseconds(), To: m.Arrives.Microseconds(), About: phrase.Object(e.Object)}
	f.label, _, _ = strings.Cut(m.Label, " ")
	if m.Kind == "request" {
		f.label = m.Label
	}
	lane := component
	up, down := "↑", "↓"
	switch v.roles.of(component) {
	case castController:
		f.shape.State, f.room = "controller", v.at.rooms[0]
		if m.Kind == "reply" || m.Kind == "watch" {
			f.shape.Back = false // these wires begin at the API server
			lane, f.room = component+"/replies", v.at.rooms[1]
		}
		if m.Kind == "watch" {
			lane, f.room = component+"/watch", v.at.rooms[2]
		}
	case castScheduler:
		lane, f.room, f.shape.State = castScheduler, 200, "scheduler"
	case castUser:
		lane, f.shape.State = castUser, "user"
	case castNode:
		lane, f.shape.State = "kubelet/"+nodeOf(component), "node"
		up, down = down, up
		shown, _ := v.nodesBeside(v.at.mostNodes)
		if v.layout == Wide && len(shown) > 0 {
			f.room = v.nodeRect(0).w
		}
	default:
		lane, f.shape.State = castMinors, "other"
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
	if !v.hasWire(component) {
		return
	}
	v.enter(v.Stage, lane, f)
	if v.roles.of(component) == castController {
		v.drawWires()
	}
}

// hasWire tells whether a component is in the picture.
func (v *controllerView) hasWire(component string) bool {
	switch v.roles.of(component) {
	case castController:
		return true
	case castNode:
		shown, _ := v.nodesBeside(v.at.mostNodes)
		return slices.Contains(shown, nodeOf(component))
	}
	return v.at.sched.h > 0
}

func (v *controllerView) packet(string, any) {}

// drawBand draws the API server with the object that the controller works on.
func (v *controllerView) drawBand() {
	a := &v.at
	v.group("band", func(put func(Shape)) {
		api := panel("apiserver", RoleAPIServer, v.upState(castAPIServer), a.band, castAPIServer)
		api.setTitle(said("scene.api"))
		put(api)
		r := text("store/revision", RoleStore, a.revision, said("scene.revision", count(v.revision)))
		if state := v.storeState(); state != "" {
			r.State, r.Mark = state, frameMarks[state]
			r.setTitle(first(a.revision.w-18, typeText, v.trouble("etcd").words, said("scene.down")))
		}
		if r.About = "store"; v.revision > 0 {
			put(r)
		}
		v.drawObject(put)
		if a.sched.h == 0 {
			others := v.others()
			if _, ran := v.cast[castScheduler]; ran {
				others = append(others, castScheduler)
			}
			v.dots(put, others, a.band.right()-8, a.band.bottom()+3)
		}
		if v.layout != Wide {
			waiting := v.areas[waitingArea]
			if waiting != nil && len(waiting.of) > 0 {
				put(text("pods/waiting", RoleLabel, rect{a.pods.x, a.pods.y, 60, 22}, said("scene.noNode.brief")))
			}
			return
		}
		if n := len(v.pods); n > 0 {
			l := text("pods/count", RoleLabel, rect{a.pods.x, a.pods.y, a.pods.w, 22}, said("scene.pods", number(n)))
			if n == 1 {
				l.setTitle(said("scene.pod", "1"))
			}
			if waiting := v.areas[waitingArea]; waiting != nil && len(waiting.of) > 0 {
				l.setTitle(said("scene.noNode", number(n), number(len(waiting.of))))
				if n == 1 {
					l.setTitle(said("scene.noNode.one"))
				}
			}
			put(l)
		}
	})
}

// drawObject draws the object on which the controller works, as it is in the store.
func (v *controllerView) drawObject(put func(Shape)) {
	key, a := v.objectKey(), &v.at
	w, ok := v.workloads[key]
	if !ok {
		return
	}
	resource, name, _ := strings.Cut(key, " ")
	details := w.details
	if v.layout != Wide {
		line := text("workload/"+key, RoleWorkload, a.object, words{})
		line.State, line.About = w.state, key
		line.setTitle(first(a.object.w, typeText, append([]words{plain(bareName(name) + ": " + details[0].text)}, details...)...))
		put(line)
		return
	}
	f := panel("workload/"+key, RoleWorkload, w.state, a.object, key)
	f.Mark, f.Z = "", LayerParts
	titles := keyNames(name)[1:]
	for i, kind := range []string{kindOf(resource), short(resource), kindOf(resource)} {
		f.Title, f.Detail = titles[min(i/2, len(titles)-1)], kind
		if fits(f.Title, a.object.w-38-(textWidth(kind, typeText)+9)/10, typeName) {
			break
		}
	}
	put(f)
	l := text("workload/"+key+"/says", RoleLabel, rect{a.object.x + 14, a.object.y + 34, a.object.w - 28, 24}, words{})
	l.Z = LayerChips
	l.setTitle(first(l.W, typeText, details...))
	put(l)
}

// objectKey is the object that the API server's band shows: the one on which the controller works, or else the first that asks for Pods.
func (v *controllerView) objectKey() string {
	if key := goals[v.name] + " " + v.subject; goals[v.name] != "" {
		if _, ok := v.workloads[key]; ok {
			return key
		}
	}
	var keys []string
	for _, key := range sortedKeys(v.workloads) {
		if strings.HasSuffix(key, " "+v.subject) {
			return key
		}
		if key != "services default/kubernetes" && !strings.Contains(key, " kube-system/") {
			keys = append(keys, key)
		}
	}
	sort.SliceStable(keys, func(i, j int) bool { return v.workloads[keys[i]].rank < v.workloads[keys[j]].rank })
	if len(keys) == 0 {
		return ""
	}
	return keys[0]
}

// drawBeside draws who else is there, in few words.
func (v *controllerView) drawBeside() {
	a := &v.at
	if a.sched.h == 0 {
		return
	}
	v.group("beside", func(put func(Shape)) {
		user := panel("user", RoleUser, "", a.user, castUser)
		user.setTitle(said("scene.user"))
		if v.done.word != "" {
			user.setDetail(first(a.user.w-28-user.titleWidth(typeText)-10, typeText, said(v.done.word)))
		}
		if v.lively(castUser) {
			user.State = "active"
		}
		put(user)
		line := func(id string, r rect, i int) Shape {
			return text(id, RoleLabel, rect{r.x + 14, r.y + 27 + i*24, r.w - 28, 23}, words{})
		}
		if l := line("user/command", a.user, 0); v.done.options != nil {
			l.Mark = v.done.mark
			for _, option := range v.done.options {
				if fits(option, l.W-18, typeText) {
					l.Title = option
					break
				}
			}
			if l.Title != "" || l.Mark != "" {
				put(l)
			}
		}
		v.drawOthers(put, line)
		v.drawSchedulerBriefly(put, line)
	})
}

// lively tells whether something of a lane is on its way that is worth following.
func (v *controllerView) lively(lane string) bool {
	for _, f := range v.traffic.on(lane) {
		if !f.isQuiet {
			return true
		}
	}
	return false
}

func (v *controllerView) drawOthers(put func(Shape), line func(string, rect, int) Shape) {
	others := v.others()
	var down []string
	for _, name := range others {
		if !v.cast[name] {
			down = append(down, name)
		}
	}
	if len(others) == 0 {
		return
	}
	f := panel(castMinors, RoleMinor, "", v.at.others, "")
	if r := v.at.others; len(others) > 1 {
		v.dots(put, others, r.right()-14, r.bottom()-16)
	}
	f.setTitle(said("scene.others", number(len(others))))
	if len(others) == 1 {
		f.About = others[0]
		f.setTitle(first(f.W-28, typeText, plain(others[0]), plain(brief(others[0])), said("scene.other")))
	}
	l := line(castMinors+"/who", v.at.others, 0)
	acts := ""
	for _, flying := range v.traffic.on(castMinors) {
		if !flying.isQuiet {
			acts = flying.who
		}
	}
	switch {
	case acts != "":
		f.State, f.About = "active", acts
		l.setTitle(first(l.W, typeText, plain(acts), plain(brief(acts))))
	case len(down) > 0:
		l.Mark = frameMarks["down"]
		l.setTitle(first(l.W-18, typeText, plain(down[0]), plain(brief(down[0]))))
	default:
		l.setTitle(said("scene.quiet"))
	}
	put(f)
	put(l)
}

// drawSchedulerBriefly says which Pod the scheduler has, and how many wait.
func (v *controllerView) drawSchedulerBriefly(put func(Shape), line func(string, rect, int) Shape) {
	if _, ran := v.cast[castScheduler]; !ran {
		return
	}
	f := panel("scheduler", RoleScheduler, v.upState(castScheduler), v.at.sched, castScheduler)
	f.setTitle(said("scene.scheduler"))
	if f.State == "down" {
		f.setDetail(said("scene.down"))
		put(f)
		return
	}
	l, below := line("scheduler/does", v.at.sched, 0), line("scheduler/waiting", v.at.sched, 1)
	cycle, waits, hopeless := "", 0, 0
	for _, pod := range sortedKeys(v.scheduling) {
		switch v.scheduling[pod] {
		case inFlight:
			cycle = pod
		case "unschedulablePods":
			hopeless++
		default:
			waits++
		}
	}
	binds := ""
	for _, pod := range sortedKeys(v.assumed) {
		if p := v.pods[pod]; p != nil && p.Spec.NodeName == "" {
			binds = pod
		}
	}
	switch {
	case binds != "":
		l.setTitle(first(l.W, typeText, said("scene.binds", names(binds)[1], v.assumed[binds]), said("scene.binds.brief", names(binds)[1])))
	case cycle != "":
		l.setTitle(first(l.W, typeText, said("scene.places", names(cycle)[1]), said("scene.places.brief", names(cycle)[1])))
	default:
		l.setTitle(said("scene.scheduler.idle"))
	}
	if f.State == "running" && (binds != "" || cycle != "" || waits > 0) {
		f.State = "active"
	}
	if hopeless > 0 {
		below.setTitle(said("scene.unschedulable", number(hopeless)))
		below.State = "slow"
	} else if waits > 0 {
		below.setTitle(said("scene.waiting", number(waits)))
	}
	put(f)
	put(l)
	if below.Word != "" {
		put(below)
	}
}
