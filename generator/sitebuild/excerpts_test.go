package sitebuild

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/build/demos"
	"kubewalk/playground/trace"
)

// proving makes a demo in which two Pods are counted.
func proving(name, file string, text []byte, in demos.Languages) (*demos.Demo, error) {
	d, err := makeDemo(name, file, text, in)
	if err != nil {
		return nil, err
	}
	record := claim.Record{
		Events: []claim.Event{{At: time.Second, Who: "etcd", Op: "store.commit", Object: trace.Ref{Resource: "replicasets", Namespace: "default", Name: "web"}}},
		Marks:  []claim.Mark{{ID: "first", Event: 1}},
	}
	d.Put("details.json", []byte(`{"objects": {"1": {"metadata": {"name": "web", "namespace": "default"}, "spec": {"replicas": 2}}}, "base": {}}`))
	d.Record, err = record.Encode()
	return d, err
}

const included = "---\ntitle: Scale\ndescription: d\norder: 1\n---\n## Why {#why}\n\n[2](<demo:scale@first rs/web .spec.replicas>) and [moment 1](demo:scale@first)\n\n" +
	"```go include=code/queue.go#Get mark=\"wait\"\n```\n\n```demo\nscale\n```\n\n[mark](#demo-scale)\n"

// TestClaimsAndExcerpts builds as a development server does: again and again, as
// files outside of the content change.
func TestClaimsAndExcerpts(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range book {
		write("content/"+name, text)
	}
	write("content/en/loop/scale.md", included)
	write("content/ja/loop/scale.md", included)
	write("code/queue.go", "package queue\n\nfunc Get() {\n\twait()\n}\n")
	write("playground/a.go", "package playground\n")
	options := Options{Root: root, Content: filepath.Join(root, "content"), Demos: proving, Assets: makeAssets,
		Phrases: func(string) ([]byte, error) { return []byte("{}"), nil }}
	var cache Cache
	build := func() (string, string) {
		t.Helper()
		tree, err := Build(context.Background(), options, &cache)
		if err != nil {
			return "", err.Error()
		}
		page, _ := tree.Get("en/loop/scale/index.html")
		source, _ := tree.Get("source/code/queue.go/index.html")
		return string(page) + string(source), ""
	}
	page, wrong := build()
	for _, want := range []string{
		`<a href="#demo-scale-first" class="claim" title="Checked by the demo: rs/web .spec.replicas">2</a>`,
		`<a class="listing-file" href="/source/code/queue.go/#L3" title="code/queue.go">queue.go · <wbr>Get</a>`,
		`<mark class="line">	<span class="hl-function">wait</span>()`,
		`<span class="line" id="L4" data-line="4">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s: no %s in\n%s", wrong, want, page)
		}
	}
	if files := strings.Join(cache.Files(), " "); files != "code/queue.go" {
		t.Errorf("files %q", files)
	}
	write("code/queue.go", "package queue\n\nfunc Get() {\n\twait(2)\n}\n")
	if page, wrong = build(); !strings.Contains(page, `wait</span>(<span class="hl-number">2</span>)`) {
		t.Errorf("%s: the page does not follow the file\n%s", wrong, page)
	}
	write("code/queue.go", "package queue\n\nfunc Gte() {\n\twait(2)\n}\n")
	if _, wrong = build(); !strings.Contains(wrong, `scale.md:10:7: no symbol "Get" in code/queue.go (did you mean "Gte"?)`) {
		t.Errorf("got %s", wrong)
	}
	if err := os.Remove(filepath.Join(root, "code/queue.go")); err != nil {
		t.Fatal(err)
	}
	write("code/queues.go", "package queue\n")
	if _, wrong = build(); !strings.Contains(wrong, `no file "code/queue.go" in the project (did you mean "code/queues.go"?)`) {
		t.Errorf("got %s", wrong)
	}
	write("code/queue.go", "package queue\n\nfunc Get() {\n\twait()\n}\n")
	write("content/en/loop/scale.md", strings.Replace(included, "[2]", "[3]", 1))
	if _, wrong = build(); !strings.Contains(wrong, `en/loop/scale.md:8:1: the sentence says 3, rs/web .spec.replicas is 2 at mark "first" of demo "scale"`) {
		t.Errorf("got %s", wrong)
	}
	write("content/en/loop/scale.md", strings.Replace(included, " and [moment 1](demo:scale@first)", "", 1))
	options.Strict = true // else it is a warning
	if _, wrong = build(); !strings.Contains(wrong, `ja/loop/scale.md:8:51: claim "demo:scale@first" is missing in language "en"`) {
		t.Errorf("got %s", wrong)
	}
	options.Strict = false
	if _, wrong = build(); wrong != "" {
		t.Errorf("got %s", wrong)
	}
}
