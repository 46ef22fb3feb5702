package scenario

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// run is a trace made by hand. Times are in seconds.
type run struct{ *trace.Recorder }

func newRun() run { return run{trace.NewRecorder(trace.All)} }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// pod commits a Pod in that phase; "" deletes it.
func (r run) pod(at float64, name string, phase corev1.PodPhase) {
	cell := trace.Cell{Kind: trace.CellObject, Owner: "pods", Key: "default/" + name}
	delta := trace.Unset(cell)
	if phase != "" {
		pod := &corev1.Pod{}
		pod.Name, pod.Labels, pod.Status.Phase = name, map[string]string{"app": "web"}, phase
		delta = trace.Set(cell, pod)
	}
	r.Record(trace.Event{At: seconds(at), Component: "etcd", Op: trace.StoreCommit, Object: trace.Ref{Resource: "pods", Namespace: "default", Name: name}},
		nil, []trace.Delta{delta}, 0)
}

func (r run) log(at float64, message string) {
	r.Record(trace.Event{At: seconds(at), Component: "c", Op: trace.Log}, trace.Attrs("message", message), nil, 0)
}

// demo has a set-up of 10 s, steps "one" at 12 s and "two" at 20 s, and ends at 40 s.
func demo(claims ...Claim) *Scenario {
	return &Scenario{
		Name: "demo", Setup: seconds(10), End: seconds(40), Claims: claims,
		Steps: []Step{
			{ID: "one", Input: cluster.Input{At: seconds(12), Kind: cluster.Stop, Component: "kube-scheduler"}},
			{ID: "two", Input: cluster.Input{At: seconds(20), Kind: cluster.Start, Component: "kube-scheduler"}},
		},
	}
}

func running(count, after string, within float64, stays bool) Claim {
	return Claim{
		After: after, Within: seconds(within), Stays: stays, Count: count,
		Objects: &Objects{Resource: "pods", Labels: "app=web", Fields: map[string]string{"status.phase": "Running"}},
	}
}

func always(count, after string, within float64) Claim {
	c := running(count, after, within, false)
	c.Always = true
	return c
}

func logged(messages ...string) (out []Match) {
	for _, m := range messages {
		out = append(out, Match{Op: "log", Attrs: map[string]string{"message": m}})
	}
	return out
}

// story is what most cases below are about: a and b come up at 13 and 15, b goes
// at 17 and is back at 18; at 22, c comes as a goes, in the same moment.
func story() run {
	r := newRun()
	r.log(1, "start")
	r.pod(9, "other", corev1.PodPending)
	r.pod(13, "a", corev1.PodPending)
	r.pod(13, "a", corev1.PodRunning)
	r.log(14, "first")
	r.pod(15, "b", corev1.PodRunning)
	r.log(15, "second")
	r.pod(17, "b", "")
	r.pod(18, "b", corev1.PodRunning)
	r.log(19, "first")
	r.log(20, "at once")
	r.pod(22, "a", "")
	r.pod(22, "c", corev1.PodRunning)
	r.log(39, "last")
	return r
}

func TestClaims(t *testing.T) {
	const pods = "the number of pods with app=web and status.phase=Running "
	for _, test := range []struct {
		name  string
		claim Claim
		want  string // "" when it holds
	}{
		{"comes true in time", running("2", "one", 3, false), ""},
		{"comes true too late", running("2", "one", 2.9, false),
			pods + `should have been 2 within 2.9s of step "one", but it was 1 at 4.9s: default/other has status.phase="Pending"`},
		{"never comes true", running(">= 3", "one", 20, false),
			pods + `should have been >= 3 within 20s of step "one", but it was 2 at 22s: default/other has status.phase="Pending"`},
		{"is true already", running("2", "two", 0.1, false), ""},
		{"is true only before", running("1", "two", 5, false), pods + `should have been 1 within 5s of step "two", but it was 2 at 15s`},
		{"is true at the end of the setup", running("0", "", 1, false), ""},
		{"nothing is there yet", running("1", "", 2, false),
			pods + `should have been 1 within 2s of the end of the setup, but it was 0 at 2s: default/other has status.phase="Pending"`},
		{"stays", running("2", "two", 1, true), ""},
		{"does not stay", running("2", "one", 5, true), pods +
			`was 2 at 5s and should have stayed so, but it was 1 at 7s: default/other has status.phase="Pending"`},
		{"does not stay, long after within", running("1", "one", 2, true), pods + `was 1 at 3s and should have stayed so, but it was 2 at 5s`},
		{"a replacement in one moment", running("2", "two", 1, true), ""},
		{"a half-way state in one moment", running("0", "one", 0.5, true), pods + `was 0 at 2s and should have stayed so, but it was 1 at 3s`},
		{"a Pod that was never Running", Claim{After: "one", Within: seconds(0.5), Count: "1", Objects: &Objects{Resource: "pods"}}, ""},
		{"another resource", Claim{Within: seconds(30), Count: "0", Stays: true, Objects: &Objects{Resource: "nodes"}}, ""},
		{"a bad selector", Claim{Within: 1, Count: "0", Objects: &Objects{Resource: "pods", Labels: "a in b"}},
			`labels "a in b": unable to parse requirement: found 'b' expected: '('`},

		{"a field's number", Claim{After: "one", Within: seconds(4), Count: "1",
			Objects: &Objects{Resource: "pods", Name: "a", Fields: map[string]string{"status.restarts": "<= 0"}}}, ""},
		{"a field's number that is another", Claim{After: "one", Within: seconds(4), Count: "1",
			Objects: &Objects{Resource: "pods", Name: "a", Fields: map[string]string{"status.restarts": ">= 1"}}},
			`the number of pods with name a and status.restarts >= 1 should have been 1 within 4s of step "one", but it was 0 at 6s: default/a has status.restarts=""`},
		{"another namespace", Claim{After: "two", Within: 1, Count: "0", Objects: &Objects{Resource: "pods", Namespace: "shop"}}, ""},
		{"always", always("<= 2", "two", 18), ""},
		{"always, from the first moment on", always("2", "one", 5),
			pods + `should always have been 2, for 5s from step "one" on, but it was 0 at 2s: default/other has status.phase="Pending"`},
		{"not always", always(">= 2", "one", 8),
			pods + `should always have been >= 2, for 8s from step "one" on, but it was 0 at 2s: default/other has status.phase="Pending"`},
		{"not in the middle", always("!= 1", "two", 18), ""},
		{"a dip", always(">= 1", "", 10),
			pods + `should always have been >= 1, for 10s from the end of the setup on, but it was 0 at 0s: default/other has status.phase="Pending"`},
		{"always is over by then", always("0", "one", 0.9), ""},

		{"before", Claim{After: "one", Within: seconds(28), Before: logged("first", "second", "at once")}, ""},
		{"before, the wrong way round", Claim{After: "one", Within: seconds(28), Before: logged("second", "first")},
			`event "log message=second" should have happened before "log message=first", but it happened at 5s, and the other at 4s`},
		{"before what never happens", Claim{After: "one", Within: seconds(28), Before: logged("second", "never")},
			`event "log message=never" did not happen within 28s of step "one"`},

		{"events are counted", Claim{After: "one", Within: seconds(7), Count: "2", Events: &logged("first")[0]}, ""},
		{"events of the step's own moment count", Claim{After: "two", Within: seconds(1), Count: "1", Events: &logged("at once")[0]}, ""},
		{"events outside the time do not count", Claim{After: "one", Within: seconds(6.9), Count: "2", Events: &logged("first")[0]},
			`the number of events "log message=first" should have been 2 within 6.9s of step "one", but it was 1`},
		{"events before do not count", Claim{Within: seconds(1), Count: "1", Events: &logged("start")[0]},
			`the number of events "log message=start" should have been 1 within 1s of the end of the setup, but it was 0`},
		{"events are too many", Claim{After: "one", Within: seconds(28), Count: "<= 1", Events: &logged("first")[0]},
			`the number of events "log message=first" should have been <= 1 within 28s of step "one", but it was 2`},

		{"an order", Claim{After: "one", Within: seconds(28), Order: logged("first", "second", "first", "last")}, ""},
		{"an order of one moment", Claim{After: "one", Within: seconds(28),
			Order: append(logged(), Match{Op: "store.commit", Object: "pods default/b"}, logged("second")[0])}, ""},
		{"the first is missing", Claim{After: "one", Within: seconds(20), Order: logged("last", "first")},
			`event "log message=last" did not happen within 20s of step "one"`},
		{"the second is missing", Claim{After: "one", Within: seconds(28), Order: logged("second", "at once", "second")},
			`event "log message=second" did not happen after "log message=at once" within 28s of step "one"`},
		{"out of time", Claim{After: "one", Within: seconds(26.9), Order: logged("first", "last")},
			`event "log message=last" did not happen after "log message=first" within 26.9s of step "one"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := demo(Claim{Within: 1, Count: "0", Objects: &Objects{Resource: "none"}}, test.claim).Check(story().Recorder)
			if test.want == "" && len(got) != 0 || test.want != "" && (len(got) != 1 || got[0].Error() != "claims[1]: "+test.want) {
				t.Errorf("got  %v\nwant %s", got, test.want)
			}
		})
	}
}

// TestClaimsAgainstEveryMoment compares the check with one that looks at the
// state after each moment, folded anew.
func TestClaimsAgainstEveryMoment(t *testing.T) {
	r := story()
	count := func(at time.Duration) int {
		last := trace.ID(0)
		for i := range r.Len() {
			if e := r.Event(trace.ID(i + 1)); e.At <= at {
				last = e.ID
			}
		}
		n := 0
		for _, v := range r.At(last) {
			if pod, ok := v.(*corev1.Pod); ok && pod.Status.Phase == corev1.PodRunning {
				n++
			}
		}
		return n
	}
	for _, after := range []string{"", "one", "two"} {
		for within := 0.5; within < 20; within += 0.5 {
			for n := range 4 {
				for _, stays := range []bool{false, true} {
					c := running(fmt.Sprint(n), after, within, stays)
					s := demo(c)
					from := s.start(after)
					holds, broken := false, false
					for at := from; at <= s.End; at += seconds(0.25) {
						is := count(at) == n
						if at <= from+c.Within && is {
							holds = true
						}
						broken = broken || holds && !is
					}
					want := holds && !(stays && broken)
					if got := len(s.Check(r.Recorder)) == 0; got != want {
						t.Errorf("count %d within %v of %q, stays %v: holds %v, want %v", n, within, after, stays, got, want)
					}
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	r := story()
	s := demo()
	when := func(message string) *Match { return &logged(message)[0] }
	for _, test := range []struct {
		mark Mark
		at   float64
		want string // the error
	}{
		{mark: Mark{ID: "m", When: when("first")}, at: 14},
		{mark: Mark{ID: "m", When: when("first"), Nth: 2}, at: 19},
		{mark: Mark{ID: "m", After: "two", When: when("at once")}, at: 20},
		{mark: Mark{ID: "m", At: seconds(5)}, at: 15},
		{mark: Mark{ID: "m", After: "two", At: seconds(1)}, at: 20},
		{mark: Mark{ID: "m", After: "two"}, at: 20},
		{mark: Mark{ID: "m", When: when("first"), Nth: 3}, want: `mark "m": event "log message=first" happened 2 times after the end of the setup, not 3`},
		{mark: Mark{ID: "m", After: "two", When: when("first")}, want: `mark "m": event "log message=first" did not happen after step "two"`},
	} {
		s.Marks = []Mark{test.mark}
		failures := s.CheckMarks(r.Recorder)
		id, err := s.Find(test.mark, r.Recorder)
		if test.want != "" {
			if err == nil || err.Error() != test.want || len(failures) != 1 || failures[0] != (Failure{Path: "marks[0]", Message: test.want}) {
				t.Errorf("%+v: got %v and %v, want %s", test.mark, err, failures, test.want)
			}
			continue
		}
		if err != nil || len(failures) != 0 || r.Event(id).At != seconds(test.at) {
			t.Errorf("%+v: event %d, %v, %v", test.mark, id, err, failures)
		}
	}
	s.Marks = []Mark{{ID: "late", When: when("first"), Nth: 2}, {ID: "early", When: when("first")}, {ID: "later", After: "two", When: when("at once")}}
	want := Failure{Path: "marks[1]", Message: `mark "early" comes before mark "late", which is listed above it: list marks in the order in which they happen`}
	if failures := s.CheckMarks(r.Recorder); !slices.Equal(failures, []Failure{want}) {
		t.Errorf("marks out of order: %v", failures)
	}
	if id, _ := s.Find(Mark{At: seconds(5)}, r.Recorder); r.Event(id).Text("message") != "second" {
		t.Errorf("a time is the last event of its moment, not event %d", id)
	}
	if _, err := s.Find(Mark{ID: "m"}, newRun().Recorder); err == nil || err.Error() != `mark "m": nothing has happened by 0s` {
		t.Errorf("an empty trace: %v", err)
	}
}

func TestCheckSteps(t *testing.T) {
	const notFound = `Error from server (NotFound): replicasets.apps "web" not found`
	for _, test := range []struct {
		name    string
		step    Step
		outcome []cluster.Outcome
		want    []Failure
	}{
		{"worked", Step{}, []cluster.Outcome{{Done: true}}, nil},
		{"never began", Step{}, nil, []Failure{{Path: "steps[0]", Message: "the step had not ended by the end of the demo"}}},
		{"still runs", Step{}, []cluster.Outcome{{}}, []Failure{{Path: "steps[0]", Message: "the step had not ended by the end of the demo"}}},
		{"failed", Step{}, []cluster.Outcome{{Done: true, Error: notFound}}, []Failure{{Path: "steps[0]", Message: notFound}}},
		{"failed as it should", Step{Fails: "not found"}, []cluster.Outcome{{Done: true, Error: notFound}}, nil},
		{"failed otherwise", Step{Fails: "conflict"}, []cluster.Outcome{{Done: true, Error: notFound}},
			[]Failure{{Path: "steps[0].fails", Message: fmt.Sprintf("the step should have failed with %q, but it failed with %q", "conflict", notFound)}}},
		{"worked and should not", Step{Fails: "conflict"}, []cluster.Outcome{{Done: true}},
			[]Failure{{Path: "steps[0].fails", Message: `the step should have failed with "conflict", but it worked`}}},
		{"an unknown field", Step{Input: cluster.Input{Manifest: []byte("{}")}},
			[]cluster.Outcome{{Done: true, Error: `strict decoding error: unknown field "spec.replica", unknown field "x"`}},
			[]Failure{{Path: "steps[0].manifest.spec.replica", Name: true, Message: `strict decoding error: unknown field "spec.replica", unknown field "x"`}}},
		{"an invalid field", Step{Input: cluster.Input{Manifest: []byte("{}")}},
			[]cluster.Outcome{{Done: true, Error: `The ReplicaSet "web" is invalid: spec.replicas: Invalid value: -1`}},
			[]Failure{{Path: "steps[0].manifest.spec.replicas", Message: `The ReplicaSet "web" is invalid: spec.replicas: Invalid value: -1`}}},
		{"two invalid fields", Step{Input: cluster.Input{Manifest: []byte("{}")}},
			[]cluster.Outcome{{Done: true, Error: "The Pod \"web\" is invalid: \n* spec.a: Required value\n* spec.b: Required value"}},
			[]Failure{{Path: "steps[0].manifest.spec.a", Message: "The Pod \"web\" is invalid: \n* spec.a: Required value\n* spec.b: Required value"}}},
		{"an invalid request", Step{Input: cluster.Input{Manifest: []byte("{}")}},
			[]cluster.Outcome{{Done: true, Error: "The request is invalid: the server said no: sorry"}},
			[]Failure{{Path: "steps[0].manifest", Message: "The request is invalid: the server said no: sorry"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &Scenario{Steps: []Step{test.step}}
			if got := s.CheckSteps(test.outcome); fmt.Sprint(got) != fmt.Sprint(test.want) || len(got) == 1 && got[0] != test.want[0] {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}
