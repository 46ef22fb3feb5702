package scene

import (
	"strings"

	"kubewalk/playground/trace"
)

// objectsView draws a cluster of thousands of Pods, of which commits were kept and no messages: who is
// there, what objects ask for, and every Pod on its node.
type objectsView struct{ *Stage }

func (v objectsView) size() (width, height int) {
	if v.board.width == 0 {
		v.layOut()
		v.dirty.board = true
	}
	return v.board.width, v.board.height
}

func (v objectsView) follow(*trace.Event, bool) {}

func (v objectsView) hasQueues() bool { return false }

func (v objectsView) watched(component string) { v.drawWire(v.board.wireOf(component)) }

func (v objectsView) draw() {
	s := v.Stage
	if s.dirty.board || s.board.width == 0 {
		s.layOut()
		s.drawFrames()
	}
	d := s.dirty
	s.dirty = newDirt()
	if d.board || d.user {
		s.drawUser()
	}
	if d.board || d.band {
		s.drawWorkloads()
	}
	if d.board || d.strip {
		s.drawStrip()
	}
	if d.board {
		for _, name := range sortedKeys(s.board.frames) {
			s.drawMinor(name)
		}
		for _, name := range s.board.nodes {
			d.areas[nodeArea(name)] = true
		}
		for area := range s.areas {
			d.areas[area] = true
		}
	}
	for _, area := range sorted(d.areas) {
		s.drawArea(area)
		if node, ok := strings.CutPrefix(area, "node/"); ok {
			d.nodes[node] = true
		}
	}
	for _, node := range sorted(d.nodes) {
		s.drawNode(node)
	}
}

// totalsView draws a run of which only counts were kept: nodes are cells, and
// Pods are numbers.
type totalsView struct{ objectsView }

func (v totalsView) draw() { v.drawTotals() }
