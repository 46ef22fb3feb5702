package admission

import (
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/admission/podsecurity"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// podSecurity refuses Pods that a namespace's labels don't allow, and warns of those and of templates that would make them.
// Upstream: plugin/pkg/admission/security/podsecurity/admission.go; pod-security-admission/admission/admission.go, Admission.Validate.
type podSecurity struct{ store *store.Store }

// mostPodsChecked is how many Pods are looked at when a namespace gets a stricter level. Upstream: defaultNamespaceMaxPodsToCheck.
const mostPodsChecked = 3000

func (*podSecurity) Name() string { return "PodSecurity" }

func (s *podSecurity) Validate(_ *sim.Proc, a *Attributes) error {
	if a.Object == nil {
		return nil
	}
	if ns, ok := a.Object.(*corev1.Namespace); ok && a.Subresource == "" {
		return s.validateNamespace(a, ns)
	}
	pod, _ := a.Object.(*corev1.Pod)
	meta, spec := templateOf(a.Object)
	switch {
	case spec == nil:
		return nil
	case pod == nil && a.Subresource != "",
		slices.Contains([]string{"attach", "binding", "eviction", "exec", "log", "portforward", "proxy", "status"}, a.Subresource):
		return nil
	}
	ns, _ := s.store.Current(store.Key{Resource: "namespaces", Name: a.Namespace}).(*corev1.Namespace)
	if ns == nil {
		return nil
	}
	policy, _ := podsecurity.PolicyOf(ns.Labels)
	if policy.Enforce.Level == podsecurity.Privileged && policy.Warn.Level == podsecurity.Privileged {
		return nil
	}
	if old, ok := a.OldObject.(*corev1.Pod); ok && pod != nil && a.Operation == Update && !significant(pod, old) {
		return nil
	}
	if pod != nil {
		if r := podsecurity.Evaluate(policy.Enforce, meta, spec); len(r.Reasons) > 0 {
			return a.forbidden(fmt.Errorf("violates PodSecurity %q: %s", policy.Enforce, r.Detail()))
		}
	}
	if r := podsecurity.Evaluate(policy.Warn, meta, spec); len(r.Reasons) > 0 {
		a.Warn(fmt.Sprintf("would violate PodSecurity %q: %s", policy.Warn, r.Detail()))
	}
	return nil
}

// validateNamespace refuses labels that say nothing, and warns of Pods that a stricter level would not allow; they stay.
// Upstream: Admission.ValidateNamespace.
func (s *podSecurity) validateNamespace(a *Attributes, ns *corev1.Namespace) error {
	policy, errs := podsecurity.PolicyOf(ns.Labels)
	var before podsecurity.Policy
	if old, ok := a.OldObject.(*corev1.Namespace); ok {
		var were field.ErrorList
		if before, were = podsecurity.PolicyOf(old.Labels); api.SemanticDeepEqual(errs, were) {
			errs = nil // nothing new
		}
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(api.GroupKind{Group: a.Kind.Group, Kind: a.Kind.Kind}, ns.Name, errs)
	}
	if a.Operation != Update || !policy.Enforce.StricterThan(before.Enforce) {
		return nil
	}
	for _, text := range s.violations(ns.Name, policy.Enforce) {
		a.Warn(text)
	}
	return nil
}

// violations is what is wrong with the Pods of a namespace, one line for each kind of fault. Upstream: Admission.EvaluatePodsInNamespace.
func (s *podSecurity) violations(namespace string, enforce podsecurity.LevelVersion) []string {
	first := map[string]string{} // fault → the first Pod with it
	count := map[string]int{}
	pods := s.store.At("pods", namespace, s.store.Revision())
	for _, obj := range pods[:min(len(pods), mostPodsChecked)] {
		pod := obj.(*corev1.Pod)
		r := podsecurity.Evaluate(enforce, &pod.ObjectMeta, &pod.Spec)
		if len(r.Reasons) == 0 {
			continue
		}
		if fault := r.Reason(); count[fault] == 0 || pod.Name < first[fault] {
			first[fault] = pod.Name
		}
		count[r.Reason()]++
	}
	var out, lines []string
	if len(pods) > mostPodsChecked {
		out = append(out, fmt.Sprintf("new PodSecurity enforce level only checked against the first %d of %d existing pods", mostPodsChecked, len(pods)))
	}
	for fault, n := range count { // order: sorted below
		others := ""
		switch {
		case n == 2:
			others = " (and 1 other pod)"
		case n > 2:
			others = fmt.Sprintf(" (and %d other pods)", n-1)
		}
		lines = append(lines, first[fault]+others+": "+fault)
	}
	if len(lines) > 0 {
		out = append(out, fmt.Sprintf("existing pods in namespace %q violate the new PodSecurity enforce level %q", namespace, enforce))
	}
	slices.Sort(lines)
	return append(out, lines...)
}

// templateOf is the Pod that an object is or makes; nil for others. Upstream: DefaultPodSpecExtractor.
func templateOf(obj api.Object) (*metav1.ObjectMeta, *corev1.PodSpec) {
	var t *corev1.PodTemplateSpec
	switch o := obj.(type) {
	case *corev1.Pod:
		return &o.ObjectMeta, &o.Spec
	case *corev1.PodTemplate:
		t = &o.Template
	case *corev1.ReplicationController:
		t = o.Spec.Template
	case *appsv1.ReplicaSet:
		t = &o.Spec.Template
	case *appsv1.Deployment:
		t = &o.Spec.Template
	case *appsv1.DaemonSet:
		t = &o.Spec.Template
	case *appsv1.StatefulSet:
		t = &o.Spec.Template
	case *batchv1.Job:
		t = &o.Spec.Template
	case *batchv1.CronJob:
		t = &o.Spec.JobTemplate.Spec.Template
	}
	if t == nil {
		return nil, nil
	}
	return &t.ObjectMeta, &t.Spec
}

// significant tells whether a change of a Pod is looked at: of images, or of which containers there are.
// Upstream: isSignificantPodUpdate.
func significant(pod, old *corev1.Pod) bool {
	images := func(p *corev1.Pod) (out []string) {
		for i := range p.Spec.InitContainers {
			out = append(out, "init "+p.Spec.InitContainers[i].Image)
		}
		for i := range p.Spec.Containers {
			out = append(out, p.Spec.Containers[i].Image)
		}
		for i := range p.Spec.EphemeralContainers {
			out = append(out, "ephemeral "+p.Spec.EphemeralContainers[i].Name+" "+p.Spec.EphemeralContainers[i].Image)
		}
		return out
	}
	return !slices.Equal(images(pod), images(old))
}
