package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGeneratedFilesAreCurrent fails when somebody edited what is generated, or the generator without running it.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	dir := t.TempDir()
	for _, p := range packages {
		if err := os.Mkdir(filepath.Join(dir, p.name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "protobuf"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.*"))
	for _, f := range files {
		rel, _ := filepath.Rel(dir, f)
		want, _ := os.ReadFile(f)
		got, err := os.ReadFile(filepath.Join("..", rel))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("file %s is not what the generator writes: run go generate ./playground/api/... (%v)", rel, err)
		}
	}
}
