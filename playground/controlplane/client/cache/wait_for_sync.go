package cache

import (
	"time"

	"kubewalk/playground/sim"
)

// syncedPollPeriod is how often WaitForCacheSync looks.
const syncedPollPeriod = 100 * time.Millisecond

// InformerSynced tells whether an informer, or a handler of it, has synced.
type InformerSynced func() bool

// WaitForCacheSync waits until all have synced. It looks at once and then every
// 100 ms, as upstream, so that a controller starts up to that much later than
// its caches. It always returns true: a process does not outlive its component.
// Upstream: client-go/tools/cache/shared_informer.go WaitForCacheSync.
func WaitForCacheSync(p *sim.Proc, cacheSyncs ...InformerSynced) bool {
	for !all(cacheSyncs) {
		p.Sleep(syncedPollPeriod)
	}
	return true
}

// WaitForNamedCacheSync is WaitForCacheSync with a log line before and after.
func WaitForNamedCacheSync(p *sim.Proc, controllerName string, cacheSyncs ...InformerSynced) bool {
	p.Logger().Info("Waiting for caches to sync", "controller", controllerName)
	WaitForCacheSync(p, cacheSyncs...)
	p.Logger().Info("Caches are synced", "controller", controllerName)
	return true
}

func all(synced []InformerSynced) bool {
	for _, s := range synced {
		if !s() {
			return false
		}
	}
	return true
}
