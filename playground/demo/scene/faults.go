package scene

import (
	"strconv"
	"strings"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/trace"
)

// What is wrong with a component that runs, by how much it changes what one sees: the states of its frame, and the phrase
// of the sign at its wire.
var faultKinds = []struct{ kind, state, word string }{
	{"partition", "cut", "scene.fault.partition"},
	{"fail", "failing", "scene.fault.fail"},
	{"slow", "slow", "scene.fault.slow"},
}

// trouble is one fault that is on.
type trouble struct {
	state string // "" for none
	words words
}

// faulted notes that a fault has begun or ended.
func (s *Stage) faulted(c trace.Cell, value any) {
	text, on := value.(string)
	set(s.faults, strings.TrimPrefix(c.Owner, "fault/"), c.Key, text, on)
	s.dirty.board = true
}

// trouble is what is wrong with a component, or with the node it is on, or with what runs on that node: the worst.
func (s *Stage) trouble(name string) trouble {
	node := strings.TrimPrefix(name, "node/")
	onNode := node != name
	if i := strings.IndexByte(name, '/'); i >= 0 {
		node = name[i+1:]
	}
	for _, k := range faultKinds {
		for _, target := range sortedKeys(s.faults) {
			value, on := s.faults[target][k.kind]
			if !on || target != name && target != node && !(onNode && strings.HasSuffix(target, "/"+node)) {
				continue
			}
			word := said(k.word, value)
			if value == "" || value == "crash" {
				word = said(k.word + ".plain")
			} else if named := k.word + "." + value; phrase.Word("en", named) != "" {
				word = said(named)
			}
			return trouble{k.state, word}
		}
	}
	return trouble{}
}

// middle is the point half-way along the last stretch of a wire.
func (w wire) middle() (x, y int) {
	at := w.points()
	n := len(at)
	return at[n-2], (at[n-3] + at[n-1]) / 2
}

// points are the coordinates of a wire's path.
func (w wire) points() (out []int) {
	for _, word := range strings.Fields(w.path) {
		if n, err := strconv.Atoi(word); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// halves are a wire that is cut in two: at the component, and at the API server.
func (w wire) halves() (near, far string) {
	const gap = 16 // room for the sign, and for what is stuck at either end
	at := w.points()
	n := len(at)
	x, end := at[n-2], at[n-1]
	_, y := w.middle()
	before, after := y-gap, y+gap
	if at[n-3] > end {
		before, after = after, before
	}
	return path(append(append([]int{}, at[:n-2]...), x, before)...), path(x, after, x, end)
}
