package queue

import (
	"container/list"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// inFlight remembers which Pods are being scheduled, and what has happened since
// each was popped.
//
// One list holds both, in order: a Pod where it was popped, an event where it
// happened. What concerns a Pod is what stands behind it. An event that no Pod
// stands before concerns nobody any more, so it goes.
// Upstream: backend/queue/active_queue.go, inFlightPods and inFlightEvents.
type inFlight struct {
	pods   map[types.UID]*list.Element
	events *list.List // of *corev1.Pod and *clusterEvent
}

type clusterEvent struct {
	event          framework.ClusterEvent
	oldObj, newObj api.Object
	// only is the Pod whose own update this is; "" when it concerns all.
	only types.UID
}

func newInFlight() *inFlight {
	return &inFlight{pods: map[types.UID]*list.Element{}, events: list.New()}
}

func (f *inFlight) add(pod *corev1.Pod) { f.pods[pod.UID] = f.events.PushBack(pod) }

func (f *inFlight) has(uid types.UID) bool { return f.pods[uid] != nil }

// addEvent notes an event if anybody is in flight.
func (f *inFlight) addEvent(event framework.ClusterEvent, oldObj, newObj api.Object) {
	if len(f.pods) > 0 {
		f.events.PushBack(&clusterEvent{event: event, oldObj: oldObj, newObj: newObj})
	}
}

// addPodEvents notes that a Pod in flight was itself updated; false when it is not in flight.
func (f *inFlight) addPodEvents(oldPod, newPod *corev1.Pod, events []framework.ClusterEvent) bool {
	if !f.has(newPod.UID) {
		return false
	}
	for _, e := range events {
		f.events.PushBack(&clusterEvent{event: e, oldObj: oldPod, newObj: newPod, only: newPod.UID})
	}
	return true
}

// since lists what happened while the Pod was in flight.
func (f *inFlight) since(uid types.UID) []*clusterEvent {
	e := f.pods[uid]
	if e == nil {
		return nil
	}
	var out []*clusterEvent
	for e = e.Next(); e != nil; e = e.Next() {
		if ce, ok := e.Value.(*clusterEvent); ok && (ce.only == "" || ce.only == uid) {
			out = append(out, ce)
		}
	}
	return out
}

// done ends a Pod's flight. Doing it twice does nothing.
func (f *inFlight) done(uid types.UID) {
	e := f.pods[uid]
	if e == nil {
		return
	}
	delete(f.pods, uid)
	f.events.Remove(e)
	for e := f.events.Front(); e != nil; e = f.events.Front() {
		if _, ok := e.Value.(*clusterEvent); !ok {
			return
		}
		f.events.Remove(e)
	}
}
