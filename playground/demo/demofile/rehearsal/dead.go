package rehearsal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

// dead finds controls for objects that never are there: neither in the run, nor in
// a manifest that readers can apply.
func dead(s *scenario.Scenario, t *trace.Recorder) (out []scenario.Failure) {
	if s.Cluster.Trace == trace.Totals || s.Cluster.Preload != nil {
		return nil // not all that is there is in the trace
	}
	there := objects(s, t)
	for i, c := range s.Controls {
		if c.Resource == "" || c.Name == "" {
			continue
		}
		var names []string // of that resource, in that namespace
		for _, o := range there {
			if o.Resource == c.Resource && (o.Namespace == c.Namespace || o.Namespace == "") {
				names = append(names, o.Name)
			}
		}
		if slices.ContainsFunc(names, func(name string) bool { return fits(c.Name, name) }) {
			continue
		}
		out = append(out, scenario.Failure{Path: fmt.Sprintf("controls[%d].%s", i, c.Kind), Name: true,
			Message: fmt.Sprintf("there is never a %s %q for the control (%s)", singular(c.Resource), c.Name, cure(c, names, there))})
	}
	return out
}

// cure says what is there instead: names are those of the control's namespace.
func cure(c scenario.Control, names []string, there []trace.Ref) string {
	for _, o := range there {
		if o.Resource == c.Resource && fits(c.Name, o.Name) {
			return fmt.Sprintf("there is one in another namespace: write namespace: %s", o.Namespace)
		}
	}
	var known []string
	for _, name := range names {
		if i := strings.LastIndex(name, "-"); i > 0 && strings.HasSuffix(c.Name, "*") {
			name = name[:i+1] + "*"
		}
		if strings.HasSuffix(c.Name, "*") || !strings.HasSuffix(name, "*") {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	return suggest.Cure(c.Name, slices.Compact(known))
}

func singular(resource string) string {
	if k := api.Resolve(resource); k != nil {
		return k.Singular
	}
	return resource
}

// fits tells whether a name is meant. The end of either may be a *.
func fits(asked, name string) bool {
	prefix, open := strings.CutSuffix(asked, "*")
	begins, made := strings.CutSuffix(name, "*")
	return asked == name || open && strings.HasPrefix(name, prefix) || made && strings.HasPrefix(asked, begins)
}

// objects are those that are in the store at any moment of the run, and those that
// manifests hold for readers to apply. What a workload makes of those is called after
// it: web-* stands for that.
func objects(s *scenario.Scenario, t *trace.Recorder) (out []trace.Ref) {
	seen := map[trace.Ref]bool{}
	add := func(o trace.Ref) {
		if o.Name != "" && !seen[o] {
			seen[o], out = true, append(out, o)
		}
	}
	for i := range t.Len() {
		if e := t.Event(trace.ID(i + 1)); e.Op == trace.StoreCommit {
			add(e.Object)
		}
	}
	for _, m := range manifests(s) {
		for _, o := range held(m) {
			if seen[o] {
				continue // and what it has made
			}
			add(o)
			for _, made := range []string{"replicasets", "pods", "jobs"} {
				if made != o.Resource {
					add(trace.Ref{Resource: made, Namespace: o.Namespace, Name: o.Name + "-*"})
				}
			}
		}
	}
	return out
}

// manifests are those that somebody can apply: a reader by a command, or in an exercise.
func manifests(s *scenario.Scenario) (out []json.RawMessage) {
	for _, st := range s.Steps {
		out = append(out, st.Manifest)
	}
	for _, x := range s.Exercises {
		for _, st := range slices.Concat(append(x.Wrong, x.Answer)...) {
			out = append(out, st.Manifest)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Manifests)) {
		out = append(out, s.Manifests[name])
	}
	return out
}

// held are the objects in a manifest, which may be several.
func held(manifest json.RawMessage) (out []trace.Ref) {
	var several []json.RawMessage
	if json.Unmarshal(manifest, &several) == nil {
		for _, one := range several {
			out = append(out, held(one)...)
		}
		return out
	}
	var one struct {
		APIVersion, Kind string
		Metadata         struct{ Name, Namespace string }
	}
	if json.Unmarshal(manifest, &one) != nil {
		return nil
	}
	k := api.Resolve(one.Kind)
	if k == nil {
		return nil
	}
	o := trace.Ref{Resource: k.Resource, Name: one.Metadata.Name}
	if k.Namespaced {
		if o.Namespace = one.Metadata.Namespace; o.Namespace == "" {
			o.Namespace = "default"
		}
	}
	return append(out, o)
}
