package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// pdbStrategy is upstream's pkg/registry/policy/poddisruptionbudget/strategy.go.
type pdbStrategy struct{ plain }

type pdbStatusStrategy struct{ pdbStrategy }

func init() {
	register("policy/poddisruptionbudgets", pdbStrategy{})
	register("policy/poddisruptionbudgets/status", pdbStatusStrategy{})
}

// AllowUnconditionalUpdate is false: whoever changes a budget has to have seen it.
func (pdbStrategy) AllowUnconditionalUpdate() bool { return false }

func (pdbStrategy) PrepareForCreate(obj api.Object) {
	pdb := obj.(*policyv1.PodDisruptionBudget)
	pdb.Status = policyv1.PodDisruptionBudgetStatus{}
	pdb.Generation = 1
}

func (pdbStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidatePodDisruptionBudget(obj.(*policyv1.PodDisruptionBudget))
}

func (pdbStrategy) PrepareForUpdate(obj, old api.Object) {
	pdb, oldPDB := obj.(*policyv1.PodDisruptionBudget), old.(*policyv1.PodDisruptionBudget)
	pdb.Status = oldPDB.Status
	if !api.SemanticDeepEqual(pdb.Spec, oldPDB.Spec) {
		pdb.Generation = oldPDB.Generation + 1
	}
}

func (pdbStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidatePodDisruptionBudget(obj.(*policyv1.PodDisruptionBudget))
}

func (pdbStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*policyv1.PodDisruptionBudget).Spec = old.(*policyv1.PodDisruptionBudget).Spec
}

func (pdbStatusStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidatePodDisruptionBudgetStatusUpdate(obj.(*policyv1.PodDisruptionBudget))
}
