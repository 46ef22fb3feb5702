package cacher

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/store"
)

func configMap(revision int64) api.Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("cm-", revision), Namespace: "default", ResourceVersion: fmt.Sprint(revision)}}
}

func keyOf(obj api.Object) store.Key {
	return store.Key{Resource: "configmaps", Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

func added(revision int64, at time.Duration) store.Event {
	obj := configMap(revision)
	return store.Event{Revision: revision, Type: store.Added, Key: keyOf(obj), Object: obj, At: at}
}

// since tells how many events there are after a revision, -1 for 410.
func since(t *testing.T, c *Cacher, revision int64) int {
	t.Helper()
	events, err := c.Since(revision)
	if apierrors.IsResourceExpired(err) {
		return -1
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Revision <= revision || i > 0 && e.Revision <= events[i-1].Revision {
			t.Fatalf("since %d: event %d is of revision %d", revision, i, e.Revision)
		}
	}
	return len(events)
}

// A window that begins with a list reaches back to the list, until events leave it: then every watch from before the oldest is told so.
func TestTheWindowsReach(t *testing.T) {
	c := New([]api.Object{configMap(7)}, keyOf, 10)
	if a, b, d := since(t, c, 9), since(t, c, 10), since(t, c, 11); a != -1 || b != 0 || d != 0 {
		t.Errorf("of a list at 10: %d, %d, %d events after 9, 10, 11, want 410, 0, 0", a, b, d)
	}
	// Slow enough that the window stays as large as it was.
	at := time.Duration(0)
	for i := range int64(lowerBoundCapacity) {
		at += time.Second
		c.Process(added(11+i, at))
	}
	if a, b := since(t, c, 9), since(t, c, 10); a != -1 || b != lowerBoundCapacity {
		t.Errorf("a full window: %d and %d events after 9 and 10, want 410 and %d", a, b, lowerBoundCapacity)
	}
	c.Process(added(11+lowerBoundCapacity, at+time.Second))
	if a, b, d := since(t, c, 10), since(t, c, 11), since(t, c, 11+lowerBoundCapacity); a != -1 || b != lowerBoundCapacity || d != 0 {
		t.Errorf("one more than it holds: %d, %d, %d events, want 410, %d, 0", a, b, d, lowerBoundCapacity)
	}
	if c.Len() != lowerBoundCapacity+2 || c.Revision() != 11+lowerBoundCapacity {
		t.Errorf("it holds %d objects at revision %d", c.Len(), c.Revision())
	}
}

// The window grows while its oldest event is fresh, and shrinks when a quarter of it goes back far enough; nothing that it forgets is taken for seen.
func TestTheWindowsSize(t *testing.T) {
	c := New(nil, keyOf, 1)
	revision, at := int64(1), time.Duration(0)
	add := func(n int, apart time.Duration) {
		for range n {
			revision, at = revision+1, at+apart
			c.Process(added(revision, at))
		}
	}
	add(5*lowerBoundCapacity, time.Millisecond)
	if n := since(t, c, 1); n != 5*lowerBoundCapacity {
		t.Errorf("after a burst there are %d events, want all", n)
	}
	if c.capacity != 8*lowerBoundCapacity {
		t.Errorf("the capacity is %d", c.capacity)
	}
	add(20*lowerBoundCapacity, 3*time.Second)
	if c.capacity != lowerBoundCapacity {
		t.Errorf("after a long quiet time the capacity is %d", c.capacity)
	}
	if a, b := since(t, c, revision-lowerBoundCapacity-1), since(t, c, revision-lowerBoundCapacity); a != -1 || b != lowerBoundCapacity {
		t.Errorf("%d and %d events around the window's begin, want 410 and %d", a, b, lowerBoundCapacity)
	}
}

func TestWatchers(t *testing.T) {
	c := New(nil, keyOf, 1)
	var got []string
	var second *Watcher
	first := c.Watch(func(e store.Event) {
		got = append(got, fmt.Sprint("first ", e.Revision))
		if e.Revision == 3 {
			second.Stop() // while events are handed out
		}
	})
	second = c.Watch(func(e store.Event) { got = append(got, fmt.Sprint("second ", e.Revision)) })
	c.Process(added(2, 0))
	c.Process(added(3, 0))
	first.Stop()
	first.Stop()
	c.Process(added(4, 0))
	if want := "[first 2 second 2 first 3]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	gone := added(3, 0)
	gone.Type, gone.Revision = store.Deleted, 5
	c.Process(gone)
	if c.Get(gone.Key) != nil || len(c.List("default")) != 2 || len(c.List("other")) != 0 {
		t.Errorf("left are %v", c.List(""))
	}
	c.Progress(9)
	c.Progress(8)
	if c.Revision() != 9 {
		t.Errorf("it has seen revision %d", c.Revision())
	}
}
