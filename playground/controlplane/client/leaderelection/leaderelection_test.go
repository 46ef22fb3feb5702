package leaderelection_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/controlplane/client/leaderelection"
	"kubewalk/playground/controlplane/client/leaderelection/resourcelock"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// election is a number of candidates, a to z, for one lease.
type election struct {
	*testing.T
	k      *sim.Kernel
	server *fake.Server
	log    []string // "12s a leads"
	names  map[string]*leaderelection.LeaderElector
	parts  map[string]*sim.Component
}

func newElection(t *testing.T, candidates int) *election {
	k := sim.New(3, time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	e := &election{T: t, k: k, server: fake.NewServer(k), names: map[string]*leaderelection.LeaderElector{}, parts: map[string]*sim.Component{}}
	for i := range candidates {
		e.join(string(rune('a' + i)))
	}
	return e
}

func (e *election) note(name, what string) {
	e.log = append(e.log, fmt.Sprintf("%v %s %s", e.k.Elapsed().Round(time.Second), name, what))
}

type recorder struct {
	e    *election
	name string
}

func (r recorder) Eventf(obj metav1.Object, eventType, reason, message string, args ...any) {
	r.e.note(r.name, fmt.Sprintf("says %s %s on %s %s: "+message, append([]any{eventType, reason, obj.GetObjectKind().Kind, obj.GetName()}, args...)...))
}

func (e *election) join(name string) {
	c := e.k.Start(name)
	e.parts[name] = c
	le, err := leaderelection.NewLeaderElector(c, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{Namespace: "kube-system", Name: "program", Client: client.New(e.server), Holder: name,
			EventRecorder: recorder{e, name}},
		LeaseDuration: leaderelection.DefaultLeaseDuration, RenewDeadline: leaderelection.DefaultRenewDeadline,
		RetryPeriod: leaderelection.DefaultRetryPeriod, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(*sim.Proc) { e.note(name, "leads") },
			OnStoppedLeading: func(*sim.Proc) { e.note(name, "stops") },
			OnNewLeader:      func(leader string) { e.note(name, "sees "+leader) },
		},
	})
	if err != nil {
		e.Fatal(err)
	}
	e.names[name] = le
	c.Go("election", le.Run)
}

func (e *election) run(d time.Duration) { e.k.RunUntil(e.k.Elapsed() + d) }

// expect compares what was noted since the last time.
func (e *election) expect(lines ...string) {
	e.Helper()
	if got, want := strings.Join(e.log, "\n"), strings.Join(lines, "\n"); got != want {
		e.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	e.log = nil
}

func (e *election) lease() *coordinationv1.Lease {
	var out *coordinationv1.Lease
	e.k.Start("reader").Go("read", func(p *sim.Proc) {
		out, _ = client.New(e.server).CoordinationV1().Leases("kube-system").Get(p, "program", metav1.GetOptions{})
	})
	e.run(100 * time.Millisecond)
	if out == nil {
		e.Fatal("there is no lease")
	}
	return out
}

func TestALeaderThatDiesIsFollowed(t *testing.T) {
	e := newElection(t, 1)
	e.run(time.Second)
	e.expect("0s a sees a", "0s a says Normal LeaderElection on Lease program: a became leader", "0s a leads")
	e.join("b")
	e.run(59 * time.Second)
	e.expect("1s b sees a")
	spec := e.lease().Spec
	if *spec.HolderIdentity != "a" || *spec.LeaseDurationSeconds != 15 || *spec.LeaseTransitions != 0 ||
		e.k.Time().Sub(spec.RenewTime.Time) > 3*time.Second || e.k.Time().Sub(spec.AcquireTime.Time) < 59*time.Second {
		t.Errorf("the lease of a leader of a minute: %+v", spec)
	}
	died := e.k.Elapsed()
	e.parts["a"].Stop("killed")
	for e.names["b"].GetLeader() != "b" && e.k.Elapsed() < died+time.Minute {
		e.run(100 * time.Millisecond)
	}
	// It is the last renewal from which the lease counts, up to 2 s before, as b
	// saw it, up to 4.4 s later, and b looks again after up to 4.4 s.
	if took := e.k.Elapsed() - died; took < 13*time.Second || took > 24*time.Second {
		t.Errorf("b leads after %v", took)
	}
	if got := *e.lease().Spec.LeaseTransitions; got != 1 {
		t.Errorf("%d transitions, want 1", got)
	}
}

func TestALeaderWithoutAServerStopsInTime(t *testing.T) {
	e := newElection(t, 1)
	e.run(10 * time.Second)
	e.log = nil
	e.server.Down = true
	down := e.k.Elapsed()
	for e.names["a"] != nil && len(e.log) == 0 && e.k.Elapsed() < down+time.Minute {
		e.run(100 * time.Millisecond)
	}
	if took := e.k.Elapsed() - down; took < 8*time.Second || took > 13*time.Second {
		t.Errorf("it stops after %v", took)
	}
	if len(e.log) != 1 || !strings.HasSuffix(e.log[0], "a stops") {
		t.Errorf("got %q", e.log)
	}
}

func TestWhoIsCancelledGivesTheLeaseUp(t *testing.T) {
	e := newElection(t, 2)
	e.run(20 * time.Second)
	e.log = nil
	first, second := "a", "b"
	if e.names["b"].IsLeader() {
		first, second = second, first
	}
	e.names[first].Cancel()
	e.run(100 * time.Millisecond)
	e.expect("20s " + first + " stops")
	spec := e.lease().Spec
	if *spec.HolderIdentity != "" || *spec.LeaseDurationSeconds != 1 {
		t.Errorf("a lease that was given up: %+v", spec)
	}
	e.run(5 * time.Second)
	if !e.names[second].IsLeader() {
		t.Errorf("after 5 s %q leads", e.names[second].GetLeader())
	}
	e.names[second].Cancel()
	e.run(time.Second)
	if n := len(e.log); n == 0 || !strings.HasSuffix(e.log[n-1], second+" stops") {
		t.Errorf("got %q", e.log)
	}
}

// However the wind blows, there is one leader at most.
func TestOneLeaderAtMost(t *testing.T) {
	e := newElection(t, 3)
	for i := range 40 {
		e.run(time.Duration(i%7+1) * 1700 * time.Millisecond)
		e.server.Down = i%5 == 3
		leaders := 0
		for _, log := range []string{"a", "b", "c"} {
			leading := false
			for _, line := range e.log {
				leading = leading && !strings.HasSuffix(line, " "+log+" stops") || strings.HasSuffix(line, " "+log+" leads")
			}
			if leading {
				leaders++
			}
		}
		if leaders > 1 {
			t.Fatalf("%d lead:\n%s", leaders, strings.Join(e.log, "\n"))
		}
	}
	if !strings.Contains(strings.Join(e.log, "\n"), "leads") {
		t.Error("nobody ever led")
	}
}
