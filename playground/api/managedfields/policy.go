package managedfields

import "fmt"

// Merge is a tree with what a configuration says of it. Nobody comes to own anything.
func (t *Type) Merge(tree, configuration any) any { return t.merge(tree, configuration, true, true) }

// Atomics are the places of a configuration that belong to somebody as a whole, which mutating policies may not change.
// Upstream: apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go, findAtomics.
func (t *Type) Atomics(configuration any) []string { return t.atomics(configuration, "") }

func (t *Type) atomics(v any, path string) (out []string) {
	if t == nil {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		if t.atomic {
			out = append(out, path)
		}
		for _, name := range sortedKeys(v) {
			out = append(out, t.fields[name].atomics(v[name], path+"."+name)...)
		}
	case []any:
		if t.atomic {
			out = append(out, path)
		}
		for i := range v {
			out = append(out, t.elem.atomics(v[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return out
}
