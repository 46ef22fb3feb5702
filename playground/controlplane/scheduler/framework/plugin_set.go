package framework

import (
	"slices"
	"strings"
)

// PluginSet is a set of plugin names, kept sorted so that its order is the same
// everywhere. The zero value is empty.
type PluginSet []string

// Has tells whether the plugin is in the set.
func (s PluginSet) Has(name string) bool {
	return slices.Contains(s, name) // a few names: to compare their lengths is quicker than to search
}

// Insert returns the set with the plugin in it. The receiver is not changed.
func (s PluginSet) Insert(name string) PluginSet {
	i, found := slices.BinarySearch(s, name)
	if found {
		return s
	}
	return slices.Insert(slices.Clone(s), i, name)
}

// Union returns what is in either.
func (s PluginSet) Union(t PluginSet) PluginSet {
	for _, name := range t {
		s = s.Insert(name)
	}
	return s
}

func (s PluginSet) String() string { return strings.Join(s, ",") }
