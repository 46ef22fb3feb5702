//go:build !js || cel

package validation

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/apiserver/cel"
)

func init() { rareExpressions = deviceExpressions }

// deviceExpressions says what is wrong with the selectors of an object of resource.k8s.io.
func deviceExpressions(e cel.Evaluator, obj api.Object) (errs field.ErrorList) {
	claim := func(c *resourcev1.DeviceClaim, path *field.Path) {
		for i := range c.Requests {
			r, at := &c.Requests[i], path.Child("requests").Index(i)
			if r.Exactly != nil {
				errs = append(errs, selectorExpressions(e, r.Exactly.Selectors, at.Child("exactly", "selectors"))...)
			}
			for j := range r.FirstAvailable {
				errs = append(errs, selectorExpressions(e, r.FirstAvailable[j].Selectors, at.Child("firstAvailable").Index(j).Child("selectors"))...)
			}
		}
	}
	switch o := obj.(type) {
	case *resourcev1.DeviceClass:
		return selectorExpressions(e, o.Spec.Selectors, field.NewPath("spec", "selectors"))
	case *resourcev1.ResourceClaim:
		claim(&o.Spec.Devices, field.NewPath("spec", "devices"))
	case *resourcev1.ResourceClaimTemplate:
		claim(&o.Spec.Spec.Devices, field.NewPath("spec", "spec", "devices"))
	}
	return errs
}

// selectorExpressions is where upstream's validateCELSelector compiles.
func selectorExpressions(e cel.Evaluator, selectors []resourcev1.DeviceSelector, path *field.Path) (errs field.ErrorList) {
	if len(selectors) > resourcev1.DeviceSelectorsMaxSize {
		return nil
	}
	for i, s := range selectors {
		if s.CEL == nil || len(s.CEL.Expression) > resourcev1.CELSelectorExpressionMaxLength {
			continue
		}
		at := path.Index(i).Child("cel", "expression")
		if e == nil {
			errs = append(errs, field.Forbidden(at, notEvaluated))
			continue
		}
		compiled, err := e.DeviceSelector(s.CEL.Expression)
		if err != nil {
			errs = append(errs, compileError(err, s.CEL.Expression, at)...)
		} else if compiled.Cost() > resourcev1.CELSelectorExpressionMaxCost {
			errs = append(errs, field.Forbidden(at, "too complex, exceeds cost limit"))
		}
	}
	return errs
}
