package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFresh: the copies are what this program writes now.
func TestFresh(t *testing.T) {
	t.Chdir("../../..")
	for _, name := range files {
		want, err := copyOf(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what the example says (cure: go run ./generator/dev/operator)", name)
		}
	}
}

// TestSame: but for the imports and the line that says where it comes from, a copy is its original, line by line.
func TestSame(t *testing.T) {
	t.Chdir("../../..")
	for _, name := range files {
		before, imports := halves(t, filepath.Join(from, name))
		now, ours := halves(t, filepath.Join(to, name))
		if now != before {
			t.Errorf("the code of %s is another one than the example's", name)
		}
		if len(ours) != len(imports) {
			t.Errorf("%s imports %d packages, the example %d", name, len(ours), len(imports))
		}
		for _, line := range ours {
			if strings.Contains(line, "k8s.io/") || strings.Contains(line, "example.com/") {
				t.Errorf("%s imports %s", name, line)
			}
		}
	}
}

// halves are a file's code, and the lines of its import block.
func halves(t *testing.T, path string) (code string, imports []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), "import (\n")
	block, code, ended := strings.Cut(rest, "\n)\n")
	if !found || !ended || !strings.Contains(head, "package ") {
		t.Fatalf("%s has no block of imports", path)
	}
	return code, strings.Split(block, "\n")
}
