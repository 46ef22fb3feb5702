package cluster

import (
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/node/kwok"
	"kubewalk/playground/sim"
)

// HollowNodes are nodes on which nothing runs, for clusters with more of them
// than anybody could run: see package kwok. They are called hollow-1, hollow-2 …,
// or, in several zones, hollow-a-1 …, hollow-b-1 …
type HollowNodes struct {
	Count  int    `json:"count"`
	Zones  int    `json:"zones,omitempty"`  // of which each has as many; 0 is nodes without one
	CPU    string `json:"cpu,omitempty"`    // a quantity; "" is "32"
	Memory string `json:"memory,omitempty"` // a quantity; "" is "256Gi"
	Pods   int    `json:"pods,omitempty"`   // how many Pods one takes; 0 is 110
}

// mostHollow is how many addresses there are for. Kubernetes names 5,000 as its own limit.
const mostHollow = 10000

// zoneLetters name the zones.
const zoneLetters = "abcdefghijklmnopqrstuvwxyz"

// region is where the zones are.
const region = "kwok"

func (h *HollowNodes) validate() error {
	switch {
	case h.Count < 0 || h.Count > mostHollow:
		return fmt.Errorf("hollowNodes: %d is no number between 0 and %d", h.Count, mostHollow)
	case h.Zones < 0 || h.Zones > len(zoneLetters):
		return fmt.Errorf("hollowNodes: zones: %d is no number between 0 and %d", h.Zones, len(zoneLetters))
	case h.Pods < 0 || h.Pods > 253:
		return errors.New("hollowNodes: pods: a node has a range of 253 addresses")
	}
	for _, q := range []string{h.CPU, h.Memory} {
		if q == "" {
			continue
		}
		if _, err := resource.ParseQuantity(q); err != nil {
			return fmt.Errorf("hollowNodes: %q is no quantity", q)
		}
	}
	return nil
}

func (h *HollowNodes) withDefaults() HollowNodes {
	out := *h
	if out.CPU == "" {
		out.CPU = "32"
	}
	if out.Memory == "" {
		out.Memory = "256Gi"
	}
	if out.Pods == 0 {
		out.Pods = 110
	}
	return out
}

// hollow lists the hollow nodes, zone by zone. They share what is the same.
func (c Config) hollow() []kwok.Node {
	if c.HollowNodes == nil {
		return nil
	}
	h := c.HollowNodes.withDefaults()
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(h.CPU), corev1.ResourceMemory: resource.MustParse(h.Memory),
		corev1.ResourcePods: *resource.NewQuantity(int64(h.Pods), resource.DecimalSI),
	}
	zones := max(h.Zones, 1)
	nodes := make([]kwok.Node, 0, h.Count)
	for z := range zones {
		var labels map[string]string
		name := "hollow-"
		if h.Zones > 0 {
			letter := zoneLetters[z : z+1]
			name += letter + "-"
			labels = map[string]string{corev1.LabelTopologyRegion: region, corev1.LabelTopologyZone: region + "-" + letter}
		}
		for i := 1; i <= h.Count*(z+1)/zones-h.Count*z/zones; i++ {
			n := len(nodes)
			nodes = append(nodes, kwok.Node{
				Name: fmt.Sprint(name, i), Labels: labels, Capacity: capacity,
				InternalIP: fmt.Sprintf("172.%d.%d.%d", 16+n/62500, n/250%250, n%250+2),
				PodCIDR:    fmt.Sprintf("10.%d.%d.0/24", 128+n/256, n%256),
			})
		}
	}
	return nodes
}

// hollowNodes starts what stands for the hollow nodes.
func (c *Cluster) hollowNodes() {
	nodes := c.config.hollow()
	if len(nodes) == 0 {
		return
	}
	c.boot(program(kwok.Name, func() *sim.Component {
		c.kwok = kwok.Start(c.kernel, c.Transport(), nodes)
		for _, n := range nodes {
			c.kwok.SetDown(n.Name, c.unpowered[n.Name])
		}
		return c.kwok.Component()
	}), kubeletsAt)
}

// power cuts the power of hollow nodes, or gives it back, and tells how many
// nodes there are of that name; a * at its end stands for any ending.
func (c *Cluster) power(name string, down bool) (found, changed int) {
	some, many := strings.CutSuffix(name, "*")
	for _, n := range c.config.hollow() {
		if n.Name != name && !(many && strings.HasPrefix(n.Name, some)) {
			continue
		}
		found++
		if c.unpowered[n.Name] == down {
			continue
		}
		changed++
		if down {
			c.unpowered[n.Name] = true
		} else {
			delete(c.unpowered, n.Name)
		}
		if c.kwok != nil {
			c.kwok.SetDown(n.Name, down)
		}
	}
	return found, changed
}

// hollowFault is a power cut, or its end, of hollow nodes; ok is false when none is meant.
func (c *Cluster) hollowFault(in Input) (ok bool, err error) {
	found, changed := c.power(in.Node, in.Kind == KillNode)
	switch {
	case found == 0:
		return false, nil
	case changed > 0:
		return true, nil
	case in.Kind == KillNode:
		return true, fmt.Errorf("node %q is down already", in.Node)
	}
	return true, fmt.Errorf("node %q runs already", in.Node)
}

// HollowNames are the names of the hollow nodes that an input may mean: each, and
// all of a zone with a * at the end.
func (c Config) HollowNames() []string {
	if c.HollowNodes == nil {
		return nil
	}
	names := []string{"hollow-*"}
	for z := range c.HollowNodes.Zones {
		names = append(names, "hollow-"+zoneLetters[z:z+1]+"-*")
	}
	for _, n := range c.hollow() {
		names = append(names, n.Name)
	}
	return names
}
