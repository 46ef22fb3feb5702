package accurate

import (
	"fmt"
	"maps"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
)

// syncNamespace gives a namespace what comes from above, and those below what comes from it.
// Upstream: namespace_controller.go, NamespaceReconciler.Reconcile.
func (c *Controller) syncNamespace(p *sim.Proc, name string) error {
	ns, err := c.namespaces.Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || ns.DeletionTimestamp != nil {
		return err
	}
	// region namespace
	if parent, ok := ns.Labels[LabelParent]; ok {
		if err := c.inherit(p, ns, parent); err != nil {
			return err
		}
		return c.bequeath(p, ns, LabelParent)
	}
	if template, ok := ns.Labels[LabelTemplate]; ok {
		if err := c.inherit(p, ns, template); err != nil {
			return err
		}
	} else if err := c.disinherit(p, ns.Name); err != nil {
		return err
	}
	switch ns.Labels[LabelType] {
	case NSTypeTemplate:
		return c.bequeath(p, ns, LabelTemplate)
	case NSTypeRoot:
		return c.bequeath(p, ns, LabelParent)
	}
	return nil
	// endregion
}

// inherit gives a namespace labels, annotations and objects of the one above.
func (c *Controller) inherit(p *sim.Proc, ns *corev1.Namespace, above string) error {
	parent, err := c.namespaces.Get(above)
	if err != nil {
		return fmt.Errorf("failed to get parent namespace %s: %w", above, err)
	}
	if err := c.propagateMeta(p, ns, parent); err != nil {
		return err
	}
	for _, w := range c.watched {
		if err := c.propagateResource(p, w, above, ns.Name); err != nil {
			return err
		}
	}
	return nil
}

// bequeath gives labels and annotations to the namespaces below.
func (c *Controller) bequeath(p *sim.Proc, ns *corev1.Namespace, label string) error {
	children, err := c.children(label, ns.Name)
	if err != nil {
		return fmt.Errorf("failed to list sub namespaces: %w", err)
	}
	for _, child := range children {
		if err := c.propagateMeta(p, child, ns); err != nil {
			return err
		}
	}
	return nil
}

// propagateMeta applies the labels and annotations that come from above, and those that the SubNamespace asks for.
func (c *Controller) propagateMeta(p *sim.Proc, ns, parent *corev1.Namespace) error {
	labels := matching(parent.Labels, c.config.LabelKeys)
	annotations := matching(parent.Annotations, c.config.AnnotationKeys)
	if _, ok := ns.Labels[LabelParent]; ok {
		obj, exists, err := c.subNamespaces.GetIndexer().GetByKey(parent.Name + "/" + ns.Name)
		if err != nil {
			return err
		}
		if exists {
			sn, err := decode(obj.(*api.Unstructured))
			if err != nil {
				return err
			}
			maps.Copy(labels, matching(sn.Spec.Labels, c.config.SubNamespaceLabelKeys))
			maps.Copy(annotations, matching(sn.Spec.Annotations, c.config.SubNamespaceAnnotationKeys))
		}
		labels[LabelCreatedBy], labels[LabelParent] = CreatedBy, parent.Name
	}
	metadata := map[string]any{"name": ns.Name}
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	err := c.apply(p, namespaceResource, "", "", ns.Name, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
	if err != nil {
		return fmt.Errorf("failed to propagate labels/annotations for namespace %s: %w", ns.Name, err)
	}
	return nil
}

var namespaceResource = api.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// in are a namespace's objects of a kind with a mode, by their names' order.
func (w *watched) in(namespace, mode string) []api.Object {
	var out []api.Object
	for _, obj := range w.informer.GetIndexer().List() {
		o := obj.(api.Object)
		if o.GetNamespace() == namespace && o.GetAnnotations()[AnnPropagate] == mode {
			out = append(out, o)
		}
	}
	return out
}

// get is an object as the cache has it, nil for none.
func (w *watched) get(namespace, name string) api.Object {
	obj, exists, err := w.informer.GetIndexer().GetByKey(namespace + "/" + name)
	if err != nil || !exists {
		return nil
	}
	return obj.(api.Object)
}

// propagateResource makes and changes a namespace's copies of one kind, and deletes those that the one above has no more.
func (c *Controller) propagateResource(p *sim.Proc, w *watched, parent, namespace string) error {
	for _, source := range w.in(parent, PropagateCreate) {
		if w.get(namespace, source.GetName()) == nil {
			if err := c.copy(p, w, source, namespace); err != nil {
				return err
			}
		}
	}
	var names []string
	for _, source := range w.in(parent, PropagateUpdate) {
		names = append(names, source.GetName())
		if err := c.update(p, w, source, namespace); err != nil {
			return err
		}
	}
	for _, obj := range w.in(namespace, PropagateUpdate) {
		from := obj.GetAnnotations()[AnnFrom]
		if from == "" || from == parent && slices.Contains(names, obj.GetName()) {
			continue // it is from here, or it is wanted
		}
		if err := c.remove(p, w, obj); err != nil {
			return err
		}
	}
	return nil
}

// disinherit deletes a namespace's copies: there is nothing above.
func (c *Controller) disinherit(p *sim.Proc, namespace string) error {
	for _, w := range c.watched {
		for _, obj := range w.in(namespace, PropagateUpdate) {
			if obj.GetAnnotations()[AnnFrom] == "" {
				continue
			}
			if err := c.remove(p, w, obj); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove deletes a copy.
func (c *Controller) remove(p *sim.Proc, w *watched, obj api.Object) error {
	err := c.delete(p, w.resource, obj.GetNamespace(), obj.GetName())
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		p.Logger().Info("deleted a resource", "namespace", obj.GetNamespace(), "name", obj.GetName(), "gvk", w.kind.Kind)
	}
	return err
}
