package framework

import (
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// QueuedPodInfo is a Pod and how it fared in the queues so far. Times are
// virtual, since the epoch. Upstream: pkg/scheduler/framework/types.go, QueuedPodInfo.
type QueuedPodInfo struct {
	*PodInfo
	// Timestamp is when it came into the queues, or came back.
	Timestamp time.Duration
	// Attempts is how often a scheduling cycle took it.
	Attempts int
	// BackoffExpiration is when it may be tried again; 0 until it is asked for.
	BackoffExpiration time.Duration
	// UnschedulableCount is how often it was turned down; it sets the backoff.
	UnschedulableCount int
	// ConsecutiveErrorsCount is how often in a row it failed by an error.
	ConsecutiveErrorsCount int
	// InitialAttemptTimestamp is when it first entered activeQ; nil before.
	InitialAttemptTimestamp *time.Duration
	// UnschedulablePlugins turned it down in the last cycle, or gate it; empty after an error.
	UnschedulablePlugins PluginSet
	// PendingPlugins answered Pending: what they wait for skips the backoff.
	PendingPlugins PluginSet
	// GatingPlugin is who keeps it from activeQ; "" when nobody does.
	GatingPlugin string
	// Due is the event by which it came where it is.
	Due trace.ID
	// Sequence breaks ties of the order: who was queued first.
	Sequence uint64
}

// Gated tells that a PreEnqueue plugin keeps it out.
func (q *QueuedPodInfo) Gated() bool { return q.GatingPlugin != "" }

// Update takes a new version of the Pod.
func (q *QueuedPodInfo) Update(pod *corev1.Pod) { q.PodInfo = NewPodInfo(pod) }

// PodPriority is 0 when the Pod states none.
// Upstream: component-helpers/scheduling/corev1/helpers.go, PodPriority.
func PodPriority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority != nil {
		return *pod.Spec.Priority
	}
	return 0
}

// Ref names a Pod in the trace.
func Ref(pod *corev1.Pod) trace.Ref {
	return trace.Ref{Resource: "pods", Namespace: pod.Namespace, Name: pod.Name}
}

// Key is "namespace/name".
func Key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
