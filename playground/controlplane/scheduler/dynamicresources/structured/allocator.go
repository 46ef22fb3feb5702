package structured

import (
	"errors"
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/types"
)

// Selector says whether an expression selects a driver's device.
type Selector func(driver string, device *resourcev1.Device) (bool, error)

// Allocator finds devices for claims. It can be asked for one node after the other. Upstream: Allocator.
type Allocator struct {
	// Allocated are the devices that somebody has for himself.
	Allocated map[DeviceID]bool
	// Shared are the devices that were allocated and may be again, and Consumed is how much of their capacity was.
	Shared   map[DeviceID]bool
	Consumed map[DeviceID]Capacity
	// Class finds a DeviceClass.
	Class func(name string) (*resourcev1.DeviceClass, error)
	// Slices are all ResourceSlices.
	Slices []*resourcev1.ResourceSlice
	// Compile compiles the expression of a selector.
	Compile func(expression string) (Selector, error)
	// ShareID names one allocation of a device that has several.
	ShareID func() types.UID
}

// ErrFailedAllocationOnNode wraps what is wrong for one node alone. Upstream: the same name.
var ErrFailedAllocationOnNode = errors.New("")

// ErrTooManySteps says that the search for a node was given up. Upstream: context.DeadlineExceeded.
var ErrTooManySteps = errors.New("too many steps")

// maxSteps is about what upstream does in the time that it gives a node: DynamicResourcesArgs.FilterTimeout, 10 seconds.
const maxSteps = 100000

// errTooManyDevices says that a claim would have more devices than fit into its status. Upstream: errAllocationResultMaxSizeExceeded.
var errTooManyDevices = errors.New("allocation max size exceeded")

// allocation is a search for one node. Upstream: allocator.
type allocation struct {
	*Allocator
	node        *corev1.Node
	claims      []*resourcev1.ResourceClaim
	pools       []*pool
	requests    [][][]*request // by claim, request and alternative
	chosen      [][]int        // by claim and request: which alternative
	constraints [][]*constraint
	users       map[DeviceID][]int // the claims for which devices are taken
	consumed    map[DeviceID][]Capacity
	results     [][]result
	steps       int
}

// candidate is a device in a pool.
type candidate struct {
	pool   *pool
	slice  *resourcev1.ResourceSlice
	device *resourcev1.Device
	id     DeviceID
}

// result is a device for a request.
type result struct {
	candidate
	request  *request
	shared   bool
	consumed Capacity
}

// place is where a device stands: behind which one a request goes on to look for the next.
type place struct{ pool, slice, device int }

// Allocate finds devices for all claims, which have none yet, that a node can reach; nil if there are not enough. An error concerns all nodes
// unless it is ErrFailedAllocationOnNode. Upstream: Allocate.
func (a *Allocator) Allocate(node *corev1.Node, claims []*resourcev1.ResourceClaim) ([]*resourcev1.AllocationResult, error) {
	s := &allocation{Allocator: a, node: node, claims: claims, pools: a.gatherPools(node), users: map[DeviceID][]int{}, consumed: map[DeviceID][]Capacity{},
		results: make([][]result, len(claims))}
	for i, claim := range claims {
		if err := s.prepare(i, claim); err != nil {
			return nil, err
		}
	}
	done, err := s.from(0, 0)
	if err != nil {
		return nil, err
	}
	if !done {
		if slices.ContainsFunc(s.pools, func(p *pool) bool { return p.invalid }) {
			return nil, fmt.Errorf("invalid resource pools were encountered%w", ErrFailedAllocationOnNode)
		}
		return nil, nil
	}
	out := make([]*resourcev1.AllocationResult, len(claims))
	for i := range claims {
		if out[i], err = s.result(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// prepare looks at what a claim asks for.
func (a *allocation) prepare(index int, claim *resourcev1.ResourceClaim) error {
	least := 0
	requests := make([][]*request, len(claim.Spec.Devices.Requests))
	for i := range claim.Spec.Devices.Requests {
		requests[i] = alternatives(index, i, &claim.Spec.Devices.Requests[i])
		fewest := -1
		for _, r := range requests[i] {
			if err := a.check(claim, r); err != nil {
				return err
			}
			if fewest < 0 || r.devices < fewest {
				fewest = r.devices
			}
		}
		least += max(fewest, 0)
	}
	if least > resourcev1.AllocationResultsMaxSize {
		return fmt.Errorf("claim %s: number of requested devices %d exceeds the claim limit of %d", key(claim), least, resourcev1.AllocationResultsMaxSize)
	}
	var constraints []*constraint
	for i, c := range claim.Spec.Devices.Constraints {
		switch {
		case c.MatchAttribute != nil:
			constraints = append(constraints, &constraint{requests: c.Requests, attribute: string(*c.MatchAttribute)})
		case c.DistinctAttribute != nil:
			constraints = append(constraints, &constraint{requests: c.Requests, attribute: string(*c.DistinctAttribute), distinct: true})
		default:
			return fmt.Errorf("claim %s, constraint #%d: empty constraint (unsupported constraint type?)", key(claim), i)
		}
	}
	a.requests, a.chosen = append(a.requests, requests), append(a.chosen, make([]int, len(requests)))
	a.constraints = append(a.constraints, constraints)
	return nil
}

// from allocates everything from one request of one claim on.
func (a *allocation) from(claim, index int) (bool, error) {
	switch {
	case claim == len(a.claims):
		return true, nil
	case index == len(a.requests[claim]):
		done, err := a.from(claim+1, 0)
		if errors.Is(err, errTooManyDevices) {
			return false, nil // another choice for this claim may leave fewer devices to the next one
		}
		return done, err
	case a.requests[claim][index][0].parent == "":
		return a.devices(a.requests[claim][index][0], 0, place{})
	}
	tooMany := true
	for i, r := range a.requests[claim][index] {
		done, err := a.devices(r, 0, place{})
		if errors.Is(err, errTooManyDevices) {
			continue
		}
		tooMany = false
		if done || err != nil {
			a.chosen[claim][index] = i
			return done, err
		}
	}
	if tooMany {
		return false, errTooManyDevices
	}
	return false, nil
}

// devices allocates what a request needs beyond n devices, from a place on, and everything that follows. Upstream: allocateOne.
func (a *allocation) devices(r *request, n int, start place) (bool, error) {
	if a.steps++; a.steps > maxSteps {
		return false, ErrTooManySteps
	}
	switch {
	case r.mode == resourcev1.DeviceAllocationModeAll && len(r.all) == 0:
		return false, nil
	case n >= r.devices:
		return a.from(r.claim, r.index+1)
	case len(a.results[r.claim])+r.devices-n > resourcev1.AllocationResultsMaxSize:
		return false, errTooManyDevices
	case r.mode == resourcev1.DeviceAllocationModeAll:
		// Which ones they are is known, and one that cannot be had ends it.
		return a.with(r, n, r.all[n], place{})
	}
	for at := start; at.pool < len(a.pools); at = (place{pool: at.pool + 1}) {
		p := a.pools[at.pool]
		for ; at.slice < len(p.slices); at = (place{at.pool, at.slice + 1, 0}) {
			s := p.slices[at.slice]
			for ; at.device < len(s.Spec.Devices); at.device++ {
				c := candidate{p, s, &s.Spec.Devices[at.device], idOf(s, at.device)}
				if a.inUse(r, c.id) {
					continue
				}
				selectable, err := a.isSelectable(r, c)
				if err != nil {
					return false, err
				}
				if !selectable || !a.enough(r, c) {
					continue
				}
				if done, err := a.with(r, n, c, place{at.pool, at.slice, at.device + 1}); done || err != nil {
					return done, err
				}
			}
		}
	}
	return false, nil
}

// with goes on with a device, if it can be had, and then looks for the next one from a place on. Upstream: allocateDevice.
func (a *allocation) with(r *request, n int, c candidate, next place) (done bool, err error) {
	multiple := is(c.device.AllowMultipleAllocations)
	if a.inUse(r, c.id) {
		return false, nil
	}
	// What is allocated already has its counters.
	if !multiple || !a.capacityInUse(c.id) {
		defer func() {
			if !done {
				c.pool.left.giveBack(c.device)
			}
		}()
		if !c.pool.left.consume(c.device) {
			return false, nil
		}
	}
	if tainted(c.device, r) {
		return false, nil
	}
	added := 0
	defer func() {
		if !done {
			for _, constraint := range a.constraints[r.claim][:added] {
				constraint.remove(r)
			}
		}
	}()
	for _, constraint := range a.constraints[r.claim] {
		if !constraint.add(r, c.id, c.device) {
			if r.mode == resourcev1.DeviceAllocationModeAll {
				return false, fmt.Errorf("claim %s, request %s: cannot add device %s because a claim constraint would not be satisfied",
					key(a.claims[r.claim]), r.name, c.id)
			}
			return false, nil
		}
		added++
	}
	if !a.enough(r, c) {
		return false, nil
	}
	found := result{candidate: c, request: r, shared: multiple}
	results, users, consumed := a.results[r.claim], a.users[c.id], a.consumed[c.id]
	if multiple {
		found.consumed = consumedBy(r, c.device)
		a.consumed[c.id] = append(consumed, found.consumed)
	} else {
		a.users[c.id] = append(users, r.claim)
	}
	a.results[r.claim] = append(results, found)
	if done, err = a.devices(r, n+1, next); done {
		return true, nil
	}
	a.results[r.claim], a.users[c.id], a.consumed[c.id] = results, users, consumed
	return false, err
}

// inUse says that a device is not free. For an administrator it is, unless the same claim has it.
func (a *allocation) inUse(r *request, id DeviceID) bool {
	if r.adminAccess {
		return slices.Contains(a.users[id], r.claim)
	}
	return a.Allocated[id] || len(a.users[id]) > 0
}

// isSelectable says whether a device is what the class and the request select. Upstream: the same name.
func (a *allocation) isSelectable(r *request, c candidate) (bool, error) {
	if is, known := r.matches[c.id]; known {
		return is, nil
	}
	match, err := a.selectorsMatch("class "+r.class.Name, r.class.Spec.Selectors, c)
	if match && err == nil {
		match, err = a.selectorsMatch("claim "+key(a.claims[r.claim]), r.selectors, c)
	}
	if err != nil {
		return false, err
	}
	if is(c.slice.Spec.PerDeviceNodeSelection) {
		match = match && onNode(a.node, c.device.NodeName, c.device.AllNodes, c.device.NodeSelector)
	}
	r.matches[c.id] = match
	return match, nil
}

func (a *allocation) selectorsMatch(whose string, selectors []resourcev1.DeviceSelector, c candidate) (bool, error) {
	for i, s := range selectors {
		selector, err := a.Compile(s.CEL.Expression)
		if err != nil {
			return false, fmt.Errorf("%s: selector #%d: CEL compile error: %w", whose, i, err)
		}
		match, err := selector(c.id.Driver, c.device)
		if err != nil {
			return false, fmt.Errorf("%s: selector #%d: CEL runtime error: %w", whose, i, err)
		}
		if !match {
			return false, nil
		}
	}
	return true, nil
}

func key(claim *resourcev1.ResourceClaim) string { return claim.Namespace + "/" + claim.Name }
