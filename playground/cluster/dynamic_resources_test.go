package cluster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/cluster"
	_ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
	"kubewalk/playground/trace"
)

// deviceCluster has two nodes: node-1 has a small device, node-2 a large one and a tainted one.
type deviceCluster struct {
	*cluster.Cluster
	t *testing.T
}

func newDeviceCluster(t *testing.T, change ...func(*cluster.Config)) deviceCluster {
	config := cluster.DefaultConfig()
	config.Nodes, config.Devices, config.CEL, config.Controllers = cluster.NumberedNodes(2), true, true, []string{"*"}
	for _, f := range change {
		f(&config)
	}
	c := deviceCluster{cluster.New(config, 3), t}
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu"},"spec":{
		"selectors":[{"cel":{"expression":"device.driver == 'gpu.example.com'"}}],
		"config":[{"opaque":{"driver":"gpu.example.com","parameters":{"kind":"defaults"}}}]}}`)
	for node, devices := range [...]string{
		`{"name":"gpu-0","attributes":{"size":{"string":"small"}}}`,
		`{"name":"gpu-0","attributes":{"size":{"string":"large"}}},{"name":"gpu-1","attributes":{"size":{"string":"large"}},
			"taints":[{"key":"broken","effect":"NoSchedule"}]}`,
	} {
		c.apply(fmt.Sprintf(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"node-%[1]d-gpu"},"spec":{"driver":"gpu.example.com",
			"nodeName":"node-%[1]d","pool":{"name":"node-%[1]d","generation":1,"resourceSliceCount":1},"devices":[%[2]s]}}`, node+1, devices))
	}
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"large","namespace":"default"},"spec":{"spec":{"devices":{
		"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","selectors":[
			{"cel":{"expression":"device.attributes['gpu.example.com'].size == 'large'"}}]}}]}}}}`)
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"shared","namespace":"default"},"spec":{"devices":{
		"requests":[{"name":"r","firstAvailable":[{"name":"huge","deviceClassName":"gpu","count":3},{"name":"any","deviceClassName":"gpu"}]}],
		"config":[{"requests":["r/any"],"opaque":{"driver":"gpu.example.com","parameters":{"kind":"own"}}}]}}}`)
	return c
}

func (c deviceCluster) run(d time.Duration) { c.RunUntil(c.Elapsed() + d) }

func (c deviceCluster) apply(manifest string) {
	c.t.Helper()
	now(c.t, c.Cluster, cluster.Input{Kind: cluster.Apply, Manifest: []byte(manifest)})
}

// pod makes a Pod with a claim: of a template, or one that is there.
func (c deviceCluster) pod(name, claim string) {
	c.t.Helper()
	c.apply(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"default"},"spec":{"terminationGracePeriodSeconds":1,
		"resourceClaims":[{"name":"gpu",%s}],"containers":[{"name":"c","image":"nginx:1.27","resources":{"claims":[{"name":"gpu"}]}}]}}`, name, claim))
}

func (c deviceCluster) delete(resource, name string) {
	c.t.Helper()
	now(c.t, c.Cluster, cluster.Input{Kind: cluster.Delete, Resource: resource, Namespace: "default", Name: name})
}

func (c deviceCluster) get(name string) *corev1.Pod {
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if p, ok := state[cell].(*corev1.Pod); ok && p.Name == name {
			return p
		}
	}
	c.t.Fatalf("there is no Pod %s", name)
	return nil
}

// claims are those of a name, or whose names begin with it.
func (c deviceCluster) claims(prefix string) (out []*resourcev1.ResourceClaim) {
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if claim, ok := state[cell].(*resourcev1.ResourceClaim); ok && strings.HasPrefix(claim.Name, prefix) {
			out = append(out, claim)
		}
	}
	return out
}

// unschedulable is why a Pod has no node.
func unschedulable(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return c.Message
		}
	}
	return ""
}

// TestDynamicResources: a Pod goes where its claim gets a device, which nobody else gets before it is gone.
func TestDynamicResources(t *testing.T) {
	c := newDeviceCluster(t)
	c.pod("a", `"resourceClaimTemplateName":"large"`)
	c.run(20 * time.Second)
	pod, made := c.get("a"), c.claims("a-gpu-")
	if pod.Spec.NodeName != "node-2" || len(made) != 1 {
		t.Fatalf("on node %q: %s; claims %v", pod.Spec.NodeName, unschedulable(pod), made)
	}
	claim := made[0]
	a := claim.Status.Allocation
	if a == nil || len(a.Devices.Results) != 1 || len(a.Devices.Config) != 1 || a.AllocationTimestamp == nil ||
		!slices.Contains(claim.Finalizers, resourcev1.Finalizer) || len(claim.Status.ReservedFor) != 1 {
		t.Fatalf("%v %+v", claim.Finalizers, claim.Status)
	}
	if r := a.Devices.Results[0]; r.Request != "r" || r.Driver != "gpu.example.com" || r.Pool != "node-2" || r.Device != "gpu-0" {
		t.Errorf("result %+v", r)
	}
	if f := a.NodeSelector.NodeSelectorTerms[0].MatchFields[0]; f.Key != "metadata.name" || !slices.Equal(f.Values, []string{"node-2"}) {
		t.Errorf("node selector %+v", f)
	}
	if conf := a.Devices.Config[0]; conf.Source != "FromClass" || !slices.Equal(conf.Requests, []string{"r"}) {
		t.Errorf("config %+v", conf)
	}
	if r := claim.Status.ReservedFor[0]; r.Resource != "pods" || r.Name != "a" || r.UID != pod.UID {
		t.Errorf("reserved for %+v", r)
	}

	c.pod("b", `"resourceClaimTemplateName":"large"`)
	c.run(20 * time.Second)
	if got, want := unschedulable(c.get("b")), "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, "+
		"preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	c.delete("pods", "a")
	c.run(40 * time.Second)
	if pod := c.get("b"); pod.Spec.NodeName != "node-2" || len(c.claims("a-")) != 0 {
		t.Errorf("after the first is gone: on node %q: %s; claims %v", pod.Spec.NodeName, unschedulable(pod), c.claims("a-"))
	}
}

// TestSchedulerOfDevicesRestarts: a scheduler that was started again knows the claims of today, and what is free.
func TestSchedulerOfDevicesRestarts(t *testing.T) {
	c := newDeviceCluster(t)
	c.pod("a", `"resourceClaimTemplateName":"large"`)
	c.run(20 * time.Second)
	now(t, c.Cluster, cluster.Input{Kind: cluster.Stop, Component: "kube-scheduler"})
	c.pod("b", `"resourceClaimTemplateName":"large"`)
	c.run(5 * time.Second)
	c.delete("pods", "a")
	c.run(10 * time.Second)
	now(t, c.Cluster, cluster.Input{Kind: cluster.Start, Component: "kube-scheduler"})
	c.run(20 * time.Second)
	if pod := c.get("b"); pod.Spec.NodeName != "node-2" {
		t.Errorf("after a restart: on node %q: %s", pod.Spec.NodeName, unschedulable(pod))
	}
}

// TestSharedClaim: Pods that share a claim go to the same node; who comes before it is made, waits; it gets the first alternative that there is.
func TestSharedClaim(t *testing.T) {
	c := newDeviceCluster(t)
	for _, name := range []string{"a", "b", "c"} {
		c.pod(name, `"resourceClaimName":"shared"`)
	}
	c.run(40 * time.Second)
	claim := c.claims("shared")[0]
	if a := claim.Status.Allocation; a == nil || len(a.Devices.Results) != 1 || a.Devices.Results[0].Request != "r/any" || len(a.Devices.Config) != 2 ||
		a.Devices.Config[1].Source != "FromClaim" || len(claim.Status.ReservedFor) != 3 {
		t.Fatalf("%+v", claim.Status)
	}
	for _, name := range []string{"a", "b", "c"} {
		if p := c.get(name); p.Spec.NodeName != claim.Status.Allocation.Devices.Results[0].Pool {
			t.Errorf("%s is on %q: %s", name, p.Spec.NodeName, unschedulable(p))
		}
	}
	c.pod("late", `"resourceClaimName":"later"`)
	c.run(5 * time.Second)
	if p := c.get("late"); p.Spec.NodeName != "" {
		t.Errorf("without a claim on %q", p.Spec.NodeName)
	}
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"later","namespace":"default"},
		"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"none"}}]}}}`)
	c.run(20 * time.Second)
	if got := unschedulable(c.get("late")); !strings.Contains(got, "request r: device class none does not exist") {
		t.Error(got)
	}
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"none"},"spec":{}}`)
	c.run(20 * time.Second)
	if p := c.get("late"); p.Spec.NodeName == "" {
		t.Error(unschedulable(p))
	}
}

// TestDeallocation: a claim that nobody uses, and that a node has which the Pod cannot go to, is given back.
func TestDeallocation(t *testing.T) {
	c := newDeviceCluster(t)
	c.pod("a", `"resourceClaimName":"shared"`)
	c.run(20 * time.Second)
	first := c.claims("shared")[0].Status.Allocation.Devices.Results[0].Pool
	c.delete("pods", "a")
	c.run(30 * time.Second)
	// It is given back with its Pod; somebody allocates it again, and nobody reserves it.
	now(t, c.Cluster, cluster.Input{Kind: cluster.Command, Args: []string{"patch", "resourceclaim", "shared", "--subresource=status", "--type=merge", "-p",
		fmt.Sprintf(`{"status":{"allocation":{"devices":{"results":[{"request":"r/any","driver":"gpu.example.com","pool":%[1]q,"device":"gpu-0"}]},
		"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":[%[1]q]}]}]}}}}`, first)}})
	now(t, c.Cluster, cluster.Input{Kind: cluster.Command, Args: []string{"cordon", first}})
	c.pod("b", `"resourceClaimName":"shared"`)
	c.run(60 * time.Second)
	p, claim := c.get("b"), c.claims("shared")[0]
	if p.Spec.NodeName == "" || p.Spec.NodeName == first {
		t.Errorf("on %q, of which the claim was: %s; %+v", p.Spec.NodeName, unschedulable(p), claim.Status)
	}
}

// logged counts the messages of kubelets.
func (c deviceCluster) logged(message string) (n int) {
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.Log && strings.HasPrefix(e.Component, "kubelet/") && slices.Contains(e.Attrs, trace.Attr{Key: "message", Value: message}) {
			n++
		}
	}
	return n
}

// TestPrepareResources: a claim is prepared once for all Pods of a node that share it, before they start, and taken back after the last; a Pod
// for which it is not reserved does not start.
func TestPrepareResources(t *testing.T) {
	c := newDeviceCluster(t)
	for _, name := range []string{"a", "b"} {
		c.pod(name, `"resourceClaimName":"shared"`)
		c.run(20 * time.Second) // who comes while a claim is being prepared asks for it, too
	}
	if n := c.logged("NodePrepareResources succeeded"); n != 1 || c.get("a").Status.Phase != corev1.PodRunning || c.get("b").Status.Phase != corev1.PodRunning {
		t.Errorf("prepared %d times; %s, %s", n, c.get("a").Status.Phase, c.get("b").Status.Phase)
	}
	c.delete("pods", "a")
	c.run(10 * time.Second)
	if n := c.logged("NodeUnprepareResources succeeded"); n != 0 {
		t.Errorf("taken back %d times while the other one runs", n)
	}
	c.delete("pods", "b")
	c.run(10 * time.Second)
	if n := c.logged("NodeUnprepareResources succeeded"); n != 1 {
		t.Errorf("taken back %d times after the last", n)
	}
	c.apply(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c","namespace":"default"},"spec":{"nodeName":"node-1",
		"resourceClaims":[{"name":"gpu","resourceClaimName":"shared"}],"containers":[{"name":"c","image":"nginx:1.27"}]}}`)
	c.run(20 * time.Second)
	why := ""
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if e, ok := state[cell].(*corev1.Event); ok && e.Reason == "FailedPrepareDynamicResources" {
			why = e.Message
		}
	}
	if p, want := c.get("c"), "Failed to prepare dynamic resources: prepare dynamic resources: pod c ("; p.Status.Phase != corev1.PodPending ||
		!strings.HasPrefix(why, want) || !strings.Contains(why, ") is not allowed to use ResourceClaim shared (") {
		t.Errorf("%s: %q", p.Status.Phase, why)
	}
}
