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

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

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
	for name, content := range k.files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
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
			if got := ours(kustomize.Needed(files, k.folder), k.folder); got != want {
				t.Error("with the files that it needs: " + difference(got, want))
			}
		})
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
