package kubectl

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
)

// What kustomize and -k need is not in the build that is loaded first: see kustomize_build.go.
var (
	errNoKustomize = errors.New("kustomize and -k are absent here: the control plane that has them could not be loaded")
	buildFolder    func(files map[string]json.RawMessage, folder string) (objects []map[string]any, warnings []string, err error)
	neededFiles    func(files map[string]json.RawMessage, folder string) (map[string]json.RawMessage, error)
)

// Kustomizes says whether this program builds kustomizations.
func Kustomizes() bool { return buildFolder != nil }

// Folder is what a command line that Check has found right builds, with kustomize or -k; "" for none.
func Folder(args []string) string {
	inv, err := parse(args)
	switch {
	case err != nil || inv.command == nil || inv.name == "kustomize" && len(inv.args) > 1:
		return ""
	case inv.name == "kustomize":
		return cmp.Or(strings.Join(inv.args, ""), ".")
	}
	return inv.flags.text("kustomize")
}

// NeededFiles are those of all files that the build of a folder reads. It is an error if the folder is not there.
func NeededFiles(files map[string]json.RawMessage, folder string) (map[string]json.RawMessage, error) {
	if !Kustomizes() {
		return nil, errNoKustomize
	}
	return neededFiles(files, folder)
}

// runKustomize is kubectl kustomize: it prints what -k would read. Upstream: kustomize/v5/commands/build/build.go.
func runKustomize(s *session) error {
	if len(s.args) > 1 {
		return errors.New("specify one path to kustomization.yaml")
	}
	objects, err := s.built(cmp.Or(strings.Join(s.args, ""), "."))
	var texts []string
	for _, o := range objects {
		texts = append(texts, yamlText(o))
	}
	s.printf("%s", strings.Join(texts, "---\n"))
	return err
}

// kustomized has the command read what -k builds, as if -f named it. Upstream: cli-runtime pkg/resource/builder.go, FilenameParam.
func (s *session) kustomized(folder string) error {
	if s.flags.has("filename") {
		return errors.New("only one of -f or -k can be specified")
	}
	objects, err := s.built(folder)
	if err == nil {
		s.file, s.flags["filename"] = folder, []string{folder}
		s.stdin = encode(append([]map[string]any{}, objects...))
	}
	return err
}

// built are the objects of a folder among the files that the command was given.
func (s *session) built(folder string) ([]map[string]any, error) {
	if !Kustomizes() {
		return nil, errNoKustomize
	}
	var files map[string]json.RawMessage
	_ = decode(s.stdin, &files) // without any, the folder is not there
	objects, warnings, err := buildFolder(files, folder)
	for _, w := range warnings {
		s.complain(w)
	}
	return objects, err
}
