package kubectl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
)

// viewLastApplied is kubectl apply view-last-applied: what apply was given, as the annotation of each object has it.
// Upstream: kubectl pkg/cmd/apply/apply_view_last_applied.go.
func viewLastApplied(s *session) error {
	infos, err := s.fetched(s.args)
	if err != nil {
		return err
	}
	output := s.flags.or("output", "yaml")
	for _, i := range infos {
		text, ok := i.object.GetAnnotations()[LastApplied]
		if !ok {
			return fmt.Errorf("no last-applied-configuration annotation found on resource: %s\n", i.name)
		}
		switch output {
		case "json":
			var b bytes.Buffer
			if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
				return err
			}
			s.printf("%s", b.String())
		case "yaml":
			var v any
			if err := decode([]byte(text), &v); err != nil {
				return err
			}
			s.printf("%s", yamlText(v))
		default:
			return fmt.Errorf("Unexpected -o output mode: %s, the flag 'output' must be one of yaml|json\nSee 'kubectl apply view-last-applied -h' for help and examples", output)
		}
	}
	return nil
}

// setLastAppliedTo is kubectl apply set-last-applied: the annotation becomes what the manifest says, and nothing else changes.
// Upstream: kubectl pkg/cmd/apply/apply_set_last_applied.go.
func setLastAppliedTo(s *session) error {
	if !s.flags.has("filename") {
		return errNoResource
	}
	infos, err := s.manifests()
	if err != nil {
		return err
	}
	type change struct {
		of    *info
		patch []byte
	}
	var changes []change
	for _, i := range infos {
		setLastApplied(i.tree)
		annotation := textAt(i.tree, "metadata", "annotations", LastApplied)
		if _, err := s.read(i, false); apierrors.IsNotFound(err) {
			return err
		} else if err != nil {
			return &sourceError{fmt.Sprintf("retrieving current configuration of:\n%s\nfrom server for:", i), i.source, err}
		}
		old, ok := i.object.GetAnnotations()[LastApplied]
		if !ok && !s.flags.yes("create-annotation") {
			return fmt.Errorf("no last-applied-configuration annotation found on resource: %s, to create the annotation, run the command with --create-annotation", i.name)
		}
		if old == annotation {
			s.printf("set-last-applied %s: no changes required.\n", i.name)
			continue
		}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{LastApplied: annotation}}})
		if err != nil {
			return err
		}
		changes = append(changes, change{i, patch})
	}
	for _, c := range changes {
		after := c.of.object
		if s.dryRun != "client" {
			r := c.of.request(client.Patch)
			r.PatchType, r.Patch = types.MergePatchType, c.patch
			if after, err = s.object(r); err != nil {
				return err
			}
		}
		if err := s.show(after, c.of, "configured"); err != nil {
			return err
		}
	}
	return nil
}

// editLastApplied is kubectl apply edit-last-applied: as edit does, it takes what the editor showed, which was in the annotation, and what was
// saved. The annotation becomes that, and nothing else changes.
//
// Simplified: one object at a time, without -f; an edit that is refused is told of and over.
// Upstream: kubectl pkg/cmd/apply/apply_edit_last_applied.go; pkg/cmd/util/editor/editoptions.go, EditOptions.Run, visitToApplyEditPatch.
func editLastApplied(s *session) error {
	infos, err := s.fetched(s.args)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(infos, func(i *info) bool { return i.object.GetAnnotations()[LastApplied] != "" }) {
		return errors.New("no last-applied-configuration annotation found on resources, " +
			"to create the annotation, use command `kubectl apply set-last-applied --create-annotation`")
	}
	original, edited, err := s.saved()
	if err != nil {
		return err
	}
	if same, err := sameJSON(original, edited); err != nil {
		return err
	} else if same {
		s.note("Edit cancelled, no changes made.")
		return nil
	}
	var tree map[string]any
	if err := decode(edited, &tree); err != nil {
		return err
	}
	s.file, s.enforced = "edited-file", true // the namespace has to stay the same
	i, err := s.manifest(tree)
	if err != nil {
		return err
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	r := i.request(client.Patch)
	r.PatchType, r.Patch = types.MergePatchType, encode(map[string]any{"metadata": map[string]any{"annotations": map[string]any{LastApplied: string(text) + "\n"}}})
	r.FieldManager, r.FieldValidation = s.flags.or("field-manager", "kubectl-client-side-apply"), s.fieldValidation()
	if _, err := s.object(r); err != nil {
		return err
	}
	return s.show(nil, i, "edited")
}
