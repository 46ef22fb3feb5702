package kubelet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// node is a cluster of an API server and one node. A test creates Pods that are
// bound already, as no scheduler is there.
type node struct {
	t       *testing.T
	k       *sim.Kernel
	server  *apiserver.Server
	disk    *cri.Disk
	runtime *cri.Runtime
	kubelet *kubelet.Kubelet
	options kubelet.Options
	user    *sim.Component
}

func newNode(t *testing.T, seed uint64) *node {
	t.Helper()
	k := sim.New(seed, time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	n := &node{t: t, k: k, disk: cri.NewDisk(), options: kubelet.Options{Node: "node-1"}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("reproduce with seed=%d", seed)
		}
		k.Close()
	})
	st := store.New(k.Start("etcd"), store.DefaultOptions())
	n.server = apiserver.New(k.Start("kube-apiserver"), st, apiserver.DefaultOptions())
	n.user = k.Start("kubectl")
	n.boot()
	return n
}

func newDisk() *cri.Disk { return cri.NewDisk() }

// boot switches the machine on.
func (n *node) boot() {
	n.runtime = cri.Start(n.k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24", Disk: n.disk})
	n.startKubelet()
}

func (n *node) startKubelet() { n.kubelet = kubelet.Start(n.k, n.server, n.runtime, n.options) }

func (n *node) restartKubelet() {
	n.kubelet.Component().Stop("restart")
	n.startKubelet()
}

func (n *node) powerCut() {
	n.kubelet.Component().Stop("power cut")
	n.runtime.Component().Stop("power cut")
}

// do runs something against the API, as a user would, and lets time pass until it is done.
func (n *node) do(what string, do func(p *sim.Proc, cs *client.Clientset) error) {
	n.t.Helper()
	done := false
	n.user.Go(what, func(p *sim.Proc) {
		if err := do(p, client.New(n.server)); err != nil {
			n.t.Errorf("%s: %v", what, err)
		}
		done = true
	})
	for i := 0; !done && i < 100; i++ {
		n.pass(10 * time.Millisecond)
	}
	if !done {
		n.t.Fatalf("%s: no answer", what)
	}
}

func (n *node) pass(d time.Duration) { n.k.RunUntil(n.k.Elapsed() + d) }

// until lets time pass until something holds, and tells how long that took.
func (n *node) until(what string, limit time.Duration, holds func() bool) time.Duration {
	n.t.Helper()
	began := n.k.Elapsed()
	for !holds() {
		if n.k.Elapsed()-began > limit {
			n.t.Fatalf("after %v still not %s; Pods: %v\n%s", limit, what, n.pods(), n.log(40))
		}
		n.pass(10 * time.Millisecond)
	}
	return n.k.Elapsed() - began
}

// current returns an object of the store, nil if there is none.
func current[T api.Object](n *node, resource, namespace, name string) (none T) {
	if obj := n.server.Store().Current(store.Key{Resource: resource, Namespace: namespace, Name: name}); obj != nil {
		return obj.(T)
	}
	return none
}

func (n *node) pod(name string) *corev1.Pod { return current[*corev1.Pod](n, "pods", "default", name) }

func (n *node) pods() []string {
	var out []string
	for _, obj := range n.server.Store().At("pods", "", n.server.Store().Revision()) {
		pod := obj.(*corev1.Pod)
		out = append(out, pod.Name+" "+summary(pod))
	}
	return out
}

// summary is a Pod's status in one line: phase, whether it is ready, and each
// container's state and restarts.
func summary(pod *corev1.Pod) string {
	var b strings.Builder
	b.WriteString(string(pod.Status.Phase))
	if pod.Status.Reason != "" {
		b.WriteString("(" + pod.Status.Reason + ")")
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			b.WriteString(" ready")
		}
	}
	if pod.DeletionTimestamp != nil {
		b.WriteString(" deleting")
	}
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, s := range list {
			fmt.Fprintf(&b, " %s:", s.Name)
			switch {
			case s.State.Running != nil:
				b.WriteString("running")
			case s.State.Terminated != nil:
				fmt.Fprintf(&b, "%s/%d", s.State.Terminated.Reason, s.State.Terminated.ExitCode)
			case s.State.Waiting != nil:
				b.WriteString(s.State.Waiting.Reason)
			}
			if s.RestartCount > 0 {
				fmt.Fprintf(&b, "x%d", s.RestartCount)
			}
		}
	}
	return b.String()
}

// bound makes a Pod that is bound to the node.
func bound(name string, change func(*corev1.Pod)) *corev1.Pod {
	grace := int64(30)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	pod.Spec = corev1.PodSpec{NodeName: "node-1", RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: &grace,
		Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27", ImagePullPolicy: corev1.PullIfNotPresent}}}
	if change != nil {
		change(pod)
	}
	return pod
}

func (n *node) create(pod *corev1.Pod) {
	n.t.Helper()
	n.do("create "+pod.Name, func(p *sim.Proc, cs *client.Clientset) error {
		_, err := cs.CoreV1().Pods("default").Create(p, pod, metav1.CreateOptions{})
		return err
	})
}

func (n *node) delete(name string, options metav1.DeleteOptions) {
	n.t.Helper()
	n.do("delete "+name, func(p *sim.Proc, cs *client.Clientset) error {
		return cs.CoreV1().Pods("default").Delete(p, name, options)
	})
}

// history is the statuses that a Pod went through, one after the other.
func (n *node) history(name string) []string {
	var out []string
	for _, e := range n.k.Trace().Events(1) {
		if e.Op != trace.StoreCommit || e.Object.Resource != "pods" || e.Object.Name != name {
			continue
		}
		for _, d := range e.Deltas {
			if d.Cell.Kind != trace.CellObject {
				continue
			}
			line := "gone"
			if pod, ok := d.New.(*corev1.Pod); ok {
				line = summary(pod)
			}
			if len(out) == 0 || out[len(out)-1] != line {
				out = append(out, line)
			}
		}
	}
	return out
}

// events is what was recorded about an object: "Pulling: Pulling image …".
func (n *node) events(kind, name string) []string {
	var out []string
	for _, e := range n.k.Trace().Events(1) {
		if e.Op != trace.StoreCommit || e.Object.Resource != "events" || e.Text("type") != "ADDED" {
			continue
		}
		for _, d := range e.Deltas {
			if event, ok := d.New.(*corev1.Event); ok && event.InvolvedObject.Kind == kind && event.InvolvedObject.Name == name {
				out = append(out, event.Type+" "+event.Reason+": "+event.Message)
			}
		}
	}
	return out
}

// ops is what the runtime did, in order: "container.start web".
func (n *node) ops(prefix string) []string {
	var out []string
	for _, e := range n.k.Trace().Events(1) {
		if e.Component == "containerd/node-1" && strings.HasPrefix(string(e.Op), prefix) && e.Op != trace.ComponentStart {
			line := string(e.Op)
			for _, key := range []string{"container", "image", "state", "code", "signal"} {
				if v := e.Text(key); v != "" {
					line += " " + v
				}
			}
			out = append(out, line)
		}
	}
	return out
}

// requests is what the kubelet asked of the API server about a resource: "PATCH 200 …".
func (n *node) requests(resource string) []string {
	var out []string
	for _, e := range n.k.Trace().Events(1) {
		if e.Op == trace.RequestDone && e.Object.Resource == resource && e.Component == "kubelet/node-1" {
			out = append(out, e.Text("verb")+" "+e.Text("code"))
		}
	}
	return out
}

func (n *node) log(last int) string {
	var lines []string
	for _, e := range n.k.Trace().Events(1) {
		if e.Op == trace.Log {
			line := fmt.Sprintf("%v %s %s", e.At, e.Component, e.Process)
			for _, a := range e.Attrs {
				line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-last):], "\n")
}

func deleteOptions(grace *int64) metav1.DeleteOptions {
	return metav1.DeleteOptions{GracePeriodSeconds: grace}
}

// watches is how many watches of a resource the kubelet has open.
func (n *node) watches(resource string) int {
	open := 0
	for _, c := range n.k.Trace().Now().Cells(trace.CellWatch) {
		if c.Owner == "kubelet/node-1" && n.k.Trace().Now()[c] == resource {
			open++
		}
	}
	return open
}
