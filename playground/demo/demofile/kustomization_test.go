package demofile_test

import (
	"strings"
	"testing"
)

const kustomizations = `title: {en: Overlays, ja: オーバーレイ}
cluster: {nodes: 1}
manifests:
  base/kustomization: {resources: [web.yaml]}
  base/web: {apiVersion: v1, kind: ConfigMap, metadata: {name: web}}
  overlays/prod/kustomization:
    resources: [../../base]
    configMapGenerator: [{name: more, files: [app.properties]}]
    patches: [{path: ops.yaml, target: {kind: ConfigMap}}]
  overlays/prod/app.properties: |
    colour=blue
  overlays/prod/ops: [{op: add, path: /metadata/labels, value: {a: b}}]
steps:
  - {id: up, at: 1s, kubectl: apply -k overlays/prod}
`

// A step that builds a folder carries the files that it needs, and the cluster's kubectl builds them.
func TestKustomizationOfAStep(t *testing.T) {
	file, problems := parse(kustomizations)
	compareNone(t, problems)
	const want = `{"base/kustomization.yaml":{"resources":["web.yaml"]},"base/web.yaml":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"}},` +
		`"overlays/prod/app.properties":"colour=blue\n","overlays/prod/kustomization.yaml":{"resources":["../../base"],` +
		`"configMapGenerator":[{"name":"more","files":["app.properties"]}],"patches":[{"path":"ops.yaml","target":{"kind":"ConfigMap"}}]},` +
		`"overlays/prod/ops.yaml":[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]}`
	if got := string(file.Scenario.Steps[0].Manifest); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if c := file.Scenario.Cluster; !c.Kustomize || !c.Large() {
		t.Error("the cluster's kubectl does not build kustomizations")
	}
}

// A step with --cert and --key carries those files as they are.
func TestCertificateOfAStep(t *testing.T) {
	const demo = "title: {en: TLS, ja: TLS}\ncluster: {nodes: 1}\nmanifests:\n  tls.crt: |\n    PEM\n  tls.key: KEY\n" +
		"steps:\n  - {id: up, at: 1s, kubectl: create secret tls web --cert=./tls.crt --key=tls.key}\n"
	file, problems := parse(demo)
	compareNone(t, problems)
	if got, want := string(file.Scenario.Steps[0].Manifest), `{"tls.crt":"PEM\n","tls.key":"KEY"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, problems = parse(strings.Replace(demo, "--key=tls.key", "--key=other", 1))
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), `manifest "tls.key" is never applied`) {
		t.Errorf("the key of nobody: %v", problems)
	}
}

// A step with --from-file carries the files that it reads, also those of a folder.
func TestFilesOfAStep(t *testing.T) {
	const demo = "title: {en: Files, ja: Files}\ncluster: {nodes: 1}\nmanifests:\n  conf/a.env: |\n    A=b # c\n  conf/deep/b: B\n  web: {kind: Pod}\n" +
		"  config.yaml: |\n    a:  1 # as it is\n" +
		"steps:\n  - {id: up, at: 1s, kubectl: create configmap c --from-file=conf --from-file=k=web.yaml --from-file=config.yaml}\n"
	file, problems := parse(demo)
	compareNone(t, problems)
	const want = `{"conf/a.env":"A=b # c\n","conf/deep/b":"B","config.yaml":"a:  1 # as it is\n","web.yaml":{"kind":"Pod"}}`
	if got := string(file.Scenario.Steps[0].Manifest); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, problems = parse(strings.Replace(demo, "k=web.yaml", "k=other", 1))
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), `manifest "web" is never applied`) {
		t.Errorf("the file of nobody: %v", problems)
	}
}

// What is wrong with a kustomization's files is told with its place.
func TestMistakesWithKustomizations(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"apply -k overlays/prod", "apply -k overlays/prd", `14:40: must build at directory: not a valid directory: evalsymlink failure on 'overlays/prd' : ` +
			`lstat /home/user/overlays/prd: no such file or directory (did you mean "overlays/prod"?)`},
		{"apply -k overlays/prod", "kustomize base", `6:3: manifest "overlays/prod/kustomization" is never applied`},
		{"base/web:", "../web:", `5:3: the name of a manifest is a path, not "../web": write one such as base/web`},
		{"base/web:", "/web:", `5:3: the name of a manifest is a path, not "/web"`},
		{"overlays/prod/ops: [", "overlays/prod/ops: 7 #", `12:22: manifest "overlays/prod/ops" has to be keys and values, and is the number 7`},
	} {
		_, problems := parse(strings.Replace(kustomizations, test.old, test.new, 1))
		var all []string
		for _, p := range problems {
			all = append(all, p.Error())
		}
		if got := strings.Join(all, "\n"); !strings.Contains(got, test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.new, got, test.want)
		}
	}
}
