// Package status keeps the API server's idea of the node's Pods up to date.
//
// Manager holds each Pod's newest status. Whoever learns something sets it and
// goes on; a process of its own writes it out, as a patch of what differs from
// the Pod that the server has. Guarantees: statuses of a Pod reach the server in
// order, though some may be skipped; a terminal phase is not reported while a
// container may still run; a Pod that is being deleted is removed (DELETE with
// grace 0 and the Pod's UID) only after its last status is written, when nothing
// of it is left on the node. So "gone from the API" means "gone from the node".
//
// Upstream: pkg/kubelet/status.
package status

import (
	"sort"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/mailbox"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// syncPeriod is how often all statuses are compared with what the server has.
const syncPeriod = 10 * time.Second

// PodManager knows the Pods that the API server has for this node.
type PodManager interface {
	GetPodByUID(uid types.UID) (*corev1.Pod, bool)
	// InAPI is what the API server has of a Pod: itself, or of a static Pod its mirror; nil if there is none.
	InAPI(pod *corev1.Pod) *corev1.Pod
}

// PodDeletionSafetyProvider tells when a Pod may be reported as ended.
type PodDeletionSafetyProvider interface {
	PodCouldHaveRunningContainers(pod *corev1.Pod) bool
}

// versioned is a status and how many there were before it.
type versioned struct {
	version       uint64
	name, ns      string
	status        corev1.PodStatus
	podIsFinished bool
	cause         trace.ID
	// agrees is the Pod of the API that was found to have this status, so that it
	// need not be compared again.
	agrees *corev1.Pod
}

// Manager is the status manager.
type Manager struct {
	kernel     *sim.Kernel
	client     *client.Clientset
	pods       PodManager
	safety     PodDeletionSafetyProvider
	statuses   map[types.UID]*versioned
	apiVersion map[types.UID]uint64 // the newest version that was written
	changed    *mailbox.Box[types.UID]
}

// New returns a manager without statuses.
func New(k *sim.Kernel, cs *client.Clientset, pods PodManager, safety PodDeletionSafetyProvider) *Manager {
	return &Manager{kernel: k, client: cs, pods: pods, safety: safety,
		statuses: map[types.UID]*versioned{}, apiVersion: map[types.UID]uint64{}, changed: mailbox.New[types.UID](k)}
}

// Run is the manager's process: it writes what has changed, and everything
// that differs every 10 s. Upstream: manager.Start.
func (m *Manager) Run(p *sim.Proc) {
	start := m.kernel.Cause()
	next := p.Now() + syncPeriod
	for {
		if uid, ok := m.changed.GetUntil(p, next); ok {
			m.syncOne(p, uid)
			continue
		}
		m.kernel.Because(start, func() { m.syncAll(p) })
		next = p.Now() + syncPeriod
	}
}

// GetPodStatus returns a Pod's newest status. It must not be changed.
func (m *Manager) GetPodStatus(uid types.UID) (corev1.PodStatus, bool) {
	if v := m.statuses[uid]; v != nil {
		return v.status, true
	}
	return corev1.PodStatus{}, false
}

// Phase is the phase in a Pod's newest status; "" when there is none.
func (m *Manager) Phase(uid types.UID) corev1.PodPhase {
	if v := m.statuses[uid]; v != nil {
		return v.status.Phase
	}
	return ""
}

// SetPodStatus stores a Pod's status; it will be written soon.
func (m *Manager) SetPodStatus(pod *corev1.Pod, status corev1.PodStatus) {
	m.update(pod, status, pod.DeletionTimestamp != nil, false)
}

// SetContainerReadiness changes a container's readiness, and the conditions
// with it. Upstream: manager.SetContainerReadiness.
func (m *Manager) SetContainerReadiness(log sim.Logger, uid types.UID, containerID string, ready bool) {
	m.setContainer(log, uid, containerID, func(s *corev1.ContainerStatus) bool {
		changed := s.Ready != ready
		s.Ready = ready
		return changed
	})
}

// SetContainerStartup notes whether a container's startup probe has succeeded.
func (m *Manager) SetContainerStartup(log sim.Logger, uid types.UID, containerID string, started bool) {
	m.setContainer(log, uid, containerID, func(s *corev1.ContainerStatus) bool {
		changed := s.Started == nil || *s.Started != started
		s.Started = &started
		return changed
	})
}

func (m *Manager) setContainer(log sim.Logger, uid types.UID, containerID string, set func(*corev1.ContainerStatus) bool) {
	pod, ok := m.pods.GetPodByUID(uid)
	if !ok {
		return
	}
	old, ok := m.GetPodStatus(uid)
	if !ok {
		log.V(0).Info("Container readiness changed before pod has synced", "pod", container.PodKey(pod))
		return
	}
	status := *old.DeepCopy()
	changed := false
	for _, list := range [][]corev1.ContainerStatus{status.InitContainerStatuses, status.ContainerStatuses} {
		for i := range list {
			if list[i].ContainerID == containerID && containerID != "" {
				changed = set(&list[i])
			}
		}
	}
	if !changed {
		return
	}
	all := append(append([]corev1.ContainerStatus{}, status.InitContainerStatuses...), status.ContainerStatuses...)
	replaceCondition(&status, GeneratePodReadyCondition(pod, pod.Status.Conditions, all, status.Phase))
	replaceCondition(&status, GenerateContainersReadyCondition(pod, all, status.Phase))
	m.update(pod, status, false, false)
}

func replaceCondition(status *corev1.PodStatus, c corev1.PodCondition) {
	if old := FindCondition(status.Conditions, c.Type); old != nil {
		*old = c
		return
	}
	status.Conditions = append(status.Conditions, c)
}

// SetSandboxReady reports that a Pod's network is there, while its images are
// still being pulled. Upstream: kubelet.go OnPodSandboxReady.
func (m *Manager) SetSandboxReady(pod *corev1.Pod) {
	status, ok := m.GetPodStatus(pod.UID)
	if !ok {
		status = pod.Status
	}
	status = *status.DeepCopy()
	replaceCondition(&status, corev1.PodCondition{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionTrue, ObservedGeneration: pod.Generation})
	m.SetPodStatus(pod, status)
}

// TerminatePod settles the status of a Pod of which nothing runs any more:
// what isn't known to have ended has ended for an unknown reason, and the phase
// becomes terminal. From here on the Pod may be removed from the API.
// Upstream: manager.TerminatePod.
func (m *Manager) TerminatePod(log sim.Logger, pod *corev1.Pod) {
	status, ok := m.GetPodStatus(pod.UID)
	if !ok {
		status = pod.Status
	}
	status = *status.DeepCopy()
	if !initializedContainers(pod, &status) {
		// Init containers that failed, or never ended: the others never began.
		settle(status.InitContainerStatuses, false)
		settle(status.ContainerStatuses, true)
	} else {
		settle(status.InitContainerStatuses, false)
		settle(status.ContainerStatuses, false)
	}
	switch status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed:
	default:
		log.V(3).Info("Marking terminal pod as failed", "oldPhase", string(status.Phase), "pod", container.PodKey(pod))
		status.Phase = corev1.PodFailed
	}
	log.V(5).Info("TerminatePod calling updateStatusInternal", "pod", container.PodKey(pod))
	m.update(pod, status, true, true)
}

func initializedContainers(pod *corev1.Pod, status *corev1.PodStatus) bool {
	if len(pod.Spec.InitContainers) == 0 {
		return true
	}
	for i := range status.ContainerStatuses {
		s := &status.ContainerStatuses[i]
		if s.LastTerminationState.Terminated != nil || s.State.Waiting == nil {
			return true
		}
	}
	last := &status.InitContainerStatuses
	if n := len(*last); n > 0 {
		s := &(*last)[n-1]
		return s.State.Running != nil || (s.State.Terminated != nil && s.State.Terminated.ExitCode == 0)
	}
	return false
}

func settle(list []corev1.ContainerStatus, neverBegan bool) {
	for i := range list {
		s := &list[i]
		if s.State.Terminated != nil || (neverBegan && s.State.Waiting != nil) {
			continue
		}
		s.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "ContainerStatusUnknown", Message: "The container could not be located when the pod was terminated", ExitCode: 137,
		}}
	}
}

// update stores a status if it differs from the one before.
// Upstream: manager.updateStatusInternal.
func (m *Manager) update(pod *corev1.Pod, status corev1.PodStatus, force, podIsFinished bool) {
	cached := m.statuses[pod.UID]
	old := pod.Status
	if cached != nil {
		old = cached.status
	}
	if cached != nil && cached.podIsFinished {
		podIsFinished = true
	}
	now := metav1.NewTime(m.kernel.Time())
	for i := range status.Conditions {
		c := &status.Conditions[i]
		if !ConditionByKubelet(c.Type) {
			continue
		}
		c.LastTransitionTime = now
		if before := FindCondition(old.Conditions, c.Type); before != nil && before.Status == c.Status {
			c.LastTransitionTime = before.LastTransitionTime
		}
	}
	status.ObservedGeneration = pod.Generation
	if old.StartTime != nil && !old.StartTime.IsZero() {
		status.StartTime = old.StartTime
	} else if status.StartTime == nil {
		status.StartTime = &now
	}
	normalize(&status)
	if cached != nil && !force && equal(&cached.status, &status) && cached.podIsFinished == podIsFinished {
		return
	}
	v := &versioned{version: 1, name: pod.Name, ns: pod.Namespace, status: status, podIsFinished: podIsFinished, cause: m.kernel.Cause()}
	if cached != nil {
		v.version = cached.version + 1
	}
	m.statuses[pod.UID] = v
	m.changed.Put(pod.UID)
}

// normalize rounds times to the second, as they come back from the server.
// Upstream: normalizeStatus.
func normalize(status *corev1.PodStatus) {
	round := func(t *metav1.Time) {
		if !t.IsZero() {
			*t = t.Rfc3339Copy()
		}
	}
	if status.StartTime != nil {
		t := status.StartTime.Rfc3339Copy()
		status.StartTime = &t
	}
	for i := range status.Conditions {
		round(&status.Conditions[i].LastProbeTime)
		round(&status.Conditions[i].LastTransitionTime)
	}
	state := func(s *corev1.ContainerState) {
		if s.Running != nil {
			round(&s.Running.StartedAt)
		}
		if s.Terminated != nil {
			round(&s.Terminated.StartedAt)
			round(&s.Terminated.FinishedAt)
		}
	}
	for _, list := range [][]corev1.ContainerStatus{status.InitContainerStatuses, status.ContainerStatuses, status.EphemeralContainerStatuses} {
		for i := range list {
			state(&list[i].State)
			state(&list[i].LastTerminationState)
		}
	}
	sort.SliceStable(status.ContainerStatuses, func(i, j int) bool {
		return status.ContainerStatuses[i].Name < status.ContainerStatuses[j].Name
	})
}

func equal(a, b *corev1.PodStatus) bool { return api.SemanticDeepEqual(a, b) }

// RemoveOrphanedStatuses forgets Pods that are no longer there.
func (m *Manager) RemoveOrphanedStatuses(known func(types.UID) bool) {
	for uid := range m.statuses { // order: deleting has none
		if !known(uid) {
			delete(m.statuses, uid)
			delete(m.apiVersion, uid)
		}
	}
}

func (m *Manager) syncOne(p *sim.Proc, uid types.UID) {
	v := m.statuses[uid]
	if v == nil || !m.needsUpdate(uid, v) {
		return
	}
	p.Due(v.cause)
	m.syncPod(p, uid, v)
}

// syncAll writes what was not written yet, and what somebody else has changed.
// Upstream: manager.syncBatch with all set.
func (m *Manager) syncAll(p *sim.Proc) {
	uids := make([]types.UID, 0, len(m.statuses))
	for uid := range m.statuses {
		uids = append(uids, uid)
	}
	sort.Slice(uids, func(i, j int) bool { return uids[i] < uids[j] })
	for _, uid := range uids {
		v := m.statuses[uid]
		if v == nil {
			continue
		}
		if m.needsUpdate(uid, v) {
			m.kernel.Because(v.cause, func() { m.syncPod(p, uid, v) })
		} else if m.needsReconcile(uid, v) {
			delete(m.apiVersion, uid)
			m.syncPod(p, uid, v)
		}
	}
}

func (m *Manager) needsUpdate(uid types.UID, v *versioned) bool {
	pod, ok := m.pods.GetPodByUID(uid)
	if ok && m.pods.InAPI(pod) == nil {
		return false // a static Pod without a mirror
	}
	if latest, ok := m.apiVersion[uid]; !ok || latest < v.version {
		return true
	}
	return ok && m.canBeDeleted(pod, v.status.Phase, v.podIsFinished)
}

// needsReconcile tells whether the Pod in the API has another status than the
// kubelet gave it. Upstream: manager.needsReconcile.
func (m *Manager) needsReconcile(uid types.UID, v *versioned) bool {
	pod, ok := m.pods.GetPodByUID(uid)
	if ok {
		pod = m.pods.InAPI(pod)
	}
	if pod == nil || v.agrees == pod {
		return false
	}
	if !equal(&pod.Status, &v.status) { // mostly they are, down to what is others' business
		in := *pod.Status.DeepCopy()
		normalize(&in)
		if !equalByKubelet(&in, &v.status) {
			return true
		}
	}
	v.agrees = pod
	return false
}

// equalByKubelet leaves out the conditions that are others' business.
func equalByKubelet(a, b *corev1.PodStatus) bool {
	own := func(s *corev1.PodStatus) *corev1.PodStatus {
		out := *s
		out.Conditions = nil
		for _, c := range s.Conditions {
			if ConditionByKubelet(c.Type) {
				out.Conditions = append(out.Conditions, c)
			}
		}
		sort.SliceStable(out.Conditions, func(i, j int) bool { return out.Conditions[i].Type < out.Conditions[j].Type })
		return &out
	}
	return equal(own(a), own(b))
}

// syncPod writes one status, and deletes the Pod if that was the last one.
// Upstream: manager.syncPod.
func (m *Manager) syncPod(p *sim.Proc, uid types.UID, v *versioned) {
	log := p.Logger().WithValues("pod", v.ns+"/"+v.name)
	pods := m.client.CoreV1().Pods(v.ns)
	pod, err := pods.Get(p, v.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		log.V(3).Info("Pod does not exist on the server")
		return // RemoveOrphanedStatuses will forget it
	}
	if err != nil {
		log.Error(err, "Failed to get status for pod")
		return
	}
	mirror := pod.Annotations[corev1.MirrorPodAnnotationKey] // the UID of the static Pod that it stands for
	if pod.UID != uid && mirror != string(uid) {
		log.V(2).Info("Pod was deleted and then recreated, skipping status update", "oldPodUID", uid, "podUID", pod.UID)
		delete(m.statuses, uid)
		delete(m.apiVersion, uid)
		return
	}
	merged := mergePodStatus(&pod.Status, &v.status, m.safety.PodCouldHaveRunningContainers(pod), metav1.NewTime(p.Time()))
	// The UID is there so that it can't hit another Pod of that name. Upstream: pkg/util/pod/pod.go, preparePatchBytesForPodStatus.
	if patch := strategicpatch.NewStatus(pod, merged, pod.UID); patch != nil {
		updated, err := pods.PatchStatus(p, v.name, patch, metav1.PatchOptions{})
		if err != nil {
			log.Error(err, "Failed to update status for pod")
			return
		}
		pod = updated
		log.V(3).Info("Status for pod updated successfully", "statusVersion", v.version, "phase", string(pod.Status.Phase))
	}
	m.apiVersion[uid] = v.version

	if mirror == "" && m.canBeDeleted(pod, pod.Status.Phase, v.podIsFinished) {
		zero := int64(0)
		if err := pods.Delete(p, v.name, metav1.DeleteOptions{GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &uid}}); err != nil {
			log.V(0).Info("Failed to delete status for pod", "err", err)
			return
		}
		log.V(3).Info("Pod fully terminated and removed from etcd")
		delete(m.statuses, uid)
		delete(m.apiVersion, uid)
	}
}

// canBeDeleted: only a Pod that somebody wants deleted, that the API knows to
// have ended, and of which nothing is left here. Upstream: manager.canBeDeleted.
func (m *Manager) canBeDeleted(pod *corev1.Pod, phase corev1.PodPhase, podIsFinished bool) bool {
	return pod.DeletionTimestamp != nil && isTerminal(phase) && podIsFinished
}

func isTerminal(phase corev1.PodPhase) bool {
	return phase == corev1.PodSucceeded || phase == corev1.PodFailed
}
