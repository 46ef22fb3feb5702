package apiserver

import (
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/managedfields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// owners is what stands for metadata.managedFields, which upstream stores in every object. It belongs to what is stored,
// not to the program that serves: it stays when that is started anew.
//
// So stored objects, the trace and everybody's caches are free of it, and a write costs no more than noting who wrote. A
// change of owners alone makes no revision, as it would upstream.
type owners struct {
	types    *managedfields.Types
	journals map[store.Key]*journal
	history  managedfields.History
	noted    managedfields.Allowance
	// remembered are the journals as they were at the newest revisions, for clients that watch from outside and hear later of what has
	// changed since, or is gone; nil where there are none. recent are their revisions, the oldest first.
	remembered map[int64]*journal
	recent     []int64
}

// mostRemembered is how many revisions those are: as many as a slow client's events that may wait.
const mostRemembered = 1000

// RememberOwners has the server keep who owned what at the newest revisions.
func (s *Server) RememberOwners() {
	if s.owners.remembered == nil {
		s.owners.remembered = map[int64]*journal{}
	}
}

// remember keeps an object's owners of a revision.
func (o *owners) remember(j *journal, obj api.Object) {
	if o.remembered == nil {
		return
	}
	revision, _ := store.ParseRevision(obj.GetResourceVersion()) // the store wrote it
	if o.remembered[revision] == nil {
		o.recent = append(o.recent, revision)
	}
	o.remembered[revision] = &journal{Journal: j.Snapshot(), uid: j.uid, revision: revision}
	if len(o.recent) > mostRemembered {
		delete(o.remembered, o.recent[0])
		o.recent = o.recent[1:]
	}
}

// journal is the owners of one object: uid tells it from others that had its name.
type journal struct {
	managedfields.Journal
	uid types.UID
	// revision is that of the newest write that was noted.
	revision int64
}

func newOwners() *owners {
	return &owners{types: managedfields.NewTypes(), journals: map[store.Key]*journal{}, history: managedfields.History{}}
}

// History is what writes meant for the owners of fields; without a trace, only what applies did.
func (s *Server) History() managedfields.History { return s.owners.history }

// set replaces the owners of an object by those that an apply led to.
func (o *owners) set(key store.Key, obj api.Object, managers managedfields.Managers) {
	j := o.of(key, obj.GetUID())
	j.Set(managers)
	o.remember(j, obj)
	o.history.Add(obj, managedfields.Change{Managers: managers})
}

// of is the journal of an object, which is a stored one.
func (o *owners) of(key store.Key, uid types.UID) *journal {
	j := o.journals[key]
	if j == nil || j.uid != uid {
		if j != nil {
			j.Forget()
		}
		j = &journal{uid: uid}
		o.journals[key] = j
	}
	return j
}

// given takes over the owners that a client sends with an object, which is how kubectl moves them from one manager to
// another, and how somebody begins anew (an empty list). What can't be read is left out.
// Upstream: managedfields/fieldmanager.go, decodeLiveOrNew.
func (o *owners) given(key store.Key, obj api.Object, entries []metav1.ManagedFieldsEntry) {
	if entries == nil {
		return
	}
	if len(entries) == 1 && entries[0].Manager == "" && entries[0].FieldsV1 == nil {
		entries = nil
	}
	if managers, err := managedfields.FromEntries(entries); err == nil {
		o.set(key, obj, managers)
	}
}

// gone forgets an object that was deleted.
func (o *owners) gone(e store.Event) {
	if j := o.journals[e.Key]; e.Type == store.Deleted && j != nil && j.uid == e.Object.GetUID() {
		o.remember(j, e.Object)
		j.Forget()
		delete(o.journals, e.Key)
	}
}

// note says that a request made obj of old, which is nil for a new object.
func (s *Server) note(p *sim.Proc, c *call, e *registry.Store, old, obj api.Object) {
	if old == obj || old != nil && old.GetResourceVersion() == obj.GetResourceVersion() {
		return
	}
	w := managedfields.Write{Old: old, New: obj, Manager: manager(c), Subresource: c.Request.Subresource, At: p.Time()}
	if c.Request.Verb == client.Create {
		w.AsSent = func() api.Object {
			sent, err := s.decode(c, e)
			if err != nil {
				return obj // it could be read before
			}
			return sent
		}
	}
	j := s.owners.of(e.KeyOf(obj), obj.GetUID())
	j.revision, _ = store.ParseRevision(obj.GetResourceVersion()) // the store wrote it
	j.Note(s.owners.types, w, &s.owners.noted)
	s.owners.remember(j, obj)
	if s.kernel.Trace().Keeps(trace.StoreCommit) { // else nobody looks back, and the objects need not stay
		s.owners.history.Add(obj, managedfields.Change{Write: &w})
	}
}

// manager is the name under which a request writes.
// Upstream: endpoints/handlers/create.go, managerOrUserAgent.
func manager(c *call) string {
	if c.Request.FieldManager != "" {
		return c.Request.FieldManager
	}
	name, _, _ := strings.Cut(c.Caller.Component().Name(), "/")
	return name
}

// withManagedFields is a copy of a stored object with metadata.managedFields.
func (s *Server) withManagedFields(e *registry.Store, obj api.Object) api.Object {
	return s.ownedBy(s.owners.of(e.KeyOf(obj), obj.GetUID()), obj)
}

func (s *Server) ownedBy(j *journal, obj api.Object) api.Object {
	obj = obj.DeepCopyObject()
	obj.SetManagedFields(j.Managers(s.owners.types).Entries())
	return obj
}

// WithManagedFields is a copy of an object that was read here, with metadata.managedFields as they were at its revision, if that is
// remembered, and otherwise as they are now. What nobody owns stays as it is.
func (s *Server) WithManagedFields(obj api.Object) api.Object {
	j := s.journalOf(obj)
	if j == nil {
		return obj
	}
	return s.ownedBy(j, obj)
}

// Noted tells whether who wrote this version of an object is known, which it is once the write was answered.
func (s *Server) Noted(obj api.Object, revision int64) bool {
	j := s.journalOf(obj)
	return j != nil && j.revision >= revision
}

// journalOf is nil for an object that nobody owns.
func (s *Server) journalOf(obj api.Object) *journal {
	e := s.registries[api.KindOf(obj).GroupVersionResource()]
	if e == nil {
		return nil
	}
	revision, _ := store.ParseRevision(obj.GetResourceVersion())
	for _, j := range []*journal{s.owners.remembered[revision], s.owners.journals[e.KeyOf(obj)]} {
		if j != nil && j.uid == obj.GetUID() {
			return j
		}
	}
	return nil
}

// outgoing is an object as the request's group shows it, with what the request asks for.
func (s *Server) outgoing(c *call, e *registry.Store, obj api.Object) client.Result {
	if c.Request.ManagedFields {
		obj = s.withManagedFields(e, obj)
	}
	return e.Served(obj)
}
