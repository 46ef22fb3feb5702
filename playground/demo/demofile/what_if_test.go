package demofile_test

import (
	"os"
	"strings"
	"testing"

	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/session"
)

const counterfactual = `
whatIf:
  - id: forgetful
    label: {en: a, ja: b}
    text: {en: a, ja: b}
    without-expectations: replicaset-controller
`

func TestCounterfactualMistakes(t *testing.T) {
	const path = "../../../content/demos/work-queue.yaml"
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"without-expectations: replicaset-controller", "without-expectations: kube-scheduler", `unknown component "kube-scheduler" (`},
		{"    without-expectations: replicaset-controller\n", "", "a counterfactual changes one thing, not nothing: without-expectations, edge-triggered"},
		{"without-expectations: replicaset-controller", "stale-cache: {component: replicaset-controller, resource: pods}",
			"a cache is either late or stops updating for a while"},
		{"without-expectations: replicaset-controller", "broken-watch: {client: replicaset-controler}", `(did you mean "replicaset-controller"?)`},
		{"without-expectations: replicaset-controller", "killed-mid-batch: {component: replicaset-controller}", "killed-mid-batch needs create"},
		{"id: forgetful", "idd: forgetful", `unknown key "idd" of a counterfactual (did you mean "id"?)`},
		{"ja: b", "de: b", `the label of a counterfactual is missing in language "ja"`},
		{"claims:\n", "claims:\n  - {in: forgetfull, within: 1s, events: {op: log}, count: 1}\n",
			`unknown counterfactual "forgetfull" (did you mean "forgetful"?)`},
		{"claims:\n", "claims:\n  - {within: 1s, events: {op: log}, count: \"> real\"}\n",
			"only the number of events in a counterfactual is compared with the real world's"},
	} {
		text := strings.Replace(string(src)+counterfactual, test.old, test.new, 1)
		_, problems := demofile.Parse("demo", "demo.yaml", []byte(text), []string{"en", "ja"})
		found := false
		for _, p := range problems {
			found = found || strings.Contains(p.Error(), test.want)
		}
		if !found {
			t.Errorf("%q: no problem says %q, but: %v", test.new, test.want, problems)
		}
	}
}

// TestCounterfactualsAreProved: what is claimed of another world is checked
// there, and a claim that does not hold is found at its place.
func TestCounterfactualsAreProved(t *testing.T) {
	const path = "../../../content/demos/replicaset-scale.yaml"
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(src), `count: "> real"`, `count: "< real"`, 1)
	text = strings.Replace(text, "replicaset-controller, create: 3,", "replicaset-controller, create: 50,", 1)
	f, problems := demofile.Parse("replicaset-scale", path, []byte(text), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	result, err := session.Record(f.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range f.Locate(result.Failures) {
		got = append(got, p.Message)
	}
	if len(got) != 2 || !strings.Contains(got[0], "should have been < 3 within 10s") || !strings.Contains(got[1], "component.stop") {
		t.Errorf("problems %q", got)
	}
}
