package chaos

import (
	"strings"
	"time"

	"kubewalk/playground/trace"
)

// expectationsTimeout is after how long a controller stops expecting. Upstream: pkg/controller/controller_utils.go, ExpectationsTimeout.
const expectationsTimeout = 5 * time.Minute

// expecting are the controllers of which one may wait in vain, with the kind of whose objects they compare with Pods.
var expecting = map[string]string{"replicaset-controller": "replicaset ", "daemon-set-controller": "daemonset "}

// waitingInVain returns the kinds and keys of ReplicaSets and DaemonSets that are not compared with their Pods any more, in upstream's
// clusters as in ours: their controller has created Pods that were deleted before it heard of them, because its watch of Pods was cut off.
//
// The list after the cut tells of neither their birth nor their end, so what it expects never comes. It stops expecting after five
// minutes, but nothing has it look then: that takes another event about the object, one of its Pods or, for a DaemonSet, a Node, or the resync of its
// informers, twelve hours and more later.
func waitingInVain(rec *trace.Recorder) map[string]bool {
	const message = "Controller still waiting on expectations"
	since := map[string]time.Duration{} // when its last comparison was put off, by kind and key
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		kind := expecting[e.Component]
		switch {
		case kind == "":
		case e.Op == trace.QueueGet:
			delete(since, kind+e.Text("key"))
		case e.Op == trace.Log && e.Text("message") == message:
			if _, key, ok := strings.Cut(e.Text("expectations"), ", key "); ok {
				since[kind+key] = e.At
			}
		}
	}
	keys := map[string]bool{}
	now := rec.Event(trace.ID(rec.Len())).At
	for key, at := range since { // order: a set
		if now-at > expectationsTimeout {
			keys[key] = true
		}
	}
	return keys
}
