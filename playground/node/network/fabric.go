package network

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/x509"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Source is who asks.
type Source struct {
	// Node is the machine that it is on; "" is outside the cluster.
	Node, Namespace, Pod, Container string
	IP                              string // "" with the machine's own address
	// Host is a program on a machine that is no node, as the API server; nil is none.
	Host *sim.Component
	// Rules names the node whose rules a Host's packets pass, for one that is to reach Services; "" is none.
	Rules string

	boot *sim.Component // of the machine, when it asked: what runs there dies with it
}

// name is how sentences call it.
func (s Source) name() string {
	switch {
	case s.Pod != "":
		return s.Namespace + "/" + s.Pod
	case s.Node != "":
		return s.Node
	case s.Host != nil:
		return s.Host.Name()
	}
	return "outside"
}

func (s Source) ref() trace.Ref {
	if s.Pod == "" {
		return trace.Ref{}
	}
	return trace.Ref{Resource: "pods", Namespace: s.Namespace, Name: s.Pod}
}

// Request is one request of HTTP, a connection that is only opened ("tcp://…"), or a packet ("udp://…", "sctp://…") that holds Body.
type Request struct {
	Method string // "" is GET
	URL    string
	Body   string
	Header Header // nil is none
	From   string // the address that it comes from, as the one who answers sees it
	// Verify looks at the certificate that the one who answers shows (see package x509), before it gets the request. nil takes any.
	Verify func(shown string) error
}

// Header are the fields of a request's header that somebody looks at, by their names as HTTP writes them.
type Header map[string][]string

// Failure tells why there is no answer.
type Failure string

// The failures that a program can tell apart.
const (
	NotResolved Failure = "could not resolve host"
	Refused     Failure = "connection refused"
	TimedOut    Failure = "timed out"
	Reset       Failure = "connection reset by peer"
)

// Response is what came of a request.
type Response struct {
	Status  int // of HTTP; 0 for a connection that was only opened
	Body    string
	Failure Failure // "" when there is an answer
	Address string  // who was connected to, "10.96.0.10:80"; "" if it did not get so far
	Server  string  // who answered: "10.244.1.5:8080"
}

// Handler answers at an address. done is called once.
type Handler func(ip string, port int32, request Request, done func(Response))

// Host is who is at an address that is no Pod's: the API server, the name server, an ingress controller.
type Host struct {
	Component *sim.Component // whose death nobody answers for
	Serve     Handler
}

const (
	// connectTimeout is after how long a connection that nobody answers fails: six retransmissions of SYN.
	connectTimeout = 127 * time.Second
	// packetTimeout is for how long a machine knows a packet of UDP that nobody answers. Upstream: nf_conntrack_udp_timeout.
	packetTimeout = 30 * time.Second
	// nameTimeout is how long a resolver waits for an answer, and attempts how often it asks. Upstream: resolv.conf(5).
	nameTimeout = 5 * time.Second
	attempts    = 2
)

// Gate says who may speak to whom: what a network plugin makes of NetworkPolicies. The reason names a policy's owner.
type Gate interface {
	// MayLeave is asked where a packet starts, behind the node's rules, and MayEnter where its destination is.
	MayLeave(source, destination string, port int32, protocol string) (ok bool, reason string)
	MayEnter(source, destination string, port int32, protocol string) (ok bool, reason string)
}

// Fabric carries packets. Component "network" speaks for what happens at no machine.
type Fabric struct {
	kernel    *sim.Kernel
	component *sim.Component
	chance    *sim.Rand
	nodes     []*Node
	hosts     map[string]*Host  // by "address:port"
	public    map[string]string // names that the world outside knows
	gate      Gate              // nil lets everything pass
	isolated  map[string]bool   // nodes to and from which no packet gets through
	routes    []string          // ranges of Pods' addresses that other machines have a route to; nil where they need none
}

// Route says which ranges of Pods' addresses there is a route to, from everywhere but the node that has them. Until it is called, none is needed.
func (f *Fabric) Route(cidrs []string) { f.routes = cidrs }

// routed tells whether a packet finds its way from one machine to another's address; nil is elsewhere.
func (f *Fabric) routed(from, to *Node, dst string) bool {
	ip, _ := splitAddress(dst)
	return f.routes == nil || to == nil || from == to || ip == to.IP ||
		slices.ContainsFunc(f.routes, func(cidr string) bool { return within(cidr, ip) })
}

// Isolate lets no packet pass between a node and anybody else, or ends that. What its own Pods say to each other passes.
func (f *Fabric) Isolate(node string, on bool) {
	if f.isolated == nil {
		f.isolated = map[string]bool{}
	}
	f.isolated[node] = on
}

// apart tells whether no packet gets from one place to another; a place that is no node is nowhere near one.
func (f *Fabric) apart(from, to string) bool {
	return from != to && (f.isolated[from] || f.isolated[to])
}

// SetGate has somebody decide who may speak to whom; nil is nobody.
func (f *Fabric) SetGate(g Gate) { f.gate = g }

// New makes a wire.
func New(k *sim.Kernel) *Fabric {
	return &Fabric{kernel: k, component: k.Start("network"), chance: k.Rand("network"), hosts: map[string]*Host{}, public: map[string]string{}}
}

// Listen has a host answer at an address and port, until its component stops.
func (f *Fabric) Listen(ip string, port int32, h *Host) {
	at := Address(ip, port)
	f.hosts[at] = h
	h.Component.OnStop(func() {
		if f.hosts[at] == h {
			delete(f.hosts, at)
		}
	})
}

// Hush has nobody answer at an address and port any more.
func (f *Fabric) Hush(ip string, port int32) { delete(f.hosts, Address(ip, port)) }

// Forward opens another connection for a request that has come in, as a proxy of connections does: what is said over it stays as it is.
func (f *Fabric) Forward(from Source, address string, request Request, done func(Response)) {
	what := request.Method + " " + ParseURL(request.URL).Path
	f.connect(f.kernel.NextMessage(), f.booted(from), "tcp", address, request, what, connectTimeout, done)
}

// Publish tells the world outside where a name leads, as whoever owns the domain would.
func (f *Fabric) Publish(name, ip string) { f.public[name] = ip }

// Public is where a name of the world outside leads, "" for none.
func (f *Fabric) Public(name string) string { return f.public[name] }

// Node finds a machine by name, nil for none.
func (f *Fabric) Node(name string) *Node {
	for _, n := range f.nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// owner is the machine that an address belongs to: its own, or one of its Pods'.
func (f *Fabric) owner(ip string) *Node {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return nil
	}
	for _, n := range f.nodes {
		if n.IP == ip || n.pods.Contains(addr) {
			return n
		}
	}
	return nil
}

// Address is an address and a port: "10.96.0.10:80".
func Address(ip string, port int32) string { return ip + ":" + strconv.Itoa(int(port)) }

func splitAddress(at string) (ip string, port int32) {
	i := strings.LastIndexByte(at, ':')
	if i < 0 {
		return at, 0
	}
	n, _ := strconv.ParseInt(at[i+1:], 10, 32)
	return at[:i], int32(n)
}

// Target is what a URL names.
type Target struct {
	Scheme, Host, Path string
	Port               int32
}

// ParseURL reads scheme://host:port/path; "http://" and the port may be left out.
func ParseURL(text string) Target {
	t := Target{Scheme: "http", Path: "/", Port: 80}
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		t.Scheme, text = scheme, rest
	}
	if t.Scheme == "https" {
		t.Port = 443
	}
	if i := strings.IndexByte(text, '/'); i >= 0 {
		text, t.Path = text[:i], text[i:]
	}
	t.Host = text
	if host, port := splitAddress(text); port != 0 {
		t.Host, t.Port = host, port
	}
	return t
}

// flow is one request on its way.
type flow struct {
	fabric   *Fabric
	id       int64
	from     Source
	protocol string // "tcp", "udp" or "sctp"
	request  Request
	origin   string // the address that it comes from
	client   string // the same as the one who answers sees it
	connect  string // what the client connected to
	dst      string // where it goes after translation
	node     *Node  // whose rules translated it, if any; it knows the way back
	what     string // for the label of packets: "GET /", "A? web…"
	done     func(Response)
	over     bool
	timer    *sim.Timer
}

// Dial sends a request to whatever its URL names.
func (f *Fabric) Dial(from Source, request Request, done func(Response)) {
	from = f.booted(from)
	target := ParseURL(request.URL)
	if request.Method == "" {
		request.Method = "GET"
	}
	protocol, what, timeout := "tcp", request.Method+" "+target.Path, connectTimeout
	switch target.Scheme {
	case "udp":
		protocol, what, timeout = target.Scheme, strings.TrimSpace(request.Body), packetTimeout
	case "sctp":
		protocol, what = target.Scheme, strings.TrimSpace(request.Body)
	}
	id := f.kernel.NextMessage()
	f.at(from, func() {
		cause := f.kernel.Emit(trace.NetRequest, from.ref(),
			trace.Attrs("request", id, "from", from.name(), "method", request.Method, "url", request.URL))
		f.because(cause, func() {
			finish := func(r Response) { f.finished(from, id, &request, r, done) }
			if isAddress(target.Host) {
				f.connect(id, from, protocol, Address(target.Host, target.Port), request, what, timeout, finish)
				return
			}
			f.Resolve(from, target.Host, func(addresses []string) {
				if len(addresses) == 0 {
					finish(Response{Failure: NotResolved})
					return
				}
				f.connect(id, from, protocol, Address(addresses[0], target.Port), request, what, timeout, finish)
			})
		})
	})
}

func (f *Fabric) finished(from Source, id int64, request *Request, r Response, done func(Response)) {
	f.at(from, func() {
		attrs := trace.Attrs("request", id, "from", from.name(), "url", request.URL)
		if r.Failure != "" {
			attrs = append(attrs, trace.Attrs("failure", string(r.Failure))...)
		} else {
			attrs = append(attrs, trace.Attrs("code", r.Status, "server", r.Server)...)
		}
		cause := f.kernel.Emit(trace.NetDone, from.ref(), attrs)
		f.because(cause, func() { done(r) })
	})
}

// because is Kernel.Because for an event that may not be kept.
func (f *Fabric) because(id trace.ID, do func()) {
	if id == 0 {
		do()
		return
	}
	f.kernel.Because(id, do)
}

// at runs code as what the source's machine does; of a machine that is down nothing does.
func (f *Fabric) at(from Source, do func()) {
	if from.Host != nil {
		from.Host.Run(do)
		return
	}
	if from.Node == "" {
		do()
		return
	}
	if from.boot != nil {
		from.boot.Run(do)
	}
}

// booted notes as what the machine runs now.
func (f *Fabric) booted(from Source) Source {
	if n := f.Node(from.Node); n != nil && from.boot == nil {
		from.boot = n.component
	}
	return from
}

// connect sends one packet and waits for its answer.
func (f *Fabric) connect(id int64, from Source, protocol, dst string, request Request, what string, timeout time.Duration, done func(Response)) {
	w := &flow{fabric: f, id: id, from: from, protocol: protocol, request: request, client: from.IP, connect: dst, dst: dst, what: what, done: done}
	n := f.Node(from.Node)
	if w.client == "" {
		w.client = "203.0.113.7" // somebody outside: TEST-NET-3
		if n != nil {
			w.client = n.IP
		}
	}
	w.origin = w.client
	w.timer = f.kernel.After(timeout, func() {
		f.at(w.from, func() { w.end(Response{Failure: TimedOut}) })
		if !w.over && w.node != nil { // who asked is gone; the connection goes all the same
			w.over = true
			w.node.forget(w)
		}
	})
	rules := n
	if n == nil {
		rules = f.Node(from.Rules)
	}
	if rules == nil {
		w.travel(nil)
		return
	}
	w.leave(rules, n)
}

// end answers the one who asked, once.
func (w *flow) end(r Response) {
	if w.over {
		return
	}
	w.over = true
	w.timer.Stop()
	if w.node != nil {
		w.node.forget(w)
	}
	if r.Failure != NotResolved && r.Failure != TimedOut {
		r.Address = w.connect
	}
	w.done(r)
}

// leave applies a machine's rules to a packet, and sends it on from where it starts.
func (w *flow) leave(rules, n *Node) {
	verdict := rules.evaluate(w)
	switch verdict.target {
	case Reject:
		w.fabric.because(verdict.cause, func() {
			w.fabric.kernel.After(w.fabric.chance.Between(20*time.Microsecond, 80*time.Microsecond), func() {
				w.fabric.at(w.from, func() { w.end(Response{Failure: Refused}) })
			})
		})
		return
	case Drop:
		return // the timer will say so
	}
	w.fabric.because(verdict.cause, func() { w.travel(n) })
}

// travel puts the packet on the wire.
func (w *flow) travel(from *Node) {
	f := w.fabric
	ip, port := splitAddress(w.dst)
	to := f.owner(ip)
	if f.gate != nil && w.from.Pod != "" {
		if ok, reason := f.gate.MayLeave(w.client, ip, port, w.protocol); !ok {
			f.lost(w, reason)
			return
		}
	}
	place := f.place(ip, port, to)
	f.send(w, from, to, placeOf(from, w.from), place, w.client, w.dst, w.what, true, func() { w.arrive(to, ip, port) })
}

// send shows a packet while it is on its way from one machine, or from elsewhere, to another, then goes on.
func (f *Fabric) send(w *flow, a, b *Node, from, to, src, dst, label string, good bool, then func()) {
	delay := f.latency(a, b)
	now := f.kernel.Elapsed()
	number := f.kernel.NextMessage()
	cell := trace.Cell{Kind: trace.CellPacket, Owner: "network", Key: strconv.FormatInt(number, 10)}
	packet := trace.Packet{From: from, To: to, Source: src, Destination: dst, Protocol: w.protocol, Label: label, Good: good, Sent: now, Arrives: now + delay}
	cause := f.kernel.Emit(trace.NetSend, trace.Ref{}, trace.Attrs("request", w.id, "packet", number, "from", from, "to", to, "source", src, "destination", dst,
		"what", label),
		trace.Set(cell, packet))
	f.because(cause, func() {
		f.kernel.After(delay, func() {
			var received trace.ID
			receive := func() {
				received = f.kernel.Emit(trace.NetReceive, trace.Ref{}, trace.Attrs("request", w.id, "packet", number, "from", from, "to", to, "what", label),
					trace.Unset(cell))
			}
			why := ""
			switch {
			case f.apart(from, to):
				why = "partition"
			case !f.routed(a, b, dst):
				why = "no-route"
			}
			if why != "" {
				f.component.Run(func() {
					f.kernel.Emit(trace.NetDrop, trace.Ref{}, trace.Attrs("request", w.id, "destination", dst, "reason", why), trace.Unset(cell))
				})
				return // nobody says so: the timer will
			}
			if n := f.Node(to); n != nil && n.component.Running() {
				n.component.Run(receive)
			} else {
				f.component.Run(receive)
			}
			f.because(received, then)
		})
	})
}

// arrive hands the packet to who has its address.
func (w *flow) arrive(n *Node, ip string, port int32) {
	f := w.fabric
	request := w.request
	request.From = w.client
	if h := f.hosts[Address(ip, port)]; h != nil && h.Component.Running() && (n == nil || n.Running()) {
		h.Component.Run(func() {
			if verify := request.Verify; verify != nil {
				if err := verify(x509.SelfSigned); err != nil {
					w.answer(n, Response{Failure: Failure(err.Error())})
					return
				}
			}
			h.Serve(ip, port, request, func(r Response) { w.answer(n, r) })
		})
		return
	}
	if n == nil || !n.component.Running() {
		f.lost(w, "nobody has the address")
		return
	}
	if ip != n.IP && w.from.Node == "" && w.from.Host == nil && w.node == nil {
		f.lost(w, "no route from outside to a Pod")
		return
	}
	if f.gate != nil && ip != n.IP && (w.from.Pod != "" || w.from.Node != n.Name) { // a node always reaches its own Pods
		if ok, reason := f.gate.MayEnter(w.client, ip, port, w.protocol); !ok {
			f.lost(w, reason)
			return
		}
	}
	if ip != n.IP {
		n.component.Run(func() {
			n.machine.Serve(ip, port, request, func(r Response) {
				if r.Failure == TimedOut {
					f.lost(w, "nobody has the address")
					return
				}
				w.answer(n, r)
			})
		})
		return
	}
	// To the machine itself: its rules may send it on.
	n.component.Run(func() {
		before := w.dst
		verdict := n.evaluate(w)
		f.because(verdict.cause, func() {
			switch {
			case verdict.target == Drop:
			case verdict.target == Reject || w.dst == before: // nobody listens at the machine's own address
				w.answer(n, Response{Failure: Refused})
			default:
				w.travel(n)
			}
		})
	})
}

// lost drops a packet: who sent it will wait in vain.
func (f *Fabric) lost(w *flow, why string) {
	f.component.Run(func() {
		f.kernel.Emit(trace.NetDrop, trace.Ref{}, trace.Attrs("request", w.id, "destination", w.dst, "reason", why))
	})
}

// answer carries a response back to the client.
func (w *flow) answer(n *Node, r Response) {
	if w.over {
		return
	}
	f := w.fabric
	if r.Server == "" {
		r.Server = w.dst // an Ingress controller says whom it asked
	}
	ip, port := splitAddress(w.dst)
	label, good := strconv.Itoa(r.Status), r.Failure == "" && r.Status < 400
	switch {
	case r.Failure != "":
		label = string(r.Failure)
	case r.Status == 0:
		label = r.Body
		if w.protocol == "tcp" {
			label = "connected"
		}
	}
	home := f.Node(w.from.Node)
	deliver := func(via *Node, from, to string) {
		f.send(w, via, home, from, placeOf(home, w.from), w.connect, to, label, good, func() {
			f.at(w.from, func() { w.end(r) })
		})
	}
	via := w.node
	if via == nil || via == home || via == n || w.client != via.IP {
		deliver(n, f.place(ip, port, n), w.client)
		return
	}
	// Whose source was changed gets the answer through the node that changed it.
	f.send(w, n, via, f.place(ip, port, n), via.Name, w.dst, w.client, label, good, func() {
		if via.Running() {
			deliver(via, via.Name, w.origin)
		}
	})
}

// place names where an address is: a node, a component, or nowhere.
func (f *Fabric) place(ip string, port int32, n *Node) string {
	if h := f.hosts[Address(ip, port)]; h != nil {
		return h.Component.Name()
	}
	if n != nil {
		return n.Name
	}
	return "nowhere"
}

func placeOf(n *Node, from Source) string {
	switch {
	case n != nil:
		return n.Name
	case from.Host != nil:
		return from.Host.Name()
	}
	return "outside"
}

// latency is one way: within a machine, between two, or from outside.
func (f *Fabric) latency(a, b *Node) time.Duration {
	switch {
	case a == nil && b == nil:
		return f.chance.Between(5*time.Millisecond, 20*time.Millisecond)
	case a == b:
		return f.chance.Between(30*time.Microsecond, 120*time.Microsecond)
	case a != nil && b != nil:
		return f.chance.Between(200*time.Microsecond, 900*time.Microsecond)
	}
	return f.chance.Between(300*time.Microsecond, 1500*time.Microsecond)
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// Nodes are the machines, in the order in which they were added.
func (f *Fabric) Nodes() []*Node { return slices.Clone(f.nodes) }
