package cloud_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
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

	outage cloud.Outage
	open   map[string][]string // the nodes behind each address that answers
	routes []string            // the ranges that a route leads to
	cloud  *cloud.Cloud
}

// Open and Close implement cloud.Frontend.
func (w *world) Open(ip string, _ *corev1.Service, nodes []string) { w.open[ip] = nodes }
func (w *world) Close(ip string)                                   { delete(w.open, ip) }
func (w *world) Route(cidrs []string)                              { w.routes = cidrs }

func newWorld(t *testing.T) *world {
	return newWorldOf(t, func(c *cloud.Cloud) cloud.Provider { return c })
}

func newWorldOf(t *testing.T, provider func(*cloud.Cloud) cloud.Provider) *world {
	w := &world{t: t, k: sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All)), on: true,
		open: map[string][]string{}}
	t.Cleanup(w.k.Close)
	server := fake.NewServer(w.k)
	w.cs, w.user = client.New(server), w.k.Start("user")
	w.cloud = cloud.NewCloud(w.k, []cloud.Instance{{Name: "node-1", Type: "standard-4", Zone: "zone-b", InternalIP: "10.0.0.10",
		Running: func() bool { return w.on }}, {Name: "node-2", Running: func() bool { return true }}}, w, &w.outage)
	cloud.Start(w.k, server, cloud.Options{Provider: provider(w.cloud), ClusterCIDR: "10.244.0.0/16"})
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
	want := []string{"DeletedLoadBalancer", "DeletingLoadBalancer", "EnsuredLoadBalancer", "EnsuringLoadBalancer", "Synced"}
	if got := w.reasons(); !slices.Equal(got, want) {
		t.Errorf("Events %v, want %v", got, want)
	}
}

// balanced creates a Service that wants a load balancer.
func (w *world) balanced(name string) {
	w.change(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().Services("default").Create(p, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("u-" + name)},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(80)}}}},
			metav1.CreateOptions{})
		return err
	})
}

// behind is how many addresses answer, and the nodes behind each.
func (w *world) behind() (out [][]string) {
	for _, ip := range slices.Sorted(maps.Keys(w.open)) {
		out = append(out, w.open[ip])
	}
	return out
}

// messages are those of Events with a reason, in order.
func (w *world) messages(reason string) (out []string) {
	w.change(func(p *sim.Proc) error {
		list, err := w.cs.CoreV1().Events("").List(p, metav1.ListOptions{})
		if err == nil {
			for _, e := range list.Items {
				if e.Reason == reason {
					out = append(out, e.Type+" "+e.Message)
				}
			}
		}
		return err
	})
	return out
}

// TestNodesBehindALoadBalancer: they come and go, and are left out by a label.
func TestNodesBehindALoadBalancer(t *testing.T) {
	w := newWorld(t)
	w.balanced("web")
	if got := w.messages("UnAvailableLoadBalancer"); !slices.Equal(got, []string{"Warning There are no available nodes for LoadBalancer"}) {
		t.Errorf("without nodes: %q", got)
	}
	label := func(node, value string) {
		w.change(func(p *sim.Proc) error {
			_, err := w.cs.CoreV1().Nodes().Patch(p, node, types.MergePatchType, []byte(`{"metadata":{"labels":{"`+corev1.LabelNodeExcludeBalancers+`":`+value+`}}}`),
				metav1.PatchOptions{})
			return err
		})
	}
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"a node comes", func() { w.node("node-1", corev1.ConditionTrue) }, []string{"node-1"}},
		{"another", func() { w.node("node-2", corev1.ConditionTrue) }, []string{"node-1", "node-2"}},
		{"one is left out", func() { label("node-1", `"true"`) }, []string{"node-2"}},
		{"it is not", func() { label("node-1", `"false"`) }, []string{"node-1", "node-2"}},
		{"one goes", func() {
			w.change(func(p *sim.Proc) error { return w.cs.CoreV1().Nodes().Delete(p, "node-2", metav1.DeleteOptions{}) })
		}, []string{"node-1"}},
	} {
		step.do()
		if got := w.behind(); len(got) != 1 || !slices.Equal(got[0], step.want) {
			t.Errorf("%s: %q are behind it, want %q", step.name, got, step.want)
		}
	}
	if got := w.messages("UpdatedLoadBalancer"); len(got) == 0 || got[0] != "Normal Updated load balancer with new hosts" {
		t.Errorf("Events: %q", got)
	}
}

// TestTheQuotaIsUsedUp: what failed is tried again after 5 s, 10 s, 20 s …, and succeeds when it can.
func TestTheQuotaIsUsedUp(t *testing.T) {
	w := newWorld(t)
	w.node("node-1", corev1.ConditionTrue)
	w.balanced("first")
	w.outage.Quota = true
	w.balanced("second")
	w.k.RunUntil(w.k.Elapsed() + 30*time.Second)
	want := "Warning Error syncing load balancer: failed to ensure load balancer: CreateLoadBalancer: quota exceeded: region-1 has 1 load balancers of 1"
	if got := w.messages("SyncLoadBalancerFailed"); len(got) == 0 || got[0] != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	var delays []string
	for _, e := range w.k.Trace().Events(1) {
		if e.Op == trace.QueueDelay && e.Text("key") == "default/second" {
			delays = append(delays, e.Text("after"))
		}
	}
	if want := []string{"5s", "10s", "20s", "40s"}; !slices.Equal(delays, want) {
		t.Errorf("tried again after %v, want %v", delays, want)
	}
	if got := w.behind(); len(got) != 1 {
		t.Errorf("%q answer", got)
	}
	w.outage.Quota = false
	w.k.RunUntil(w.k.Elapsed() + 60*time.Second)
	if got := w.behind(); len(got) != 2 {
		t.Errorf("when the quota is larger: %q answer", got)
	}
}

// TestTheCloudAnswersNothing: a load balancer is kept until it can be taken away, and so is a Node that can't be asked about.
func TestTheCloudAnswersNothing(t *testing.T) {
	w := newWorld(t)
	w.node("node-1", corev1.ConditionTrue)
	w.balanced("web")
	w.outage.APIErrors = true
	services := w.cs.CoreV1().Services("default")
	w.change(func(p *sim.Proc) error {
		_, err := services.Patch(p, "web", types.MergePatchType, []byte(`{"spec":{"type":"ClusterIP"}}`), metav1.PatchOptions{})
		return err
	})
	w.node("node-9", corev1.ConditionUnknown)
	w.get("node-9")
	want := "Warning Error syncing load balancer: failed to check if load balancer exists before cleanup: GetLoadBalancer: 503 Service Unavailable"
	if got := w.messages("SyncLoadBalancerFailed"); len(got) == 0 || got[0] != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	finalizers := func() (out []string) {
		w.change(func(p *sim.Proc) error {
			s, err := services.Get(p, "web", metav1.GetOptions{})
			if err == nil {
				out = s.Finalizers
			}
			return err
		})
		return out
	}
	if got := finalizers(); len(got) != 1 || len(w.behind()) != 1 {
		t.Errorf("finalizers %q, %q answer", got, w.behind())
	}
	w.outage.APIErrors = false
	w.k.RunUntil(w.k.Elapsed() + 2*time.Minute)
	w.change(func(p *sim.Proc) error {
		if _, err := w.cs.CoreV1().Nodes().Get(p, "node-9", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the Node is there: %v", err)
		}
		return nil
	})
	if got := finalizers(); len(got) != 0 || len(w.behind()) != 0 {
		t.Errorf("finalizers %q, %q answer", got, w.behind())
	}
}

// TestWhatALoadBalancerDependsOn: a change of what it does not depend on asks the cloud nothing.
func TestWhatALoadBalancerDependsOn(t *testing.T) {
	for _, test := range []struct {
		patch string
		want  bool
	}{
		{`{"spec":{"selector":{"app":"other"}}}`, false},
		{`{"metadata":{"labels":{"a":"b"}}}`, false},
		{`{"metadata":{"annotations":{"a":"b"}}}`, true},
		{`{"spec":{"ports":[{"port":81}]}}`, true},
		{`{"spec":{"externalTrafficPolicy":"Local"}}`, true},
	} {
		w := newWorld(t)
		w.node("node-1", corev1.ConditionTrue)
		w.balanced("web")
		before := w.k.Elapsed()
		w.change(func(p *sim.Proc) error {
			_, err := w.cs.CoreV1().Services("default").Patch(p, "web", types.MergePatchType, []byte(test.patch), metav1.PatchOptions{})
			return err
		})
		synced := false
		for _, e := range w.k.Trace().Events(1) {
			synced = synced || e.At > before && e.Op == trace.QueueGet && e.Text("key") == "default/web"
		}
		if synced != test.want {
			t.Errorf("%s: synced %v", test.patch, synced)
		}
	}
}
