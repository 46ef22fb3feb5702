package cluster

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/dns"
	"kubewalk/playground/node/ingress"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/netpolicy"
	"kubewalk/playground/node/network"
	"kubewalk/playground/node/proxy"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// clusterCIDR is the range of all Pods' addresses: each node has a /24 of it.
const clusterCIDR = "10.244.0.0/16"

// When the network's programs start: behind the kubelets, as Pods of the system would.
const (
	proxiesAt = 1000 * time.Millisecond
	dnsAt     = 1200 * time.Millisecond
	ingressAt = 1400 * time.Millisecond
)

func nodeOfProxy(name string) (node string, ok bool) { return strings.CutPrefix(name, "kube-proxy/") }

func internalIP(index int) string { return fmt.Sprintf("10.0.%d.%d", (index+10)/250, (index+10)%250) }

// networked are the components that the network adds.
func (c Config) networked() (names []string) {
	if !c.Network {
		return nil
	}
	for _, n := range c.Nodes {
		names = append(names, proxy.ComponentName(n.Name))
	}
	names = append(names, dns.Name)
	if c.NetworkPolicies {
		names = append(names, netpolicy.Name)
	}
	if c.Ingress {
		names = append(names, ingress.Name)
	}
	return names
}

// network puts kube-proxies, the name server and the Ingress controller on the agenda.
func (c *Cluster) network() {
	if !c.config.Network {
		return
	}
	jitter := c.kernel.Rand("boot/network")
	for _, n := range c.config.Nodes {
		c.boot(c.proxy(n.Name), proxiesAt+jitter.Between(0, between))
	}
	c.boot(program(dns.Name, func() *sim.Component {
		installer := c.Transport()
		if c.config.Authorization == RBAC {
			installer = client.WithCredentials(installer, "kubeadm")
		}
		return dns.Start(c.kernel, c.Transport(), installer, c.fabric).Component()
	}), dnsAt)
	if c.config.NetworkPolicies {
		c.boot(program(netpolicy.Name, func() *sim.Component {
			return netpolicy.Start(c.kernel, c.Transport(), c.fabric, dns.Address).Component()
		}), dnsAt)
	}
	if c.config.Ingress && len(c.config.Nodes) > 0 {
		c.boot(program(ingress.Name, func() *sim.Component {
			return ingress.Start(c.kernel, c.Transport(), ingress.Options{Node: c.config.Nodes[0].Name, Address: internalIP(0), Fabric: c.fabric}).Component()
		}), ingressAt)
	}
}

// proxy is a machine's kube-proxy.
func (c *Cluster) proxy(node string) *part {
	return program(proxy.ComponentName(node), func() *sim.Component {
		return proxy.Start(c.kernel, c.Transport(), proxy.Options{Node: node, ClusterCIDR: clusterCIDR, Filter: c.fabric.Node(node)}).Component()
	})
}

// aboard are the network's programs that run on a machine, and die with it.
func (c *Cluster) aboard(node string) (out []*part) {
	if p := c.byName[proxy.ComponentName(node)]; p != nil {
		out = append(out, p)
	}
	if p := c.byName[ingress.Name]; p != nil && node == c.config.Nodes[0].Name {
		out = append(out, p)
	}
	return out
}

// connect gives a machine that boots its part of the network.
func (c *Cluster) connect(node string, index int, cidr string, runtime *cri.Runtime) {
	if c.fabric == nil {
		return
	}
	filter := c.fabric.Boot(node, internalIP(index), cidr, podNetwork{runtime})
	runtime.Component().OnStop(func() { filter.Stop(trace.LostPower) })
	runtime.SetDialer(dialer{c.fabric})
}

// podNetwork lets the network reach the Pods of a runtime.
type podNetwork struct{ runtime *cri.Runtime }

func (m podNetwork) Serve(ip string, port int32, r network.Request, done func(network.Response)) {
	m.runtime.Serve(ip, port, cri.Request{Method: r.Method, URL: r.URL, Body: r.Body, Header: r.Header, From: r.From, Verify: r.Verify}, func(out cri.Response) {
		done(network.Response{Status: out.Status, Body: out.Body, Failure: network.Failure(out.Failure)})
	})
}

func (m podNetwork) HostPort(protocol, ip string, port int32) string {
	return m.runtime.HostPort(protocol, ip, port)
}

// listen has a node's kubelet answer over the network.
func (c *Cluster) listen(m *box) {
	if c.fabric == nil {
		return
	}
	kl := m.kubelet
	c.fabric.Listen(m.ip, kubelet.Port, &network.Host{Component: kl.Component(), Serve: func(_ string, _ int32, r network.Request, done func(network.Response)) {
		authorization := ""
		if values := r.Header["Authorization"]; len(values) > 0 {
			authorization = values[0]
		}
		kl.Get(authorization, network.ParseURL(r.URL).Path, func(status int, body string) { done(network.Response{Status: status, Body: body}) })
	}})
}

// dialer lets Pods reach the network.
type dialer struct{ fabric *network.Fabric }

func source(from cri.Caller) network.Source {
	return network.Source{Node: from.Node, Namespace: from.Namespace, Pod: from.Pod, Container: from.Container, IP: from.IP}
}

func (d dialer) Dial(from cri.Caller, r cri.Request, done func(cri.Response)) {
	d.fabric.Dial(source(from), network.Request{Method: r.Method, URL: r.URL, Body: r.Body, Header: r.Header}, func(out network.Response) {
		done(cri.Response{Status: out.Status, Body: out.Body, Failure: cri.Failure(out.Failure), Address: out.Address})
	})
}

func (d dialer) Resolve(from cri.Caller, name string, done func([]string)) {
	d.fabric.Resolve(source(from), name, done)
}

// podDialer is the API server's way to Pods: it implements apiserver.Dialer.
type podDialer struct{ fabric *network.Fabric }

// await sends a request and waits for the answer, at most for a time.
func await(p *sim.Proc, timeout time.Duration, send func(done func(network.Response))) (network.Response, error) {
	var out *network.Response
	var cause trace.ID
	over := false
	send(func(r network.Response) {
		if !over {
			out, cause = &r, p.Kernel().Cause()
			p.Wake()
		}
	})
	for deadline := p.Now() + timeout; out == nil && p.Now() < deadline; {
		p.ParkFor(deadline - p.Now())
	}
	over = true
	if out == nil {
		return network.Response{}, errors.New("context deadline exceeded")
	}
	p.Due(cause)
	return *out, nil
}

// Do sends a request to a Pod and waits for the answer.
func (d podDialer) Do(p *sim.Proc, address string, r apiserver.Outgoing, timeout time.Duration) (int, []byte, error) {
	target := network.ParseURL(r.URL)
	request := network.Request{Method: r.Method, URL: target.Scheme + "://" + address + target.Path, Body: string(r.Body), Header: r.Header, Verify: r.Verify}
	out, err := await(p, timeout, func(done func(network.Response)) {
		d.fabric.Dial(network.Source{Host: p.Component(), IP: apiserver.AdvertiseAddress}, request, done)
	})
	if err != nil {
		return 0, nil, err
	}
	switch out.Failure {
	case "":
		return out.Status, []byte(out.Body), nil
	case network.Refused:
		return 0, nil, fmt.Errorf("dial tcp %s: connect: connection refused", address)
	case network.TimedOut, network.Reset:
		return 0, nil, fmt.Errorf("read tcp %s->%s: read: %s", apiserver.AdvertiseAddress, address, out.Failure)
	}
	return 0, nil, errors.New(string(out.Failure)) // what Verify has said
}
