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
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
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
	err := apierrors.NewForbidden(a.Kind.GroupResource(), name, fmt.Errorf("unable to create new content in namespace %s because it is being terminated",
		a.Namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: namespaceTerminatingCause, Message: fmt.Sprintf("namespace %s is being terminated", a.Namespace), Field: "metadata.namespace",
	})
	return err
}
