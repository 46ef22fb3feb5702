package scene

import (
	"fmt"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// told is a history to which events happen.
type told struct {
	history
	revision int64
}

func (h *told) event(component string, op trace.Op, about trace.Ref, attrs ...any) {
	h.follow(&trace.Event{Component: component, Op: op, Object: about, Attrs: trace.Attrs(attrs...)}, false)
}

func (h *told) commit(kind, resource, name, node string) int64 {
	h.revision++
	about := trace.Ref{Resource: resource, Namespace: "default", Name: name}
	p := &corev1.Pod{}
	p.Spec.NodeName = node
	h.follow(&trace.Event{Component: "etcd", Op: trace.StoreCommit, Object: about, Attrs: trace.Attrs("revision", h.revision, "type", kind),
		Deltas: []trace.Delta{trace.Set(trace.Cell{Kind: trace.CellObject, Owner: resource, Key: about.Key()}, p)}}, false)
	return h.revision
}

func (h *told) open(client string, n, revision int64, selector string) {
	h.event("kube-apiserver", trace.WatchOpen, trace.Ref{Resource: "pods"}, "watch", n, "resource", "pods", "client", client,
		"revision", fmt.Sprint(revision), "fieldSelector", selector)
}

const rc = "replicaset-controller"

func TestHowFarAWatchHasGot(t *testing.T) {
	h := told{history: newHistory(), revision: 4}
	want := func(when string, got int64, behind int, knowsNewest bool) {
		t.Helper()
		f := h.followers["pods"][rc]
		if f.got != got || f.behind() != behind || f.knows(h.revision) != knowsNewest {
			t.Errorf("%s: it has got %d, is %d behind, and knows the newest: %v; not %d, %d, %v", when, f.got, f.behind(), f.knows(h.revision), got, behind, knowsNewest)
		}
	}
	h.event(rc, trace.CacheReplace, trace.Ref{Resource: "pods"}, "resource", "pods", "count", 0, "revision", "4")
	want("listed", 4, 0, true)
	h.open(rc, 1, 4, "")
	h.commit("ADDED", "configmaps", "settings", "")
	want("something else was written", 4, 0, true)
	h.commit("ADDED", "pods", "a", "")
	h.event("kube-apiserver", trace.WatchSend, trace.Ref{}, "watch", int64(1), "client", rc, "type", "ADDED", "revision", "6")
	want("sent", 4, 1, false)
	h.event(rc, trace.WatchReceive, trace.Ref{}, "watch", int64(1), "type", "ADDED", "revision", "6")
	want("received", 6, 0, true)

	h.event(rc, trace.WatchClose, trace.Ref{Resource: "pods"}, "watch", int64(1), "resource", "pods", "client", rc, "reason", "connection is lost")
	h.commit("DELETED", "pods", "a", "")
	want("without a watch", 6, 1, false)
	h.open(rc, 2, 6, "")
	h.event("kube-apiserver", trace.WatchSend, trace.Ref{}, "watch", int64(2), "client", rc, "type", "DELETED", "revision", "7")
	want("resumed", 6, 1, false)
	h.event(rc, trace.WatchReceive, trace.Ref{}, "watch", int64(2), "type", "DELETED", "revision", "7")
	want("up to date", 7, 0, true)

	h.event(rc, trace.WatchClose, trace.Ref{Resource: "pods"}, "watch", int64(2), "resource", "pods", "client", rc, "reason", "connection is lost")
	h.event("kube-apiserver", trace.ComponentStop, trace.Ref{}, "reason", "crash")
	h.event("kube-apiserver", trace.ComponentStart, trace.Ref{})
	h.commit("ADDED", "pods", "b", "")
	h.open(rc, 3, 7, "")
	h.event("kube-apiserver", trace.WatchClose, trace.Ref{Resource: "pods"}, "watch", int64(3), "resource", "pods", "client", rc,
		"reason", "too old resource version: 6 (7)")
	if want("refused", 7, 1, false); !h.followers["pods"][rc].refused || h.cachedFrom != 7 {
		t.Errorf("refused: %v, the watch caches begin after %d", h.followers["pods"][rc].refused, h.cachedFrom)
	}
	h.event(rc, trace.CacheReplace, trace.Ref{Resource: "pods"}, "resource", "pods", "count", 1, "revision", "8")
	if want("listed again", 8, 0, true); h.followers["pods"][rc].listed != "1" || h.followers["pods"][rc].refused {
		t.Errorf("listed %q, refused %v", h.followers["pods"][rc].listed, h.followers["pods"][rc].refused)
	}
}

// Who watches a node's Pods misses only those.
func TestAWatchOfSomeMissesOnlyThose(t *testing.T) {
	h := told{history: newHistory()}
	const kubelet = "kubelet/node-1"
	h.open(kubelet, 1, 1, "spec.nodeName=node-1")
	h.event(kubelet, trace.WatchClose, trace.Ref{Resource: "pods"}, "watch", int64(1), "resource", "pods", "client", kubelet, "reason", "connection is lost")
	h.commit("ADDED", "pods", "a", "node-2")
	h.commit("ADDED", "pods", "b", "node-1")
	if n := h.followers["pods"][kubelet].behind(); n != 1 {
		t.Errorf("it has missed %d writes, not 1", n)
	}
}

// etcd counts the writes of a key from its creation on; compaction drops what was outdated by then.
func TestVersionsAndCompaction(t *testing.T) {
	h := told{history: newHistory()}
	h.commit("ADDED", "configmaps", "settings", "")
	h.commit("ADDED", "pods", "a", "")
	h.commit("MODIFIED", "configmaps", "settings", "")
	h.commit("DELETED", "pods", "a", "")
	h.commit("ADDED", "pods", "a", "")
	if got := h.versions["configmaps default/settings"]; got != (versions{1, 3, 2}) {
		t.Errorf("settings: %+v", got)
	}
	if got := h.versions["pods default/a"]; got != (versions{5, 5, 1}) {
		t.Errorf("a: %+v", got)
	}
	gone := func() (out []int64) {
		for _, w := range h.writes {
			if h.isGone(w) {
				out = append(out, w.revision)
			}
		}
		return out
	}
	for _, c := range []struct {
		at   int64
		want string
	}{{0, "[]"}, {2, "[]"}, {3, "[1]"}, {4, "[1 2 4]"}, {5, "[1 2 4]"}} {
		h.event("etcd", trace.StoreCompact, trace.Ref{}, "revision", c.at)
		if got := fmt.Sprint(gone()); got != c.want {
			t.Errorf("compacted at %d: %s are gone, not %s", c.at, got, c.want)
		}
	}
}

// The numbers are those of the object that the user asks for or writes.
func TestTheSubjectIsTheUsers(t *testing.T) {
	h := told{history: newHistory()}
	h.commit("ADDED", "pods", "a", "")
	if h.subject.Name != "a" {
		t.Errorf("before the user does anything it is %q", h.subject.Name)
	}
	h.event("kube-apiserver", trace.RequestReceive, trace.Ref{Resource: "configmaps", Namespace: "default"}, "request", 1, "verb", "create", "user", "kubectl")
	h.commit("ADDED", "configmaps", "settings", "")
	h.commit("MODIFIED", "pods", "a", "")
	if h.subject.Name != "settings" {
		t.Errorf("the user created settings, and it is %q", h.subject.Name)
	}
	h.event("kube-apiserver", trace.RequestReceive, trace.Ref{Resource: "pods", Namespace: "default"}, "request", 2, "verb", "list", "user", "kubectl",
		"resourceVersion", "1")
	h.event("kube-apiserver", trace.RequestReply, trace.Ref{Resource: "pods", Namespace: "default"}, "request", 2, "verb", "list", "code", int64(410),
		"reason", "Expired")
	if r := h.reading; r.revision != 1 || r.code != "410" || r.reason != "Expired" || h.subject.Name != "settings" {
		t.Errorf("the user's list is %+v, and the subject %q", r, h.subject.Name)
	}
}
