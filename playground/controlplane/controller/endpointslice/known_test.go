package endpointslice

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// What is known of the sync before makes no difference to what is written, whatever Pods come and go and share addresses, and whoever
// writes slices beside.
func TestKnownEndpoints(t *testing.T) {
	const most = 4
	for seed := range uint64(200) {
		r, svc, node := sim.NewRand(seed), testService(), &corev1.Node{}
		rec := &reconciler{maxEndpointsPerSlice: most}
		k := &known{svc: svc, endpoints: map[string]map[string]*desired{}}
		pods := map[string]*corev1.Pod{}
		held := map[string]*discoveryv1.EndpointSlice{}
		made := 0
		look := func(k *known) (create, update, remove []*discoveryv1.EndpointSlice) {
			s := k.begin(len(pods))
			for _, name := range slices.Sorted(maps.Keys(pods)) {
				e := s.before(pods[name])
				if e == nil {
					e = &desired{Endpoint: podToEndpoint(pods[name], node, svc), pod: pods[name], node: node, ports: make([]discoveryv1.EndpointPort, 1), key: "http"}
				}
				s.add(e)
			}
			s.end()
			k.slices, k.before = nil, k.slices
			g := &portGroup{key: "http", ports: []discoveryv1.EndpointPort{}, endpoints: k.endpoints["http"], known: k}
			for _, name := range slices.Sorted(maps.Keys(held)) {
				g.existing = append(g.existing, held[name])
			}
			return rec.reconcileByPortMapping(svc, g)
		}
		for range 15 {
			for range r.IntN(6) {
				pod := testPod(r.IntN(25), r.IntN(4) > 0, r.IntN(8) == 0)
				if r.IntN(20) == 0 {
					pod.Status.PodIP = fmt.Sprint("10.244.0.", r.IntN(8)+2)
				}
				if pods[pod.Name] = pod; r.IntN(3) == 0 {
					delete(pods, pod.Name)
				}
			}
			if r.IntN(5) == 0 { // somebody else's copy of a slice
				for _, name := range slices.Sorted(maps.Keys(held)) {
					twin := held[name].DeepCopy()
					twin.Name = "a-" + name
					held[twin.Name] = twin
					break
				}
			}
			create, update, remove := look(k)
			wantCreate, wantUpdate, wantRemove := look(&known{svc: svc, endpoints: map[string]map[string]*desired{}})
			if !reflect.DeepEqual([][]*discoveryv1.EndpointSlice{create, update, remove}, [][]*discoveryv1.EndpointSlice{wantCreate, wantUpdate, wantRemove}) {
				t.Fatalf("seed %d: %d, %d and %d slices, with nothing known %d, %d and %d, or others", seed, len(create), len(update), len(remove),
					len(wantCreate), len(wantUpdate), len(wantRemove))
			}
			for _, s := range remove {
				delete(held, s.Name)
			}
			for _, s := range update {
				held[s.Name] = s
			}
			for _, s := range create {
				made++
				s.ObjectMeta = metav1.ObjectMeta{Name: fmt.Sprintf("web-%03d", made), Labels: s.Labels}
				held[s.Name] = s
			}
		}
	}
}
