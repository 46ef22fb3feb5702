package runtime

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// fake is a plugin that says what it is told to, at every extension point.
type fake struct {
	name  string
	calls *[]string
	say   map[string]*framework.Status
	score int64
}

func (f fake) Name() string { return f.name }
func (f fake) answer(point string) *framework.Status {
	*f.calls = append(*f.calls, f.name+"."+point)
	return f.say[point]
}
func (f fake) Less(a, b *framework.QueuedPodInfo) bool { return a.Sequence < b.Sequence }
func (f fake) PreFilter(*sim.Proc, *framework.CycleState, *corev1.Pod, []*framework.NodeInfo) (*framework.PreFilterResult, *framework.Status) {
	return nil, f.answer("PreFilter")
}
func (f fake) PreFilterExtensions() framework.PreFilterExtensions { return nil }
func (f fake) ScoreExtensions() framework.ScoreExtensions         { return nil }
func (f fake) Filter(*sim.Proc, *framework.CycleState, *corev1.Pod, *framework.NodeInfo) *framework.Status {
	return f.answer("Filter")
}
func (f fake) Score(*sim.Proc, *framework.CycleState, *corev1.Pod, *framework.NodeInfo) (int64, *framework.Status) {
	return f.score, f.answer("Score")
}
func (f fake) Reserve(*sim.Proc, *framework.CycleState, *corev1.Pod, string) *framework.Status {
	return f.answer("Reserve")
}
func (f fake) Unreserve(*sim.Proc, *framework.CycleState, *corev1.Pod, string) { f.answer("Unreserve") }
func (f fake) Permit(*sim.Proc, *framework.CycleState, *corev1.Pod, string) (*framework.Status, time.Duration) {
	return f.answer("Permit"), 10 * time.Second
}
func (f fake) Bind(*sim.Proc, *framework.CycleState, *corev1.Pod, string) *framework.Status {
	return f.answer("Bind")
}

// notSorter hides the queue sort, of which there may be only one.
type notSorter struct {
	framework.Plugin
	framework.PreFilterPlugin
	framework.FilterPlugin
	framework.ScorePlugin
	framework.ReservePlugin
	framework.PermitPlugin
	framework.BindPlugin
}

func (n notSorter) Name() string { return n.Plugin.Name() }

func newFramework(first, second fake) (*Framework, *[]string) {
	calls := &[]string{}
	first.name, first.calls, second.name, second.calls = "First", calls, "Second", calls
	w1, w2 := int32(2), int32(3)
	f, err := NewFramework(Registry{
		"First": func(config.Args, framework.Handle) (framework.Plugin, error) { return first, nil },
		"Second": func(config.Args, framework.Handle) (framework.Plugin, error) {
			return notSorter{second, second, second, second, second, second, second}, nil
		},
	}, &config.Profile{SchedulerName: "p", Plugins: &config.Plugins{MultiPoint: config.PluginSet{Enabled: []config.Plugin{
		{Name: "First", Weight: &w1}, {Name: "Second", Weight: &w2}}}}}, Options{Snapshot: noNodes{}})
	if err != nil {
		panic(err)
	}
	return f, calls
}

type noNodes struct{ framework.SharedLister }

func (noNodes) List() []*framework.NodeInfo { return nil }

func say(point string, s *framework.Status) fake {
	return fake{say: map[string]*framework.Status{point: s}}
}

func TestFiltersStopAtTheFirstNo(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second fake
		want, calls   string
	}{
		{"both agree", fake{}, fake{}, "", "First.PreFilter Second.PreFilter First.Filter Second.Filter"},
		{"the first says no", say("Filter", framework.NewStatus(framework.Unschedulable, "no")), fake{}, "First: no",
			"First.PreFilter Second.PreFilter First.Filter"},
		{"an error says whose", fake{}, say("Filter", framework.AsStatus(errors.New("boom"))), `Second: running "Second" filter plugin: boom`,
			"First.PreFilter Second.PreFilter First.Filter Second.Filter"},
		{"who skips PreFilter is not asked again", say("PreFilter", framework.NewStatus(framework.Skip)), fake{}, "",
			"First.PreFilter Second.PreFilter Second.Filter"},
		{"PreFilter says no for all nodes", fake{}, say("PreFilter", framework.NewStatus(framework.UnschedulableAndUnresolvable, "never")),
			"Second: never", "First.PreFilter Second.PreFilter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, calls := newFramework(c.first, c.second)
			state := framework.NewCycleState()
			_, s, _ := f.RunPreFilterPlugins(nil, state, &corev1.Pod{})
			if s.IsSuccess() {
				s = f.RunFilterPlugins(nil, state, &corev1.Pod{}, framework.NewNodeInfo(&corev1.Node{}))
			}
			got := ""
			if !s.IsSuccess() {
				got = s.Plugin() + ": " + s.Message()
			}
			if got != c.want || strings.Join(*calls, " ") != c.calls {
				t.Errorf("%q after %v, want %q after %s", got, *calls, c.want, c.calls)
			}
		})
	}
}

func TestScoresAreWeightedAndChecked(t *testing.T) {
	nodes := []*framework.NodeInfo{framework.NewNodeInfo(&corev1.Node{})}
	f, _ := newFramework(fake{score: 10}, fake{score: 100})
	scores, s := f.RunScorePlugins(nil, framework.NewCycleState(), &corev1.Pod{}, nodes)
	if !s.IsSuccess() || scores[0].TotalScore != 2*10+3*100 {
		t.Errorf("%+v %v", scores, s.Message())
	}
	f, _ = newFramework(fake{score: 101}, fake{})
	if _, s := f.RunScorePlugins(nil, framework.NewCycleState(), &corev1.Pod{}, nodes); s.Message() !=
		`plugin "First" returns an invalid score 101, it should in the range of [0, 100] after normalizing` {
		t.Error(s.Message())
	}
}

func TestBindersAndReservations(t *testing.T) {
	f, calls := newFramework(say("Bind", framework.NewStatus(framework.Skip)), fake{})
	if s := f.RunBindPlugins(nil, nil, &corev1.Pod{}, "n"); !s.IsSuccess() {
		t.Error(s.Message())
	}
	f.RunReservePluginsReserve(nil, nil, &corev1.Pod{}, "n")
	f.RunReservePluginsUnreserve(nil, nil, &corev1.Pod{}, "n")
	if got, want := strings.Join(*calls, " "), "First.Bind Second.Bind First.Reserve Second.Reserve Second.Unreserve First.Unreserve"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPermit(t *testing.T) {
	wait := framework.NewStatus(framework.Wait)
	for _, c := range []struct {
		name string
		do   func(f *Framework)
		want string
	}{
		{"allowed by all who wait", func(f *Framework) { f.AllowWaitingPod("u", "First"); f.AllowWaitingPod("u", "Second") }, "at 1s: Success"},
		{"allowed by one of two", func(f *Framework) { f.AllowWaitingPod("u", "First") },
			"at 10s: Unschedulable rejected due to timeout after waiting at plugin Second"},
		{"rejected", func(f *Framework) { f.RejectWaitingPod("u") }, "at 1s: Unschedulable removed"},
		{"left alone", func(*Framework) {}, "at 10s: Unschedulable rejected due to timeout after waiting at plugin First"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
			defer k.Close()
			f, _ := newFramework(say("Permit", wait), say("Permit", wait))
			pod := &corev1.Pod{}
			pod.UID = "u"
			got := ""
			k.Start("kube-scheduler").Go("p", func(p *sim.Proc) {
				if s := f.RunPermitPlugins(p, nil, pod, "n"); !s.IsWait() {
					t.Error(s.Code())
				}
				s := f.WaitOnPermit(p, pod)
				got = strings.TrimSpace(fmt.Sprintf("at %v: %v %s", p.Now(), s.Code(), s.Message()))
			})
			k.After(time.Second, func() { c.do(f) })
			k.RunUntil(time.Minute)
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if f.WillWaitOnPermit(pod) {
				t.Error("it still waits")
			}
		})
	}
}
