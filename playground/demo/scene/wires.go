package scene

import (
	"sort"

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

// message: such a run has none.
func (objectsView) message(*trace.Event, string, any, bool) {}

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
