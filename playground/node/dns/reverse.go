//go:build !js || cel

package dns

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/labels"
	"kubewalk/playground/node/network"
)

func init() { reverse, whole = reverseLookup, wholeAnswer }

// wholeAnswer is the code, and in a line each the records as a zone's file and dig have them: names end with a dot.
func wholeAnswer(a Answer) string {
	text := a.Code
	for _, r := range a.Records {
		text += "\n" + r.Name + ". " + strconv.Itoa(r.TTL) + " IN " + r.Type + " " + r.Value
		if r.Type != "A" {
			text += "."
		}
	}
	return text
}

// reverseLookup answers for 20.0.96.10.in-addr.arpa: the Service that has the address, or those whose endpoint it is. ok is false for others, which the
// Corefile has fall through. Upstream: plugin/kubernetes/reverse.go.
func reverseLookup(l Lister, name, qtype string) (Answer, bool) {
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
