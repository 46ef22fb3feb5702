package podautoscaler

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/metricsv1beta1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller/podautoscaler/metrics"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var epoch = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// inProc runs body as a process, an hour after the Pods' start.
func inProc(t *testing.T, body func(p *sim.Proc)) {
	t.Helper()
	k := sim.New(1, epoch.Add(time.Hour), trace.NewRecorder(trace.All))
	defer k.Close()
	done := false
	k.Start("test").Go("", func(p *sim.Proc) { body(p); done = true })
	for k.Step() {
	}
	if !done {
		t.Fatal("the process waits for something that never comes")
	}
}

// pods are a: ready, b: ready, p: pending, u: never ready, m: ready and without
// metrics, d: being deleted. Each requests 1 CPU.
func podsOf(kinds string) []*corev1.Pod {
	var out []*corev1.Pod
	for i, kind := range kinds {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d%c", i, kind), Namespace: "default", Labels: map[string]string{"app": "web"}}}
		start := metav1.NewTime(epoch)
		pod.Status.StartTime, pod.Status.Phase = &start, corev1.PodRunning
		pod.Spec.Containers = []corev1.Container{{Name: "web", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi")}}}}
		status := corev1.ConditionTrue
		switch kind {
		case 'p':
			pod.Status.Phase = corev1.PodPending
		case 'u':
			status = corev1.ConditionFalse
		case 'd':
			pod.DeletionTimestamp = &start
		}
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(epoch.Add(time.Second))}}
		out = append(out, pod)
	}
	return out
}

// fakeAPI has the CPU of each Pod with metrics, in order, and one other metric.
type fakeAPI struct {
	pods  []*corev1.Pod
	cpu   []int64
	other int64
}

// Do implements client.Transport for a list of Pods' metrics.
func (f fakeAPI) Do(_ *sim.Proc, r *client.Request) (client.Result, error) {
	if r.Verb != client.List || r.Resource != metricsv1beta1.GroupVersion.WithResource("pods") {
		return nil, errors.New("it only has metrics")
	}
	var out metricsv1beta1.PodMetricsList
	next := 0
	for _, pod := range f.pods {
		if pod.Name[len(pod.Name)-1] == 'm' || next >= len(f.cpu) {
			continue
		}
		out.Items = append(out.Items, metricsv1beta1.PodMetrics{Metadata: metricsv1beta1.Metadata{Namespace: "default", Name: pod.Name},
			Timestamp: metav1.NewTime(epoch.Add(time.Hour)), Window: metav1.Duration{Duration: 15 * time.Second},
			Containers: []metricsv1beta1.ContainerMetrics{{Name: "web",
				Usage: corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(f.cpu[next], resource.DecimalSI)}}}})
		next++
	}
	return measuredPods{PodMetricsList: out}, nil
}

// measuredPods is an answer.
type measuredPods struct {
	metricsv1beta1.PodMetricsList
	kind metav1.TypeMeta
}

func (m measuredPods) GetObjectKind() *metav1.TypeMeta { return &m.kind }

// Watch and Kinds are the rest of it.
func (f fakeAPI) Watch(*sim.Proc, *client.Request) (client.Stream, error) {
	return nil, errors.New("it only has metrics")
}
func (f fakeAPI) Kinds() api.KindSet { return nil }

func (f fakeAPI) CustomMetric(_ *sim.Proc, kind, _, name, _ string) (metrics.Value, bool) {
	if kind == "Pod" && name[len(name)-1] == 'm' {
		return metrics.Value{}, false
	}
	return metrics.Value{Milli: f.other, Timestamp: epoch.Add(time.Hour)}, f.other != 0
}

func calculator(f fakeAPI) *ReplicaCalculator {
	indexer := cache.NewIndexer(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, pod := range f.pods {
		indexer.Add(pod)
	}
	return &ReplicaCalculator{metrics.Client{Transport: f, API: f}, listers.NewPodLister(indexer), cpuInitializationPeriod, delayOfInitialReadinessStatus}
}

// The situations are those of upstream's replica_calculator_test.go, with numbers of our own.
func TestGetResourceReplicas(t *testing.T) {
	for _, c := range []struct {
		name     string
		pods     string
		cpu      []int64 // thousandths; of each Pod with metrics
		target   int32
		replicas int32
		percent  int32
		err      string
	}{
		{"above: up", "aaa", []int64{300, 500, 700}, 30, 5, 50, ""},
		{"below: down", "aaaaa", []int64{100, 300, 500, 250, 250}, 50, 3, 28, ""},
		{"on the target", "aaa", []int64{500, 500, 500}, 50, 3, 50, ""},
		{"a tenth above is within tolerance", "aaa", []int64{550, 550, 550}, 50, 3, 55, ""},
		{"a bit more is not", "aaaaaaaaaa", []int64{560, 560, 560, 560, 560, 560, 560, 560, 560, 560}, 50, 12, 56, ""},
		{"a tenth below is within tolerance", "aaa", []int64{450, 450, 450}, 50, 3, 45, ""},
		{"a Pod that starts holds growth back", "aap", []int64{600, 600}, 50, 3, 60, ""},
		{"but not all of it", "aaup", []int64{900, 900, 900}, 30, 6, 90, ""},
		{"and does not hold shrinking back", "aaap", []int64{100, 100, 100}, 50, 1, 10, ""},
		{"one without metrics counts as idle when it grows", "aam", []int64{700, 700}, 50, 3, 70, ""},
		{"and as busy when it shrinks", "aaam", []int64{100, 100, 100}, 50, 3, 10, ""},
		{"one that goes is not counted", "aad", []int64{600, 600, 999}, 30, 4, 60, ""},
		{"nobody is ready", "uu", []int64{100, 100}, 50, 0, 0, "did not receive metrics for targeted pods (pods might be unready)"},
		{"no metrics", "mm", nil, 50, 0, 0, "unable to get metrics for resource cpu: no metrics returned from resource metrics API"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pods := podsOf(c.pods)
			inProc(t, func(p *sim.Proc) {
				got, err := calculator(fakeAPI{pods: pods, cpu: c.cpu}).GetResourceReplicas(p, int32(len(pods)), c.target, corev1.ResourceCPU,
					Tolerances{tolerance, tolerance}, "default", labels.Everything(), "")
				if c.err != "" {
					if err == nil || err.Error() != c.err {
						t.Errorf("error %v, want %s", err, c.err)
					}
					return
				}
				if err != nil || got.replicas != c.replicas || got.utilization != c.percent {
					t.Errorf("%d replicas at %d %%, want %d at %d %%; error %v", got.replicas, got.utilization, c.replicas, c.percent, err)
				}
			})
		})
	}
}

func TestOtherMetrics(t *testing.T) {
	tolerances := Tolerances{tolerance, tolerance}
	all := labels.Everything()
	object := &autoscalingv2.CrossVersionObjectReference{Kind: "Service", Name: "web"}
	for _, c := range []struct {
		name     string
		pods     string
		value    int64
		ask      func(c *ReplicaCalculator, p *sim.Proc, n int32) (proposal, error)
		replicas int32
		usage    int64
		err      string
	}{
		{"of Pods", "aaa", 20000, func(c *ReplicaCalculator, p *sim.Proc, n int32) (proposal, error) {
			return c.GetMetricReplicas(p, n, 15000, "qps", tolerances, "default", all)
		}, 4, 20000, ""},
		{"of Pods, one has none", "aam", 20000, func(c *ReplicaCalculator, p *sim.Proc, n int32) (proposal, error) {
			return c.GetMetricReplicas(p, n, 15000, "qps", tolerances, "default", all)
		}, 3, 20000, ""},
		{"of an object", "aaa", 90000, func(c *ReplicaCalculator, p *sim.Proc, n int32) (proposal, error) {
			return c.GetObjectMetricReplicas(p, n, 60000, "qps", tolerances, "default", object, all)
		}, 5, 90000, ""},
		{"of an object, for each Pod", "aaa", 90000, func(c *ReplicaCalculator, p *sim.Proc, n int32) (proposal, error) {
			return c.GetObjectPerPodMetricReplicas(p, n, 20000, "qps", tolerances, "default", object)
		}, 5, 30000, ""},
		{"from outside", "aaa", 90000, func(c *ReplicaCalculator, p *sim.Proc, n int32) (proposal, error) {
			return c.GetExternalMetricReplicas(p, n, 45000, "queue", tolerances, "default", all, all)
		}, 6, 90000, ""},
		{"from outside, within tolerance", "aaa", 48000, func(c *ReplicaCalculator, p *sim.Proc, n int32) (proposal, error) {
			return c.GetExternalMetricReplicas(p, n, 45000, "queue", tolerances, "default", all, all)
		}, 3, 48000, ""},
		{"from outside, for each Pod", "aaa", 100000, func(c *ReplicaCalculator, p *sim.Proc, n int32) (proposal, error) {
			return c.GetExternalPerPodMetricReplicas(p, n, 9000, "queue", tolerances, "default", all)
		}, 12, 33334, ""},
		{"from outside, unknown", "aaa", 0, func(c *ReplicaCalculator, p *sim.Proc, n int32) (proposal, error) {
			return c.GetExternalMetricReplicas(p, n, 45000, "queue", tolerances, "default", all, all)
		}, 0, 0, "unable to get external metric default/queue/: no metrics returned from external metrics API"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pods := podsOf(c.pods)
			inProc(t, func(p *sim.Proc) {
				got, err := c.ask(calculator(fakeAPI{pods: pods, other: c.value}), p, int32(len(pods)))
				if c.err != "" {
					if err == nil || err.Error() != c.err {
						t.Errorf("error %v, want %s", err, c.err)
					}
				} else if err != nil || got.replicas != c.replicas || got.usage != c.usage {
					t.Errorf("%d replicas for %d, want %d for %d; error %v", got.replicas, got.usage, c.replicas, c.usage, err)
				}
			})
		})
	}
}

func TestMissingRequest(t *testing.T) {
	pods := podsOf("a")
	pods[0].Spec.Containers[0].Resources.Requests = nil
	if _, err := calculateRequests(pods, "", corev1.ResourceCPU); err == nil || err.Error() != "missing request for cpu in container web of Pod pod-0a" {
		t.Errorf("error %v", err)
	}
}

func TestConvertDesiredReplicasWithRules(t *testing.T) {
	for _, c := range []struct {
		current, desired, min, max, want int32
		reason                           string
	}{
		{3, 5, 1, 10, 5, "DesiredWithinRange"},
		{3, 9, 1, 10, 6, "ScaleUpLimit"},
		{1, 9, 1, 10, 4, "ScaleUpLimit"},
		{3, 9, 1, 5, 5, "TooManyReplicas"},
		{3, 1, 2, 5, 2, "TooFewReplicas"},
		{3, 0, 1, 5, 1, "TooFewReplicas"},
	} {
		if got, reason, _ := convertDesiredReplicasWithRules(c.current, c.desired, c.min, c.max); got != c.want || reason != c.reason {
			t.Errorf("%+v: %d %s", c, got, reason)
		}
	}
}

func TestBehavior(t *testing.T) {
	at := func(seconds int) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }
	rules := func(sel autoscalingv2.ScalingPolicySelect, policies ...autoscalingv2.HPAScalingPolicy) *autoscalingv2.HPAScalingRules {
		return &autoscalingv2.HPAScalingRules{SelectPolicy: &sel, Policies: policies}
	}
	podsIn := func(n, period int32) autoscalingv2.HPAScalingPolicy {
		return autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PodsScalingPolicy, Value: n, PeriodSeconds: period}
	}
	percentIn := func(n, period int32) autoscalingv2.HPAScalingPolicy {
		return autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PercentScalingPolicy, Value: n, PeriodSeconds: period}
	}
	most, least, off := autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect, autoscalingv2.DisabledPolicySelect
	for _, c := range []struct {
		name            string
		ups, downs      []timestampedScaleEvent
		up, down        *autoscalingv2.HPAScalingRules
		current, wanted int32
		want            int32
		reason          string
	}{
		{"four Pods", nil, nil, rules(most, podsIn(4, 15)), nil, 2, 20, 6, "ScaleUpLimit"},
		{"the larger of four Pods and twice as many", nil, nil, rules(most, podsIn(4, 15), percentIn(100, 15)), nil, 10, 50, 20, "ScaleUpLimit"},
		{"the smaller", nil, nil, rules(least, podsIn(4, 15), percentIn(100, 15)), nil, 10, 50, 14, "ScaleUpLimit"},
		{"a percentage is rounded up", nil, nil, rules(most, percentIn(10, 15)), nil, 1, 50, 2, "ScaleUpLimit"},
		{"not at all", nil, nil, rules(off, podsIn(4, 15)), nil, 3, 50, 3, "ScaleUpLimit"},
		{"what was added in the period counts", []timestampedScaleEvent{{3, at(70)}}, nil, rules(most, podsIn(4, 60)), nil, 5, 50, 6, "ScaleUpLimit"},
		{"what was added before does not", []timestampedScaleEvent{{3, at(30)}}, nil, rules(most, podsIn(4, 60)), nil, 5, 50, 9, "ScaleUpLimit"},
		{"the maximum is lower", nil, nil, rules(most, podsIn(400, 60)), nil, 5, 150, 100, "TooManyReplicas"},
		{"half of them", nil, nil, nil, rules(most, percentIn(50, 60)), 10, 1, 5, "ScaleDownLimit"},
		{"a tenth of many", nil, nil, nil, rules(most, percentIn(10, 60)), 100, 1, 90, "ScaleDownLimit"},
		{"the fewer of them", nil, nil, nil, rules(least, percentIn(50, 60), podsIn(2, 60)), 10, 1, 8, "ScaleDownLimit"},
		{"what went in the period counts", nil, []timestampedScaleEvent{{2, at(70)}}, nil, rules(most, podsIn(4, 60)), 8, 1, 6, "ScaleDownLimit"},
		{"the minimum is higher", nil, nil, nil, rules(most, percentIn(100, 60)), 10, 0, 1, "TooFewReplicas"},
		{"as wanted", nil, nil, rules(most, podsIn(4, 15)), nil, 2, 3, 3, "DesiredWithinRange"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &HorizontalController{scaleUpEvents: map[string][]timestampedScaleEvent{"k": c.ups}, scaleDownEvents: map[string][]timestampedScaleEvent{"k": c.downs}}
			got, reason, _ := a.convertDesiredReplicasWithBehaviorRate("k", c.current, c.wanted, 1, 100, c.up, c.down, at(100))
			if got != c.want || reason != c.reason {
				t.Errorf("%d %s, want %d %s", got, reason, c.want, c.reason)
			}
		})
	}
}

func TestStabilization(t *testing.T) {
	at := func(seconds int) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }
	for _, c := range []struct {
		name              string
		asked             []timestampedRecommendation
		current, proposed int32
		up, down          time.Duration
		want              int32
	}{
		{"nothing before", nil, 3, 5, 0, 5 * time.Minute, 5},
		{"shrinking waits for what was asked for", []timestampedRecommendation{{8, at(400)}, {4, at(10)}}, 8, 2, 0, 5 * time.Minute, 8},
		{"until it is old", []timestampedRecommendation{{8, at(100)}, {4, at(400)}}, 8, 2, 0, 5 * time.Minute, 4},
		{"growing waits for the lowest", []timestampedRecommendation{{3, at(480)}, {9, at(490)}}, 3, 9, time.Minute, 0, 3},
		{"in between it stays", []timestampedRecommendation{{2, at(480)}, {9, at(490)}}, 5, 4, time.Minute, time.Minute, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &HorizontalController{recommendations: map[string][]timestampedRecommendation{"k": c.asked}}
			if got := a.stabilizeRecommendationWithBehaviors("k", c.current, c.proposed, at(500), c.up, c.down); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}
