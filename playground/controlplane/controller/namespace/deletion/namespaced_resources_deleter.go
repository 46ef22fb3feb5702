// Package deletion deletes all that is in a namespace, and says in the
// namespace's conditions what could not be deleted yet.
//
// Upstream: pkg/controller/namespace/deletion.
package deletion

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// finalizerEstimateSeconds is how long somebody's finalizer is thought to take.
const finalizerEstimateSeconds = 15

// ResourcesRemainingError says that something is left, and for how long probably.
type ResourcesRemainingError struct{ Estimate int64 } // seconds

func (e *ResourcesRemainingError) Error() string {
	return fmt.Sprintf("some content remains in the namespace, estimate %d seconds before it is removed", e.Estimate)
}

// NamespacedResourcesDeleter empties namespaces on behalf of a finalizer.
// Upstream: namespaced_resources_deleter.go, namespacedResourcesDeleter.
type NamespacedResourcesDeleter struct {
	client    *client.Clientset
	finalizer corev1.FinalizerName
}

// NewNamespacedResourcesDeleter makes one for every namespaced kind that is served.
func NewNamespacedResourcesDeleter(c *client.Clientset, finalizer corev1.FinalizerName) *NamespacedResourcesDeleter {
	return &NamespacedResourcesDeleter{client: c, finalizer: finalizer}
}

// resources are the namespaced kinds that are served now, Pods first.
func (d *NamespacedResourcesDeleter) resources() (out []*api.Kind) {
	for _, kind := range d.client.Transport().Kinds() {
		switch {
		case !kind.Namespaced || kind.Resource == "" || kind.NewList == nil || !kind.Supports("delete"):
		case isPods(kind):
			out = slices.Insert(out, 0, kind)
		default:
			out = append(out, kind)
		}
	}
	return out
}

func isPods(kind *api.Kind) bool { return kind.Group == "" && kind.Resource == "pods" }

// Delete deletes what is in a namespace that is being deleted, and takes the
// finalizer away when nothing is left. A *ResourcesRemainingError says when to
// come back.
func (d *NamespacedResourcesDeleter) Delete(p *sim.Proc, name string) error {
	ns, err := d.client.CoreV1().Namespaces().Get(p, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || ns.DeletionTimestamp == nil {
		return err
	}
	p.Logger().V(5).Info("Namespace controller - syncNamespace", "namespace", name, "finalizerToken", string(d.finalizer))
	ns, err = d.retryOnConflictError(p, ns, d.updateNamespaceStatus)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || ns.DeletionTimestamp == nil || len(ns.Spec.Finalizers) == 0 {
		return err
	}
	estimate, err := d.deleteAllContent(p, ns)
	if err != nil {
		return err
	}
	if estimate > 0 {
		return &ResourcesRemainingError{estimate}
	}
	_, err = d.retryOnConflictError(p, ns, d.finalizeNamespace)
	if apierrors.IsNotFound(err) {
		return nil // somebody else has the same finalizer, and was faster
	}
	return err
}

// retryOnConflictError does something to a namespace, again on the newest version while that is refused.
func (d *NamespacedResourcesDeleter) retryOnConflictError(p *sim.Proc, ns *corev1.Namespace,
	do func(*sim.Proc, *corev1.Namespace) (*corev1.Namespace, error)) (*corev1.Namespace, error) {
	for {
		out, err := do(p, ns)
		if !apierrors.IsConflict(err) {
			return out, err
		}
		fresh, err := d.client.CoreV1().Namespaces().Get(p, ns.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if fresh.UID != ns.UID {
			return nil, fmt.Errorf("namespace uid has changed across retries")
		}
		ns = fresh
	}
}

func (d *NamespacedResourcesDeleter) updateNamespaceStatus(p *sim.Proc, ns *corev1.Namespace) (*corev1.Namespace, error) {
	if ns.DeletionTimestamp == nil || ns.Status.Phase == corev1.NamespaceTerminating {
		return ns, nil
	}
	ns = ns.DeepCopy()
	ns.Status.Phase = corev1.NamespaceTerminating
	return d.client.CoreV1().Namespaces().UpdateStatus(p, ns, metav1.UpdateOptions{})
}

// finalizeNamespace takes the finalizer away. Who takes the last one deletes the namespace.
func (d *NamespacedResourcesDeleter) finalizeNamespace(p *sim.Proc, ns *corev1.Namespace) (*corev1.Namespace, error) {
	ns = ns.DeepCopy()
	ns.Spec.Finalizers = slices.DeleteFunc(ns.Spec.Finalizers, func(f corev1.FinalizerName) bool { return f == d.finalizer })
	return client.As[*corev1.Namespace](d.client.Transport().Do(p, &client.Request{
		Verb: client.Update, Resource: api.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Name: ns.Name, Subresource: "finalize", Object: ns,
	}))
}

// remaining is what is left of one kind.
type remaining struct {
	estimate   int64 // seconds
	count      int
	finalizers map[string]int
}

// totals are what is left of all kinds.
type totals struct{ resources, finalizers map[string]int }

func (t *totals) add(kind *api.Kind, r remaining) {
	if r.count > 0 {
		t.resources[kind.Resource+"."+kind.Group] = r.count
	}
	for name, n := range r.finalizers { // order: each has its own sum
		t.finalizers[name] += n
	}
}

// deleteAllContent deletes what it can and tells how many seconds the rest will
// take. As long as there are Pods nothing else is deleted: they may need it to
// end well. The conditions say nothing of what is left then, neither of Pods nor
// of the rest: they count what a whole pass over all kinds has left.
//
// Upstream: namespacedResourcesDeleter.deleteAllContent, with the gate
// OrderedNamespaceDeletion, which is on since 1.33.
func (d *NamespacedResourcesDeleter) deleteAllContent(p *sim.Proc, ns *corev1.Namespace) (estimate int64, err error) {
	log := p.Logger()
	log.V(4).Info("Namespace controller - deleteAllContent", "namespace", ns.Name)
	var errs []error
	left := totals{map[string]int{}, map[string]int{}}
	updater := namespaceConditionUpdater{}
	if err := d.client.Transport().Kinds().Incomplete(); err != nil { // the rest can be deleted all the same
		updater.ProcessDiscoverResourcesErr(err)
		errs = append(errs, err)
	}
	for _, kind := range d.resources() {
		r, err := d.deleteAllContentForGroupVersionResource(p, kind, ns)
		if err != nil {
			updater.ProcessDeleteContentErr(err)
			if isPods(kind) {
				err = fmt.Errorf("failed to delete pods for namespace: %s, err: %w", ns.Name, err)
			}
			errs = append(errs, err)
		}
		estimate = max(estimate, r.estimate)
		left.add(kind, r)
		if isPods(kind) && r.count > 0 {
			log.V(5).Info("Namespace controller - pods still remain, delaying deletion of other resources", "namespace", ns.Name)
			d.updateConditions(p, ns, &updater)
			return estimate, errors.Join(errs...)
		}
	}
	updater.ProcessContentTotals(left)
	d.updateConditions(p, ns, &updater)
	log.V(4).Info("Namespace controller - deleteAllContent - finished", "namespace", ns.Name, "estimate", estimate, "resources", len(left.resources), "errors",
		len(errs))
	return estimate, errors.Join(errs...)
}

// updateConditions writes what a pass has found, if that is news.
func (d *NamespacedResourcesDeleter) updateConditions(p *sim.Proc, ns *corev1.Namespace, updater *namespaceConditionUpdater) {
	changed := ns.DeepCopy()
	if !updater.Update(changed, metav1.NewTime(p.Time())) {
		return
	}
	if _, err := d.client.CoreV1().Namespaces().UpdateStatus(p, changed, metav1.UpdateOptions{}); err != nil {
		p.Logger().Error(err, "couldn't update status condition for namespace", "namespace", ns.Name)
	}
}

// deleteAllContentForGroupVersionResource deletes a kind's objects and looks what is left.
func (d *NamespacedResourcesDeleter) deleteAllContentForGroupVersionResource(p *sim.Proc, kind *api.Kind, ns *corev1.Namespace) (remaining, error) {
	gvr := kind.GroupVersionResource()
	log := p.Logger()
	estimate, err := d.estimateGracefulTermination(p, kind, ns)
	if err != nil {
		return remaining{estimate: estimate}, err
	}
	// The garbage collector is not to orphan anything: all of it has to go.
	background := metav1.DeletePropagationBackground
	supported := true
	_, err = d.client.Transport().Do(p, &client.Request{Verb: client.DeleteCollection, Resource: gvr, Namespace: ns.Name,
		Delete: metav1.DeleteOptions{PropagationPolicy: &background}})
	if apierrors.IsMethodNotSupported(err) || apierrors.IsNotFound(err) {
		supported, err = false, nil
	}
	if err != nil {
		return remaining{estimate: estimate}, err
	}
	if !supported {
		if err := d.deleteEachItem(p, gvr, ns.Name); err != nil {
			return remaining{estimate: estimate}, err
		}
	}
	items, err := d.list(p, gvr, ns.Name)
	if err != nil || len(items) == 0 {
		return remaining{}, err
	}
	left := remaining{estimate: estimate, count: len(items), finalizers: map[string]int{}}
	for _, item := range items {
		for _, f := range item.GetFinalizers() {
			left.finalizers[f]++
		}
	}
	log.V(5).Info("Namespace controller - deleteAllContentForGroupVersionResource - items remaining", "namespace", ns.Name, "resource", gvr.Resource,
		"items", left.count, "finalizers", len(left.finalizers), "estimate", estimate)
	switch {
	case estimate != 0:
	case len(left.finalizers) > 0:
		left.estimate = finalizerEstimateSeconds
	default:
		return left, fmt.Errorf("unexpected items still remain in namespace: %s for gvr: %v", ns.Name, gvr)
	}
	return left, nil
}

// deleteEachItem is for what has no deletion of a collection.
func (d *NamespacedResourcesDeleter) deleteEachItem(p *sim.Proc, gvr api.GroupVersionResource, namespace string) error {
	items, err := d.list(p, gvr, namespace)
	if err != nil {
		return err
	}
	background := metav1.DeletePropagationBackground
	for _, item := range items {
		_, err := d.client.Transport().Do(p, &client.Request{Verb: client.Delete, Resource: gvr, Namespace: namespace, Name: item.GetName(),
			Delete: metav1.DeleteOptions{PropagationPolicy: &background}})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) {
			return err
		}
	}
	return nil
}

func (d *NamespacedResourcesDeleter) list(p *sim.Proc, gvr api.GroupVersionResource, namespace string) ([]api.Object, error) {
	list, err := client.As[api.List](d.client.Transport().Do(p, &client.Request{Verb: client.List, Resource: gvr, Namespace: namespace}))
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return list.GetItems(), nil
}

// estimateGracefulTermination is the longest grace period of the Pods that run,
// as long as the namespace was deleted less than that ago; in seconds.
func (d *NamespacedResourcesDeleter) estimateGracefulTermination(p *sim.Proc, kind *api.Kind, ns *corev1.Namespace) (int64, error) {
	if !isPods(kind) {
		return 0, nil
	}
	list, err := d.client.CoreV1().Pods(ns.Name).List(p, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	estimate := int64(0)
	for i := range list.Items {
		pod := &list.Items[i]
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed && pod.Spec.TerminationGracePeriodSeconds != nil {
			estimate = max(estimate, *pod.Spec.TerminationGracePeriodSeconds)
		}
	}
	if p.Time().Sub(ns.DeletionTimestamp.Time) >= time.Duration(estimate)*time.Second {
		estimate = 0
	}
	return estimate, nil
}
