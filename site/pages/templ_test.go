package pages

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGeneratedFilesAreFresh: a build uses the committed *_templ.go, so they have to say
// what the *.templ say.
func TestGeneratedFilesAreFresh(t *testing.T) {
	templates, err := filepath.Glob("*.templ")
	if err != nil || len(templates) == 0 {
		t.Fatalf("%d templates, %v", len(templates), err)
	}
	// The same path below another folder: error messages in the output name it.
	dir := filepath.Join(t.TempDir(), "site", "pages")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range templates {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := exec.Command("go", "tool", "templ", "generate", "-path", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, name := range templates {
		generated := name[:len(name)-len(".templ")] + "_templ.go"
		want, err := os.ReadFile(filepath.Join(dir, generated))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(generated); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what %s says: run `make generate` and commit it (%v)", generated, name, err)
		}
	}
}
