package dynamicresources

import (
	"fmt"

	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/assumecache"
	"kubewalk/playground/controlplane/scheduler/dynamicresources/structured"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
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
	rand     *sim.Rand // for what shares are called
}

type compiled struct {
	selector structured.Selector
	err      error
}

// maxCompiled is how many expressions are kept, which are all that most clusters have. Upstream keeps the 10 that were used last.
const maxCompiled = 100

func newManager(h framework.Handle, compile func(string) (structured.Selector, error)) *manager {
	factory, c := h.SharedInformerFactory(), h.Component()
	return &manager{
		claims: assumecache.New[*resourcev1.ResourceClaim](informers.ResourceClaims(factory).Informer().GetIndexer(), "ResourceClaim",
			func(key, _ string) error { return fmt.Errorf("could not find ResourceClaim %q", key) }),
		classes: informers.DeviceClasses(factory).Lister(), slices: informers.ResourceSlices(factory).Lister(),
		inFlight: map[types.UID]*resourcev1.ResourceClaim{}, compile: compile, compiled: map[string]compiled{},
		rand: c.Kernel().Rand(c.Name() + "/devices"),
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

// gather tells the search what claims have, or are about to have. Access for administrators leaves a device free. What a claim has that is in the
// cache while it is still about to have it counts once. Upstream: claimTracker.GatherAllocatedState.
func (m *manager) gather(a *structured.Allocator) {
	a.Allocated, a.Shared, a.Consumed = map[structured.DeviceID]bool{}, map[structured.DeviceID]bool{}, map[structured.DeviceID]structured.Capacity{}
	known := map[types.UID]bool{}
	add := func(claim *resourcev1.ResourceClaim) {
		if claim.Status.Allocation == nil {
			return
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			id := structured.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
			switch {
			case r.AdminAccess != nil && *r.AdminAccess:
			case r.ShareID == nil:
				a.Allocated[id] = true
			case !known[*r.ShareID]:
				known[*r.ShareID], a.Shared[id] = true, true
				if r.ConsumedCapacity == nil {
					continue
				}
				if a.Consumed[id] == nil {
					a.Consumed[id] = structured.Capacity{}
				}
				a.Consumed[id].Add(r.ConsumedCapacity)
			}
		}
	}
	for _, claim := range m.claims.List() {
		add(claim)
	}
	for _, claim := range m.inFlight { // order: sums
		add(claim)
	}
}

func key(claim *resourcev1.ResourceClaim) string { return claim.Namespace + "/" + claim.Name }
