package kustomize

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
)

// Result is what a build made.
type Result struct {
	Objects  []map[string]any
	Warnings []string // for standard error
	Folders  []string // that were looked into, also if the build failed
	Files    []string // that were looked for elsewhere
}

type builder struct {
	files  map[string]json.RawMessage
	yaml   func(any) string
	result *Result
	size   int // of what replacements have copied
}

// Build makes the objects of a folder. Files are below the home directory, where the folder's path begins, too. yaml writes a tree,
// for errors that show one. The result is there with an error, too.
// Upstream: krusty/kustomizer.go, Run.
func Build(files map[string]json.RawMessage, folder string, yaml func(any) string) (*Result, error) {
	b := &builder{files: files, yaml: yaml, result: &Result{}}
	root := folder
	if !path.IsAbs(folder) {
		root = path.Join(home, folder)
	}
	if folder == "" {
		return b.result, errors.New("must build at directory: directory path cannot be empty")
	}
	if err := b.confirm(root, folder); err != nil {
		return b.result, err
	}
	root = path.Clean(root)
	b.result.Folders = []string{root}
	t := &target{builder: b, root: root}
	if err := t.load(); err != nil {
		return b.result, err
	}
	all, err := t.accumulate(nil)
	if err == nil {
		all.hash()
		err = all.refer()
	}
	if err == nil {
		err = all.sort(t.k.SortOptions)
	}
	if err != nil {
		return b.result, err
	}
	for _, r := range all {
		annotations := r.texts("annotations")
		r.set("annotations", with(nil, annotations))
		if local, there := annotations["config.kubernetes.io/local-config"]; !there || local == "false" {
			b.result.Objects = append(b.result.Objects, r.tree)
		}
	}
	return b.result, nil
}

// Needed are the files that a build of a folder reads: all that are in the folders that it looks into, and below, and others that it
// names. It is an error if the folder is not there; what else is wrong, the build says.
func Needed(files map[string]json.RawMessage, folder string) (map[string]json.RawMessage, error) {
	r, err := Build(files, folder, func(any) string { return "" })
	if len(r.Folders) > 0 {
		err = nil
	}
	out := map[string]json.RawMessage{}
	for name, text := range files { // order: each fills its own key
		if slices.Contains(r.Files, name) || slices.ContainsFunc(r.Folders, func(f string) bool { return within(path.Dir(home+name), f) }) {
			out[name] = text
		}
	}
	return out, err
}
