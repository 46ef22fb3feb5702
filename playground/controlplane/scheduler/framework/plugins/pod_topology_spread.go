package plugins

import (
	"math/bits"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// podTopologySpread keeps Pods of a kind apart: over zones, over nodes, over
// whatever label a constraint names. DoNotSchedule constraints filter
// (pod_topology_filter.go), ScheduleAnyway ones rank (pod_topology_score.go). A
// Pod without constraints that belongs to a Service, ReplicationController,
// ReplicaSet or StatefulSet gets the profile's defaults, or the system's, which only rank.
// Upstream: plugins/podtopologyspread.
type podTopologySpread struct {
	handle             framework.Handle
	systemDefaulted    bool
	defaultConstraints []corev1.TopologySpreadConstraint
	owners             owners
	counts             []*domainCounts // of the constraints that rank, the newest last
}

// Reasons of nodes that a hard constraint excludes.
const (
	ErrReasonConstraintsNotMatch = "node(s) didn't match pod topology spread constraints"
	ErrReasonNodeLabelNotMatch   = ErrReasonConstraintsNotMatch + " (missing required label)"
)

func newPodTopologySpread(args config.Args, h framework.Handle) (framework.Plugin, error) {
	a := args.(*config.PodTopologySpreadArgs)
	pl := &podTopologySpread{handle: h, defaultConstraints: a.DefaultConstraints}
	if a.DefaultingType == config.SystemDefaulting {
		pl.systemDefaulted, pl.defaultConstraints = true, systemDefaultConstraints
	}
	if len(pl.defaultConstraints) > 0 {
		pl.owners = newOwners(h.SharedInformerFactory())
	}
	return pl, nil
}

func (*podTopologySpread) Name() string { return PodTopologySpread }

// systemDefaultConstraints is how much skew is accepted before it counts.
// Upstream: plugins/podtopologyspread/plugin.go, systemDefaultConstraints.
var systemDefaultConstraints = []corev1.TopologySpreadConstraint{
	{MaxSkew: 3, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway},
	{MaxSkew: 5, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.ScheduleAnyway},
}

// spreadConstraint is a constraint of the Pod, ready to use.
type spreadConstraint struct {
	maxSkew        int
	topologyKey    string
	selector       labels.Selector
	text           string // of the selector
	minDomains     int
	ignoreAffinity bool // nodeAffinityPolicy: Ignore
	honorTaints    bool // nodeTaintsPolicy: Honor
}

// constraints returns those of one kind: the Pod's own, or the defaults when it
// has none of any kind. An error is in a label selector.
func (pl *podTopologySpread) constraints(pod *corev1.Pod, action corev1.UnsatisfiableConstraintAction) ([]spreadConstraint, error) {
	if len(pod.Spec.TopologySpreadConstraints) > 0 {
		return filterConstraints(pod, pod.Spec.TopologySpreadConstraints, action)
	}
	out, err := filterConstraints(pod, pl.defaultConstraints, action)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	selector := pl.owners.DefaultSelector(pod)
	if selector.Empty() {
		return nil, nil // it belongs to nothing
	}
	text := selector.String()
	for i := range out {
		out[i].selector, out[i].text = selector, text
	}
	return out, nil
}

func filterConstraints(pod *corev1.Pod, list []corev1.TopologySpreadConstraint, action corev1.UnsatisfiableConstraintAction) ([]spreadConstraint, error) {
	var out []spreadConstraint
	for i := range list {
		c := &list[i]
		if c.WhenUnsatisfiable != action {
			continue
		}
		selector, err := labels.LabelSelectorAsSelector(withMatchLabelKeys(c, pod))
		if err != nil {
			return nil, err
		}
		sc := spreadConstraint{maxSkew: int(c.MaxSkew), topologyKey: c.TopologyKey, selector: selector, text: selector.String(), minDomains: 1}
		if c.MinDomains != nil {
			sc.minDomains = int(*c.MinDomains)
		}
		if c.NodeAffinityPolicy != nil {
			sc.ignoreAffinity = *c.NodeAffinityPolicy == corev1.NodeInclusionPolicyIgnore
		}
		if c.NodeTaintsPolicy != nil {
			sc.honorTaints = *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor
		}
		out = append(out, sc)
	}
	return out, nil
}

// withMatchLabelKeys narrows the selector to siblings with the same values.
func withMatchLabelKeys(c *corev1.TopologySpreadConstraint, pod *corev1.Pod) *metav1.LabelSelector {
	if len(c.MatchLabelKeys) == 0 || c.LabelSelector == nil {
		return c.LabelSelector
	}
	s := c.LabelSelector.DeepCopy()
	for _, key := range c.MatchLabelKeys {
		if v, ok := pod.Labels[key]; ok {
			s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{
				Key: key, Operator: metav1.LabelSelectorOpIn, Values: []string{v}})
		}
	}
	return s
}

// includes tells whether a node's Pods count for the constraint.
func (c *spreadConstraint) includes(pod *corev1.Pod, node *corev1.Node) bool {
	if !c.ignoreAffinity && !matchesNode(pod, node) {
		return false
	}
	if c.honorTaints {
		if _, untolerated := untoleratedTaint(node, pod.Spec.Tolerations); untolerated {
			return false
		}
	}
	return true
}

// count is how many Pods of the namespace on the node the constraint counts. Pods that are being deleted do not.
func (c *spreadConstraint) count(node *framework.NodeInfo, namespace string) int64 {
	return node.Count(c.text, namespace, c.selector)
}

func hasAllTopologyKeys(node *corev1.Node, cs []spreadConstraint) bool {
	for i := range cs {
		if _, ok := node.Labels[cs[i].topologyKey]; !ok {
			return false
		}
	}
	return true
}

// logMilli is 1000 × ln(n), rounded to the nearest thousandth, for n ≥ 1. It is
// computed from whole numbers, since math.Log differs between processors:
// ln n = ln 2 × (floor of log2 n + bits of the fraction by repeated squaring).
func logMilli(n int64) int64 {
	e := bits.Len64(uint64(n)) - 1
	// m is n / 2^e in [1, 2), with 31 bits behind the point.
	m := uint64(n) << 31 >> e
	if e > 31 {
		m = uint64(n) >> (e - 31)
	}
	log2 := uint64(e) << 24
	for bit := uint64(1) << 23; bit > 0; bit >>= 1 {
		m = m * m >> 31
		if m >= 1<<32 {
			m >>= 1
			log2 |= bit
		}
	}
	const ln2 = 693_147_181 // billionths
	hi, lo := bits.Mul64(log2, ln2)
	q, _ := bits.Div64(hi, lo, 1<<24)
	return int64(q+500_000) / 1_000_000
}
