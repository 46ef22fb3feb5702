package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

const (
	foos = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.samplecontroller.k8s.io",
	"annotations":{"api-approved.kubernetes.io":"unapproved, experimental-only"}},"spec":{"group":"samplecontroller.k8s.io","scope":"Namespaced",
	"names":{"kind":"Foo","plural":"foos"},"versions":[{"name":"v1alpha1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
	"properties":{"spec":{"type":"object","properties":{"deploymentName":{"type":"string"},"replicas":{"type":"integer","minimum":1,"maximum":10}}},
	"status":{"type":"object","properties":{"availableReplicas":{"type":"integer"}}}}}}SUBRESOURCES}]}}`
	exampleFoo = `{"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"example-foo"},
	"spec":{"deploymentName":"example-foo","replicas":1}}`
)

// sampleWorld is a cluster with the sample controller and its kind, whose definition has a subresource for the status or not.
func sampleWorld(t *testing.T, withStatus bool) *cluster.Cluster {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	config.Operators = []string{"sample-controller"}
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	sub := ""
	if withStatus {
		sub = `,"subresources":{"status":{}}`
	}
	typed(t, c, "apply -f crd", strings.Replace(foos, "SUBRESOURCES", sub, 1))
	c.RunUntil(12 * time.Second)
	return c
}

// step is a line, what it prints, and how much time passes then.
type typedStep struct {
	line, want string
	pass       time.Duration
}

const (
	replicas = "get deploy example-foo --ignore-not-found -o jsonpath={.spec.replicas}"
	reasons  = "get events --field-selector involvedObject.kind=Foo -o jsonpath='{.items[*].reason}'"
)

// TestSampleController is what it does, and what each mistake of its author leads to.
func TestSampleController(t *testing.T) {
	apply := typedStep{"apply -f foo", "foo.samplecontroller.k8s.io/example-foo created", 5 * time.Second}
	grow := typedStep{"scale deployment example-foo --replicas=3", "deployment.apps/example-foo scaled", time.Second}
	for _, test := range []struct {
		name       string
		withStatus bool
		mistake    string
		steps      []typedStep
	}{
		{"as it should be", true, "", []typedStep{
			apply, {replicas, "1", 0},
			{"get foo example-foo -o jsonpath={.status.availableReplicas}", "1", 0},
			grow, {replicas, "1", 0},
			{"patch foo example-foo --type=merge -p '{\"spec\":{\"replicas\":2}}'", "foo.samplecontroller.k8s.io/example-foo patched", time.Second}, {replicas, "2", 0},
			{"delete deployment example-foo", `deployment.apps "example-foo" deleted from default namespace`, 5 * time.Second}, {replicas, "2", 0},
			{"get events --field-selector reason=Synced -o jsonpath='{.items[0].message} {.items[0].source.component}'", "Foo synced successfully sample-controller", 0},
			{"delete foo example-foo", `foo.samplecontroller.k8s.io "example-foo" deleted from default namespace`, 5 * time.Second}, {replicas, "", 0},
		}},
		{"somebody else's", true, "", []typedStep{
			{"create deployment example-foo --image=nginx", "deployment.apps/example-foo created", time.Second},
			apply, {reasons, "ErrResourceExists", 0},
			{"get events --field-selector reason=ErrResourceExists -o jsonpath='{.items[0].type} {.items[0].message}'",
				`Warning Resource "example-foo" already exists and is not managed by Foo`, 0},
		}},
		{"what failed is tried again", true, "", []typedStep{
			{"create deployment example-foo --image=nginx", "deployment.apps/example-foo created", time.Second},
			apply, {"delete deployment example-foo", `deployment.apps "example-foo" deleted from default namespace`, 6 * time.Second}, {replicas, "1", 0},
		}},
		{"errors are swallowed", true, "swallow-errors", []typedStep{
			{"create deployment example-foo --image=nginx", "deployment.apps/example-foo created", time.Second},
			apply, {"delete deployment example-foo", `deployment.apps "example-foo" deleted from default namespace`, 6 * time.Second}, {replicas, "", 0},
			{"get nodes -o name", "node/node-1", 31 * time.Second}, {replicas, "1", 0},
		}},
		{"no owner", true, "no-owner", []typedStep{
			apply, {replicas, "1", 0}, {reasons, "ErrResourceExists", 0},
			{"delete foo example-foo", `foo.samplecontroller.k8s.io "example-foo" deleted from default namespace`, time.Minute}, {replicas, "1", 0},
		}},
		{"its own kind only", true, "own-kind-only", []typedStep{
			apply, grow, {replicas, "3", 0},
			{"get nodes -o name", "node/node-1", 31 * time.Second}, {replicas, "1", 0},
		}},
		{"no status", false, "", []typedStep{
			apply, {replicas, "1", 0}, {"get foo example-foo -o jsonpath={.status}", "", 0}, {reasons, "", 0},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := sampleWorld(t, test.withStatus)
			if test.mistake != "" {
				schedule(t, c, at(c.Elapsed(), fail("sample-controller", test.mistake)))
			}
			for _, step := range test.steps {
				if got := typed(t, c, step.line, exampleFoo); got != step.want {
					t.Errorf("$ %s\ngot  %q\nwant %q", step.line, got, step.want)
				}
				c.RunUntil(c.Elapsed() + step.pass)
			}
		})
	}
}

// TestMistakesAreMended: what a fault has switched on is off when it is healed.
func TestMistakesAreMended(t *testing.T) {
	c := sampleWorld(t, true)
	schedule(t, c, at(c.Elapsed(), fail("sample-controller", "own-kind-only")), at(c.Elapsed()+time.Second, heal("", "sample-controller", "")))
	c.RunUntil(c.Elapsed() + 2*time.Second)
	typed(t, c, "apply -f foo", exampleFoo)
	c.RunUntil(c.Elapsed() + 5*time.Second)
	typed(t, c, "scale deployment example-foo --replicas=3", "")
	c.RunUntil(c.Elapsed() + time.Second)
	if got := typed(t, c, replicas, ""); got != "1" {
		t.Errorf("there are %s replicas", got)
	}
}

// TestAnOperatorThatStartsLater: it is there, and does nothing until it is started.
func TestAnOperatorThatStartsLater(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	config.Operators, config.StartLater = []string{"sample-controller"}, []string{"sample-controller"}
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	started := func() (n int) {
		for _, e := range c.Trace().Events(1) {
			if e.Op == trace.ComponentStart && e.Component == "sample-controller" {
				n++
			}
		}
		return n
	}
	if c.RunUntil(5 * time.Second); started() != 0 {
		t.Error("it started with the cluster")
	}
	in := start("sample-controller")
	in.At = c.Elapsed()
	schedule(t, c, in)
	if c.RunUntil(6 * time.Second); started() != 1 {
		t.Error("it was not started")
	}
	if config.StartLater = []string{"workqueue-example"}; config.Validate() == nil {
		t.Error("one that the cluster does not have may start later")
	}
}
