package endpointslice

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller/endpoint"
	"kubewalk/playground/sim"
)

func testService() *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "svc", Labels: map[string]string{"team": "a"}},
		Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.9", Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080),
			Protocol: corev1.ProtocolTCP}}}}
}

func testPod(i int, ready, terminating bool) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("web-", i), UID: types.UID(fmt.Sprint("pod-", i))},
		Spec:   corev1.PodSpec{NodeName: "node-1"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: fmt.Sprintf("10.244.%d.%d", i/250, i%250+2)}}
	if ready {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	if terminating {
		now := metav1.NewTime(time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC))
		pod.DeletionTimestamp = &now
	}
	return pod
}

// Whatever Pods come and go, each endpoint is in one slice, no slice is too full, what did not change is not written, and
// slices that nobody needs go.
func TestSlicesFollowPods(t *testing.T) {
	const most = 5
	for seed := range uint64(200) {
		r := sim.NewRand(seed)
		rec := &reconciler{maxEndpointsPerSlice: most}
		svc := testService()
		slices := map[string]*discoveryv1.EndpointSlice{}
		made := 0
		pods := map[int]bool{}
		for range 12 {
			for range r.IntN(9) {
				if i := r.IntN(40); pods[i] {
					delete(pods, i)
				} else {
					pods[i] = true
				}
			}
			g := &portGroup{ports: []discoveryv1.EndpointPort{}, endpoints: map[string]*desired{}}
			for i := range pods {
				e := podToEndpoint(testPod(i, r.IntN(8) > 0, false), nil, svc)
				g.endpoints[e.Addresses[0]] = &desired{Endpoint: e}
			}
			for _, name := range endpoint.SortedKeys(slices) {
				g.existing = append(g.existing, slices[name])
			}
			apply := func() int {
				for _, d := range g.endpoints {
					d.placed = false
				}
				create, update, remove := rec.reconcileByPortMapping(svc, g)
				for _, s := range remove {
					delete(slices, s.Name)
				}
				for _, s := range update {
					slices[s.Name] = s
				}
				for _, s := range create {
					made++
					s.Name = fmt.Sprint("web-", made)
					slices[s.Name] = s
				}
				return len(create) + len(update) + len(remove)
			}
			apply()
			seen := map[string]int{}
			for name, s := range slices {
				if n := len(s.Endpoints); n == 0 || n > most {
					t.Fatalf("seed %d: slice %s has %d endpoints", seed, name, n)
				}
				for _, e := range s.Endpoints {
					seen[e.Addresses[0]]++
				}
			}
			if len(seen) != len(g.endpoints) {
				t.Fatalf("seed %d: %d endpoints in slices, %d are wanted", seed, len(seen), len(g.endpoints))
			}
			for address, n := range seen {
				if _, wanted := g.endpoints[address]; !wanted || n != 1 {
					t.Fatalf("seed %d: %s is %d times in slices, wanted: %v", seed, address, n, wanted)
				}
			}
			g.existing = nil
			for _, name := range endpoint.SortedKeys(slices) {
				g.existing = append(g.existing, slices[name])
			}
			if n := apply(); n != 0 {
				t.Fatalf("seed %d: a second look writes %d slices", seed, n)
			}
		}
	}
}

func TestPodToEndpoint(t *testing.T) {
	for _, test := range []struct {
		ready, terminating, publish bool
		want                        string // ready, serving, terminating
	}{
		{true, false, false, "true true false"},
		{false, false, false, "false false false"},
		{true, true, false, "false true true"},
		{false, true, false, "false false true"},
		{false, false, true, "true false false"},
		{true, true, true, "true true true"},
	} {
		svc := testService()
		svc.Spec.PublishNotReadyAddresses = test.publish
		c := podToEndpoint(testPod(1, test.ready, test.terminating), nil, svc).Conditions
		if got := fmt.Sprint(*c.Ready, *c.Serving, *c.Terminating); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", Labels: map[string]string{corev1.LabelTopologyZone: "z"}}}
	svc, pod := testService(), testPod(1, true, false)
	same := "PreferSameNode"
	svc.Spec.TrafficDistribution = &same
	pod.Spec.Hostname, pod.Spec.Subdomain = "db-0", "web"
	e := podToEndpoint(pod, node, svc)
	if *e.Zone != "z" || *e.NodeName != "node-1" || *e.Hostname != "db-0" || e.Hints.ForZones[0].Name != "z" || e.Hints.ForNodes[0].Name != "node-1" {
		t.Errorf("%+v %+v", e, e.Hints)
	}
}

// A write that has not come back makes the cache stale, however it shows.
func TestTracker(t *testing.T) {
	svc := testService()
	slice := func(uid string, generation int64) *discoveryv1.EndpointSlice {
		return &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: uid, UID: types.UID(uid), Generation: generation,
			Labels: map[string]string{discoveryv1.LabelServiceName: "web"}}}
	}
	tr := NewTracker()
	stale := func(want bool, what string, shown ...*discoveryv1.EndpointSlice) {
		t.Helper()
		if got := tr.StaleSlices(svc, shown); got != want {
			t.Errorf("%s: stale %v", what, got)
		}
	}
	stale(false, "nothing was written")
	tr.Update(slice("a", 2))
	stale(true, "it is not there yet")
	stale(true, "it is there as it was", slice("a", 1))
	stale(false, "it is there", slice("a", 2))
	stale(false, "somebody wrote it since", slice("a", 3))
	tr.ExpectDeletion(slice("a", 2))
	stale(true, "it is still there", slice("a", 2))
	if tr.ShouldSync(slice("a", 2)) != true || !tr.HandleDeletion(slice("a", 2)) {
		t.Error("a deletion that was expected is a surprise")
	}
	stale(false, "it is gone")
	tr.Update(slice("b", 1))
	if tr.HandleDeletion(slice("b", 1)) {
		t.Error("a deletion by somebody else is no surprise")
	}
}
