package cluster_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// taint has the driver of node-1 or node-2 taint its device gpu-0; an empty effect takes the taint away.
func (c deviceCluster) taint(node int, effect string) {
	c.t.Helper()
	taints := ""
	if effect != "" {
		taints = fmt.Sprintf(`,"taints":[{"key":"example.com/broken","effect":%q}]`, effect)
	}
	c.apply(fmt.Sprintf(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"node-%[1]d-gpu"},"spec":{"driver":"gpu.example.com",
		"nodeName":"node-%[1]d","pool":{"name":"node-%[1]d","generation":1,"resourceSliceCount":1},
		"devices":[{"name":"gpu-0","attributes":{"size":{"string":"large"}}%[2]s}]}}`, node, taints))
}

// gone says that a Pod is not there, or is being deleted.
func (c deviceCluster) gone(name string) bool {
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if p, ok := state[cell].(*corev1.Pod); ok && p.Name == name {
			return p.DeletionTimestamp != nil
		}
	}
	return true
}

// TestDeviceTaintEviction: a Pod whose device gets a NoExecute taint is deleted, with a condition that says why; one with NoSchedule stays.
// Upstream: pkg/controller/devicetainteviction/device_taint_eviction_test.go.
func TestDeviceTaintEviction(t *testing.T) {
	c := newDeviceCluster(t)
	c.pod("a", `"resourceClaimTemplateName":"large"`)
	c.run(20 * time.Second)
	c.taint(2, "NoSchedule")
	c.run(10 * time.Second)
	if c.gone("a") {
		t.Fatal("NoSchedule evicts")
	}
	c.taint(2, "NoExecute")
	c.run(500 * time.Millisecond)
	p := c.get("a")
	i := slices.IndexFunc(p.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.DisruptionTarget })
	if p.DeletionTimestamp == nil || i < 0 {
		t.Fatalf("%v %+v", p.DeletionTimestamp, p.Status.Conditions)
	}
	if got := p.Status.Conditions[i]; got.Status != corev1.ConditionTrue || got.Reason != "DeletionByDeviceTaintManager" ||
		got.Message != "Device Taint manager: deleting due to NoExecute taint" {
		t.Errorf("%+v", got)
	}
	c.run(10 * time.Second)
	if got := c.events("DeviceTaintManagerEviction"); !slices.Equal(got, []string{"Marking for deletion"}) || !c.gone("a") {
		t.Errorf("%q", got)
	}
}

// TestDeviceTolerationSeconds: a claim's toleration is for ever or for a while, which counts from when the taint was added; who is not evicted
// after all is told.
func TestDeviceTolerationSeconds(t *testing.T) {
	c := newDeviceCluster(t)
	for name, toleration := range map[string]string{"ever": `"operator":"Exists","effect":"NoExecute"`,
		"while": `"key":"example.com/broken","operator":"Exists","effect":"NoExecute","tolerationSeconds":20`} { // order: two objects
		c.apply(fmt.Sprintf(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":%q,"namespace":"default"},"spec":{"spec":{
			"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","tolerations":[{%s}]}}]}}}}`, name, toleration))
	}
	c.taint(1, "")
	c.taint(2, "")
	c.run(5 * time.Second)
	c.pod("while", `"resourceClaimTemplateName":"while"`)
	c.run(5 * time.Second)
	c.pod("ever", `"resourceClaimTemplateName":"ever"`)
	c.run(10 * time.Second)
	while, ever := int(c.get("while").Spec.NodeName[len("node-")]-'0'), int(c.get("ever").Spec.NodeName[len("node-")]-'0')
	c.taint(while, "NoExecute")
	c.taint(ever, "NoExecute")
	c.run(10 * time.Second)
	c.taint(while, "")
	c.run(30 * time.Second)
	if got := c.events("DeviceTaintManagerEviction"); !slices.Equal(got, []string{"Cancelling deletion"}) || c.gone("while") || c.gone("ever") {
		t.Errorf("after the taint is gone: %q", got)
	}
	c.taint(while, "NoExecute")
	c.run(18 * time.Second)
	if c.gone("while") {
		t.Error("deleted before its time")
	}
	c.run(4 * time.Second)
	if !c.gone("while") || c.gone("ever") {
		t.Errorf("after 22 s: while is gone: %v; ever is gone: %v", c.gone("while"), c.gone("ever"))
	}
}
