package container

import (
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/mailbox"
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
	// stamp numbers the observations, since many happen at the same virtual time.
	stamp Stamp
	// looked is the last look at all Pods: each entry is as good as new then,
	// since a Pod that had changed would have a newer one.
	looked      Stamp
	subscribers map[types.UID][]subscriber
	// ids are the subscribers' keys in order of their subscription.
	ids []types.UID
}

// Stamp is a moment between two observations. The zero Stamp is before all.
type Stamp int64

type entry struct {
	status   *PodStatus
	err      error
	modified Stamp
}

type subscriber struct {
	newerThan Stamp
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

// Stamp is now.
func (c *Cache) Stamp() Stamp { return c.stamp }

// newer returns a Pod's entry if it is from after that moment.
func (c *Cache) newer(id types.UID, than Stamp) (entry, bool) {
	e, known := c.pods[id]
	global := c.looked > than
	if !known && global {
		return entry{status: &PodStatus{ID: id}, modified: c.looked}, true
	}
	if known && (e.modified > than || global) {
		return e, true
	}
	return entry{}, false
}

// GetNewerThan returns a Pod's state as it was after some moment, and waits for it.
func (c *Cache) GetNewerThan(p *sim.Proc, id types.UID, than Stamp) (*PodStatus, error) {
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

// Set stores what was seen of a Pod just now.
func (c *Cache) Set(id types.UID, status *PodStatus, err error) {
	c.stamp++
	c.pods[id] = entry{status, err, c.stamp}
	c.notify(id)
}

// Delete forgets a Pod.
func (c *Cache) Delete(id types.UID) { delete(c.pods, id) }

// UpdateTime says that all Pods were looked at just now.
func (c *Cache) UpdateTime() {
	c.stamp++
	c.looked = c.stamp
	for _, id := range append([]types.UID(nil), c.ids...) {
		c.notify(id)
	}
}

func (c *Cache) notify(id types.UID) {
	list, left := c.subscribers[id], []subscriber(nil)
	if len(list) == 0 {
		return
	}
	for _, s := range list {
		if c.stamp > s.newerThan {
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
