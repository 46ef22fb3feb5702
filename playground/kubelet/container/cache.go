package container

import (
	"time"

	"kubewalk/playground/api/types"
	"kubewalk/playground/kubelet/mailbox"
	"kubewalk/playground/sim"
)

// Cache holds each Pod's state as the PLEG last saw it in the runtime. A pod
// worker that has changed something reads it with GetNewerThan, and so waits
// until the PLEG has looked again: it never acts twice on the same observation.
//
// Upstream: pkg/kubelet/container/cache.go.
type Cache struct {
	kernel *sim.Kernel
	pods   map[types.UID]entry
	// timestamp is when the last look at all Pods began: each entry is as good
	// as new at that time, since a Pod that had changed would have a newer one.
	timestamp   time.Duration
	looked      bool
	subscribers map[types.UID][]subscriber
	// ids are the subscribers' keys in order of their subscription.
	ids []types.UID
}

type entry struct {
	status   *PodStatus
	err      error
	modified time.Duration
}

type subscriber struct {
	newerThan time.Duration
	box       *mailbox.Box[entry]
}

// NewCache returns an empty cache.
func NewCache(k *sim.Kernel) *Cache {
	return &Cache{kernel: k, pods: map[types.UID]entry{}, subscribers: map[types.UID][]subscriber{}}
}

// Get returns a Pod's state; for a Pod that the cache does not know it is empty.
func (c *Cache) Get(id types.UID) (*PodStatus, error) {
	e := c.get(id)
	return e.status, e.err
}

func (c *Cache) get(id types.UID) entry {
	if e, ok := c.pods[id]; ok {
		return e
	}
	return entry{status: &PodStatus{ID: id}}
}

// newer returns a Pod's entry if it is from after that time.
func (c *Cache) newer(id types.UID, than time.Duration) (entry, bool) {
	e, known := c.pods[id]
	global := c.looked && c.timestamp > than
	if !known && global {
		return entry{status: &PodStatus{ID: id}, modified: c.timestamp}, true
	}
	if known && (e.modified > than || global) {
		return e, true
	}
	return entry{}, false
}

// GetNewerThan returns a Pod's state as it was after some time, and waits for it.
func (c *Cache) GetNewerThan(p *sim.Proc, id types.UID, than time.Duration) (*PodStatus, error) {
	if e, ok := c.newer(id, than); ok {
		return e.status, e.err
	}
	s := subscriber{than, mailbox.New[entry](c.kernel)}
	if len(c.subscribers[id]) == 0 {
		c.ids = append(c.ids, id)
	}
	c.subscribers[id] = append(c.subscribers[id], s)
	e := s.box.Get(p)
	return e.status, e.err
}

// Set stores what was seen of a Pod at a time. An older observation is ignored,
// which is told.
func (c *Cache) Set(id types.UID, status *PodStatus, err error, at time.Duration) bool {
	if e, ok := c.pods[id]; ok && at < e.modified {
		return false
	}
	c.pods[id] = entry{status, err, at}
	c.notify(id, at)
	return true
}

// Delete forgets a Pod.
func (c *Cache) Delete(id types.UID) { delete(c.pods, id) }

// UpdateTime says that all Pods were looked at at that time.
func (c *Cache) UpdateTime(at time.Duration) {
	c.timestamp, c.looked = at, true
	for _, id := range append([]types.UID(nil), c.ids...) {
		c.notify(id, at)
	}
}

func (c *Cache) notify(id types.UID, at time.Duration) {
	list, left := c.subscribers[id], []subscriber(nil)
	if len(list) == 0 {
		return
	}
	for _, s := range list {
		if at > s.newerThan {
			s.box.Put(c.get(id))
		} else {
			left = append(left, s)
		}
	}
	if len(left) > 0 {
		c.subscribers[id] = left
		return
	}
	delete(c.subscribers, id)
	for i, other := range c.ids {
		if other == id {
			c.ids = append(c.ids[:i:i], c.ids[i+1:]...)
			break
		}
	}
}
