package cluster

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/trace"
)

// Heal ends what Partition, Slow and Fail began: Component or Node, and Value (which of the three; "" is all of them).
const Heal Kind = "heal"

// standing is a fault that goes on until it is healed.
type standing struct {
	kind   Kind
	target string // a component or a node
	value  string
	// mend ends what apply does not work out from the list; nil for nothing.
	mend func()
}

func (f *standing) cell() trace.Cell {
	return trace.Cell{Kind: trace.CellFault, Owner: "fault/" + f.target, Key: string(f.kind)}
}

// standingFault registers a fault that goes on. check says why it cannot begin now; begin makes it true, and may
// return what ends it. A fault of the same kind and target takes the place of the one before.
func standingFault(kind Kind, validate func(Input) error, check func(c *Cluster, in Input) error, begin func(c *Cluster, in Input) (mend func())) bool {
	return register(kind, action{
		validate: validate,
		words:    faultWords,
		attrs:    faultAttrs,
		deltas: func(c *Cluster, in Input) []trace.Delta {
			if check(c, in) != nil {
				return nil
			}
			f := standing{kind: kind, target: in.target()}
			return []trace.Delta{trace.Set(f.cell(), in.Value)}
		},
		do: func(c *Cluster, i int) {
			in := c.results[i].Input
			c.results[i].Done = true
			if err := check(c, in); err != nil {
				c.results[i].Error = err.Error()
				return
			}
			c.mend(kind, in.target())
			f := standing{kind: kind, target: in.target(), value: in.Value}
			if begin != nil {
				f.mend = begin(c, in)
			}
			c.faults = append(c.faults, f)
			c.applyFaults()
		},
	})
}

// target is who a fault befalls.
func (in Input) target() string { return in.Node + in.Component }

func faultWords(in Input) string {
	return strings.TrimRight(string(in.Kind)+" "+in.target()+" "+in.Value, " ")
}

func faultAttrs(in Input) []trace.Attr {
	return append(given("node", in.Node, "component", in.Component, "value", in.Value), trace.Attrs("target", in.target())...)
}

// oneTarget is for inputs about a node or a component.
func (in Input) oneTarget() error {
	switch {
	case in.Node == "" && in.Component == "":
		return fmt.Errorf("input %q: needs a component or a node", in.Kind)
	case in.Node != "" && in.Component != "":
		return fmt.Errorf("input %q: is about a component or a node, not both", in.Kind)
	}
	return nil
}

// mend ends a fault, and tells whether there was one.
func (c *Cluster) mend(kind Kind, target string) bool {
	i := slices.IndexFunc(c.faults, func(f standing) bool { return f.kind == kind && f.target == target })
	if i < 0 {
		return false
	}
	f := c.faults[i]
	c.faults = slices.Delete(c.faults, i, i+1)
	if f.mend != nil {
		f.mend()
	}
	return true
}

// befallen lists the faults that an input to heal is about.
func (c *Cluster) befallen(in Input) (out []standing) {
	for _, f := range c.faults {
		if f.target == in.target() && (in.Value == "" || in.Value == string(f.kind)) {
			out = append(out, f)
		}
	}
	return out
}

var _ = register(Heal, action{
	validate: func(in Input) error {
		switch Kind(in.Value) {
		case "", Partition, Slow, Fail:
			return in.oneTarget()
		}
		return fmt.Errorf("input %q: value %q is none of %s, %s, %s", in.Kind, in.Value, Partition, Slow, Fail)
	},
	words: faultWords,
	attrs: faultAttrs,
	deltas: func(c *Cluster, in Input) (out []trace.Delta) {
		for _, f := range c.befallen(in) {
			out = append(out, trace.Unset(f.cell()))
		}
		return out
	},
	do: func(c *Cluster, i int) {
		in := c.results[i].Input
		c.results[i].Done = true
		faults := c.befallen(in)
		if len(faults) == 0 {
			c.results[i].Error = fmt.Sprintf("%q has no fault that could be healed", in.target())
			if in.Value != "" {
				c.results[i].Error = fmt.Sprintf("%q has no fault %s that could be healed", in.target(), in.Value)
			}
			return
		}
		for _, f := range faults {
			c.mend(f.kind, f.target)
		}
		c.applyFaults()
	},
})

// programs are the components that a fault of a target befalls: those on a node, and with a controller manager the
// controllers that it leads.
func (c *Cluster) programs(target string) []string {
	if c.findBox(target) != nil {
		names := []string{kubeletName(target)}
		for _, p := range c.aboard(target) {
			names = append(names, p.name)
		}
		return names
	}
	names := []string{target}
	if strings.HasPrefix(target, manager.Component) && c.leading() == target {
		names = append(names, c.config.controllers()...)
	}
	return names
}

// applyFaults makes partitions and slowness what the list says. A controller manager takes what befalls it along when
// it no longer leads.
func (c *Cluster) applyFaults() {
	cut, slow := map[string]bool{}, map[string]string{}
	for _, f := range c.faults {
		for _, name := range c.programs(f.target) {
			switch f.kind {
			case Partition:
				cut[name] = true
			case Slow:
				slow[name] = f.value
			}
		}
	}
	for _, name := range c.config.Components() {
		if cut[name] {
			c.server.Cut(name)
		} else {
			c.server.Heal(name)
		}
		c.slowDown(name, slow[name])
	}
	for _, m := range c.boxes {
		if c.fabric != nil {
			c.fabric.Isolate(m.name, slices.ContainsFunc(c.faults, func(f standing) bool { return f.kind == Partition && f.target == m.name }))
		}
	}
}
