package scene

import (
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// history is what the store and its readers hold of the past: the newest writes, what was compacted, how far the watch caches
// reach back, and how far each client has got.
type history struct {
	writes     []write             // the newest that are followed, oldest first
	versions   map[string]versions // resource + " " + key → what etcd keeps with it
	revision   int64
	compacted  int64 // the store drops what was outdated then; 0 before the first compaction
	cachedFrom int64 // the watch caches know what was written after this revision

	resource  string                          // whose watches are shown
	followers map[string]map[string]*follower // resource → client
	watches   map[string]*follower            // by the number of the open watch

	subject trace.Ref // the object that the user asks for or writes, or else the newest write's
	asked   bool      // it is the user's
	reading reading
	writing trace.Ref // what the user's write under way is about, which may have no name yet
}

// write is a revision.
type write struct {
	revision int64
	kind     string // added, modified, deleted
	about    trace.Ref
	version  int
	until    int64 // the revision that made it outdated; 0 while it is the newest of its object
}

// versions are the numbers that etcd keeps with a key.
type versions struct {
	created, modified int64
	version           int
}

// follower is a client that watches a resource.
type follower struct {
	client    string
	watch     string // the number of its open watch; "" when there is none
	selects   string // the watch's field selector
	namespace string
	got       int64   // the revision that it knows
	coming    []int64 // sent to it and not received
	missed    []int64 // written since it has no watch
	listed    string  // how many objects its last list had, as long as no watch has opened since
	refused   bool    // its last watch asked for too old a revision
	down      bool
}

// reading is the last list that the user asked for.
type reading struct {
	number   string
	resource string
	revision int64
	code     string
	reason   string
}

// mostWrites is how many are remembered.
const mostWrites = 32

func newHistory() history {
	return history{versions: map[string]versions{}, resource: "pods", followers: map[string]map[string]*follower{}, watches: map[string]*follower{}}
}

// follow takes note of an event; it tells whether that changed anything.
func (h *history) follow(e *trace.Event, quiet bool) bool {
	switch e.Op {
	case trace.ComponentStart, trace.ComponentStop:
		h.restarted(e.Component, e.Op == trace.ComponentStart)
	case trace.Input:
		h.reading = reading{}
		if resource := e.Object.Resource; e.Text("kind") == "drop-watch" && h.followers[resource] != nil {
			h.resource = resource
		}
	case trace.StoreCommit:
		h.wrote(e, quiet)
	case trace.StoreCompact:
		h.compacted = whole(e, "revision")
	case trace.RequestReceive, trace.RequestReply:
		return h.asks(e)
	case trace.WatchOpen, trace.WatchSend, trace.WatchReceive, trace.WatchClose:
		h.told(e)
	case trace.CacheReplace:
		f := h.follower(e.Text("resource"), e.Component)
		f.listed, f.refused = attrText(e, "count"), false
		f.reached(whole(e, "revision"))
	default:
		return false
	}
	return true
}

// whole is an attribute that is a revision; 0 when it is none.
func whole(e *trace.Event, key string) int64 {
	n, _ := strconv.ParseInt(attrText(e, key), 10, 64)
	return n
}

func (h *history) restarted(component string, up bool) {
	if component == castAPIServer && up {
		h.cachedFrom = h.revision
	}
	for _, clients := range h.followers { // order: each is changed by itself
		if f := clients[component]; f != nil {
			*f = follower{client: component, down: !up}
		}
	}
}

// wrote notes a commit.
func (h *history) wrote(e *trace.Event, quiet bool) {
	key, kind := e.Object.String(), strings.ToLower(e.Text("type"))
	h.revision = whole(e, "revision")
	v := h.versions[key]
	switch kind {
	case "added":
		v = versions{h.revision, h.revision, 1}
	case "deleted":
		v.modified, v.version = h.revision, 0
	default:
		v.modified, v.version = h.revision, v.version+1
	}
	h.versions[key] = v
	for i := len(h.writes) - 1; i >= 0; i-- {
		if h.writes[i].about == e.Object && h.writes[i].until == 0 {
			h.writes[i].until = h.revision
		}
	}
	if !quiet {
		h.writes = append(h.writes, write{revision: h.revision, kind: kind, about: e.Object, version: v.version})
		h.writes = h.writes[max(0, len(h.writes)-mostWrites):]
		if !h.asked {
			h.subject = e.Object
		}
	}
	if w := h.writing; w.Resource == e.Object.Resource && w.Namespace == e.Object.Namespace && (w.Name == "" || w.Name == e.Object.Name) {
		h.subject, h.asked, h.writing = e.Object, true, trace.Ref{}
	}
	for _, f := range h.followers[e.Object.Resource] { // order: each is changed by itself
		if f.watch == "" && !f.down && f.got > 0 && f.matches(e) {
			f.missed = append(f.missed, h.revision)
		}
	}
}

// isGone tells whether compaction has dropped a version: it was outdated then, or is that of a deletion.
func (h *history) isGone(w write) bool {
	return w.revision <= h.compacted && (w.kind == "deleted" || w.until > 0 && w.until <= h.compacted)
}

// asks notes what the user asks the API server for.
func (h *history) asks(e *trace.Event) bool {
	if e.Op == trace.RequestReply {
		h.writing = trace.Ref{}
		if h.reading.number == "" || attrText(e, "request") != h.reading.number {
			return false
		}
		h.reading.number, h.reading.code, h.reading.reason = "", attrText(e, "code"), e.Text("reason")
		if shows := whole(e, "revision"); shows > 0 {
			h.reading.revision = shows
		}
		return true
	}
	if e.Text("user") != "kubectl" {
		return false
	}
	if methods[e.Text("verb")] != "" {
		h.writing = e.Object
	}
	if _, there := h.versions[e.Object.String()]; there {
		h.subject, h.asked = e.Object, true
	}
	if e.Text("verb") == "list" {
		h.reading = reading{number: attrText(e, "request"), resource: e.Object.Resource, revision: whole(e, "resourceVersion")}
	}
	return true
}

func (h *history) follower(resource, client string) *follower {
	if h.followers[resource] == nil {
		h.followers[resource] = map[string]*follower{}
	}
	f := h.followers[resource][client]
	if f == nil {
		f = &follower{client: client}
		h.followers[resource][client] = f
	}
	return f
}

// told notes what happens to a watch.
func (h *history) told(e *trace.Event) {
	number := attrText(e, "watch")
	if e.Op == trace.WatchOpen {
		f := h.follower(e.Text("resource"), e.Text("client"))
		f.watch, f.selects, f.namespace, f.listed, f.refused, f.coming = number, e.Text("fieldSelector"), e.Text("namespace"), "", false, nil
		f.reached(whole(e, "revision"))
		h.watches[number] = f
		return
	}
	f := h.watches[number]
	if f == nil || f.watch != number {
		return
	}
	switch revision := whole(e, "revision"); e.Op {
	case trace.WatchSend:
		if revision > f.got {
			f.coming = append(f.coming, revision)
		}
	case trace.WatchReceive:
		f.reached(revision)
	case trace.WatchClose:
		f.watch, f.coming = "", nil
		f.refused = strings.HasPrefix(e.Text("reason"), "too old resource version")
		delete(h.watches, number)
	}
}

// reached notes that a client knows a revision.
func (f *follower) reached(revision int64) {
	if revision == 0 {
		return
	}
	f.got = revision
	old := func(n int64) bool { return n <= revision }
	f.coming, f.missed = slices.DeleteFunc(f.coming, old), slices.DeleteFunc(f.missed, old)
}

// matches tells whether a write is one of those that a client watches, as far as a selector by name or by node says.
func (f *follower) matches(e *trace.Event) bool {
	if f.namespace != "" && f.namespace != e.Object.Namespace {
		return false
	}
	by, value, _ := strings.Cut(f.selects, "=")
	switch by {
	case "metadata.name":
		return e.Object.Name == value
	case "spec.nodeName":
		for _, d := range e.Deltas {
			for _, v := range []any{d.Old, d.New} {
				if p, ok := v.(*corev1.Pod); ok && p.Spec.NodeName == value {
					return true
				}
			}
		}
		return false
	}
	return true
}

// knows tells whether a client has got, or need not get, what was written at a revision. Without a watch that is only so up to what it knows.
func (f *follower) knows(revision int64) bool {
	if f.watch == "" {
		return revision <= f.got
	}
	return len(f.coming) == 0 || revision < f.coming[0]
}

// behind is how many writes a client does not know yet.
func (f *follower) behind() int {
	if f.watch == "" {
		return len(f.missed)
	}
	return len(f.coming)
}
