package statefulset

import (
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
)

// member is a Pod with what every sync asks of it. An object in a cache never changes, so that is found out once.
type member struct {
	pod         *corev1.Pod
	parent      string
	ordinal     int
	revision    string
	created     bool
	running     bool
	ready       bool // whatever its phase
	terminating bool
	identity    bool // of its name; see identityMatches
	judged      bool // by the selector of its crew; and then:
	selected    bool
}

// name is the Pod's, for a log; "" for none: of a Pod that says it is ready and does not run, nobody knows what it waits for. Upstream: klog.KObj of nil.
func (m *member) name() string {
	if m == nil {
		return ""
	}
	return controller.KObj(m.pod)
}

func newMember(pod *corev1.Pod) *member {
	parent, ordinal := getParentNameAndOrdinal(pod)
	return &member{pod: pod, parent: parent, ordinal: ordinal, revision: getPodRevision(pod), created: isCreated(pod),
		running: pod.Status.Phase == corev1.PodRunning, ready: controller.IsPodReady(pod), terminating: pod.DeletionTimestamp != nil,
		identity: hasIdentity(pod, parent, ordinal)}
}

func (m *member) runningAndReady() bool { return m.running && m.ready }

func (m *member) available(minReadySeconds int32, now time.Time) bool {
	return m.ready && (minReadySeconds == 0 || controller.IsPodAvailable(m.pod, minReadySeconds, now))
}

// unavailable counts a Pod that is being deleted as unavailable, ready or not.
func (m *member) unavailable(minReadySeconds int32, now time.Time) bool {
	return m.terminating || !m.available(minReadySeconds, now)
}

// crew are the Pods in the cache that refer to one set as their controller, by name. A sync has them without a list of all
// being made and looked through each time.
type crew struct {
	members  []*member
	given    bool                  // to a sync, which goes on with what it was given: a change makes a new list
	selector *metav1.LabelSelector // by which they were judged
}

// crewOf names the set.
type crewOf struct {
	namespace, name string
	uid             types.UID
}

// crews are kept for all sets that Pods in the cache refer to.
type crews map[crewOf]*crew

// change follows the cache; see cache.Indexer's OnChange.
func (c crews) change(old, obj any) {
	if pod, ok := old.(*corev1.Pod); ok {
		c.set(pod, nil)
	}
	if pod, ok := obj.(*corev1.Pod); ok {
		c.set(pod, newMember)
	}
}

// set gives the Pod's place in its crew to a member that is made of it, or, without make, takes it away.
func (c crews) set(pod *corev1.Pod, make func(*corev1.Pod) *member) {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil || ref.Kind != controllerKind.Kind {
		return
	}
	of := crewOf{pod.Namespace, ref.Name, ref.UID}
	its := c[of]
	if its == nil {
		its = &crew{}
		c[of] = its
	}
	if its.given {
		its.members, its.given = slices.Clone(its.members), false
	}
	at, there := slices.BinarySearchFunc(its.members, pod.Name, func(m *member, name string) int { return strings.Compare(m.pod.Name, name) })
	switch {
	case make != nil && there:
		its.members[at] = make(pod)
	case make != nil:
		its.members = slices.Insert(its.members, at, make(pod))
	case there:
		its.members = slices.Delete(its.members, at, at+1)
	}
	if len(its.members) == 0 {
		delete(c, of)
	}
}

// claimed are the Pods that a set controls and selects, and the others that it controls, both by name.
func (c crews) claimed(set *appsv1.StatefulSet, selector labels.Selector) (claimed []*member, others []*corev1.Pod) {
	its := c[crewOf{set.Namespace, set.Name, set.UID}]
	if its == nil {
		return nil, nil
	}
	same := its.selector == set.Spec.Selector || api.SemanticDeepEqual(its.selector, set.Spec.Selector)
	its.selector = set.Spec.Selector
	for _, m := range its.members {
		if !same || !m.judged {
			m.judged, m.selected = true, m.parent == set.Name && selector.Matches(labels.Set(m.pod.Labels))
		}
		if !m.selected {
			others = append(others, m.pod)
		}
	}
	if len(others) == 0 {
		its.given = true
		return slices.Clip(its.members), nil
	}
	for _, m := range its.members {
		if m.selected {
			claimed = append(claimed, m)
		}
	}
	return claimed, others
}
