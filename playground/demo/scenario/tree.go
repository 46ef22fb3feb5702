package scenario

import "kubewalk/playground/api/labels"

// Field is what a path finds in an object as JSON's values, in the form of a
// claim's fields; "" when it is not there. It is for whoever has a recording
// and no trace.
func Field(tree any, path string) string { return lookup(tree, path) }

// MatchesTree tells whether an object as JSON's values is one of those meant.
// The resource is the caller's to compare. The error is about the labels.
func (o Objects) MatchesTree(tree any) (bool, error) {
	selector, err := labels.Parse(o.Labels)
	if err != nil {
		return false, err
	}
	set := labels.Set{}
	if all, ok := child(child(tree, "metadata"), "labels").(map[string]any); ok {
		for k, v := range all { // order: it fills a map
			set[k], _ = v.(string)
		}
	}
	if !selector.Matches(set) || !glob(o.Name, lookup(tree, "metadata.name")) ||
		o.Namespace != "" && o.Namespace != lookup(tree, "metadata.namespace") {
		return false, nil
	}
	for path, want := range o.Fields { // order: one answer
		if !fieldMatches(want, lookup(tree, path)) {
			return false, nil
		}
	}
	return true, nil
}
