package scene

import (
	"sort"
	"strings"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/trace"
)

func (s *Stage) drawWires() {
	s.group("wires", func(put func(Shape)) {
		for _, name := range sortedKeys(s.board.wires) {
			w, ok := s.wireShape(name)
			if !ok {
				continue
			}
			t := s.trouble(name)
			if name != castUser && t.state != "" && s.upState(name) != "down" {
				put(s.faultSign(name, s.board.wires[name], t))
			}
			if w.State == "cut" {
				far := w
				w.Path, far.Path = s.board.wires[name].halves()
				far.ID += "/far"
				put(far)
			}
			put(w)
		}
	})
}

// drawWire draws one wire again; a wire that is not there yet is left out.
func (s *Stage) drawWire(name string) {
	if w, ok := s.wireShape(name); ok {
		if w.State == "cut" {
			w.Path, _ = s.board.wires[name].halves()
		}
		if h := s.shapes[w.ID]; h != nil {
			s.put("wires", w, h.pass)
		}
	}
}

func (s *Stage) wireShape(name string) (Shape, bool) {
	w, ok := s.board.wires[name]
	if !ok {
		return Shape{}, false
	}
	if _, ran := s.cast[name]; !ran && (name == castScheduler || s.roles.of(name) == castController) {
		return Shape{}, false // nobody is at its end
	}
	shape := Shape{ID: "wire/" + name, Kind: Line, Role: RoleWire, Path: w.path, About: name, Z: LayerWires}
	switch {
	case name == castUser:
	case s.upState(name) == "down" || s.upState(castAPIServer) == "down":
		shape.State = "down"
	case s.trouble(name).state == "cut":
		shape.State = "cut"
	case name == castNodes:
		for _, node := range s.board.nodes {
			if s.watches.of("kubelet/"+node).open > 0 {
				shape.State = "watching"
				break
			}
		}
	case name == castMinors:
		for _, minor := range s.board.minors {
			if s.watches.of(minor).open > 0 {
				shape.State = "watching"
				break
			}
		}
	case s.watches.of(name).lost > 0:
		shape.State = "unwatched"
	case s.watches.of(name).open > 0:
		shape.State = "watching"
	}
	return shape, true
}

// message draws what travels, or takes it away.
//
// Requests travel on the left of their wire and have their title left of it;
// what comes back travels on the right. Several on one side at once travel as a
// train, each a little behind the one before; only the first has a title.
func (s objectsView) message(e *trace.Event, number string, v any, quiet bool) {
	id := "message/" + number
	m, there := v.(trace.Message)
	if !there {
		s.drop(id)
		if l, ok := s.lane[number]; ok {
			s.lanes[l.lane][l.index] = ""
			delete(s.lane, number)
		}
		return
	}
	if s.dirty.board || s.board.width == 0 {
		s.layOut()
		s.drawFrames()
	}
	component := m.From
	back := s.roles.of(m.From) == castAPIServer
	if back {
		component = m.To
	}
	name := s.board.wireOf(component)
	w, ok := s.board.wires[name]
	if !ok {
		return
	}
	p := Shape{
		ID: id, Kind: Packet, Role: m.Kind, State: "good", Line: "wire/" + name, Back: back, Z: LayerPackets,
		From: m.Sent.Microseconds(), To: m.Arrives.Microseconds(), About: phrase.Object(e.Object),
	}
	if back && s.shapes[p.Line+"/far"] != nil {
		p.Line += "/far" // it gets as far as to where the wire is cut
	}
	side, room := -1, w.left
	lane := name + "<"
	if back {
		side, room, lane = 1, w.right, name+">"
	}
	if w.left == 0 && w.right > 0 {
		room = w.right
	}
	if quiet {
		lane += "quiet"
	}
	index := 0
	for index < len(s.lanes[lane]) && s.lanes[lane][index] != "" {
		index++
	}
	if index == len(s.lanes[lane]) {
		s.lanes[lane] = append(s.lanes[lane], "")
	}
	s.lanes[lane][index] = number
	s.lane[number] = laneOf{lane, index}
	p.X = side * 5
	// Behind is where it comes from: up for what goes down.
	behind := 8 * min(index, 2)
	if back == (s.roles.of(component) == castNode) {
		behind = -behind
	}
	p.Y = behind
	if w.left == 0 && w.right > 0 {
		p.X = 0 // the title always stands to the right
	}
	switch {
	case quiet:
		p.State, p.About = "quiet", "" // hundreds of them: kept small
	case !m.Good:
		p.State = "error"
	}
	if index == 0 && !quiet {
		p.Title = fitMessage(m.Label, room-16, s.font)
	}
	s.pass++
	s.put("messages", p, s.pass)
}

var briefTypes = map[string]string{"ADDED": "+", "MODIFIED": "~", "DELETED": "−"}

// fitMessage shortens a message's title: "ADDED web-x2k9p", "ADDED x2k9p",
// "+x2k9p", "ADDED".
func fitMessage(text string, room, font int) string {
	if room < font*2 {
		return ""
	}
	if fits(text, room, font) {
		return text
	}
	verb, rest, _ := strings.Cut(text, " ")
	rest, _, _ = strings.Cut(rest, " ")
	tries := []string{verb + " " + rest, verb + " " + suffix(rest), verb}
	if brief, ok := briefTypes[verb]; ok {
		tries = []string{verb + " " + rest, verb + " " + suffix(rest), brief + rest, brief + suffix(rest), brief}
	}
	for _, t := range tries {
		if fits(t, room, font) {
			return t
		}
	}
	return fitEnd(text, room, font)
}

// sortQueue orders a queue's keys as they will be taken; those that wait for
// their time come last.
func sortQueue(items map[string]trace.QueueItem, keys []string) {
	rank := func(q trace.QueueItem) int {
		switch {
		case q.Processing:
			return 0
		case q.Position >= 0:
			return 1
		}
		return 2
	}
	sort.SliceStable(keys, func(i, j int) bool {
		a, b := items[keys[i]], items[keys[j]]
		if rank(a) != rank(b) {
			return rank(a) < rank(b)
		}
		if a.Position != b.Position {
			return a.Position < b.Position
		}
		return a.Delayed < b.Delayed
	})
}
