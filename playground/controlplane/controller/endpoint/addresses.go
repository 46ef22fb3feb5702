package endpoint

import (
	"cmp"
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/controlplane/controller"
)

// addressList is what the last sync of a Service found out about its Pods. An object in a cache never changes, so a Pod that is still the same object
// has the same address, and what is sorted stays sorted.
type addressList struct {
	svc    *corev1.Service
	pods   []*podAddress // in the order of their names
	groups map[string]*addressGroup
}

// podAddress is what one Pod contributes.
type podAddress struct {
	pod     *corev1.Pod
	group   *addressGroup // nil for a Pod that is no endpoint
	ready   bool
	dropped bool
	address corev1.EndpointAddress
}

// addressGroup are the addresses that answer at the same ports, by IP.
type addressGroup struct {
	ports  []corev1.EndpointPort
	sorted []*podAddress
	added  []*podAddress // since it was sorted
	stale  bool          // some of the sorted ones are dropped
}

// subsetsOf groups addresses by the ports at which they answer. Pods are in the order of their names. Upstream: endpoints.RepackSubsets.
func (l *addressList) subsetsOf(svc *corev1.Service, pods []*corev1.Pod) (out []corev1.EndpointSubset, ready, notReady int) {
	if l.svc != svc {
		*l = addressList{svc: svc, groups: map[string]*addressGroup{}}
	}
	var last *addressGroup // one after the other, Pods have the same ports more often than not
	known, now := l.pods, make([]*podAddress, 0, len(pods))
	for _, pod := range pods {
		for len(known) > 0 && known[0].pod.Name < pod.Name {
			known[0].drop()
			known = known[1:]
		}
		if len(known) > 0 && known[0].pod == pod {
			now, known = append(now, known[0]), known[1:]
			continue
		}
		a := l.addressOf(pod, last)
		if a.group != nil {
			last = a.group
			last.added = append(last.added, a)
		}
		now = append(now, a)
	}
	for _, a := range known {
		a.drop()
	}
	l.pods = now
	for _, key := range SortedKeys(l.groups) {
		g := l.groups[key]
		g.sort()
		if len(g.sorted) == 0 {
			delete(l.groups, key)
			continue
		}
		s := corev1.EndpointSubset{Ports: g.ports}
		n := 0
		for _, a := range g.sorted {
			if a.ready {
				n++
			}
		}
		if n > 0 {
			s.Addresses = make([]corev1.EndpointAddress, 0, n)
		}
		if n < len(g.sorted) {
			s.NotReadyAddresses = make([]corev1.EndpointAddress, 0, len(g.sorted)-n)
		}
		for _, a := range g.sorted {
			if a.ready {
				s.Addresses = append(s.Addresses, a.address)
			} else {
				s.NotReadyAddresses = append(s.NotReadyAddresses, a.address)
			}
		}
		ready, notReady = ready+n, notReady+len(g.sorted)-n
		out = append(out, s)
	}
	return out, ready, notReady
}

func (a *podAddress) drop() {
	if a.dropped = true; a.group != nil {
		a.group.stale = true
	}
}

// addressOf looks at a Pod, whose ports may be those of the last group.
func (l *addressList) addressOf(pod *corev1.Pod, last *addressGroup) *podAddress {
	svc, out := l.svc, &podAddress{pod: pod}
	if !ShouldPodBeInEndpoints(pod, svc.Spec.PublishNotReadyAddresses) {
		return out
	}
	var ports []corev1.EndpointPort
	for i := range svc.Spec.Ports {
		sp := &svc.Spec.Ports[i]
		number, err := FindPort(pod, sp)
		if err == nil {
			ports = append(ports, corev1.EndpointPort{Name: sp.Name, Port: number, Protocol: sp.Protocol, AppProtocol: sp.AppProtocol})
		}
	}
	if len(ports) == 0 && !(isHeadless(svc) && len(svc.Spec.Ports) == 0) {
		return out
	}
	sorting.Func(ports, func(a, b corev1.EndpointPort) int { return cmp.Compare(a.Name, b.Name) })
	if last != nil && slices.Equal(last.ports, ports) {
		out.group = last
	} else {
		key := ""
		for _, port := range ports {
			key += fmt.Sprintf("%s/%s/%d ", port.Name, port.Protocol, port.Port)
		}
		if out.group = l.groups[key]; out.group == nil {
			out.group = &addressGroup{ports: ports}
			l.groups[key] = out.group
		}
	}
	node := pod.Spec.NodeName
	out.address = corev1.EndpointAddress{IP: pod.Status.PodIP, NodeName: &node,
		TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}}
	if ShouldSetHostname(pod, svc) {
		out.address.Hostname = pod.Spec.Hostname
	}
	out.ready = svc.Spec.PublishNotReadyAddresses || controller.IsPodReady(pod)
	return out
}

// sort takes out what is dropped and puts in what is added, by IP, then by name.
func (g *addressGroup) sort() {
	if g.stale {
		g.sorted = slices.DeleteFunc(g.sorted, func(a *podAddress) bool { return a.dropped })
		g.stale = false
	}
	if len(g.added) == 0 {
		return
	}
	slices.SortFunc(g.added, compareAddresses)
	merged := make([]*podAddress, 0, len(g.sorted)+len(g.added))
	rest := g.sorted
	for _, a := range g.added {
		n, _ := slices.BinarySearchFunc(rest, a, compareAddresses)
		merged = append(append(merged, rest[:n]...), a)
		rest = rest[n:]
	}
	g.sorted, g.added = append(merged, rest...), nil
}

func compareAddresses(a, b *podAddress) int {
	if c := cmp.Compare(a.address.IP, b.address.IP); c != 0 {
		return c
	}
	return cmp.Compare(a.pod.Name, b.pod.Name)
}

// truncate leaves as many addresses as an object may have, the ready ones first, and of each subset its share, rounded up.
// Upstream: truncateEndpoints.
func truncate(subsets []corev1.EndpointSubset, ready, notReady int) ([]corev1.EndpointSubset, bool) {
	if ready+notReady <= maxCapacity {
		return subsets, false
	}
	room, total := maxCapacity-ready, notReady
	if ready > maxCapacity {
		room, total = maxCapacity, ready
	}
	left := room
	for i := range subsets {
		s := &subsets[i]
		of := &s.NotReadyAddresses
		if ready > maxCapacity {
			of, s.NotReadyAddresses = &s.Addresses, nil
		}
		part := (len(*of)*room + total - 1) / total // rounded up
		*of = (*of)[:min(part, left, len(*of))]
		left -= len(*of)
	}
	return subsets, true
}

// capacityAnnotationSetCorrectly tells whether an object that lists all addresses does not say that it lacks some. Upstream: the same name.
func capacityAnnotationSetCorrectly(e *corev1.Endpoints) bool {
	n := 0
	for i := range e.Subsets {
		n += len(e.Subsets[i].Addresses) + len(e.Subsets[i].NotReadyAddresses)
	}
	_, over := e.Annotations[corev1.EndpointsOverCapacity]
	return n <= maxCapacity && !over
}

// sameSubsets is SemanticDeepEqual of subsets.
func sameSubsets(a, b []corev1.EndpointSubset) bool {
	return slices.EqualFunc(a, b, func(a, b corev1.EndpointSubset) bool {
		return slices.EqualFunc(a.Addresses, b.Addresses, sameAddress) && slices.EqualFunc(a.NotReadyAddresses, b.NotReadyAddresses, sameAddress) &&
			slices.EqualFunc(a.Ports, b.Ports, func(a, b corev1.EndpointPort) bool {
				return a.Name == b.Name && a.Port == b.Port && a.Protocol == b.Protocol && same(a.AppProtocol, b.AppProtocol)
			})
	})
}

func sameAddress(a, b corev1.EndpointAddress) bool {
	return a.IP == b.IP && a.Hostname == b.Hostname && same(a.NodeName, b.NodeName) && same(a.TargetRef, b.TargetRef)
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
