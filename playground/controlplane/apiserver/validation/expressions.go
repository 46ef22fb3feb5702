package validation

import (
	"fmt"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/controlplane/apiserver/cel"
)

// notEvaluated is why what needs CEL is refused where nobody evaluates it: stored, it would be ignored.
const notEvaluated = "expressions in CEL are not evaluated in this cluster (they are in demos about them, and in the cluster that `kubewalk cluster` starts)"

// ValidateExpressions says what is wrong with an object's expressions in CEL. Without an evaluator, objects are refused that
// would have some evaluated; a policy does nothing before it is bound.
func ValidateExpressions(e cel.Evaluator, obj api.Object) field.ErrorList {
	spec := specPath
	switch o := obj.(type) {
	case *apiextensionsv1.CustomResourceDefinition:
		return schemaExpressions(e, o)
	case *admissionregistrationv1.ValidatingWebhookConfiguration, *admissionregistrationv1.MutatingWebhookConfiguration:
		var errs field.ErrorList
		for i, h := range WebhooksOf(obj) {
			errs = append(errs, conditionExpressions(e, h.MatchConditions, cel.Scope{Authorizer: true},
				field.NewPath("webhooks").Index(i).Child("matchConditions"))...)
		}
		return errs
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		if e != nil {
			return policyExpressions(e, &o.Spec, spec)
		}
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		if e != nil {
			return mutationExpressions(e, &o.Spec, spec)
		}
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding, *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		if e == nil {
			return field.ErrorList{field.Forbidden(spec.Child("policyName"), notEvaluated)}
		}
	default:
		if rareExpressions != nil {
			return rareExpressions(e, obj)
		}
	}
	return nil
}

// rareExpressions is ValidateExpressions for the kinds that not every server has, in builds that contain them.
var rareExpressions func(e cel.Evaluator, obj api.Object) field.ErrorList

func schemaExpressions(e cel.Evaluator, crd *apiextensionsv1.CustomResourceDefinition) (errs field.ErrorList) {
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
		if e != nil {
			errs = append(errs, e.CheckSchema(v.Schema.OpenAPIV3Schema, path)...)
			continue
		}
		for _, at := range rulesIn(v.Schema.OpenAPIV3Schema, path) {
			errs = append(errs, field.Forbidden(at, notEvaluated))
		}
	}
	return errs
}

// conditionExpressions is upstream's validateMatchConditions, where conditions are compiled.
func conditionExpressions(e cel.Evaluator, list []admissionregistrationv1.MatchCondition, scope cel.Scope, path *field.Path) (errs field.ErrorList) {
	if e == nil && len(list) > 0 {
		return field.ErrorList{field.Forbidden(path, notEvaluated)}
	}
	for i := range list {
		if text := strings.TrimSpace(list[i].Expression); text != "" {
			errs = append(errs, compiles(e.Compiler(), text, cel.Bool, scope, path.Index(i).Child("expression"))...)
		}
	}
	return errs
}

func compiles(c cel.Compiler, text string, want cel.Want, scope cel.Scope, path *field.Path) field.ErrorList {
	return compileError(c.Compile(text, want, scope).Err(), text, path)
}

// compileError is upstream's convertCELErrorToValidationError.
func compileError(err *cel.Error, text string, path *field.Path) field.ErrorList {
	switch {
	case err == nil:
		return nil
	case err.Internal:
		return field.ErrorList{{Type: field.ErrorTypeInternal, Field: path.String(), Detail: err.Detail}}
	}
	return field.ErrorList{field.Invalid(path, text, err.Detail)}
}

// policyExpressions is where upstream's validateValidatingAdmissionPolicySpec compiles.
func policyExpressions(e cel.Evaluator, s *admissionregistrationv1.ValidatingAdmissionPolicySpec, path *field.Path) (errs field.ErrorList) {
	scope := cel.Scope{Params: s.ParamKind != nil, Authorizer: true}
	errs = conditionExpressions(e, s.MatchConditions, scope, path.Child("matchConditions"))
	c := e.Compiler()
	errs = append(errs, variableExpressions(c, s.Variables, scope, path.Child("variables"))...)
	for i := range s.Validations {
		v, at := &s.Validations[i], path.Child("validations").Index(i)
		if strings.TrimSpace(v.Expression) != "" {
			errs = append(errs, compiles(c, v.Expression, cel.Bool, scope, at.Child("expression"))...)
		}
		switch {
		case v.MessageExpression == "":
		case strings.TrimSpace(v.MessageExpression) == "":
			errs = append(errs, field.Invalid(at.Child("messageExpression"), v.MessageExpression, "must be non-empty if specified"))
		default:
			errs = append(errs, compiles(c, v.MessageExpression, cel.String, cel.Scope{Params: scope.Params}, at.Child("messageExpression"))...)
		}
	}
	const longest = 5 * 1024
	for i := range s.AuditAnnotations {
		v, at := &s.AuditAnnotations[i], path.Child("auditAnnotations").Index(i).Child("valueExpression")
		switch text := strings.TrimSpace(v.ValueExpression); {
		case text == "":
			errs = append(errs, field.Required(at, "valueExpression is not specified"))
		case len(text) > longest:
			errs = append(errs, field.Required(at, fmt.Sprintf("must not exceed %d bytes in length", longest)))
		default:
			errs = append(errs, compiles(c, text, cel.StringOrNull, scope, at)...)
		}
	}
	return errs
}

// variableExpressions is upstream's validateVariable, of all variables of a policy.
func variableExpressions(c cel.Compiler, variables []admissionregistrationv1.Variable, scope cel.Scope, path *field.Path) (errs field.ErrorList) {
	for i := range variables {
		v, at := &variables[i], path.Index(i)
		if v.Name != "" && !isIdentifier(v.Name) {
			errs = append(errs, field.Invalid(at.Child("name"), v.Name, "must be a valid CEL identifier"))
		}
		if strings.TrimSpace(v.Expression) != "" {
			errs = append(errs, compileError(c.Variable(v.Name, v.Expression, scope), v.Expression, at.Child("expression"))...)
		}
	}
	return errs
}

// mutationExpressions is where upstream's validateMutatingAdmissionPolicySpec compiles.
func mutationExpressions(e cel.Evaluator, s *admissionregistrationv1.MutatingAdmissionPolicySpec, path *field.Path) (errs field.ErrorList) {
	scope := cel.Scope{Params: s.ParamKind != nil, Authorizer: true}
	errs = conditionExpressions(e, s.MatchConditions, scope, path.Child("matchConditions"))
	c := e.Compiler()
	errs = append(errs, variableExpressions(c, s.Variables, scope, path.Child("variables"))...)
	scope.Patch = true
	for i := range s.Mutations {
		m, at := &s.Mutations[i], path.Child("mutations").Index(i)
		switch {
		case m.PatchType == admissionregistrationv1.PatchTypeJSONPatch && m.JSONPatch != nil:
			if text := strings.TrimSpace(m.JSONPatch.Expression); text != "" {
				errs = append(errs, compiles(c, text, cel.JSONPatch, scope, at.Child("jsonPatch", "expression"))...)
			}
		case m.PatchType == admissionregistrationv1.PatchTypeApplyConfiguration && m.ApplyConfiguration != nil:
			if text := strings.TrimSpace(m.ApplyConfiguration.Expression); text != "" {
				errs = append(errs, compiles(c, text, cel.Object, scope, at.Child("applyConfiguration", "expression"))...)
			}
		}
	}
	return errs
}

// isIdentifier is upstream's isCELIdentifier.
func isIdentifier(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	switch name {
	case "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
		"namespace", "return", "var", "void", "while":
		return false
	}
	return name != ""
}
