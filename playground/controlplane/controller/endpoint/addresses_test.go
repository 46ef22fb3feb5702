package endpoint

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

func randomPod(r *sim.Rand, i int) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("web-%02d", i), UID: types.UID(fmt.Sprint("pod-", r.IntN(1000)))},
		Spec: corev1.PodSpec{NodeName: fmt.Sprint("node-", r.IntN(3)), Containers: []corev1.Container{{Ports: []corev1.ContainerPort{
			{Name: "http", ContainerPort: int32(8080 + r.IntN(2)), Protocol: corev1.ProtocolTCP}}}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: fmt.Sprint("10.244.0.", r.IntN(30))}}
	if r.IntN(3) > 0 {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	switch r.IntN(8) {
	case 0:
		pod.Status.PodIP = ""
	case 1:
		pod.DeletionTimestamp = &metav1.Time{}
	case 2:
		pod.Spec.Containers = nil // no port of that name
	}
	return pod
}

// What a sync remembers of the one before makes no difference to what it finds, and subsets are the same when all of their fields are.
func TestRememberedAddresses(t *testing.T) {
	for seed := range uint64(100) {
		r := sim.NewRand(seed)
		svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.9",
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http"), Protocol: corev1.ProtocolTCP}}}}
		remembers := &addressList{}
		pods := map[string]*corev1.Pod{}
		var before []corev1.EndpointSubset
		for range 20 {
			for range r.IntN(12) {
				pod := randomPod(r, r.IntN(40))
				if pods[pod.Name] = pod; r.IntN(3) == 0 {
					delete(pods, pod.Name)
				}
			}
			if r.IntN(10) == 0 {
				changed := *svc
				changed.Spec.PublishNotReadyAddresses = !changed.Spec.PublishNotReadyAddresses
				svc = &changed
			}
			var list []*corev1.Pod
			for _, name := range slices.Sorted(maps.Keys(pods)) {
				list = append(list, pods[name])
			}
			got, ready, notReady := remembers.subsetsOf(svc, list)
			want, wantReady, wantNotReady := (&addressList{}).subsetsOf(svc, list)
			if !api.SemanticDeepEqual(got, want) || ready != wantReady || notReady != wantNotReady {
				t.Fatalf("seed %d: %d and %d, %+v; with nothing remembered %d and %d, %+v", seed, ready, notReady, got, wantReady, wantNotReady, want)
			}
			if !sameSubsets(got, want) || sameSubsets(got, before) != api.SemanticDeepEqual(got, before) {
				t.Fatalf("seed %d: sameSubsets of %+v and %+v", seed, got, before)
			}
			before = got
		}
	}
}

func TestTruncate(t *testing.T) {
	list := func(n int) []corev1.EndpointAddress { return make([]corev1.EndpointAddress, n) }
	for _, test := range []struct{ in, want []int }{ // of each subset, the ready ones and the others
		{[]int{600, 400}, []int{600, 400}},
		{[]int{1001, 0}, []int{1000, 0}},
		{[]int{900, 300}, []int{900, 100}},
		{[]int{1000, 5}, []int{1000, 0}},
		{[]int{1500, 10, 1500, 0}, []int{500, 0, 500, 0}},
		{[]int{1000, 0, 1000, 0, 1000, 7}, []int{334, 0, 334, 0, 332, 0}},
		{[]int{400, 2000, 400, 1000}, []int{400, 134, 400, 66}},
	} {
		var subsets []corev1.EndpointSubset
		ready, notReady := 0, 0
		for i := 0; i < len(test.in); i += 2 {
			subsets = append(subsets, corev1.EndpointSubset{Addresses: list(test.in[i]), NotReadyAddresses: list(test.in[i+1])})
			ready, notReady = ready+test.in[i], notReady+test.in[i+1]
		}
		out, truncated := truncate(subsets, ready, notReady)
		var got []int
		for _, s := range out {
			got = append(got, len(s.Addresses), len(s.NotReadyAddresses))
		}
		if !slices.Equal(got, test.want) || truncated != (ready+notReady > maxCapacity) {
			t.Errorf("%v becomes %v, truncated %v, not %v", test.in, got, truncated, test.want)
		}
	}
}
