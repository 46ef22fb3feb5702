package scene

import (
	"strings"

	"kubewalk/playground/trace"
)

// cycle is what the scheduler has found out about the Pod that it took last.
type cycle struct {
	pod    string
	step   int // of cycleSteps, from 1; 0 before the first
	filter map[string]opinion
	score  map[string]int64
}

type opinion struct {
	fits           bool
	plugin, reason string
}

// cycleSteps are the steps of a scheduling and a binding cycle that are drawn.
var cycleSteps = []string{"filter", "score", "reserve", "bind"}

// follow takes note of an event, and tells whether it says something new.
func (c *cycle) follow(e *trace.Event) bool {
	pod := e.Object.Key()
	switch {
	case e.Op == trace.SchedulingPop:
		*c = cycle{pod: pod, filter: map[string]opinion{}, score: map[string]int64{}}
	case c.pod == "" || e.Object.Resource != "pods" || pod != c.pod:
		return false
	case e.Op == trace.NodeFilter:
		fits, _ := e.Get("fits").(bool)
		c.step, c.filter[e.Text("node")] = 1, opinion{fits, e.Text("plugin"), e.Text("reason")}
	case e.Op == trace.NodeScore:
		n, _ := e.Get("score").(int64)
		c.step, c.score[e.Text("node")] = 2, n
	case e.Op == trace.PodAssume:
		c.step = 3
	case e.Op == trace.RequestSend && strings.HasSuffix(e.Text("path"), "/binding"):
		c.step = 4
	default:
		return false
	}
	return true
}
