package scene

import (
	"slices"
	"sort"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/trace"
)

// number prints a count.
func number(n int) string { return count(int64(n)) }

// What views of one part share: sizes of type, shapes, Pods, nodes, and what travels.

// The sizes of type in views of one part, in units that are about pixels: what is read, names, and a number that matters.
const (
	typeText   = 14
	typeName   = 17
	typeNumber = 36
)

// panel makes the box of somebody with a name.
func panel(id, role, state string, r rect, about string) Shape {
	return Shape{ID: id, Kind: Box, Role: role, Form: string(FormPanel), State: state, Mark: frameMarks[state], Z: LayerFrames,
		X: r.x, Y: r.y, W: r.w, H: r.h, About: about}
}

// text makes words without a box; they stand on the lower edge.
func text(id, role string, r rect, w words) Shape {
	out := Shape{ID: id, Kind: Box, Role: role, Form: string(FormText), Z: LayerParts, X: r.x, Y: r.y, W: r.w, H: r.h}
	out.setTitle(w)
	return out
}

// tile makes the box of a thing with a name. The name is never cut: it is one of the options. Where none has room, the sign of its state
// stands alone.
func tile(s Shape, r rect, options ...string) Shape {
	s.Kind, s.Form, s.Z = Box, string(FormTile), LayerChips
	s.X, s.Y, s.W, s.H = r.x, r.y, r.w, r.h
	if r.w < 22 {
		return s
	}
	for _, name := range options {
		if fits(name, r.w-6, typeText) {
			s.Title = name
			break
		}
	}
	if mark := marks[s.State]; mark != "" && (s.Title != "" && fits(s.Title, r.w-33, typeText) || s.Title == "" && len(options) > 0) {
		s.Mark = mark
	}
	return s
}

// names are an object's name, from long to short: with what was generated at its end, and that alone.
func names(key string) []string {
	name := bareName(key)
	last := name[strings.LastIndexByte(name, '-')+1:]
	return []string{name, suffix(name), last}
}

// keyNames are a key of a queue, from long to short. The hash at the end of a ReplicaSet's name is the first to go. Of a key of several words, as
// shell-operator's tasks are ("teams.sh EnableKubernetesBindings #1"), the first and the last say most.
func keyNames(key string) []string {
	name := bareName(key)
	if parts := strings.Fields(key); len(parts) > 1 && parts[len(parts)-1][0] == '#' {
		file, _, _ := strings.Cut(parts[0], ".")
		return []string{key, parts[0] + " " + parts[len(parts)-1], parts[0], file}
	}
	out := []string{key, name}
	if hash := suffix(name); hash != name {
		out = append(out, strings.TrimSuffix(name, "-"+hash))
	}
	return append(out, name[strings.LastIndexByte(name, '-')+1:])
}

// wideTile is how wide a Pod's tile is that has room for words behind the name.
const wideTile = 160

// shortStatic are what people call the control plane's programs where there is no room for more.
var shortStatic = map[string]string{"kube-apiserver": "api", "kube-controller-manager": "kcm", "kube-scheduler": "sched"}

// podTiles draws the Pods of an area in a place.
func (s *Stage) podTiles(area string, r rect, sizes ...size) {
	s.group("pods "+area, func(put func(Shape)) {
		a := s.areas[area]
		if a == nil || len(sizes) == 0 { // they have no place in this view
			return
		}
		g := newGrid(r, len(a.keys), sizes...)
		for from := 0; from < len(a.keys); from += g.cols {
			row := a.keys[from:min(from+g.cols, len(a.keys))]
			for i, key := range row {
				at, ok := g.at(from + i)
				if key == "" || !ok {
					continue
				}
				room := g.cell.w
				if g.cell.text() {
					at = rowRect(at, r, row, g.cols, g.cell.gap, i)
					room, at.w = at.w, min(at.w, 112)
				}
				put(s.podTile(key, at, room))
			}
		}
	})
}

// rowRect is the place of number i of a row of Pods' tiles, in which names that need more room than others have it.
func rowRect(at, area rect, row []string, columns, gap, i int) rect {
	needs := make([]int, columns)
	for j, key := range row {
		needs[j] = nameRoom(key)
	}
	widths := shares(needs, area.w, gap)
	at.x, at.w = area.x, widths[i]
	for _, w := range widths[:i] {
		at.x += w + gap
	}
	return at
}

// nameRoom is how wide the tile of a Pod has to be at least for its name; 0 for an empty place.
func nameRoom(key string) int {
	if key == "" {
		return 0
	}
	name := names(strings.TrimPrefix(key, ghostKey))
	return (textWidth(name[len(name)-1], typeText)+9)/10 + 6
}

// podTile is what stands in a place of an area; room is how much of the width is its own, which it takes for words that matter.
func (s *Stage) podTile(key string, at rect, room int) Shape {
	if pod, ghost := strings.CutPrefix(key, ghostKey); ghost {
		return tile(Shape{ID: "ghost/" + pod, Role: RoleGhost, State: "assumed", About: "pods " + pod}, at, names(pod)[1:]...)
	}
	state := s.podState(key)
	if room >= wideTile && state != PodReady && state != PodRunning {
		at.w = min(room, 2*wideTile)
	}
	called := names(key)[1:]
	if node := s.staticOn(key); node != "" {
		name := strings.TrimSuffix(bareName(key), "-"+node)
		called = []string{name, strings.TrimPrefix(name, "kube-"), name[strings.LastIndexByte(name, '-')+1:]}
		if short := shortStatic[name]; short != "" {
			called = append(called, short)
		}
	}
	t := tile(Shape{ID: "pod/" + key, Role: RolePod, State: state, About: "pods " + key}, at, called...)
	if at.w >= wideTile && t.Mark != "" {
		t.setDetail(first(at.w-41-t.titleWidth(typeText), typeText, s.podDetails(key, state)...))
	}
	return t
}

// kubeadm is a program that makes a machine a node, and ends.
const kubeadm = "kubeadm/"

// phase notes what kubeadm does: its lines begin with the phase, in brackets.
func (s *Stage) phase(e *trace.Event) {
	node, ok := strings.CutPrefix(e.Component, kubeadm)
	if !ok {
		return
	}
	if phase, _, ok := strings.Cut(e.Text("message"), "]"); ok && strings.HasPrefix(phase, "[") {
		s.phases[node] = phase[1:]
		s.dirty.board = true
	}
}

// nodesBeside are the nodes that have room for a panel each, and how many others there are. A machine is one from the moment on at which something
// runs on it, before there is an object.
func (s *Stage) nodesBeside(most int) (shown []string, others int) {
	if most == 0 {
		return nil, 0
	}
	for name := range s.nodes {
		shown = append(shown, name)
	}
	for name := range s.cast {
		node, ok := strings.CutPrefix(name, "kubelet/")
		if !ok {
			if node, ok = strings.CutPrefix(name, kubeadm); ok && s.cast["kubelet/"+node] {
				continue // it is there already
			}
		}
		if ok && (s.cast[name] || s.elsewhere.joined(node)) && s.nodes[node] == nil && !slices.Contains(shown, node) {
			shown = append(shown, node)
		}
	}
	sort.Slice(shown, func(i, j int) bool { return natural(shown[i], shown[j]) })
	if len(shown) > most {
		shown, others = shown[:most-1], len(shown)-most+1
	}
	return shown, others
}

// nodeState is a node's state, and what is to be said of it; no words when nothing is wrong.
func (s *Stage) nodeState(name string) (state string, says words) {
	t := s.trouble("node/" + name)
	if !s.cast[kubeadm+name] && s.cast["kubelet/"+name] {
		if state, says := s.elsewhere.nodeState(name); state != "" {
			return state, says
		}
	}
	switch {
	case s.cast[kubeadm+name] && !s.nodeReady(name):
		return "not-ready", plain(strings.TrimSpace("kubeadm " + s.phases[name]))
	case !s.cast["kubelet/"+name]:
		return "down", said("scene.down")
	case !s.nodeReady(name):
		return "not-ready", plain("NotReady") // as kubectl says it
	case t.state != "":
		return t.state, t.words
	}
	if lost := s.unwatched("kubelet/" + name); len(lost) > 0 {
		return "slow", lost[0]
	}
	n := s.nodes[name]
	for _, c := range n.Status.Conditions {
		if c.Status == corev1.ConditionTrue && strings.HasSuffix(string(c.Type), "Pressure") {
			return "slow", plain(string(c.Type))
		}
	}
	if n.Spec.Unschedulable {
		return "cordoned", said("scene.cordoned")
	}
	return "ready", words{}
}

// traffic draws what travels, as pills with words: on each lane one, the first; what follows it and says the same
// is counted in it, and the rest are dots behind it.
type traffic struct {
	lanes map[string][]flight
	lane  map[string]string // message → its lane
}

type flight struct {
	number  string
	who     string // the component
	shape   Shape
	label   string
	options []string // what its pill may say, from long to short
	arrow   string   // where it goes
	room    int      // for the pill
	isQuiet bool
}

// flightOf is a message to or from a component, or back from the API server to it. Its lane, state and arrow are the view's.
func flightOf(m trace.Message, e *trace.Event, number, component string, back, quiet bool) flight {
	f := flight{number: number, who: component, isQuiet: quiet, options: messageWords(m)}
	f.shape = Shape{ID: "message/" + number, Kind: Packet, Role: m.Kind, Z: LayerPackets, Back: back,
		From: m.Sent.Microseconds(), To: m.Arrives.Microseconds(), About: phrase.Object(e.Object)}
	f.label, _, _ = strings.Cut(m.Label, " ")
	if m.Kind == "request" {
		f.label = m.Label
	}
	return f
}

// packetPill is what travels between machines, with its words in at most room units, and whether it is an answer.
func packetPill(id, route string, p trace.Packet, room int) (s Shape, isAnswer bool) {
	isAnswer = !strings.Contains(p.Destination, ":") // to whoever asked: their port is not told
	s = Shape{ID: id, Kind: Packet, Role: RoleRequest, State: "packet", Line: route, Z: LayerPackets, From: p.Sent.Microseconds(), To: p.Arrives.Microseconds()}
	if isAnswer {
		s.Role = RoleReply
	}
	if !p.Good {
		s.State = "error"
	}
	f := flight{room: room, options: []string{p.Label, p.Label[strings.LastIndexByte(p.Label, ' ')+1:]}}
	if strings.HasPrefix(p.Label, "A? ") {
		name, _, _ := strings.Cut(p.Label[3:], ".")
		f.options = []string{"A? " + name, "A?"}
	}
	s.setPill(&f, 1)
	return s, isAnswer
}

func newTraffic() traffic { return traffic{map[string][]flight{}, map[string]string{}} }

// leave takes a message away.
func (t *traffic) leave(s *Stage, number string) {
	lane, ok := t.lane[number]
	if !ok {
		return
	}
	delete(t.lane, number)
	for i, f := range t.lanes[lane] {
		if f.number == number {
			t.lanes[lane] = append(t.lanes[lane][:i:i], t.lanes[lane][i+1:]...)
			break
		}
	}
	t.draw(s, lane)
	if len(t.lanes[lane]) == 0 {
		delete(t.lanes, lane)
	}
}

// whose is the component whose message that is; "" when it is not drawn.
func (t *traffic) whose(number string) string {
	for _, f := range t.lanes[t.lane[number]] {
		if f.number == number {
			return f.who
		}
	}
	return ""
}

// on is what travels on a lane.
func (t *traffic) on(lane string) []flight { return t.lanes[lane] }

// enter adds a message to a lane.
func (t *traffic) enter(s *Stage, lane string, f flight) {
	t.lane[f.number] = lane
	t.lanes[lane] = append(t.lanes[lane], f)
	t.draw(s, lane)
}

const pillHeight = 26

func (t *traffic) draw(s *Stage, lane string) {
	s.group("lane "+lane, func(put func(Shape)) {
		led, spoken := "", false
		for _, f := range t.lanes[lane] {
			spoken = spoken || !f.isQuiet && f.room > 0 // a dot would lie on its words
		}
		for i := range t.lanes[lane] {
			f := &t.lanes[lane][i]
			shape := f.shape
			if f.isQuiet {
				if shape.State, shape.About = "quiet", ""; !spoken {
					put(shape)
				}
				continue
			}
			if led == f.label {
				continue // it is counted in the first
			}
			if led == "" {
				led = f.label
				many := 0
				for _, other := range t.lanes[lane] {
					if other.label == led && !other.isQuiet {
						many++
					}
				}
				shape.setPill(f, many)
			}
			put(shape)
		}
	})
}

// setPill makes a pill of a packet, with the first words for which there is room.
func (s *Shape) setPill(f *flight, many int) {
	tail := ""
	if many > 1 {
		tail = " ×" + number(many)
	}
	if f.arrow != "" {
		tail += " " + f.arrow
	}
	options := f.options
	if many > 1 && s.Role == RoleWatch { // about one object each
		options = options[len(options)-1:]
	}
	for _, says := range options {
		if w := (textWidth(says+tail, typeText)+9)/10 + 20; w <= f.room {
			s.Form, s.Title, s.W, s.H = string(FormPill), says+tail, w, pillHeight
			return
		}
	}
}

// messageWords are the words of a message, from long to short: "POST pods", "PUT status", "ADDED ns6x8".
func messageWords(m trace.Message) []string {
	verb, rest, _ := strings.Cut(m.Label, " ")
	rest, _, _ = strings.Cut(rest, " ")
	out := []string{m.Label, verb + " " + suffix(rest)}
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		out = append(out, verb+" "+rest[i+1:], verb+" "+suffix(rest[i+1:]))
	}
	return append(out, verb)
}

// wireState is the state of a component's wire, as in the picture of the whole cluster; watches says whether its watches count.
func (s *Stage) wireState(component string, watches bool) string {
	switch t := s.trouble(component); {
	case component == castUser:
	case s.upState(component) == "down" || s.upState(castAPIServer) == "down":
		return "down"
	case t.state == "cut":
		return "cut"
	case watches && s.watches.of(component).lost > 0:
		return "unwatched"
	case watches && s.watches.of(component).open > 0:
		return "watching"
	}
	return ""
}

// putWire draws a wire with a sign of what is wrong at its end.
func (s *Stage) putWire(put func(Shape), id, component string, watches bool, at ...int) {
	s.putLine(put, id, component, watches, at...)
	x, y := wire{path: path(at...)}.middle()
	s.putFault(put, id, component, x, y, 400)
}

// putLine draws a wire, in two parts where it is cut.
func (s *Stage) putLine(put func(Shape), id, component string, watches bool, at ...int) {
	w := wire{path: path(at...)}
	shape := Shape{ID: "wire/" + id, Kind: Line, Role: RoleWire, State: s.wireState(component, watches), Path: w.path, About: component, Z: LayerWires}
	if shape.State == "cut" {
		far := shape
		shape.Path, far.Path = w.halves()
		far.ID += "/far"
		put(far)
	}
	put(shape)
}

// putFault draws a sign of what is wrong with a component around a point, with words where there is room for them.
func (s *Stage) putFault(put func(Shape), id, component string, x, y, room int) {
	t := s.trouble(component)
	if component == castUser || t.state == "" || s.upState(component) == "down" {
		return
	}
	sign := tile(Shape{ID: "fault/" + id, Role: RoleFault, State: t.state, About: component}, rect{x - 15, y - 11, 30, 22})
	if words := t.words.width(typeText) + 33; s.layout == Wide && words <= room {
		sign.X, sign.W = x-words/2, words
		sign.setTitle(t.words)
	}
	width, _ := s.view.size()
	sign.X = max(0, min(sign.X, width-sign.W))
	sign.Mark, sign.Z = marks[t.state], LayerChips
	put(sign)
}

// isCut tells whether a component's wire is in two parts.
func (s *Stage) isCut(component string) bool { return s.wireState(component, false) == "cut" }

// dots draws components that have no other place: that they are there, and whether they run. They stand from right to left, in a
// room so wide.
func (s *Stage) dots(put func(Shape), names []string, right, y, room int) {
	side, gap := 10, 5
	if len(names) > 12 {
		side, gap = 6, 2
	}
	if len(names)*(side+gap) > room {
		side, gap = 4, 2
	}
	for i, name := range names {
		put(Shape{ID: "component/" + name, Kind: Box, Role: RoleMinor, Form: string(FormTile), State: s.upState(name), Z: LayerParts,
			X: right - (i+1)*(side+gap) + gap, Y: y, W: side, H: side, About: name})
	}
}

// others are the components that are drawn as one.
func (s *Stage) others() (names []string) {
	for _, name := range sortedKeys(s.cast) {
		if s.roles.of(name) == castMinor && name != theWire {
			names = append(names, name)
		}
	}
	return names
}
