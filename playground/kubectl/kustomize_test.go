package kubectl

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFolder(t *testing.T) {
	for line, want := range map[string]string{
		"apply -k base": "base", "delete --kustomize=overlays/prod": "overlays/prod", "kustomize": ".", "kustomize ./a/": "./a/", "get pods": "",
		"kustomize a b": "", "apply -f web": "", "-n x diff -k . --server-side": ".", "kustomize --help": "", "help kustomize": "",
	} {
		if got := Folder(strings.Fields(line)); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// A program that builds no kustomizations says so.
func TestWithoutKustomize(t *testing.T) {
	was := buildFolder
	defer func() { buildFolder = was }()
	buildFolder = nil
	if Kustomizes() {
		t.Error("it builds kustomizations")
	}
	if _, err := NeededFiles(nil, "."); err != errNoKustomize {
		t.Errorf("got %v", err)
	}
}

// The files of a folder are those that are needed, and what is built is printed with sorted keys.
func TestNeededFiles(t *testing.T) {
	files := map[string]json.RawMessage{
		"a/kustomization.yaml": json.RawMessage(`{"resources": ["cm.yaml"], "namePrefix": "p-"}`), "b/kustomization.yaml": json.RawMessage(`{}`),
		"a/cm.yaml": json.RawMessage(`{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "x"}}`),
	}
	needed, err := NeededFiles(files, "a")
	if err != nil || len(needed) != 2 {
		t.Errorf("got %v, %v", needed, err)
	}
	objects, _, err := buildFolder(needed, "a")
	if err != nil || len(objects) != 1 || YAML(objects[0]) != "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: p-x\n" {
		t.Errorf("got %v, %v", objects, err)
	}
	const want = "must build at directory: not a valid directory: evalsymlink failure on 'c' : lstat /home/user/c: no such file or directory"
	if _, err := NeededFiles(files, "c"); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}
