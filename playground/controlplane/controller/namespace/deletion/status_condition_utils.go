package deletion

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// conditions are those that this package keeps, in the order in which they are
// written, with what they say when all is well: status False.
var conditions = []struct {
	conditionType   corev1.NamespaceConditionType
	reason, message string
}{
	{corev1.NamespaceDeletionDiscoveryFailure, "ResourcesDiscovered", "All resources successfully discovered"},
	{corev1.NamespaceDeletionGVParsingFailure, "ParsedGroupVersions", "All legacy kube types successfully parsed"},
	{corev1.NamespaceDeletionContentFailure, "ContentDeleted", "All content successfully deleted, may be waiting on finalization"},
	{corev1.NamespaceContentRemaining, "ContentRemoved", "All content successfully removed"},
	{corev1.NamespaceFinalizersRemaining, "ContentHasNoFinalizers", "All content-preserving finalizers finished"},
}

// namespaceConditionUpdater collects what went wrong in a pass over a namespace.
// Upstream: status_condition_utils.go, namespaceConditionUpdater.
type namespaceConditionUpdater struct {
	discovery           string // a message
	failures            []string
	content, finalizers string // messages; "" when nothing is left
}

// ProcessDiscoverResourcesErr notes that not all kinds are known.
func (u *namespaceConditionUpdater) ProcessDiscoverResourcesErr(err error) {
	u.discovery = err.Error()
	if groups, ok := err.(api.DiscoveryFailed); ok {
		u.discovery = fmt.Sprintf("Discovery failed for some groups, %d failing: %v", len(groups), err)
	}
}

// ProcessDeleteContentErr notes that something could not be deleted.
func (u *namespaceConditionUpdater) ProcessDeleteContentErr(err error) {
	u.failures = append(u.failures, err.Error())
}

// ProcessContentTotals notes what is left.
func (u *namespaceConditionUpdater) ProcessContentTotals(left totals) {
	if len(left.resources) > 0 {
		u.content = "Some resources are remaining: " + counts(left.resources, "%s has %d resource instances")
	}
	if len(left.finalizers) > 0 {
		u.finalizers = "Some content in the namespace has finalizers remaining: " + counts(left.finalizers, "%s in %d resource instances")
	}
}

func counts(of map[string]int, format string) string {
	var out []string
	for name, n := range of { // order: sorted below
		out = append(out, fmt.Sprintf(format, name, n))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// Update writes the conditions into ns, the caller's own copy, and tells whether
// one of them says something new.
func (u *namespaceConditionUpdater) Update(ns *corev1.Namespace, now metav1.Time) (changed bool) {
	for _, c := range conditions {
		want := corev1.NamespaceCondition{Type: c.conditionType, Status: corev1.ConditionFalse, Reason: c.reason, Message: c.message, LastTransitionTime: now}
		bad := func(reason, message string) {
			want.Status, want.Reason, want.Message = corev1.ConditionTrue, reason, message
		}
		switch {
		case c.conditionType == corev1.NamespaceDeletionDiscoveryFailure && u.discovery != "":
			bad("DiscoveryFailed", u.discovery)
		case c.conditionType == corev1.NamespaceDeletionContentFailure && len(u.failures) > 0:
			slices.Sort(u.failures)
			bad("ContentDeletionFailed", fmt.Sprintf("Failed to delete all resource types, %d remaining: %v", len(u.failures), strings.Join(u.failures, ", ")))
		case c.conditionType == corev1.NamespaceContentRemaining && u.content != "":
			bad("SomeResourcesRemain", u.content)
		case c.conditionType == corev1.NamespaceFinalizersRemaining && u.finalizers != "":
			bad("SomeFinalizersRemain", u.finalizers)
		}
		i := slices.IndexFunc(ns.Status.Conditions, func(have corev1.NamespaceCondition) bool { return have.Type == want.Type })
		if i < 0 {
			ns.Status.Conditions = append(ns.Status.Conditions, want)
			changed = true
			continue
		}
		have := &ns.Status.Conditions[i]
		if have.Status == want.Status && have.Reason == want.Reason && have.Message == want.Message {
			continue
		}
		if have.Status == want.Status {
			want.LastTransitionTime = have.LastTransitionTime
		}
		*have, changed = want, true
	}
	return changed
}
