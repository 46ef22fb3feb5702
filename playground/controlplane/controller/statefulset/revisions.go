package statefulset

import (
	"bytes"
	"encoding/json"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/runtime"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/history"
	"kubewalk/playground/sim"
)

// getPatch is what a revision holds: a patch that puts the template back.
func getPatch(set *appsv1.StatefulSet) ([]byte, error) {
	return history.TemplatePatch(&set.Spec.Template)
}

// newRevision makes the revision of the set as it is.
func newRevision(set *appsv1.StatefulSet, revision int64, collisionCount *int32) (*appsv1.ControllerRevision, error) {
	patch, err := getPatch(set)
	if err != nil {
		return nil, err
	}
	cr := history.NewControllerRevision(set, controllerKind, set.Spec.Template.Labels, runtime.RawExtension{Raw: patch}, revision, collisionCount)
	for k, v := range set.Annotations { // order: each fills its own key
		if cr.Annotations == nil {
			cr.Annotations = map[string]string{}
		}
		cr.Annotations[k] = v
	}
	return cr, nil
}

// ApplyRevision returns the set with the template of a revision.
func ApplyRevision(set *appsv1.StatefulSet, revision *appsv1.ControllerRevision) (*appsv1.StatefulSet, error) {
	template, err := templateOf(revision)
	if err != nil {
		return nil, err
	}
	clone := *set
	clone.Spec.Template = template
	return &clone, nil
}

// templateOf reads a revision. The patch says "replace", so what it holds is all.
func templateOf(revision *appsv1.ControllerRevision) (corev1.PodTemplateSpec, error) {
	var patch struct {
		Spec struct {
			Template corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	err := json.Unmarshal(revision.Data.Raw, &patch)
	return patch.Spec.Template, err
}

// nextRevision is one more than the highest of sorted revisions.
func nextRevision(revisions []*appsv1.ControllerRevision) int64 {
	if len(revisions) == 0 {
		return 1
	}
	return revisions[len(revisions)-1].Revision + 1
}

// ListRevisions implements StatefulSetControlInterface.
func (ssc *defaultStatefulSetControl) ListRevisions(set *appsv1.StatefulSet) ([]*appsv1.ControllerRevision, error) {
	selector, err := labels.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return nil, err
	}
	return ssc.controllerHistory.ListControllerRevisions(set, selector)
}

// AdoptOrphanRevisions implements StatefulSetControlInterface.
func (ssc *defaultStatefulSetControl) AdoptOrphanRevisions(p *sim.Proc, set *appsv1.StatefulSet, revisions []*appsv1.ControllerRevision) error {
	for _, r := range revisions {
		if _, err := ssc.controllerHistory.AdoptControllerRevision(p, set, controllerKind, r); err != nil {
			return err
		}
	}
	return nil
}

// getStatefulSetRevisions returns the current and the update revision, and how
// often a hash has collided. Revisions are sorted. A set that is as its newest
// revision says is being brought to that; one that is as an older one says goes
// back to it, and it becomes the newest; any other gets a new one.
func (ssc *defaultStatefulSetControl) getStatefulSetRevisions(p *sim.Proc, set *appsv1.StatefulSet, revisions []*appsv1.ControllerRevision) (current,
	update *appsv1.ControllerRevision, collisionCount int32, err error) {
	if set.Status.CollisionCount != nil {
		collisionCount = *set.Status.CollisionCount
	}
	newest := len(revisions) - 1
	if newest >= 0 && setMatchesLatestExistingRevision(set, revisions[newest]) {
		update = revisions[newest]
	} else {
		if update, err = newRevision(set, nextRevision(revisions), &collisionCount); err != nil {
			return nil, nil, collisionCount, err
		}
		if equal := history.FindEqualRevisions(revisions, update); len(equal) > 0 {
			last := equal[len(equal)-1]
			p.Logger().V(4).Info("Rolling back to an equal revision", "statefulSet", controller.KObj(set), "controllerRevision", last.Name, "oldRevision", last.Revision,
				"newRevision", update.Revision)
			update, err = ssc.controllerHistory.UpdateControllerRevision(p, last, update.Revision)
		} else {
			update, err = ssc.controllerHistory.CreateControllerRevision(p, set, update, &collisionCount)
		}
		if err != nil {
			return nil, nil, collisionCount, err
		}
	}
	for _, r := range revisions {
		if r.Name == set.Status.CurrentRevision {
			current = r
			break
		}
	}
	if current == nil {
		current = update // the first there is
	}
	return current, update, collisionCount, nil
}

// setMatchesLatestExistingRevision compares what the set and its newest revision
// mean, not their bytes: those change when a release adds a default, and nothing
// should be restarted for that.
func setMatchesLatestExistingRevision(set *appsv1.StatefulSet, latest *appsv1.ControllerRevision) bool {
	patch, err := getPatch(set)
	if err != nil {
		return false
	}
	if bytes.Equal(patch, latest.Data.Raw) {
		return true
	}
	template, err := templateOf(latest)
	return err == nil && api.SemanticDeepEqual(&template, &set.Spec.Template)
}

// truncateHistory deletes the oldest revisions that no Pod is of, until
// spec.revisionHistoryLimit are left beside those in use. Revisions are sorted.
func (ssc *defaultStatefulSetControl) truncateHistory(p *sim.Proc, set *appsv1.StatefulSet, pods []*member, revisions []*appsv1.ControllerRevision, current,
	update *appsv1.ControllerRevision) error {
	live := map[string]bool{}
	if current != nil {
		live[current.Name] = true
	}
	if update != nil {
		live[update.Name] = true
	}
	last := ""
	for _, m := range pods {
		if m.revision != last { // one after the other, Pods are of the same revision more often than not
			last = m.revision
			live[last] = true
		}
	}
	var old []*appsv1.ControllerRevision
	for _, r := range revisions {
		if !live[r.Name] {
			old = append(old, r)
		}
	}
	limit := int(*set.Spec.RevisionHistoryLimit)
	if limit < 0 || len(old) <= limit {
		return nil
	}
	for _, r := range old[:len(old)-limit] {
		if err := ssc.controllerHistory.DeleteControllerRevision(p, r); err != nil {
			return err
		}
	}
	return nil
}
