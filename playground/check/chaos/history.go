package chaos

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metricsv1beta1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// operation is one call of a client's, with what it was told: a line of a history in the sense of linearizability checkers.
type operation struct {
	component, process string
	request            client.Request
	sent, done         trace.ID // the newest event when it was called, and when it returned; done is 0 for a caller that died meanwhile
	result             client.Result
	err                error
	commits            []*write // what it did to its own object
}

// write is a commit, with whose request it was.
type write struct {
	commit
	event *trace.Event
	// component is who sent the request; "" when it was none: what the API server does by itself, or from before.
	component, process, verb string
	operation                *operation // nil when it was none of an observed client
}

// history is a run as its clients saw it, beside what the store did.
type history struct {
	rec        *trace.Recorder
	operations []*operation
	writes     []*write
	versions   map[string][]*write // by resource and key
}

// observer stands between clients and the API server, and writes down what is asked and answered.
type observer struct {
	next client.Transport
	into *history
}

// Kinds implements client.Transport.
func (o observer) Kinds() api.KindSet { return o.next.Kinds() }

// Do implements client.Transport.
func (o observer) Do(p *sim.Proc, r *client.Request) (client.Result, error) {
	op := &operation{component: p.Component().Name(), process: p.Name(), request: *r, sent: trace.ID(p.Kernel().Trace().Len())}
	o.into.operations = append(o.into.operations, op)
	result, err := o.next.Do(p, r)
	op.done, op.result, op.err = trace.ID(p.Kernel().Trace().Len()), result, err
	return result, err
}

// Watch implements client.Transport.
func (o observer) Watch(p *sim.Proc, r *client.Request) (client.Stream, error) {
	return o.next.Watch(p, r)
}

func objectKey(resource, namespace, name string) string {
	return resource + " " + namespace + "/" + name
}

func keyOf(resource string, obj api.Object) string {
	return objectKey(resource, obj.GetNamespace(), obj.GetName())
}

// attribute finds for each commit the request that it is due to.
func (h *history) attribute(rec *trace.Recorder) {
	h.rec, h.versions = rec, map[string][]*write{}
	bySent := map[trace.ID]*operation{} // by the event of the request's sending
	for _, op := range h.operations {
		bySent[op.sent+1] = op
	}
	requests := map[string]*operation{}     // by number
	senders := map[string]*trace.Event{}    // the same of all requests
	replied := map[string]bool{}            // what the API server writes later is no longer due to the request
	received := map[trace.ID]*trace.Event{} // what led to an event: the request that the API server received; nil for none
	receiver := func(id trace.ID) *trace.Event {
		var way []trace.ID
		var found *trace.Event
		for ; id != 0; id = rec.Event(id).Cause {
			if e, known := received[id]; known {
				found = e
				break
			}
			way = append(way, id)
			if e := rec.Event(id); e.Op == trace.RequestReceive {
				found = e
				break
			} else if e.Component != "kube-apiserver" && e.Component != "etcd" {
				break
			}
		}
		for _, id := range way {
			received[id] = found
		}
		return found
	}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		switch e.Op {
		case trace.RequestSend:
			op := bySent[e.ID]
			if op == nil { // a request that is sent again, after an answer that asks for it
				op = requests[answerBefore(rec, e)]
			}
			requests[e.Text("request")], senders[e.Text("request")] = op, e
		case trace.RequestReply:
			replied[e.Text("request")] = true
		case trace.StoreCommit:
			w := &write{commit: commitOf(e), event: e}
			if r := receiver(e.Cause); r != nil {
				if s := senders[r.Text("request")]; s != nil {
					w.component, w.process, w.verb = s.Component, s.Process, s.Text("verb")
				}
				op := requests[r.Text("request")]
				if op != nil && !replied[r.Text("request")] && (op.done == 0 || op.done >= e.ID) {
					w.operation = op
					if op.about(w) {
						op.commits = append(op.commits, w)
					}
				}
			}
			h.writes = append(h.writes, w)
			key := objectKey(w.resource, e.Object.Namespace, e.Object.Name)
			h.versions[key] = append(h.versions[key], w)
		}
	}
}

// answerBefore is the number of the request whose answer led to an event, by nothing but what its process logged; "" for none.
func answerBefore(rec *trace.Recorder, e *trace.Event) string {
	for e.Cause != 0 {
		if e = rec.Event(e.Cause); e.Op == trace.RequestDone {
			return e.Text("request")
		} else if e.Op != trace.Log {
			break
		}
	}
	return ""
}

// about tells whether a commit is to the object that the operation names, or has made.
func (op *operation) about(w *write) bool {
	r := &op.request
	if api.StorageName(r.Resource) != w.resource || r.Verb == client.DeleteCollection || r.Namespace != w.event.Object.Namespace {
		return false
	}
	name := r.Name
	if name == "" && r.Object != nil {
		name = r.Object.GetName()
	}
	return name == "" || name == w.event.Object.Name
}

// between tells whether one of an object's versions at some moment while the operation went on is as wanted. is is given nil while there is none.
func (h *history) between(op *operation, key string, is func(obj api.Object) bool) bool {
	versions := h.versions[key]
	if (len(versions) == 0 || versions[0].event.ID > op.sent) && is(nil) {
		return true
	}
	for i, w := range versions {
		if w.event.ID > op.done {
			break
		}
		if last := i == len(versions)-1; (last || versions[i+1].event.ID > op.sent) && is(w.new) {
			return true
		}
	}
	return false
}

// linearizable: what the API server answers about one object is true at a moment between question and answer, and nobody writes over what they have not seen.
// The order of commits is the order in which operations took effect, so no search for one is needed.
func linearizable(h *history, m *meter) {
	for _, op := range h.operations {
		r := &op.request
		if r.Table || r.DryRun || r.Verb == client.List {
			continue
		}
		if op.done == 0 || op.err != nil {
			h.failed(op, m)
			continue
		}
		resource := api.StorageName(r.Resource)
		switch r.Verb {
		case client.Get, client.Create, client.Update, client.Patch:
			obj, ok := op.result.(api.Object)
			if !ok || r.Subresource != "" && r.Subresource != "status" || obj.GetResourceVersion() == "" {
				continue
			}
			m.met++
			version := obj.GetResourceVersion()
			if !h.between(op, keyOf(resource, obj), func(o api.Object) bool { return o != nil && o.GetResourceVersion() == version }) {
				m.say("%s of %s was told of %s at version %s, which was not the newest between events %d and %d", r.Verb, op.component, keyOf(resource, obj), version,
					op.sent, op.done)
			}
			if r.Verb == client.Update && r.Object != nil {
				h.lost(op, m)
			}
			h.twice(op, m)
		case client.Delete:
			m.met++
			h.twice(op, m)
			if !h.between(op, objectKey(resource, r.Namespace, r.Name), func(o api.Object) bool { return o == nil || o.GetDeletionTimestamp() != nil }) {
				m.say("%s was told that %s %s/%s is deleted, between events %d and %d, and it was there all the time", op.component, resource, r.Namespace, r.Name, op.sent,
					op.done)
			}
		}
	}
}

// lost: an update that says what it has seen is of that version.
func (h *history) lost(op *operation, m *meter) {
	seen := op.request.Object.GetResourceVersion()
	for _, w := range op.commits {
		if seen != "" && w.old != nil && w.new != nil && w.old.GetResourceVersion() != seen {
			m.say("event %d: %s updates %s, of which it has seen version %s, and it was at %s", w.event.ID, op.component, w.event.Object, seen,
				w.old.GetResourceVersion())
		}
	}
}

// twice: whatever the answer, what was asked once is done once at most. An eviction changes its Pod twice: it notes the reason, and
// deletes it.
func (h *history) twice(op *operation, m *meter) {
	most := 1
	if op.request.Subresource == "eviction" {
		most = 2
	}
	done := map[string]int{}
	for _, w := range op.commits {
		done[w.event.Text("type")]++
	}
	for kind, n := range done { // order: each by itself
		if n > most {
			m.say("%s of %s by %s was carried out %d times (%s), after event %d", op.request.Verb, op.request.Resource.Resource, op.component, n, kind, op.sent)
		}
	}
}

// failed: who is refused has changed nothing, who is not answered has done it once or not at all, and what is not found is not there.
func (h *history) failed(op *operation, m *meter) {
	r := &op.request
	if r.Verb == client.DeleteCollection || r.Verb == client.Create && r.Name == "" && r.Object == nil {
		return
	}
	m.met++
	if r.Object != nil && r.Verb == client.Update {
		h.lost(op, m)
	}
	h.twice(op, m)
	status, answered := op.err.(apierrors.APIStatus)
	if !answered || status.Status().Code >= 500 {
		return
	}
	if len(op.commits) > 0 && r.Subresource != "eviction" {
		m.say("event %d: %s of %s by %s was refused (%v) and has changed it", op.commits[0].event.ID, r.Verb, r.Resource.Resource, op.component, op.err)
	}
	if r.Verb == client.Get && r.Subresource == "" && apierrors.IsNotFound(op.err) &&
		!h.between(op, objectKey(api.StorageName(r.Resource), r.Namespace, r.Name), func(o api.Object) bool { return o == nil }) {
		m.say("%s was told that %s %s/%s is not there, between events %d and %d, and it was", op.component, r.Resource.Resource, r.Namespace, r.Name, op.sent,
			op.done)
	}
}

// snapshot is a list, or what an informer has made of one, that has to be what was there at one revision.
type snapshot struct {
	revision int64
	what     string
	holds    map[string]string     // key → version
	whole    func(api.Object) bool // what it has to hold; nil when it may be a part
}

// snapshots: a list, from etcd or from a cache, is what there was at the revision that it bears, neither older nor newer than it may be; and so is an
// informer's cache that was filled from it.
func snapshots(h *history, m *meter) {
	due := map[string][]snapshot{} // by resource
	counts := map[string]int{}     // of informers' lists, by component, resource and revision
	for _, op := range h.operations {
		r := &op.request
		list, ok := op.result.(api.List)
		if r.Verb != client.List || r.Table || op.done == 0 || op.err != nil || !ok ||
			r.Resource.Group == metricsv1beta1.GroupVersion.Group { // another server answers, which has no store and no revisions
			continue
		}
		resource := api.StorageName(r.Resource)
		revision, _ := strconv.ParseInt(list.GetListMeta().GetResourceVersion(), 10, 64)
		s := snapshot{revision: revision, what: fmt.Sprintf("the list of %s for %s, events %d to %d,", resource, op.component, op.sent, op.done),
			holds: map[string]string{}}
		for _, obj := range list.GetItems() {
			s.holds[keyOf(resource, obj)] = obj.GetResourceVersion()
		}
		if first, last := h.revisionAt(op.sent), h.revisionAt(op.done); revision > last || r.List.ResourceVersion == "" && r.List.Continue == "" && revision < first {
			m.say("%s bears revision %d; the store was at %d, and then at %d", s.what, revision, first, last)
		}
		if atLeast, _ := strconv.ParseInt(r.List.ResourceVersion, 10, 64); revision < atLeast {
			m.say("%s bears revision %d, and was to be of %d", s.what, revision, atLeast)
		}
		if strings.HasPrefix(op.process, "reflector/") { // others list a namespace of it at the same revision
			counts[op.component+" "+resource+" "+list.GetListMeta().GetResourceVersion()] = len(s.holds)
		}
		label, err := labels.Parse(r.List.LabelSelector)
		field, err2 := fields.ParseSelector(r.List.FieldSelector)
		if err == nil && err2 == nil && r.List.Continue == "" && list.GetListMeta().GetContinue() == "" && (r.List.FieldSelector == "" || resource == "pods") {
			w := &watch{namespace: r.Namespace, label: label, field: field}
			s.whole = w.sees
		}
		m.met++
		due[resource] = append(due[resource], s)
	}
	h.replaced(due, counts, m)
	resources := make([]string, 0, len(due))
	for resource := range due { // order: sorted
		resources = append(resources, resource)
	}
	sort.Strings(resources)
	for _, resource := range resources {
		list := due[resource]
		slices.SortStableFunc(list, func(a, b snapshot) int { return int(a.revision - b.revision) })
		now := map[string]api.Object{}
		i := 0
		for _, s := range list {
			for ; i < len(h.writes) && h.writes[i].revision <= s.revision; i++ {
				if w := h.writes[i]; w.resource == resource {
					if key := objectKey(resource, w.event.Object.Namespace, w.event.Object.Name); w.new == nil {
						delete(now, key)
					} else {
						now[key] = w.new
					}
				}
			}
			s.compare(now, m)
		}
	}
}

func (s *snapshot) compare(now map[string]api.Object, m *meter) {
	for key, version := range s.holds { // order: each by itself
		if obj := now[key]; obj == nil {
			m.say("%s holds %s, which was not there at revision %d", s.what, key, s.revision)
		} else if obj.GetResourceVersion() != version {
			m.say("%s holds %s of version %s; at revision %d it was %s", s.what, key, version, s.revision, obj.GetResourceVersion())
		}
	}
	if s.whole == nil {
		return
	}
	for key, obj := range now { // order: each by itself
		if s.holds[key] == "" && s.whole(obj) {
			m.say("%s lacks %s, which was there at revision %d", s.what, key, s.revision)
		}
	}
}

// replaced adds what informers' caches held after each list.
func (h *history) replaced(due map[string][]snapshot, counts map[string]int, m *meter) {
	caches := map[string]map[string]string{} // by component and resource
	for i := range h.rec.Len() {
		e := h.rec.Event(trace.ID(i + 1))
		for _, d := range e.Deltas {
			if d.Cell.Kind != trace.CellCache {
				continue
			}
			cache := caches[d.Cell.Owner]
			if cache == nil {
				cache = map[string]string{}
				caches[d.Cell.Owner] = cache
			}
			if d.New == nil {
				delete(cache, d.Cell.Key)
			} else {
				cache[d.Cell.Key], _ = d.New.(string)
			}
		}
		if e.Op != trace.CacheReplace {
			continue
		}
		resource := e.Text("resource")
		revision, _ := strconv.ParseInt(e.Text("revision"), 10, 64)
		s := snapshot{revision: revision, what: fmt.Sprintf("the cache of %s of %s, after event %d,", resource, e.Component, e.ID), holds: map[string]string{}}
		for key, version := range caches[e.Component+"/"+resource] { // order: a copy
			namespace, name := "", key
			for j := range key {
				if key[j] == '/' {
					namespace, name = key[:j], key[j+1:]
				}
			}
			s.holds[objectKey(resource, namespace, name)] = version
		}
		if n, known := counts[e.Component+" "+resource+" "+e.Text("revision")]; known && n != len(s.holds) {
			m.say("%s holds %d objects, of a list of %d", s.what, len(s.holds), n)
		}
		m.met++
		due[resource] = append(due[resource], s)
	}
}

// revisionAt is the store's right after an event.
func (h *history) revisionAt(id trace.ID) int64 {
	i := sort.Search(len(h.writes), func(i int) bool { return h.writes[i].event.ID > id })
	if i == 0 {
		return 1
	}
	return h.writes[i-1].revision
}

// applied: an informer applies what its watch tells it, each once and in order, with nothing left out.
func applied(h *history, m *meter) {
	type feed struct {
		watches int
		due     []string // revisions that were received and not applied yet
		listed  bool
	}
	feeds := map[string]*feed{}
	owners := map[string]string{} // of watches, by number
	several := map[string]bool{}  // who has several watches of a resource: none of them is an informer's alone
	rec := h.rec
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		switch e.Op {
		case trace.WatchOpen:
			owner := e.Text("client") + "/" + e.Text("resource")
			owners[e.Text("watch")] = owner
			if feeds[owner] == nil {
				feeds[owner] = &feed{}
			}
			if feeds[owner].watches++; feeds[owner].watches > 1 {
				several[owner] = true
			}
		case trace.WatchClose:
			if f := feeds[owners[e.Text("watch")]]; f != nil {
				f.watches--
			}
		case trace.ComponentStop:
			for owner, f := range feeds { // order: each by itself
				if len(owner) > len(e.Component) && owner[:len(e.Component)+1] == e.Component+"/" {
					f.due, f.listed = nil, false
				}
			}
		case trace.WatchReceive:
			owner := owners[e.Text("watch")]
			if f := feeds[owner]; f != nil && f.listed && !several[owner] && e.Text("type") != "BOOKMARK" && e.Text("type") != "ERROR" {
				f.due = append(f.due, e.Text("revision"))
			}
		case trace.CacheReplace:
			owner := e.Component + "/" + e.Text("resource")
			if feeds[owner] == nil {
				feeds[owner] = &feed{}
			}
			feeds[owner].listed, feeds[owner].due = true, nil
		case trace.CacheSet, trace.CacheDelete:
			owner := e.Component + "/" + e.Text("resource")
			f := feeds[owner]
			if f == nil || !f.listed || several[owner] {
				continue
			}
			m.met++
			if len(f.due) == 0 || f.due[0] != e.Text("revision") {
				m.say("event %d: %s applies revision %s of %s to its cache, and due are %v", e.ID, owner, e.Text("revision"), e.Object, f.due)
				f.listed = false // said once
				continue
			}
			f.due = f.due[1:]
		}
	}
}
