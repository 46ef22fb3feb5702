package store

import (
	"errors"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// errMoved says that a transaction's condition was not met: somebody else wrote the key meanwhile.
var errMoved = errors.New("mod revision moved")

// Create stores an object under a free key and returns it with its resourceVersion. obj itself is kept and changed: the
// caller gives it away. The error is ErrExists if the key is taken.
// Upstream: etcd3/store.go, store.Create.
func (s *Store) Create(p *sim.Proc, key Key, obj api.Object) (api.Object, error) {
	err := s.txn(p, key, nil, Added, obj)
	if err == errMoved {
		return nil, ErrExists
	}
	if err != nil {
		return nil, err
	}
	return obj, nil
}

// GuaranteedUpdate replaces the object under a key by what tryUpdate makes of it. Should somebody else write the key
// between the read and the write, tryUpdate is asked again with what they wrote: it may run several times, and must not
// change its argument. What it returns is kept and changed. If it returns its argument, or something equal, nothing is
// written and the revision stays. An error of tryUpdate ends the update, as does ErrNotFound.
// Upstream: etcd3/store.go, store.GuaranteedUpdate.
func (s *Store) GuaranteedUpdate(p *sim.Proc, key Key, tryUpdate func(current api.Object) (api.Object, error)) (api.Object, error) {
	current, err := s.Get(p, key)
	for {
		if err != nil {
			return nil, err
		}
		updated, err := tryUpdate(current)
		if err != nil {
			return nil, err
		}
		if updated == current || s.unchanged(updated, current) {
			return current, nil
		}
		switch err = s.txn(p, key, current, Modified, updated); err {
		case nil:
			return updated, nil
		case errMoved:
			if p != nil && p.Logger().Enabled() {
				p.Logger().V(4).Info("GuaranteedUpdate failed because of a conflict, going to retry", "key", key)
			}
			current, err = s.Get(p, key)
		default:
			return nil, err
		}
		if err != nil {
			return nil, err
		}
	}
}

// unchanged compares all but the resourceVersion, which the store sets itself.
func (s *Store) unchanged(updated, current api.Object) bool {
	updated.SetResourceVersion(current.GetResourceVersion())
	return api.Equal(updated, current)
}

// Reserve makes room for so many objects of a resource that has none.
func (s *Store) Reserve(resource string, objects int) { s.tables[resource] = NewTable(objects) }

// Restore puts an object under a key that is free, before anybody watches: what was in a snapshot. It takes no time. The
// object is kept and changed. After the last one comes Restored.
func (s *Store) Restore(key Key, obj api.Object) { s.put(key, Added, obj) }

// Restored forgets the history, as etcd does that begins with a snapshot: nothing can be watched from before it.
func (s *Store) Restored() {
	s.compacted = s.revision
}

// Delete removes the object under a key, if the preconditions hold and validate, which may be nil, does not object. It
// returns the object as it was last, with the revision of the deletion.
// Upstream: etcd3/store.go, store.Delete.
func (s *Store) Delete(p *sim.Proc, key Key, c Preconditions, validate func(obj api.Object) error) (api.Object, error) {
	for {
		current, err := s.Get(p, key)
		if err != nil {
			return nil, err
		}
		if err := c.Check(key, current); err != nil {
			return nil, err
		}
		if validate != nil {
			if err := validate(current); err != nil {
				return nil, err
			}
		}
		last := current.DeepCopyObject()
		switch err := s.txn(p, key, current, Deleted, last); err {
		case nil:
			return last, nil
		case errMoved:
		default:
			return nil, err
		}
	}
}

// txn commits a change if the key still holds what the caller saw (nil for nothing).
func (s *Store) txn(p *sim.Proc, key Key, seen api.Object, typ EventType, obj api.Object) error {
	if err := s.roundTrip(p, s.opts.WriteMin, s.opts.WriteMax); err != nil {
		return err
	}
	if s.fault.full && p != nil && typ != Deleted { // a transaction that puts nothing is let through: see SetFull
		return errNoSpace
	}
	if s.Current(key) != seen {
		return errMoved
	}
	id := s.commit(key, seen, typ, obj)
	if p != nil {
		p.Due(id)
	}
	return nil
}

// commit makes the change, tells it to the trace and to the watchers. It is etcd's code, whoever called.
func (s *Store) commit(key Key, previous api.Object, typ EventType, obj api.Object) (id trace.ID) {
	id = s.put(key, typ, obj)
	event := Event{Revision: s.revision, Type: typ, Key: key, Object: obj, Previous: previous, At: s.kernel.Elapsed(), Cause: id}
	s.history = append(s.history, event)
	s.notify(event)
	return id
}

// put makes the change and tells it to the trace.
func (s *Store) put(key Key, typ EventType, obj api.Object) (id trace.ID) {
	t := s.table(key.Resource)
	s.revision++
	obj.SetResourceVersion(strconv.FormatInt(s.revision, 10))
	if typ == Deleted {
		t.Set(key, nil)
	} else {
		t.Set(key, obj)
	}
	if !s.kernel.Trace().Keeps(trace.StoreCommit) {
		return 0
	}
	cell := trace.Cell{Kind: trace.CellObject, Owner: key.Resource, Key: key.Ref().Key()}
	delta := trace.Set(cell, obj)
	if typ == Deleted {
		delta = trace.Unset(cell)
	}
	s.etcd.Run(func() {
		id = s.kernel.Emit(trace.StoreCommit, key.Ref(), trace.Attrs("revision", s.revision, "type", string(typ)),
			delta, trace.Set(trace.Cell{Kind: trace.CellRevision, Owner: "store"}, s.revision))
	})
	return id
}

func (s *Store) table(resource string) *Table {
	t := s.tables[resource]
	if t == nil {
		t = NewTable(0)
		s.tables[resource] = t
	}
	return t
}
