package chaos

import (
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// What the API server writes before its answer is due to the request, and what it writes afterwards by itself is not.
func TestAttribute(t *testing.T) {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	defer k.Close()
	about := trace.Ref{Resource: "pods", Namespace: "default", Name: "a"}
	number := trace.Attrs("request", "1")
	k.Start("kubectl").Run(func() { k.Emit(trace.RequestSend, about, number) })
	pod := func(version string) {
		k.Emit(trace.StoreCommit, about, trace.Attrs("type", "MODIFIED", "revision", version),
			trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "pods", Key: "default/a"},
				&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a", ResourceVersion: version}}))
	}
	server := k.Start("kube-apiserver")
	server.Run(func() { k.Emit(trace.RequestReceive, about, number) })
	k.Because(trace.ID(k.Trace().Len()), func() {
		server.Run(func() { pod("2") })
		server.Run(func() { k.Emit(trace.RequestReply, about, number) })
		server.Run(func() { pod("3") })
	})
	rec := k.Trace()
	var sent trace.ID
	for i := range rec.Len() {
		if rec.Event(trace.ID(i+1)).Op == trace.RequestSend {
			sent = trace.ID(i)
		}
	}
	op := &operation{component: "kubectl", sent: sent, done: trace.ID(rec.Len())}
	op.request.Verb, op.request.Resource.Resource, op.request.Namespace, op.request.Name = client.Delete, "pods", "default", "a"
	h := &history{operations: []*operation{op}}
	h.attribute(rec)
	if len(h.writes) != 2 || len(op.commits) != 1 {
		t.Errorf("of %d writes %d are due to the request, want 1 of 2", len(h.writes), len(op.commits))
	}
}
