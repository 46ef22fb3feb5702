package kubelet

import (
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/container"
)

// reasonCache holds why a container could not be started, for its status.
// Upstream: reason_cache.go.
type reasonCache struct{ items map[reasonKey]reason }

type reasonKey struct {
	uid  types.UID
	name string
}

type reason struct {
	err     error
	message string
}

func newReasonCache() *reasonCache { return &reasonCache{map[reasonKey]reason{}} }

// Update takes over what a sync says of the containers that it wanted to start.
func (c *reasonCache) Update(uid types.UID, result *container.PodSyncResult) {
	for _, r := range result.SyncResults {
		if r.Action != container.StartContainer {
			continue
		}
		key := reasonKey{uid, r.Target}
		if r.Error != nil {
			c.items[key] = reason{r.Error, r.Message}
		} else {
			delete(c.items, key)
		}
	}
}

// Get returns the reason of a container's last failure to start.
func (c *reasonCache) Get(uid types.UID, name string) (reason, bool) {
	r, ok := c.items[reasonKey{uid, name}]
	return r, ok
}

// Forget drops a Pod's reasons.
func (c *reasonCache) Forget(known func(types.UID) bool) {
	for key := range c.items { // order: deleting has none
		if !known(key.uid) {
			delete(c.items, key)
		}
	}
}
