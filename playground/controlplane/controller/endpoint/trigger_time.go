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
	last    []*corev1.Pod // that were there, by name: the same object has the same time
}

// NewTriggerTimeTracker makes an empty one.
func NewTriggerTimeTracker() *TriggerTimeTracker {
	return &TriggerTimeTracker{states: map[types.NamespacedName]triggerState{}}
}

// ComputeEndpointLastChangeTriggerTime returns the earliest change since the last call, zero if there was none that left
// a time. Pods are in the order of their names.
func (t *TriggerTimeTracker) ComputeEndpointLastChangeTriggerTime(svc *corev1.Service, pods []*corev1.Pod) time.Time {
	key := types.NamespacedName{Namespace: svc.Namespace, Name: svc.Name}
	state, seen := t.states[key]
	if !seen {
		state.pods = make(map[string]time.Time, len(pods))
	}
	var first time.Time
	earlier := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	timed, last := 0, state.last
	for _, pod := range pods {
		at := podTriggerTime(pod)
		if at.IsZero() {
			continue
		}
		timed++
		for len(last) > 0 && last[0].Name < pod.Name {
			last = last[1:]
		}
		if len(last) > 0 && last[0] == pod {
			continue
		}
		if old := state.pods[pod.Name]; at != old {
			if at.After(old) {
				earlier(at)
			}
			state.pods[pod.Name] = at
		}
	}
	if timed != len(state.pods) { // some are gone
		there := make(map[string]time.Time, timed)
		for _, pod := range pods {
			if at := podTriggerTime(pod); !at.IsZero() {
				there[pod.Name] = at
			}
		}
		state.pods = there
	}
	if created := svc.CreationTimestamp.Time; !seen && first.IsZero() || seen && !created.Equal(state.service) {
		earlier(created)
	}
	state.service, state.last = svc.CreationTimestamp.Time, pods
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
