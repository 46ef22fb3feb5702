package cluster_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// newFabric has two devices in a rack beside the cluster's own, which must be attached before they can be used, and a template that asks for one.
func newFabric(t *testing.T, change ...func(*cluster.Config)) deviceCluster {
	c := newDeviceCluster(t, change...)
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"fabric"},"spec":{
		"selectors":[{"cel":{"expression":"device.driver == 'fabric.example.com'"}}]}}`)
	conditions := `"bindsToNode":true,"bindingConditions":["fabric.example.com/attached"],"bindingFailureConditions":["fabric.example.com/failed"]`
	c.apply(fmt.Sprintf(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"fabric"},"spec":{"driver":"fabric.example.com",
		"allNodes":true,"pool":{"name":"rack","generation":1,"resourceSliceCount":1},"devices":[{"name":"d0",%[1]s},{"name":"d1",%[1]s}]}}`, conditions))
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"fabric","namespace":"default"},"spec":{"spec":{"devices":{
		"requests":[{"name":"r","exactly":{"deviceClassName":"fabric"}}]}}}}`)
	return c
}

// tell has the driver say of a claim's device that a condition is met.
func (c deviceCluster) tell(prefix, condition string) {
	c.t.Helper()
	claim := c.claims(prefix)[0]
	r := claim.Status.Allocation.Devices.Results[0]
	now(c.t, c.Cluster, cluster.Input{Kind: cluster.Command, Args: []string{"patch", "resourceclaim", claim.Name, "--subresource=status", "--type=merge", "-p",
		fmt.Sprintf(`{"status":{"devices":[{"driver":%q,"pool":%q,"device":%q,"conditions":[{"type":%q,"status":"True","reason":"Told","message":"by the rack",
		"lastTransitionTime":"2026-01-01T00:00:00Z"}]}]}}`, r.Driver, r.Pool, r.Device, condition)}})
}

// events are the messages of Events with a reason.
func (c deviceCluster) events(reason string) (out []string) {
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if e, ok := state[cell].(*corev1.Event); ok && e.Reason == reason {
			out = append(out, e.Message)
		}
	}
	slices.Sort(out)
	return out
}

// TestBindingConditions: a Pod is bound when the driver says that its device is ready, not before.
func TestBindingConditions(t *testing.T) {
	c := newFabric(t)
	c.pod("a", `"resourceClaimTemplateName":"fabric"`)
	c.run(30 * time.Second)
	a := c.claims("a-gpu-")[0].Status.Allocation
	if a == nil || c.get("a").Spec.NodeName != "" {
		t.Fatalf("before the device is ready: on %q, %+v", c.get("a").Spec.NodeName, a)
	}
	if r := a.Devices.Results[0]; !slices.Equal(r.BindingConditions, []string{"fabric.example.com/attached"}) ||
		!slices.Equal(r.BindingFailureConditions, []string{"fabric.example.com/failed"}) {
		t.Errorf("%+v", r)
	}
	node := a.NodeSelector.NodeSelectorTerms[0].MatchFields[0].Values[0] // a device that is attached to a node is that node's
	if got := c.events("BindingConditionsPending"); !slices.Equal(got, []string{"waiting for binding conditions for device on node " + node}) {
		t.Errorf("%q", got)
	}
	c.tell("a-gpu-", "fabric.example.com/attached")
	c.run(10 * time.Second)
	if p := c.get("a"); p.Spec.NodeName != node || p.Status.Phase != corev1.PodRunning {
		t.Errorf("%s on %q, and its device on %s", p.Status.Phase, p.Spec.NodeName, node)
	}
}

// TestBindingFailure: a device that fails is given back, and the Pod gets one once more.
func TestBindingFailure(t *testing.T) {
	c := newFabric(t)
	c.pod("a", `"resourceClaimTemplateName":"fabric"`)
	c.run(20 * time.Second)
	first := *c.claims("a-gpu-")[0].Status.Allocation.AllocationTimestamp
	c.tell("a-gpu-", "fabric.example.com/failed")
	c.run(40 * time.Second)
	name := c.claims("a-gpu-")[0].Name
	for _, want := range []string{
		`running PreBind plugin "DynamicResources": device binding failed: claim=` + name + `, reason=Told, message="by the rack"`,
		"0/2 nodes are available: 2 resourceclaim not available on the node. deallocation of ResourceClaim completed, " +
			"preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
	} {
		if got := c.events("FailedScheduling"); !slices.Contains(got, want) {
			t.Errorf("%q\nwant %s", got, want)
		}
	}
	if s := c.claims("a-gpu-")[0].Status; s.Allocation == nil || !first.Time.Before(s.Allocation.AllocationTimestamp.Time) || len(s.Devices) > 0 {
		t.Errorf("%+v", s)
	}
	c.tell("a-gpu-", "fabric.example.com/attached")
	c.run(20 * time.Second)
	if p := c.get("a"); p.Spec.NodeName == "" {
		t.Error(unschedulable(p))
	}
}

// TestBindingTimeout: a device that is not ready in time is given back.
func TestBindingTimeout(t *testing.T) {
	c := newFabric(t, func(config *cluster.Config) {
		config.SchedulerProfiles = []cluster.KubeSchedulerProfile{{SchedulerName: "default-scheduler"}}
		if err := json.Unmarshal([]byte(`[{"name":"DynamicResources","args":{"bindingTimeout":"22s"}}]`), &config.SchedulerProfiles[0].PluginConfig); err != nil {
			t.Fatal(err)
		}
	})
	c.pod("a", `"resourceClaimTemplateName":"fabric"`)
	c.run(20 * time.Second)
	first := *c.claims("a-gpu-")[0].Status.Allocation.AllocationTimestamp
	c.run(40 * time.Second)
	if s := c.claims("a-gpu-")[0].Status; s.Allocation == nil || !first.Time.Before(s.Allocation.AllocationTimestamp.Time) || c.get("a").Spec.NodeName != "" {
		t.Errorf("%+v", s)
	}
	got := c.events("FailedScheduling")
	if !slices.ContainsFunc(got, func(s string) bool {
		return strings.HasPrefix(s, `running PreBind plugin "DynamicResources": device binding timeout: `)
	}) || !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "deallocation of ResourceClaim completed") }) {
		t.Errorf("%q", got)
	}
	c.tell("a-gpu-", "fabric.example.com/attached")
	c.run(20 * time.Second)
	if p := c.get("a"); p.Spec.NodeName == "" {
		t.Error(unschedulable(p))
	}
}
