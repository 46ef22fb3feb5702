package kubectl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
)

// runEdit is kubectl edit. Who calls it has the editor, so the manifest consists of two documents: the object that the editor showed, and
// what was saved. What differs is sent as a patch, which leaves alone what others have written meanwhile.
//
// Simplified: one object at a time; it is read when the editor is left, not when it is opened; an edit that is refused is told of and over, where
// the real one opens the editor again.
// Upstream: kubectl pkg/cmd/util/editor/editoptions.go, EditOptions.Run, visitToPatch.
func runEdit(s *session) error {
	infos, err := s.fetched(s.args)
	if err == nil && len(infos) == 0 {
		err = errors.New("edit cancelled, no objects found")
	}
	if err != nil {
		return err
	}
	original, edited, err := s.saved()
	if err != nil {
		return err
	}
	if len(infos) != 1 {
		return fmt.Errorf("edit takes one object here, not %d", len(infos))
	}
	i := infos[0]
	if same, err := sameJSON(original, edited); err != nil {
		return err
	} else if same {
		s.note("Edit cancelled, no changes made.")
		return nil
	}
	if err := sameIdentity(original, edited, i); err != nil {
		return err
	}
	kind := types.StrategicMergePatchType
	var patch []byte
	if _, custom := i.object.(*api.Unstructured); custom {
		kind = types.MergePatchType
		patch, err = jsonpatch.CreateMergePatch(original, edited)
	} else {
		patch, err = strategicpatch.CreateTwoWayMergePatch(original, edited, reflect.TypeOf(i.object))
	}
	if err != nil {
		return err
	}
	r := i.request(client.Patch)
	r.PatchType, r.Patch, r.Subresource, r.FieldManager = kind, patch, s.flags.text("subresource"), s.flags.or("field-manager", "kubectl-edit")
	r.FieldValidation = s.fieldValidation()
	after, err := s.object(r)
	if err != nil {
		return refusedEdit(i, err)
	}
	return s.show(after, i, "edited")
}

// saved is what an editor showed, and what was saved in it.
func (s *session) saved() (original, edited json.RawMessage, err error) {
	if len(s.stdin) == 0 {
		return nil, nil, errors.New("edit needs an editor, which is beside the command line of a demo. " +
			"Elsewhere, change fields with patch, set, label, annotate or scale")
	}
	var documents []json.RawMessage
	if err := json.Unmarshal(s.stdin, &documents); err != nil || len(documents) != 2 {
		return nil, nil, errors.New("edit takes two documents: the object as it was, and as it shall be")
	}
	return documents[0], documents[1], nil
}

// refusedEdit is what is said of an edit that the server does not take.
// Upstream: editoptions.go, editResults.addError.
func refusedEdit(i *info, err error) error {
	name := fmt.Sprintf("%s %q", i.kind.GroupResource(), i.name)
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Reason != metav1.StatusReasonInvalid {
		return fmt.Errorf("%s could not be patched: %w", name, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s was not valid:", name)
	if d := status.ErrStatus.Details; d != nil {
		for _, c := range d.Causes {
			fmt.Fprintf(&b, "\n * %s: %s", c.Field, c.Message)
		}
	}
	return errors.New(b.String())
}

// sameIdentity refuses an edit that is about another object than the one that was opened.
func sameIdentity(original, edited []byte, i *info) error {
	var before, after struct {
		APIVersion, Kind string
		Metadata         struct{ Name, Namespace string }
	}
	if err := errors.Join(json.Unmarshal(original, &before), json.Unmarshal(edited, &after)); err != nil {
		return err
	}
	if before.Metadata.Name != i.name {
		return fmt.Errorf("the editor was opened with %q, not with %q", before.Metadata.Name, i.name)
	}
	if before != after {
		return errors.New("At least one of apiVersion, kind and name was changed")
	}
	return nil
}

func sameJSON(a, b []byte) (bool, error) {
	var one, other any
	if err := errors.Join(json.Unmarshal(a, &one), json.Unmarshal(b, &other)); err != nil {
		return false, err
	}
	x, err := json.Marshal(one)
	if err != nil {
		return false, err
	}
	y, err := json.Marshal(other)
	return bytes.Equal(x, y), err
}

// Edited is the object that a command line opens in an editor, as "deployments default/web"; "" if the line, which Check has found right, edits
// none. The resource of a kind that is not built in is as it was typed. With lastApplied, it opens what apply remembers of the object.
func Edited(args []string) (object string, lastApplied bool) {
	inv, err := parse(args)
	if err != nil || inv.name != "edit" && inv.name != "apply edit-last-applied" {
		return "", false
	}
	lastApplied = inv.name != "edit"
	resource, name := "", ""
	switch len(inv.args) {
	case 1:
		resource, name, _ = strings.Cut(inv.args[0], "/")
	case 2:
		resource, name = inv.args[0], inv.args[1]
	}
	if name == "" {
		return "", false
	}
	namespace := inv.flags.text("namespace")
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	if kind := api.Resolve(resource); kind != nil {
		if resource = kind.Resource; !kind.Namespaced {
			return resource + " " + name, lastApplied
		}
	}
	return resource + " " + namespace + "/" + name, lastApplied
}
