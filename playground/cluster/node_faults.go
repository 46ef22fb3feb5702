package cluster

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/resource"
	"kubewalk/playground/trace"
)

// Faults of nodes and containers. Value says how much; what is taken back is
// said by a value of 0.
const (
	// a container's program fails: Namespace, Name (the Pod; a trailing * takes the oldest), Container, Value (exit code, 1)
	CrashContainer Kind = "crash-container"
	UseMemory      Kind = "use-memory"    // a container uses that much from now on: Namespace, Name, Container, Value (a quantity)
	UseCPU         Kind = "use-cpu"       // a container uses that much more: Namespace, Name, Container, Value (a quantity)
	RegistryDown   Kind = "registry-down" // no image can be pulled
	RegistryUp     Kind = "registry-up"   // they can be again
	LoseImage      Kind = "lose-image"    // an image is gone from its registry: Name
	RestoreImage   Kind = "restore-image" // it is there again: Name
	FillMemory     Kind = "fill-memory"   // programs of the node itself use that much: Node, Value (a quantity)
	FillDisk       Kind = "fill-disk"     // files of the node itself take that much: Node, Value (a quantity)
	SlowKubelet    Kind = "slow-kubelet"  // each sync of a Pod takes longer: Node, Value (a duration)
)

// nodeFault is a fault that is over at once.
func nodeFault(kind Kind, needs string, do func(c *Cluster, in Input) error) bool {
	return register(kind, action{
		validate: func(in Input) error { return in.lacks(needs) },
		words: func(in Input) string {
			words := []string{string(in.Kind)}
			for _, w := range []string{in.Node, in.key(), in.Container, in.Value} {
				if w != "" {
					words = append(words, w)
				}
			}
			return strings.Join(words, " ")
		},
		attrs: func(in Input) []trace.Attr {
			return given("node", in.Node, "container", in.Container, "value", in.Value)
		},
		do: func(c *Cluster, i int) {
			c.results[i].Done = true
			if err := do(c, c.results[i].Input); err != nil {
				c.results[i].Error = err.Error()
			}
		},
	})
}

// lacks tells what of "node name quantity duration code" an input doesn't have.
func (in Input) lacks(needs string) error {
	for _, need := range strings.Fields(needs) {
		var err error
		switch need {
		case "node":
			if in.Node == "" {
				return fmt.Errorf("input %q: needs a node", in.Kind)
			}
		case "name":
			if in.Name == "" {
				return fmt.Errorf("input %q: needs a name", in.Kind)
			}
		case "quantity":
			if in.Value == "" {
				return fmt.Errorf("input %q: needs a value: how much, such as 200Mi", in.Kind)
			}
			var q resource.Quantity
			if q, err = resource.ParseQuantity(in.Value); err == nil && q.Sign() < 0 {
				err = fmt.Errorf("is negative")
			}
		case "duration":
			if in.Value == "" {
				return fmt.Errorf("input %q: needs a value: how long, such as 2s", in.Kind)
			}
			_, err = time.ParseDuration(in.Value)
		case "code":
			if in.Value != "" {
				_, err = strconv.ParseUint(in.Value, 10, 8)
			}
		}
		if err != nil {
			return fmt.Errorf("input %q: value %q is no %s: %w", in.Kind, in.Value,
				map[string]string{"code": "exit code (0 to 255)"}[need]+map[string]string{"quantity": need, "duration": need}[need], err)
		}
	}
	return nil
}

// quantity is an input's value; Validate has read it once.
func (in Input) quantity() resource.Quantity {
	q, _ := resource.ParseQuantity(in.Value)
	return q
}

func (in Input) podNamespace() string {
	if in.Namespace == "" {
		return "default"
	}
	return in.Namespace
}

// onPod has a fault befall a Pod's container where it runs.
func onPod(do func(c *Cluster, in Input, m *box) error) func(c *Cluster, in Input) error {
	return func(c *Cluster, in Input) error {
		m := c.hosting(in.podNamespace(), in.Name)
		if m == nil {
			return fmt.Errorf("no container of pod %s/%s runs", in.podNamespace(), in.Name)
		}
		return do(c, in, m)
	}
}

// onNode has a fault befall a machine that is switched on.
func onNode(do func(in Input, m *box) error) func(c *Cluster, in Input) error {
	return func(c *Cluster, in Input) error {
		m := c.findBox(in.Node)
		switch {
		case m == nil:
			return fmt.Errorf("there is no node %q", in.Node)
		case m.runtime == nil || !m.runtime.Component().Running():
			return fmt.Errorf("node %q is down", in.Node)
		}
		return do(in, m)
	}
}

var _ = nodeFault(CrashContainer, "name code", onPod(func(c *Cluster, in Input, m *box) error {
	code := uint64(1)
	if in.Value != "" {
		code, _ = strconv.ParseUint(in.Value, 10, 8)
	}
	return m.runtime.Crash(in.podNamespace(), in.Name, in.Container, int32(code))
}))

var _ = nodeFault(UseMemory, "name quantity", onPod(func(c *Cluster, in Input, m *box) error {
	q := in.quantity()
	return m.runtime.SetMemory(in.podNamespace(), in.Name, in.Container, q.Value())
}))

var _ = nodeFault(UseCPU, "name quantity", onPod(func(c *Cluster, in Input, m *box) error {
	q := in.quantity()
	return m.runtime.SetLoad(in.podNamespace(), in.Name, in.Container, q.MilliValue()*1_000_000)
}))

var _ = nodeFault(RegistryDown, "", func(c *Cluster, in Input) error {
	if c.hub.Down() {
		return fmt.Errorf("the registry is down already")
	}
	c.hub.SetDown(true)
	return nil
})

var _ = nodeFault(RegistryUp, "", func(c *Cluster, in Input) error {
	if !c.hub.Down() {
		return fmt.Errorf("the registry runs already")
	}
	c.hub.SetDown(false)
	return nil
})

var _ = nodeFault(LoseImage, "name", func(c *Cluster, in Input) error {
	c.hub.Lose(in.Name)
	return nil
})

var _ = nodeFault(RestoreImage, "name", func(c *Cluster, in Input) error {
	if !c.hub.Restore(in.Name) {
		return fmt.Errorf("image %q was not lost", in.Name)
	}
	return nil
})

var _ = nodeFault(FillMemory, "node quantity", onNode(func(in Input, m *box) error {
	q := in.quantity()
	m.runtime.UseMemory(q.Value())
	return nil
}))

var _ = nodeFault(FillDisk, "node quantity", onNode(func(in Input, m *box) error {
	q := in.quantity()
	m.runtime.FillDisk(q.Value())
	return nil
}))

var _ = nodeFault(SlowKubelet, "node duration", onNode(func(in Input, m *box) error {
	if m.kubelet == nil || !m.kubelet.Component().Running() {
		return fmt.Errorf("component %q is down", kubeletName(in.Node))
	}
	d, _ := time.ParseDuration(in.Value)
	m.kubelet.SetSlow(d)
	return nil
}))
