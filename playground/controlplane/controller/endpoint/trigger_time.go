package endpoint

import (
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
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
// a time, of what has become of the Service's Pods since then.
func (t *TriggerTimeTracker) ComputeEndpointLastChangeTriggerTime(svc *corev1.Service, changes []controller.PodChange) time.Time {
	key := types.NamespacedName{Namespace: svc.Namespace, Name: svc.Name}
	state, seen := t.states[key]
	if !seen {
		state.pods = make(map[string]time.Time, len(changes))
	}
	var first time.Time
	earlier := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for _, c := range changes {
		at := podTriggerTime(c.Pod)
		if at.IsZero() {
			delete(state.pods, c.Name)
			continue
		}
		if old := state.pods[c.Name]; at != old {
			if at.After(old) {
				earlier(at)
			}
			state.pods[c.Name] = at
		}
	}
	if created := svc.CreationTimestamp.Time; !seen && first.IsZero() || seen && !created.Equal(state.service) {
		earlier(created)
	}
	state.service = svc.CreationTimestamp.Time
	t.states[key] = state
	return first
}

// DeleteService forgets a Service that is gone.
func (t *TriggerTimeTracker) DeleteService(namespace, name string) {
	delete(t.states, types.NamespacedName{Namespace: namespace, Name: name})
}

// podTriggerTime is zero for a Pod that is gone, too.
func podTriggerTime(pod *corev1.Pod) (at time.Time) {
	if pod == nil {
		return at
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			at = c.LastTransitionTime.Time
		}
	}
	return at
}
