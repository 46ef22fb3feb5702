package source

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/output"
)

func TestPages(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"playground/a/a.go":           "package a\n\nvar X = \"<script>\"\n\nfunc f() {}\n",
		"playground/a/types.go":       "package a\n\ntype T int\n",
		"playground/a/a_test.go":      "package a\n",
		"playground/a/testdata/x.go":  "package x\n",
		"playground/check/c/c.go":     "package c\n",
		"playground/nested/go.mod":    "module nested\n",
		"playground/nested/nested.go": "package nested\n",
		"playground/readme.md":        "",
		"other/o.go":                  "package o\n",
	} {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree := output.NewTree()
	if err := new(Pages).Put(tree, root, "playground"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(tree.Paths(), " "); got != "source/playground/a/a.go.json.gz" {
		t.Fatalf("pages: %s", got)
	}
	made, _ := tree.Get("source/playground/a/a.go.json.gz")
	data, err := compressed.Gunzip(made)
	if err != nil {
		t.Fatal(err)
	}
	var page Page
	if err := json.Unmarshal(data, &page); err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"hl-keyword", "package", "", " a"}, {}, {"hl-keyword", "var", "", " X = ", "hl-string", `"<script>"`}, {}, {"hl-keyword", "func", "", " ", "hl-function", "f", "", "() {}"}}
	if page.File != "playground/a/a.go" || !reflect.DeepEqual(page.Lines, want) {
		t.Errorf("%q", page)
	}
}
