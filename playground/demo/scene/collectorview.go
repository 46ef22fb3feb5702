package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/trace"
)

// FocusCollector is the focus of a picture of the garbage collector's graph.
const FocusCollector = "generic-garbage-collector"

// collectorView shows the garbage collector from inside: its graph, with each owner above what depends on it, its three queues, and
// what its workers decide. Below it stand the API server with its newest write, the user, and the other controllers.
type collectorView struct {
	surroundings
	graph  collectorGraph
	at     collectorPlaces
	column int // how wide a column of the graph is
}

// collectorPlaces are where its parts are.
type collectorPlaces struct {
	width, height    int
	around           surroundingPlaces
	panel            rect
	objects, absent  rect // how many objects the graph has, and the owners that it knows to be absent
	graph            rect
	node             size // of the graph: w is the most that a column takes, gap that between two columns
	least            int  // the narrowest column
	levels           int  // of owners above each other
	level            int  // from one level to the next
	hasNote          bool // there is room for a word between two levels
	queues           rect // the first one's box: the others follow below it
	pitch            int
	labels           int  // width of the queues' names, before the boxes
	turn             rect // a worker's item, and what is decided
	turns, turnPitch int
	pill             int  // the most that an item takes
	references       int  // height of what was found out about an item's owners; 0 for none
	revision, newest rect // in the API server
}

var collectorLayouts = map[Layout]collectorPlaces{
	Wide: {
		width: 760, height: 514,
		panel: rect{10, 6, 740, 336}, objects: rect{214, 13, 160, 24}, absent: rect{380, 13, 356, 24},
		graph: rect{24, 42, 712, 186}, node: size{230, 46, 10}, least: 82, levels: 3, level: 70, hasNote: true,
		queues: rect{152, 240, 224, 30}, pitch: 34, labels: 130,
		turn: rect{392, 240, 346, 26}, turns: 2, turnPitch: 50, pill: 150, references: 20,
		revision: rect{140, 380, 140, 24}, newest: rect{290, 380, 448, 24},
		around: surroundingPlaces{
			band: rect{10, 374, 740, 36}, user: rect{10, 446, 400, 66}, others: rect{426, 446, 324, 66},
			userWire: []int{210, 446, 210, 410}, othersWire: []int{588, 446, 588, 410}, pillRoom: 240, hasHints: true,
		},
	},
	Narrow: {
		width: 360, height: 404,
		panel: rect{4, 4, 352, 302}, absent: rect{196, 10, 152, 22},
		graph: rect{12, 36, 336, 152}, node: size{150, 46, 6}, least: 76, levels: 3, level: 55,
		queues: rect{142, 197, 206, 22}, pitch: 26, labels: 130,
		turn: rect{12, 277, 336, 22}, turns: 1, pill: 130,
		revision: rect{150, 328, 190, 22},
		around: surroundingPlaces{
			band: rect{4, 320, 352, 36}, user: rect{4, 368, 352, 34}, userWire: []int{40, 368, 40, 356},
		},
	},
}

// collectorWiring is how the collector is joined to the API server.
var collectorWiring = map[Layout]controllerWires{
	Wide:   {requests: 112, replies: 330, watch: 548, rooms: [3]int{206, 104, 190}},
	Narrow: {requests: 66, replies: 174, watch: 282, rooms: [3]int{0, 0, 0}},
}

func newCollectorView(s *Stage) *collectorView {
	at := collectorLayouts[s.layout]
	v := &collectorView{surroundings: newSurroundings(s, at.around), graph: newCollectorGraph(FocusCollector), at: at}
	wires := collectorWiring[s.layout]
	wires.name, wires.from = FocusCollector, at.panel.bottom()
	v.controllers = []controllerWires{wires}
	return v
}

func (v *collectorView) size() (width, height int) { return v.at.width, v.at.height }

func (v *collectorView) hasQueues() bool { return false }

func (v *collectorView) packet(string, any) {}

func (v *collectorView) follow(e *trace.Event, _ bool) {
	if v.graph.follow(e) || len(v.dirty.pods) > 0 {
		v.todo.panels = true
	}
	v.note(e)
}

func (v *collectorView) draw() { v.drawAll(v.drawPanel, v.drawBand) }

func (v *collectorView) drawBand() {
	v.group("band", func(put func(Shape)) {
		v.drawAPIServer(put, v.at.revision)
		if v.at.newest.h > 0 {
			v.drawNewest(put, v.at.newest)
		}
	})
}

func (v *collectorView) drawPanel() {
	a, name := &v.at, FocusCollector
	v.group("collector", func(put func(Shape)) {
		state := v.upState(name)
		_, ran := v.cast[name]
		if state == "running" && v.isBusy() {
			state = "busy"
		}
		f := panel("component/"+name, RoleController, state, a.panel, name)
		f.setTitle(controllerName(name))
		room := a.panel.w - 48 - f.titleWidth(typeName) - 10
		f.setDetail(first(room, typeText, v.wrongWith(name, state == "down" && ran)...))
		put(f)
		if !ran || state == "down" {
			return // its memory is gone with it
		}
		if f.Detail+f.DetailWord == "" {
			v.drawCounts(put)
		}
		v.drawGraph(put)
		v.drawQueues(put)
		v.drawTurns(put)
	})
}

func (v *collectorView) isBusy() bool {
	for _, t := range v.graph.turns { // order: one is enough
		if !t.isDone {
			return true
		}
	}
	return false
}

// drawCounts says how many objects the graph has, and which owners it knows to be absent.
func (v *collectorView) drawCounts(put func(Shape)) {
	a := &v.at
	if n := len(v.graph.nodes); n > 0 && a.objects.h > 0 {
		put(text("graph/objects", RoleLabel, a.objects, first(a.objects.w, typeText, said("scene.gc.objects", number(n)))))
	}
	absent := v.graph.absent
	if len(absent) == 0 {
		return
	}
	newest := absent[len(absent)-1]
	l := text("graph/absent", RoleNote, a.absent, first(a.absent.w-18, typeText,
		said("scene.gc.absent", number(len(absent)), newest.kind+" "+newest.name+" "+shortUID(newest.uid)), said("scene.gc.absent.brief", number(len(absent)))))
	l.State, l.Mark = "refused", marks["absent"]
	put(l)
}

// shortUID is the beginning of a UID, by which a reader can tell two of a name apart.
func shortUID(uid string) string { return uid[:min(8, len(uid))] }

// drawQueues draws the three queues with what is in them.
func (v *collectorView) drawQueues(put func(Shape)) {
	a := &v.at
	for i, q := range []string{"graphChanges", "attemptToDelete", "attemptToOrphan"} { // the fields' names in GraphBuilder
		queue := "garbage_collector_" + map[string]string{
			"graphChanges": "graph_changes", "attemptToDelete": "attempt_to_delete", "attemptToOrphan": "attempt_to_orphan"}[q]
		items := v.queues[queue]
		keys := sortedKeys(items)
		sortQueue(items, keys)
		var held []Shape
		for _, k := range keys {
			item := items[k]
			c := Shape{ID: "queue/" + queue + "/" + k, Kind: Box, Role: RoleQueueKey, Form: string(FormPill), State: "queued", Z: LayerChips,
				Title: k, About: FocusCollector}
			switch {
			case item.Processing && !item.Dirty:
				if q != "graphChanges" { // a worker has it
					continue
				}
				c.State = "processing"
			case item.Processing:
				c.State = "dirty"
			case item.Position < 0:
				c.State = "delayed"
			}
			held = append(held, c)
		}
		r := a.queues
		r.y += i * a.pitch
		box := Shape{ID: "collector/" + q, Kind: Box, Role: RoleSet, Form: string(FormTile), State: "empty", Z: LayerParts, X: r.x, Y: r.y, W: r.w, H: r.h}
		if len(held) > 0 {
			box.State = "holds"
		}
		put(box)
		put(text("collector/"+q+"/label", RoleLabel, rect{r.x - a.labels, r.y + (r.h-24)/2, a.labels - 4, 24}, plain(q)))
		margin := (r.h - 20) / 2
		fillSet(put, "collector/"+q, r.inset(5, max(1, margin-1), max(1, margin-1)), held, itemNames)
	}
}

// itemNames are what a key of the collector's queues is called, from long to short.
func itemNames(key string) []string {
	n := nodeOfKey(key)
	what, _, _ := strings.Cut(key, " "+n.kind+" ")
	if what == key {
		what = ""
	}
	return append([]string{strings.TrimSpace(what + " " + n.kind + " " + n.name)}, n.names()...)
}

// names are what an object of the graph is called, from long to short.
func (n *graphNode) names() []string {
	out := []string{n.kind + " " + n.name, n.kind + " " + suffix(n.name)}
	return append(out, names("/"+n.name)...)
}

// drawTurns draws what workers have taken, and what they decide; of those that have nothing, what was decided last.
func (v *collectorView) drawTurns(put func(Shape)) {
	a, g := &v.at, &v.graph
	var busy []string
	for process, t := range g.turns { // order: sorted below
		if !t.isDone {
			busy = append(busy, process)
		}
	}
	slices.SortFunc(busy, func(x, y string) int {
		if natural(x, y) {
			return -1
		}
		return 1
	})
	if len(busy) == 0 && g.newest != "" {
		busy = []string{g.newest}
	}
	if len(busy) == 0 {
		put(text("turn/none", RoleSays, a.turn, first(a.turn.w, typeText, said("scene.gc.idle"))))
		return
	}
	for i, process := range busy[:min(len(busy), a.turns)] {
		t, r := g.turns[process], a.turn
		r.y += i * a.turnPitch
		id := "turn/" + process
		item := Shape{ID: id, Kind: Box, Role: RoleQueueKey, Form: string(FormPill), State: "processing", Z: LayerChips, X: r.x, Y: r.y, H: r.h, About: t.item.about()}
		if t.isDone {
			item.State = "delayed"
		}
		for _, name := range t.item.names() {
			if item.Title, item.W = name, (textWidth(name, typeText)+9)/10+18; item.W <= a.pill {
				break
			}
		}
		put(item)
		l := text(id+"/decides", RoleSays, rect{r.x + item.W + 8, r.y + (r.h-24)/2, r.w - item.W - 8, 24}, words{})
		if l.setTitle(first(l.W, typeText, t.decides, words{key: t.decides.key + ".brief", args: t.decides.args})); t.isDone {
			l.State = "past"
		}
		put(l)
		if a.references > 0 && t.references != "" {
			put(text(id+"/references", RoleLabel, rect{r.x + 6, r.y + r.h - 1, r.w - 6, a.references}, plain(t.references)))
		}
	}
}

// place is where a node of the graph is.
type place struct {
	rect
	*tree
	hidden int // dependents for which there is no room
}

// drawGraph draws the trees side by side, in columns: a column for each object without dependents.
func (v *collectorView) drawGraph(put func(Shape)) {
	a := &v.at
	roots, others := v.graph.trees()
	columns := 0
	for _, t := range roots {
		columns += t.columns(a.levels)
	}
	most := (a.graph.w + a.node.gap) / (a.least + a.node.gap)
	v.column = min(a.node.w, (a.graph.w+a.node.gap)/max(1, min(columns, most))-a.node.gap)
	at, left := 0, 0
	placed := map[string]place{}
	var order []string
	for _, t := range roots {
		if at+t.columns(a.levels) > most && at > 0 {
			left += t.size()
			continue
		}
		at += v.placeTree(t, at, most, 0, func(p place) {
			placed[p.uid] = p
			order = append(order, p.uid)
		})
	}
	if len(roots) == 0 {
		l := text("graph/none", RoleLabel, rect{a.graph.x, a.graph.y, a.graph.w, 22}, words{})
		l.setTitle(first(l.W, typeText, said("scene.gc.none", number(others)), said("scene.gc.none.brief")))
		put(l)
	}
	for _, uid := range order {
		v.drawGraphNode(put, placed[uid])
		v.drawOwners(put, placed[uid], placed)
	}
	if shown := len(order); left > 0 && shown > 0 {
		put(text("graph/more", RoleLabel, rect{a.graph.right() - 160, a.graph.bottom() - 20, 160, 20}, said("scene.more", number(left))))
	}
}

// columns is how many columns a tree takes: one for each object without dependents.
func (t *tree) columns(levels int) int {
	if len(t.dependents) == 0 || levels <= 1 {
		return 1
	}
	n := 0
	for _, d := range t.dependents {
		n += d.columns(levels - 1)
	}
	return n
}

// placeTree places a tree from a column on, and tells how many columns it takes.
func (v *collectorView) placeTree(t *tree, column, most, level int, add func(place)) int {
	a := &v.at
	taken, hidden := 0, len(t.dependents)
	if level+1 < a.levels {
		for _, d := range t.dependents {
			if column+taken+d.columns(a.levels-level-1) > most {
				break
			}
			hidden--
			taken += v.placeTree(d, column+taken, most, level+1, add)
		}
	}
	n := max(1, taken)
	pitch := v.column + a.node.gap
	add(place{rect{a.graph.x + column*pitch, a.graph.y + level*a.level, n*pitch - a.node.gap, a.node.h}, t, hidden})
	return n
}

// state is how a node of the graph is drawn.
func (v *collectorView) state(t *tree) string {
	switch {
	case t.isAbsent:
		return "absent"
	case t.virtual:
		return "virtual"
	case t.deleting || v.graph.finalizers[t.uid] != "":
		return "deleting"
	}
	return "known"
}

// drawGraphNode draws an object: its name and kind, and below it what holds it back, or how a Pod is, or its UID.
func (v *collectorView) drawGraphNode(put func(Shape), p place) {
	state := v.state(p.tree)
	f := panel("graph/"+p.uid, RoleGraphNode, state, p.rect, p.about())
	f.Mark, f.Z = marks[state], LayerChips
	room := p.w - 28
	if f.Mark != "" {
		room -= 20
	}
	f.Title = fitFirst(room, typeName, names("/"+p.name)...)
	if f.Title == "" && f.Mark != "" {
		f.Mark, f.Title = "", fitFirst(room+20, typeName, names("/"+p.name)...)
	}
	left := room - (textWidth(f.Title, typeName)+9)/10 - 12
	f.Detail = fitFirst(left, typeText, p.kind, short(strings.ToLower(p.kind)))
	put(f)
	says := []words{plain("uid " + shortUID(p.uid)), plain(p.kind)}
	if p.namespace != "" && p.namespace != "default" { // there may be another one of that name
		says = []words{plain(p.namespace + " · uid " + shortUID(p.uid)), plain(p.namespace)}
	}
	if pod := v.pods[p.namespace+"/"+p.name]; pod != nil && string(pod.UID) == p.uid {
		status := podWords[v.podState(p.namespace+"/"+p.name)]
		says = []words{plain(status), plain(p.kind)}
		if f.Detail == "" {
			says = []words{plain("Pod " + status), plain(p.kind + " " + status), plain(status)}
		}
	}
	switch finalizer := v.graph.finalizers[p.uid]; {
	case state == "absent":
		says = []words{said("scene.gc.node.absent", shortUID(p.uid)), said("scene.gc.node.absent.brief")}
	case state == "virtual":
		says = []words{said("scene.gc.node.virtual", shortUID(p.uid)), said("scene.gc.node.virtual.brief")}
	case finalizer != "":
		says = []words{said("scene.gc.finalizer", finalizer), plain(finalizer), plain(p.kind)}
	}
	if p.hidden > 0 {
		says = append([]words{said("scene.gc.dependents", number(p.hidden))}, says...)
	}
	l := text("graph/"+p.uid+"/says", RoleNote, rect{p.x + 14, p.y + 24, p.w - 28, p.h - 24}, first(p.w-28, typeText, says...))
	if l.Z = LayerPackets; state == "absent" || state == "virtual" || v.graph.finalizers[p.uid] != "" {
		l.State = "refused"
	}
	if l.Title+l.Word != "" {
		put(l)
	}
}

// drawOwners draws the references of an object to its owners.
func (v *collectorView) drawOwners(put func(Shape), p place, placed map[string]place) {
	for _, ref := range p.owners {
		owner, ok := placed[ref.uid]
		if !ok || owner.y >= p.y && owner.uid != p.uid && owner.y+owner.h >= p.y && owner.x == p.x {
			continue
		}
		state := "free"
		if ref.blocks {
			state = "blocks"
		}
		switch {
		case owner.isAbsent || owner.virtual:
			state = "dangling"
		case owner.waits && ref.blocks:
			state = "waits"
		}
		x, y := p.mid(), p.y
		at := []int{x, y, x, owner.bottom()}
		if x < owner.x || x > owner.right() || owner.bottom() > y { // another tree's: around below what is between them
			between := y - (v.at.level-v.at.node.h)/2
			if owner.bottom() > y {
				between = max(p.bottom(), owner.bottom()) + (v.at.level-v.at.node.h)/2
				y = p.bottom()
			}
			at = []int{x, y, x, between, owner.mid(), between, owner.mid(), owner.bottom()}
		}
		put(Shape{ID: "owner/" + p.uid + "/" + ref.uid, Kind: Line, Role: RoleOwner, State: state, Path: path(at...), Z: LayerParts})
		const note = "blockOwnerDeletion"
		if v.at.hasNote && ref.blocks && p.x == owner.x && len(at) == 4 && fits(note, p.w/2-14, typeText) {
			put(text("owner/"+p.uid+"/note", RoleHint, rect{x + 8, owner.bottom() + 1, p.right() - x - 8, 21}, plain(note)))
		}
	}
}
