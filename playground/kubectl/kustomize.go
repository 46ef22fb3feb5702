package kubectl

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/kubectl/kustomize"
)

// Kustomization is the folder that a command line which Check has found right builds, with kustomize or -k; "" for none.
func Kustomization(args []string) string {
	inv, err := parse(args)
	if err != nil {
		return ""
	}
	if inv.command != nil && inv.name == "kustomize" && len(inv.args) < 2 {
		return cmp.Or(strings.Join(inv.args, ""), ".")
	}
	return inv.flags.text("kustomize")
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
		s.stdin, err = json.Marshal(objects)
	}
	return err
}

// built are the objects of a folder among the files that the command was given.
func (s *session) built(folder string) ([]map[string]any, error) {
	files := map[string]json.RawMessage{}
	if len(s.stdin) > 0 {
		if err := json.Unmarshal(s.stdin, &files); err != nil {
			return nil, fmt.Errorf("the command needs the files of the folder: %w", err)
		}
	}
	r, err := kustomize.Build(files, folder, yamlText)
	for _, w := range r.Warnings {
		s.complain(w)
	}
	return r.Objects, err
}
