package cluster

import (
	"fmt"
	"slices"
)

// Partition lets no packet pass between the API server and a component, or a whole node: Component or Node. Where there
// is a network, no packet passes between the node and others either. Nobody is told: requests and watches wait until
// their client loses its patience.
const Partition Kind = "partition"

var _ = standingFault(Partition, Input.oneTarget, func(c *Cluster, in Input) error {
	switch {
	case in.Node != "" && c.findBox(in.Node) == nil:
		return fmt.Errorf("there is no node %q", in.Node)
	case in.Component != "" && c.byName[in.Component] == nil:
		return fmt.Errorf("there is no component %q", in.Component)
	case in.Component != "" && !CanPartition(in.Component):
		return fmt.Errorf("component %q is no client of the API server", in.Component)
	case c.cutOff(in.target()):
		return fmt.Errorf("%q is cut off already", in.target())
	}
	return nil
}, func(c *Cluster, in Input) func() {
	if name := in.Component; slices.Contains(c.config.managers(), name) && c.leading() == name {
		c.ending(name, c.applyFaults)
	}
	return nil
})

// CanPartition tells whether a component speaks to the API server, so that a partition could come between them.
func CanPartition(name string) bool {
	return name != Etcd && name != APIServer && !isRuntime(name)
}

func (c *Cluster) cutOff(target string) bool {
	return slices.ContainsFunc(c.faults, func(f standing) bool { return f.kind == Partition && f.target == target })
}

// unreachable tells whether no packet reaches a kubelet from the control plane.
func (c *Cluster) unreachable(node string) bool {
	return c.cutOff(node) || c.cutOff(kubeletName(node))
}
