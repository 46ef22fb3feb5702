package endpoint

import (
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
)

// TriggerTimeTracker knows since when the change has been due that an object of endpoints shows. Who measures how long
// the network takes to follow reads it in an annotation. Upstream: endpointslice/util/trigger_time_tracker.go.
type TriggerTimeTracker struct {
	states map[types.NamespacedName]triggerState
}

type triggerState struct {
	service time.Time
	pods    map[string]time.Time
}

// NewTriggerTimeTracker makes an empty one.
func NewTriggerTimeTracker() *TriggerTimeTracker {
	return &TriggerTimeTracker{states: map[types.NamespacedName]triggerState{}}
}

// ComputeEndpointLastChangeTriggerTime returns the earliest change since the last call, zero if there was none that left
// a time.
func (t *TriggerTimeTracker) ComputeEndpointLastChangeTriggerTime(svc *corev1.Service, pods []*corev1.Pod) time.Time {
	key := types.NamespacedName{Namespace: svc.Namespace, Name: svc.Name}
	old, seen := t.states[key]
	state := triggerState{service: svc.CreationTimestamp.Time, pods: map[string]time.Time{}}
	var first time.Time
	earlier := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for _, pod := range pods {
		if at := podTriggerTime(pod); !at.IsZero() {
			state.pods[pod.Name] = at
			if at.After(old.pods[pod.Name]) {
				earlier(at)
			}
		}
	}
	if !seen && first.IsZero() || seen && !state.service.Equal(old.service) {
		earlier(state.service)
	}
	t.states[key] = state
	return first
}

// DeleteService forgets a Service that is gone.
func (t *TriggerTimeTracker) DeleteService(namespace, name string) {
	delete(t.states, types.NamespacedName{Namespace: namespace, Name: name})
}

func podTriggerTime(pod *corev1.Pod) (at time.Time) {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			at = c.LastTransitionTime.Time
		}
	}
	return at
}
