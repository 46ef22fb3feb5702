package deployment

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

func errStrategy(d *appsv1.Deployment) error {
	return fmt.Errorf("deployment type %v isn't supported", d.Spec.Strategy.Type)
}

// syncStatusOnly is for a Deployment that is being deleted.
func (dc *DeploymentController) syncStatusOnly(p *sim.Proc, d *appsv1.Deployment, rsList []*appsv1.ReplicaSet) error {
	newRS, oldRSs, err := dc.getAllReplicaSetsAndSyncRevision(p, d, rsList, false)
	if err != nil {
		return err
	}
	return dc.syncDeploymentStatus(p, withNew(oldRSs, newRS), newRS, d)
}

// sync is for a Deployment that is paused, or was scaled: no Pod changes its
// version, but their number follows.
func (dc *DeploymentController) sync(p *sim.Proc, d *appsv1.Deployment, rsList []*appsv1.ReplicaSet) error {
	newRS, oldRSs, err := dc.getAllReplicaSetsAndSyncRevision(p, d, rsList, false)
	if err != nil {
		return err
	}
	if err := dc.scale(p, d, newRS, oldRSs); err != nil {
		return err // the next sync goes on
	}
	// While paused no roll-out completes, so the history is kept short here.
	if d.Spec.Paused {
		if err := dc.cleanupDeployment(p, oldRSs, d); err != nil {
			return err
		}
	}
	return dc.syncDeploymentStatus(p, withNew(oldRSs, newRS), newRS, d)
}

// checkPausedConditions says in the condition Progressing that the Deployment
// was paused or resumed. The time of that is where a deadline starts anew.
func (dc *DeploymentController) checkPausedConditions(p *sim.Proc, d *appsv1.Deployment) error {
	if !HasProgressDeadline(d) {
		return nil
	}
	c := GetDeploymentCondition(&d.Status, appsv1.DeploymentProgressing)
	if c != nil && c.Reason == TimedOutReason {
		return nil // that it did not come in time stays to be seen
	}
	saysPaused := c != nil && c.Reason == PausedDeployReason
	switch {
	case d.Spec.Paused && !saysPaused:
		SetDeploymentCondition(&d.Status, NewDeploymentCondition(appsv1.DeploymentProgressing, corev1.ConditionUnknown, PausedDeployReason, "Deployment is paused",
			p.Time()))
	case !d.Spec.Paused && saysPaused:
		SetDeploymentCondition(&d.Status, NewDeploymentCondition(appsv1.DeploymentProgressing, corev1.ConditionUnknown, ResumedDeployReason, "Deployment is resumed",
			p.Time()))
	default:
		return nil
	}
	return dc.updateStatus(p, d)
}

// getAllReplicaSetsAndSyncRevision tells the new ReplicaSet from the old ones.
// The new one's revision is made the highest, and the Deployment's. If there is
// no new one it is created, or newRS is nil.
func (dc *DeploymentController) getAllReplicaSetsAndSyncRevision(p *sim.Proc, d *appsv1.Deployment, rsList []*appsv1.ReplicaSet,
	createIfNotExisted bool) (newRS *appsv1.ReplicaSet, oldRSs []*appsv1.ReplicaSet, err error) {
	_, oldRSs = FindOldReplicaSets(d, rsList)
	newRS, err = dc.getNewReplicaSet(p, d, rsList, oldRSs, createIfNotExisted)
	if err != nil {
		return nil, nil, err
	}
	return newRS, oldRSs, nil
}

// getNewReplicaSet finds the ReplicaSet of the Deployment's template and brings
// its annotations up to date, or creates it.
func (dc *DeploymentController) getNewReplicaSet(p *sim.Proc, d *appsv1.Deployment, rsList, oldRSs []*appsv1.ReplicaSet,
	createIfNotExisted bool) (*appsv1.ReplicaSet, error) {
	existing := FindNewReplicaSet(d, rsList)
	newRevision := strconv.FormatInt(MaxRevision(p.Logger(), oldRSs)+1, 10)
	if existing == nil {
		if !createIfNotExisted {
			return nil, nil
		}
		return dc.createNewReplicaSet(p, d, oldRSs, newRevision)
	}

	rs := new(*existing) // of which only annotations and numbers are changed here
	rs.Annotations = maps.Clone(existing.Annotations)
	changed := SetNewReplicaSetAnnotations(p, d, rs, newRevision, true, maxRevHistoryLengthInChars)
	if changed || rs.Spec.MinReadySeconds != d.Spec.MinReadySeconds {
		rs.Spec.MinReadySeconds = d.Spec.MinReadySeconds
		return dc.client.AppsV1().ReplicaSets(rs.Namespace).Update(p, rs, metav1.UpdateOptions{})
	}
	needsUpdate := SetDeploymentRevision(d, rs.Annotations[RevisionAnnotation])
	// Without a condition there would be no time from which the deadline counts.
	if HasProgressDeadline(d) && GetDeploymentCondition(&d.Status, appsv1.DeploymentProgressing) == nil {
		message := fmt.Sprintf("Found new replica set %q", rs.Name)
		SetDeploymentCondition(&d.Status, NewDeploymentCondition(appsv1.DeploymentProgressing, corev1.ConditionTrue, FoundNewRSReason, message, p.Time()))
		needsUpdate = true
	}
	if needsUpdate {
		if err := dc.updateStatus(p, d); err != nil {
			return nil, err
		}
	}
	return rs, nil
}

// createNewReplicaSet creates the ReplicaSet of a new template. Its name ends in
// the template's hash, so that a controller which does not see yet what it has
// created gets it back as "already exists", and creates nothing twice.
// Upstream: sync.go, getNewReplicaSet, second half.
func (dc *DeploymentController) createNewReplicaSet(p *sim.Proc, d *appsv1.Deployment, oldRSs []*appsv1.ReplicaSet, newRevision string) (*appsv1.ReplicaSet,
	error) {
	log := p.Logger()
	template := d.Spec.Template.DeepCopy()
	hash := controller.ComputeHash(template, d.Status.CollisionCount)
	set(&template.Labels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	selector := d.Spec.Selector.DeepCopy()
	set(&selector.MatchLabels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	newRS := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name:            generateReplicaSetName(d.Name, hash),
			Namespace:       d.Namespace,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, controllerKind)},
			Labels:          copyOf(template.Labels),
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: new(int32), MinReadySeconds: d.Spec.MinReadySeconds, Selector: selector, Template: *template},
	}
	replicas, err := NewRSNewReplicas(p, d, withNew(oldRSs, newRS), newRS)
	if err != nil {
		return nil, err
	}
	*newRS.Spec.Replicas = replicas
	SetNewReplicaSetAnnotations(p, d, newRS, newRevision, false, maxRevHistoryLengthInChars)
	log.V(2).Info("Creating new replica set", "deployment", controller.KObj(d), "newRS", newRS.Name, "revision", newRevision, "replicas", replicas)

	alreadyExists := false
	created, err := dc.client.AppsV1().ReplicaSets(d.Namespace).Create(p, newRS, metav1.CreateOptions{})
	switch {
	case apierrors.IsAlreadyExists(err):
		rs, rsErr := dc.rsLister.ReplicaSets(newRS.Namespace).Get(newRS.Name)
		if rsErr != nil {
			return nil, rsErr
		}
		if ref := metav1.GetControllerOfNoCopy(rs); ref != nil && ref.UID == d.UID && EqualIgnoreHash(&d.Spec.Template, &rs.Spec.Template) {
			created, alreadyExists = rs, true
			break
		}
		// Another template, or another owner, has the name: count it, and the next hash differs.
		if d.Status.CollisionCount == nil {
			d.Status.CollisionCount = new(int32)
		}
		before := *d.Status.CollisionCount
		*d.Status.CollisionCount++
		if dc.updateStatus(p, d) == nil {
			log.V(2).Info("Found a hash collision for deployment - bumping collisionCount to resolve it", "deployment", controller.KObj(d),
				"oldCollisionCount", before, "newCollisionCount", *d.Status.CollisionCount)
		}
		return nil, err
	case apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause):
		return nil, err
	case err != nil:
		message := fmt.Sprintf("Failed to create new replica set %q: %v", newRS.Name, err)
		if HasProgressDeadline(d) {
			SetDeploymentCondition(&d.Status, NewDeploymentCondition(appsv1.DeploymentProgressing, corev1.ConditionFalse, FailedRSCreateReason, message, p.Time()))
			dc.updateStatus(p, d) // the error that is returned has it all done again
		}
		dc.eventRecorder.Event(d, corev1.EventTypeWarning, FailedRSCreateReason, message)
		return nil, err
	}
	if !alreadyExists && replicas > 0 {
		dc.eventRecorder.Eventf(d, corev1.EventTypeNormal, "ScalingReplicaSet", "Scaled up replica set %s from 0 to %d", created.Name, replicas)
	}
	needsUpdate := SetDeploymentRevision(d, newRevision)
	if !alreadyExists && HasProgressDeadline(d) {
		message := fmt.Sprintf("Created new replica set %q", created.Name)
		SetDeploymentCondition(&d.Status, NewDeploymentCondition(appsv1.DeploymentProgressing, corev1.ConditionTrue, NewReplicaSetReason, message, p.Time()))
		needsUpdate = true
	}
	if needsUpdate {
		err = dc.updateStatus(p, d)
	} else {
		err = nil
	}
	return created, err
}

func copyOf(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m { // order: each fills its own key
		out[k] = v
	}
	return out
}

// generateReplicaSetName leaves room for the hash in a name's 253 letters.
func generateReplicaSetName(deploymentName, hash string) string {
	const longest = 253
	if most := longest - len(hash) - 1; len(deploymentName) > most {
		deploymentName = deploymentName[:most]
	}
	return deploymentName + "-" + hash
}

// syncDeploymentStatus writes the status if it says something new.
func (dc *DeploymentController) syncDeploymentStatus(p *sim.Proc, allRSs []*appsv1.ReplicaSet, newRS *appsv1.ReplicaSet, d *appsv1.Deployment) error {
	status := calculateStatus(allRSs, newRS, d, p.Time())
	if api.SemanticDeepEqual(d.Status, status) {
		return nil
	}
	d.Status = status
	return dc.updateStatus(p, d)
}

// calculateStatus adds up what the ReplicaSets say of themselves.
func calculateStatus(allRSs []*appsv1.ReplicaSet, newRS *appsv1.ReplicaSet, d *appsv1.Deployment, now time.Time) appsv1.DeploymentStatus {
	total, available := GetActualReplicaCountForReplicaSets(allRSs), GetAvailableReplicaCountForReplicaSets(allRSs)
	status := appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation,
		Replicas:           total,
		UpdatedReplicas:    GetActualReplicaCountForReplicaSets([]*appsv1.ReplicaSet{newRS}),
		ReadyReplicas:      GetReadyReplicaCountForReplicaSets(allRSs),
		AvailableReplicas:  available,
		// ReplicaSets are scaled down before their Pods are gone, so there may be more available ones than there "are".
		UnavailableReplicas: max(0, total-available),
		TerminatingReplicas: GetTerminatingReplicaCountForReplicaSets(allRSs),
		CollisionCount:      d.Status.CollisionCount,
		Conditions:          append([]appsv1.DeploymentCondition(nil), d.Status.Conditions...),
	}
	c := NewDeploymentCondition(appsv1.DeploymentAvailable, corev1.ConditionFalse, MinimumReplicasUnavailable, "Deployment does not have minimum availability.",
		now)
	if available >= *d.Spec.Replicas-MaxUnavailable(d) {
		c = NewDeploymentCondition(appsv1.DeploymentAvailable, corev1.ConditionTrue, MinimumReplicasAvailable, "Deployment has minimum availability.", now)
	}
	SetDeploymentCondition(&status, c)
	return status
}
