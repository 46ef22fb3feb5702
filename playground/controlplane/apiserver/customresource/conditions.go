package customresource

import (
	"slices"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/metav1"
)

// Is says that a condition of a definition is true.
func Is(crd *apiextensionsv1.CustomResourceDefinition, typ apiextensionsv1.CustomResourceDefinitionConditionType) bool {
	return slices.ContainsFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == typ && c.Status == apiextensionsv1.ConditionTrue
	})
}

// SetCondition writes a condition; its time stays if its status does. Upstream: apiextensions/helpers.go, SetCRDCondition.
func SetCondition(crd *apiextensionsv1.CustomResourceDefinition, now metav1.Time, c apiextensionsv1.CustomResourceDefinitionCondition) {
	c.LastTransitionTime = now
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
