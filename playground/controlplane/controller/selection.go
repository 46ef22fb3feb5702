package controller

import (
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client/cache"
)

// Selections keep the Pods that objects of one kind select, for those objects that somebody asked about: a sync does not look through all Pods
// of the namespace, and learns which have changed since the one before.
type Selections struct {
	indexer   cache.Indexer
	selecting map[string]map[string]*Selection // by namespace and name
}

// Selection is the Pods in the cache that one object selects.
type Selection struct {
	selector labels.Selector
	text     string          // of the selector
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
		for _, of := range s.selecting[pod.Namespace] { // order: each has its own
			of.set(pod, there && of.selector.Matches(labels.Set(pod.Labels)))
		}
	})
	return s
}

// Of is what an object of that name selects as things are now. The changes begin anew if it selects by something else than before.
func (s *Selections) Of(namespace, name string, selector labels.Selector) *Selection {
	space := s.selecting[namespace]
	if space == nil {
		space = map[string]*Selection{}
		s.selecting[namespace] = space
	}
	of := space[name]
	if of == nil {
		of = &Selection{changed: map[string]bool{}}
		space[name] = of
	}
	if text := selector.String(); of.selector == nil || of.text != text {
		of.selector, of.text = selector, text
		for _, pod := range of.pods {
			of.changed[pod.Name] = true
		}
		of.pods, of.given = nil, false
		all, _ := s.indexer.ByIndex(cache.NamespaceIndex, namespace) // it always has that index
		for _, obj := range all {
			if pod := obj.(*corev1.Pod); selector.Matches(labels.Set(pod.Labels)) {
				of.pods, of.changed[pod.Name] = append(of.pods, pod), true
			}
		}
	}
	return of
}

// Forget is for an object that is gone.
func (s *Selections) Forget(namespace, name string) {
	if delete(s.selecting[namespace], name); len(s.selecting[namespace]) == 0 {
		delete(s.selecting, namespace)
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

// Settle forgets the changes, for who does not ask for them.
func (of *Selection) Settle() { clear(of.changed) }
