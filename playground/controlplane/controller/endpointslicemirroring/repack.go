package endpointslicemirroring

import (
	"cmp"
	"fmt"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller/endpoint"
)

// addressKey tells addresses apart that different objects share.
type addressKey struct {
	ip  string
	uid types.UID
}

func keyOf(a corev1.EndpointAddress) addressKey {
	k := addressKey{ip: a.IP}
	if a.TargetRef != nil {
		k.uid = a.TargetRef.UID
	}
	return k
}

// offer is a port, and who answers there: true is ready.
type offer struct {
	port      corev1.EndpointPort
	addresses map[addressKey]bool
}

// repackSubsets puts each address into one subset, with all the ports at which it answers. Who is not ready in one place is not ready.
// Upstream: pkg/api/v1/endpoints/util.go, RepackSubsets.
func repackSubsets(subsets []corev1.EndpointSubset) []corev1.EndpointSubset {
	known := map[addressKey]corev1.EndpointAddress{}
	offers := map[string]*offer{}
	for _, s := range subsets {
		ports := s.Ports
		if len(ports) == 0 {
			ports = []corev1.EndpointPort{{Port: -1}} // addresses without ports are kept
		}
		for _, port := range ports {
			key := portKey(port)
			if offers[key] == nil {
				offers[key] = &offer{port, map[addressKey]bool{}}
			}
			note := func(addresses []corev1.EndpointAddress, ready bool) {
				for _, a := range addresses {
					k := keyOf(a)
					if _, is := known[k]; !is {
						known[k] = a
					}
					if was, is := offers[key].addresses[k]; !is || was {
						offers[key].addresses[k] = ready
					}
				}
			}
			note(s.Addresses, true)
			note(s.NotReadyAddresses, false)
		}
	}
	bySet := map[string]*corev1.EndpointSubset{}
	for _, key := range endpoint.SortedKeys(offers) {
		o := offers[key]
		set, subset := "", &corev1.EndpointSubset{}
		for _, k := range o.sorted() {
			set += fmt.Sprintf("%s %s %t\n", k.ip, k.uid, o.addresses[k])
			if o.addresses[k] {
				subset.Addresses = append(subset.Addresses, known[k])
			} else {
				subset.NotReadyAddresses = append(subset.NotReadyAddresses, known[k])
			}
		}
		if bySet[set] == nil {
			bySet[set] = subset
		}
		if o.port.Port > 0 {
			bySet[set].Ports = append(bySet[set].Ports, o.port)
		}
	}
	out := make([]corev1.EndpointSubset, 0, len(bySet))
	for _, set := range endpoint.SortedKeys(bySet) {
		out = append(out, *bySet[set])
	}
	return out
}

func (o *offer) sorted() []addressKey {
	out := make([]addressKey, 0, len(o.addresses))
	for k := range o.addresses { // order: sorted below
		out = append(out, k)
	}
	sorting.Func(out, func(a, b addressKey) int { return cmp.Or(strings.Compare(a.ip, b.ip), cmp.Compare(a.uid, b.uid)) })
	return out
}

func portKey(p corev1.EndpointPort) string {
	return fmt.Sprintf("%s/%s/%d/%s", p.Name, p.Protocol, p.Port, text(p.AppProtocol))
}
