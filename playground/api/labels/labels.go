// Package labels matches labels against selectors: how a ReplicaSet finds its Pods, a Service its backends, a Node
// selector its nodes. Names and behaviour are those of upstream's k8s.io/apimachinery/pkg/labels, error texts included.
package labels

import (
	"slices"
	"strings"
)

// Labels is what a selector is matched against.
type Labels interface {
	// Has says that the label exists.
	Has(label string) bool
	// Get returns the label's value, empty if it doesn't exist.
	Get(label string) string
	// Lookup returns the label's value, and whether it exists.
	Lookup(label string) (value string, exists bool)
}

// Set is the labels of an object.
type Set map[string]string

// String is the labels as "a=1,b=2", by key.
func (s Set) String() string {
	list := make([]string, 0, len(s))
	for k, v := range s {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// Has implements Labels.
func (s Set) Has(label string) bool { _, ok := s[label]; return ok }

// Get implements Labels.
func (s Set) Get(label string) string { return s[label] }

// Lookup implements Labels.
func (s Set) Lookup(label string) (string, bool) { v, ok := s[label]; return v, ok }

// AsSelector returns a selector of what has all these labels; keys and values are not validated.
func (s Set) AsSelector() Selector { return SelectorFromSet(s) }

// FormatLabels is the labels as kubectl prints them: "<none>" if there are none.
func FormatLabels(labels map[string]string) string {
	if len(labels) == 0 {
		return "<none>"
	}
	return Set(labels).String()
}
