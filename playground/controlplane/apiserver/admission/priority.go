package admission

import (
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// priority turns the name of a priority class into a number, and sees to it that one class at most is the default.
// Upstream: plugin/pkg/admission/priority/admission.go, Plugin.
type priority struct{ store *store.Store }

func (*priority) Name() string { return "Priority" }

// Admit is upstream's admitPod.
func (r *priority) Admit(_ *sim.Proc, a *Attributes) error {
	pod := a.creating()
	if pod == nil {
		return nil
	}
	class, err := r.classOf(pod)
	if err != nil {
		return a.forbidden(err)
	}
	value, policy := int32(0), corev1.PreemptLowerPriority
	if class != nil {
		pod.Spec.PriorityClassName, value = class.Name, class.Value
		if class.PreemptionPolicy != nil {
			policy = *class.PreemptionPolicy
		}
	}
	if pod.Spec.Priority != nil && *pod.Spec.Priority != value {
		return a.forbidden(fmt.Errorf(
			"the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name",
			*pod.Spec.Priority, value))
	}
	pod.Spec.Priority = &value
	a.changed(r)
	if class != nil && class.PreemptionPolicy == nil {
		return nil
	}
	if pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy != policy {
		return a.forbidden(fmt.Errorf(
			"the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority admission controller computed %s from the given PriorityClass name",
			*pod.Spec.PreemptionPolicy, policy))
	}
	pod.Spec.PreemptionPolicy = &policy
	return nil
}

// classOf is the class that a Pod names, or the default; nil if it names none and there is no default.
func (r *priority) classOf(pod *corev1.Pod) (*schedulingv1.PriorityClass, error) {
	if name := pod.Spec.PriorityClassName; name != "" {
		class, _ := r.store.Current(store.Key{Resource: "priorityclasses", Name: name}).(*schedulingv1.PriorityClass)
		if class == nil {
			return nil, fmt.Errorf("no PriorityClass with name %v was found", name)
		}
		return class, nil
	}
	return r.defaultClass(), nil
}

// defaultClass is the lowest of those marked as default: there may be several for a moment.
// Upstream: Plugin.getDefaultPriorityClass.
func (r *priority) defaultClass() *schedulingv1.PriorityClass {
	var found *schedulingv1.PriorityClass
	for _, obj := range r.store.At("priorityclasses", "", r.store.Revision()) {
		if class := obj.(*schedulingv1.PriorityClass); class.GlobalDefault && (found == nil || class.Value < found.Value) {
			found = class
		}
	}
	return found
}

// Validate is upstream's validatePriorityClass.
func (r *priority) Validate(_ *sim.Proc, a *Attributes) error {
	class, ok := a.Object.(*schedulingv1.PriorityClass)
	if !ok || !class.GlobalDefault || a.Operation == Delete {
		return nil
	}
	if found := r.defaultClass(); found != nil && (a.Operation == Create || found.Name != class.Name) {
		return a.forbidden(fmt.Errorf("PriorityClass %v is already marked as default. Only one default can exist", found.Name))
	}
	return nil
}
