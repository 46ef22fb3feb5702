// Package store is the cluster's memory: what etcd keeps, and the part of the API server that speaks to etcd. Whatever
// the cluster knows, it knows from here, so it outlives every other program.
//
// Guarantees. Every change is a commit and gets the next revision, one number for all resources; an object's
// resourceVersion is the revision that wrote it. Objects are immutable: a change stores another object. Writes are
// optimistic: they say which revision of the object they saw, and fail if it is not the newest. A watch delivers every
// commit after its revision once and in order. A list is of one revision. Reads are linearizable.
//
// etcd can be stopped and started. Meanwhile requests wait (see connection); watches go on afterwards.
//
// Simplified: one member instead of a Raft group, no disk, and values are Go objects instead of bytes. Absent: leases
// (the API server deletes Events when their hour is over), transactions over several keys, authentication.
//
// Upstream: apiserver/pkg/storage/etcd3/store.go; etcd's server/storage/mvcc.
package store

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Key names an object in the store. Upstream's is a path: /registry/pods/default/web.
type Key struct {
	Resource  string // plural
	Namespace string // "" for cluster-scoped resources
	Name      string
}

// Ref is the key as the trace writes it.
func (k Key) Ref() trace.Ref { return trace.Ref(k) }

// String is the key as upstream's errors show it.
func (k Key) String() string {
	if k.Namespace == "" {
		return "/registry/" + k.Resource + "/" + k.Name
	}
	return "/registry/" + k.Resource + "/" + k.Namespace + "/" + k.Name
}

// EventType tells what a commit did to its key.
type EventType string

// As the trace writes them.
const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"
)

// Event is one commit.
type Event struct {
	Revision int64
	Type     EventType
	Key      Key
	// Object is the new value. For Deleted it is the last value with the revision of the deletion.
	Object api.Object
	// Previous is the value before; nil for Added.
	Previous api.Object
	At       time.Duration
	// Cause is the StoreCommit event; 0 when the trace does not keep it.
	Cause trace.ID
}

// Options are the store's latencies.
type Options struct {
	// A read or a write takes a time between the two, both ends included. For a write that is the round trip to
	// etcd and its fsync.
	ReadMin, ReadMax   time.Duration
	WriteMin, WriteMax time.Duration
}

// DefaultOptions is etcd on a local solid-state disk.
func DefaultOptions() Options {
	return Options{
		ReadMin: 200 * time.Microsecond, ReadMax: 600 * time.Microsecond,
		WriteMin: 1 * time.Millisecond, WriteMax: 3 * time.Millisecond,
	}
}

// Store is one etcd. Objects that it takes and returns must not be changed.
type Store struct {
	kernel    *sim.Kernel
	etcd      *sim.Component
	opts      Options
	rand      *sim.Rand
	revision  int64 // of the newest commit
	compacted int64 // events up to it are no longer in the history
	history   []Event
	tables    map[string]*Table
	watchers  []*Watcher // in the order in which they were opened
	fault     fault

	connection connection
}

// New makes an empty store in etcd's component. Its first commit has revision 2: etcd counts its own start as 1.
func New(etcd *sim.Component, opts Options) *Store {
	s := &Store{
		kernel:    etcd.Kernel(),
		opts:      opts,
		rand:      etcd.Kernel().Rand("etcd"),
		revision:  1,
		compacted: 1,
		tables:    map[string]*Table{},
	}
	s.Start(etcd)
	return s
}

var (
	// ErrNotFound says that there is nothing under the key.
	ErrNotFound = errors.New("key not found")
	// ErrExists says that the key is taken.
	ErrExists = errors.New("key exists")
	// ErrCompacted says that the history no longer reaches back to the revision.
	ErrCompacted = errors.New("etcdserver: mvcc: required revision has been compacted")
	// ErrFutureRevision says that no commit has had the revision yet.
	ErrFutureRevision = errors.New("etcdserver: mvcc: required revision is a future revision")
)

// PreconditionError says that the object is not the one that the caller meant. Upstream: storage/errors.go,
// NewInvalidObjError, with whose words it speaks.
type PreconditionError struct {
	Key     Key
	Message string
}

func (e *PreconditionError) Error() string {
	return fmt.Sprintf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: %s", e.Key, e.Message)
}

// Preconditions are what has to be true of an object for a change to be made. Empty strings ask for nothing.
// Upstream: storage/interfaces.go, Preconditions.
type Preconditions struct {
	UID             string
	ResourceVersion string
}

// Check compares obj with the preconditions.
func (c Preconditions) Check(key Key, obj api.Object) error {
	if uid := string(obj.GetUID()); c.UID != "" && c.UID != uid {
		return &PreconditionError{key, fmt.Sprintf("Precondition failed: UID in precondition: %v, UID in object meta: %v", c.UID, uid)}
	}
	if v := obj.GetResourceVersion(); c.ResourceVersion != "" && c.ResourceVersion != v {
		return &PreconditionError{key, fmt.Sprintf("Precondition failed: ResourceVersion in precondition: %v, ResourceVersion in object meta: %v", c.ResourceVersion,
			v)}
	}
	return nil
}

// Revision is the newest commit's.
func (s *Store) Revision() int64 { return s.revision }

// Compacted is the revision up to which the history was dropped.
func (s *Store) Compacted() int64 { return s.compacted }

// Get reads one object.
func (s *Store) Get(p *sim.Proc, key Key) (api.Object, error) {
	if err := s.read(p); err != nil {
		return nil, err
	}
	if obj := s.Current(key); obj != nil {
		return obj, nil
	}
	return nil, ErrNotFound
}

// Current is the object under a key as it is now, nil if there is none. It takes no time: it is for checkers and tests.
func (s *Store) Current(key Key) api.Object {
	if t := s.tables[key.Resource]; t != nil {
		return t.Get(key)
	}
	return nil
}

// List reads the objects of a resource, those of one namespace unless namespace is "", in the order of their keys.
// revision says of which moment: 0 is now. The list's revision is returned.
func (s *Store) List(p *sim.Proc, resource, namespace string, revision int64) ([]api.Object, int64, error) {
	if err := s.read(p); err != nil {
		return nil, 0, err
	}
	switch {
	case revision == 0:
		revision = s.revision
	case revision < s.compacted:
		return nil, 0, ErrCompacted
	case revision > s.revision:
		return nil, 0, ErrFutureRevision
	}
	return s.At(resource, namespace, revision), revision, nil
}

// At returns what List would of a revision that is not compacted. It takes no time. The slice must not be changed.
func (s *Store) At(resource, namespace string, revision int64) []api.Object {
	t := s.tables[resource]
	if t == nil {
		return nil
	}
	if revision < s.revision {
		t = s.past(t, resource, revision)
	}
	return t.List(namespace)
}

// past undoes commits on a copy of a table.
func (s *Store) past(now *Table, resource string, revision int64) *Table {
	t := now.Clone()
	for i := len(s.history) - 1; i >= 0 && s.history[i].Revision > revision; i-- {
		if e := &s.history[i]; e.Key.Resource == resource {
			t.Set(e.Key, e.Previous)
		}
	}
	return t
}

// History lists the commits after a revision that were not compacted. The slice must not be changed.
func (s *Store) History(after int64) []Event {
	i := sort.Search(len(s.history), func(i int) bool { return s.history[i].Revision > after })
	return s.history[i:len(s.history):len(s.history)]
}

// ParseRevision reads a resourceVersion; "" is 0.
func ParseRevision(resourceVersion string) (int64, error) {
	if resourceVersion == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(resourceVersion, 10, 63)
	return int64(n), err
}
