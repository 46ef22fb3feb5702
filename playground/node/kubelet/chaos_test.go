package kubelet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// TestInterruptedAtRandom stops the kubelet, the machine and the API server at
// any moment. Whatever happened, what is to run runs in the end, what is to go
// goes, and at no time do two containers of one name run in a Pod.
func TestInterruptedAtRandom(t *testing.T) {
	seeds := uint64(25)
	if testing.Short() {
		seeds = 8
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			n := newNode(t, seed)
			chance := sim.NewRand(seed)
			n.pass(2 * time.Second)
			n.create(bound("server", nil))
			n.create(bound("job", func(pod *corev1.Pod) {
				pod.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
				pod.Spec.Containers[0].Command = []string{"sleep", "5"}
			}))
			n.create(bound("with-init", func(pod *corev1.Pod) {
				pod.Spec.InitContainers = []corev1.Container{{Name: "init", Image: "busybox", Command: []string{"sleep", "1"}}}
			}))
			n.create(bound("doomed", nil))
			for range 5 {
				n.pass(chance.Between(50*time.Millisecond, 6*time.Second))
				switch chance.IntN(4) {
				case 0, 1:
					n.restartKubelet()
				case 2:
					n.powerCut()
					n.pass(chance.Between(0, 20*time.Second))
					n.boot()
				case 3:
					n.server.CloseWatches("kubelet/node-1", "")
				}
			}
			n.delete("doomed", metav1.DeleteOptions{})
			n.pass(chance.Between(0, 2*time.Second))
			n.restartKubelet()
			done := func() bool {
				return isRunning(n, "server")() && isRunning(n, "with-init")() && isGone(n, "doomed")() &&
					n.pod("job").Status.Phase == corev1.PodSucceeded
			}
			n.until("settled", 3*time.Minute, done)
			n.pass(2 * time.Minute)
			if !done() {
				t.Errorf("it didn't last: %v", n.pods())
			}
			running := map[string]string{}
			for _, e := range n.k.Trace().Events(1) {
				key := e.Object.Key() + "/" + e.Text("container")
				switch {
				case e.Op == trace.ContainerStart && running[key] != "":
					t.Errorf("event %d: %s runs as %s already", e.ID, key, running[key])
				case e.Op == trace.ContainerStart:
					running[key] = e.Text("id")
				case e.Op == trace.ContainerExit && running[key] == e.Text("id"):
					delete(running, key)
				case e.Op == trace.ComponentStop && strings.HasPrefix(e.Component, "containerd/"):
					clear(running)
				}
			}
			if cells := n.k.Trace().Now().Cells(trace.CellSandbox); len(cells) != 2 {
				t.Errorf("sandboxes at the end: %v", cells)
			}
		})
	}
}
