//go:build !js || cel

package admission

import (
	"errors"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/sim"
)

// mutatingPolicy has MutatingAdmissionPolicies change objects, where bindings make them.
// Upstream: apiserver/pkg/admission/plugin/policy/mutating.
type mutatingPolicy struct {
	policies
	compiled map[string]*compiledMutations // by name
}

// compiledMutations is a policy as it was compiled. Upstream: mutating/compilation.go, compilePolicy.
type compiledMutations struct {
	*admissionregistrationv1.MutatingAdmissionPolicy
	compiler   cel.Compiler
	conditions conditions
	mutations  []cel.Program
}

func (*mutatingPolicy) Name() string { return "MutatingAdmissionPolicy" }

func (m *mutatingPolicy) policy(p *admissionregistrationv1.MutatingAdmissionPolicy) *compiledMutations {
	if known := m.compiled[p.Name]; known != nil && known.MutatingAdmissionPolicy == p {
		return known
	}
	c := m.evaluator.Compiler()
	scope := cel.Scope{Params: p.Spec.ParamKind != nil, Authorizer: true}
	out := &compiledMutations{MutatingAdmissionPolicy: p, compiler: c}
	for i := range p.Spec.Variables {
		c.Variable(p.Spec.Variables[i].Name, p.Spec.Variables[i].Expression, scope) // a mistake shows when it is used
	}
	out.conditions = compileConditions(c, p.Spec.MatchConditions, scope)
	scope.Patch = true
	for i := range p.Spec.Mutations {
		var program cel.Program
		switch mutation := &p.Spec.Mutations[i]; mutation.PatchType {
		case admissionregistrationv1.PatchTypeJSONPatch:
			program = c.Compile(mutation.JSONPatch.Expression, cel.JSONPatch, scope)
		case admissionregistrationv1.PatchTypeApplyConfiguration:
			program = c.Compile(mutation.ApplyConfiguration.Expression, cel.Object, scope)
		}
		out.mutations = append(out.mutations, program)
	}
	m.compiled[p.Name] = out
	return out
}

// invocation is that a policy changes an object, with one parameter of one of its bindings.
// Upstream: generic/policy_dispatcher.go, PolicyInvocation.
type invocation struct {
	policy  *compiledMutations
	binding *admissionregistrationv1.MutatingAdmissionPolicyBinding
	param   api.Object
}

// key is by what an invocation is known when plugins run again. Upstream: mutating/dispatcher.go, keyFor.
func (i *invocation) key() string {
	key := i.policy.Name + "/" + i.binding.Name
	if i.param != nil {
		key += "/" + i.param.GetNamespace() + "/" + i.param.GetName()
	}
	return key
}

// policyError is what is wrong with a policy, as it was found. Upstream: generic/policy_dispatcher.go, PolicyError.
type policyError struct {
	message string
	reason  metav1.StatusReason
}

// dispatch is one request on its way through the policies.
type dispatch struct {
	*mutatingPolicy
	a      *Attributes
	errors []policyError
}

// fail notes an error, unless the policy says that errors do not matter.
func (d *dispatch) fail(p *admissionregistrationv1.MutatingAdmissionPolicy, b *admissionregistrationv1.MutatingAdmissionPolicyBinding, err error,
	reason metav1.StatusReason) {
	if failsOpen(p.Spec.FailurePolicy) {
		return
	}
	by := fmt.Sprintf("policy %q denied request: ", p.Name)
	if b != nil {
		by = fmt.Sprintf("policy '%s' with binding '%s' denied request: ", p.Name, b.Name)
	}
	d.errors = append(d.errors, policyError{by + err.Error(), reason})
}

// Admit has the policies that a request matches change the object, one after the other; each sees what those before it have changed.
// Upstream: generic/policy_dispatcher.go, Dispatch.
func (m *mutatingPolicy) Admit(p *sim.Proc, a *Attributes) error {
	if a.Operation == Delete || excluded(a.Kind) {
		return nil
	}
	bindings := m.store.At("mutatingadmissionpolicybindings", "", m.store.Revision())
	if len(bindings) == 0 {
		return nil
	}
	d := &dispatch{mutatingPolicy: m, a: a}
	if invocations := d.invocations(p, bindings); len(invocations) > 0 {
		if err := d.invoke(invocations); err != nil {
			return err
		}
	}
	if len(d.errors) == 0 {
		return nil
	}
	err := a.forbidden(errors.New("admission request denied by policy"))
	err.ErrStatus.Message = d.errors[0].message
	if reason := d.errors[0].reason; reason != "" {
		err.ErrStatus.Reason = reason
	}
	for _, e := range d.errors {
		err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Message: e.message})
	}
	return err
}

// invocations are those that a request matches.
func (d *dispatch) invocations(p *sim.Proc, bindings []api.Object) (out []invocation) {
	for _, obj := range d.store.At("mutatingadmissionpolicies", "", d.store.Revision()) {
		of := bound(bindings, obj.GetName(), func(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) string { return b.Spec.PolicyName })
		if len(of) == 0 {
			continue
		}
		policy := d.policy(obj.(*admissionregistrationv1.MutatingAdmissionPolicy))
		ok, err := d.matches(policy.Spec.MatchConstraints, d.a)
		if err == nil && ok {
			_, err = d.paramKind(policy.Spec.ParamKind)
		}
		if err != nil {
			d.fail(policy.MutatingAdmissionPolicy, nil, fmt.Errorf("failed to configure policy: %w", err), "")
			continue
		}
		if !ok {
			continue
		}
		for _, binding := range of {
			ok, err := d.matches(binding.Spec.MatchResources, d.a)
			var params []api.Object
			if err == nil && ok {
				params, err = d.params(p, policy.Spec.ParamKind, binding.Spec.ParamRef, d.a.Namespace)
			}
			if err != nil {
				d.fail(policy.MutatingAdmissionPolicy, binding, fmt.Errorf("failed to configure binding: %w", err), "")
				continue
			}
			for _, param := range params {
				out = append(out, invocation{policy, binding, param})
			}
		}
	}
	return out
}

// invoke changes the object. The error is a status. Upstream: mutating/dispatcher.go, dispatchInvocations.
func (d *dispatch) invoke(invocations []invocation) error {
	a, again := d.a, &d.a.reinvocation.policies
	again.begin(a)
	defer again.end(a)
	for i := range invocations {
		v := &invocations[i]
		before := a.Object
		ran, err := d.mutate(v)
		if err != nil {
			return err
		}
		if !ran {
			continue
		}
		if !api.SemanticDeepEqual(before, a.Object) {
			a.changed(d.mutatingPolicy)
			again.require()
		}
		if before != a.Object {
			a.reinvocation.wanted = true // even if it is the same: upstream looks at whether something was applied
		}
		if v.policy.Spec.ReinvocationPolicy == admissionregistrationv1.IfNeededReinvocationPolicy {
			again.previous = append(again.previous, v.key())
		}
	}
	return nil
}

// mutate carries out the mutations of one invocation, if its conditions are met.
func (d *dispatch) mutate(v *invocation) (ran bool, err error) {
	a, policy := d.a, v.policy
	in, err := d.inputFor(v)
	if err != nil {
		return false, err
	}
	outside := *in
	outside.Namespace = nil // conditions do not know it
	ok, err := policy.conditions.match(policy.compiler.Start(&outside, cel.BudgetMatchConditions), failsOpen(policy.Spec.FailurePolicy))
	if err != nil {
		d.fail(policy.MutatingAdmissionPolicy, v.binding, err, metav1.StatusReasonInvalid)
		return false, nil
	}
	if !ok || d.a.reinvocation.policies.skips(a, v.key()) {
		return false, nil
	}
	for i := range policy.mutations {
		if a.Object == nil {
			continue
		}
		if in, err = d.inputFor(v); err != nil { // the object may be another now
			return false, err
		}
		changed, err := d.patch(v, in, i)
		var status *apierrors.StatusError
		if errors.As(err, &status) {
			return false, status
		}
		if err != nil {
			d.fail(policy.MutatingAdmissionPolicy, v.binding, err, metav1.StatusReasonInvalid)
			continue
		}
		a.Object = changed
	}
	return true, nil
}

func (d *dispatch) inputFor(v *invocation) (*cel.Input, error) {
	in, err := d.input(d.a)
	if err != nil {
		return nil, err
	}
	in.Params, err = treeOf(v.param)
	return in, err
}

// patch is the object after one mutation. Upstream: mutating/dispatcher.go, dispatchOne, and the patchers of mutating/patch.
func (d *dispatch) patch(v *invocation, in *cel.Input, i int) (api.Object, error) {
	program := v.policy.mutations[i]
	if err := program.Err(); err != nil {
		return nil, err
	}
	value, err := v.policy.compiler.Start(in, cel.Budget).Evaluate(program)
	if err != nil {
		return nil, err
	}
	if patch, ok := value.([]byte); ok {
		return d.host.PatchedByPolicy(d.a.Kind, d.a.Object, patch)
	}
	return d.host.Applied(d.a.Kind, d.a.Object, value.(map[string]any))
}
