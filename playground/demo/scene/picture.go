package scene

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/trace"
)

// Move is a moment from which on the picture shows something else: the Nth event that matches, of those that come late enough, or each of them.
type Move struct {
	Focus   string // as in Options
	Insides []string
	From    time.Duration
	Nth     int // from 1
	Each    bool
	Matches func(*trace.Event) bool
}

// Picture is what a run's pictures show, one view after the other. Each view has a stage that follows the whole run, so that it knows
// at once what it is about when the picture comes to it. A shape that both views have moves from its place in one to that in the other.
type Picture struct {
	moves         []Move
	met           []int // how many events of each have matched
	to            []int // whose stage each goes to
	stages        []*Stage
	now           int
	width, height int
	passed        int
	moved         bool             // since Diff was called last
	shown         map[string]Shape // what Diff has told so far, if there are several stages
}

// NewPicture returns the picture before the first event.
func NewPicture(o Options) *Picture {
	p := &Picture{moves: o.Moves, met: make([]int, len(o.Moves)), shown: map[string]Shape{}}
	var views []Options
	stageOf := func(o Options) int {
		for i, other := range views {
			if other.Focus == o.Focus && slices.Equal(other.Insides, o.Insides) {
				return i
			}
		}
		views, p.stages = append(views, o), append(p.stages, NewStage(o))
		w, h := p.stages[len(views)-1].view.size()
		p.width, p.height = max(p.width, w), max(p.height, h)
		return len(views) - 1
	}
	stageOf(o)
	for _, m := range o.Moves {
		o.Focus, o.Insides = m.Focus, m.Insides
		p.to = append(p.to, stageOf(o))
	}
	return p
}

// At is the scene right after an event.
func At(rec *trace.Recorder, id trace.ID, o Options) Scene {
	p := NewPicture(o)
	for i := trace.ID(1); i <= id; i++ {
		p.Apply(rec.Event(i))
	}
	return p.Scene()
}

// Size is the scene's width and height. It depends on the options alone, and has room for all views.
func Size(o Options) (width, height int) {
	p := NewPicture(o)
	return p.width, p.height
}

// drawEvery is after how many events a stage that is not shown draws: see recording.Film.
const drawEvery = 256

// Apply moves the picture over the next event and tells whether the event is quiet in what is shown then.
func (p *Picture) Apply(e *trace.Event) (quiet bool) {
	for i, m := range p.moves {
		if e.At < m.From || !m.Matches(e) {
			continue
		}
		if p.met[i]++; (m.Each || p.met[i] == max(m.Nth, 1)) && p.now != p.to[i] {
			p.now, p.moved = p.to[i], true
		}
	}
	p.passed++
	for i, s := range p.stages {
		if is := s.Apply(e); i == p.now {
			quiet = is
		} else if p.passed%drawEvery == 0 {
			s.Diff()
		}
	}
	return quiet
}

// Diff draws what has changed since it was last called: shapes to set, and ids that are gone, both in order.
func (p *Picture) Diff() (changed []Shape, gone []string) {
	s := p.stages[p.now]
	changed, gone = s.Diff()
	if len(p.stages) == 1 {
		return changed, gone
	}
	if p.moved {
		p.moved = false
		changed, gone = p.differences(s)
	} else {
		for i := range changed {
			changed[i] = p.placed(s, changed[i])
		}
	}
	for _, shape := range changed {
		p.shown[shape.ID] = shape
	}
	for _, id := range gone {
		delete(p.shown, id)
	}
	return changed, gone
}

// differences are those between what is shown and what a stage has.
func (p *Picture) differences(s *Stage) (changed []Shape, gone []string) {
	for id := range p.shown { // order: they are sorted
		if s.shapes[id] == nil {
			gone = append(gone, id)
		}
	}
	for id, h := range s.shapes { // order: they are sorted
		if shape := p.placed(s, h.shape); p.shown[id] != shape {
			changed = append(changed, shape)
		}
	}
	sort.Strings(gone)
	sort.Slice(changed, func(i, j int) bool { return changed[i].before(changed[j]) })
	return changed, gone
}

// Scene is the whole picture, with what the newest event touched marked as fresh.
func (p *Picture) Scene() Scene {
	s := p.stages[p.now]
	out := s.Scene()
	for i := range out.Shapes {
		out.Shapes[i] = p.placed(s, out.Shapes[i])
	}
	out.Width, out.Height = p.width, p.height
	return out
}

// placed is a shape of a view that is lower than others, in the middle of the picture's height.
func (p *Picture) placed(s *Stage, shape Shape) Shape {
	_, height := s.view.size()
	down := (p.height - height) / 2
	switch {
	case down == 0 || shape.Kind == Packet:
	case shape.Kind == Line:
		shape.Path = lower(shape.Path, down)
	default:
		shape.Y += down
	}
	return shape
}

// lower moves a path down: every third word of it is a y.
func lower(path string, down int) string {
	words := strings.Fields(path)
	for i := 2; i < len(words); i += 3 {
		y, _ := strconv.Atoi(words[i])
		words[i] = strconv.Itoa(y + down)
	}
	return strings.Join(words, " ")
}
