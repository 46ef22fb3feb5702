package framework

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/types"
)

// PodInfo is a Pod and what it asks for, computed once.
// Upstream: pkg/scheduler/framework/types.go, PodInfo.
type PodInfo struct {
	Pod *corev1.Pod
	// Requested is what it asks for; NonZeroRequested is that with defaults for
	// what it leaves out.
	Requested        Resource
	NonZeroRequested Resource

	*podAffinity
}

// podAffinity is what a Pod's affinity says. Most Pods have none, and share one.
type podAffinity struct {
	RequiredAffinityTerms      []AffinityTerm
	RequiredAntiAffinityTerms  []AffinityTerm
	PreferredAffinityTerms     []WeightedAffinityTerm
	PreferredAntiAffinityTerms []WeightedAffinityTerm
	// AffinityError is a term that cannot be read. Terms of its kind are left out.
	AffinityError error
}

// NewPodInfo computes a Pod's requests, and its affinity terms.
func NewPodInfo(pod *corev1.Pod) *PodInfo {
	pi := &PodInfo{
		Pod:              pod,
		Requested:        NewResource(PodRequests(pod, false)),
		NonZeroRequested: NewResource(PodRequests(pod, true)),
	}
	pi.readAffinity()
	return pi
}

// NodeInfo is a node and the Pods on it, those included that are only assumed
// to be. Upstream: pkg/scheduler/framework/types.go, NodeInfo.
type NodeInfo struct {
	node *corev1.Node // nil when Pods are known to be on a node that is gone
	name string       // the node's, which every cycle asks many nodes for
	// The values of the two labels that every cycle asks many nodes for; nil when the node has none.
	zone, hostname *string

	Pods []*PodInfo // in the order in which they came
	// Those of them with affinity of any kind, and with required anti-affinity.
	PodsWithAffinity             []*PodInfo
	PodsWithRequiredAntiAffinity []*PodInfo

	UsedPorts HostPortInfo

	Requested        Resource
	NonZeroRequested Resource
	Allocatable      Resource

	// ImageStates is what images the node has, by name. Shared by snapshots.
	ImageStates map[string]ImageState

	// Generation grows with every change, so that a snapshot copies only what changed.
	Generation int64

	// counted is what Count found. Snapshots share it, until a Pod comes or goes; nil when nobody has asked.
	counted *counted
}

// counted are the newest answers of Count.
type counted struct {
	answers [4]answer
	next    int
}

// answer is how many Pods of a namespace a selector matches.
type answer struct {
	text, namespace string
	selector        labels.Selector // nil when there is none
	n               int64
}

// matches tells whether a Pod counts. Pods that are being deleted do not.
func (a *answer) matches(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Namespace == a.namespace && a.selector.Matches(labels.Set(pod.Labels))
}

// Count is how many of the node's Pods of a namespace a selector matches, without those that are being deleted. It is remembered
// under the selector's text, and follows the Pods that come and go. Else every cycle in a large cluster would look at every Pod.
func (n *NodeInfo) Count(text, namespace string, selector labels.Selector) int64 {
	if n.counted == nil {
		n.counted = &counted{}
	}
	c := n.counted
	for i := range c.answers {
		if a := &c.answers[i]; a.selector != nil && a.text == text && a.namespace == namespace {
			return a.n
		}
	}
	a := answer{text: text, namespace: namespace, selector: selector}
	for _, pi := range n.Pods {
		if a.matches(pi.Pod) {
			a.n++
		}
	}
	c.answers[c.next%len(c.answers)] = a
	c.next++
	return a.n
}

// follow brings the answers up to date with a Pod that came or went. Snapshots keep theirs.
func (c *counted) follow(pod *corev1.Pod, sign int64) *counted {
	if c == nil || c.next == 0 {
		return nil
	}
	after := *c
	for i := range after.answers {
		if a := &after.answers[i]; a.selector != nil && a.matches(pod) {
			a.n += sign
		}
	}
	return &after
}

// ImageState is an image's size and on how many nodes it is.
// Upstream: kube-scheduler/framework/types.go, ImageStateSummary.
type ImageState struct {
	Size     int64 // bytes
	NumNodes int
}

// NewNodeInfo makes a NodeInfo of a node and Pods, as tests do.
func NewNodeInfo(node *corev1.Node, pods ...*corev1.Pod) *NodeInfo {
	n := &NodeInfo{}
	if node != nil {
		n.SetNode(node)
	}
	for _, pod := range pods {
		n.AddPodInfo(NewPodInfo(pod))
	}
	return n
}

// Node is the API object; nil when it is gone.
func (n *NodeInfo) Node() *corev1.Node { return n.node }

// Name is "" when the node is gone.
func (n *NodeInfo) Name() string { return n.name }

// SetNode takes a new version of the node.
func (n *NodeInfo) SetNode(node *corev1.Node) {
	n.node, n.name = node, node.Name
	n.zone, n.hostname = label(node, corev1.LabelTopologyZone), label(node, corev1.LabelHostname)
	n.Allocatable = NewResource(node.Status.Allocatable)
	n.Generation++
}

func label(node *corev1.Node, key string) *string {
	if v, ok := node.Labels[key]; ok {
		return &v
	}
	return nil
}

// Label is the node's label under a key.
func (n *NodeInfo) Label(key string) (value string, ok bool) {
	var v *string
	switch key {
	case corev1.LabelTopologyZone:
		v = n.zone
	case corev1.LabelHostname:
		v = n.hostname
	default:
		value, ok = n.node.Labels[key]
		return value, ok
	}
	if v == nil {
		return "", false
	}
	return *v, true
}

// RemoveNode forgets the node, not its Pods: their own deletions are on their way.
func (n *NodeInfo) RemoveNode() {
	n.node, n.name, n.zone, n.hostname = nil, "", nil, nil
	n.Generation++
}

// AddPodInfo counts a Pod in.
func (n *NodeInfo) AddPodInfo(pi *PodInfo) {
	n.Pods = append(n.Pods, pi)
	if pi.hasAffinity() {
		n.PodsWithAffinity = append(n.PodsWithAffinity, pi)
	}
	if len(pi.RequiredAntiAffinityTerms) > 0 {
		n.PodsWithRequiredAntiAffinity = append(n.PodsWithRequiredAntiAffinity, pi)
	}
	n.update(pi, 1)
}

// RemovePod counts a Pod out. It is an error when it is not there.
func (n *NodeInfo) RemovePod(uid types.UID) error {
	for i, pi := range n.Pods {
		if pi.Pod.UID == uid {
			n.Pods = slices.Delete(slices.Clone(n.Pods), i, i+1)
			n.PodsWithAffinity = without(n.PodsWithAffinity, pi)
			n.PodsWithRequiredAntiAffinity = without(n.PodsWithRequiredAntiAffinity, pi)
			n.update(pi, -1)
			return nil
		}
	}
	return fmt.Errorf("no pod %q on node %q", uid, n.Name())
}

// without returns a list of its own, if the Pod is in the one given.
func without(list []*PodInfo, pi *PodInfo) []*PodInfo {
	if i := slices.Index(list, pi); i >= 0 {
		return slices.Delete(slices.Clone(list), i, i+1)
	}
	return list
}

func (n *NodeInfo) update(pi *PodInfo, sign int64) {
	n.counted = n.counted.follow(pi.Pod, sign)
	n.Requested.add(pi.Requested, sign)
	n.NonZeroRequested.add(pi.NonZeroRequested, sign)
	for _, port := range HostPorts(pi.Pod) {
		if sign > 0 {
			n.UsedPorts.Add(port)
		} else {
			n.UsedPorts.Remove(port)
		}
	}
	n.Generation++
}

// Snapshot is a copy that does not change when n does.
func (n *NodeInfo) Snapshot() *NodeInfo {
	if n.counted == nil {
		n.counted = &counted{}
	}
	c := *n
	c.Pods = slices.Clone(n.Pods)
	c.PodsWithAffinity = slices.Clone(n.PodsWithAffinity)
	c.PodsWithRequiredAntiAffinity = slices.Clone(n.PodsWithRequiredAntiAffinity)
	c.UsedPorts = slices.Clone(n.UsedPorts)
	c.Requested = n.Requested.Clone()
	c.NonZeroRequested = n.NonZeroRequested.Clone()
	return &c
}
