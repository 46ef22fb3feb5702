package apiserver

import (
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// The server looks at definitions of custom resources itself: whether their names are free, and then it says that they are
// established. Custom resources are not served yet; the definitions are.
// Upstream: apiextensions-apiserver/pkg/controller/status/naming_controller.go and establish/establishing_controller.go.

const definitions = "customresourcedefinitions"

// definitionChanged is called with every event of etcd.
func (s *Server) definitionChanged(c *sim.Component, e store.Event) {
	if e.Key.Resource == definitions && e.Type != store.Deleted {
		c.Go("naming-condition", func(p *sim.Proc) { s.syncDefinition(p, e.Key) })
	}
}

// syncDefinition brings the status of one definition up to date, in upstream's two steps.
func (s *Server) syncDefinition(p *sim.Proc, key store.Key) {
	for _, step := range []func(*sim.Proc, *apiextensionsv1.CustomResourceDefinition){s.acceptNames, establish} {
		_, err := s.store.GuaranteedUpdate(p, key, func(current api.Object) (api.Object, error) {
			next := current.DeepCopyObject().(*apiextensionsv1.CustomResourceDefinition)
			step(p, next)
			return next, nil // the same is not written
		})
		if err != nil {
			p.Logger().V(4).Info("Could not update the status of a definition", "customResourceDefinition", key.Name, "err", err.Error())
			return
		}
	}
}

// acceptNames checks that nobody in the group has the names. Upstream: NamingConditionController.calculateNamesAndConditions.
func (s *Server) acceptNames(p *sim.Proc, crd *apiextensionsv1.CustomResourceDefinition) {
	plural := map[string]bool{}
	kinds := map[string]bool{}
	for _, k := range api.Kinds() {
		if k.Group == crd.Spec.Group {
			plural[k.Resource], plural[k.Singular], kinds[k.Kind] = true, true, true
		}
	}
	for _, obj := range s.store.At(definitions, "", s.store.Revision()) {
		o := obj.(*apiextensionsv1.CustomResourceDefinition)
		if o.Name == crd.Name || o.Spec.Group != crd.Spec.Group {
			continue
		}
		n := &o.Status.AcceptedNames
		for _, name := range append([]string{n.Plural, n.Singular}, n.ShortNames...) {
			plural[name] = true
		}
		kinds[n.Kind], kinds[n.ListKind] = true, true
	}
	n, accepted := &crd.Spec.Names, &crd.Status.AcceptedNames
	condition := apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue,
		Reason: "NoConflicts", Message: "no conflicts found"}
	refuse := func(reason, name string) {
		condition.Status, condition.Reason, condition.Message = apiextensionsv1.ConditionFalse, reason, fmt.Sprintf("%q is already in use", name)
	}
	*accepted = apiextensionsv1.CustomResourceDefinitionNames{Categories: slices.Clone(n.Categories)}
	take := func(used map[string]bool, name, reason string, into *string) {
		if name != "" && used[name] {
			refuse(reason, name)
		} else {
			*into = name
		}
	}
	take(plural, n.Plural, "PluralConflict", &accepted.Plural)
	take(plural, n.Singular, "SingularConflict", &accepted.Singular)
	shortNames := true
	for _, name := range n.ShortNames {
		if plural[name] {
			refuse("ShortNamesConflict", name)
			shortNames = false
		}
	}
	if shortNames {
		accepted.ShortNames = slices.Clone(n.ShortNames)
	}
	take(kinds, n.Kind, "KindConflict", &accepted.Kind)
	take(kinds, n.ListKind, "ListKindConflict", &accepted.ListKind)
	setDefinitionCondition(p, crd, condition)
	if condition.Status == apiextensionsv1.ConditionTrue && !definitionIs(crd, apiextensionsv1.Established) {
		setDefinitionCondition(p, crd, apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.Established,
			Status: apiextensionsv1.ConditionFalse, Reason: "Installing", Message: "the initial names have been accepted"})
	} else if condition.Status == apiextensionsv1.ConditionFalse && !definitionIs(crd, apiextensionsv1.Established) {
		setDefinitionCondition(p, crd, apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.Established,
			Status: apiextensionsv1.ConditionFalse, Reason: "NotAccepted", Message: "not all names are accepted"})
	}
}

// establish is upstream's EstablishingController.sync.
func establish(p *sim.Proc, crd *apiextensionsv1.CustomResourceDefinition) {
	if definitionIs(crd, apiextensionsv1.NamesAccepted) && !definitionIs(crd, apiextensionsv1.Established) {
		setDefinitionCondition(p, crd, apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.Established,
			Status: apiextensionsv1.ConditionTrue, Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"})
	}
}

func definitionIs(crd *apiextensionsv1.CustomResourceDefinition, typ apiextensionsv1.CustomResourceDefinitionConditionType) bool {
	return slices.ContainsFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == typ && c.Status == apiextensionsv1.ConditionTrue
	})
}

// setDefinitionCondition writes a condition; its time stays if its status does. Upstream: apiextensions/helpers.go, SetCRDCondition.
func setDefinitionCondition(p *sim.Proc, crd *apiextensionsv1.CustomResourceDefinition, c apiextensionsv1.CustomResourceDefinitionCondition) {
	c.LastTransitionTime = metav1.NewTime(p.Time()).Rfc3339Copy()
	for i := range crd.Status.Conditions {
		if old := &crd.Status.Conditions[i]; old.Type == c.Type {
			if old.Status == c.Status {
				c.LastTransitionTime = old.LastTransitionTime
			}
			*old = c
			return
		}
	}
	crd.Status.Conditions = append(crd.Status.Conditions, c)
}
