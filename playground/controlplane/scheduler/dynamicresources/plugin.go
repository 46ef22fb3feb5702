// Package dynamicresources is the scheduler's plugin DynamicResources: a Pod with ResourceClaims goes to a node for which the claims have
// devices, or can get them, and gets them.
//
// A Pod whose claims are not there yet is not queued. For each node the plugin asks what could be allocated there (package structured); what
// was found for the node that is chosen counts as taken at once, and is written into the claims' status before the Pod is bound, together with
// the Pod that they are reserved for. If no node fits because an allocated claim that nobody uses is bound to others, that one is given back.
//
// A Pod whose devices have binding conditions is bound when these are met; if one fails, or if it takes too long, its claim is given back. A Pod
// that requests an extended resource for which a DeviceClass stands gets a claim that the plugin makes.
//
// It is in the larger build alone, and a cluster has it that has devices. Absent is what Kubernetes 1.36 has not switched on: DeviceTaintRules
// (DRADeviceTaintRules), claims of PodGroups (DRAWorkloadResourceClaims), and what claims take from a node's allocatable resources
// (DRANodeAllocatableResources).
//
// Upstream: pkg/scheduler/framework/plugins/dynamicresources.
package dynamicresources

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/nodeaffinity"
	"kubewalk/playground/api/resourceclaim"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/dynamicresources/structured"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
	"kubewalk/playground/sim"
)

// Name is the plugin's.
const Name = config.DynamicResources

// Args are the plugin's arguments; filterTimeout is not one here. Upstream: pkg/scheduler/apis/config, DynamicResourcesArgs.
type Args struct {
	BindingTimeout *metav1.Duration `json:"bindingTimeout,omitempty"`
}

// bindingTimeout is upstream's DynamicResourcesBindingTimeoutDefault.
const bindingTimeout = 600 * time.Second

// SetDefaults implements config.Args.
func (a *Args) SetDefaults() {
	if a.BindingTimeout == nil {
		a.BindingTimeout = &metav1.Duration{Duration: bindingTimeout}
	}
}

// Validate implements config.Args.
func (a *Args) Validate(path *field.Path) []error {
	if a.BindingTimeout.Duration < time.Second {
		return []error{field.Invalid(path.Child("bindingTimeout"), a.BindingTimeout, "must be at least 1 second")}
	}
	return nil
}

// NewArgs makes them.
func NewArgs() config.Args { return &Args{} }

// NewFactory makes the plugins of one scheduler, one to each profile: what one of them is about to allocate the others know.
// compile compiles selectors.
func NewFactory(compile func(expression string) (structured.Selector, error)) runtime.PluginFactory {
	var shared *manager
	return func(args config.Args, h framework.Handle) (framework.Plugin, error) {
		timeout := bindingTimeout
		if a, given := args.(*Args); given {
			timeout = a.BindingTimeout.Duration
		}
		if shared == nil {
			shared = newManager(h, compile)
		}
		return &plugin{h, shared, timeout}, nil
	}
}

// plugin is the plugin of one profile. Upstream: DynamicResources.
type plugin struct {
	handle         framework.Handle
	manager        *manager
	bindingTimeout time.Duration
}

// state is what PreFilter and Filter found. It is shared by copies of the cycle's state: who evicts Pods frees no devices.
type state struct {
	claims    []*claimState
	scalars   []framework.ScalarResource // that the Pod requests, if it has the special claim
	allocator *structured.Allocator      // nil if all are allocated
	byNode    map[string]*nodeAllocation
}

// nodeAllocation is what could be allocated on a node to the claims that have nothing yet. Upstream: the same name.
type nodeAllocation struct {
	results  []*resourcev1.AllocationResult
	extended *resourcev1.ResourceClaim // the special claim as the node needs it; nil if it needs none
	mappings []corev1.ContainerExtendedResourceRequest
}

type claimState struct {
	claim       *resourcev1.ResourceClaim
	uid         types.UID                    // by which it is known as in flight: the special claim gets another one when it is made
	extended    bool                         // it is the special one, for extended resources, and the last
	allocation  *resourcev1.AllocationResult // set by Reserve
	unavailable bool                         // it is allocated, and some node cannot reach it, or its devices will not be ready
}

func unschedulable(reason string) *framework.Status {
	return framework.NewStatus(framework.UnschedulableAndUnresolvable, reason)
}

// Name implements framework.Plugin.
func (*plugin) Name() string { return Name }

// EventsToRegister implements framework.EnqueueExtensions.
func (pl *plugin) EventsToRegister() []framework.ClusterEventWithHint {
	event := func(r framework.EventResource, a framework.ActionType) framework.ClusterEvent {
		return framework.ClusterEvent{Resource: r, ActionType: a}
	}
	return []framework.ClusterEventWithHint{
		{Event: event(framework.Node, framework.Add|framework.UpdateNodeLabel|framework.UpdateNodeAllocatable)},
		{Event: event(framework.ResourceClaim, framework.Add|framework.Update), QueueingHintFn: pl.isSchedulableAfterClaimChange},
		{Event: event(framework.Pod, framework.UpdatePodGeneratedResourceClaim), QueueingHintFn: pl.isSchedulableAfterPodChange},
		{Event: event(framework.DeviceClass, framework.Add|framework.Update)},
		{Event: event(framework.ResourceSlice, framework.Add|framework.Update)},
	}
}

func queueIf(helps bool) framework.QueueingHint {
	if helps {
		return framework.Queue
	}
	return framework.QueueSkip
}

func (pl *plugin) isSchedulableAfterClaimChange(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
	claims, err := pl.podResourceClaims(pod)
	if err != nil {
		return framework.QueueSkip
	}
	before, _ := oldObj.(*resourcev1.ResourceClaim)
	after := newObj.(*resourcev1.ResourceClaim)
	if before != nil && before.Status.Allocation != nil && after.Status.Allocation == nil {
		return framework.Queue // its devices are free now
	}
	uses := slices.ContainsFunc(claims, func(c *resourcev1.ResourceClaim) bool { return c.UID == after.UID })
	return queueIf(uses && (before == nil || !api.SemanticDeepEqual(&before.Status, &after.Status)))
}

func (pl *plugin) isSchedulableAfterPodChange(pod *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
	if after := newObj.(*corev1.Pod); after.UID == pod.UID {
		_, err := pl.podResourceClaims(after)
		return queueIf(err == nil)
	}
	return framework.QueueSkip
}

// podResourceClaims are a Pod's claims, if they can be used. Upstream: foreachPodResourceClaim.
func (pl *plugin) podResourceClaims(pod *corev1.Pod) (out []*resourcev1.ResourceClaim, err error) {
	for i := range pod.Spec.ResourceClaims {
		name, mustCheckOwner, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		claim, err := pl.manager.claims.Get(pod.Namespace+"/"+name, name)
		if err != nil {
			return nil, err
		}
		if claim.DeletionTimestamp != nil {
			return nil, fmt.Errorf("resourceclaim %q is being deleted", claim.Name)
		}
		if mustCheckOwner {
			if err := resourceclaim.IsForPod(pod, claim); err != nil {
				return nil, err
			}
		}
		out = append(out, claim)
	}
	return out, nil
}

// PreEnqueue implements framework.PreEnqueuePlugin.
func (pl *plugin) PreEnqueue(pod *corev1.Pod) *framework.Status {
	if _, err := pl.podResourceClaims(pod); err != nil {
		return unschedulable(err.Error())
	}
	return nil
}

// PreFilter implements framework.PreFilterPlugin.
func (pl *plugin) PreFilter(p *sim.Proc, cs *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) (*framework.PreFilterResult, *framework.Status) {
	s := &state{byNode: map[string]*nodeAllocation{}}
	cs.Write(Name, &state{})
	claims, err := pl.podResourceClaims(pod)
	if err != nil {
		return nil, unschedulable(err.Error())
	}
	special := pl.preFilterExtendedResources(pod, s)
	if special != nil {
		claims = append(claims, special)
	}
	if len(claims) == 0 {
		return nil, framework.NewStatus(framework.Skip)
	}
	allocate := false
	for _, claim := range claims {
		s.claims = append(s.claims, &claimState{claim: claim, uid: claim.UID, extended: claim == special})
		if claim.Status.Allocation != nil {
			continue
		}
		if pl.manager.inFlight[claim.UID] != nil {
			return nil, unschedulable(fmt.Sprintf("resource claim %s is in the process of being allocated", key(claim)))
		}
		allocate = true
		if claim == special {
			continue // what it asks for depends on the node
		}
		if status := pl.validateClasses(claim); status != nil {
			return nil, status
		}
	}
	if allocate {
		all, err := pl.manager.slices.List(nil)
		if err != nil {
			return nil, framework.AsStatus(err)
		}
		p.Logger().V(5).Info("Preparing allocation with structured parameters", "pod", framework.Key(pod))
		s.allocator = &structured.Allocator{Class: pl.manager.classes.Get, Slices: all, Compile: pl.manager.selector,
			ShareID: func() types.UID { return types.UID(pl.manager.rand.UUID()) }}
		pl.manager.gather(s.allocator)
	}
	cs.Write(Name, s)
	return nil, nil
}

// validateClasses looks for the classes that a claim names. Upstream: validateDeviceClass.
func (pl *plugin) validateClasses(claim *resourcev1.ResourceClaim) *framework.Status {
	check := func(class, request string) *framework.Status {
		if class == "" {
			return framework.AsStatus(fmt.Errorf("request %s: unsupported request type", request))
		}
		if _, found := pl.manager.classes.Find(class); !found {
			return unschedulable(fmt.Sprintf("request %s: device class %s does not exist", request, class))
		}
		return nil
	}
	for _, r := range claim.Spec.Devices.Requests {
		switch {
		case r.Exactly != nil:
			if status := check(r.Exactly.DeviceClassName, r.Name); status != nil {
				return status
			}
		case len(r.FirstAvailable) > 0:
			for _, sub := range r.FirstAvailable {
				if status := check(sub.DeviceClassName, r.Name+"/"+sub.Name); status != nil {
					return status
				}
			}
		default:
			return unschedulable(fmt.Sprintf("resource claim %s, request %s: unknown request type", key(claim), r.Name))
		}
	}
	return nil
}

// PreFilterExtensions implements framework.PreFilterPlugin: devices do not depend on other Pods.
func (*plugin) PreFilterExtensions() framework.PreFilterExtensions { return nil }

// read is the state; it is not there if another plugin has ended the cycle before.
func read(cs *framework.CycleState) (*state, *framework.Status) {
	if s, ok := framework.ReadState[*state](cs, Name); ok {
		return s, nil
	}
	return nil, framework.AsStatus(errors.New("not found"))
}

// toAllocate are the claims that have nothing yet. The special one is among them if the node needs it.
func (s *state) toAllocate(on *nodeAllocation) (out []*claimState) {
	for _, c := range s.claims {
		if c.claim.Status.Allocation == nil && (!c.extended || on != nil && on.extended != nil) {
			out = append(out, c)
		}
	}
	return out
}

// extended is the special claim; nil if there is none.
func (s *state) extended() *claimState {
	if n := len(s.claims); n > 0 && s.claims[n-1].extended {
		return s.claims[n-1]
	}
	return nil
}

// Filter implements framework.FilterPlugin.
func (pl *plugin) Filter(p *sim.Proc, cs *framework.CycleState, pod *corev1.Pod, info *framework.NodeInfo) *framework.Status {
	s, status := read(cs)
	if s == nil {
		return status
	}
	on := &nodeAllocation{}
	if on.extended, on.mappings, status = pl.filterExtendedResources(s, pod, info); status != nil {
		return status
	}
	if on.extended == nil && len(s.claims) == 1 && s.claims[0].extended {
		return nil // the node has them by itself
	}
	unavailable := false
	for _, c := range s.claims {
		if a := c.claim.Status.Allocation; a != nil && a.NodeSelector != nil && !nodeaffinity.Match(a.NodeSelector, info.Node()) {
			c.unavailable, unavailable = true, true
			p.Logger().V(5).Info("allocation's node selector does not match", "pod", framework.Key(pod), "node", info.Name(), "resourceclaim", key(c.claim))
			continue
		}
		if !hasBindingConditions(c.claim) {
			continue
		}
		ready, err := isClaimReadyForBinding(c.claim)
		switch {
		case err != nil:
			c.unavailable, unavailable = true, true
			p.Logger().V(5).Info("Claim failed binding conditions check", "pod", framework.Key(pod), "node", info.Name(), "resourceclaim", key(c.claim), "err", err)
		case !ready && pl.isClaimTimeout(p, c.claim):
			c.unavailable, unavailable = true, true
			p.Logger().V(5).Info("Claim timed out waiting for binding conditions", "pod", framework.Key(pod), "node", info.Name(), "resourceclaim", key(c.claim))
		}
	}
	if s.allocator != nil {
		var claims []*resourcev1.ResourceClaim
		for _, c := range s.toAllocate(on) {
			if c.extended {
				claims = append(claims, on.extended)
			} else {
				claims = append(claims, c.claim)
			}
		}
		found, err := s.allocator.Allocate(info.Node(), claims)
		switch {
		case errors.Is(err, structured.ErrTooManySteps):
			return framework.AsStatus(fmt.Errorf("node %s: timed out trying to allocate devices", info.Name()))
		case errors.Is(err, structured.ErrFailedAllocationOnNode):
			return unschedulable(err.Error())
		case err != nil:
			// Something is wrong with a claim or a class: no other node would help.
			return framework.AsStatus(err)
		case found == nil:
			return unschedulable("cannot allocate all claims")
		}
		on.results = found
		s.byNode[info.Name()] = on
	}
	if unavailable {
		return unschedulable("resourceclaim not available on the node")
	}
	return nil
}

// PostFilter implements framework.PostFilterPlugin: a claim that nobody uses is given back if it is what keeps the Pod from some node.
// Upstream takes any of them, here it is the first.
func (pl *plugin) PostFilter(p *sim.Proc, cs *framework.CycleState, pod *corev1.Pod, _ *framework.NodeToStatus) (*framework.PostFilterResult,
	*framework.Status) {
	s, status := read(cs)
	if s == nil {
		return nil, status
	}
	if len(s.claims) == 0 {
		return nil, framework.NewStatus(framework.Unschedulable, "no new claims to deallocate")
	}
	for _, c := range s.claims {
		users := c.claim.Status.ReservedFor
		if !c.unavailable || c.extended || len(users) > 1 || len(users) == 1 && users[0].UID != pod.UID {
			continue
		}
		claim := c.claim.DeepCopyObject().(*resourcev1.ResourceClaim)
		claim.Status = resourcev1.ResourceClaimStatus{}
		p.Logger().V(5).Info("Deallocation of ResourceClaim", "pod", framework.Key(pod), "resourceclaim", key(claim))
		if err := pl.updateStatus(p, claim); err != nil {
			return nil, framework.AsStatus(err)
		}
		return nil, framework.NewStatus(framework.Unschedulable, "deallocation of ResourceClaim completed")
	}
	if special := s.extended(); special != nil && special.claim.Name != specialClaimInMemName { // an earlier attempt has left it
		if err := pl.deleteClaim(p, special.claim); err != nil {
			return nil, framework.AsStatus(err)
		}
		return nil, framework.NewStatus(framework.Unschedulable, "deletion of ResourceClaim completed")
	}
	return nil, framework.NewStatus(framework.Unschedulable, "still not schedulable")
}

// Score implements framework.ScorePlugin: the earlier in its list an alternative stands that was found, the better. Upstream: computeScore.
func (pl *plugin) Score(_ *sim.Proc, cs *framework.CycleState, _ *corev1.Pod, node *framework.NodeInfo) (score int64, status *framework.Status) {
	s, status := read(cs)
	if s == nil {
		return 0, status
	}
	var found []*resourcev1.AllocationResult
	if on := s.byNode[node.Name()]; on != nil {
		found = on.results
	}
	for _, c := range s.claims {
		allocation := c.claim.Status.Allocation
		if allocation == nil && len(found) > 0 {
			allocation, found = found[0], found[1:]
		}
		if allocation == nil {
			continue
		}
		for _, r := range c.claim.Spec.Devices.Requests {
			for i, sub := range r.FirstAvailable {
				if slices.ContainsFunc(allocation.Devices.Results, func(d resourcev1.DeviceRequestAllocationResult) bool {
					return d.Request == r.Name+"/"+sub.Name
				}) {
					score += int64(resourcev1.FirstAvailableDeviceRequestMaxSize - i)
				}
			}
		}
	}
	return score, nil
}

// ScoreExtensions implements framework.ScorePlugin.
func (pl *plugin) ScoreExtensions() framework.ScoreExtensions { return pl }

// NormalizeScore implements framework.ScoreExtensions. Upstream: plugins/helper/normalize_score.go.
func (*plugin) NormalizeScore(_ *sim.Proc, _ *framework.CycleState, _ *corev1.Pod, scores []framework.NodeScore) *framework.Status {
	var largest int64
	for _, s := range scores {
		largest = max(largest, s.Score)
	}
	for i := range scores {
		if largest > 0 {
			scores[i].Score = framework.MaxNodeScore * scores[i].Score / largest
		}
	}
	return nil
}
