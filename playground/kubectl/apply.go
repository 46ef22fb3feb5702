package kubectl

import (
	"errors"
	"fmt"
	"reflect"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// LastApplied is the annotation in which apply keeps what it was given.
const LastApplied = corev1.LastAppliedConfigAnnotation

// The names under which apply writes. Upstream: kubectl pkg/cmd/apply/apply.go.
const (
	managerClientSide = "kubectl-client-side-apply"
	managerServerSide = "kubectl"
)

// Apply is kubectl apply -f -.
func (c Command) Apply(p *sim.Proc, manifest []byte) Result {
	return c.Run(p, []string{"apply", "-f", "-"}, manifest)
}

// runApply is kubectl apply: for each manifest a GET, then a POST or a PATCH;
// or, with --server-side, a PATCH that leaves the comparing to the server.
// Upstream: kubectl pkg/cmd/apply/apply.go, ApplyOptions.Run.
func runApply(s *session) error {
	serverSide := s.flags.yes("server-side")
	switch {
	case len(s.args) > 0:
		return fmt.Errorf("Unexpected args: %v\nSee 'kubectl apply -h' for help and examples", s.args)
	case len(s.flags.all("filename")) == 0:
		return errors.New("must specify one of -f and -k")
	case s.flags.yes("force-conflicts") && !serverSide:
		return errors.New("--force-conflicts only works with --server-side")
	case s.dryRun == "client" && serverSide:
		return errors.New("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
	case s.flags.yes("force") && serverSide:
		return errors.New("--force cannot be used with --server-side")
	case s.flags.yes("force") && s.flags.yes("prune"):
		return errors.New("--force cannot be used with --prune")
	case s.flags.yes("prune") && !s.flags.yes("all") && !s.flags.has("selector"):
		return errors.New("all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. " +
			"If you did not mean to prune all resources, specify a label selector")
	case s.flags.yes("prune") && serverSide:
		return errors.New("--prune is in alpha and doesn't currently work on objects created by server-side apply")
	}
	if err := allOrSelected(s); err != nil {
		return err
	}
	infos, err := s.manifests()
	if err != nil {
		return err
	}
	after := func([]*info) error { return nil }
	if s.flags.yes("prune") {
		if after, err = prune(s); err != nil {
			return err
		}
	}
	one := s.applyOne
	if serverSide {
		one = s.applyServerSide
	}
	err = s.each(infos, func(i *info) error {
		if i.name == "" {
			if generate := textAt(i.tree, "metadata", "generateName"); generate != "" {
				return fmt.Errorf("from %s: cannot use generate name with apply", generate)
			}
			return fmt.Errorf("error when retrieving current configuration of:\n%s\nfrom server for: %q: resource name may not be empty", i, i.source)
		}
		return one(i)
	})
	if err != nil {
		return err
	}
	return after(infos)
}

// prune is what deletes, after what is applied now, what was applied earlier: see prune.go, which the build that is loaded first has no room for.
var prune = func(*session) (after func(applied []*info) error, err error) {
	return nil, errors.New("--prune is absent here: the control plane that has it could not be loaded")
}

func (s *session) applyOne(i *info) error {
	manager := s.flags.or("field-manager", managerClientSide)
	modified := setLastApplied(i.tree)
	_, err := s.read(i, false)
	if apierrors.IsNotFound(err) && apierrors.ReasonForError(err) != "" {
		made, err := s.create(i, manager)
		if err != nil {
			return &sourceError{"creating", i.source, err}
		}
		return s.show(made, i, "created")
	}
	if err != nil {
		return &sourceError{fmt.Sprintf("retrieving current configuration of:\n%s\nfrom server for:", i), i.source, err}
	}
	live := i.object
	if _, annotated := live.GetAnnotations()[LastApplied]; !annotated {
		s.warn(fmt.Sprintf("resource %s/%s is missing the %s annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.", i.kind.Resource, i.name, LastApplied))
	}
	kind, patch, err := s.threeWayPatch(i, modified)
	if err != nil {
		return err
	}
	if string(patch) == "{}" {
		return s.show(live, i, "unchanged")
	}
	if s.dryRun == "client" {
		return s.show(live, i, "configured")
	}
	r := i.request(client.Patch)
	r.PatchType, r.Patch, r.FieldManager, r.FieldValidation = kind, patch, manager, s.fieldValidation()
	after, err := s.object(r)
	if err != nil {
		return &sourceError{fmt.Sprintf("applying patch:\n%s\nto:\n%s\nfor:", patch, i), i.source, err}
	}
	if after.GetDeletionTimestamp() != nil {
		s.warn(fmt.Sprintf("Detected changes to resource %s which is currently being deleted.", after.GetName()))
	}
	return s.show(after, i, "configured")
}

// threeWayPatch makes a live object be as a manifest says, which has changed since it was applied last.
// Upstream: kubectl pkg/cmd/apply/patcher.go, Patcher.patchSimple.
func (s *session) threeWayPatch(i *info, modified []byte) (kind types.PatchType, patch []byte, err error) {
	original := i.object.GetAnnotations()[LastApplied]
	current, err := api.Encode(i.object)
	if err != nil {
		return "", nil, err
	}
	kind = types.StrategicMergePatchType
	if _, custom := i.object.(*api.Unstructured); custom {
		kind = types.MergePatchType
		patch, err = threeWayMergePatch([]byte(original), modified, current)
	} else {
		patch, err = strategicpatch.CreateThreeWayMergePatch([]byte(original), modified, current, reflect.TypeOf(i.object), true)
	}
	if err != nil {
		err = fmt.Errorf("creating patch with:\noriginal:\n%s\nmodified:\n%s\ncurrent:\n%s\nfor: %q: %w", original, modified, current, i.source, err)
	}
	return kind, patch, err
}

// conflictAdvice is what kubectl adds to a conflict of field managers.
const conflictAdvice = `
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the ` + "`--force-conflicts`" + ` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`

func (s *session) applyServerSide(i *info) error {
	r := i.request(client.Patch)
	r.PatchType, r.Patch, r.Force = types.ApplyPatchType, encode(i.tree), s.flags.yes("force-conflicts")
	r.FieldManager, r.FieldValidation = s.flags.or("field-manager", managerServerSide), s.fieldValidation()
	after, err := s.object(r)
	if apierrors.IsConflict(err) {
		return fmt.Errorf("%w", plain{errors.New(err.Error() + conflictAdvice)})
	}
	if err != nil {
		return err
	}
	return s.show(after, i, "serverside-applied")
}

// setLastApplied writes a manifest into its own annotation, and returns it as
// it is then. Upstream: kubectl pkg/util/apply.go, GetModifiedConfiguration.
func setLastApplied(manifest map[string]any) []byte {
	annotations := inside(inside(manifest, "metadata"), "annotations")
	delete(annotations, LastApplied)
	annotations[LastApplied] = string(encode(manifest)) + "\n"
	return encode(manifest)
}
