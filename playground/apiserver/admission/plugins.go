package admission

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
	"kubewalk/playground/store"
)

// namespaceLifecycle refuses to create objects where there is no namespace, or where it is going.
// Upstream: apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go, Lifecycle.Admit.
type namespaceLifecycle struct{ store *store.Store }

// immortalNamespaces may not be deleted.
var immortalNamespaces = []string{"default", "kube-public", "kube-system"}

// namespaceTerminatingCause tells clients that it is no use to try again. Upstream: k8s.io/api/core/v1, the constant.
const namespaceTerminatingCause metav1.CauseType = "NamespaceTerminating"

// missingNamespaceWait is how long a namespace may take to show up that was created a moment ago.
const missingNamespaceWait = 50 * time.Millisecond

func (*namespaceLifecycle) Name() string { return "NamespaceLifecycle" }

func (l *namespaceLifecycle) Validate(*sim.Proc, *Attributes) error { return nil }

func (l *namespaceLifecycle) Admit(p *sim.Proc, a *Attributes) error {
	if a.Operation == Delete && a.Kind.Resource == "namespaces" && slices.Contains(immortalNamespaces, a.Name) {
		return apierrors.NewForbidden(a.Kind.GroupResource(), a.Name, errors.New("this namespace may not be deleted"))
	}
	if a.Namespace == "" || a.Kind.Resource == "namespaces" || a.Operation != Create {
		return nil
	}
	key := store.Key{Resource: "namespaces", Name: a.Namespace}
	ns, _ := l.store.Current(key).(*corev1.Namespace)
	if ns == nil {
		p.Sleep(missingNamespaceWait)
		if ns, _ = l.store.Current(key).(*corev1.Namespace); ns == nil {
			return apierrors.NewNotFound(api.GroupResource{Resource: "namespaces"}, a.Namespace)
		}
	}
	if ns.Status.Phase != corev1.NamespaceTerminating {
		return nil
	}
	name := a.Name
	if name == "" && a.Object != nil {
		name = a.Object.GetName()
	}
	err := apierrors.NewForbidden(a.Kind.GroupResource(), name, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", a.Namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: namespaceTerminatingCause, Message: fmt.Sprintf("namespace %s is being terminated", a.Namespace), Field: "metadata.namespace",
	})
	return err
}

// creating returns the Pod that a request creates, nil for any other request.
func creating(a *Attributes) *corev1.Pod {
	if a.Operation != Create || a.Subresource != "" {
		return nil
	}
	pod, _ := a.Object.(*corev1.Pod)
	return pod
}

// serviceAccount gives Pods the name of their namespace's default account.
// Upstream: plugin/pkg/admission/serviceaccount/admission.go, which also mounts a token.
type serviceAccount struct{}

func (serviceAccount) Name() string                          { return "ServiceAccount" }
func (serviceAccount) Validate(*sim.Proc, *Attributes) error { return nil }
func (serviceAccount) Admit(_ *sim.Proc, a *Attributes) error {
	if pod := creating(a); pod != nil {
		if pod.Spec.ServiceAccountName == "" {
			pod.Spec.ServiceAccountName = "default"
		}
		pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName
	}
	return nil
}

// priority turns the name of a priority class into a number.
// Upstream: plugin/pkg/admission/priority/admission.go, Plugin.admitPod. Classes other than the system's don't exist here.
type priority struct{}

var systemPriorities = map[string]int32{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}

func (priority) Name() string                          { return "Priority" }
func (priority) Validate(*sim.Proc, *Attributes) error { return nil }
func (priority) Admit(_ *sim.Proc, a *Attributes) error {
	pod := creating(a)
	if pod == nil {
		return nil
	}
	value := int32(0)
	if name := pod.Spec.PriorityClassName; name != "" {
		var ok bool
		if value, ok = systemPriorities[name]; !ok {
			return apierrors.NewForbidden(a.Kind.GroupResource(), pod.Name, fmt.Errorf("no PriorityClass with name %v was found", name))
		}
	}
	if pod.Spec.Priority != nil && *pod.Spec.Priority != value {
		return apierrors.NewForbidden(a.Kind.GroupResource(), pod.Name, fmt.Errorf("the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", *pod.Spec.Priority, value))
	}
	pod.Spec.Priority = &value
	if pod.Spec.PreemptionPolicy == nil {
		policy := corev1.PreemptLowerPriority
		pod.Spec.PreemptionPolicy = &policy
	}
	return nil
}

// defaultTolerationSeconds lets Pods stay five minutes on a node that fails.
// Upstream: plugin/pkg/admission/defaulttolerationseconds/admission.go, Plugin.Admit.
type defaultTolerationSeconds struct{}

const defaultTolerationPeriod = int64(300)

func (defaultTolerationSeconds) Name() string                          { return "DefaultTolerationSeconds" }
func (defaultTolerationSeconds) Validate(*sim.Proc, *Attributes) error { return nil }
func (defaultTolerationSeconds) Admit(_ *sim.Proc, a *Attributes) error {
	pod := creating(a)
	if pod == nil {
		return nil
	}
	has := map[string]bool{}
	for _, t := range pod.Spec.Tolerations {
		if t.Effect != corev1.TaintEffectNoExecute && t.Effect != "" {
			continue
		}
		if t.Key == "" {
			has[corev1.TaintNodeNotReady], has[corev1.TaintNodeUnreachable] = true, true
		}
		has[t.Key] = true
	}
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if !has[key] {
			seconds := defaultTolerationPeriod
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
		}
	}
	return nil
}
