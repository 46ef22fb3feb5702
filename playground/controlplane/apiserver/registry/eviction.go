package registry

import (
	"errors"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// EvictionREST is pods/eviction: a delete that asks the disruption budgets first.
// Upstream: pkg/registry/core/pod/storage/eviction.go, EvictionREST.
type EvictionREST struct{ pods, budgets *Store }

// NewEvictionREST makes the subresource of the Pods' registry.
func NewEvictionREST(pods *Store) *EvictionREST {
	budgets := pods.sibling(api.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"})
	return &EvictionREST{pods, budgets.For("status")}
}

// maxDisruptedPodSize is how many evictions may wait for the disruption controller to see them.
// Upstream: eviction.go, MaxDisruptedPodSize.
const maxDisruptedPodSize = 2000

// evictionRetries is how often a budget that changed meanwhile is read again. Upstream: eviction.go, EvictionsRetry.
const evictionRetries = 20

// Create evicts the Pod, or says why not.
func (r *EvictionREST) Create(p *sim.Proc, name string, obj api.Object, validate ValidateFunc, dryRun bool) (client.Result, error) {
	eviction := obj.(*policyv1.Eviction)
	if eviction.Name == "" {
		eviction.Name = name
	}
	if name != eviction.Name {
		return nil, apierrors.NewBadRequest("name in URL does not match name in Eviction object")
	}
	if validate != nil {
		if err := validate(p, eviction, nil); err != nil {
			return nil, err
		}
	}
	options := metav1.DeleteOptions{}
	if eviction.DeleteOptions != nil {
		options = *eviction.DeleteOptions
		dryRun = dryRun || len(options.DryRun) > 0
	}
	found, err := r.pods.Get(p, eviction.Namespace, name)
	if err != nil {
		return nil, err
	}
	pod := found.(*corev1.Pod)
	if err := r.pods.checkDeletePreconditions(pod, &options); err != nil {
		return nil, err
	}
	if !canIgnorePDB(pod) {
		if err := r.askBudget(p, pod, dryRun); err != nil {
			return nil, err
		}
	}
	if err := r.addConditionAndDeletePod(p, pod, &options, dryRun); err != nil {
		return nil, err
	}
	return &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess, Code: 201}, nil
}

// canIgnorePDB says that the Pod does no work that a budget could count on. Upstream: eviction.go, canIgnorePDB.
func canIgnorePDB(pod *corev1.Pod) bool {
	switch pod.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending:
		return true
	}
	return pod.DeletionTimestamp != nil
}

// askBudget takes one disruption from the budget that covers the Pod, if there is one.
func (r *EvictionREST) askBudget(p *sim.Proc, pod *corev1.Pod, dryRun bool) error {
	budgets, err := r.podDisruptionBudgets(p, pod)
	if err != nil {
		return err
	}
	switch len(budgets) {
	case 0:
		return nil
	case 1:
	default:
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: 500,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
		}}
	}
	budget := budgets[0]
	if !isPodReady(pod) {
		policy := budget.Spec.UnhealthyPodEvictionPolicy
		if policy != nil && *policy == policyv1.AlwaysAllow ||
			budget.Status.CurrentHealthy >= budget.Status.DesiredHealthy && budget.Status.DesiredHealthy > 0 {
			return nil // it is not among those that the budget counts
		}
	}
	for attempt := 0; ; attempt++ {
		err := r.checkAndDecrement(p, pod.Name, budget, dryRun)
		if !apierrors.IsConflict(err) {
			return err
		}
		if attempt == evictionRetries {
			return apierrors.NewTimeoutError(fmt.Sprintf("couldn't update PodDisruptionBudget %q due to conflicts", budget.Name), 10)
		}
		found, err := r.budgets.Get(p, budget.Namespace, budget.Name)
		if err != nil {
			return err
		}
		budget = found.(*policyv1.PodDisruptionBudget)
	}
}

func (r *EvictionREST) podDisruptionBudgets(p *sim.Proc, pod *corev1.Pod) ([]*policyv1.PodDisruptionBudget, error) {
	if len(pod.Labels) == 0 {
		return nil, nil
	}
	objects, _, err := r.budgets.Storage.List(p, r.budgets.Kind.Resource, pod.Namespace, 0)
	if err != nil {
		return nil, err
	}
	var out []*policyv1.PodDisruptionBudget
	for _, obj := range objects {
		budget := obj.(*policyv1.PodDisruptionBudget)
		selector, err := labels.LabelSelectorAsSelector(budget.Spec.Selector)
		if err != nil {
			continue // a selector that is no good covers nothing
		}
		if selector.Matches(labels.Set(pod.Labels)) {
			out = append(out, budget)
		}
	}
	return out, nil
}

// checkAndDecrement takes a disruption and notes the Pod in the budget's status, or says why there is none to take.
// Upstream: eviction.go, EvictionREST.checkAndDecrement.
func (r *EvictionREST) checkAndDecrement(p *sim.Proc, pod string, budget *policyv1.PodDisruptionBudget, dryRun bool) error {
	resource := api.GroupResource{Group: "policy", Resource: "poddisruptionbudget"}
	switch {
	case budget.Status.ObservedGeneration < budget.Generation:
		return tooManyEvictions(10, fmt.Sprintf("The disruption budget %s is still being processed by the server.", budget.Name))
	case budget.Status.DisruptionsAllowed < 0:
		return apierrors.NewForbidden(resource, budget.Name, errors.New("pdb disruptions allowed is negative"))
	case len(budget.Status.DisruptedPods) > maxDisruptedPodSize:
		return apierrors.NewForbidden(resource, budget.Name, errors.New("DisruptedPods map too big - too many evictions not confirmed by PDB controller"))
	case budget.Status.DisruptionsAllowed == 0:
		return tooManyEvictions(0, fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", budget.Name, budget.Status.DesiredHealthy,
			budget.Status.CurrentHealthy))
	}
	if dryRun {
		return nil
	}
	budget = budget.DeepCopyObject().(*policyv1.PodDisruptionBudget)
	budget.Status.DisruptionsAllowed--
	if budget.Status.DisruptionsAllowed == 0 {
		disruptionNotAllowed(p, budget)
	}
	if budget.Status.DisruptedPods == nil {
		budget.Status.DisruptedPods = map[string]metav1.Time{}
	}
	budget.Status.DisruptedPods[pod] = now(p)
	p.Logger().V(4).Info("Eviction takes a disruption from the budget", "podDisruptionBudget", budget.Namespace+"/"+budget.Name, "pod", pod,
		"disruptionsAllowed", budget.Status.DisruptionsAllowed)
	_, _, err := r.budgets.Update(p, budget.Namespace, budget.Name, func(*sim.Proc, api.Object) (api.Object, error) {
		return budget.DeepCopyObject(), nil
	}, nil, false)
	return err
}

// tooManyEvictions is upstream's message, with the budget's numbers as a cause. Upstream: eviction.go, createTooManyRequestsError.
func tooManyEvictions(retryAfterSeconds int, cause string) error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfterSeconds)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: disruptionBudgetCause, Message: cause})
	return err
}

// disruptionBudgetCause is upstream's k8s.io/api/policy/v1, DisruptionBudgetCause.
const disruptionBudgetCause metav1.CauseType = "DisruptionBudget"

// disruptionNotAllowed is upstream's pkg/apis/policy helper, UpdateDisruptionAllowedCondition, when nothing is left.
func disruptionNotAllowed(p *sim.Proc, budget *policyv1.PodDisruptionBudget) {
	condition := metav1.Condition{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.InsufficientPodsReason,
		ObservedGeneration: budget.Status.ObservedGeneration, LastTransitionTime: now(p),
	}
	for i := range budget.Status.Conditions {
		if old := &budget.Status.Conditions[i]; old.Type == condition.Type {
			if old.Status == condition.Status {
				condition.LastTransitionTime = old.LastTransitionTime
			}
			*old = condition
			return
		}
	}
	budget.Status.Conditions = append(budget.Status.Conditions, condition)
}

func isPodReady(pod *corev1.Pod) bool {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// addConditionAndDeletePod says in the Pod's status why it goes, and deletes it.
// Upstream: eviction.go, addConditionAndDeletePod.
func (r *EvictionREST) addConditionAndDeletePod(p *sim.Proc, pod *corev1.Pod, options *metav1.DeleteOptions, dryRun bool) error {
	if !dryRun && pod.DeletionTimestamp == nil {
		_, err := r.pods.Storage.GuaranteedUpdate(p, r.pods.KeyOf(pod), func(current api.Object) (api.Object, error) {
			if current.GetUID() != pod.UID {
				return nil, apierrors.NewConflict(r.pods.Kind.GroupResource(), pod.Name,
					fmt.Errorf("the UID of the Pod to evict is %s, and there is one with the UID %s", pod.UID, current.GetUID()))
			}
			next := current.DeepCopyObject().(*corev1.Pod)
			setPodCondition(next, corev1.PodCondition{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI",
				Message: "Eviction API: evicting", LastTransitionTime: now(p), ObservedGeneration: next.Generation,
			})
			return next, nil
		})
		if err != nil {
			return r.pods.interpret(err, pod.Name)
		}
	}
	_, _, err := r.pods.Delete(p, pod.Namespace, pod.Name, options, nil, dryRun)
	return err
}

// setPodCondition writes a condition; its time stays if its status does.
func setPodCondition(pod *corev1.Pod, condition corev1.PodCondition) {
	for i := range pod.Status.Conditions {
		if old := &pod.Status.Conditions[i]; old.Type == condition.Type {
			if old.Status == condition.Status {
				condition.LastTransitionTime = old.LastTransitionTime
			}
			*old = condition
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, condition)
}
