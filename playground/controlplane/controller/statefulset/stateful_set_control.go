package statefulset

import (
	"slices"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/history"
	"kubewalk/playground/sim"
)

// MaxBatchSize is how many requests are under way at once with Parallel.
const MaxBatchSize = 500

// StatefulSetControlInterface is what the controller has a set acted on by.
type StatefulSetControlInterface interface {
	// UpdateStatefulSet creates, updates and deletes Pods and claims, and writes
	// the status, which it returns. now is the time at which Pods are judged.
	UpdateStatefulSet(p *sim.Proc, set *appsv1.StatefulSet, pods []*member, now time.Time) (*appsv1.StatefulSetStatus, error)
	// ListRevisions returns the revisions of a set, and the orphans that match it.
	ListRevisions(set *appsv1.StatefulSet) ([]*appsv1.ControllerRevision, error)
	// AdoptOrphanRevisions makes the set their owner.
	AdoptOrphanRevisions(p *sim.Proc, set *appsv1.StatefulSet, revisions []*appsv1.ControllerRevision) error
}

// defaultStatefulSetControl implements it. Upstream: stateful_set_control.go.
type defaultStatefulSetControl struct {
	podControl        *StatefulPodControl
	statusUpdater     StatefulSetStatusUpdaterInterface
	controllerHistory history.Interface
}

// UpdateStatefulSet implements StatefulSetControlInterface.
func (ssc *defaultStatefulSetControl) UpdateStatefulSet(p *sim.Proc, set *appsv1.StatefulSet, pods []*member, now time.Time) (*appsv1.StatefulSetStatus,
	error) {
	revisions, err := ssc.ListRevisions(set)
	if err != nil {
		return nil, err
	}
	history.SortControllerRevisions(revisions)
	current, update, status, err := ssc.performUpdate(p, set, pods, revisions, now)
	truncateErr := ssc.truncateHistory(p, set, pods, revisions, current, update)
	if err != nil {
		return nil, err
	}
	return status, truncateErr
}

// performUpdate finds the revisions, acts on Pods, and writes the status even
// when that failed half-way.
func (ssc *defaultStatefulSetControl) performUpdate(p *sim.Proc, set *appsv1.StatefulSet, pods []*member, revisions []*appsv1.ControllerRevision,
	now time.Time) (
	current, update *appsv1.ControllerRevision, status *appsv1.StatefulSetStatus, err error) {
	log := p.Logger()
	current, update, collisionCount, err := ssc.getStatefulSetRevisions(p, set, revisions)
	if err != nil {
		return current, update, nil, err
	}
	status, err = ssc.updateStatefulSet(p, set, current, update, collisionCount, pods, now)
	if err != nil && status == nil {
		return current, update, nil, err
	}
	statusErr := ssc.updateStatefulSetStatus(p, set, status)
	if statusErr == nil {
		log.V(4).Info("Updated status", "statefulSet", controller.KObj(set), "replicas", status.Replicas, "readyReplicas", status.ReadyReplicas,
			"currentReplicas", status.CurrentReplicas, "updatedReplicas", status.UpdatedReplicas)
	}
	switch {
	case err != nil && statusErr != nil:
		log.Error(statusErr, "Could not update status", "statefulSet", controller.KObj(set))
		return current, update, status, err
	case err != nil:
		return current, update, status, err
	case statusErr != nil:
		return current, update, status, statusErr
	}
	log.V(4).Info("StatefulSet revisions", "statefulSet", controller.KObj(set), "currentRevision", status.CurrentRevision, "updateRevision", status.UpdateRevision)
	return current, update, status, nil
}

// slowStartBatch calls fn for 0 to count-1, in batches whose size doubles as
// long as all calls of a batch succeed. Those that are idle would return at once: they
// get no process of their own, but a batch has at least one.
func slowStartBatch(p *sim.Proc, initialBatchSize, count int, fn func(p *sim.Proc, i int) (bool, error), idle func(i int) bool) error {
	for done, batch := 0, min(count, initialBatchSize); batch > 0; {
		var first error
		var busy []int
		for i := done; i < done+batch; i++ {
			if !idle(i) {
				busy = append(busy, i)
			}
		}
		if len(busy) == 0 {
			busy = []int{done}
		}
		p.Fork("batch", len(busy), func(p *sim.Proc, i int) {
			if _, err := fn(p, busy[i]); err != nil && first == nil {
				first = err
			}
		})
		if first != nil {
			return first
		}
		done += batch
		batch = min(2*batch, count-done, MaxBatchSize)
	}
	return nil
}

// runForAll calls fn for each Pod: one after the other until it says to stop,
// or, if the order does not matter, for all.
func runForAll(p *sim.Proc, pods []*member, fn func(p *sim.Proc, i int) (bool, error), idle func(i int) bool, monotonic bool) (bool, error) {
	if !monotonic {
		err := slowStartBatch(p, 1, len(pods), fn, idle)
		return err != nil, err
	}
	for i := range pods {
		if shouldExit, err := fn(p, i); shouldExit || err != nil {
			return true, err
		}
	}
	return false, nil
}

// updateStatus counts Pods of lists into a status.
func updateStatus(status *appsv1.StatefulSetStatus, minReadySeconds int32, current, update *appsv1.ControllerRevision, now time.Time, lists ...[]*member) {
	status.Replicas, status.ReadyReplicas, status.AvailableReplicas, status.CurrentReplicas, status.UpdatedReplicas = 0, 0, 0, 0, 0
	for _, list := range lists {
		computeReplicaStatus(status, list, minReadySeconds, current, update, now)
	}
}

func computeReplicaStatus(status *appsv1.StatefulSetStatus, pods []*member, minReadySeconds int32, current, update *appsv1.ControllerRevision,
	now time.Time) {
	for _, m := range pods {
		if !m.created {
			continue
		}
		status.Replicas++
		if m.runningAndReady() {
			status.ReadyReplicas++
			if m.available(minReadySeconds, now) {
				status.AvailableReplicas++
			}
		}
		if m.terminating {
			continue
		}
		if m.revision == current.Name {
			status.CurrentReplicas++
		}
		if m.revision == update.Name {
			status.UpdatedReplicas++
		}
	}
}

// plan is one sync's view of a set.
type plan struct {
	set, updateSet *appsv1.StatefulSet
	monotonic      bool
	now            time.Time
	// replicas are the Pods of the ordinals that there are to be, by ordinal;
	// those that don't exist are planned. condemned are all others, the highest first.
	replicas, condemned []*member
	unplanned           int // ordinals that neither have a Pod nor are planned: see mostPlanned
	firstUnavailablePod *member
}

// mostPlanned is for how many Pods more than there are a sync has a plan at least, or for one if it makes no more. The Pods that it makes
// have the set looked at again, so all others come later. Upstream plans all at once, and a set of 2,000,000,000 takes the memory of
// kube-controller-manager.
const mostPlanned = 10_000

// newPlan finds the Pods of the ordinals that there are to be, and plans those that are missing.
func newPlan(set, currentSet, updateSet *appsv1.StatefulSet, current, update *appsv1.ControllerRevision, pods []*member, now time.Time) *plan {
	start, end := getStartOrdinal(set), getStartOrdinal(set)+int(*set.Spec.Replicas)
	s := &plan{set: set, updateSet: updateSet, monotonic: !allowsBurst(set), now: now}
	more := mostPlanned
	if s.monotonic {
		more = 1
	}
	planned := min(end-start, len(pods)+more)
	s.replicas = make([]*member, planned)
	var beyond []*member
	for _, m := range pods {
		switch {
		case m.ordinal >= start && m.ordinal < start+planned:
			s.replicas[m.ordinal-start] = m
		case m.ordinal >= start && m.ordinal < end:
			beyond = append(beyond, m)
		case m.ordinal >= 0:
			s.condemned = append(s.condemned, m)
		}
	}
	for i := range s.replicas {
		if s.replicas[i] == nil {
			s.replicas[i] = newMember(newVersionedStatefulSetPod(currentSet, updateSet, current.Name, update.Name, start+i))
		}
	}
	slices.SortStableFunc(beyond, func(a, b *member) int { return a.ordinal - b.ordinal })
	s.replicas = append(s.replicas, beyond...)
	s.unplanned = end - start - len(s.replicas)
	sortDescending(s.condemned)
	return s
}

// updateStatefulSet goes through the ordinals: it creates what is missing, then
// deletes what is too much, then replaces what is of an old revision. Of these a
// later one is not begun before an earlier one is done. With a status, even an
// error leaves something to write down.
func (ssc *defaultStatefulSetControl) updateStatefulSet(p *sim.Proc, set *appsv1.StatefulSet, current, update *appsv1.ControllerRevision, collisionCount int32,
	pods []*member, now time.Time) (*appsv1.StatefulSetStatus, error) {
	currentSet, err := ApplyRevision(set, current)
	if err != nil {
		return nil, err
	}
	updateSet, err := ApplyRevision(set, update)
	if err != nil {
		return nil, err
	}
	status := &appsv1.StatefulSetStatus{ObservedGeneration: set.Generation, CurrentRevision: current.Name, UpdateRevision: update.Name,
		CollisionCount: &collisionCount}
	s := newPlan(set, currentSet, updateSet, current, update, pods, now)
	if unavailable := s.findUnavailable(); unavailable > 0 {
		p.Logger().V(4).Info("StatefulSet has unavailable Pods", "statefulSet", controller.KObj(set), "unavailableReplicas", unavailable, "pod",
			s.firstUnavailablePod.name())
	}
	if set.DeletionTimestamp != nil {
		updateStatus(status, set.Spec.MinReadySeconds, current, update, now, pods)
		return status, nil // its Pods are the garbage collector's
	}

	for _, step := range []struct {
		pods []*member
		do   func(p *sim.Proc, i int) (bool, error)
		idle func(i int) bool
	}{
		{s.replicas, func(p *sim.Proc, i int) (bool, error) { return ssc.processReplica(p, s, i) }, s.idle(p.Logger().Enabled())},
		{s.condemned, func(p *sim.Proc, i int) (bool, error) { return ssc.fixPodClaim(p, s, i) }, never},
		{s.condemned, func(p *sim.Proc, i int) (bool, error) { return ssc.processCondemned(p, s, i) }, never},
	} {
		if shouldExit, err := runForAll(p, step.pods, step.do, step.idle, s.monotonic); shouldExit || err != nil {
			updateStatus(status, set.Spec.MinReadySeconds, current, update, now, s.replicas, s.condemned)
			return status, err
		}
	}
	updateStatus(status, set.Spec.MinReadySeconds, current, update, now, s.replicas, s.condemned)

	rolling := set.Spec.UpdateStrategy.RollingUpdate
	switch {
	case set.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType:
		return status, nil // whoever deletes a Pod gets a new one
	case rolling != nil && rolling.MaxUnavailable != nil:
		return ssc.updateStatefulSetAfterInvariantEstablished(p, s, update, status)
	}
	return ssc.replaceHighest(p, s, update, status)
}

// findUnavailable counts the Pods that are not available, and remembers the one
// of the lowest ordinal.
func (s *plan) findUnavailable() int {
	unavailable := s.unplanned
	look := func(m *member) {
		if m.unavailable(s.set.Spec.MinReadySeconds, s.now) {
			unavailable++
			if s.firstUnavailablePod == nil {
				s.firstUnavailablePod = m
			}
		}
	}
	for _, m := range s.replicas {
		look(m)
	}
	for i := len(s.condemned) - 1; i >= 0; i-- {
		look(s.condemned[i])
	}
	return unavailable
}

// partition is the lowest index among the replicas that an update reaches.
// Upstream compares the partition with indexes too, not with ordinals.
func (s *plan) partition() int {
	if r := s.set.Spec.UpdateStrategy.RollingUpdate; r != nil && r.Partition != nil {
		return int(*r.Partition)
	}
	return 0
}

// reached tells whether an update reaches one of the replicas.
func (s *plan) reached(target int) bool {
	return target >= 0 && s.replicas[target].ordinal-getStartOrdinal(s.set) >= s.partition()
}

func never(int) bool { return false }

// idle tells for which replicas processReplica has nothing to do when the order does not matter: those that run as they should, and those that
// will, of which only the log tells. What claims need is not known here.
func (s *plan) idle(logged bool) func(i int) bool {
	if len(s.set.Spec.VolumeClaimTemplates) > 0 {
		return never
	}
	return func(i int) bool {
		m := s.replicas[i]
		return (m.running || !logged && isPending(m.pod)) && m.identity && m.parent == s.set.Name
	}
}

// processReplica makes one ordinal what it is to be. true ends the sync, if order matters.
func (ssc *defaultStatefulSetControl) processReplica(p *sim.Proc, s *plan, i int) (bool, error) {
	log, m := p.Logger(), s.replicas[i]
	pod := m.pod
	// A Pod that ended is replaced, whatever its exit code: on the next sync, when its name is free.
	if isFailed(pod) || isSucceeded(pod) {
		if pod.DeletionTimestamp == nil {
			log.V(2).Info("Pod of StatefulSet has ended and is deleted", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod), "phase", pod.Status.Phase)
			return true, ssc.podControl.DeleteStatefulPod(p, s.set, pod)
		}
		return true, nil
	}
	if !m.created {
		if stale, err := ssc.podControl.PodClaimIsStale(s.set, pod); err != nil || stale {
			return true, err // its claim is being deleted, and has to be gone first
		}
		log.V(2).Info("Creating Pod of StatefulSet", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod), "revision", m.revision)
		if err := ssc.podControl.CreateStatefulPod(p, s.set, pod); err != nil {
			return true, err
		}
		if s.monotonic {
			return true, nil
		}
	}
	if isPending(pod) {
		log.V(4).Info("StatefulSet is triggering PVC creation for pending Pod", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod))
		if err := ssc.podControl.createMissingPersistentVolumeClaims(p, s.set, pod); err != nil {
			return true, err
		}
	}
	if s.monotonic {
		switch {
		case m.terminating:
			log.V(4).Info("StatefulSet is waiting for Pod to Terminate", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod))
			return true, nil
		case !m.runningAndReady():
			log.V(4).Info("StatefulSet is waiting for Pod to be Running and Ready", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod))
			return true, nil
		case !m.available(s.set.Spec.MinReadySeconds, s.now):
			log.V(4).Info("StatefulSet is waiting for Pod to be Available", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod))
			return true, nil
		}
	}
	if !m.created {
		return false, nil // just created, as it is to be
	}
	retentionMatch, err := ssc.podControl.ClaimsMatchRetentionPolicy(p, s.updateSet, pod)
	if err != nil {
		retentionMatch = true // expected while a Pod is not fully up to date
	}
	if identityMatches(s.set, pod) && storageMatches(s.set, pod) && retentionMatch {
		return false, nil
	}
	if err := ssc.podControl.UpdateStatefulPod(p, s.updateSet, pod.DeepCopy()); err != nil {
		return true, err
	}
	return false, nil
}

// fixPodClaim makes the claims of a Pod that is too much say who has them deleted.
func (ssc *defaultStatefulSetControl) fixPodClaim(p *sim.Proc, s *plan, i int) (bool, error) {
	match, err := ssc.podControl.ClaimsMatchRetentionPolicy(p, s.updateSet, s.condemned[i].pod)
	if err != nil {
		return true, err
	}
	if !match {
		if err := ssc.podControl.UpdatePodClaimForRetentionPolicy(p, s.updateSet, s.condemned[i].pod); err != nil {
			return true, err
		}
	}
	return false, nil
}

// processCondemned deletes a Pod that is too much. In order, one at a time, and
// none while another is not available, unless it is that one.
func (ssc *defaultStatefulSetControl) processCondemned(p *sim.Proc, s *plan, i int) (bool, error) {
	log, m := p.Logger(), s.condemned[i]
	pod := m.pod
	if m.terminating {
		if s.monotonic {
			log.V(4).Info("StatefulSet is waiting for Pod to Terminate prior to scale down", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod))
		}
		return s.monotonic, nil
	}
	if s.monotonic && m != s.firstUnavailablePod {
		switch {
		case !m.runningAndReady():
			log.V(4).Info("StatefulSet is waiting for Pod to be Running and Ready prior to scale down", "statefulSet", controller.KObj(s.set), "pod",
				s.firstUnavailablePod.name())
			return true, nil
		case !m.available(s.set.Spec.MinReadySeconds, s.now):
			log.V(4).Info("StatefulSet is waiting for Pod to be Available prior to scale down", "statefulSet", controller.KObj(s.set), "pod",
				s.firstUnavailablePod.name())
			return true, nil
		}
	}
	log.V(2).Info("Pod of StatefulSet is terminating for scale down", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod))
	return true, ssc.podControl.DeleteStatefulPod(p, s.set, pod)
}

// replaceHighest deletes the Pod of the highest ordinal that is of an old
// revision, unless one above it, already new, is not available: so an update
// whose first Pod does not come up goes no further, even when it is called off;
// then somebody has to delete that Pod. Upstream: updateStatefulSet, its end.
func (ssc *defaultStatefulSetControl) replaceHighest(p *sim.Proc, s *plan, update *appsv1.ControllerRevision,
	status *appsv1.StatefulSetStatus) (*appsv1.StatefulSetStatus, error) {
	log := p.Logger()
	for target := len(s.replicas) - 1; s.reached(target); target-- {
		m := s.replicas[target]
		pod := m.pod
		if m.revision != update.Name && !m.terminating {
			log.V(2).Info("Pod of StatefulSet is terminating for update", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod),
				"revision", m.revision, "updateRevision", update.Name, "partition", s.partition())
			if err := ssc.podControl.DeleteStatefulPod(p, s.set, pod); err != nil && !apierrors.IsNotFound(err) {
				return status, err
			}
			status.CurrentReplicas--
			return status, nil
		}
		if m.unavailable(s.set.Spec.MinReadySeconds, s.now) {
			log.V(4).Info("StatefulSet is waiting for Pod to update", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod))
			return status, nil
		}
	}
	return status, nil
}

// updateStatefulSetAfterInvariantEstablished is replaceHighest for as many Pods
// as maxUnavailable allows at once.
func (ssc *defaultStatefulSetControl) updateStatefulSetAfterInvariantEstablished(p *sim.Proc, s *plan, update *appsv1.ControllerRevision,
	status *appsv1.StatefulSetStatus) (*appsv1.StatefulSetStatus, error) {
	log := p.Logger()
	maxUnavailable, err := getStatefulSetMaxUnavailable(s.set.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable, int(*s.set.Spec.Replicas))
	if err != nil {
		return status, err
	}
	unavailablePods := s.unplanned
	for _, m := range s.replicas {
		if m.unavailable(s.set.Spec.MinReadySeconds, s.now) {
			unavailablePods++
		}
	}
	podsToDelete := maxUnavailable - unavailablePods
	log.V(4).Info("StatefulSet's unavailable Pods", "statefulSet", controller.KObj(s.set), "unavailablePods", unavailablePods, "maxUnavailable", maxUnavailable,
		"podsToDelete", podsToDelete)
	for target, deleted := len(s.replicas)-1, 0; s.reached(target) && deleted < podsToDelete; target-- {
		m := s.replicas[target]
		pod := m.pod
		if m.revision == update.Name || m.terminating {
			continue
		}
		log.V(2).Info("StatefulSet terminating Pod for update", "statefulSet", controller.KObj(s.set), "pod", controller.KObj(pod))
		if err := ssc.podControl.DeleteStatefulPod(p, s.set, pod); err != nil && !apierrors.IsNotFound(err) {
			return status, err
		}
		deleted++
		status.CurrentReplicas--
	}
	return status, nil
}
