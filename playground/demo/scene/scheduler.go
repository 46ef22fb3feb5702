package scene

import (
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
}

func schedulerArea(queue string) string { return "scheduler/" + queue }
