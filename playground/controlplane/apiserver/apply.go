package apiserver

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/managedfields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/defaults"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// applyHandler is server-side apply: the request says what its manager wants to be so, and leaves the rest to others. It
// creates what is not there. Upstream: endpoints/handlers/patch.go, applyPatcher.
func (s *Server) applyHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, bool, error) {
	r := c.Request
	if r.Subresource == "scale" {
		return nil, false, apierrors.NewUnsupportedMediaType(patchTypes)
	}
	config, err := managedfields.ParseTree(r.PatchText())
	if _, isMap := config.(map[string]any); err != nil || !isMap {
		return nil, false, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	a := &applying{server: s, call: c, registry: e, config: config.(map[string]any), types: s.owners.types.For(e.Kind)}
	if err := a.check(); err != nil {
		return nil, false, err
	}
	store := e
	if r.Subresource == "" {
		store = e.AllowingCreate()
	}
	obj, created, err := s.change(p, c, store, a.apply)
	if err != nil {
		return nil, false, err
	}
	if !r.DryRun {
		s.owners.set(e.KeyOf(obj), obj, a.managers)
	} else if r.ManagedFields {
		obj = obj.DeepCopyObject()
		obj.SetManagedFields(a.managers.Entries())
		return e.Served(obj), created, nil
	}
	return s.outgoing(c, e, obj), created, nil
}

// applying is one apply. managers is what came of it.
type applying struct {
	server   *Server
	call     *call
	registry *registry.Store
	config   map[string]any
	types    *managedfields.Type
	managers managedfields.Managers
}

// check looks at the configuration alone.
// Upstream: managedfields/internal/structuredmerge.go, structuredMergeManager.Apply.
func (a *applying) check() error {
	kind := a.registry.Kind
	version, _ := a.config["apiVersion"].(string)
	if version != kind.GroupVersion().String() {
		return apierrors.NewBadRequest(fmt.Sprintf("Incorrect version specified in apply patch. Specified patch version: %s, expected: %s", version,
			kind.GroupVersion()))
	}
	if name, _ := a.config["kind"].(string); name != kind.GroupVersionKind.Kind {
		return apierrors.NewBadRequest(fmt.Sprintf("the kind in the data (%s) does not match the expected kind (%s)", name, kind.GroupVersionKind.Kind))
	}
	meta, _ := a.config["metadata"].(map[string]any)
	if meta["managedFields"] != nil {
		return apierrors.NewBadRequest("metadata.managedFields must be nil")
	}
	if err := a.types.Validate(a.config); err != nil {
		name, _ := meta["name"].(string)
		namespace, _ := meta["namespace"].(string)
		return apierrors.NewBadRequest(fmt.Sprintf("failed to create typed patch object (%s/%s; %s): %v", namespace, name, kind.GroupVersionKind, err))
	}
	return nil
}

// apply makes the new object. It is an UpdatedObject.
func (a *applying) apply(p *sim.Proc, old api.Object) (api.Object, error) {
	kind := a.registry.Kind
	r := a.call.Request
	live, before := managedfields.Empty(kind), managedfields.Managers(nil)
	if old != nil {
		before = a.server.owners.of(a.registry.KeyOf(old), old.GetUID()).Managers(a.server.owners.types)
		live = managedfields.Tree(a.registry.Served(old))
	}
	m := managedfields.Manager{Name: r.FieldManager, APIVersion: kind.GroupVersion().String(), Subresource: r.Subresource}
	resets := managedfields.ResetFields(kind, r.Subresource)
	merged, managers, conflicts := before.Apply(a.types, live, a.config, m, resets, r.Force, p.Time())
	if conflicts != nil && r.FieldManager == kubectlManager && old != nil {
		if conflicts = conflicts.Upgrade(a.types, old); conflicts == nil {
			merged, managers, _ = before.Apply(a.types, live, a.config, m, resets, true, p.Time())
		}
	}
	if conflicts != nil {
		return nil, apierrors.NewApplyConflict(conflicts.Causes(), conflicts.Message())
	}
	a.managers = managers
	obj, err := a.decode(merged)
	if err != nil {
		return nil, err
	}
	if r.FieldManager == kubectlManager && old != nil {
		a.updateLastApplied(obj, old)
	}
	if old == nil {
		old = kind.New()
		old.SetName(r.Name)
		old.SetNamespace(r.Namespace)
		obj.SetNamespace(r.Namespace)
		if obj.GetName() == "" {
			obj.SetName(r.Name)
		}
	}
	if obj, err = asPatched(obj, old, kind.GroupVersionKind); err != nil {
		return nil, err
	}
	return a.registry.Stored(obj), nil
}

// kubectlManager is the manager of `kubectl apply --server-side`.
const kubectlManager = "kubectl"

func (a *applying) decode(tree any) (api.Object, error) {
	obj, _, err := decodeAs(a.registry, managedfields.Text(tree), &a.registry.Kind.GroupVersionKind)
	if err != nil {
		return nil, transformDecodeError(a.registry.Kind.GroupVersionKind, err, managedfields.Text(tree))
	}
	settle(obj)
	defaults.Set(obj)
	return obj, nil
}

// updateLastApplied keeps the annotation of client-side apply up to date, where there is one.
// Upstream: managedfields/internal/lastappliedupdater.go.
func (a *applying) updateLastApplied(obj, old api.Object) {
	if _, ok := old.GetAnnotations()[managedfields.LastApplied]; !ok {
		return
	}
	annotations := map[string]string{managedfields.LastApplied: string(managedfields.Text(a.config)) + "\n"}
	for k, v := range obj.GetAnnotations() { // order: each fills its own key
		if k != managedfields.LastApplied {
			annotations[k] = v
		}
	}
	obj.SetAnnotations(annotations)
}

// validatePatchOptions is upstream's apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidatePatchOptions and
// ValidateFieldManager.
func validatePatchOptions(r *client.Request, apply bool) error {
	var errs field.ErrorList
	if apply && r.FieldManager == "" {
		errs = append(errs, field.Required(field.NewPath("fieldManager"), "is required for apply patch"))
	}
	if !apply && r.Force {
		errs = append(errs, field.Forbidden(field.NewPath("force"), "may not be specified for non-apply patch"))
	}
	return invalidOptions("PatchOptions", append(errs, validateWriteOptions(r)...))
}

// fieldManagerMaxLength is upstream's constant of that name.
const fieldManagerMaxLength = 128

// validateWriteOptions is what the options of all writes share.
func validateWriteOptions(r *client.Request) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("fieldManager")
	if len(r.FieldManager) > fieldManagerMaxLength {
		errs = append(errs, field.TooLong(path, r.FieldManager, fieldManagerMaxLength))
	}
	for i, c := range r.FieldManager {
		if c < 0x20 || c == 0x7f {
			errs = append(errs, field.Invalid(path, r.FieldManager, fmt.Sprintf("invalid character %#U (at position %d)", c, i)))
		}
	}
	switch r.FieldValidation {
	case "", metav1.FieldValidationIgnore, metav1.FieldValidationWarn, metav1.FieldValidationStrict:
	default:
		errs = append(errs, field.NotSupported(field.NewPath("fieldValidation"), r.FieldValidation,
			[]string{"", metav1.FieldValidationIgnore, metav1.FieldValidationStrict, metav1.FieldValidationWarn}))
	}
	return errs
}

func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(api.GroupKind{Group: "meta.k8s.io", Kind: kind}, "", errs)
}
