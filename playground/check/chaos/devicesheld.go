package chaos

import (
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/nodeaffinity"
	"kubewalk/playground/api/resourceclaim"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/trace"
)

// deviceID is a device of gpuDriver, by its pool and name.
type deviceID struct{ pool, name string }

func devicesOf(claim *resourcev1.ResourceClaim) (out []deviceID) {
	if claim != nil && claim.Status.Allocation != nil {
		for _, r := range claim.Status.Allocation.Devices.Results {
			if r.AdminAccess == nil || !*r.AdminAccess {
				out = append(out, deviceID{r.Pool, r.Device})
			}
		}
	}
	return out
}

// large tells what a device is.
func large(d *resourcev1.Device) bool {
	size := d.Attributes["size"]
	return size.StringValue != nil && *size.StringValue == "large"
}

// reaches tells whether what is allocated can be used on a node.
func reaches(a *resourcev1.AllocationResult, node *corev1.Node) bool {
	return a.NodeSelector == nil || nodeaffinity.Match(a.NodeSelector, node)
}

// over tells whether a Pod uses nothing any more.
func over(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// devicesUnsettled: no claim is kept for a Pod that is gone or done, what is to go is gone, and a Pod waits only where devices are wanting.
func devicesUnsettled(s trace.State, say sayer) {
	claims, uses := map[string]*resourcev1.ResourceClaim{}, map[deviceID]bool{}
	pods, on := map[string]*corev1.Pod{}, map[string][]*corev1.Pod{}
	var nodes []*corev1.Node
	var all []*resourcev1.ResourceSlice
	var waiting []*corev1.Pod
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.Node:
			nodes = append(nodes, o)
		case *resourcev1.ResourceSlice:
			all = append(all, o)
		case *resourcev1.ResourceClaim:
			claims[c.Key] = o
			for _, id := range devicesOf(o) {
				uses[id] = true
			}
		case *corev1.Pod:
			pods[string(o.UID)] = o
			if o.Spec.NodeName != "" && !over(o) {
				on[o.Spec.NodeName] = append(on[o.Spec.NodeName], o)
			}
			if len(o.Spec.ResourceClaims) > 0 && o.DeletionTimestamp == nil && o.Status.Phase == corev1.PodPending {
				waiting = append(waiting, o)
			}
		}
	}
	for key, claim := range claims { // order: the sentences are sorted
		for _, r := range claim.Status.ReservedFor {
			if pod := pods[string(r.UID)]; pod == nil || over(pod) {
				say("claim %s is reserved for pod %s, which is gone or done", key, r.Name)
			}
		}
		if owner := metav1.GetControllerOf(claim); owner != nil && (pods[string(owner.UID)] == nil || over(pods[string(owner.UID)])) {
			say("claim %s was made for a pod that is gone or done", key)
		}
		if claim.DeletionTimestamp != nil && len(claim.Status.ReservedFor) == 0 {
			say("claim %s is to go, and no pod uses it", key)
		}
	}
	for _, pod := range waiting {
		own, missing := claimsOf(pod, claims)
		switch {
		case missing != "":
			say("pod %s has no claim of its template for %s", pod.Name, missing)
		case own == nil:
		case pod.Spec.NodeName == "":
			for _, n := range nodes {
				polite := pod.DeepCopy()
				polite.Spec.PreemptionPolicy = new(corev1.PreemptNever)
				if _, room := roomFor(polite, n, on[n.Name]); room && couldHave(own, n, all, uses) {
					say("pod %s waits, and node %s has devices for it", pod.Name, n.Name)
				}
			}
		case !strings.HasPrefix(pod.Name, gpuDirect):
			say("pod %s has a node and devices, and does not run", pod.Name)
		}
	}
}

// claimsOf are the claims that a Pod uses, if it can use all of them. missing names one for which there is a template and no claim.
func claimsOf(pod *corev1.Pod, claims map[string]*resourcev1.ResourceClaim) (out []*resourcev1.ResourceClaim, missing string) {
	usable := true
	for i := range pod.Spec.ResourceClaims {
		c := &pod.Spec.ResourceClaims[i]
		name, _, err := resourceclaim.Name(pod, c)
		claim := claims[pod.Namespace+"/"+name]
		if (err != nil || claim == nil) && c.ResourceClaimTemplateName != nil {
			return nil, c.Name
		}
		usable = usable && claim != nil && claim.DeletionTimestamp == nil
		out = append(out, claim)
	}
	if !usable {
		return nil, ""
	}
	return out, ""
}

// couldHave tells whether a Pod could have its claims on a node, what is free being shared out to who wants large devices first.
func couldHave(claims []*resourcev1.ResourceClaim, n *corev1.Node, all []*resourcev1.ResourceSlice, used map[deviceID]bool) bool {
	small, big := 0, 0 // free devices
	for _, s := range all {
		if s.Spec.NodeName != nil && *s.Spec.NodeName != n.Name {
			continue
		}
		for i := range s.Spec.Devices {
			switch {
			case used[deviceID{s.Spec.Pool.Name, s.Spec.Devices[i].Name}]:
			case large(&s.Spec.Devices[i]):
				big++
			default:
				small++
			}
		}
	}
	wantsBig, wantsAny := 0, 0
	for _, claim := range claims {
		if a := claim.Status.Allocation; a != nil {
			if !reaches(a, n) {
				return false
			}
			continue
		}
		switch request := claim.Spec.Devices.Requests[0].Name; {
		case request == "choice":
			wantsAny++
		case largeOnly(request):
			wantsBig++
		default:
			wantsAny += gpuCounts[request]
		}
	}
	return wantsBig <= big && wantsBig+wantsAny <= big+small
}

// heldDevices are the claims, slices and Pods of a moment of a run.
type heldDevices struct {
	say      sayer
	holder   map[deviceID]*resourcev1.ResourceClaim
	claims   map[string]*resourcev1.ResourceClaim // by namespace and name
	seen     map[deviceID][]*seenDevice           // what slices said, the newest last
	nodes    map[string]*corev1.Node
	pods     map[string]*corev1.Pod // by UID
	reserved map[string]bool        // claims and Pods, for which they were reserved at some time, by UIDs
	prepared map[string]bool        // by node and claim
}

type seenDevice struct {
	device *resourcev1.Device
	node   string // "" for all
	until  time.Duration
}

// stillSeen is how long after a slice has changed the scheduler may believe in what it said.
const stillSeen = 60 * time.Second

// devicesHold: no device is allocated to two claims; what is allocated was there, on the node that it is allocated for, and is what was asked for; a Pod
// gets a node when its claims are allocated there and reserved for it, and starts when they are prepared; and no claim goes that is in use.
func devicesHold(rec *trace.Recorder, say sayer) {
	h := &heldDevices{say, map[deviceID]*resourcev1.ResourceClaim{}, map[string]*resourcev1.ResourceClaim{}, map[deviceID][]*seenDevice{},
		map[string]*corev1.Node{}, map[string]*corev1.Pod{}, map[string]bool{}, map[string]bool{}}
	for i := range rec.Len() {
		switch e := rec.Event(trace.ID(i + 1)); e.Op {
		case trace.StoreCommit:
			for _, d := range e.Deltas {
				if d.Cell.Kind == trace.CellObject {
					h.written(e, d)
				}
			}
		case trace.SandboxStart:
			h.started(e)
		case trace.Log:
			node, is := strings.CutPrefix(e.Component, "kubelet/")
			switch {
			case !is:
			case e.Text("message") == "NodePrepareResources succeeded":
				h.prepared[node+" "+e.Text("claim")] = true
			case e.Text("message") == "NodeUnprepareResources succeeded":
				delete(h.prepared, node+" "+e.Text("claim"))
			}
		}
	}
}

func (h *heldDevices) written(e *trace.Event, d trace.Delta) {
	if was, ok := d.Old.(*resourcev1.ResourceSlice); ok {
		for _, id := range slices.Collect(maps.Keys(h.seen)) { // order: each by itself
			if last := h.seen[id][len(h.seen[id])-1]; id.pool == was.Spec.Pool.Name && last.until == 0 {
				last.until = e.At + stillSeen
			}
		}
	}
	switch now := d.New.(type) {
	case *resourcev1.ResourceSlice:
		node := ""
		if now.Spec.NodeName != nil {
			node = *now.Spec.NodeName
		}
		for i := range now.Spec.Devices {
			id := deviceID{now.Spec.Pool.Name, now.Spec.Devices[i].Name}
			h.seen[id] = append(h.seen[id], &seenDevice{device: &now.Spec.Devices[i], node: node})
		}
	case *corev1.Node:
		h.nodes[now.Name] = now
	case *corev1.Pod:
		was, _ := d.Old.(*corev1.Pod)
		h.pods[string(now.UID)] = now
		if was != nil && was.Spec.NodeName == "" && now.Spec.NodeName != "" {
			h.bound(e, now)
		}
	}
	was, before := d.Old.(*resourcev1.ResourceClaim)
	now, after := d.New.(*resourcev1.ResourceClaim)
	if before || after {
		h.claim(e, d.Cell.Key, was, now)
	}
}

func (h *heldDevices) claim(e *trace.Event, key string, was, now *resourcev1.ResourceClaim) {
	for _, id := range devicesOf(was) {
		if o := h.holder[id]; o != nil && o.UID == was.UID {
			delete(h.holder, id)
		}
	}
	for _, id := range devicesOf(now) {
		if o := h.holder[id]; o != nil {
			h.say("event %d: %s of %s is allocated to %s and to %s", e.ID, id.name, id.pool, o.Name, now.Name)
		}
		h.holder[id] = now
	}
	if now == nil {
		delete(h.claims, key)
		if len(was.Status.ReservedFor) > 0 {
			h.say("event %d: claim %s goes, and is reserved for %s", e.ID, key, was.Status.ReservedFor[0].Name)
		}
		return
	}
	h.claims[key] = now
	for _, r := range now.Status.ReservedFor {
		h.reserved[string(now.UID)+" "+string(r.UID)] = true
		if pod := h.pods[string(r.UID)]; pod != nil && now.Status.Allocation == nil {
			h.say("event %d: claim %s is reserved for pod %s, and has nothing", e.ID, key, r.Name)
		}
	}
	if now.Status.Allocation != nil && (was == nil || was.Status.Allocation == nil) {
		h.allocated(e, now)
	}
}

// allocated looks at what a claim gets.
func (h *heldDevices) allocated(e *trace.Event, claim *resourcev1.ResourceClaim) {
	counts := map[string]int{}
	for _, r := range claim.Status.Allocation.Devices.Results {
		counts[r.Request]++
		there := slices.ContainsFunc(h.seen[deviceID{r.Pool, r.Device}], func(s *seenDevice) bool {
			if s.until != 0 && s.until < e.At || largeOnly(r.Request) && !large(s.device) {
				return false
			}
			selector := claim.Status.Allocation.NodeSelector
			return s.node == "" || selector != nil && h.nodes[s.node] != nil && nodeaffinity.Match(selector, h.nodes[s.node])
		})
		if !there {
			h.say("event %d: claim %s gets %s of %s for its request %s, and there is no such device", e.ID, claim.Name, r.Device, r.Pool, r.Request)
		}
	}
	for request, n := range counts { // order: the sentences are sorted
		if n != gpuCounts[request] {
			h.say("event %d: claim %s gets %d devices for its request %s", e.ID, claim.Name, n, request)
		}
	}
}

// bound looks at a Pod that gets a node.
func (h *heldDevices) bound(e *trace.Event, pod *corev1.Pod) {
	for i := range pod.Spec.ResourceClaims {
		name, own, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		claim := h.claims[pod.Namespace+"/"+name]
		switch {
		case err != nil || claim == nil:
			h.say("event %d: pod %s gets a node, and claim %q is not there", e.ID, pod.Name, name)
		case own && !metav1.IsControlledBy(claim, pod):
			h.say("event %d: pod %s gets a node, and claim %s is another's", e.ID, pod.Name, name)
		case claim.Status.Allocation == nil || !reaches(claim.Status.Allocation, h.nodes[pod.Spec.NodeName]):
			h.say("event %d: pod %s gets node %s, and claim %s is not allocated there", e.ID, pod.Name, pod.Spec.NodeName, name)
		case !resourceclaim.IsReservedForPod(pod, claim):
			h.say("event %d: pod %s gets a node, and claim %s is not reserved for it", e.ID, pod.Name, name)
		}
	}
}

// started looks at a Pod that is about to run containers.
func (h *heldDevices) started(e *trace.Event) {
	pod := h.pods[e.Text("uid")]
	if pod == nil {
		return
	}
	node := strings.TrimPrefix(e.Component, "containerd/")
	for i := range pod.Spec.ResourceClaims {
		name, _, _ := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		key := pod.Namespace + "/" + name
		claim := h.claims[key]
		switch {
		case claim == nil: // of a Pod that was deleted by force
		case !h.reserved[string(claim.UID)+" "+string(pod.UID)]:
			h.say("event %d: pod %s starts, and claim %s was never reserved for it", e.ID, pod.Name, key)
		case len(devicesOf(claim)) > 0 && !h.prepared[node+" "+key]:
			h.say("event %d: pod %s starts, and claim %s is not prepared on %s", e.ID, pod.Name, key, node)
		}
	}
}
