package plugins

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/scheduler/cache"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/preemption"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// thinking is a framework that can be asked, and a process that asks.
type thinking struct {
	f     *runtime.Framework
	pl    *defaultPreemption
	nodes []*framework.NodeInfo
}

// think runs do in a process of a scheduler over some nodes.
func think(t *testing.T, nodes []*framework.NodeInfo, objects []api.Object, do func(p *sim.Proc, w *thinking)) {
	t.Helper()
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.Off))
	defer k.Close()
	c := k.Start("kube-scheduler")
	complete, err := config.Complete(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client.New(nil), 0)
	w := &thinking{nodes: nodes}
	registry := NewInTreeRegistry()
	registry[DefaultPreemption] = func(args config.Args, h framework.Handle) (framework.Plugin, error) {
		pl, err := newDefaultPreemption(args, h)
		w.pl = pl.(*defaultPreemption)
		return pl, err
	}
	if w.f, err = runtime.NewFramework(registry, complete[0], runtime.Options{
		Component: c, Snapshot: cache.NewTestSnapshot(nodes...), InformerFactory: factory}); err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := factory.InformerFor(api.KindOf(o).GroupVersionResource(), nil).GetIndexer().Add(o); err != nil {
			t.Fatal(err)
		}
	}
	done := false
	c.Go("test", func(p *sim.Proc) { do(p, w); done = true })
	k.RunUntil(time.Second)
	if !done {
		t.Fatal("it waits for something")
	}
}

// ranked is a Pod of a priority that started at a second.
func ranked(t *testing.T, name string, priority int32, cpu string, started int64) *corev1.Pod {
	t.Helper()
	p := pod(t, requests(cpu, "1"))
	p.Name, p.UID = name, types.UID(name)
	p.Spec.Priority = &priority
	at := metav1.NewTime(time.Unix(started, 0))
	p.Status.StartTime = &at
	return p
}

func nodeWith(t *testing.T, name string, pods ...*corev1.Pod) *framework.NodeInfo {
	t.Helper()
	n := node(t, name, `{}`)
	for _, p := range pods {
		n.AddPodInfo(framework.NewPodInfo(p))
	}
	return n
}

func names(pods []*corev1.Pod) string {
	var out []string
	for _, p := range pods {
		out = append(out, p.Name)
	}
	return strings.Join(out, " ")
}

func budget(name, app string, allowed int32, counted ...string) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{}
	b.Namespace, b.Name = "default", name
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	b.Status.DisruptionsAllowed = allowed
	for _, pod := range counted {
		if b.Status.DisruptedPods == nil {
			b.Status.DisruptedPods = map[string]metav1.Time{}
		}
		b.Status.DisruptedPods[pod] = metav1.Time{}
	}
	return b
}

func TestVictimsOnANode(t *testing.T) {
	with := func(p *corev1.Pod, app string) *corev1.Pod {
		p.Labels = map[string]string{"app": app}
		return p
	}
	for _, c := range []struct {
		name       string
		there      []*corev1.Pod
		pdbs       []*policyv1.PodDisruptionBudget
		want       string
		violations int
	}{
		{name: "the least important goes", there: []*corev1.Pod{ranked(t, "low", 1, "2", 0), ranked(t, "mid", 5, "2", 0)}, want: "low"},
		{name: "the youngest of equals goes", there: []*corev1.Pod{ranked(t, "old", 1, "2", 0), ranked(t, "young", 1, "2", 9)}, want: "young"},
		{name: "as many as it takes, the more important first in the list", want: "b a",
			there: []*corev1.Pod{ranked(t, "a", 1, "1", 0), ranked(t, "b", 2, "1", 0), ranked(t, "c", 3, "2", 0)}},
		{name: "one that is large enough, though more important", want: "big",
			there: []*corev1.Pod{ranked(t, "small", 1, "500m", 0), ranked(t, "big", 2, "3", 0)}},
		{name: "nobody of the same priority", there: []*corev1.Pod{ranked(t, "peer", 10, "4", 0)}, want: "No preemption victims found for incoming pod"},
		{name: "all of them are not enough", there: []*corev1.Pod{ranked(t, "peer", 10, "3", 0), ranked(t, "low", 1, "1", 0)}, want: "Insufficient cpu"},
		{name: "rather one without a budget", there: []*corev1.Pod{with(ranked(t, "kept", 1, "2", 9), "web"), ranked(t, "free", 1, "2", 0)},
			pdbs: []*policyv1.PodDisruptionBudget{budget("web", "web", 0)}, want: "free"},
		{name: "a budget is a wish, not a wall", there: []*corev1.Pod{with(ranked(t, "kept", 1, "4", 0), "web")},
			pdbs: []*policyv1.PodDisruptionBudget{budget("web", "web", 0)}, want: "kept", violations: 1},
		{name: "a budget that allows one", there: []*corev1.Pod{with(ranked(t, "one", 1, "2", 0), "web"), with(ranked(t, "two", 1, "2", 5), "web")},
			pdbs: []*policyv1.PodDisruptionBudget{budget("web", "web", 1)}, want: "one"},
		{name: "counted already", there: []*corev1.Pod{with(ranked(t, "going", 1, "4", 0), "web")},
			pdbs: []*policyv1.PodDisruptionBudget{budget("web", "web", 0, "going")}, want: "going"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := []*framework.NodeInfo{nodeWith(t, "n", c.there...)}
			incoming := ranked(t, "incoming", 10, "2", 0)
			think(t, list, nil, func(p *sim.Proc, w *thinking) {
				state := framework.NewCycleState()
				w.f.RunPreFilterPlugins(p, state, incoming)
				victims, violations, s := w.pl.SelectVictimsOnNode(p, state.Clone(), incoming, list[0].Snapshot(), c.pdbs)
				got := names(victims)
				if !s.IsSuccess() {
					got = s.Message()
				}
				if got != c.want || violations != c.violations {
					t.Errorf("%s with %d violations, want %s with %d", got, violations, c.want, c.violations)
				}
				if len(list[0].Pods) != len(c.there) {
					t.Error("the snapshot was changed")
				}
			})
		})
	}
}

func TestTheNodeWhereTheLeastIsLost(t *testing.T) {
	candidate := func(name string, violations int, victims ...*corev1.Pod) *preemption.Candidate {
		return &preemption.Candidate{Name: name, NumPDBViolations: violations, Victims: victims}
	}
	v := func(priority int32, started int64) *corev1.Pod { return ranked(t, "v", priority, "1", started) }
	for _, c := range []struct {
		name string
		list []*preemption.Candidate
		want string
	}{
		{"fewest violations", []*preemption.Candidate{candidate("a", 1, v(0, 0)), candidate("b", 0, v(9, 0), v(9, 0))}, "b"},
		{"least important victim", []*preemption.Candidate{candidate("a", 0, v(5, 0)), candidate("b", 0, v(4, 0), v(4, 0))}, "b"},
		{"smallest sum", []*preemption.Candidate{candidate("a", 0, v(5, 0), v(4, 0)), candidate("b", 0, v(5, 0), v(3, 0))}, "b"},
		{"one of negative priority counts too", []*preemption.Candidate{candidate("a", 0, v(-1, 0), v(-2, 0)), candidate("b", 0, v(-1, 0))}, "b"},
		{"latest start", []*preemption.Candidate{candidate("a", 0, v(5, 10)), candidate("b", 0, v(5, 20))}, "b"},
		{"the first of equals", []*preemption.Candidate{candidate("a", 0, v(5, 10)), candidate("b", 0, v(5, 10))}, "a"},
	} {
		think(t, nil, nil, func(p *sim.Proc, w *thinking) {
			if got := w.pl.evaluator.SelectCandidate(p, c.list).Name; got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		})
	}
}

func TestPreemptionSaysWhy(t *testing.T) {
	never := corev1.PreemptNever
	unschedulable := framework.NewStatus(framework.Unschedulable, "Insufficient cpu")
	leaving := ranked(t, "leaving", 0, "4", 0)
	now := metav1.NewTime(time.Unix(1, 0))
	leaving.DeletionTimestamp = &now
	leaving.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		Reason: corev1.PodReasonPreemptionByScheduler}}
	for _, c := range []struct {
		name   string
		there  []*corev1.Pod
		change func(*corev1.Pod)
		status *framework.Status
		want   string
		result string // of the nomination: "", "kept" or "cleared"
	}{
		{name: "no other Pod's eviction would help", status: framework.NewStatus(framework.UnschedulableAndUnresolvable, "Insufficient cpu"),
			want: "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.", result: "cleared"},
		{name: "nobody is less important", there: []*corev1.Pod{ranked(t, "peer", 10, "4", 0)}, status: unschedulable,
			want: "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.", result: "cleared"},
		{name: "it would not be enough", there: []*corev1.Pod{ranked(t, "peer", 10, "3", 0), ranked(t, "low", 0, "1", 0)}, status: unschedulable,
			want: "preemption: 0/1 nodes are available: 1 Insufficient cpu.", result: "cleared"},
		{name: "it does not want to", there: []*corev1.Pod{ranked(t, "low", 0, "4", 0)}, status: unschedulable,
			change: func(p *corev1.Pod) { p.Spec.PreemptionPolicy = &never },
			want:   "preemption: not eligible due to preemptionPolicy=Never.", result: "kept"},
		{name: "its victims are leaving", there: []*corev1.Pod{leaving}, status: unschedulable,
			change: func(p *corev1.Pod) { p.Status.NominatedNodeName = "n" },
			want:   "preemption: not eligible due to a terminating pod on the nominated node.", result: "kept"},
		{name: "its victims left, and the node is of no use now", there: []*corev1.Pod{leaving},
			status: framework.NewStatus(framework.UnschedulableAndUnresolvable, "node(s) were unschedulable"),
			change: func(p *corev1.Pod) { p.Status.NominatedNodeName = "n" },
			want:   "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.", result: "cleared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			incoming := ranked(t, "incoming", 10, "2", 0)
			if c.change != nil {
				c.change(incoming)
			}
			think(t, []*framework.NodeInfo{nodeWith(t, "n", c.there...)}, []api.Object{incoming}, func(p *sim.Proc, w *thinking) {
				state := framework.NewCycleState()
				w.f.RunPreFilterPlugins(p, state, incoming)
				filtered := framework.NewDefaultNodeToStatus()
				filtered.Set("n", c.status)
				r, s := w.f.RunPostFilterPlugins(p, state, incoming, filtered)
				result := "kept"
				if r != nil && r.Mode() == framework.ModeOverride {
					result = "cleared"
				}
				if s.Message() != "no new claims to deallocate, "+c.want || result != c.result {
					t.Errorf("%s (%s), want %s (%s)", s.Message(), result, c.want, c.result)
				}
			})
		})
	}
}

// TestPreemptionAgainstBruteForce makes small clusters by chance. Filters are
// compared with plain sums; victims with what follows from trying all sets.
func TestPreemptionAgainstBruteForce(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var list []*framework.NodeInfo
		for i := range 1 + r.IntN(3) {
			n := nodeWith(t, fmt.Sprint("node-", i))
			left := int64(4000)
			for j := range r.IntN(6) {
				cpu := int64(1+r.IntN(8)) * 250
				if left -= cpu; left < 0 {
					break
				}
				n.AddPodInfo(framework.NewPodInfo(ranked(t, fmt.Sprintf("%d-%d", i, j), int32(r.IntN(5)), fmt.Sprint(cpu, "m"), int64(r.IntN(4)))))
			}
			list = append(list, n)
		}
		incoming := ranked(t, "incoming", int32(r.IntN(6)), fmt.Sprint((1+r.IntN(17))*250, "m"), 0)
		think(t, list, []api.Object{incoming}, func(p *sim.Proc, w *thinking) {
			state := framework.NewCycleState()
			w.f.RunPreFilterPlugins(p, state, incoming)
			var candidates []*preemption.Candidate
			for _, n := range list {
				fits := w.f.RunFilterPlugins(p, state, incoming, n).IsSuccess()
				if want := sumOf(n.Pods)+cpuOf(incoming) <= 4000; fits != want {
					t.Fatalf("seed %d: %s: the filters say %v, the sum %v", seed, n.Name(), fits, want)
				}
				if fits {
					continue
				}
				victims, _, s := w.pl.SelectVictimsOnNode(p, state.Clone(), incoming, n.Snapshot(), nil)
				want, possible := leastImportantSet(n.Pods, incoming)
				if s.IsSuccess() != possible || possible && names(victims) != names(want) {
					t.Fatalf("seed %d: %s: victims %q (%s), want %q (possible: %v)", seed, n.Name(), names(victims), s.Message(), names(want), possible)
				}
				if possible {
					candidates = append(candidates, &preemption.Candidate{Name: n.Name(), Victims: victims})
				}
			}
			if len(candidates) == 0 {
				return
			}
			best := w.pl.evaluator.SelectCandidate(p, candidates)
			for _, c := range candidates {
				if betterFor(c, best) {
					t.Fatalf("seed %d: %s was chosen, %s loses less", seed, best.Name, c.Name)
				}
			}
		})
	}
}

func cpuOf(p *corev1.Pod) int64 { return framework.NewPodInfo(p).Requested.MilliCPU }

func sumOf(pods []*framework.PodInfo) (sum int64) {
	for _, pi := range pods {
		sum += pi.Requested.MilliCPU
	}
	return sum
}

// leastImportantSet tries every set of Pods of lower priority. Of those that make
// room it is the one that spares the most important Pod in which they differ.
func leastImportantSet(pods []*framework.PodInfo, incoming *corev1.Pod) (best []*corev1.Pod, possible bool) {
	var lower []*corev1.Pod
	var fixed int64
	for _, pi := range pods {
		if framework.PodPriority(pi.Pod) < framework.PodPriority(incoming) {
			lower = append(lower, pi.Pod)
		} else {
			fixed += pi.Requested.MilliCPU
		}
	}
	slices.SortStableFunc(lower, preemption.MoreImportantPod)
	bestSet := -1
	for set := range 1 << len(lower) {
		sum := fixed + cpuOf(incoming)
		value := 0 // a bit for each that is evicted, the most important highest
		for i, p := range lower {
			if set>>i&1 == 0 {
				sum += cpuOf(p)
			} else {
				value |= 1 << (len(lower) - 1 - i)
			}
		}
		if sum <= 4000 && (bestSet < 0 || value < bestSet) {
			bestSet = value
		}
	}
	if bestSet <= 0 {
		return nil, false
	}
	for i, p := range lower {
		if bestSet>>(len(lower)-1-i)&1 == 1 {
			best = append(best, p)
		}
	}
	return best, true
}

// betterFor compares two candidates by the documented order, written out once more.
func betterFor(a, b *preemption.Candidate) bool {
	key := func(c *preemption.Candidate) [4]int64 {
		var sum int64
		earliest := int64(1 << 62)
		for _, v := range c.Victims {
			sum += int64(framework.PodPriority(v)) + 1<<31
			if framework.PodPriority(v) == framework.PodPriority(c.Victims[0]) {
				earliest = min(earliest, v.Status.StartTime.Unix())
			}
		}
		return [4]int64{int64(framework.PodPriority(c.Victims[0])), sum, int64(len(c.Victims)), -earliest}
	}
	x, y := key(a), key(b)
	return slices.Compare(x[:], y[:]) < 0
}

func TestNominatedPodsKeepTheirPlace(t *testing.T) {
	for _, c := range []struct {
		name      string
		nominated int32
		want      string
	}{
		{"one of higher priority", 20, "Insufficient cpu"},
		{"one of the same priority", 10, "Insufficient cpu"},
		{"one of lower priority", 5, ""},
	} {
		list := []*framework.NodeInfo{nodeWith(t, "n")}
		think(t, list, nil, func(p *sim.Proc, w *thinking) {
			w.f.PodNominator = oneNominated{framework.NewPodInfo(ranked(t, "waiting", c.nominated, "3", 0))}
			incoming := ranked(t, "incoming", 10, "2", 0)
			state := framework.NewCycleState()
			w.f.RunPreFilterPlugins(p, state, incoming)
			if got := w.f.RunFilterPluginsWithNominatedPods(p, state, incoming, list[0]).Message(); got != c.want {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
			if len(list[0].Pods) != 0 {
				t.Error("the snapshot was changed")
			}
		})
	}
}

type oneNominated struct{ pi *framework.PodInfo }

func (oneNominated) AddNominatedPod(*framework.PodInfo, *framework.NominatingInfo) {}
func (oneNominated) DeleteNominatedPodIfExists(*corev1.Pod)                        {}
func (oneNominated) UpdateNominatedPod(*corev1.Pod, *framework.PodInfo)            {}
func (o oneNominated) NominatedPodsForNode(string) []*framework.PodInfo {
	return []*framework.PodInfo{o.pi}
}
