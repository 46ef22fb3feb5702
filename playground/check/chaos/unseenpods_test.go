package chaos

import (
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// A ReplicaSet is excused only if its last comparison was put off, and that is longer ago than its controller expects anything.
func TestWaitingInVain(t *testing.T) {
	for name, c := range map[string]struct {
		component, kind string
		again, until    time.Duration
		want            bool
	}{
		"nobody looks again":            {"replicaset-controller", "replicaset", 0, time.Hour, true},
		"somebody looks again":          {"replicaset-controller", "replicaset", 10 * time.Minute, time.Hour, false},
		"it may still hear of its Pods": {"replicaset-controller", "replicaset", 0, 4 * time.Minute, false},
		"a DaemonSet":                   {"daemon-set-controller", "daemonset", 0, time.Hour, true},
		"a DaemonSet that is seen to":   {"daemon-set-controller", "daemonset", time.Minute, time.Hour, false},
		"another controller":            {"job-controller", "job", 0, time.Hour, false},
	} {
		k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
		k.Start(c.component).Go("worker", func(p *sim.Proc) {
			p.Emit(trace.QueueGet, trace.Ref{}, trace.Attrs("key", "default/web"))
			p.Logger().V(4).Info("Controller still waiting on expectations", "expectations", "add 2, del 0, key default/web")
			if c.again > 0 {
				p.Sleep(c.again)
				p.Emit(trace.QueueGet, trace.Ref{}, trace.Attrs("key", "default/web"))
			}
			p.Sleep(c.until - p.Now())
			p.Logger().Info("the end")
		})
		k.RunUntil(c.until)
		if got := waitingInVain(k.Trace())[c.kind+" default/web"]; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		k.Close()
	}
}
