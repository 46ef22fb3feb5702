package accurate

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// namespaceTerminating is why nothing can be created in a namespace. Upstream: k8s.io/api/core/v1, NamespaceTerminatingCause.
const namespaceTerminating metav1.CauseType = "NamespaceTerminating"

// syncObject looks at one object of a kind that is propagated: as a copy, and as the source of other copies.
// Upstream: propagate.go, PropagateController.Reconcile.
func (c *Controller) syncObject(p *sim.Proc, w *watched, namespace, name string) error {
	obj := w.get(namespace, name)
	if obj == nil {
		return c.handleDelete(p, w, namespace, name)
	}
	if obj.GetDeletionTimestamp() != nil {
		return nil
	}
	// region copy
	mode := modeOf(obj)
	if from := obj.GetAnnotations()[AnnFrom]; from != "" {
		source := w.get(from, name)
		if source == nil && mode == PropagateUpdate {
			return c.remove(p, w, obj)
		}
		if modeOf(source) == PropagateUpdate {
			same, err := c.same(w, source, obj)
			if err != nil || !same {
				return c.update(p, w, source, namespace)
			}
			mode = PropagateUpdate // and now those below
		}
	}
	// endregion
	if mode != PropagateCreate && mode != PropagateUpdate {
		return nil
	}
	children, err := c.below(namespace)
	if err != nil {
		return err
	}
	for _, child := range children {
		if mode == PropagateUpdate {
			err = c.update(p, w, obj, child.Name)
		} else if w.get(child.Name, name) == nil {
			err = c.copy(p, w, obj, child.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// modeOf is how an object is propagated; "" for not at all, or no object.
func modeOf(obj api.Object) string {
	if obj == nil {
		return ""
	}
	return obj.GetAnnotations()[AnnPropagate]
}

// below are the namespaces that get what is propagated from one. Upstream: getChildren.
func (c *Controller) below(namespace string) ([]*corev1.Namespace, error) {
	ns, err := c.namespaces.Get(namespace)
	if err != nil {
		return nil, fmt.Errorf("failed to get namespace %s: %w", namespace, err)
	}
	if ns.Labels[LabelType] == NSTypeRoot || ns.Labels[LabelParent] != "" {
		return c.children(LabelParent, namespace)
	}
	return c.children(LabelTemplate, namespace)
}

// handleDelete makes a copy again whose source is there, or deletes the copies of a source that is gone.
func (c *Controller) handleDelete(p *sim.Proc, w *watched, namespace, name string) error {
	ns, err := c.namespaces.Get(namespace)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	// region deleted
	above, ok := ns.Labels[LabelParent]
	if !ok {
		above = ns.Labels[LabelTemplate]
	}
	source := w.get(above, name)
	switch modeOf(source) {
	case PropagateCreate, PropagateUpdate:
		return c.copy(p, w, source, namespace)
	}
	children, err := c.below(namespace)
	if err != nil {
		return err
	}
	for _, child := range children {
		obj := w.get(child.Name, name)
		if modeOf(obj) != PropagateUpdate {
			continue
		}
		if err := c.remove(p, w, obj); err != nil {
			return err
		}
	}
	return nil
	// endregion
}

// copy creates a copy.
func (c *Controller) copy(p *sim.Proc, w *watched, source api.Object, namespace string) error {
	clone, err := cloneResource(w.kind, source, namespace)
	if err != nil {
		return err
	}
	err = c.create(p, w.resource, namespace, clone)
	if apierrors.HasStatusCause(err, namespaceTerminating) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("failed to create %s/%s: %w", namespace, source.GetName(), err)
	}
	p.Logger().Info("created a resource", "namespace", namespace, "name", source.GetName(), "gvk", w.kind.Kind)
	return nil
}

// update makes a copy like its source, and creates it if there is none.
func (c *Controller) update(p *sim.Proc, w *watched, source api.Object, namespace string) error {
	now := w.get(namespace, source.GetName())
	if now == nil {
		return c.copy(p, w, source, namespace)
	}
	if same, err := c.same(w, source, now); err != nil || same {
		return err
	}
	clone, err := cloneResource(w.kind, source, namespace)
	if err != nil {
		return err
	}
	if err := c.apply(p, w.resource, "", namespace, source.GetName(), clone); err != nil {
		return fmt.Errorf("failed to apply %s/%s: %w", namespace, source.GetName(), err)
	}
	p.Logger().Info("applied a resource", "namespace", namespace, "name", source.GetName(), "gvk", w.kind.Kind)
	return nil
}

// same tells whether a copy has all that its source has.
func (c *Controller) same(w *watched, source, now api.Object) (bool, error) {
	want, err := cloneResource(w.kind, source, now.GetNamespace())
	if err != nil {
		return false, err
	}
	have, err := cloneResource(w.kind, now, now.GetNamespace())
	if err != nil {
		return false, err
	}
	have["metadata"].(map[string]any)["annotations"].(map[string]any)[AnnFrom] = now.GetAnnotations()[AnnFrom]
	have["metadata"].(map[string]any)["labels"].(map[string]any)[LabelCreatedBy] = now.GetLabels()[LabelCreatedBy]
	return within(want, have), nil
}
