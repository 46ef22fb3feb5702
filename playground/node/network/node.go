package network

import (
	"net/netip"
	"sort"
	"strings"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Machine is what runs on a node: whoever listens at its Pods' addresses.
type Machine interface {
	Serve(ip string, port int32, request Request, done func(Response))
}

// Node is a machine's packet filter. Its rules outlive the kube-proxy that wrote them, and die with the machine.
type Node struct {
	Name, IP string

	fabric    *Fabric
	component *sim.Component
	pods      netip.Prefix
	machine   Machine
	rules     *Ruleset
	recent    map[string]map[string]time.Duration // list → client → when it was set
	shown     map[string]string                   // the cells of the rules
}

// ComponentName is what a node's packet filter is called.
func ComponentName(node string) string { return "netfilter/" + node }

// Boot adds a machine, or boots it again with nothing in its memory. Its component stops when the machine does.
func (f *Fabric) Boot(name, ip, podCIDR string, m Machine) *sim.Component {
	n := f.Node(name)
	if n == nil {
		n = &Node{Name: name, IP: ip, fabric: f, pods: netip.MustParsePrefix(podCIDR)}
		f.nodes = append(f.nodes, n)
	}
	n.machine, n.rules, n.recent, n.shown = m, nil, map[string]map[string]time.Duration{}, map[string]string{}
	n.component = f.kernel.Start(ComponentName(name))
	return n.component
}

// Running says that the machine is up.
func (n *Node) Running() bool { return n.component.Running() }

// Rules are those that the node has now; nil if nobody wrote any. They must not be changed.
func (n *Node) Rules() *Ruleset { return n.rules }

// Restore replaces the rules, as iptables-restore does: at once and as a whole. forwards says, for whoever looks at the
// picture, where each destination leads: "10.96.0.10:80/tcp" → "10.244.1.2:80 10.244.2.2:80".
func (n *Node) Restore(rules *Ruleset, forwards map[string]string) {
	n.rules = rules
	var deltas []trace.Delta
	cell := func(key string) trace.Cell {
		return trace.Cell{Kind: trace.CellForward, Owner: ComponentName(n.Name), Key: key}
	}
	for _, key := range sortedKeys(n.shown) {
		if _, stays := forwards[key]; !stays {
			deltas = append(deltas, trace.Unset(cell(key)))
		}
	}
	for _, key := range sortedKeys(forwards) {
		if n.shown[key] != forwards[key] {
			deltas = append(deltas, trace.Set(cell(key), forwards[key]))
		}
	}
	n.shown = forwards
	// Lists of clients live as long as a rule names them.
	named := map[string]bool{}
	for _, c := range rules.NAT {
		for _, r := range c.Rules {
			named[r.Recent] = true
		}
	}
	for list := range n.recent { // order: each is looked at alone
		if !named[list] {
			delete(n.recent, list)
		}
	}
	n.component.Run(func() {
		n.fabric.kernel.Emit(trace.NetRules, trace.Ref{}, trace.Attrs("node", n.Name, "rules", rules.Size(), "services", len(forwards), "changed", len(deltas)),
			deltas...)
	})
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// verdict is what rules say about a packet.
type verdict struct {
	target string // Accept, Reject or Drop
	chains []string
	to     string
	masq   bool
	cause  trace.ID
}

// evaluate runs a packet through the rules and translates it. What passes is in the table of connections until it is
// answered.
func (n *Node) evaluate(w *flow) verdict {
	v := verdict{target: Accept}
	if n.rules == nil {
		return v
	}
	e := &evaluation{node: n, flow: w, verdict: &v}
	e.run(n.rules.NAT, "KUBE-SERVICES")
	if v.to == "" && !n.mapped(w, &v) {
		// What nobody translates may be a Service without endpoints.
		if !e.run(n.rules.Filter, "KUBE-SERVICES") {
			e.run(n.rules.Filter, "KUBE-EXTERNAL-SERVICES")
		}
	}
	k := n.fabric.kernel
	switch {
	case v.target != Accept:
		v.cause = k.Emit(trace.NetDrop, trace.Ref{}, trace.Attrs("request", w.id, "destination", w.dst, "reason", v.target))
	case v.to != "":
		before := w.dst
		w.dst, w.node = v.to, n
		if v.masq {
			w.client = n.IP
		}
		v.cause = k.Emit(trace.NetTranslate, trace.Ref{}, trace.Attrs("request", w.id, "node", n.Name, "before", before, "after", w.dst, "chains",
			strings.Join(v.chains, " "), "masquerade", v.masq),
			trace.Set(n.connection(w), w.dst))
	}
	return v
}

func (n *Node) connection(w *flow) trace.Cell {
	return trace.Cell{Kind: trace.CellConnection, Owner: ComponentName(n.Name), Key: w.key()}
}

func (w *flow) key() string {
	return w.protocol + " " + w.from.name() + " " + w.connect + " " + itoa(w.id)
}

// forget drops a connection that was answered.
func (n *Node) forget(w *flow) {
	if !n.component.Running() {
		return
	}
	n.component.Run(func() {
		n.fabric.kernel.Emit(trace.NetClose, trace.Ref{}, trace.Attrs("request", w.id, "node", n.Name, "before", w.connect, "after", w.dst),
			trace.Unset(n.connection(w)))
	})
}

// evaluation is one walk through chains.
type evaluation struct {
	node    *Node
	flow    *flow
	verdict *verdict
}

// run walks a chain; true means that the packet's fate is decided.
func (e *evaluation) run(table []Chain, name string) bool {
	chain := e.node.rules.chain(table, name)
	if chain == nil {
		return false
	}
	for i := range chain.Rules {
		r := &chain.Rules[i]
		if !e.matches(r) {
			continue
		}
		switch r.Target {
		case Accept, Reject, Drop:
			e.verdict.target = r.Target
			return true
		case DNAT:
			e.verdict.to = r.To
			return true
		case Return:
			return false
		case Mark, Masquerade:
		case "KUBE-MARK-MASQ":
			e.verdict.masq = true
		default:
			e.verdict.chains = append(e.verdict.chains, r.Target)
			if e.run(table, r.Target) {
				return true
			}
		}
	}
	return false
}

func (e *evaluation) matches(r *Rule) bool {
	n, w := e.node, e.flow
	ip, port := splitAddress(w.dst)
	switch {
	case r.Protocol != "" && r.Protocol != w.protocol,
		r.Destination != "" && !within(r.Destination, ip),
		r.Port != 0 && r.Port != port,
		r.Source != "" && !within(r.Source, w.client),
		r.NotSource != "" && within(r.NotSource, w.client),
		r.SourceLocal && w.client != n.IP,
		r.DestinationLocal && ip != n.IP:
		return false
	}
	if r.Recent != "" {
		now := n.fabric.kernel.Elapsed()
		if r.Seconds > 0 {
			at, set := n.recent[r.Recent][w.client]
			return set && now-at <= time.Duration(r.Seconds)*time.Second
		}
		if n.recent[r.Recent] == nil {
			n.recent[r.Recent] = map[string]time.Duration{}
		}
		n.recent[r.Recent][w.client] = now
	}
	return r.OneOf <= 1 || n.fabric.chance.IntN(r.OneOf) == 0
}

// within says that an address is a rule's: "10.96.0.1", "10.244.0.0/16".
func within(rule, ip string) bool {
	if !strings.Contains(rule, "/") {
		return rule == ip
	}
	prefix, err := netip.ParsePrefix(rule)
	addr, bad := netip.ParseAddr(ip)
	return err == nil && bad == nil && prefix.Contains(addr)
}

// portMapper is a machine whose Pods may have ports of its own.
type portMapper interface {
	// HostPort is the address of the Pod that has a port of the machine at this address of it; "" for none.
	HostPort(protocol, ip string, port int32) string
}

// mapped sends what comes to a port of the machine to the Pod that has it. Upstream: containernetworking/plugins, plugins/meta/portmap.
func (n *Node) mapped(w *flow, v *verdict) bool {
	ip, port := splitAddress(w.dst)
	if m, has := n.machine.(portMapper); has && ip == n.IP {
		if v.to = m.HostPort(w.protocol, ip, port); v.to != "" {
			v.chains = append(v.chains, "CNI-HOSTPORT-DNAT")
		}
	}
	return v.to != ""
}
