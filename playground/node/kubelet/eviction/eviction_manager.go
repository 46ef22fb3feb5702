// Package eviction ends Pods before their node runs out of memory or disk.
//
// Every ten seconds it compares what is left with its thresholds. While one is
// met, and for five minutes after, the node has the condition of pressure: it
// admits no new Pods that would make it worse, and the scheduler is told. Then
// it takes back what no Pod needs (dead containers, unused images), and if that
// isn't enough, one Pod: of those that use more than they asked for the one with
// the lowest priority, and among equals the one that is furthest above its request.
//
// Guarantees: one Pod at most in each round; a critical Pod is never chosen.
// Absent: soft thresholds, inodes, process IDs, swap.
//
// Upstream: pkg/kubelet/eviction.
package eviction

import (
	"sort"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/sim"
)

// Signal is what is measured.
type Signal string

// Upstream: pkg/kubelet/eviction/api/types.go.
const (
	SignalMemoryAvailable  Signal = "memory.available"
	SignalNodeFsAvailable  Signal = "nodefs.available"
	SignalImageFsAvailable Signal = "imagefs.available"
)

// Defaults of the kubelet's configuration.
const (
	monitoringInterval       = 10 * time.Second
	PressureTransitionPeriod = 5 * time.Minute
	HardMemory               = 100 << 20 // memory.available<100Mi
	HardNodeFsPercent        = 10        // nodefs.available<10%
	HardImageFsPercent       = 15        // imagefs.available<15%
)

// Reason is the reason of an evicted Pod's status, and of the Event.
// Upstream: helpers.go.
const Reason = "Evicted"

// Usage is what one container uses.
type Usage struct {
	Container    string
	Memory, Disk int64 // bytes
}

// PodUsage is what a Pod uses.
type PodUsage struct {
	Pod        *corev1.Pod
	Containers []Usage
	Volumes    int64 // bytes in emptyDir volumes
}

func (u *PodUsage) memory() (n int64) {
	for _, c := range u.Containers {
		n += c.Memory
	}
	return n
}

func (u *PodUsage) disk() int64 {
	n := u.Volumes
	for _, c := range u.Containers {
		n += c.Disk
	}
	return n
}

// Summary is what the node uses at a moment. Upstream: the stats summary API.
type Summary struct {
	MemoryCapacity, MemoryAvailable int64
	DiskCapacity, DiskAvailable     int64
	Pods                            []PodUsage // those that are active
}

// Host is what the manager needs from the kubelet.
type Host interface {
	// Summary is nil while nothing can be known. Pods are only listed if they are asked for.
	Summary(pods bool) *Summary
	// ReclaimDisk removes dead containers and unused images.
	ReclaimDisk(p *sim.Proc)
	// EvictPod ends a Pod with a status. It doesn't wait.
	EvictPod(p *sim.Proc, pod *corev1.Pod, message string, grace int64, condition corev1.PodCondition)
}

// Manager is the eviction manager.
type Manager struct {
	host     Host
	recorder container.EventRecorder
	// observed is when a condition was last true.
	observed map[corev1.NodeConditionType]time.Duration
	now      map[corev1.NodeConditionType]bool
}

// New returns a manager of a node without pressure.
func New(host Host, recorder container.EventRecorder) *Manager {
	return &Manager{host: host, recorder: recorder, observed: map[corev1.NodeConditionType]time.Duration{}, now: map[corev1.NodeConditionType]bool{}}
}

// IsUnder tells whether the node has a condition of pressure.
func (m *Manager) IsUnder(t corev1.NodeConditionType) bool { return m.now[t] }

// Run is the manager's process.
func (m *Manager) Run(p *sim.Proc) {
	k, start := p.Kernel(), p.Kernel().Cause()
	for {
		p.Sleep(monitoringInterval)
		k.Because(start, func() { m.synchronize(p) })
	}
}

// threshold is one bound and what is left.
type threshold struct {
	signal     Signal
	condition  corev1.NodeConditionType
	resource   corev1.ResourceName
	limit      int64 // bytes
	percentage string
	available  int64
}

func thresholds(s *Summary) []threshold {
	return []threshold{
		{SignalMemoryAvailable, corev1.NodeMemoryPressure, corev1.ResourceMemory, HardMemory, "", s.MemoryAvailable},
		{SignalNodeFsAvailable, corev1.NodeDiskPressure, corev1.ResourceEphemeralStorage, s.DiskCapacity / 100 * HardNodeFsPercent, "10%", s.DiskAvailable},
		{SignalImageFsAvailable, corev1.NodeDiskPressure, corev1.ResourceEphemeralStorage, s.DiskCapacity / 100 * HardImageFsPercent, "15%", s.DiskAvailable},
	}
}

// synchronize is one round. Upstream: eviction_manager.go synchronize.
func (m *Manager) synchronize(p *sim.Proc) {
	s := m.host.Summary(false)
	if s == nil {
		return
	}
	var met []threshold
	for _, t := range thresholds(s) {
		if t.limit > 0 && t.available < t.limit {
			met = append(met, t)
			m.observed[t.condition] = p.Now()
			p.Logger().V(3).Info("Eviction manager: threshold met", "signal", string(t.signal), "available", t.available, "threshold", t.limit)
		}
	}
	for _, c := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure} {
		at, ever := m.observed[c]
		under := ever && (p.Now() == at || p.Now()-at < PressureTransitionPeriod)
		if under != m.now[c] {
			p.Logger().V(3).Info("Eviction manager: node conditions - transition period not met", "condition", string(c), "pressure", under)
		}
		m.now[c] = under
	}
	if len(met) == 0 {
		return
	}
	// Memory comes first: it runs out sooner. Upstream: byEvictionPriority.
	t := met[0]
	p.Logger().Info("Eviction manager: attempting to reclaim", "resourceName", string(t.resource))
	if t.resource == corev1.ResourceEphemeralStorage {
		m.host.ReclaimDisk(p)
		if s = m.host.Summary(false); s == nil {
			return
		}
		for _, again := range thresholds(s) {
			if again.signal == t.signal && again.available >= again.limit {
				p.Logger().Info("Eviction manager: able to reduce resource pressure without evicting pods.", "resourceName", string(t.resource))
				return
			}
		}
	}
	if s = m.host.Summary(true); s == nil {
		return
	}
	active := s.Pods
	if len(active) == 0 {
		p.Logger().Error(nil, "Eviction manager: eviction thresholds have been met, but no pods are active to evict")
		return
	}
	rank(active, t.resource)
	var names []string
	for _, u := range active {
		names = append(names, container.PodKey(u.Pod))
	}
	p.Logger().Info("Eviction manager: must evict pod(s) to reclaim", "resourceName", string(t.resource))
	p.Logger().Info("Eviction manager: pods ranked for eviction", "pods", strings.Join(names, " "))
	for i := range active {
		u := &active[i]
		if Critical(u.Pod) {
			p.Logger().Error(nil, "Eviction manager: cannot evict a critical pod", "pod", container.PodKey(u.Pod))
			continue
		}
		m.evict(p, u, t)
		return
	}
	p.Logger().Info("Eviction manager: unable to evict any pods from the node")
}

// evict ends one Pod. Upstream: eviction_manager.go evictPod.
func (m *Manager) evict(p *sim.Proc, u *PodUsage, t threshold) {
	message := evictionMessage(u, t)
	m.recorder.Eventf(container.PodReference(u.Pod), corev1.EventTypeWarning, Reason, "%s", message)
	p.Logger().Info("Eviction manager: pod is evicted successfully", "pod", container.PodKey(u.Pod))
	m.host.EvictPod(p, u.Pod, message, 1, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonTerminationByKubelet, Message: message,
		LastTransitionTime: metav1.NewTime(p.Time()), ObservedGeneration: u.Pod.Generation,
	})
}

// evictionMessage says of what there was too little, and who used more of it
// than it had asked for. Upstream: helpers.go evictionMessage.
func evictionMessage(u *PodUsage, t threshold) string {
	limit := t.percentage
	if limit == "" {
		limit = resource.NewQuantity(t.limit, resource.BinarySI).String()
	}
	text := "The node was low on resource: " + string(t.resource) + ". Threshold quantity: " + limit +
		", available: " + resource.NewQuantity(t.available>>10<<10, resource.BinarySI).String() + ". "
	for _, c := range u.Containers {
		used := c.Memory
		if t.resource == corev1.ResourceEphemeralStorage {
			used = c.Disk
		}
		request := resource.Quantity{Format: resource.DecimalSI}
		for i := range u.Pod.Spec.Containers {
			if spec := &u.Pod.Spec.Containers[i]; spec.Name == c.Container {
				if q, ok := spec.Resources.Requests[t.resource]; ok {
					request = q
				}
			}
		}
		if used > request.Value() {
			text += "Container " + c.Container + " was using " + resource.NewQuantity(used>>10<<10, resource.BinarySI).String() +
				", request is " + request.String() + ", has larger consumption of " + string(t.resource) + ". "
		}
	}
	return text
}

// rank puts first who goes first: who exceeds its request, the lower priority,
// the more above the request. Upstream: helpers.go rankMemoryPressure, rankDiskPressureFunc.
func rank(pods []PodUsage, r corev1.ResourceName) {
	used := func(u *PodUsage) int64 {
		if r == corev1.ResourceMemory {
			return u.memory()
		}
		return u.disk()
	}
	over := func(u *PodUsage) int64 {
		n := used(u)
		for i := range u.Pod.Spec.Containers {
			q := u.Pod.Spec.Containers[i].Resources.Requests[r]
			n -= q.Value()
		}
		return n
	}
	sort.SliceStable(pods, func(i, j int) bool {
		a, b := &pods[i], &pods[j]
		if x, y := over(a) > 0, over(b) > 0; x != y {
			return x
		}
		if x, y := priority(a.Pod), priority(b.Pod); x != y {
			return x < y
		}
		return over(a) > over(b)
	})
}

func priority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// systemCriticalPriority is the priority from which on a Pod is critical.
// Upstream: pkg/apis/scheduling/types.go SystemCriticalPriority.
const systemCriticalPriority = 2_000_000_000

// Critical tells whether a node may not do without a Pod.
// Upstream: pkg/kubelet/types/pod_update.go IsCriticalPod.
func Critical(pod *corev1.Pod) bool { return priority(pod) >= systemCriticalPriority }

// Admit tells whether a new Pod may come while the node is under pressure.
// Upstream: eviction_manager.go Admit.
func (m *Manager) Admit(pod *corev1.Pod, qos corev1.PodQOSClass) (ok bool, message string) {
	if !m.now[corev1.NodeMemoryPressure] && !m.now[corev1.NodeDiskPressure] || Critical(pod) {
		return true, ""
	}
	if m.now[corev1.NodeMemoryPressure] && !m.now[corev1.NodeDiskPressure] {
		if qos != corev1.PodQOSBestEffort {
			return true, ""
		}
		taint := corev1.Taint{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule}
		for i := range pod.Spec.Tolerations {
			if pod.Spec.Tolerations[i].ToleratesTaint(&taint) {
				return true, ""
			}
		}
	}
	var conditions []string
	for _, c := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure} {
		if m.now[c] {
			conditions = append(conditions, string(c))
		}
	}
	return false, "The node had condition: [" + strings.Join(conditions, " ") + "]. "
}
