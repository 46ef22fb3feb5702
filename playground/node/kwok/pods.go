package kwok

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/strategicpatch"
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
	case podReady:
		err = c.patch(p, pod, c.running(p, n, pod))
	case podComplete:
		err = c.patch(p, pod, completed(p, pod))
	}
	switch {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err):
	default:
		p.Logger().Error(err, "Failed to play stage", "pod", key, "node", name)
		c.again(c.pods, name+" "+key, retryAfter)
	}
}

// patch gives a Pod what a stage says of its status, as a strategic merge patch.
func (c *Controller) patch(p *sim.Proc, pod *corev1.Pod, stage *corev1.PodStatus) error {
	pods := c.client.CoreV1().Pods(pod.Namespace)
	change := strategicpatch.NewStatus(pod, merged(&pod.Status, stage), "")
	if change == nil {
		_, err := pods.Patch(p, pod.Name, types.StrategicMergePatchType, patchText(stage), metav1.PatchOptions{}, "status")
		return err
	}
	_, err := pods.PatchStatus(p, pod.Name, change.As(func() []byte { return patchText(stage) }), metav1.PatchOptions{})
	return err
}

// patchText is the patch as KWOK sends it: all that the stage's template says, whether it is so already or not.
func patchText(stage *corev1.PodStatus) []byte {
	status := map[string]any{"phase": stage.Phase, "containerStatuses": stage.ContainerStatuses}
	if stage.Conditions != nil {
		conditions := make([]map[string]any, len(stage.Conditions))
		for i, c := range stage.Conditions {
			conditions[i] = map[string]any{"type": c.Type, "status": c.Status, "lastTransitionTime": c.LastTransitionTime}
		}
		status["conditions"], status["startTime"] = conditions, stage.StartTime
		status["hostIP"], status["hostIPs"] = stage.HostIP, stage.HostIPs
	}
	if stage.PodIP != "" {
		status["podIP"], status["podIPs"] = stage.PodIP, stage.PodIPs
	}
	if len(stage.InitContainerStatuses) > 0 {
		status["initContainerStatuses"] = stage.InitContainerStatuses
	}
	text, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		panic("kwok: a status can't be encoded: " + err.Error())
	}
	return text
}

// merged is what a Pod's status becomes by a stage's patch: conditions are merged by their types and addresses by their IPs, all else is replaced.
func merged(now, stage *corev1.PodStatus) *corev1.PodStatus {
	out := *now
	out.Phase, out.ContainerStatuses = stage.Phase, stage.ContainerStatuses
	if stage.Conditions != nil {
		out.Conditions = mergeList(now.Conditions, stage.Conditions, func(a, b *corev1.PodCondition) bool { return a.Type == b.Type },
			func(have *corev1.PodCondition, c corev1.PodCondition) {
				have.Status, have.LastTransitionTime = c.Status, c.LastTransitionTime
			})
		out.StartTime, out.HostIP, out.HostIPs = stage.StartTime, stage.HostIP, mergeList(now.HostIPs, stage.HostIPs, equal[corev1.HostIP], replace)
	}
	if stage.PodIP != "" {
		out.PodIP, out.PodIPs = stage.PodIP, mergeList(now.PodIPs, stage.PodIPs, equal[corev1.PodIP], replace)
	}
	if len(stage.InitContainerStatuses) > 0 {
		out.InitContainerStatuses = stage.InitContainerStatuses
	}
	return &out
}

// mergeList merges a list by a key as a strategic merge patch does: what the patch has is in its order, and what only the object has comes
// before an item of the patch if it did so in the object. Upstream: apimachinery strategicpatch, normalizeElementOrder.
func mergeList[T any](have, patch []T, same func(a, b *T) bool, merge func(have *T, patch T)) []T {
	in := func(list []T, item *T) int {
		return slices.IndexFunc(list, func(other T) bool { return same(&other, item) })
	}
	var out []T
	next := 0 // of the object's
	only := func(before int) {
		for ; next < before; next++ {
			if in(patch, &have[next]) < 0 {
				out = append(out, have[next])
			}
		}
	}
	for _, item := range patch {
		if i := in(have, &item); i >= 0 {
			only(i)
			merged := have[i]
			merge(&merged, item)
			item = merged
		}
		out = append(out, item)
	}
	only(len(have))
	return out
}

func equal[T comparable](a, b *T) bool { return *a == *b }

func replace[T any](have *T, patch T) { *have = patch }

// running is the status that KWOK gives a Pod at once. Upstream: kustomize/stage/pod/fast/pod-ready.yaml.
func (c *Controller) running(p *sim.Proc, n *node, pod *corev1.Pod) *corev1.PodStatus {
	now := metav1.NewTime(p.Time()).Rfc3339Copy()
	status := &corev1.PodStatus{
		Phase: corev1.PodRunning, StartTime: &now, HostIP: n.InternalIP, HostIPs: []corev1.HostIP{{IP: n.InternalIP}},
		ContainerStatuses: statuses(pod.Spec.Containers, func() corev1.ContainerState {
			return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
		}, true),
	}
	is := func(t corev1.PodConditionType) {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	is(corev1.PodInitialized)
	is(corev1.PodReady)
	is(corev1.ContainersReady)
	for _, gate := range pod.Spec.ReadinessGates {
		is(gate.ConditionType)
	}
	ip := n.InternalIP
	if !pod.Spec.HostNetwork {
		ip = n.pool.get()
	}
	if ip != "" {
		status.PodIP, status.PodIPs = ip, []corev1.PodIP{{IP: ip}}
	}
	if len(pod.Spec.InitContainers) > 0 {
		status.InitContainerStatuses = statuses(pod.Spec.InitContainers, func() corev1.ContainerState { return ended(now, now) }, true)
	}
	return status
}

// completed is the status of a Pod whose work is done. Upstream: kustomize/stage/pod/fast/pod-complete.yaml.
func completed(p *sim.Proc, pod *corev1.Pod) *corev1.PodStatus {
	now := metav1.NewTime(p.Time()).Rfc3339Copy()
	start := now
	if pod.Status.StartTime != nil {
		start = *pod.Status.StartTime
	}
	return &corev1.PodStatus{
		Phase:             corev1.PodSucceeded,
		ContainerStatuses: statuses(pod.Spec.Containers, func() corev1.ContainerState { return ended(start, now) }, false),
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
