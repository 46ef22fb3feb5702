package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/cluster"
	_ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
	"kubewalk/playground/trace"
)

// TestTypesOfPolicies: what is wrong with a policy's expressions for the kinds that it is about stands in its status.
func TestTypesOfPolicies(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes, config.CEL, config.Controllers = cluster.NumberedNodes(1), true, []string{"*"}
	c := cluster.New(config, 3)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"replicas":{"type":"string"}}}}}}}]}}`)})
	c.RunUntil(c.Elapsed() + 3*time.Second)
	now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: []byte(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"p"},
		"spec":{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"matchConstraints":{"resourceRules":[
			{"operations":["CREATE"],"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments","*/scale","statefulsets"]},
			{"operations":["CREATE"],"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["widgets"]},
			{"operations":["CREATE"],"apiGroups":["*"],"apiVersions":["v1"],"resources":["pods"]}]},
		"variables":[{"name":"n","expression":"object.spec.replicas"}],
		"validations":[{"expression":"object.spec.replicas > 1"},{"expression":"object.metadata.labels.size() > 0 && params.data['x'] == 'y'"},
			{"expression":"variables.n == 'a'","messageExpression":"'no ' + object.spec.paused"}]}}`)})
	c.RunUntil(c.Elapsed() + 3*time.Second)
	var got []string
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if p, ok := state[cell].(*admissionregistrationv1.ValidatingAdmissionPolicy); ok && p.Status.TypeChecking != nil {
			if p.Status.ObservedGeneration != p.Generation {
				t.Errorf("the status is about generation %d of %d", p.Status.ObservedGeneration, p.Generation)
			}
			for _, w := range p.Status.TypeChecking.ExpressionWarnings {
				got = append(got, w.FieldRef+": "+w.Warning)
			}
		}
	}
	overload := func(op, types string) string {
		return "found no matching overload for '" + op + "' applied to '(" + types + ")'"
	}
	want := strings.Join([]string{
		"spec.validations[0].expression: example.com/v1, Kind=Widget: ERROR: <input>:1:22: " + overload("_>_", "string, int") +
			"\n | object.spec.replicas > 1\n | .....................^\n",
		"spec.validations[2].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:13: " + overload("_==_", "int, string") +
			"\n | variables.n == 'a'\n | ............^\n" +
			"\napps/v1, Kind=StatefulSet: ERROR: <input>:1:13: " + overload("_==_", "int, string") + "\n | variables.n == 'a'\n | ............^\n",
		"spec.validations[2].messageExpression: apps/v1, Kind=Deployment: ERROR: <input>:1:7: " + overload("_+_", "string, bool") +
			"\n | 'no ' + object.spec.paused\n | ......^\n" +
			"\napps/v1, Kind=StatefulSet: ERROR: <input>:1:20: undefined field 'paused'\n | 'no ' + object.spec.paused\n | ...................^\n" +
			"\nexample.com/v1, Kind=Widget: ERROR: <input>:1:20: undefined field 'paused'\n | 'no ' + object.spec.paused\n | ...................^\n",
	}, "\n")
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
