package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// One object is made the owner of another, which then follows it.
func TestOwn(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes, config.Controllers = cluster.NumberedNodes(1), []string{"garbage-collector-controller"}
	c := cluster.New(config, 3)
	t.Cleanup(c.Close)
	c.RunUntil(5 * time.Second)
	maps := func() string {
		var out []string
		state := c.Trace().Now()
		for _, cell := range state.Cells(trace.CellObject) {
			if cm, ok := state[cell].(*corev1.ConfigMap); ok {
				out = append(out, cm.Name)
				for _, ref := range cm.OwnerReferences {
					out = append(out, "of", ref.Name)
				}
			}
		}
		return strings.Join(out, " ")
	}
	step := func(in cluster.Input, want string) {
		t.Helper()
		now(t, c, in)
		c.RunUntil(c.Elapsed() + 3*time.Second)
		if got := maps(); got != want {
			t.Errorf("%v: there are %q, want %q", in, got, want)
		}
	}
	for _, name := range []string{"a", "b"} {
		now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"}}`)})
		c.RunUntil(c.Elapsed() + time.Second)
	}
	step(cluster.Input{Kind: cluster.Own, Resource: "configmaps", Name: "b", Value: "!a"}, "a b of a")
	step(cluster.Input{Kind: cluster.Own, Resource: "configmaps", Name: "b", Value: "nobody"}, "a b of a")
	if o := c.Outcomes()[len(c.Outcomes())-1]; !o.Done || !strings.Contains(o.Error, `configmaps "nobody" not found`) {
		t.Errorf("an owner that is not there: %+v", o)
	}
	step(cluster.Input{Kind: cluster.Delete, Resource: "configmaps", Name: "a", Cascade: "foreground"}, "")
}
