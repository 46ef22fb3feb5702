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
