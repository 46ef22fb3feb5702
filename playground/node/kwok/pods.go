package kwok

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// pool is a node's Pods and their addresses.
type pool struct {
	prefix string
	used   [4]uint64 // bit i: address i
	next   int       // where to look first
	pods   map[string]*corev1.Pod
}

func newPool(cidr string) pool { return pool{prefix: Prefix(cidr), next: 2} }

func (p *pool) index(ip string) int {
	last, ok := strings.CutPrefix(ip, p.prefix)
	i, err := strconv.Atoi(last)
	if !ok || err != nil || i < 0 || i > 255 {
		return -1
	}
	return i
}

func (p *pool) take(ip string) {
	if i := p.index(ip); i >= 0 {
		p.used[i/64] |= 1 << (i % 64)
	}
}

func (p *pool) free(ip string) {
	if i := p.index(ip); i >= 0 {
		p.used[i/64] &^= 1 << (i % 64)
	}
}

// get takes the next free address: 0 and 255 have a meaning of their own, 1 is
// the node's. "" when there is none.
func (p *pool) get() string {
	for range 256 {
		i := p.next
		if p.next++; p.next > 254 {
			p.next = 2
		}
		if p.used[i/64]&(1<<(i%64)) == 0 {
			ip := p.prefix + strconv.Itoa(i)
			p.take(ip)
			return ip
		}
	}
	return ""
}

// store is the Pods on hollow nodes, as the reflector fills it.
type store struct{ c *Controller }

func keyOf(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// Add implements cache.ReflectorStore.
func (s store) Add(obj any) error { return s.Update(obj) }

// Update implements cache.ReflectorStore.
func (s store) Update(obj any) error {
	pod := obj.(*corev1.Pod)
	n := s.c.nodes[pod.Spec.NodeName]
	if n == nil {
		return nil
	}
	key := keyOf(pod)
	if n.pool.pods == nil {
		n.pool.pods = map[string]*corev1.Pod{}
	}
	n.pool.pods[key] = pod
	n.pool.take(pod.Status.PodIP)
	if !n.down && stageOf(pod) != "" {
		s.c.pods.put(pod.Spec.NodeName + " " + key)
	}
	return nil
}

// Delete implements cache.ReflectorStore.
func (s store) Delete(obj any) error {
	pod := obj.(*corev1.Pod)
	if n := s.c.nodes[pod.Spec.NodeName]; n != nil {
		delete(n.pool.pods, keyOf(pod))
		n.pool.free(pod.Status.PodIP)
	}
	return nil
}

// Replace implements cache.ReflectorStore.
func (s store) Replace(list []any, _ string) error {
	for _, n := range s.c.order {
		n.pool.pods, n.pool.used = nil, [4]uint64{}
	}
	for _, obj := range list {
		if err := s.Update(obj); err != nil {
			return err
		}
	}
	return nil
}

// Resync implements cache.ReflectorStore.
func (s store) Resync() error { return nil }

// The stages that a Pod may be due to. Upstream: kustomize/stage/pod/fast.
const (
	podReady    = "pod-ready"
	podComplete = "pod-complete"
	podDelete   = "pod-delete"
)

// stageOf is the stage that a Pod is due to; "" for none.
func stageOf(pod *corev1.Pod) string {
	switch {
	case pod.DeletionTimestamp != nil:
		if len(pod.Finalizers) == 0 {
			return podDelete
		}
	case pod.Status.PodIP == "" && pod.Status.Phase == corev1.PodPending:
		return podReady
	case pod.Status.Phase == corev1.PodRunning && ofJob(pod):
		return podComplete
	}
	return ""
}

func ofJob(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.OwnerReferences, func(o metav1.OwnerReference) bool { return o.Kind == "Job" })
}

// playPod does for a Pod what it is due to. key is "node namespace/name".
func (c *Controller) playPod(p *sim.Proc, key string) {
	name, key, _ := strings.Cut(key, " ")
	n := c.nodes[name]
	pod := n.pool.pods[key]
	if pod == nil || n.down {
		return
	}
	var err error
	switch stage := stageOf(pod); stage {
	case podDelete:
		zero := int64(0)
		err = c.client.CoreV1().Pods(pod.Namespace).Delete(p, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &zero,
			Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	case podReady, podComplete:
		var patch []byte
		var status map[string]any
		if stage == podReady {
			status = c.running(p, n, pod)
		} else {
			status = completed(p, pod)
		}
		if patch, err = json.Marshal(map[string]any{"status": status}); err == nil {
			_, err = c.client.CoreV1().Pods(pod.Namespace).Patch(p, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		}
	}
	switch {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err):
	default:
		p.Logger().Error(err, "Failed to play stage", "pod", key, "node", name)
		c.again(c.pods, name+" "+key, retryAfter)
	}
}

// running is the status that KWOK gives a Pod at once. Upstream: kustomize/stage/pod/fast/pod-ready.yaml.
func (c *Controller) running(p *sim.Proc, n *node, pod *corev1.Pod) map[string]any {
	now := metav1.NewTime(p.Time()).Rfc3339Copy()
	condition := func(t corev1.PodConditionType) map[string]any {
		return map[string]any{"type": t, "status": corev1.ConditionTrue, "lastTransitionTime": now}
	}
	conditions := []map[string]any{condition(corev1.PodInitialized), condition(corev1.PodReady), condition(corev1.ContainersReady)}
	for _, gate := range pod.Spec.ReadinessGates {
		conditions = append(conditions, condition(gate.ConditionType))
	}
	status := map[string]any{
		"conditions": conditions, "phase": corev1.PodRunning, "startTime": now,
		"hostIP": n.InternalIP, "hostIPs": []corev1.HostIP{{IP: n.InternalIP}},
		"containerStatuses": statuses(pod.Spec.Containers, func() corev1.ContainerState {
			return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
		}, true),
	}
	ip := n.InternalIP
	if !pod.Spec.HostNetwork {
		ip = n.pool.get()
	}
	if ip != "" {
		status["podIP"], status["podIPs"] = ip, []corev1.PodIP{{IP: ip}}
	}
	if len(pod.Spec.InitContainers) > 0 {
		status["initContainerStatuses"] = statuses(pod.Spec.InitContainers, func() corev1.ContainerState { return ended(now, now) }, true)
	}
	return status
}

// completed is the status of a Pod whose work is done. Upstream: kustomize/stage/pod/fast/pod-complete.yaml.
func completed(p *sim.Proc, pod *corev1.Pod) map[string]any {
	now := metav1.NewTime(p.Time()).Rfc3339Copy()
	start := now
	if pod.Status.StartTime != nil {
		start = *pod.Status.StartTime
	}
	return map[string]any{
		"phase":             corev1.PodSucceeded,
		"containerStatuses": statuses(pod.Spec.Containers, func() corev1.ContainerState { return ended(start, now) }, false),
	}
}

func ended(start, end metav1.Time) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 0, Reason: "Completed", StartedAt: start, FinishedAt: end}}
}

func statuses(containers []corev1.Container, state func() corev1.ContainerState, ready bool) []corev1.ContainerStatus {
	out := make([]corev1.ContainerStatus, len(containers))
	for i := range containers {
		started := ready
		out[i] = corev1.ContainerStatus{Name: containers[i].Name, Image: containers[i].Image, Ready: ready, Started: &started, State: state()}
	}
	return out
}
