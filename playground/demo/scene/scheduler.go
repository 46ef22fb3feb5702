package scene

import (
	"strings"

	"kubewalk/playground/trace"
)

// schedulerQueues are the areas that Pods wait in, as upstream names them
// (pkg/scheduler/backend/queue/scheduling_queue.go).
var schedulerQueues = []string{"activeQ", "backoffQ", "unschedulablePods"}

const inFlight = "inFlight"

func (s *Stage) schedulingMoved(c trace.Cell, there bool) {
	if there {
		s.scheduling[c.Key] = c.Owner
	} else if s.scheduling[c.Key] == c.Owner {
		delete(s.scheduling, c.Key)
	}
	s.dirty.pods[c.Key] = true
	s.dirty.scheduler = true
}

func schedulerArea(queue string) string { return "scheduler/" + queue }

// schedulerParts are where the scheduler's queues and its cycle are drawn.
func (s *Stage) schedulerParts() (queues map[string]rect, cycle, verdicts rect) {
	r := s.board.scheduler
	x, w := r.x+12, r.w-24
	column := s.labels
	if column == 0 {
		column = 66
	}
	y := r.y + 30
	queues = map[string]rect{}
	for _, q := range schedulerQueues {
		queues[q] = rect{x + column, y, w - column, s.row}
		y += s.row + s.gap
	}
	if s.labels == 0 {
		y += 16
		cycle = rect{x, y, w, s.row}
	} else {
		y += 4
		cycle = rect{x + column, y, w - column, s.row}
	}
	y += s.row + s.gap
	verdicts = rect{x, y, w, r.bottom() - 8 - y}
	if s.labels > 0 {
		verdicts = rect{x + column, y, w - column, r.bottom() - 10 - y}
	}
	return queues, cycle, verdicts
}

// drawScheduler draws the scheduler's labels and what it thinks of the nodes
// for the Pod in its cycle. The Pods themselves are drawn by their areas.
func (s *Stage) drawScheduler() {
	s.group("scheduler", func(put func(Shape)) {
		if up := s.cast[castScheduler]; !up || s.roles.plain {
			return
		}
		queues, cycle, area := s.schedulerParts()
		x := s.board.scheduler.x + 12
		for _, q := range schedulerQueues {
			r := queues[q]
			title := q
			if q == "unschedulablePods" {
				title = "unschedulable"
			}
			put(label("scheduler/"+q+"/label", rect{x, r.y, r.x - x - 4, s.row - 4}, fitEnd(title, r.x-x-4, s.font), ""))
		}
		if s.labels > 0 {
			put(label("scheduler/cycle", rect{x, cycle.y, cycle.x - x - 4, s.row - 4}, "Cycle", "scene.cycle"))
		} else {
			put(label("scheduler/cycle", rect{x, cycle.y - 17, cycle.w, 15}, "Cycle", "scene.cycle"))
		}
		verdicts := s.verdicts[s.judged]
		if len(verdicts) == 0 || !strings.HasPrefix(s.place[s.judged], "scheduler/") {
			return // nobody is judged, or the Pod has gone to its node
		}
		nodes := sortedKeys(verdicts)
		sortNatural(nodes)
		wide := size{area.w, s.row - 2, 3}
		g := newGrid(area, len(nodes), wide, size{(area.w - 4) / 2, s.row - 2, 3}, size{14, 14, 3}, size{8, 8, 2}, size{4, 4, 1})
		for i, node := range nodes {
			r, ok := g.at(i)
			if !ok {
				break
			}
			v := verdicts[node]
			c := Shape{ID: "verdict/" + node, Role: RoleVerdict, State: "rejected", About: "nodes " + node}
			if favourable(v) {
				c.State = "fits"
			}
			room := r.w - 25 - (textWidth(node, s.font)+9)/10 - 8
			put(s.chip(c, r, node, verdict(v), plain(fitEnd(v, room, s.font))))
		}
	})
}

// verdict is what is thought of a node. The reasons against one are the plugins' own.
func verdict(v string) words {
	if score, ok := strings.CutPrefix(v, "score "); ok {
		return said("scene.score", score)
	}
	if v == "fits" {
		return said("scene.fits")
	}
	return plain(v)
}

func favourable(verdict string) bool {
	return verdict == "fits" || len(verdict) > 5 && verdict[:5] == "score"
}
