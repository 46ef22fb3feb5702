// Package predicate decides which events of a watch matter to a controller.
// Upstream: controller-runtime/pkg/predicate.
package predicate

import "kubewalk/playground/api"

// Predicate is asked before an event leads to a request. Simplified: creations and deletions always do.
type Predicate interface {
	// Update tells whether the change from before to now matters.
	Update(before, now api.Object) bool
}

// GenerationChangedPredicate lets changes of the spec through, and the begin of a deletion: the API server counts those in
// metadata.generation, and neither those of the status nor of labels, annotations and finalizers.
type GenerationChangedPredicate struct{}

// Update implements Predicate.
func (GenerationChangedPredicate) Update(before, now api.Object) bool {
	return before.GetGeneration() != now.GetGeneration()
}
