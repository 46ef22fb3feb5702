package admission

import (
	"errors"
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/nodev1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// runtimeClass gives a Pod what its RuntimeClass says: what it costs besides its containers, and where it may run. A server that does not
// serve the kind has no RuntimeClasses, so that it refuses all Pods that name one.
// Upstream: plugin/pkg/admission/runtimeclass/admission.go, RuntimeClass.
type runtimeClass struct{ store *store.Store }

func (runtimeClass) Name() string { return "RuntimeClass" }

func (r runtimeClass) Admit(_ *sim.Proc, a *Attributes) error {
	pod, class, err := r.prepareObjects(a)
	if err != nil || class == nil {
		return err
	}
	if o := class.Overhead; o != nil {
		if len(pod.Spec.Overhead) > 0 && !api.SemanticDeepEqual(o.PodFixed, pod.Spec.Overhead) {
			return a.forbidden(errOtherOverhead)
		}
		pod.Spec.Overhead = o.DeepCopy().PodFixed
		a.changed(r)
	}
	if class.Scheduling != nil {
		a.changed(r)
		return r.setScheduling(a, pod, class.Scheduling.DeepCopy())
	}
	return nil
}

var errOtherOverhead = errors.New("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")

// prepareObjects returns the Pod that is created, if there is one, and the class that it names.
func (r runtimeClass) prepareObjects(a *Attributes) (*corev1.Pod, *nodev1.RuntimeClass, error) {
	pod := a.creating()
	if pod == nil || pod.Spec.RuntimeClassName == nil {
		return pod, nil, nil
	}
	name := *pod.Spec.RuntimeClassName
	class, _ := r.store.Current(store.Key{Resource: "runtimeclasses.node.k8s.io", Name: name}).(*nodev1.RuntimeClass)
	if class == nil {
		return pod, nil, a.forbidden(fmt.Errorf("pod rejected: RuntimeClass %q not found", name))
	}
	return pod, class, nil
}

func (runtimeClass) setScheduling(a *Attributes, pod *corev1.Pod, s *nodev1.Scheduling) error {
	selector := pod.Spec.NodeSelector
	if selector == nil {
		selector = s.NodeSelector
	}
	for key, value := range s.NodeSelector { // order: each sets its own key; upstream too reports whichever conflict it meets first
		if has, ok := selector[key]; ok && has != value {
			return a.forbidden(fmt.Errorf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", key, value, key, has))
		}
		selector[key] = value
	}
	pod.Spec.NodeSelector = selector
	pod.Spec.Tolerations = mergeTolerations(pod.Spec.Tolerations, s.Tolerations)
	return nil
}

// Validate is upstream's validateOverhead.
func (r runtimeClass) Validate(_ *sim.Proc, a *Attributes) error {
	pod, class, err := r.prepareObjects(a)
	switch {
	case err != nil || pod == nil:
		return err
	case class != nil && class.Overhead != nil && !api.SemanticDeepEqual(class.Overhead.PodFixed, pod.Spec.Overhead):
		return a.forbidden(errOtherOverhead)
	case (class == nil || class.Overhead == nil) && pod.Spec.Overhead != nil:
		return a.forbidden(errors.New("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"))
	}
	return nil
}

// mergeTolerations leaves out what another of them tolerates too. Upstream: pkg/util/tolerations/tolerations.go, MergeTolerations.
func mergeTolerations(first, second []corev1.Toleration) []corev1.Toleration {
	all := slices.Concat(first, second)
	var merged []corev1.Toleration
	for i, t := range all {
		redundant := slices.ContainsFunc(merged, func(o corev1.Toleration) bool { return isSuperset(o, t) }) ||
			slices.ContainsFunc(all[i+1:], func(o corev1.Toleration) bool { return !api.SemanticDeepEqual(t, o) && isSuperset(o, t) })
		if !redundant {
			merged = append(merged, t)
		}
	}
	return merged
}

// isSuperset tells whether ss tolerates all that t does.
func isSuperset(ss, t corev1.Toleration) bool {
	switch {
	case api.SemanticDeepEqual(t, ss):
		return true
	case t.Key != ss.Key && (ss.Key != "" || ss.Operator != corev1.TolerationOpExists):
		return false
	case t.Effect != ss.Effect && ss.Effect != "":
		return false
	case ss.Effect == corev1.TaintEffectNoExecute && ss.TolerationSeconds != nil &&
		(t.TolerationSeconds == nil || *t.TolerationSeconds > *ss.TolerationSeconds):
		return false
	}
	switch ss.Operator {
	case corev1.TolerationOpEqual, "":
		return t.Operator == corev1.TolerationOpEqual && t.Value == ss.Value
	case corev1.TolerationOpExists:
		return true
	}
	return false
}
