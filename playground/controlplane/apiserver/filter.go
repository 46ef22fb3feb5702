package apiserver

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
)

// filter is which objects a list or a watch is about.
// Upstream: storage/selection_predicate.go, SelectionPredicate.
type filter struct {
	registry  *registry.Store
	namespace string
	name      string
	label     labels.Selector
	field     fields.Selector
}

// newFilter reads a request's selectors.
func newFilter(r *client.Request, e *registry.Store) (filter, error) {
	f := filter{registry: e, namespace: r.Namespace, name: r.Name}
	var err error
	if f.label, err = labels.Parse(r.List.LabelSelector); err != nil {
		return f, apierrors.NewBadRequest(err.Error())
	}
	if f.field, err = e.ParseFieldSelector(r.List.FieldSelector); err != nil {
		return f, apierrors.NewBadRequest(err.Error())
	}
	return f, nil
}

// takesAll tells whether every object of the namespace matches.
func (f filter) takesAll() bool { return f.name == "" && f.label.Empty() && f.field.Empty() }

func (f filter) matches(obj api.Object) bool {
	if f.namespace != "" && f.namespace != obj.GetNamespace() || f.name != "" && f.name != obj.GetName() {
		return false
	}
	if !f.label.Empty() && !f.label.Matches(labels.Set(obj.GetLabels())) {
		return false
	}
	return f.field.Empty() || f.field.Matches(f.registry.StoredFields(obj))
}

// validateListOptions refuses options that contradict each other.
// Upstream: apimachinery/pkg/apis/meta/internalversion/validation/validation.go, ValidateListOptions.
func validateListOptions(o *metav1.ListOptions, watching bool) error {
	var errs field.ErrorList
	forbid := func(name, detail string) { errs = append(errs, field.Forbidden(field.NewPath(name), detail)) }
	match := o.ResourceVersionMatch
	if watching {
		if o.SendInitialEvents != nil && match != metav1.ResourceVersionMatchNotOlderThan {
			forbid("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
		}
		if match != "" && o.SendInitialEvents == nil {
			forbid("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
		}
		if match != "" && match != metav1.ResourceVersionMatchNotOlderThan {
			errs = append(errs, field.NotSupported(field.NewPath("resourceVersionMatch"), string(match), []string{"NotOlderThan"}))
		}
	} else {
		if match != "" && o.ResourceVersion == "" {
			forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided")
		}
		if match != "" && o.Continue != "" {
			forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided")
		}
		if match != "" && match != metav1.ResourceVersionMatchExact && match != metav1.ResourceVersionMatchNotOlderThan {
			errs = append(errs, field.NotSupported(field.NewPath("resourceVersionMatch"), string(match), []string{"Exact", "NotOlderThan", ""}))
		}
		if match == metav1.ResourceVersionMatchExact && o.ResourceVersion == "0" {
			forbid("resourceVersionMatch", `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
		}
		if o.SendInitialEvents != nil {
			forbid("sendInitialEvents", "sendInitialEvents is forbidden for list")
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(api.GroupKind{Group: "meta.k8s.io", Kind: "ListOptions"}, "", errs)
}
