// Package validatingadmissionpolicystatus looks at the expressions of ValidatingAdmissionPolicies with the types of the kinds that they are
// about, which the API server does not know when it compiles them, and writes what it finds into their status.
//
// Upstream: pkg/controller/validatingadmissionpolicystatus and apiserver/pkg/admission/plugin/policy/validating/typechecking.go.
package validatingadmissionpolicystatus

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component, fieldManager who owns what it applies.
const (
	Name         = "validatingadmissionpolicy-status-controller"
	fieldManager = "validatingadmissionpolicy-status"
)

// TypeErrors says what is wrong with an expression of a policy, where it is about objects of a kind; "" if nothing is. It is false where
// nobody knows the kind's schema.
type TypeErrors func(object, params *api.Kind, policy *admissionregistrationv1.ValidatingAdmissionPolicy, expression string) (string, bool)

// Controller writes the status of policies.
type Controller struct {
	component  *sim.Component
	client     *client.Clientset
	lister     listers.ValidatingAdmissionPolicyLister
	synced     cache.InformerSynced
	queue      workqueue.TypedRateLimitingInterface[string]
	typeErrors TypeErrors
}

// NewController makes a controller of a component. The informer is not started here.
func NewController(c *sim.Component, policies informers.ValidatingAdmissionPolicyInformer, cl *client.Clientset, typeErrors TypeErrors) *Controller {
	r := &Controller{component: c, client: cl, lister: policies.Lister(), synced: policies.Informer().HasSynced, typeErrors: typeErrors,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: fieldManager})}
	policies.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { r.enqueue(obj) },
		UpdateFunc: func(_, obj any) { r.enqueue(obj) },
	})
	return r
}

func (c *Controller) enqueue(obj any) {
	if policy, ok := obj.(*admissionregistrationv1.ValidatingAdmissionPolicy); ok {
		c.queue.Add(policy.Name)
	}
}

// Run works once the cache holds the cluster's policies.
func (c *Controller) Run(p *sim.Proc, workers int) {
	cache.WaitForCacheSync(p, c.synced)
	for range workers {
		c.component.Go("worker", func(p *sim.Proc) {
			for {
				key, quit := c.queue.Get(p)
				if quit {
					return
				}
				if err := c.reconcile(p, key); err != nil {
					controller.HandleError(p.Logger(), err, "Checking a ValidatingAdmissionPolicy failed", "policy", key)
					c.queue.AddRateLimited(key)
				} else {
					c.queue.Forget(key)
				}
				c.queue.Done(key)
			}
		})
	}
}

func (c *Controller) reconcile(p *sim.Proc, name string) error {
	policy, err := c.lister.Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || policy.Generation <= policy.Status.ObservedGeneration {
		return err
	}
	warnings := c.check(policy)
	p.Logger().V(4).Info("Checked the types of a ValidatingAdmissionPolicy", "policy", name, "warnings", len(warnings))
	status := map[string]any{"observedGeneration": policy.Generation, "typeChecking": &admissionregistrationv1.TypeChecking{ExpressionWarnings: warnings}}
	body, err := json.Marshal(map[string]any{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
		"metadata": map[string]any{"name": name}, "status": status})
	if err != nil {
		return err
	}
	force := true
	_, err = c.client.AdmissionregistrationV1().ValidatingAdmissionPolicies().Patch(p, name, types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: fieldManager, Force: &force}, "status")
	return err
}

// check is upstream's TypeChecker.Check.
func (c *Controller) check(policy *admissionregistrationv1.ValidatingAdmissionPolicy) (out []admissionregistrationv1.ExpressionWarning) {
	kinds := c.client.Transport().Kinds()
	about := typesToCheck(policy, kinds)
	var params *api.Kind
	if of := policy.Spec.ParamKind; of != nil {
		if gv, err := schema.ParseGroupVersion(of.APIVersion); err == nil {
			params = kinds.For(gv.WithKind(of.Kind))
		}
	}
	look := func(path *field.Path, expression string) {
		var results []string
		for _, kind := range about {
			if text, known := c.typeErrors(kind, params, policy, expression); known && text != "" {
				results = append(results, fmt.Sprintf("%v: %s\n", kind.GroupVersionKind, text))
			}
		}
		if len(results) > 0 {
			out = append(out, admissionregistrationv1.ExpressionWarning{FieldRef: path.String(), Warning: strings.Join(results, "\n")})
		}
	}
	for i := range policy.Spec.Validations {
		v, path := &policy.Spec.Validations[i], field.NewPath("spec", "validations").Index(i)
		look(path.Child("expression"), v.Expression)
		if v.MessageExpression != "" {
			look(path.Child("messageExpression"), v.MessageExpression)
		}
	}
	return out
}

// maxTypesToCheck is upstream's constant of that name.
const maxTypesToCheck = 10

// typesToCheck are the kinds that a policy names; wildcards name none. Upstream: TypeChecker.typesToCheck.
func typesToCheck(policy *admissionregistrationv1.ValidatingAdmissionPolicy, kinds api.KindSet) (out []*api.Kind) {
	if policy.Spec.MatchConstraints == nil {
		return nil
	}
	for i := range policy.Spec.MatchConstraints.ResourceRules {
		out = append(out, typesOfRule(&policy.Spec.MatchConstraints.ResourceRules[i].RuleWithOperations, kinds)...)
	}
	slices.SortStableFunc(out, func(a, b *api.Kind) int {
		x, y := a.GroupVersionKind, b.GroupVersionKind
		return cmp.Or(strings.Compare(x.Group, y.Group), strings.Compare(x.Version, y.Version), strings.Compare(x.Kind, y.Kind))
	})
	return slices.Compact(out)
}

func typesOfRule(rule *admissionregistrationv1.RuleWithOperations, kinds api.KindSet) (out []*api.Kind) {
	if wild := func(s string) bool { return strings.Contains(s, "*") }; slices.ContainsFunc(rule.APIGroups, wild) || slices.ContainsFunc(rule.APIVersions, wild) {
		return nil
	}
	for _, resource := range slices.Sorted(slices.Values(rule.Resources)) {
		if strings.ContainsAny(resource, "*/") {
			continue
		}
		for _, group := range rule.APIGroups {
			for _, kind := range kinds {
				// upstream's RESTMapper takes an empty group for any
				if (group == "" || kind.Group == group) && slices.Contains(rule.APIVersions, kind.Version) && (kind.Resource == resource || kind.Singular == resource) {
					if out = append(out, kind); len(out) == maxTypesToCheck {
						return out
					}
				}
			}
		}
	}
	return out
}
