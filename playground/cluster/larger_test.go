package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	_ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
)

// TestExpressionsThatComeLater: a program that evaluates CEL does so in a cluster that did not ask for it, too.
func TestExpressionsThatComeLater(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	c := cluster.New(config, 3)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"name":{"type":"string","pattern":"^a"}},
		"x-kubernetes-validations":[{"rule":"self.name != 'abc'","message":"not that one"}]}}}}}]}}`)})
	c.RunUntil(c.Elapsed() + 3*time.Second)
	for name, want := range map[string]string{ // order: each by itself
		"abc": "not that one",
		"b":   "spec.name in body should match '^a'",
		"ab":  "",
	} {
		widget := `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"` + name + `"},"spec":{"name":"` + name + `"}}`
		now(t, c, cluster.Input{Kind: cluster.Create, Manifest: []byte(widget)})
		c.RunUntil(c.Elapsed() + 2*time.Second)
		all := c.Outcomes()
		if got := all[len(all)-1].Error; (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
