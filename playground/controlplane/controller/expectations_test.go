package controller

import (
	"reflect"
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newKernel(t *testing.T) *sim.Kernel {
	k := sim.New(1, epoch, trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	return k
}

func TestExpectations(t *testing.T) {
	type u = UIDTrackingControllerExpectations
	const key = "default/web"
	for _, c := range []struct {
		name      string
		do        func(k *sim.Kernel, u *u, log sim.Logger)
		satisfied bool
		add, del  int64
		uids      []string
	}{
		{"never set", func(*sim.Kernel, *u, sim.Logger) {}, true, 0, 0, nil},
		{"creations outstanding", func(_ *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectCreations(log, key, 3)
			u.CreationObserved(log, key)
		}, false, 2, 0, nil},
		{"all creations seen", func(_ *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectCreations(log, key, 2)
			u.CreationObserved(log, key)
			u.CreationObserved(log, key)
		}, true, 0, 0, nil},
		{"seen more often than expected", func(_ *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectCreations(log, key, 1)
			u.CreationObserved(log, key)
			u.CreationObserved(log, key)
		}, true, -1, 0, nil},
		{"a deletion seen twice counts once", func(_ *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectDeletions(log, key, []string{"default/a", "default/b"})
			u.DeletionObserved(log, key, "default/a")
			u.DeletionObserved(log, key, "default/a")
		}, false, 0, 1, []string{"default/b"}},
		{"somebody else's deletion does not count", func(_ *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectDeletions(log, key, []string{"default/a"})
			u.DeletionObserved(log, key, "default/z")
		}, false, 0, 1, []string{"default/a"}},
		{"another key's do not count", func(_ *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectCreations(log, key, 1)
			u.CreationObserved(log, "default/other")
		}, false, 1, 0, nil},
		{"waits for five minutes", func(k *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectCreations(log, key, 1)
			k.RunUntil(5 * time.Minute)
		}, false, 1, 0, nil},
		{"and not longer", func(k *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectCreations(log, key, 1)
			k.RunUntil(5*time.Minute + time.Nanosecond)
		}, true, 1, 0, nil},
		{"forgotten", func(_ *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectDeletions(log, key, []string{"default/a"})
			u.DeleteExpectations(log, key)
		}, true, 0, 0, nil},
		{"a new wait replaces the old", func(_ *sim.Kernel, u *u, log sim.Logger) {
			u.ExpectDeletions(log, key, []string{"default/a"})
			u.ExpectCreations(log, key, 2)
		}, false, 2, 0, []string{"default/a"}},
		{"raised and lowered", func(_ *sim.Kernel, u *u, log sim.Logger) {
			u.SetExpectations(log, key, 1, 1)
			u.RaiseExpectations(log, key, 2, 0)
			u.LowerExpectations(log, key, 3, 1)
		}, true, 0, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKernel(t)
			u := NewUIDTrackingControllerExpectations(NewControllerExpectations(k.Start("test")))
			c.do(k, u, k.Logger())
			if got := u.SatisfiedExpectations(k.Logger(), key); got != c.satisfied {
				t.Errorf("satisfied = %v, want %v", got, c.satisfied)
			}
			var add, del int64
			if e, ok := u.GetExpectations(key); ok {
				add, del = e.GetExpectations()
			}
			if add != c.add || del != c.del {
				t.Errorf("outstanding: add %d del %d, want add %d del %d", add, del, c.add, c.del)
			}
			if got := u.GetUIDs(key); !reflect.DeepEqual(got, c.uids) {
				t.Errorf("uids = %v, want %v", got, c.uids)
			}
		})
	}
}
