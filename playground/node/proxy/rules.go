package proxy

import (
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/hash"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/node/network"
)

// Names of chains. Upstream: pkg/proxy/iptables/proxier.go.
const (
	kubeServices         = "KUBE-SERVICES"
	kubeExternalServices = "KUBE-EXTERNAL-SERVICES"
	kubeNodePorts        = "KUBE-NODEPORTS"
	kubePostrouting      = "KUBE-POSTROUTING"
	kubeMarkMasq         = "KUBE-MARK-MASQ"
	kubeForward          = "KUBE-FORWARD"
	masqueradeMark       = "0x4000"
)

// builder writes the rules of one sync.
type builder struct {
	clusterCIDR string
	filter      map[string]*network.Chain
	nat         []network.Chain
	forwards    map[string]string
}

// BuildRules makes a node's rules of what the proxy knows. forwards is the same for the picture: which addresses stand
// behind each destination. Upstream: proxier.go, Proxier.syncProxyRules.
func BuildRules(services ServicePortMap, endpoints EndpointsMap, node, zone, clusterCIDR string) (rules *network.Ruleset, forwards map[string]string) {
	b := &builder{clusterCIDR: clusterCIDR, forwards: map[string]string{}, filter: map[string]*network.Chain{}}
	for _, name := range []string{kubeExternalServices, kubeForward, kubeNodePorts, kubeServices} {
		b.filter[name] = &network.Chain{Name: name}
	}
	base := []network.Chain{
		{Name: kubeNodePorts}, {Name: kubeServices},
		{Name: kubePostrouting, Rules: []network.Rule{
			{Flags: "-m mark ! --mark " + masqueradeMark + "/" + masqueradeMark, Target: network.Return},
			{Target: network.Mark, Options: "--xor-mark " + masqueradeMark},
			{Comment: "kubernetes service traffic requiring SNAT", Target: network.Masquerade, Options: "--random-fully"},
		}},
		{Name: kubeMarkMasq, Rules: []network.Rule{{Target: network.Mark, Options: "--or-mark " + masqueradeMark}}},
	}
	names := make([]ServicePortName, 0, len(services))
	for name := range services { // order: sorted below
		names = append(names, name)
	}
	sorting.Func(names, ServicePortName.compare)
	for _, name := range names {
		b.service(&base[0], &base[1], name, services[name], endpoints[name], node, zone)
	}
	base[1].Rules = append(base[1].Rules, network.Rule{
		Comment: "kubernetes service nodeports; NOTE: this must be the last rule in this chain", DestinationLocal: true, Target: kubeNodePorts})
	b.filter[kubeForward].Rules = []network.Rule{
		{Flags: "-m conntrack --ctstate INVALID", Target: network.Drop},
		{Comment: "kubernetes forwarding rules", Flags: "-m mark --mark " + masqueradeMark + "/" + masqueradeMark, Target: network.Accept},
		{Comment: "kubernetes forwarding conntrack rule", Flags: "-m conntrack --ctstate RELATED,ESTABLISHED", Target: network.Accept},
	}
	rules = &network.Ruleset{NAT: append(base, b.nat...)}
	for _, name := range []string{kubeNodePorts, kubeServices, kubeExternalServices, kubeForward} {
		rules.Filter = append(rules.Filter, *b.filter[name])
	}
	return rules, b.forwards
}

// service writes the rules of one port of a Service.
func (b *builder) service(nodePorts, services *network.Chain, name ServicePortName, svc *ServicePort, all []*Endpoint, node, zone string) {
	cluster, local, any := CategorizeEndpoints(all, svc, node, zone)
	text, hash := name.String(), chainHash(name.String()+svc.Protocol)
	clusterChain, localChain, externalChain := "KUBE-SVC-"+hash, "KUBE-SVL-"+hash, "KUBE-EXT-"+hash
	internalChain, internal := clusterChain, cluster
	if svc.Inside {
		internalChain, internal = localChain, local
	}
	externalPolicyChain, external := clusterChain, cluster
	if svc.ExternalLocal {
		externalPolicyChain, external = localChain, local
	}

	if len(internal) > 0 {
		services.Rules = append(services.Rules, network.Rule{Comment: text + " cluster IP", Protocol: svc.Protocol, Destination: svc.ClusterIP, Port: svc.Port,
			Target: internalChain})
	} else {
		b.refuse(kubeServices, text, svc, network.Rule{Destination: svc.ClusterIP, Port: svc.Port}, any)
	}
	b.forward(svc.ClusterIP, svc.Port, svc.Protocol, internal)

	for _, ip := range svc.ExternalIPs {
		if any {
			services.Rules = append(services.Rules, network.Rule{Comment: text + " external IP", Protocol: svc.Protocol, Destination: ip, Port: svc.Port,
				Target: externalChain})
		}
		if len(external) == 0 {
			b.refuse(kubeExternalServices, text, svc, network.Rule{Destination: ip, Port: svc.Port}, any)
		}
		b.forward(ip, svc.Port, svc.Protocol, external)
	}
	if svc.NodePort != 0 {
		if any {
			nodePorts.Rules = append(nodePorts.Rules, network.Rule{Comment: text, Protocol: svc.Protocol, Port: svc.NodePort, Target: externalChain})
		}
		if len(external) == 0 {
			b.refuse(kubeExternalServices, text, svc, network.Rule{DestinationLocal: true, Port: svc.NodePort}, any)
		}
		b.forward("node", svc.NodePort, svc.Protocol, external)
	}

	if len(cluster) > 0 && svc.UsesClusterEndpoints() {
		b.nat = append(b.nat, b.serviceChain(clusterChain, text, svc, cluster))
	}
	if len(local) > 0 && svc.UsesLocalEndpoints() {
		b.nat = append(b.nat, b.serviceChain(localChain, text, svc, local))
	}
	if svc.External() && any {
		b.nat = append(b.nat, b.externalChain(externalChain, clusterChain, externalPolicyChain, text, svc, len(cluster) > 0, len(external) > 0))
	}
	seen := map[string]bool{}
	for _, e := range append(slices.Clone(cluster), local...) {
		if !seen[e.address()] {
			seen[e.address()] = true
			b.nat = append(b.nat, endpointChain(text, svc, e))
		}
	}
}

// refuse writes why nobody answers: rejected where there is no endpoint at all, dropped where there is none on this node,
// so that a load balancer tries another one.
func (b *builder) refuse(chain, text string, svc *ServicePort, match network.Rule, any bool) {
	match.Protocol = svc.Protocol
	match.Comment, match.Target = text+" has no endpoints", network.Reject
	if any {
		match.Comment, match.Target = text+" has no local endpoints", network.Drop
	}
	b.filter[chain].Rules = append(b.filter[chain].Rules, match)
}

func (b *builder) forward(ip string, port int32, protocol string, to []*Endpoint) {
	addresses := make([]string, len(to))
	for i, e := range to {
		addresses[i] = e.address()
	}
	value := strings.Join(addresses, " ")
	if value == "" {
		value = network.Reject
	}
	b.forwards[ip+":"+strconv.Itoa(int(port))+"/"+protocol] = value
}

// serviceChain chooses an endpoint: the one of before, for a client that sticks, else by chance.
// Upstream: proxier.go, writeServiceToEndpointRules.
func (b *builder) serviceChain(chain, text string, svc *ServicePort, endpoints []*Endpoint) network.Chain {
	c := network.Chain{Name: chain}
	if svc.UsesClusterEndpoints() && strings.HasPrefix(chain, "KUBE-SVC-") || svc.Inside && strings.HasPrefix(chain, "KUBE-SVL-") {
		// Who is no Pod gets the node's address as its source, or the answer would not come back through the node.
		c.Rules = append(c.Rules, network.Rule{Comment: text + " cluster IP", Protocol: svc.Protocol, Destination: svc.ClusterIP, Port: svc.Port,
			NotSource: b.clusterCIDR, Target: kubeMarkMasq})
	}
	if svc.AffinitySeconds > 0 {
		for _, e := range endpoints {
			sep := endpointChainName(text, svc, e)
			c.Rules = append(c.Rules, network.Rule{Comment: text + " -> " + e.address(), Recent: sep, Seconds: svc.AffinitySeconds, Target: sep})
		}
	}
	for i, e := range endpoints {
		// Each takes one in as many as are left, so all of them get the same share; the last takes the rest.
		c.Rules = append(c.Rules, network.Rule{Comment: text + " -> " + e.address(), OneOf: len(endpoints) - i, Target: endpointChainName(text, svc, e)})
	}
	return c
}

// externalChain is where traffic from outside comes in. Upstream: proxier.go, syncProxyRules, "usesExternalTrafficChain".
func (b *builder) externalChain(chain, clusterChain, policyChain, text string, svc *ServicePort, hasCluster, hasPolicy bool) network.Chain {
	c := network.Chain{Name: chain}
	if !svc.ExternalLocal {
		c.Rules = append(c.Rules, network.Rule{Comment: "masquerade traffic for " + text + " external destinations", Target: kubeMarkMasq})
	} else {
		// Pods and the node itself are inside: they may go to any endpoint.
		if hasCluster {
			c.Rules = append(c.Rules,
				network.Rule{Comment: "pod traffic for " + text + " external destinations", Source: b.clusterCIDR, Target: clusterChain},
				network.Rule{Comment: "masquerade LOCAL traffic for " + text + " external destinations", SourceLocal: true, Target: kubeMarkMasq},
				network.Rule{Comment: "route LOCAL traffic for " + text + " external destinations", SourceLocal: true, Target: clusterChain})
		}
	}
	if hasPolicy {
		c.Rules = append(c.Rules, network.Rule{Target: policyChain})
	}
	return c
}

func endpointChainName(text string, svc *ServicePort, e *Endpoint) string {
	return "KUBE-SEP-" + chainHash(text+svc.Protocol+e.address())
}

// endpointChain changes the destination; a Pod that reaches itself gets the node's address as its source.
func endpointChain(text string, svc *ServicePort, e *Endpoint) network.Chain {
	name := endpointChainName(text, svc, e)
	dnat := network.Rule{Comment: text, Protocol: svc.Protocol, Target: network.DNAT, To: e.address()}
	if svc.AffinitySeconds > 0 {
		dnat.Recent = name
	}
	return network.Chain{Name: name, Rules: []network.Rule{{Comment: text, Source: e.IP, Target: kubeMarkMasq}, dnat}}
}

// chainHash is the sixteen letters that make a chain's name its own. Upstream: pkg/proxy/iptables/proxier.go, portProtoHash.
func chainHash(text string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	sum := hash.SHA256(text)
	out := make([]byte, 16)
	for i := range out { // five bits each
		bit := 5 * i
		pair := uint16(sum[bit/8])<<8 | uint16(sum[bit/8+1])
		out[i] = letters[pair>>(11-bit%8)&31]
	}
	return string(out)
}
