package daemonset

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// What is remembered of the sync before makes no difference, even when whoever got it has sorted it.
func TestRememberedDaemonPods(t *testing.T) {
	selector := labels.SelectorFromSet(labels.Set{"app": "agent"})
	for seed := range uint64(100) {
		r := sim.NewRand(seed)
		remembers := newDaemonPods()
		pods := map[string]*corev1.Pod{}
		for range 20 {
			for range r.IntN(8) {
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("agent-%02d", r.IntN(30)), Labels: map[string]string{"app": "agent"}}}
				if node := fmt.Sprint("node-", r.IntN(12)); r.IntN(2) == 0 {
					pod.Spec.NodeName = node
				} else {
					pod.Spec.Affinity = ReplaceDaemonSetPodNodeNameNodeAffinity(nil, node)
				}
				switch r.IntN(6) {
				case 0:
					pod.Status.Phase, pod.DeletionTimestamp = corev1.PodFailed, &metav1.Time{}
				case 1:
					pod.DeletionTimestamp = &metav1.Time{}
				}
				if pods[pod.Name] = pod; r.IntN(3) == 0 {
					delete(pods, pod.Name)
				}
			}
			var own []*corev1.Pod
			for _, name := range slices.Sorted(maps.Keys(pods)) {
				own = append(own, pods[name])
			}
			got, ok := remembers.follow(own, selector)
			want, wantOK := newDaemonPods().follow(own, selector)
			if !ok || !wantOK || !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %v %v, with nothing remembered %v %v", seed, got, ok, want, wantOK)
			}
			for _, list := range got {
				slices.Reverse(list)
			}
		}
		released := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: corev1.PodSpec{NodeName: "node-1"}}
		lost := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "b", Labels: map[string]string{"app": "agent"}}}
		for _, pod := range []*corev1.Pod{released, lost} {
			if _, ok := newDaemonPods().follow([]*corev1.Pod{pod}, selector); ok {
				t.Errorf("%s has a place", pod.Name)
			}
		}
	}
}

// Nodes that are gone are among the others as long as Pods name them.
func TestWithNodes(t *testing.T) {
	node := func(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	pod := func(name string) []*corev1.Pod { return []*corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: name}}} }
	var got []string
	nodes := []*corev1.Node{node("a"), node("c"), node("e")}
	for _, n := range withNodes(&appsv1.DaemonSet{}, nodes, map[string][]*corev1.Pod{"b": pod("2"), "c": pod("3"), "f": pod("6")}) {
		got = append(got, fmt.Sprintf("%s %v %v %d", n.name, n.node != nil, n.shouldRun, len(n.pods)))
	}
	want := []string{"a true true 0", "b false false 1", "c true true 1", "e true true 0", "f false false 1"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}
