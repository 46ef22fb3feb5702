package endpointslice

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/types"
)

// known is what the last sync of a Service found out. An object in a cache never changes, so a Pod that is still the same object is the same endpoint,
// and a slice that is still the same holds the same: a sync looks closely only at what is new.
type known struct {
	svc  *corev1.Service
	pods []*desired // by the Pods' names
	// endpoints are the same by ports and address, where the last Pod of an address counts. clash says that some have more than one.
	endpoints map[string]map[string]*desired
	clash     bool
	// slices are those that held what there is to be and nothing else: in this sync, and in the one before.
	slices, before map[*discoveryv1.EndpointSlice][]*desired
}

// desired is an endpoint that there is to be.
type desired struct {
	discoveryv1.Endpoint
	placed bool // a slice has it
	gone   bool // it is not to be any more

	pod         *corev1.Pod
	node        *corev1.Node // nil if there is none
	nodeChanges int          // when the node was looked up
	ports       []discoveryv1.EndpointPort
	key         string // of the ports
}

// knownOf is what is known of a Service as it is now.
func (r *reconciler) knownOf(svc *corev1.Service) *known {
	key := types.NamespacedName{Namespace: svc.Namespace, Name: svc.Name}
	if k := r.services[key]; k != nil && k.svc == svc {
		return k
	}
	k := &known{svc: svc, endpoints: map[string]map[string]*desired{}}
	r.services[key] = k
	return k
}

// sameNode tells whether the node of an endpoint is still the same object.
func (r *reconciler) sameNode(e *desired) bool {
	if e.nodeChanges != r.nodeChanges {
		if node, ok := r.nodeLister.Find(e.pod.Spec.NodeName); !ok || node != e.node {
			return false
		}
		e.nodeChanges = r.nodeChanges
	}
	return true
}

// step goes through the Pods of a Service, by name, beside those of the sync before.
type step struct {
	known               *known
	rest                []*desired
	now, added, dropped []*desired
}

func (k *known) begin(pods int) *step {
	return &step{known: k, rest: k.pods, now: make([]*desired, 0, pods)}
}

// before is the endpoint of a Pod that has not changed, nil for none. One whose node or ports were not all found is looked at each time.
func (s *step) before(pod *corev1.Pod) *desired {
	for len(s.rest) > 0 && s.rest[0].pod != pod && s.rest[0].pod.Name < pod.Name {
		s.rest = s.rest[1:]
	}
	if len(s.rest) == 0 || s.rest[0].pod != pod {
		return nil
	}
	e := s.rest[0]
	if e.node == nil || len(e.ports) != len(s.known.svc.Spec.Ports) {
		return nil
	}
	e.placed = false
	return e
}

func (s *step) add(e *desired) { s.now = append(s.now, e) }

// end makes what was added what is known.
func (s *step) end() {
	k := s.known
	rest := s.now
	for _, old := range k.pods {
		for len(rest) > 0 && rest[0] != old && rest[0].pod.Name < old.pod.Name {
			s.added, rest = append(s.added, rest[0]), rest[1:]
		}
		if len(rest) > 0 && rest[0] == old {
			rest = rest[1:]
			continue
		}
		old.gone = true
		s.dropped = append(s.dropped, old)
	}
	s.added = append(s.added, rest...)
	k.pods = s.now
	for _, e := range s.dropped {
		if of := k.endpoints[e.key]; of[e.Addresses[0]] == e {
			delete(of, e.Addresses[0])
		}
	}
	for _, e := range s.added {
		k.clash = !k.put(e) || k.clash
	}
	if !k.clash {
		return
	}
	clear(k.endpoints)
	k.clash, k.slices = false, nil
	for _, e := range k.pods {
		k.clash = !k.put(e) || k.clash
	}
}

// put tells whether nobody else had the address.
func (k *known) put(e *desired) bool {
	of := k.endpoints[e.key]
	if of == nil {
		of = map[string]*desired{}
		k.endpoints[e.key] = of
	}
	_, there := of[e.Addresses[0]]
	of[e.Addresses[0]] = e
	return !there
}

// place gives a slice what it holds already, if that is all still to be, and tells how much that is.
func (k *known) place(s *discoveryv1.EndpointSlice) int {
	if k == nil {
		return 0
	}
	held := k.before[s]
	for _, e := range held {
		if e.gone || e.placed {
			return 0
		}
	}
	for _, e := range held {
		e.placed = true
	}
	k.hold(s, held)
	return len(held)
}

// hold notes that a slice holds these and nothing else.
func (k *known) hold(s *discoveryv1.EndpointSlice, held []*desired) {
	if k == nil || len(held) == 0 {
		return
	}
	if k.slices == nil {
		k.slices = map[*discoveryv1.EndpointSlice][]*desired{}
	}
	k.slices[s] = held
}
