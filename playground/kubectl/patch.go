package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// patchTypes are the words that --type takes.
var patchTypes = map[string]types.PatchType{"json": types.JSONPatchType, "merge": types.MergePatchType, "strategic": types.StrategicMergePatchType}

// Patch is kubectl patch --type=merge.
func (c Command) Patch(p *sim.Proc, resource, namespace, name string, patch []byte) Result {
	return c.Run(p, inNamespace(namespace, "patch", resource, name, "--type=merge", "-p", string(patch)), nil)
}

// inNamespace is a command line with -n where there is a namespace to name.
func inNamespace(namespace string, args ...string) []string {
	if namespace != "" {
		args = append(args, "--namespace="+namespace)
	}
	return args
}

// runPatch is kubectl patch: a GET, then a PATCH.
// Upstream: kubectl pkg/cmd/patch/patch.go, RunPatch.
func runPatch(s *session) error {
	text := s.flags.text("patch")
	if text == "" {
		return errors.New("must specify --patch or --patch-file containing the contents of the patch")
	}
	kind, ok := patchTypes[strings.ToLower(s.flags.or("type", "strategic"))]
	if !ok {
		return fmt.Errorf("--type must be one of [json merge strategic], not %q", s.flags.text("type"))
	}
	patch := []byte(text)
	if inYAML(text) {
		var err error
		if patch, err = patchInYAML(text); err != nil {
			return fmt.Errorf("unable to parse %q: %v", text, err)
		}
	}
	return s.eachFetched(s.args, func(i *info) error {
		var after api.Object
		var err error
		if s.dryRun == "client" {
			after, err = patchedLocally(i, kind, patch)
		} else {
			r := i.request(client.Patch)
			r.PatchType, r.Patch, r.Subresource, r.FieldManager = kind, patch, s.flags.text("subresource"), s.flags.or("field-manager", "kubectl-patch")
			r.FieldValidation = metav1.FieldValidationWarn
			after, err = s.object(r)
		}
		if apierrors.ReasonForError(err) == metav1.StatusReasonUnsupportedMediaType {
			return fmt.Errorf("%s is not supported by %s: %w", kind, i.kind.GroupVersionKind, err)
		}
		if err != nil {
			return err
		}
		did := "patched"
		if api.SemanticDeepEqual(after, i.object) {
			did += " (no change)"
		}
		if o := s.flags.text("output"); o != "" && o != "name" {
			return s.show(after, i, did)
		}
		// It says nothing of a dry run, and speaks of what the server has answered: a Scale, if that was patched.
		mode := s.dryRun
		s.dryRun = ""
		s.done(s.nameOf(s.shown(after)), did)
		s.dryRun = mode
		return nil
	})
}

// inYAML tells whether a patch is no JSON. One that begins as an object is taken for JSON. Upstream: apimachinery pkg/util/yaml, ToJSON.
func inYAML(text string) bool {
	return !strings.HasPrefix(strings.TrimSpace(text), "{") && !json.Valid([]byte(text))
}

// patchInYAML makes JSON of a patch in YAML, which only the larger build reads: see patch_yaml.go.
var patchInYAML = func(text string) ([]byte, error) {
	var v any
	return nil, json.Unmarshal([]byte(text), &v)
}

// patchedLocally is an object after a patch that is not sent. Upstream: patch.go, getPatchedJSON.
func patchedLocally(i *info, kind types.PatchType, patch []byte) (api.Object, error) {
	text, err := api.Encode(i.object)
	if err != nil {
		return nil, err
	}
	switch kind {
	case types.JSONPatchType:
		var operations jsonpatch.Patch
		if operations, err = jsonpatch.DecodePatch(patch); err == nil {
			text, err = operations.Apply(text)
		}
	case types.MergePatchType:
		text, err = jsonpatch.MergePatch(text, patch)
	default:
		if _, custom := i.object.(*api.Unstructured); custom {
			return nil, fmt.Errorf("strategic merge patch is not supported for %s locally, try --type merge", i.kind.GroupVersionKind)
		}
		text, err = strategicpatch.StrategicMergePatch(text, patch, reflect.TypeOf(i.object))
	}
	if err != nil {
		return nil, err
	}
	obj, _, err := api.Decode(text, nil)
	return obj, err
}

// change sends what a command has changed of an object as a patch, which
// leaves alone what others write meanwhile. It returns nil when there is
// nothing to send.
func (s *session) change(i *info, changed api.Object, manager string) (api.Object, error) {
	before, err := api.Encode(i.object)
	if err != nil {
		return nil, err
	}
	after, err := api.Encode(changed)
	if err != nil {
		return nil, err
	}
	var patch []byte
	kind := types.StrategicMergePatchType
	if _, custom := changed.(*api.Unstructured); custom {
		kind = types.MergePatchType
		patch, err = jsonpatch.CreateMergePatch(before, after)
	} else {
		patch, err = strategicpatch.CreateTwoWayMergePatch(before, after, reflect.TypeOf(changed))
	}
	if err != nil || string(patch) == "{}" {
		return nil, err
	}
	if s.dryRun == "client" {
		return changed, nil
	}
	r := i.request(client.Patch)
	r.PatchType, r.Patch, r.FieldManager = kind, patch, s.flags.or("field-manager", manager)
	return s.object(r)
}

// sortedKeys are a mapping's keys in order.
func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m { // order: they are sorted below
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
