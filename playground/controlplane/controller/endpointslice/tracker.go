package endpointslice

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/types"
)

// deletionExpected stands for the generation of a slice that was deleted here.
const deletionExpected = -1

// Tracker remembers the generations of the slices that were written, by Service. What the cache shows is stale as long
// as it shows less. Upstream: staging/src/k8s.io/endpointslice/util/endpointslice_tracker.go, EndpointSliceTracker.
type Tracker struct {
	generationsByService map[types.NamespacedName]map[types.UID]int64
}

// NewTracker returns one that knows of nothing.
func NewTracker() *Tracker {
	return &Tracker{map[types.NamespacedName]map[types.UID]int64{}}
}

func serviceOf(slice *discoveryv1.EndpointSlice) types.NamespacedName {
	return types.NamespacedName{Namespace: slice.Namespace, Name: slice.Labels[discoveryv1.LabelServiceName]}
}

// Has tells whether the slice was written here.
func (t *Tracker) Has(slice *discoveryv1.EndpointSlice) bool {
	_, ok := t.generationsByService[serviceOf(slice)][slice.UID]
	return ok
}

// ShouldSync says that the slice is not one that was written here, or is newer.
func (t *Tracker) ShouldSync(slice *discoveryv1.EndpointSlice) bool {
	g, ok := t.generationsByService[serviceOf(slice)][slice.UID]
	return !ok || slice.Generation > g
}

// StaleSlices says that the cache shows less than what was written.
func (t *Tracker) StaleSlices(svc *corev1.Service, slices []*discoveryv1.EndpointSlice) bool {
	generations := t.generationsByService[types.NamespacedName{Namespace: svc.Namespace, Name: svc.Name}]
	provided := map[types.UID]bool{}
	for _, s := range slices {
		provided[s.UID] = true
		if g, ok := generations[s.UID]; ok && (g == deletionExpected || g > s.Generation) {
			return true
		}
	}
	for uid, g := range generations { // order: any of them is enough
		if g != deletionExpected && !provided[uid] {
			return true
		}
	}
	return false
}

// Update remembers a slice as it was written.
func (t *Tracker) Update(slice *discoveryv1.EndpointSlice) {
	key := serviceOf(slice)
	if t.generationsByService[key] == nil {
		t.generationsByService[key] = map[types.UID]int64{}
	}
	t.generationsByService[key][slice.UID] = slice.Generation
}

// ExpectDeletion remembers that a slice was deleted here.
func (t *Tracker) ExpectDeletion(slice *discoveryv1.EndpointSlice) {
	if generations := t.generationsByService[serviceOf(slice)]; generations != nil {
		generations[slice.UID] = deletionExpected
	}
}

// HandleDeletion forgets a slice that is gone and says whether that was expected.
func (t *Tracker) HandleDeletion(slice *discoveryv1.EndpointSlice) bool {
	generations := t.generationsByService[serviceOf(slice)]
	g, ok := generations[slice.UID]
	delete(generations, slice.UID)
	return ok && g == deletionExpected
}

// DeleteService forgets the slices of a Service.
func (t *Tracker) DeleteService(namespace, name string) {
	delete(t.generationsByService, types.NamespacedName{Namespace: namespace, Name: name})
}
