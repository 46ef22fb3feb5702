package plugins

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// mostDomainCounts is how many constraints are remembered.
const mostDomainCounts = 8

// domainCounts is how many Pods a constraint counts in each of its domains, over
// all nodes of a snapshot. The next snapshot differs in few nodes, so only those
// are looked at again: in a large cluster, that is what a cycle would spend most of its time on.
// Upstream has no such memory; it counts with 16 goroutines.
type domainCounts struct {
	constraint spreadConstraint
	namespace  string
	nodes      []countedNode // as in the snapshot's list
	version    int64         // of the list
	domains    map[string]int64
}

type countedNode struct {
	node       *framework.NodeInfo
	generation int64
	domain     string
	pods       int64
}

// remembers tells whether these are the counts of a constraint for a Pod. The constraint has to count every node (see countsEveryNode).
func (d *domainCounts) remembers(c *spreadConstraint, pod *corev1.Pod) bool {
	return d.constraint.text == c.text && d.constraint.topologyKey == c.topologyKey && d.namespace == pod.Namespace
}

// update brings the counts up to date.
func (d *domainCounts) update(snapshot framework.SharedLister) {
	all := snapshot.List()
	version, changed := snapshot.Changed()
	before := d.version
	d.version = version
	switch {
	case len(d.nodes) != len(all):
		d.nodes, d.domains = make([]countedNode, len(all)), map[string]int64{}
	case version == before:
		return
	case version == before+1:
		for _, i := range changed {
			d.look(i, all[i])
		}
		return
	}
	for i, n := range all {
		d.look(i, n)
	}
}

// look counts the Pods of a node again if it is not as it was.
func (d *domainCounts) look(i int, n *framework.NodeInfo) {
	counted := &d.nodes[i]
	if counted.node == n && counted.generation == n.Generation {
		return
	}
	if counted.node != nil {
		d.domains[counted.domain] -= counted.pods
	}
	domain, _ := n.Label(d.constraint.topologyKey)
	*counted = countedNode{n, n.Generation, domain, d.constraint.count(n, d.namespace)}
	d.domains[counted.domain] += counted.pods
}

// countsEveryNode tells whether the constraint counts the Pods of all nodes, wherever the Pod itself may go.
func (c *spreadConstraint) countsEveryNode(pod *corev1.Pod) bool {
	return !c.honorTaints && (c.ignoreAffinity || len(pod.Spec.NodeSelector) == 0 && requiredNodeSelector(pod) == nil)
}

// domainsOf returns the counts of a constraint that counts every node. They are true until the next call.
func (pl *podTopologySpread) domainsOf(c *spreadConstraint, pod *corev1.Pod, snapshot framework.SharedLister) map[string]int64 {
	for _, d := range pl.counts {
		if d.remembers(c, pod) {
			d.update(snapshot)
			return d.domains
		}
	}
	d := &domainCounts{constraint: *c, namespace: pod.Namespace}
	if len(pl.counts) == mostDomainCounts {
		pl.counts = append(pl.counts[:0], pl.counts[1:]...)
	}
	pl.counts = append(pl.counts, d)
	d.update(snapshot)
	return d.domains
}
