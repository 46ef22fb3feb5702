package sitebuild

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/problem"
)

// TestClaimsOnCounterfactuals: a world is run when the first claim is about it, and
// not again for another claim, or in a build of the same demo.
func TestClaimsOnCounterfactuals(t *testing.T) {
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
	write("playground/a.go", "package playground\n")
	var imagined []string
	options := Options{Root: root, Content: filepath.Join(root, "content"), Demos: proving, Assets: makeAssets,
		Phrases: func(string) ([]byte, error) { return []byte("{}"), nil },
		Worlds: func(d *demos.Demo, id string) (*demos.World, error) {
			imagined = append(imagined, id)
			if id != "slow" {
				return nil, problem.Problem{Message: "demo \"scale\" has no counterfactual \"" + id + "\"", Cure: "did you mean \"slow\"?"}
			}
			r, err := claim.Decode(d.Record)
			if err != nil {
				return nil, err
			}
			r.World, r.Seed, r.Parts = id, 5, 1
			made := &demos.World{ID: id,
				Details: []byte(`{"objects": {"1": {"metadata": {"name": "web", "namespace": "default"}, "spec": {"replicas": 7}}}, "base": {}}`)}
			made.Record, err = r.Encode()
			return made, err
		}}
	var cache Cache
	build := func(sentence string) (string, string) {
		t.Helper()
		text := "---\ntitle: Scale\ndescription: d\norder: 1\n---\n## Why {#why}\n\n" + sentence + "\n\n```demo\nscale\n```\n\n[mark](#demo-scale)\n"
		write("content/en/loop/scale.md", text)
		write("content/ja/loop/scale.md", text)
		tree, err := Build(context.Background(), options, &cache)
		if err != nil {
			return "", err.Error()
		}
		page, _ := tree.Get("en/loop/scale/index.html")
		return string(page), ""
	}
	if _, wrong := build("[2](<demo:scale@first rs/web .spec.replicas>)"); wrong != "" || len(imagined) > 0 {
		t.Fatalf("%s; worlds that nobody asked for: %v", wrong, imagined)
	}
	page, wrong := build("[2](<demo:scale@first rs/web .spec.replicas>), [7](<demo:scale?slow@first rs/web .spec.replicas>) and [1](<demo:scale?slow count rs .spec.replicas\\>=7>)")
	for _, want := range []string{
		`<a href="#demo-scale-first" class="claim" title="Checked by the demo: rs/web .spec.replicas">2</a>`,
		`<a href="#demo-scale" data-world="slow 5 1" class="claim" title="Checked by the demo, what if “slow”: rs/web .spec.replicas">7</a>`,
		`count rs .spec.replicas&gt;=7">1</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s: no %s in\n%s", wrong, want, page)
		}
	}
	if _, wrong = build("Now [seven](<demo:scale?slow@first rs/web .spec.replicas>)"); wrong != "" || len(imagined) != 1 {
		t.Errorf("%s; worlds %v", wrong, imagined)
	}
	if _, wrong = build("[7](<demo:scale?slwo@first rs/web .spec.replicas>)"); !strings.Contains(wrong,
		`en/loop/scale.md:8:1: demo "scale" has no counterfactual "slwo" (did you mean "slow"?)`) {
		t.Errorf("got %s", wrong)
	}
}
