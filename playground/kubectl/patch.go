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
	if !s.flags.has("patch") {
		return errors.New("must specify --patch or --patch-file containing the contents of the patch")
	}
	kind, ok := patchTypes[strings.ToLower(s.flags.or("type", "strategic"))]
	if !ok {
		return fmt.Errorf("--type must be one of [json merge strategic], not %q", s.flags.text("type"))
	}
	var any any
	if err := json.Unmarshal([]byte(text), &any); err != nil {
		return fmt.Errorf("unable to parse %q: %v", text, err)
	}
	infos, err := s.fetched(s.args)
	if err != nil {
		return err
	}
	return s.each(infos, func(i *info) error {
		if s.dryRun == "client" {
			return s.show(i.object, i, "patched")
		}
		r := i.request(client.Patch)
		r.PatchType, r.Patch, r.Subresource, r.FieldManager = kind, []byte(text), s.flags.text("subresource"), s.flags.or("field-manager", "kubectl-patch")
		after, err := s.object(r)
		if err != nil {
			return err
		}
		// The server keeps the version of an object that a patch leaves as it is.
		if after.GetResourceVersion() == i.object.GetResourceVersion() {
			return s.show(after, i, "patched (no change)")
		}
		return s.show(after, i, "patched")
	})
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
