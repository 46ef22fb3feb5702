package rehearsal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/playground/demo/demofile"
)

// good is a demo without a mistake.
const good = `title: {en: Scale}
cluster: {nodes: 1, controllers: [replicaset-controller, deployment-controller]}
setup: 5s
end: 20s
manifests:
  web:
    apiVersion: apps/v1
    kind: ReplicaSet
    metadata: {name: web}
    spec:
      replicas: 2
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec: {containers: [{name: web, image: nginx}]}
  later:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: later}
    spec:
      selector: {matchLabels: {app: later}}
      template:
        metadata: {labels: {app: later}}
        spec: {containers: [{name: later, image: nginx}]}
steps:
  - {id: early, at: 1s, kubectl: get nodes}
  - {id: apply, at: 3s, apply: web}
  - {id: up, at: 8s, scale: {replicaset: web, replicas: 3}}
claims:
  - {after: early, within: 1s, count: 1, objects: {resource: nodes}}
  - {after: apply, within: 4s, count: 2, objects: {resource: pods, labels: app=web}}
  - {after: up, within: 5s, count: 3, objects: {resource: pods, labels: app=web}}
marks:
  - {id: too-few, after: up, when: {op: log, attrs: {message: Too few replicas}}, caption: {en: Too few}}
controls:
  - scale: {replicaset: web, min: 0, max: 9}
  - kubectl: {examples: [apply -f later]}
`

// problems are those of the demo with a part of it replaced.
func problems(t *testing.T, old, new string) string {
	t.Helper()
	if strings.Count(good, old) != 1 {
		t.Fatalf("the demo holds %q %d times", old, strings.Count(good, old))
	}
	f, wrong := demofile.Parse("x", "x.yaml", []byte(strings.Replace(good, old, new, 1)), []string{"en"})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	_, wrong, err := Run(f)
	if err != nil {
		t.Fatal(err)
	}
	return Problems(wrong).Error()
}

// TestRoots: what follows from a mistake is not told beside it.
func TestRoots(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"nothing is wrong", "end: 20s", "end: 20s", ""},
		{"a misspelt field", "      replicas: 2", "      replcas: 2",
			`x.yaml:11:7: Error from server (BadRequest): error when creating "STDIN": ReplicaSet in version "v1" cannot be handled as a ReplicaSet: strict decoding error: unknown field "spec.replcas" (did you mean "replicas"?)` +
				` [4 more of what is claimed or expected does not hold, perhaps because of this]`},
		{"what was decided before is told", "count: 1, objects: {resource: nodes}}\n",
			"count: 4, objects: {resource: nodes}}\n  - {after: apply, within: 1s, count: 9, objects: {resource: pods}}\n",
			"x.yaml:30:5: the number of nodes should have been 4 within 1s of step \"early\", but it was 1 at 2s (change the claim or the demo: kubewalk trace x shows what happens)\n" +
				`x.yaml:31:5: the number of pods should have been 9 within 1s of step "apply", but it was 2 at 4s (change the claim or the demo: kubewalk trace x shows what happens)`},
		{"a claim alone", "within: 5s, count: 3", "within: 5s, count: 4",
			`x.yaml:32:5: the number of pods with app=web should have been 4 within 5s of step "up", but it was 3 at 13s (change the claim or the demo: kubewalk trace x shows what happens)`},
		{"a number in quotes", "      replicas: 2", "      replicas: \"2\"",
			`x.yaml:11:17: spec.replicas has to be a whole number, and is the text "2" (write the number without quotes)` +
				` [4 more of what is claimed or expected does not hold, perhaps because of this]`},
		{"a number that is a word", "      replicas: 2", "      replicas: two",
			`x.yaml:11:17: spec.replicas has to be a whole number, and is the text "two" (write a whole number)` +
				` [4 more of what is claimed or expected does not hold, perhaps because of this]`},
		{"a time that is none", "metadata: {name: web}", "metadata: {name: web, creationTimestamp: yesterday}",
			`x.yaml:6:3: "yesterday" is not a time (write 2026-01-31T10:00:00Z) [4 more of what is claimed or expected does not hold, perhaps because of this]`},
		{"a port that is a list", "image: nginx}]}\n  later", "image: nginx, readinessProbe: {httpGet: {port: [80]}}}]}\n  later",
			`x.yaml:6:3: spec.template.spec.containers.readinessProbe.httpGet.port has to be a whole number, and is a list (write one value, not a list or a mapping)` +
				` [4 more of what is claimed or expected does not hold, perhaps because of this]`},
		{"a text that is a number", "image: nginx}]}\n  later", "image: nginx, workingDir: 7}]}\n  later",
			`x.yaml:15:67: spec.template.spec.containers[0].workingDir has to be text, and is the number 7 (put it in quotes: it is a text)` +
				` [4 more of what is claimed or expected does not hold, perhaps because of this]`},
		{"a label that is a number", "selector: {matchLabels: {app: web}}", "selector: {matchLabels: {app: 3}}",
			`x.yaml:12:37: spec.selector.matchLabels.app has to be text, and is the number 3 (put it in quotes: it is a text)` +
				` [4 more of what is claimed or expected does not hold, perhaps because of this]`},
		{"a kind that is misspelt", "kind: ReplicaSet", "kind: ReplicaSett",
			`x.yaml:6:3: error: resource mapping not found for name: "web" namespace: "" from "STDIN": no matches for kind "ReplicaSett" in version "apps/v1" ensure CRDs are installed first (did you mean "ReplicaSet"?)` +
				"\n" + `x.yaml:36:5: there is never a replicaset "web" for the control (there are none yet) [4 more of what is claimed or expected does not hold, perhaps because of this]`},
		{"a version that has no such kind", "apiVersion: apps/v1\n    kind: ReplicaSet", "apiVersion: apps/v2\n    kind: ReplicaSet",
			`x.yaml:6:3: error: resource mapping not found for name: "web" namespace: "" from "STDIN": no matches for kind "ReplicaSet" in version "apps/v2" ensure CRDs are installed first (write apiVersion: apps/v1)` +
				` [4 more of what is claimed or expected does not hold, perhaps because of this]`},
		{"a component that is not there", "count: 3, objects: {resource: pods, labels: app=web}", "count: 0, events: {op: container.start, who: kubelett}",
			`x.yaml:32:74: no component "kubelett" runs in this cluster (did you mean "kubelet/*"?)`},
		{"a controller that is not there", "when: {op: log, ", "when: {op: log, who: replicaset-controler, ",
			`x.yaml:34:51: no component "replicaset-controler" runs in this cluster (did you mean "replicaset-controller"?)`},
		{"a step in the middle", "{replicaset: web, replicas: 3}", "{replicaset: wbe, replicas: 3}",
			`x.yaml:28:5: Error from server (NotFound): replicasets.apps "wbe" not found (correct the step, or add fails: if the demo is about this) [2 more of what is claimed or expected does not hold, perhaps because of this]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := problems(t, test.old, test.new); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestDeadControls: what readers would drag or press in vain.
func TestDeadControls(t *testing.T) {
	const control = "  - scale: {replicaset: web, min: 0, max: 9}\n"
	for _, test := range []struct{ new, want string }{
		{"scale: {replicaset: wbe, min: 0, max: 9}", `x.yaml:36:5: there is never a replicaset "wbe" for the control (did you mean "web"?)`},
		{"scale: {deployment: web, min: 0, max: 9}", `x.yaml:36:5: there is never a deployment "web" for the control (known: later)`},
		{"scale: {replicaset: web, namespace: shop, min: 0, max: 9}",
			`x.yaml:36:5: there is never a replicaset "web" for the control (there is one in another namespace: write namespace: default)`},
		{"delete: {pod: wbe-*}", `x.yaml:36:5: there is never a pod "wbe-*" for the control (did you mean "web-*"?)`},
		{"crash-container: {pod: shop}", `x.yaml:36:5: there is never a pod "shop" for the control (known: web-`},
		{"delete: {pod: web-*}", ""},
		{"delete: {pod: \"*\"}", ""},
		{"delete: {node: node-1}", ""},
		{"scale: {deployment: later, min: 0, max: 9}", ""}, // a reader may apply it
		{"delete: {pod: later-*}", ""},
		{"kill-node: [node-1]", ""},
		{"set-metric: {metric: queue, value: 3}", ""},
	} {
		got := problems(t, control, "  - "+test.new+"\n")
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", test.new, got, test.want)
		}
	}
}

func TestPrint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.yaml")
	for _, test := range []struct {
		text    string
		traced  bool
		problem string
	}{
		{good, true, ""},
		{strings.Replace(good, "count: 3", "count: 4", 1), true, file + ":32:5: the number of pods"},
		{strings.Replace(good, "setup", "setpu", 1), false, file + `:3:1: unknown key "setpu" of a demo (did you mean "setup"?)`},
	} {
		if err := os.WriteFile(file, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err := Print(strings.TrimSuffix(file, ".yaml"), &out, Selection{})
		if traced := strings.Contains(out.String(), "store.commit"); traced != test.traced {
			t.Errorf("printed %d bytes", out.Len())
		}
		if test.problem == "" && err != nil || test.problem != "" && (err == nil || !strings.HasPrefix(err.Error(), test.problem)) {
			t.Errorf("got %v, want %s", err, test.problem)
		}
	}
	if err := Print(filepath.Join(t.TempDir(), "none"), &strings.Builder{}, Selection{}); err == nil {
		t.Error("a file that is not there")
	}
}
