package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuildNamesPlaces(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module x\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() {\n\tunknown()\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out", "x")
	err := Build(dir, out, ".", nil)
	if err == nil || !strings.HasPrefix(err.Error(), "main.go:4:2: undefined: unknown") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Build(dir, out, ".", nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
}
