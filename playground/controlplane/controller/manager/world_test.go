package manager_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/daemonset"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// world is a real API server, the controllers, and a stand-in for scheduler and
// kubelets. Every write that the API server answers is in audit, as
// "component verb resource code".
type world struct {
	t       *testing.T
	k       *sim.Kernel
	server  client.Transport
	cs      *client.Clientset
	m       *manager.Manager
	user    *sim.Component
	audit   []string
	created []time.Duration // when the ReplicaSet controller sent requests to create Pods
	refuse  func(component string, r *client.Request) error
	paused  map[string]bool // "component/resource": watch events are held back
	silent  map[string]bool // nodes whose kubelet does nothing

	seen   any // the store's revision that listed is of
	listed map[string][]any
}

func newWorld(t *testing.T, options manager.Options, nodes ...string) *world {
	t.Helper()
	k := sim.New(7, epoch, trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	w := &world{t: t, k: k, paused: map[string]bool{}, silent: map[string]bool{}, refuse: func(string, *client.Request) error { return nil }}
	w.server = apiserver.New(k.Start("kube-apiserver"), store.New(k.Start("etcd"), store.DefaultOptions()), apiserver.DefaultOptions())
	w.cs = client.New(w)
	w.user = k.Start("kubectl")
	w.run(time.Second)
	w.do(func(p *sim.Proc) error {
		for _, name := range nodes {
			if err := w.addNode(p, name); err != nil {
				return err
			}
		}
		_, err := w.cs.CoreV1().Namespaces().Create(p, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-node-lease"}}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
		return nil
	})
	for i, name := range nodes {
		k.Start("kubelet/"+name).Go("kubelet", func(p *sim.Proc) { w.kubelet(p, name, i) })
	}
	k.Start("scheduler").Go("scheduler", func(p *sim.Proc) { w.scheduler(p, nodes) })
	m, err := manager.Start(k, w, options)
	if err != nil {
		t.Fatal(err)
	}
	w.m = m
	w.run(2 * time.Second)
	w.audit = nil
	return w
}

func (w *world) run(d time.Duration) { w.k.RunUntil(w.k.Elapsed() + d) }

// do runs body as a process of the user and waits for it.
func (w *world) do(body func(p *sim.Proc) error) {
	w.t.Helper()
	done := false
	w.user.Go("user", func(p *sim.Proc) {
		if err := body(p); err != nil {
			w.t.Error(err)
		}
		done = true
	})
	for limit := w.k.Elapsed() + time.Minute; !done; {
		if w.k.Elapsed() > limit || !w.k.Step() {
			w.t.Fatal("the user waits for an answer that does not come")
		}
	}
}

// until runs the world until a condition holds, and fails when it does not.
func (w *world) until(limit time.Duration, what string, holds func() bool) {
	w.t.Helper()
	end := w.k.Elapsed() + limit
	for !holds() {
		if w.k.Elapsed() >= end {
			w.t.Fatalf("after %v: not %s\npods: %s\naudit:\n%s\nlog:\n%s", limit, what, w.show(), strings.Join(w.audit, "\n"), w.log(40))
		}
		w.run(50 * time.Millisecond)
	}
}

// log is the newest log lines.
func (w *world) log(n int) string {
	var lines []string
	for _, e := range w.k.Trace().Events(1) {
		if e.Op == trace.Log {
			line := fmt.Sprintf("%v %s/%s", e.At, e.Component, e.Process)
			for _, a := range e.Attrs {
				line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Do is the transport of all: it refuses what the test says, and keeps the audit.
func (w *world) Do(p *sim.Proc, r *client.Request) (client.Result, error) {
	component := p.Component().Name()
	if (component == "replicaset-controller" || component == "daemon-set-controller") && r.Verb == client.Create && r.Resource.Resource == "pods" {
		w.created = append(w.created, p.Now())
	}
	err := w.refuse(component, r)
	var result client.Result
	if err == nil {
		result, err = w.server.Do(p, r)
	}
	if r.Verb != client.Get && r.Verb != client.List && component != "kubectl" && !strings.HasPrefix(component, "kubelet") && component != "scheduler" {
		resource := r.Resource.Resource
		if r.Subresource != "" {
			resource += "/" + r.Subresource
		}
		code := "ok"
		if err != nil {
			code = string(apierrors.ReasonForError(err))
		}
		w.audit = append(w.audit, strings.Join([]string{component, r.Verb, resource, code}, " "))
	}
	return result, err
}

func (w *world) Watch(p *sim.Proc, r *client.Request) (client.Stream, error) {
	s, err := w.server.Watch(p, r)
	if err != nil {
		return nil, err
	}
	return &heldStream{s, w, p.Component().Name() + "/" + r.Resource.Resource}, nil
}

// heldStream delivers late while its watch is paused.
type heldStream struct {
	client.Stream
	w   *world
	key string
}

func (s *heldStream) Next(p *sim.Proc) (client.Event, bool) {
	e, ok := s.Stream.Next(p)
	for s.w.paused[s.key] {
		p.Sleep(10 * time.Millisecond)
	}
	return e, ok
}

// count tells how often a line is in the audit.
func (w *world) count(line string) int {
	n := 0
	for _, l := range w.audit {
		if l == line {
			n++
		}
	}
	return n
}

func (w *world) expectCount(line string, want int) {
	w.t.Helper()
	if got := w.count(line); got != want {
		w.t.Errorf("%q %d times, want %d\naudit:\n%s", line, got, want, strings.Join(w.audit, "\n"))
	}
}

// objects reads the cells of the trace, so that looking takes no time.
func objects[T api.Object](w *world, resource string) []T {
	state := w.k.Trace().Now()
	if revision := state[trace.Cell{Kind: trace.CellRevision, Owner: "store"}]; w.listed == nil || w.seen != revision {
		w.seen, w.listed = revision, map[string][]any{}
		for _, cell := range state.Cells(trace.CellObject) {
			w.listed[cell.Owner] = append(w.listed[cell.Owner], state[cell])
		}
	}
	var out []T
	for _, obj := range w.listed[resource] {
		if obj, ok := obj.(T); ok {
			out = append(out, obj)
		}
	}
	return out
}

func (w *world) pods() []*corev1.Pod { return objects[*corev1.Pod](w, "pods") }

func (w *world) replicaSet(name string) *appsv1.ReplicaSet {
	for _, rs := range objects[*appsv1.ReplicaSet](w, "replicasets") {
		if rs.Name == name {
			return rs
		}
	}
	return nil
}

func (w *world) node(name string) *corev1.Node {
	for _, n := range objects[*corev1.Node](w, "nodes") {
		if n.Name == name {
			return n
		}
	}
	return nil
}

func (w *world) events(reason string) []*corev1.Event {
	var out []*corev1.Event
	for _, e := range objects[*corev1.Event](w, "events") {
		if e.Reason == reason {
			out = append(out, e)
		}
	}
	return out
}

func (w *world) show() string {
	var out []string
	for _, p := range w.pods() {
		state := string(p.Status.Phase)
		if controller.IsPodReady(p) {
			state = "Ready"
		}
		if p.DeletionTimestamp != nil {
			state += ",deleted"
		}
		out = append(out, p.Name+"("+p.Spec.NodeName+" "+state+")")
	}
	return strings.Join(out, " ")
}

func (w *world) ready(name string, n int32) func() bool {
	return func() bool {
		rs := w.replicaSet(name)
		return rs != nil && rs.Status.ReadyReplicas == n && rs.Status.Replicas == n && rs.Status.ObservedGeneration == rs.Generation && int(n) == len(w.pods())
	}
}

func webReplicaSet(replicas int32) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}
	rs.Spec.Replicas = &replicas
	rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	rs.Spec.Template.Labels = map[string]string{"app": "web"}
	rs.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "nginx:1.27"}}
	return rs
}

func (w *world) create(rs *appsv1.ReplicaSet) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.AppsV1().ReplicaSets(rs.Namespace).Create(p, rs, metav1.CreateOptions{})
		return err
	})
}

func (w *world) change(name string, change func(rs *appsv1.ReplicaSet)) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		c := w.cs.AppsV1().ReplicaSets("default")
		for {
			rs, err := c.Get(p, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			rs = rs.DeepCopy()
			change(rs)
			if _, err = c.Update(p, rs, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				return err
			}
		}
	})
}

func (w *world) scale(name string, n int32) {
	w.t.Helper()
	w.change(name, func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = &n })
}

func (w *world) deleteRS(name string, policy metav1.DeletionPropagation) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		return w.cs.AppsV1().ReplicaSets("default").Delete(p, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	})
}

func (w *world) addNode(p *sim.Proc, name string) error {
	_, err := w.cs.CoreV1().Nodes().Create(p, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}}},
		metav1.CreateOptions{})
	return err
}

// scheduler binds Pods in turn to nodes that nothing keeps new Pods away from.
func (w *world) scheduler(p *sim.Proc, nodes []string) {
	next := 0
	for len(nodes) > 0 {
		p.Sleep(7 * time.Millisecond)
		for _, pod := range w.pods() {
			if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil {
				continue
			}
			for range nodes {
				name := nodes[next%len(nodes)]
				next++
				if target, err := daemonset.GetTargetNodeName(pod); err == nil {
					name = target
				} else if n := w.node(name); n == nil || len(n.Spec.Taints) > 0 {
					continue
				}
				binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace},
					Target: corev1.ObjectReference{Kind: "Node", Name: name}}
				_, err := w.Do(p, &client.Request{Verb: client.Create, Resource: podsResource, Subresource: "binding", Namespace: pod.Namespace, Name: pod.Name,
					Object: binding})
				if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
					w.t.Errorf("bind %s: %v", pod.Name, err)
				}
				break
			}
		}
	}
}

var podsResource = api.GroupVersionResource{Version: "v1", Resource: "pods"}

// kubelet starts the Pods of a node, ends those that are deleted, and gives
// signs of life every ten seconds.
func (w *world) kubelet(p *sim.Proc, name string, offset int) {
	p.Sleep(time.Duration(offset) * time.Millisecond)
	var lastSign time.Duration = -time.Hour
	wasSilent := true
	for {
		p.Sleep(11 * time.Millisecond)
		if w.silent[name] || w.node(name) == nil {
			wasSilent = true
			continue
		}
		if wasSilent || p.Now()-lastSign >= 10*time.Second {
			lastSign = p.Now()
			w.signOfLife(p, name, wasSilent)
			wasSilent = false
		}
		for _, pod := range w.pods() {
			if pod.Spec.NodeName != name {
				continue
			}
			switch {
			case pod.DeletionTimestamp != nil:
				now := int64(0)
				if err := w.cs.CoreV1().Pods(pod.Namespace).Delete(p, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil && !apierrors.IsNotFound(err) {
					w.t.Errorf("end %s: %v", pod.Name, err)
				}
			case !controller.IsPodReady(pod):
				pod = pod.DeepCopy()
				pod.Status.Phase = corev1.PodRunning
				controller.UpdatePodCondition(&pod.Status, &corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}, metav1.NewTime(p.Time()))
				_, err := w.cs.CoreV1().Pods(pod.Namespace).UpdateStatus(p, pod, metav1.UpdateOptions{})
				if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
					w.t.Errorf("start %s: %v", pod.Name, err)
				}
			}
		}
	}
}

func (w *world) signOfLife(p *sim.Proc, name string, status bool) {
	leases := w.cs.CoordinationV1().Leases("kube-node-lease")
	now := metav1.NewMicroTime(p.Time())
	lease, err := leases.Get(p, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = leases.Create(p, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "kube-node-lease"},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &name, RenewTime: &now}}, metav1.CreateOptions{})
	case err == nil:
		lease = lease.DeepCopy()
		lease.Spec.RenewTime = &now
		_, err = leases.Update(p, lease, metav1.UpdateOptions{})
	}
	if err != nil {
		w.t.Errorf("lease of %s: %v", name, err)
	}
	if !status {
		return
	}
	node, err := w.cs.CoreV1().Nodes().Get(p, name, metav1.GetOptions{})
	if err != nil {
		w.t.Errorf("node %s: %v", name, err)
		return
	}
	heartbeat := metav1.NewTime(p.Time())
	patch, _ := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue,
		Reason: "KubeletReady", LastHeartbeatTime: heartbeat, LastTransitionTime: heartbeat}}}})
	if _, err := w.cs.CoreV1().Nodes().Patch(p, node.Name, "application/strategic-merge-patch+json", patch, metav1.PatchOptions{}, "status"); err != nil {
		w.t.Errorf("status of %s: %v", name, err)
	}
}

// gaps splits the times at which Pods were asked for into batches: those that
// were under way together.
func batches(at []time.Duration) []int {
	slices.Sort(at)
	var out []int
	for i, t := range at {
		if i == 0 || t > at[i-1] {
			out = append(out, 0)
		}
		out[len(out)-1]++
	}
	return out
}

func sortedNames(pods []*corev1.Pod) []string {
	var out []string
	for _, p := range pods {
		out = append(out, p.Name)
	}
	sort.Strings(out)
	return out
}

func (w *world) Kinds() api.KindSet { return api.Kinds() }
