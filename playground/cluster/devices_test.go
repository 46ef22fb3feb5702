package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// TestResourceClaims: a claim is made of a template for a Pod, whose status names it; it goes with its Pod; what a Pod had reserved is given
// back when it is gone. Upstream: pkg/controller/resourceclaim/controller_test.go, TestSyncHandler.
func TestResourceClaims(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes, config.Devices, config.Controllers = cluster.NumberedNodes(1), true, []string{"*"}
	c := cluster.New(config, 3)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	run := func(d time.Duration) { c.RunUntil(c.Elapsed() + d) }
	apply := func(manifest string) { now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: []byte(manifest)}) }
	claims := func() (out []*resourcev1.ResourceClaim) {
		state := c.Trace().Now()
		for _, cell := range state.Cells(trace.CellObject) {
			if claim, ok := state[cell].(*resourcev1.ResourceClaim); ok {
				out = append(out, claim)
			}
		}
		return out
	}
	apply(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},"spec":{"resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"t"}],
		"containers":[{"name":"c","image":"nginx","resources":{"claims":[{"name":"gpu"}]}}]}}`)
	run(time.Second)
	if n := len(claims()); n != 0 {
		t.Fatalf("%d claims without a template", n)
	}
	apply(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"t","namespace":"default"},
		"spec":{"metadata":{"labels":{"a":"b"}},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]}}}}`)
	run(5 * time.Second)
	made := claims()
	if len(made) != 1 || !strings.HasPrefix(made[0].Name, "p-gpu-") || made[0].Labels["a"] != "b" ||
		made[0].Annotations[resourcev1.PodResourceClaimAnnotation] != "gpu" || made[0].OwnerReferences[0].Name != "p" {
		t.Fatalf("%+v", made)
	}
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if p, ok := state[cell].(*corev1.Pod); ok && p.Name == "p" {
			if s := p.Status.ResourceClaimStatuses; len(s) != 1 || s[0].Name != "gpu" || *s[0].ResourceClaimName != made[0].Name {
				t.Errorf("%+v", s)
			}
		}
	}
	now(t, c, cluster.Input{Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "p"})
	run(40 * time.Second)
	if left := claims(); len(left) != 0 {
		t.Errorf("left: %s", fmt.Sprint(left[0].Name))
	}
}

// TestReservedFor: an allocated claim is reserved for a Pod that has a node, stays so while another one uses it, and is given back after the
// last. Upstream: pkg/controller/resourceclaim/controller_test.go, TestSyncHandler, "add-reserved", "clear-reserved" and "remove-allocation".
func TestReservedFor(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes, config.Devices, config.Controllers = cluster.NumberedNodes(1), true, []string{"*"}
	c := cluster.New(config, 3)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	claim := func() *resourcev1.ResourceClaim {
		c.RunUntil(c.Elapsed() + 40*time.Second)
		state := c.Trace().Now()
		for _, cell := range state.Cells(trace.CellObject) {
			if claim, ok := state[cell].(*resourcev1.ResourceClaim); ok {
				return claim
			}
		}
		t.Fatal("there is no claim")
		return nil
	}
	now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: []byte(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
		"metadata":{"name":"shared","namespace":"default","finalizers":["resource.kubernetes.io/delete-protection"]},
		"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]}}}`)})
	for _, pod := range []string{"a", "b"} {
		now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"default"},
			"spec":{"nodeName":"node-1","terminationGracePeriodSeconds":1,"resourceClaims":[{"name":"gpu","resourceClaimName":"shared"}],
			"containers":[{"name":"c","image":"nginx:1.27"}]}}`, pod)})
	}
	if r := claim().Status.ReservedFor; len(r) != 0 {
		t.Errorf("reserved before it is allocated: %+v", r)
	}
	now(t, c, cluster.Input{Kind: cluster.Command, Args: []string{"patch", "resourceclaim", "shared", "--subresource=status", "--type=merge", "-p",
		`{"status":{"allocation":{"devices":{"results":[{"request":"r","driver":"gpu.example.com","pool":"node-1","device":"gpu-0"}]}}}}`}})
	now(t, c, cluster.Input{Kind: cluster.Command, Args: []string{"label", "pod", "--all", "looked=at"}}) // a Pod's next change has the controller look
	if r := claim().Status.ReservedFor; len(r) != 2 || r[0].Resource != "pods" {
		t.Errorf("reserved for %+v", r)
	}
	now(t, c, cluster.Input{Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "a"})
	if s := claim().Status; len(s.ReservedFor) != 1 || s.ReservedFor[0].Name != "b" || s.Allocation == nil {
		t.Errorf("after the first Pod: %+v", s)
	}
	now(t, c, cluster.Input{Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "b"})
	if got := claim(); len(got.Status.ReservedFor) != 0 || got.Status.Allocation != nil || len(got.Finalizers) != 0 {
		t.Errorf("after the last Pod: %+v, %v", got.Status, got.Finalizers)
	}
}
