package cloud_test

import (
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/controlplane/cloud"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// world is a cloud of one machine, node-1, the program, and somebody who changes objects.
type world struct {
	t    *testing.T
	k    *sim.Kernel
	cs   *client.Clientset
	user *sim.Component
	on   bool // the machine
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, k: sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All)), on: true}
	t.Cleanup(w.k.Close)
	server := fake.NewServer(w.k)
	w.cs, w.user = client.New(server), w.k.Start("user")
	provider := cloud.NewCloud(w.k, []cloud.Instance{{Name: "node-1", Type: "standard-4", Zone: "zone-b", InternalIP: "10.0.0.10",
		Running: func() bool { return w.on }}})
	cloud.Start(w.k, server, cloud.Options{Provider: provider})
	return w
}

// change has the user do something, and lets some time pass.
func (w *world) change(do func(p *sim.Proc) error) {
	w.t.Helper()
	w.user.Go("user", func(p *sim.Proc) {
		if err := do(p); err != nil {
			w.t.Error(err)
		}
	})
	w.k.RunUntil(w.k.Elapsed() + 15*time.Second)
}

// node creates a Node as its kubelet does.
func (w *world) node(name string, ready corev1.ConditionStatus) {
	w.change(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().Nodes().Create(p, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: cloud.TaintExternalCloudProvider, Value: "true", Effect: corev1.TaintEffectNoSchedule}}},
			Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}},
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}},
		}, metav1.CreateOptions{})
		return err
	})
}

func (w *world) get(name string) (node *corev1.Node) {
	w.change(func(p *sim.Proc) (err error) {
		node, err = w.cs.CoreV1().Nodes().Get(p, name, metav1.GetOptions{})
		return err
	})
	return node
}

func (w *world) reasons() (out []string) {
	w.change(func(p *sim.Proc) error {
		list, err := w.cs.CoreV1().Events("").List(p, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range list.Items {
			out = append(out, e.Reason)
		}
		return nil
	})
	slices.Sort(out)
	return out
}

func TestANodeIsCompleted(t *testing.T) {
	w := newWorld(t)
	w.node("node-1", corev1.ConditionTrue)
	n := w.get("node-1")
	want := []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.10"}, {Type: corev1.NodeHostName, Address: "node-1"}}
	if n.Spec.ProviderID != "kubewalk://zone-b/node-1" || len(n.Spec.Taints) != 0 || !slices.Equal(n.Status.Addresses, want) ||
		n.Labels[corev1.LabelTopologyZone] != "zone-b" || n.Labels[corev1.LabelInstanceTypeStable] != "standard-4" || n.Labels[corev1.LabelTopologyRegion] == "" {
		t.Errorf("got %q, taints %v, %v, labels %v", n.Spec.ProviderID, n.Spec.Taints, n.Status.Addresses, n.Labels)
	}
	if got := w.reasons(); !slices.Equal(got, []string{"Synced"}) {
		t.Errorf("Events: %v", got)
	}
}

func TestInstancesThatAreOffOrGone(t *testing.T) {
	w := newWorld(t)
	w.on = false
	w.node("node-1", corev1.ConditionUnknown)
	w.node("node-9", corev1.ConditionUnknown)
	if n := w.get("node-1"); !slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == cloud.TaintNodeShutdown }) {
		t.Errorf("the machine is off, its Node has the taints %v", n.Spec.Taints)
	}
	w.change(func(p *sim.Proc) error {
		if _, err := w.cs.CoreV1().Nodes().Get(p, "node-9", metav1.GetOptions{}); err == nil {
			t.Error("the cloud has no node-9, and its Node is there")
		}
		return nil
	})
	if got := w.reasons(); !slices.Contains(got, "DeletingNode") {
		t.Errorf("Events: %v", got)
	}
}

func TestALoadBalancer(t *testing.T) {
	w := newWorld(t)
	w.node("node-1", corev1.ConditionTrue)
	services := w.cs.CoreV1().Services("default")
	w.change(func(p *sim.Proc) error {
		_, err := services.Create(p, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "u"},
			Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(80)}}}},
			metav1.CreateOptions{})
		return err
	})
	w.change(func(p *sim.Proc) error {
		s, err := services.Get(p, "web", metav1.GetOptions{})
		if err == nil && (len(s.Status.LoadBalancer.Ingress) != 1 || !slices.Contains(s.Finalizers, cloud.LoadBalancerCleanupFinalizer)) {
			t.Errorf("got %v, finalizers %v", s.Status.LoadBalancer, s.Finalizers)
		}
		return err
	})
	w.change(func(p *sim.Proc) error {
		s, err := services.Get(p, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		s = s.DeepCopy()
		s.Spec.Type = corev1.ServiceTypeClusterIP
		_, err = services.Update(p, s, metav1.UpdateOptions{})
		return err
	})
	w.change(func(p *sim.Proc) error {
		s, err := services.Get(p, "web", metav1.GetOptions{})
		if err == nil && (len(s.Status.LoadBalancer.Ingress) != 0 || len(s.Finalizers) != 0) {
			t.Errorf("it wants none any more: %v, finalizers %v", s.Status.LoadBalancer, s.Finalizers)
		}
		return err
	})
	want := []string{"DeletedLoadBalancer", "DeletingLoadBalancer", "EnsuredLoadBalancer", "EnsuringLoadBalancer", "Synced", "Type"}
	if got := w.reasons(); !slices.Equal(got, want) {
		t.Errorf("Events %v, want %v", got, want)
	}
}
