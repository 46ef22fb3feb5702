package daemonset

import (
	"bytes"
	"encoding/json"
	"fmt"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/runtime"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/history"
	"kubewalk/playground/sim"
)

// constructHistory returns the revision of the DaemonSet's template, which is
// created when there is none, and the revisions of older templates. The current
// one gets the highest number. Upstream: update.go, constructHistory.
func (dsc *DaemonSetsController) constructHistory(p *sim.Proc, ds *appsv1.DaemonSet) (cur *appsv1.ControllerRevision, old []*appsv1.ControllerRevision,
	err error) {
	histories, err := dsc.controlledHistories(p, ds)
	if err != nil {
		return nil, nil, err
	}
	revisions := dsc.kubeClient.AppsV1().ControllerRevisions(ds.Namespace)
	patch, err := getPatch(ds)
	if err != nil {
		return nil, nil, err
	}
	var current []*appsv1.ControllerRevision
	for _, h := range histories {
		// Adopted from somebody: its name is as good as a hash, and can't collide.
		if _, ok := h.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]; !ok {
			h = h.DeepCopy()
			if h.Labels == nil {
				h.Labels = map[string]string{}
			}
			h.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] = h.Name
			if h, err = revisions.Update(p, h, metav1.UpdateOptions{}); err != nil {
				return nil, nil, err
			}
		}
		if bytes.Equal(patch, h.Data.Raw) {
			current = append(current, h)
		} else {
			old = append(old, h)
		}
	}
	currRevision := maxRevision(old) + 1
	if len(current) == 0 {
		cur, err = dsc.snapshot(p, ds, currRevision, patch)
		return cur, old, err
	}
	if cur, err = dsc.dedupCurHistories(p, ds, current); err != nil {
		return nil, nil, err
	}
	if cur.Revision < currRevision {
		// Rolled back: the template's old revision is the newest again.
		p.Logger().V(4).Info("Updating revision", "controllerRevision", controller.KObj(cur), "oldRevision", cur.Revision, "newRevision", currRevision)
		cur = cur.DeepCopy()
		cur.Revision = currRevision
		if cur, err = revisions.Update(p, cur, metav1.UpdateOptions{}); err != nil {
			return nil, nil, err
		}
	}
	return cur, old, nil
}

// cleanupHistory deletes the oldest revisions that no Pod is of, until
// spec.revisionHistoryLimit old ones are left.
func (dsc *DaemonSetsController) cleanupHistory(p *sim.Proc, ds *appsv1.DaemonSet, old []*appsv1.ControllerRevision) error {
	toKill := len(old) - int(*ds.Spec.RevisionHistoryLimit)
	if toKill <= 0 {
		return nil
	}
	claimed, err := dsc.getDaemonPods(p, ds)
	if err != nil {
		return fmt.Errorf("couldn't get node to daemon pod mapping for daemon set %q: %v", ds.Name, err)
	}
	live := map[string]bool{}
	for _, pod := range claimed {
		if _, err := GetTargetNodeName(pod); err != nil {
			noTarget(p, ds, pod)
		} else if hash := pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]; hash != "" {
			live[hash] = true
		}
	}
	history.SortControllerRevisions(old)
	for _, h := range old {
		if toKill <= 0 {
			break
		}
		if live[h.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]] {
			continue
		}
		if err := dsc.kubeClient.AppsV1().ControllerRevisions(ds.Namespace).Delete(p, h.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		toKill--
	}
	return nil
}

func maxRevision(histories []*appsv1.ControllerRevision) int64 {
	highest := int64(0)
	for _, h := range histories {
		highest = max(highest, h.Revision)
	}
	return highest
}

// dedupCurHistories keeps the highest of several revisions of one template,
// hands their Pods over to it and deletes the others.
func (dsc *DaemonSetsController) dedupCurHistories(p *sim.Proc, ds *appsv1.DaemonSet, curHistories []*appsv1.ControllerRevision) (*appsv1.ControllerRevision,
	error) {
	if len(curHistories) == 1 {
		return curHistories[0], nil
	}
	keep := curHistories[0]
	for _, cur := range curHistories {
		if cur.Revision >= keep.Revision {
			keep = cur
		}
	}
	hash := keep.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]string{appsv1.DefaultDaemonSetUniqueLabelKey: hash}}})
	if err != nil {
		return nil, err
	}
	daemonPods, err := dsc.getDaemonPods(p, ds)
	if err != nil {
		return nil, err
	}
	for _, pod := range daemonPods {
		if pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == hash {
			continue
		}
		if _, err := dsc.kubeClient.CoreV1().Pods(ds.Namespace).Patch(p, pod.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return nil, err
		}
	}
	for _, cur := range curHistories {
		if cur.Name == keep.Name {
			continue
		}
		if err := dsc.kubeClient.AppsV1().ControllerRevisions(ds.Namespace).Delete(p, cur.Name, metav1.DeleteOptions{}); err != nil {
			return nil, err
		}
	}
	return keep, nil
}

// controlledHistories returns the revisions that belong to a DaemonSet, after
// adopting orphans that match and releasing those that no longer do.
func (dsc *DaemonSetsController) controlledHistories(p *sim.Proc, ds *appsv1.DaemonSet) ([]*appsv1.ControllerRevision, error) {
	selector, err := labels.LabelSelectorAsSelector(ds.Spec.Selector)
	if err != nil {
		return nil, err
	}
	histories, err := dsc.historyLister.ControllerRevisions(ds.Namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	return controller.NewControllerRevisionControllerRefManager(dsc.kubeClient, ds, selector, controllerKind, dsc.canAdopt(ds)).ClaimControllerRevisions(p,
		histories)
}

// getPatch is what a revision holds: a patch that puts the template back.
func getPatch(ds *appsv1.DaemonSet) ([]byte, error) { return history.TemplatePatch(&ds.Spec.Template) }

// snapshot creates the revision of the DaemonSet's template. Its name ends in
// the template's hash, so that a controller which does not see yet what it has
// created finds it by that name.
func (dsc *DaemonSetsController) snapshot(p *sim.Proc, ds *appsv1.DaemonSet, revision int64, patch []byte) (*appsv1.ControllerRevision, error) {
	revisions := dsc.kubeClient.AppsV1().ControllerRevisions(ds.Namespace)
	hash := controller.ComputeHash(&ds.Spec.Template, ds.Status.CollisionCount)
	h := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name:            ds.Name + "-" + hash,
			Namespace:       ds.Namespace,
			Labels:          map[string]string{appsv1.DefaultDaemonSetUniqueLabelKey: hash},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(ds, controllerKind)},
		},
		Data:     runtime.RawExtension{Raw: patch},
		Revision: revision,
	}
	for k, v := range ds.Spec.Template.Labels { // order: each fills its own key
		h.Labels[k] = v
	}
	for k, v := range ds.Annotations { // order: each fills its own key
		if h.Annotations == nil {
			h.Annotations = map[string]string{}
		}
		h.Annotations[k] = v
	}
	created, err := revisions.Create(p, h, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return created, err
	}
	existing, getErr := revisions.Get(p, h.Name, metav1.GetOptions{})
	if getErr != nil {
		return nil, getErr
	}
	if bytes.Equal(patch, existing.Data.Raw) {
		return existing, nil
	}
	// Another template has the name: count it, and the next hash differs.
	fresh, getErr := dsc.kubeClient.AppsV1().DaemonSets(ds.Namespace).Get(p, ds.Name, metav1.GetOptions{})
	if getErr != nil {
		return nil, getErr
	}
	if known, is := collisions(ds), collisions(fresh); known != is {
		return nil, fmt.Errorf("found a stale collision count (%d, expected %d) of DaemonSet %q while processing; will retry until it is updated", known, is, ds.Name)
	}
	fresh = fresh.DeepCopy()
	count := collisions(fresh) + 1
	fresh.Status.CollisionCount = &count
	if _, updateErr := dsc.kubeClient.AppsV1().DaemonSets(ds.Namespace).UpdateStatus(p, fresh, metav1.UpdateOptions{}); updateErr != nil {
		return nil, updateErr
	}
	p.Logger().V(2).Info("Found a hash collision for DaemonSet - bumping collisionCount to resolve it", "daemonset", controller.KObj(ds), "collisionCount", count)
	return nil, err
}

func collisions(ds *appsv1.DaemonSet) int32 {
	if ds.Status.CollisionCount == nil {
		return 0
	}
	return *ds.Status.CollisionCount
}
