package dynamicresources

import (
	"fmt"

	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/assumecache"
	"kubewalk/playground/controlplane/scheduler/dynamicresources/structured"
)

// manager is what the profiles of one scheduler know together: claims as they will be, and what is about to be allocated.
// Upstream: dra_manager.go, DefaultDRAManager.
type manager struct {
	claims   *assumecache.Cache[*resourcev1.ResourceClaim]
	classes  listers.DeviceClassLister
	slices   listers.ResourceSliceLister
	inFlight map[types.UID]*resourcev1.ResourceClaim
	compile  func(expression string) (structured.Selector, error)
	compiled map[string]compiled
}

type compiled struct {
	selector structured.Selector
	err      error
}

// maxCompiled is how many expressions are kept, which are all that most clusters have. Upstream keeps the 10 that were used last.
const maxCompiled = 100

func newManager(factory informers.SharedInformerFactory, compile func(string) (structured.Selector, error)) *manager {
	return &manager{
		claims: assumecache.New[*resourcev1.ResourceClaim](informers.ResourceClaims(factory).Informer().GetIndexer(), "ResourceClaim",
			func(key, _ string) error { return fmt.Errorf("could not find ResourceClaim %q", key) }),
		classes: informers.DeviceClasses(factory).Lister(), slices: informers.ResourceSlices(factory).Lister(),
		inFlight: map[types.UID]*resourcev1.ResourceClaim{}, compile: compile, compiled: map[string]compiled{},
	}
}

// selector compiles an expression once.
func (m *manager) selector(expression string) (structured.Selector, error) {
	c, known := m.compiled[expression]
	if !known {
		if len(m.compiled) == maxCompiled {
			clear(m.compiled)
		}
		c.selector, c.err = m.compile(expression)
		m.compiled[expression] = c
	}
	return c.selector, c.err
}

// allocated are the devices that claims have, or are about to have. Access for administrators leaves a device free.
// Upstream: claimTracker.ListAllAllocatedDevices.
func (m *manager) allocated() map[structured.DeviceID]bool {
	out := map[structured.DeviceID]bool{}
	add := func(claim *resourcev1.ResourceClaim) {
		if claim.Status.Allocation == nil {
			return
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			if r.AdminAccess == nil || !*r.AdminAccess {
				out[structured.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}] = true
			}
		}
	}
	for _, claim := range m.claims.List() {
		add(claim)
	}
	for _, claim := range m.inFlight { // order: each adds its own
		add(claim)
	}
	return out
}

func key(claim *resourcev1.ResourceClaim) string { return claim.Namespace + "/" + claim.Name }
