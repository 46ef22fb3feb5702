package endpoint

import (
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client/cache"
)

// Selections keep the Pods that Services select, for those Services that somebody asked about: a sync does not look through all Pods of the
// namespace, and learns which have changed since the one before.
type Selections struct {
	indexer  cache.Indexer
	services map[string]map[string]*Selection // by namespace and name
}

// Selection is the Pods in the cache that one Service selects.
type Selection struct {
	labels   map[string]string
	selector labels.Selector
	pods     []*corev1.Pod   // by name
	given    bool            // pods is a sync's by now, which goes on with what it was given: a change makes a new list
	changed  map[string]bool // the names of those that came, changed and went
}

// PodChange is what became of a Pod: nil if it is not selected any more.
type PodChange struct {
	Name string
	Pod  *corev1.Pod
}

// NewSelections follows a cache of Pods.
func NewSelections(pods cache.Indexer) *Selections {
	s := &Selections{pods, map[string]map[string]*Selection{}}
	pods.OnChange(func(old, obj any) {
		pod, there := obj.(*corev1.Pod)
		if !there {
			pod = old.(*corev1.Pod)
		}
		for _, of := range s.services[pod.Namespace] { // order: each has its own
			of.set(pod, there && of.selector.Matches(labels.Set(pod.Labels)))
		}
	})
	return s
}

// Of is what a Service selects as it is now.
func (s *Selections) Of(svc *corev1.Service) *Selection {
	space := s.services[svc.Namespace]
	if space == nil {
		space = map[string]*Selection{}
		s.services[svc.Namespace] = space
	}
	of := space[svc.Name]
	if of == nil {
		of = &Selection{changed: map[string]bool{}}
		space[svc.Name] = of
	}
	if of.selector == nil || !maps.Equal(of.labels, svc.Spec.Selector) {
		of.labels, of.selector = svc.Spec.Selector, labels.SelectorFromSet(svc.Spec.Selector)
		for _, pod := range of.pods {
			of.changed[pod.Name] = true
		}
		of.pods, of.given = nil, false
		all, _ := s.indexer.ByIndex(cache.NamespaceIndex, svc.Namespace) // it always has that index
		for _, obj := range all {
			if pod := obj.(*corev1.Pod); of.selector.Matches(labels.Set(pod.Labels)) {
				of.pods, of.changed[pod.Name] = append(of.pods, pod), true
			}
		}
	}
	return of
}

// Forget is for a Service that is gone.
func (s *Selections) Forget(namespace, name string) {
	if delete(s.services[namespace], name); len(s.services[namespace]) == 0 {
		delete(s.services, namespace)
	}
}

// set makes a Pod one of the selected or takes it away.
func (of *Selection) set(pod *corev1.Pod, selected bool) {
	at, there := slices.BinarySearchFunc(of.pods, pod.Name, comparePodName)
	if !there && !selected {
		return
	}
	if of.changed[pod.Name] = true; of.given {
		of.pods, of.given = slices.Clone(of.pods), false
	}
	switch {
	case !selected:
		of.pods = slices.Delete(of.pods, at, at+1)
	case there:
		of.pods[at] = pod
	default:
		of.pods = slices.Insert(of.pods, at, pod)
	}
}

func comparePodName(pod *corev1.Pod, name string) int { return strings.Compare(pod.Name, name) }

// Pods are those that are selected, by name.
func (of *Selection) Pods() []*corev1.Pod {
	of.given = true
	return of.pods
}

// Changes are what has become, since the last call, of those that are and were selected, by name.
func (of *Selection) Changes() []PodChange {
	out := make([]PodChange, 0, len(of.changed))
	for _, name := range slices.Sorted(maps.Keys(of.changed)) {
		change := PodChange{Name: name}
		if at, there := slices.BinarySearchFunc(of.pods, name, comparePodName); there {
			change.Pod = of.pods[at]
		}
		out = append(out, change)
	}
	clear(of.changed)
	return out
}
