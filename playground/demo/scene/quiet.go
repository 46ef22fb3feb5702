package scene

import (
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// Quiet tells the events that nobody follows: a cluster's heartbeat. They are
// traced like all others, but a step passes over them, and the log folds them.
//
// Quiet are: whatever is about Leases and Events; a node's status as long as
// only its time stamps change; bookmarks; logs of verbosity 4 and up, and what
// a kubelet logs of its look at the containers; what these set off (watch
// events, cache entries, queue keys), up to the next request that is about
// something else; and what a controller that is drawn in brief only takes note
// of, up to the next request that it sends, but for what it decides: see decisions.
type Quiet struct {
	cast   cast
	judged []bool // by event number: whether it makes what it sets off quiet
}

// NewQuiet returns a judge that has seen no event, of a picture with these options.
func NewQuiet(o Options) *Quiet { return &Quiet{cast: newCast(o), judged: []bool{false}} }

// Judge tells whether the next event is quiet. Events are judged in order.
func (q *Quiet) Judge(e *trace.Event) bool {
	quiet := q.judge(e)
	passes := quiet
	if e.Op == trace.Log {
		passes = q.cause(e) // a log does not set off anything: it is as quiet as what led to it
	}
	q.judged = append(q.judged, passes)
	return quiet
}

func (q *Quiet) cause(e *trace.Event) bool {
	return e.Cause > 0 && int(e.Cause) < len(q.judged) && q.judged[e.Cause]
}

func (q *Quiet) judge(e *trace.Event) bool {
	who := e.Component
	if e.Op == trace.WatchSend || e.Op == trace.WatchOpen {
		who = e.Text("client")
	}
	if q.cast.of(who) == castMinor && !q.cast.follows(who, e.Op) {
		switch e.Op {
		case trace.WatchSend, trace.WatchReceive, trace.CacheSet, trace.CacheDelete, trace.CacheReplace,
			trace.QueueAdd, trace.QueueGet, trace.QueueDone, trace.QueueDelay:
			return true
		case trace.Log:
			v, _ := e.Get("v").(int64)
			return v >= 2 && e.Get("error") == nil && !telling(e)
		}
	}
	switch e.Op {
	case trace.Input, trace.ComponentStart, trace.ComponentStop, trace.StoreCompact:
		return false
	case trace.Summary:
		return len(e.Deltas) == 0 // only the rates differ
	case trace.Log:
		if e.Get("error") != nil {
			return false
		}
		v, _ := e.Get("v").(int64)
		return v >= 4 || v >= 2 && (q.cause(e) || strings.HasPrefix(e.Text("message"), "SyncLoop (PLEG)"))
	case trace.RequestSend:
		return quietPath(e.Text("path"))
	case trace.RequestReceive, trace.RequestReply, trace.RequestDone:
		if code, ok := e.Get("code").(int64); ok && code >= 400 && code != 404 {
			return false
		}
		return quietPath(e.Text("path"))
	case trace.StoreCommit:
		if quietResource(e.Object.Resource) {
			return true
		}
		return e.Object.Resource == "nodes" && heartbeat(e)
	case trace.WatchSend, trace.WatchReceive:
		return e.Text("type") == "BOOKMARK" || quietResource(e.Object.Resource) || q.cause(e)
	case trace.WatchOpen, trace.WatchClose, trace.CacheReplace:
		return quietResource(e.Object.Resource) || quietResource(e.Text("resource"))
	case trace.CacheSet, trace.CacheDelete:
		return quietResource(e.Object.Resource) || quietResource(e.Text("resource")) || q.cause(e)
	case trace.QueueAdd, trace.QueueGet, trace.QueueDone, trace.QueueDelay, trace.SchedulingQueue:
		return q.cause(e)
	}
	return false
}

// decisions are messages of controllers that are drawn in brief which say what
// becomes of a node, its Pods, and of what nobody owns any more. Upstream logs some of them at verbosity 4.
var decisions = map[string]bool{
	"Node is unresponsive. Adding it to the Taint queue":        true,
	"Node is healthy again, removing all taints":                true,
	"Updating ready status of pod to false":                     true,
	"Added taint to node":                                       true,
	"Adding TimedWorkerQueue item and to be fired at firedTime": true,
	"Cancelling TimedWorkerQueue item":                          true,
	"Deleting item":                                             true,
}

// telling tells whether a log of such a controller is one that is followed.
func telling(e *trace.Event) bool {
	message := e.Text("message")
	if message == "Node hasn't been updated" { // said of every condition, and again in every round
		return e.Text("nodeConditionType") == "Ready" && e.Text("currentCondition") != "Unknown"
	}
	return decisions[message]
}

func quietResource(resource string) bool { return resource == "leases" || resource == "events" }

func quietPath(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return strings.HasSuffix(path, "/leases") || strings.Contains(path, "/leases/") ||
		strings.HasSuffix(path, "/events") || strings.Contains(path, "/events/") ||
		strings.Contains(path, "/nodes/") && strings.HasSuffix(path, "/status")
}

// heartbeat tells whether a commit left a node as it was, but for time stamps.
func heartbeat(e *trace.Event) bool {
	for _, d := range e.Deltas {
		if d.Cell.Kind != trace.CellObject {
			continue
		}
		before, ok := d.Old.(*corev1.Node)
		after, ok2 := d.New.(*corev1.Node)
		if !ok || !ok2 || len(before.Status.Conditions) != len(after.Status.Conditions) ||
			len(before.Spec.Taints) != len(after.Spec.Taints) || before.Spec.Unschedulable != after.Spec.Unschedulable {
			return false
		}
		for i, c := range before.Status.Conditions {
			if n := after.Status.Conditions[i]; c.Type != n.Type || c.Status != n.Status || c.Reason != n.Reason {
				return false
			}
		}
		return true
	}
	return false
}
