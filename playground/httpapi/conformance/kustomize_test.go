package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/kubectl"
	"kubewalk/playground/kubectl/kustomize"
)

// kustomization is a case: files, and the folder to build.
type kustomization struct {
	name, folder string
	files        map[string]string
}

// kustomizations reads testdata: "=== NAME FOLDER" begins a case, "-- PATH" a file. The folder is the last word if a file is in it.
func kustomizations(t *testing.T) (out []kustomization) {
	text, err := os.ReadFile("testdata/kustomizations.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range strings.Split("\n"+string(text), "\n=== ")[1:] {
		head, rest, _ := strings.Cut(one, "\n")
		k := kustomization{name: head, folder: ".", files: map[string]string{}}
		for _, f := range strings.Split("\n"+rest, "\n-- ")[1:] {
			name, content, _ := strings.Cut(f, "\n")
			k.files[name] = strings.TrimSuffix(content, "\n") + "\n"
		}
		last := head[strings.LastIndexByte(head, ' ')+1:]
		for name := range k.files {
			if name == last || strings.HasPrefix(name, last+"/") || strings.HasPrefix(last, "nowhere") {
				k.folder = last
			}
		}
		out = append(out, k)
	}
	return out
}

// build is what the real engine prints, with kubectl's options, on a disk.
func (k kustomization) build(t *testing.T) string {
	folder := t.TempDir()
	t.Chdir(folder)
	write(t, folder, k.files)
	was := os.Stderr
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = w
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionUnspecified
	m, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), k.folder)
	os.Stderr = was
	w.Close()
	printed, _ := io.ReadAll(r)
	out := string(printed)
	if err != nil {
		out += "error: " + err.Error()
	} else {
		text, err := m.AsYaml()
		if err != nil {
			t.Fatal(err)
		}
		out += string(text)
	}
	return generator.ReplaceAllString(strings.ReplaceAll(out, folder, "/home/user"), "merging from generator:")
}

func write(t *testing.T, folder string, files map[string]string) {
	for name, content := range files {
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// generator is how an error shows a generator: by its address.
var generator = regexp.MustCompile(`merging from generator &\{.*?\}:`)

// read is files as the host reads them.
func read(t *testing.T, files map[string]string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, content := range files {
		var docs []json.RawMessage
		if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") || name == "Kustomization" {
			for _, doc := range strings.Split(content, "\n---\n") {
				text, err := yaml.YAMLToJSON([]byte(doc))
				if err != nil {
					t.Fatal(name, err)
				}
				docs = append(docs, text)
			}
		}
		switch len(docs) {
		case 0:
			out[name], _ = json.Marshal(content)
		case 1:
			out[name] = docs[0]
		default:
			out[name], _ = json.Marshal(docs)
		}
	}
	return out
}

// ours is what the page's kubectl prints.
func ours(files map[string]json.RawMessage, folder string) string {
	r, err := kustomize.Build(files, folder, kubectl.YAML)
	var out bytes.Buffer
	for _, w := range r.Warnings {
		out.WriteString(w + "\n")
	}
	if err != nil {
		out.WriteString("error: " + err.Error())
	}
	for i, o := range r.Objects {
		if i > 0 {
			out.WriteString("---\n")
		}
		out.WriteString(kubectl.YAML(o))
	}
	return out.String()
}

// What a kustomization builds, and the words in which it cannot be built, are those of the real engine.
func TestKustomizationsAreBuiltAsByTheRealOne(t *testing.T) {
	for _, k := range kustomizations(t) {
		t.Run(k.name, func(t *testing.T) {
			files := read(t, k.files)
			want := k.build(t)
			if got := ours(files, k.folder); got != want {
				t.Error(difference(got, want))
			}
			if strings.HasPrefix(k.name, "error: ") != strings.Contains(want, "error: ") {
				t.Errorf("the real one says\n%s", want)
			}
			needed, _ := kustomize.Needed(files, k.folder)
			if got := ours(needed, k.folder); got != want {
				t.Error("with the files that it needs: " + difference(got, want))
			}
		})
	}
}

// Commands with -k, and kustomize, print the same in the page as the real ones do, which read a disk.
func TestPagesKubectlBuildsAsTheRealOne(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Controllers, config.Kustomize = []string{"namespace-controller"}, true // so that nothing changes by itself
	p := serve(t, config, 1)
	page := cluster.New(config, 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	files := map[string]string{
		"base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator: [{name: settings, literals: [colour=blue]}]\n",
		"base/web.yaml": `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"app": "web"}},
  "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx", "envFrom": [{"configMapRef": {"name": "settings"}}]}]}}}}
`,
		"prod/kustomization.yaml":  "resources: [../base]\nnamePrefix: prod-\nreplicas: [{name: web, count: 3}]\n",
		"wrong/kustomization.yaml": "resource: [../base]\n",
		"bad/kustomization.yaml":   "resources: [../base]\nnamespace: nowhere\n",
		"one/kustomization.yaml":   "resources: [../base/web.yaml]\n",
		"kustomization.yaml":       "namePrefix: a-\n",
	}
	folder := p.folder
	write(t, folder, files)
	manifests := read(t, files)
	for _, line := range []string{
		"kubectl kustomize prod",
		"kubectl kustomize ./prod/",
		"kubectl kustomize wrong",
		"kubectl kustomize one",
		"kubectl kustomize a b",
		"kubectl kustomize",
		"kubectl diff -k base",
		"kubectl apply -k base",
		"kubectl apply -k base",
		"kubectl apply -k prod --dry-run=server",
		"kubectl apply --server-side -k prod",
		"kubectl get -k prod -o name",
		"kubectl get -k base -o jsonpath={.items[*].metadata.name}",
		"kubectl label -k base a=b",
		"kubectl annotate -k base a=b --overwrite",
		"kubectl replace -k base",
		"kubectl scale -k one --replicas=2",
		"kubectl set image -k one web=nginx:2",
		"kubectl rollout pause -k prod",
		"kubectl create -k base",
		"kubectl create -k bad",
		"kubectl apply -k .",
		"kubectl apply -k wrong",
		"kubectl apply -k base -f base/web.yaml",
		"kubectl apply -k base extra",
		"kubectl get -k base pods",
		"kubectl delete -k prod --wait=false",
		"kubectl get -k prod",
		"kubectl delete -k prod --ignore-not-found",
	} {
		stdout, stderr, code := p.kubectl(line, "")
		args, manifest, err := scenario.ParseCommand(line, manifests, nil)
		if err != nil {
			t.Errorf("$ %s: %v", line, err)
			continue
		}
		o := typed(t, page, args, string(manifest))
		normal := func(s string) string {
			return everyTime.ReplaceAllString(strings.TrimRight(strings.ReplaceAll(s, folder, "/home/user"), "\n"), "…")
		}
		if o.Error == "exit status 1" {
			o.Error, code = "", code-1
		}
		if got, want := normal(o.Output+"\n! "+o.Warning+o.Error), normal(stdout)+"\n! "+normal(stderr); normal(got) != normal(want) || (o.Error != "") != (code != 0) {
			t.Errorf("$ %s (%d)\n%s", line, code, difference(got, want))
		}
	}
}

// Random combinations of what a base and an overlay say are built as by the real engine.
func TestRandomKustomizations(t *testing.T) {
	const seed, tries = 1, 300
	r := rand.New(rand.NewPCG(seed, 0))
	var objects string
	for _, k := range kustomizations(t) {
		if strings.HasPrefix(k.name, "all at once") {
			objects = k.files["base/web.yaml"] + "---\n" + k.files["base/account.yaml"] + "---\n" + k.files["overlays/prod/more.yaml"]
		}
	}
	docs := strings.Split(objects, "\n---\n")
	for n := range tries {
		r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		base, overlay := docs[:r.IntN(len(docs))+1], ""
		files := map[string]string{"base/all.yaml": strings.Join(base, "\n---\n"), "base/kustomization.yaml": "resources: [all.yaml]\n" + says(r, false)}
		overlay = "resources: [../base]\n" + says(r, true)
		files["over/kustomization.yaml"] = overlay
		k := kustomization{name: "random", folder: "over", files: files}
		want := k.build(t)
		if got := ours(read(t, files), "over"); got != want {
			t.Fatalf("seed %d, kustomization %d: %s\nbase\n%s\noverlay\n%s", seed, n, difference(got, want), files["base/kustomization.yaml"], overlay)
		}
	}
}

// says is a part of a kustomization.
func says(r *rand.Rand, overlay bool) string {
	all := []string{
		"namePrefix: p-", "nameSuffix: -s", "namespace: space", "namespace: default", "commonAnnotations: {a: b, c: d}", "commonLabels: {common: l}",
		"labels: [{pairs: {x: z}, includeSelectors: true}, {pairs: {q: r}, includeTemplates: true}]", "images: [{name: nginx, newTag: '9', newName: other/nginx}]",
		"images: [{name: nginx, tagSuffix: -x}, {name: postgres, digest: 'sha256:1'}]",
		"secretGenerator: [{name: pass, literals: [a=b]}]",
		"patches: [{target: {kind: '.*Set|Deployment'}, patch: '{apiVersion: v1, kind: X, metadata: {name: x, labels: {by: patch}}, spec: {replicas: 9}}'}]",
		"patches: [{target: {name: w.b}, patch: '[{\"op\": \"add\", \"path\": \"/metadata/annotations\", \"value\": {\"o\": \"p\"}}]'}]",
		"patches: [{target: {labelSelector: common=l}, patch: '{op: add, path: /metadata/labels/json, value: patch}'}]",
		"generatorOptions: {disableNameSuffixHash: true, labels: {g: o}}",
	}
	if overlay {
		all = append(all, "configMapGenerator: [{name: settings, behavior: merge, literals: [a=c]}, {name: other, literals: [k=v]}]")
	} else {
		all = append(all, "configMapGenerator: [{name: settings, literals: [a=b]}]", "configMapGenerator: [{name: settings, literals: [a=b]}]")
	}
	var out []string
	seen := map[string]bool{}
	for range r.IntN(7) {
		s := all[r.IntN(len(all))]
		if field, _, _ := strings.Cut(s, ":"); !seen[field] {
			seen[field] = true
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// difference is where two texts begin to differ.
func difference(got, want string) string {
	a, b := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	from := max(0, n-6)
	return "got\n" + strings.Join(a[from:min(len(a), n+6)], "") + "\nwant\n" + strings.Join(b[from:min(len(b), n+6)], "")
}
