package dns

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/node/network"
)

// Codes of answers.
const (
	NoError  = "NOERROR"
	NXDomain = "NXDOMAIN"
)

// TTL of every answer, in seconds. Upstream: kubeadm's Corefile.
const TTL = 30

// Record is one line of an answer.
type Record struct {
	Name  string
	Type  string // "A", "CNAME", "PTR" or "SRV"
	Value string // of SRV: "0 100 80 name"
	TTL   int
}

// Answer is what is known of a name. NOERROR without records: the name is there, with nothing of that type.
type Answer struct {
	Code    string
	Records []Record
}

// Lister is where answers come from.
type Lister struct {
	Services   listers.ServiceLister
	Slices     listers.EndpointSliceLister
	Namespaces listers.NamespaceLister
}

var nothing = Answer{Code: NXDomain}

// What only dig asks for, in builds that have it: names of addresses, and an answer as text with whole records.
var (
	reverse func(l Lister, name, qtype string) (Answer, bool)
	whole   func(a Answer) string
)

// Lookup answers a query for a name of the cluster, without a dot at its end. ok is false for names of other zones.
// Upstream: plugin/kubernetes/kubernetes.go, Services, Records and findServices.
func (l Lister) Lookup(name, qtype string) (answer Answer, ok bool) {
	name = strings.ToLower(name)
	if name == network.ClusterDomain {
		return Answer{Code: NoError}, true
	}
	rest, ok := strings.CutSuffix(name, "."+network.ClusterDomain)
	if !ok && reverse != nil {
		return reverse(l, name, qtype)
	}
	if !ok {
		return Answer{}, false
	}
	labels := strings.Split(rest, ".")
	slices.Reverse(labels) // svc, namespace, service, …
	switch {
	case labels[0] == "pod":
		return l.pod(name, qtype, labels[1:]), true
	case labels[0] != "svc":
		return nothing, true
	case len(labels) == 1:
		return Answer{Code: NoError}, true
	}
	if _, err := l.Namespaces.Get(labels[1]); err != nil {
		return nothing, true
	}
	switch len(labels) {
	case 2:
		return Answer{Code: NoError}, true
	case 3:
		return l.service(name, qtype, labels[1], labels[2]), true
	case 4:
		return l.endpoint(name, qtype, labels[1], labels[2], labels[3]), true
	case 5:
		return l.port(name, qtype, labels[1], labels[2], labels[3], labels[4]), true
	}
	return nothing, true
}

// pod answers for 10-244-1-2.default.pod. Upstream: findPods, with "pods insecure".
func (l Lister) pod(name, qtype string, labels []string) Answer {
	if len(labels) == 0 {
		return Answer{Code: NoError}
	}
	if _, err := l.Namespaces.Get(labels[0]); err != nil {
		return nothing
	}
	if len(labels) == 1 {
		return Answer{Code: NoError}
	}
	ip := strings.ReplaceAll(labels[1], "-", ".")
	if _, err := netip.ParseAddr(ip); err != nil || len(labels) > 2 {
		return nothing
	}
	return only(qtype, Record{name, "A", ip, TTL})
}

// only keeps the records of the type that was asked for; a CNAME answers for every type.
func only(qtype string, records ...Record) Answer {
	a := Answer{Code: NoError}
	for _, r := range records {
		if r.Type == qtype || r.Type == "CNAME" {
			a.Records = append(a.Records, r)
		}
	}
	return a
}

func (l Lister) service(name, qtype, namespace, service string) Answer {
	svc, err := l.Services.Services(namespace).Get(service)
	if err != nil {
		return nothing
	}
	switch {
	case svc.Spec.Type == corev1.ServiceTypeExternalName:
		return l.follow(name, qtype, strings.TrimSuffix(svc.Spec.ExternalName, "."))
	case svc.Spec.ClusterIP == corev1.ClusterIPNone:
		var records []Record
		for _, e := range l.endpoints(svc) {
			records = append(records, Record{name, "A", e.ip, TTL})
			for _, p := range e.ports {
				records = append(records, Record{name, "SRV", "0 100 " + strconv.Itoa(int(p.number)) + " " + e.name + "." + name, TTL})
			}
		}
		if len(records) == 0 {
			return nothing
		}
		return only(qtype, records...)
	}
	records := []Record{{name, "A", svc.Spec.ClusterIP, TTL}}
	for _, p := range svc.Spec.Ports {
		records = append(records, Record{name, "SRV", "0 100 " + strconv.Itoa(int(p.Port)) + " " + name, TTL})
	}
	return only(qtype, records...)
}

// maxChain ends names that lead to themselves. Upstream: plugin/kubernetes and plugin/pkg/upstream, eight lookups.
const maxChain = 8

// follow answers with another name, and with what is known of that. Upstream: the CNAME of ExternalName.
func (l Lister) follow(name, qtype, target string) Answer {
	a := Answer{Code: NoError}
	for range maxChain {
		a.Records = append(a.Records, Record{name, "CNAME", target, TTL})
		next, ours := l.direct(target, qtype)
		if !ours {
			return a
		}
		if next.cname == "" {
			a.Records = append(a.Records, next.answer.Records...)
			return a
		}
		name, target = target, next.cname
	}
	return a
}

type step struct {
	answer Answer
	cname  string
}

// direct looks a name up without following names that lead on.
func (l Lister) direct(name, qtype string) (step, bool) {
	if rest, ok := strings.CutSuffix(name, ".svc."+network.ClusterDomain); ok {
		if service, namespace, two := strings.Cut(rest, "."); two && !strings.Contains(namespace, ".") {
			if svc, err := l.Services.Services(namespace).Get(service); err == nil && svc.Spec.Type == corev1.ServiceTypeExternalName {
				return step{cname: strings.TrimSuffix(svc.Spec.ExternalName, ".")}, true
			}
		}
	}
	a, ok := l.Lookup(name, qtype)
	return step{answer: a}, ok
}

// known is one ready endpoint of a Service.
type known struct {
	name  string // its host name, or its address with dashes
	ip    string
	ports []knownPort
}

type knownPort struct {
	name, protocol string
	number         int32
}

// endpoints are those that are ready, by address.
func (l Lister) endpoints(svc *corev1.Service) []known {
	list, err := l.Slices.EndpointSlices(svc.Namespace).List(labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: svc.Name}))
	if err != nil {
		return nil
	}
	var out []known
	for _, s := range list {
		if s.AddressType != "IPv4" {
			continue
		}
		var ports []knownPort
		for _, p := range s.Ports {
			if p.Name != nil && p.Protocol != nil && p.Port != nil {
				ports = append(ports, knownPort{*p.Name, strings.ToLower(string(*p.Protocol)), *p.Port})
			}
		}
		for _, e := range s.Endpoints {
			if e.Conditions.Ready != nil && !*e.Conditions.Ready {
				continue
			}
			k := known{name: strings.ReplaceAll(e.Addresses[0], ".", "-"), ip: e.Addresses[0], ports: ports}
			if e.Hostname != nil && *e.Hostname != "" {
				k.name = *e.Hostname
			}
			out = append(out, k)
		}
	}
	sorting.Func(out, func(a, b known) int { return strings.Compare(a.ip, b.ip) })
	return slices.CompactFunc(out, func(a, b known) bool { return a.ip == b.ip })
}

// endpoint answers for HOST.SERVICE, a Pod behind it. Upstream: findServices with an endpoint.
func (l Lister) endpoint(name, qtype, namespace, service, host string) Answer {
	svc, err := l.Services.Services(namespace).Get(service)
	if err != nil || svc.Spec.Type == corev1.ServiceTypeExternalName {
		return nothing
	}
	for _, e := range l.endpoints(svc) {
		if e.name == host || strings.ReplaceAll(e.ip, ".", "-") == host {
			return only(qtype, Record{name, "A", e.ip, TTL})
		}
	}
	return nothing
}

// port answers for _http._tcp.SERVICE. Upstream: findServices with port and protocol.
func (l Lister) port(name, qtype, namespace, service, protocol, port string) Answer {
	svc, err := l.Services.Services(namespace).Get(service)
	if err != nil || !strings.HasPrefix(port, "_") || !strings.HasPrefix(protocol, "_") {
		return nothing
	}
	base := service + "." + namespace + ".svc." + network.ClusterDomain
	var records []Record
	if svc.Spec.ClusterIP == corev1.ClusterIPNone {
		for _, e := range l.endpoints(svc) {
			for _, p := range e.ports {
				if "_"+p.name == port && "_"+p.protocol == protocol {
					records = append(records, Record{name, "SRV", "0 100 " + strconv.Itoa(int(p.number)) + " " + e.name + "." + base, TTL})
				}
			}
		}
	} else {
		for _, p := range svc.Spec.Ports {
			if "_"+p.Name == port && "_"+strings.ToLower(string(p.Protocol)) == protocol {
				records = append(records, Record{name, "SRV", "0 100 " + strconv.Itoa(int(p.Port)) + " " + base, TTL})
			}
		}
	}
	if len(records) == 0 {
		return nothing
	}
	return only(qtype, records...)
}
