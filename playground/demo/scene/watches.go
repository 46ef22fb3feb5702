package scene

import "kubewalk/playground/trace"

// watches are who is told of what. A component that once watched a resource,
// lives, and has no watch of it open, is not told of changes: its cache stands
// still until the next watch opens.
type watches struct {
	open map[string]map[string]int // component → resource → how many are open; 0 after the last was closed
}

func newWatches() watches { return watches{map[string]map[string]int{}} }

// change notes that a watch has been opened or closed.
func (w watches) change(component string, d trace.Delta) {
	resource, by := "", 0
	if now, ok := d.New.(string); ok && d.Old == nil {
		resource, by = now, 1
	} else if before, ok := d.Old.(string); ok && d.New == nil {
		resource, by = before, -1
	} else {
		return
	}
	of := w.open[component]
	if of == nil {
		of = map[string]int{}
		w.open[component] = of
	}
	if _, known := of[resource]; !known && by < 0 {
		return // it belonged to a life before this one
	}
	of[resource] += by
}

// forget is called when a component starts or stops: what it watched in its
// life before counts no more.
func (w watches) forget(component string) { delete(w.open, component) }

// watched is of how many resources a component is told, and of how many no longer.
type watched struct{ open, lost int }

func (w watches) of(component string) (n watched) {
	for _, open := range w.open[component] { // order: it counts
		if open > 0 {
			n.open++
		} else {
			n.lost++
		}
	}
	return n
}

// lost tells whether a component was told of a resource, and is not now.
func (w watches) lost(component, resource string) bool {
	open, known := w.open[component][resource]
	return known && open <= 0
}

// lostOnes are the resources of which a component was told and is not now, in order.
func (w watches) lostOnes(component string) (out []string) {
	for _, resource := range sortedKeys(w.open[component]) {
		if w.lost(component, resource) {
			out = append(out, resource)
		}
	}
	return out
}
