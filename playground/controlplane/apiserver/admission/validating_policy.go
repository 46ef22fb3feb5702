//go:build !js || cel

package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/sim"
)

// validatingPolicy has ValidatingAdmissionPolicies decide, where bindings make them.
//
// There is no audit log: the annotations that policies give a request's audit event are in the trace, with the answer to the request.
// Upstream: apiserver/pkg/admission/plugin/policy/validating and policy/generic.
type validatingPolicy struct {
	policies
	compiled map[string]*policy // by name
}

// policy is one as it was compiled. Upstream: validating/plugin.go, compilePolicy.
type policy struct {
	*admissionregistrationv1.ValidatingAdmissionPolicy
	compiler                           cel.Compiler
	conditions                         conditions
	validations, messages, annotations []cel.Program
}

func (*validatingPolicy) Name() string { return "ValidatingAdmissionPolicy" }

// policy is a stored policy, compiled when it has changed.
func (v *validatingPolicy) policy(p *admissionregistrationv1.ValidatingAdmissionPolicy) *policy {
	if known := v.compiled[p.Name]; known != nil && known.ValidatingAdmissionPolicy == p {
		return known
	}
	c := v.evaluator.Compiler()
	scope := cel.Scope{Params: p.Spec.ParamKind != nil, Authorizer: true}
	out := &policy{ValidatingAdmissionPolicy: p, compiler: c}
	for i := range p.Spec.Variables {
		c.Variable(p.Spec.Variables[i].Name, p.Spec.Variables[i].Expression, scope) // a mistake shows when it is used
	}
	out.conditions = compileConditions(c, p.Spec.MatchConditions, scope)
	for i := range p.Spec.Validations {
		rule := &p.Spec.Validations[i]
		out.validations = append(out.validations, c.Compile(rule.Expression, cel.Bool, scope))
		var message cel.Program
		if rule.MessageExpression != "" {
			message = c.Compile(rule.MessageExpression, cel.String, cel.Scope{Params: scope.Params})
		}
		out.messages = append(out.messages, message)
	}
	for i := range p.Spec.AuditAnnotations {
		out.annotations = append(out.annotations, c.Compile(p.Spec.AuditAnnotations[i].ValueExpression, cel.StringOrNull, scope))
	}
	v.compiled[p.Name] = out
	return out
}

// decision is that a policy is against a request. Upstream: validating/policy_decision.go, PolicyDecision.
type decision struct {
	index   int // of the rule
	message string
	reason  metav1.StatusReason
}

// annotation is one that a policy gives a request's audit event, or why it has no value.
// Upstream: validating/policy_decision.go, PolicyAuditAnnotation.
type annotation struct{ key, value, wrong string }

// maxAuditAnnotationValueLength is upstream's validating/dispatcher.go, the constant of that name.
const maxAuditAnnotationValueLength = 10 * 1024

// Validate asks every policy that has a binding about a request; the first one that refuses it is the answer.
// Upstream: validating/dispatcher.go, Dispatch.
func (v *validatingPolicy) Validate(p *sim.Proc, a *Attributes) error {
	if excluded(a.Kind) {
		return nil
	}
	bindings := v.store.At("validatingadmissionpolicybindings", "", v.store.Revision())
	if len(bindings) == 0 {
		return nil
	}
	var denied []error
	deny := func(p *policy, binding string, d decision) {
		by := fmt.Sprintf("ValidatingAdmissionPolicy '%s'", p.Name)
		if binding != "" {
			by += fmt.Sprintf(" with binding '%s'", binding)
		}
		denied = append(denied, refusal(a, by+" denied request: "+d.message, d.reason))
	}
	for _, obj := range v.store.At("validatingadmissionpolicies", "", v.store.Revision()) {
		of := bound(bindings, obj.GetName(), func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) string { return b.Spec.PolicyName })
		if len(of) == 0 {
			continue
		}
		policy := v.policy(obj.(*admissionregistrationv1.ValidatingAdmissionPolicy))
		matches, err := v.matches(policy.Spec.MatchConstraints, a)
		if err == nil && matches {
			_, err = v.paramKind(policy.Spec.ParamKind)
		}
		if err != nil {
			if !policy.failsOpen() {
				deny(policy, "", decision{message: "failed to configure policy: " + err.Error()})
			}
			continue
		}
		if !matches {
			continue
		}
		notes := map[string][]string{} // by key; several parameters may give one several values
		for _, binding := range of {
			decisions, annotations, err := v.decide(p, policy, binding, a)
			if err != nil && !policy.failsOpen() {
				deny(policy, binding.Name, decision{message: "failed to configure binding: " + err.Error()})
			}
			for _, d := range decisions {
				for _, action := range binding.Spec.ValidationActions {
					switch action {
					case admissionregistrationv1.Deny:
						deny(policy, binding.Name, d)
					case admissionregistrationv1.Audit:
						annotateFailure(a, binding, d)
					case admissionregistrationv1.Warn:
						a.Warn(fmt.Sprintf("Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s", policy.Name, binding.Name, d.message))
					}
				}
			}
			for _, n := range annotations {
				if n.wrong != "" {
					deny(policy, binding.Name, decision{message: n.wrong})
				} else if value := n.value[:min(len(n.value), maxAuditAnnotationValueLength)]; !slices.Contains(notes[n.key], value) {
					notes[n.key] = append(notes[n.key], value)
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(notes)) {
			a.annotate(policy.Name+"/"+key, strings.Join(notes[key], ", "))
		}
	}
	if len(denied) > 0 {
		return denied[0]
	}
	return nil
}

// annotateFailure notes a decision that only the audit log is to see. Upstream: validating/dispatcher.go, publishValidationFailureAnnotation.
func annotateFailure(a *Attributes, binding *admissionregistrationv1.ValidatingAdmissionPolicyBinding, d decision) {
	text, err := json.Marshal([]validationFailure{{d.message, binding.Spec.PolicyName, binding.Name, d.index, binding.Spec.ValidationActions}})
	if err == nil { // they are texts
		a.annotate("validation.policy.admission.k8s.io/validation_failure", string(text))
	}
}

// validationFailure is upstream's ValidationFailureValue.
type validationFailure struct {
	Message           string                                     `json:"message"`
	Policy            string                                     `json:"policy"`
	Binding           string                                     `json:"binding"`
	ExpressionIndex   int                                        `json:"expressionIndex"`
	ValidationActions []admissionregistrationv1.ValidationAction `json:"validationActions"`
}

// refusal is the answer to a request that a policy is against.
func refusal(a *Attributes, message string, reason metav1.StatusReason) error {
	err := a.forbidden(errors.New(message))
	err.ErrStatus.Reason, err.ErrStatus.Code = reason, 422
	switch reason {
	case "":
		err.ErrStatus.Reason = metav1.StatusReasonInvalid
	case metav1.StatusReasonForbidden:
		err.ErrStatus.Code = 403
	case metav1.StatusReasonUnauthorized:
		err.ErrStatus.Code = 401
	case metav1.StatusReasonRequestEntityTooLarge:
		err.ErrStatus.Code = 413
	}
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Message: message})
	return err
}

func (p *policy) failsOpen() bool { return failsOpen(p.Spec.FailurePolicy) }

// decide has a policy decide as one binding makes it, once for each of its parameters. The error is one of the binding.
func (v *validatingPolicy) decide(p *sim.Proc, policy *policy, binding *admissionregistrationv1.ValidatingAdmissionPolicyBinding,
	a *Attributes) (decisions []decision, annotations []annotation, err error) {
	matches, err := v.matches(binding.Spec.MatchResources, a)
	if err != nil || !matches {
		return nil, nil, err
	}
	params, err := v.params(p, policy.Spec.ParamKind, binding.Spec.ParamRef, a.Namespace)
	if err != nil {
		return nil, nil, err
	}
	in, err := v.input(a)
	if err != nil {
		return nil, nil, err
	}
	for _, param := range params {
		if in.Params, err = treeOf(param); err != nil {
			return nil, nil, err
		}
		d, n := policy.validate(p, in)
		decisions, annotations = append(decisions, d...), append(annotations, n...)
	}
	return decisions, annotations, nil
}

// validate evaluates what the policy says of a request. Upstream: validating/validator.go, Validate.
func (p *policy) validate(proc *sim.Proc, in *cel.Input) (out []decision, annotations []annotation) {
	failed := func(index int, err error) []decision {
		if p.failsOpen() {
			return nil
		}
		return []decision{{index: index, message: err.Error()}}
	}
	outside := *in
	outside.Namespace = nil // conditions do not know it
	matches, err := p.conditions.match(p.compiler.Start(&outside, cel.BudgetMatchConditions), p.failsOpen())
	if err != nil {
		return failed(0, err), nil
	}
	if !matches {
		return nil, nil
	}
	run := p.compiler.Start(in, cel.Budget)
	values, errs, fatal := evaluate(run, p.validations)
	if fatal != nil {
		return failed(0, fatal), nil
	}
	messages, messageErrs, fatal := evaluate(p.compiler.Start(in, run.Left()), p.messages)
	for i := range p.Spec.Validations {
		rule := &p.Spec.Validations[i]
		switch {
		case errs[i] != nil:
			out = append(out, failed(i, errs[i])...)
		case fatal != nil:
			out = append(out, failed(i, fmt.Errorf("failed messageExpression: %s", fatal.Detail))...)
		case values[i] != true:
			d := decision{index: i, reason: metav1.StatusReasonInvalid}
			if rule.Reason != nil {
				d.reason = *rule.Reason
			}
			if text, ok := messages[i].(string); ok {
				d.message = strings.TrimSpace(text)
			}
			if len(d.message) > cel.MaxMessage || strings.Contains(d.message, "\n") {
				d.message = ""
			}
			if err := messageErrs[i]; err != nil {
				proc.Logger().V(2).Error(err, "error while evaluating messageExpression")
			}
			if d.message == "" {
				d.message = strings.TrimSpace(rule.Message)
			}
			if d.message == "" {
				d.message = "failed expression: " + strings.TrimSpace(rule.Expression)
			}
			out = append(out, d)
		}
	}
	values, errs, fatal = evaluate(p.compiler.Start(in, cel.Budget), p.annotations)
	if fatal != nil {
		return failed(0, fatal), nil
	}
	for i := range p.Spec.AuditAnnotations {
		n := annotation{key: p.Spec.AuditAnnotations[i].Key}
		text, _ := values[i].(string)
		switch n.value = strings.TrimSpace(text); {
		case errs[i] != nil && p.failsOpen(), errs[i] == nil && n.value == "":
			continue
		case errs[i] != nil:
			n.wrong = errs[i].Detail
		}
		annotations = append(annotations, n)
	}
	return out, annotations
}

// evaluate evaluates programs in order, of which some may be absent. After a fatal error there are no values.
func evaluate(run cel.Run, programs []cel.Program) (values []any, errs []*cel.Error, fatal *cel.Error) {
	values, errs = make([]any, len(programs)), make([]*cel.Error, len(programs))
	for i, program := range programs {
		if program == nil {
			continue
		}
		value, err := run.Evaluate(program)
		if err != nil && err.Fatal {
			return make([]any, len(programs)), make([]*cel.Error, len(programs)), err
		}
		values[i], errs[i] = value, err
	}
	return values, errs, nil
}
