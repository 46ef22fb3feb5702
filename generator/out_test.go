package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutFolder(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(root)
	for _, folder := range []string{"content/en", "book/content", "public"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": "content", "elsewhere": ".."} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for out, want := range map[string]string{
		"public": "", "new/folder": "", "../other/public": "", "book/public": "", filepath.Join(home, "site"): "", "content2": "",
		"content":        "--out content is the content folder content, which a build would replace (give a folder of its own with --out",
		"content/public": "--out content/public is inside the content folder content, which a build reads", "content/en/../x": "is inside",
		"link": "is the content folder", "link/public": "is inside the content folder", "./public/../content": "is the content folder",
		".": "contains the content folder", "..": "contains", "/": "contains", "elsewhere": "contains",
		home: "is your home folder", filepath.Dir(home): "contains",
	} {
		err := outFolder(out, &place{root: root}, "content")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("--out %s: %v", out, err)
		}
	}
	if err := outFolder(root, &place{root: root}, "../elsewhere/content"); err == nil || !strings.Contains(err.Error(), "is the project's folder") {
		t.Errorf("got %v", err)
	}
	if err := run(t.Context(), []string{"build", "--out", "content/x"}, os.Stderr); err == nil {
		t.Error("build wrote into the content")
	}
}
