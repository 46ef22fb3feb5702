package cluster

import (
	"fmt"
	"time"
)

// Slow has a component take longer for whatever it does: Component, Value (a duration). Each time one of its processes has
// something to do it gets to it so much later, as on a machine that is short of CPU; etcd takes so much longer for each
// request, as with a slow disk.
const Slow Kind = "slow"

var _ = standingFault(Slow, func(in Input) error {
	if in.Component == "" {
		return fmt.Errorf("input %q: needs a component", in.Kind)
	}
	if err := in.lacks("duration"); err != nil {
		return err
	}
	if d, _ := time.ParseDuration(in.Value); d <= 0 {
		return fmt.Errorf("input %q: value %q is no duration above 0; to end it, heal the component", in.Kind, in.Value)
	}
	return nil
}, func(c *Cluster, in Input) error {
	switch {
	case c.byName[in.Component] == nil:
		return fmt.Errorf("there is no component %q", in.Component)
	case isRuntime(in.Component):
		return fmt.Errorf("component %q cannot be slow by itself; its kubelet can", in.Component)
	}
	return nil
}, nil)

// slowDown makes a component as slow as that, "" being not slow at all.
func (c *Cluster) slowDown(name, value string) {
	d, _ := time.ParseDuration(value)
	if name == Etcd {
		c.store.SetSlow(d)
		return
	}
	c.kernel.SetLag(name, d)
}
