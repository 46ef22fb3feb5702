package dns

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/labels"
	"kubewalk/playground/node/network"
)

// String is the record as a zone's file and dig have it: names end with a dot.
func (r Record) String() string {
	value := r.Value
	if r.Type != "A" {
		value += "."
	}
	return r.Name + ". " + strconv.Itoa(r.TTL) + " IN " + r.Type + " " + value
}

// reverse answers for 20.0.96.10.in-addr.arpa: the Service that has the address, or those whose endpoint it is. ok is false for others, which the
// Corefile has fall through. Upstream: plugin/kubernetes/reverse.go.
func (l Lister) reverse(name, qtype string) (Answer, bool) {
	rest, ok := strings.CutSuffix(name, ".in-addr.arpa")
	parts := strings.Split(rest, ".")
	slices.Reverse(parts)
	ip := strings.Join(parts, ".")
	if _, err := netip.ParseAddr(ip); !ok || err != nil {
		return Answer{}, false
	}
	services, err := l.Services.List(labels.Everything())
	if err != nil {
		return Answer{}, false
	}
	var records []Record
	ptr := func(host, namespace string) {
		records = append(records, Record{name, "PTR", host + "." + namespace + ".svc." + network.ClusterDomain, TTL})
	}
	for _, svc := range services {
		if svc.Spec.ClusterIP == ip {
			ptr(svc.Name, svc.Namespace)
			return only(qtype, records...), true
		}
	}
	for _, svc := range services {
		for _, e := range l.endpoints(svc) {
			if e.ip == ip {
				ptr(e.name+"."+svc.Name, svc.Namespace)
			}
		}
	}
	return only(qtype, records...), len(records) > 0
}
