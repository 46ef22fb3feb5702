package deployment

import (
	"sort"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// The annotations by which ReplicaSets remember their place in a Deployment.
// Upstream: util/deployment_util.go.
const (
	// RevisionAnnotation counts roll-outs: on a ReplicaSet, the last in which it was the new one.
	RevisionAnnotation = "deployment.kubernetes.io/revision"
	// RevisionHistoryAnnotation are earlier revisions of the same ReplicaSet, with commas.
	RevisionHistoryAnnotation = "deployment.kubernetes.io/revision-history"
	// DesiredReplicasAnnotation is the Deployment's spec.replicas when the
	// ReplicaSet was last scaled: when it differs, the Deployment was scaled.
	DesiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas"
	// MaxReplicasAnnotation is the same plus the surge.
	MaxReplicasAnnotation = "deployment.kubernetes.io/max-replicas"
	// ChangeCauseAnnotation is what kubectl rollout history shows beside a revision.
	ChangeCauseAnnotation = "kubernetes.io/change-cause"
)

// maxRevHistoryLengthInChars keeps the history annotation from growing for ever.
const maxRevHistoryLengthInChars = 2000

// annotationsToSkip are a Deployment's own, which its ReplicaSets don't get.
var annotationsToSkip = map[string]bool{
	corev1.LastAppliedConfigAnnotation:  true,
	RevisionAnnotation:                  true,
	RevisionHistoryAnnotation:           true,
	DesiredReplicasAnnotation:           true,
	MaxReplicasAnnotation:               true,
	appsv1.DeprecatedRollbackTo:         true,
	appsv1.DeprecatedTemplateGeneration: true,
}

// Revision reads an object's revision; 0 when it has none.
func Revision(obj api.Object) (int64, error) {
	v, ok := obj.GetAnnotations()[RevisionAnnotation]
	if !ok {
		return 0, nil
	}
	return strconv.ParseInt(v, 10, 64)
}

// MaxRevision is the highest revision. One that can't be read does not count.
func MaxRevision(log sim.Logger, sets []*appsv1.ReplicaSet) int64 {
	highest := int64(0)
	for _, rs := range sets {
		v, err := Revision(rs)
		if err != nil {
			log.V(4).Info("Couldn't parse revision for replica set, deployment controller will skip it when reconciling revisions",
				"replicaSet", controller.KObj(rs), "err", err.Error())
		}
		highest = max(highest, v)
	}
	return highest
}

// SortReplicaSetsByRevision puts the lowest revision first; of equals, the oldest.
// Upstream: ReplicaSetsByRevision.
func SortReplicaSetsByRevision(sets []*appsv1.ReplicaSet) {
	controller.SortReplicaSetsByCreationTimestamp(sets)
	sort.SliceStable(sets, func(i, j int) bool {
		a, errA := Revision(sets[i])
		b, errB := Revision(sets[j])
		return errA == nil && errB == nil && a < b
	})
}

// SetDeploymentRevision writes the revision into a Deployment and tells whether it is another.
func SetDeploymentRevision(d *appsv1.Deployment, revision string) bool {
	if d.Annotations[RevisionAnnotation] == revision {
		return false
	}
	set(&d.Annotations, RevisionAnnotation, revision)
	return true
}

func set(m *map[string]string, key, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}

// SetNewReplicaSetAnnotations writes the Deployment's annotations and the new
// revision into a ReplicaSet, and tells whether that changed anything. One that
// exists and gets a higher revision was rolled back to: its old one moves into
// the history.
func SetNewReplicaSetAnnotations(p *sim.Proc, d *appsv1.Deployment, newRS *appsv1.ReplicaSet, newRevision string, exists bool,
	revHistoryLimitInChars int) bool {
	log := p.Logger()
	changed := copyDeploymentAnnotationsToReplicaSet(d, newRS)
	oldRevision, had := newRS.Annotations[RevisionAnnotation]
	before, err := strconv.ParseInt(oldRevision, 10, 64)
	if err != nil && oldRevision != "" {
		log.V(2).Info("Updating replica set revision OldRevision not int", "err", err.Error())
		return false
	}
	after, err := strconv.ParseInt(newRevision, 10, 64)
	if err != nil {
		log.V(2).Info("Updating replica set revision NewRevision not int", "err", err.Error())
		return false
	}
	// Its revision may also be higher: when ReplicaSets newer than all that are left were deleted.
	if before < after {
		set(&newRS.Annotations, RevisionAnnotation, newRevision)
		changed = true
		log.V(4).Info("Updating replica set revision", "replicaSet", controller.KObj(newRS), "oldRevision", oldRevision, "newRevision", newRevision)
		if had {
			newRS.Annotations[RevisionHistoryAnnotation] = withRevision(newRS.Annotations[RevisionHistoryAnnotation], oldRevision, revHistoryLimitInChars)
		}
	}
	// Numbers are the scaling's business, but for one that is about to be created.
	if !exists && SetReplicasAnnotations(newRS, *d.Spec.Replicas, *d.Spec.Replicas+MaxSurge(d)) {
		changed = true
	}
	return changed
}

// withRevision adds a revision to a history and drops the oldest until it fits.
func withRevision(history, revision string, limit int) string {
	if history == "" {
		return revision
	}
	all := append(strings.Split(history, ","), revision)
	for len(all) > 1 && len(strings.Join(all, ",")) > limit {
		all = all[1:]
	}
	return strings.Join(all, ",")
}

// copyDeploymentAnnotationsToReplicaSet tells whether it had anything to copy.
func copyDeploymentAnnotationsToReplicaSet(d *appsv1.Deployment, rs *appsv1.ReplicaSet) bool {
	changed := false
	for k, v := range d.Annotations { // order: each fills its own key
		if have, ok := rs.Annotations[k]; annotationsToSkip[k] || ok && have == v {
			continue
		}
		set(&rs.Annotations, k, v)
		changed = true
	}
	return changed
}

// FindNewReplicaSet returns the ReplicaSet of the Deployment's template; of
// several the oldest, so that all who look choose the same one.
func FindNewReplicaSet(d *appsv1.Deployment, rsList []*appsv1.ReplicaSet) *appsv1.ReplicaSet {
	controller.SortReplicaSetsByCreationTimestamp(rsList)
	for _, rs := range rsList {
		if EqualIgnoreHash(&rs.Spec.Template, &d.Spec.Template) {
			return rs
		}
	}
	return nil
}

// FindOldReplicaSets returns all others: those that still ask for Pods, and all.
func FindOldReplicaSets(d *appsv1.Deployment, rsList []*appsv1.ReplicaSet) (required, all []*appsv1.ReplicaSet) {
	newRS := FindNewReplicaSet(d, rsList)
	for _, rs := range rsList {
		if newRS != nil && rs.UID == newRS.UID {
			continue
		}
		all = append(all, rs)
		if *rs.Spec.Replicas != 0 {
			required = append(required, rs)
		}
	}
	return required, all
}

// EqualIgnoreHash compares two templates, without the label that the
// controller has put into one of them.
func EqualIgnoreHash(a, b *corev1.PodTemplateSpec) bool {
	metaA, metaB := a.ObjectMeta, b.ObjectMeta
	metaA.Labels, metaB.Labels = withoutHash(metaA.Labels), withoutHash(metaB.Labels)
	return api.SemanticDeepEqual(&metaA, &metaB) && api.SemanticDeepEqual(&a.Spec, &b.Spec)
}

func withoutHash(labels map[string]string) map[string]string {
	if _, ok := labels[appsv1.DefaultDeploymentUniqueLabelKey]; !ok {
		return labels
	}
	out := make(map[string]string, len(labels))
	for k, v := range labels { // order: each fills its own key
		if k != appsv1.DefaultDeploymentUniqueLabelKey {
			out[k] = v
		}
	}
	return out
}
