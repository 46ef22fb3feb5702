package registry

import (
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// crdStrategy is upstream's apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go.
type crdStrategy struct{ plain }

type crdStatusStrategy struct{ crdStrategy }

func init() {
	register("apiextensions.k8s.io/customresourcedefinitions", crdStrategy{})
	register("apiextensions.k8s.io/customresourcedefinitions/status", crdStatusStrategy{})
}

func (crdStrategy) PrepareForCreate(obj api.Object) {
	crd := obj.(*apiextensionsv1.CustomResourceDefinition)
	crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
	crd.Generation = 1
	for i := range crd.Spec.Versions {
		if v := &crd.Spec.Versions[i]; v.Storage && !slices.Contains(crd.Status.StoredVersions, v.Name) {
			crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
		}
	}
}

func (crdStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateCustomResourceDefinition(obj.(*apiextensionsv1.CustomResourceDefinition))
}

func (crdStrategy) PrepareForUpdate(obj, old api.Object) {
	crd, oldCRD := obj.(*apiextensionsv1.CustomResourceDefinition), old.(*apiextensionsv1.CustomResourceDefinition)
	crd.Status = oldCRD.DeepCopyObject().(*apiextensionsv1.CustomResourceDefinition).Status
	if !api.SemanticDeepEqual(crd.Spec, oldCRD.Spec) {
		crd.Generation = oldCRD.Generation + 1
	}
	for i := range crd.Spec.Versions {
		if v := &crd.Spec.Versions[i]; v.Storage && !slices.Contains(crd.Status.StoredVersions, v.Name) {
			crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
		}
	}
}

func (crdStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateCustomResourceDefinitionUpdate(obj.(*apiextensionsv1.CustomResourceDefinition), old.(*apiextensionsv1.CustomResourceDefinition))
}

func (crdStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	crd, oldCRD := obj.(*apiextensionsv1.CustomResourceDefinition), old.(*apiextensionsv1.CustomResourceDefinition)
	status, version := crd.Status, crd.ResourceVersion
	*crd = *oldCRD.DeepCopyObject().(*apiextensionsv1.CustomResourceDefinition)
	crd.Status, crd.ResourceVersion = status, version
}
