package shelloperator

import (
	"bytes"
	"encoding/json"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/jq"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/sim"
)

// binding is what a hook wants to hear of one kind: with upstream, a monitor.
// Upstream: pkg/kube_events_manager/resource_informer.go.
type binding struct {
	*kubernetesConfig
	kind       *api.Kind
	events     []string
	selector   labels.Selector
	names      []string
	namespaces []string // empty for all
	filter     *jq.Filter

	known    map[string]entry // the objects that it has told of, by key
	enabled  bool             // its informer has filled its cache
	unlocked bool             // the hook has had its Synchronization
	held     []*task          // events until then
}

// entry is what a binding remembers of an object.
type entry struct {
	version string // resourceVersion
	filter  string // the filter's result
}

// wants tells whether an object is among those that the binding selects.
func (b *binding) wants(o metav1.Object) bool {
	return (len(b.namespaces) == 0 || slices.Contains(b.namespaces, o.GetNamespace())) &&
		(len(b.names) == 0 || slices.Contains(b.names, o.GetName())) && b.selector.Matches(labels.Set(o.GetLabels()))
}

// object is an entry of a binding context: the whole object, and what the filter makes of it.
type object struct {
	Object       any `json:"object,omitempty"`
	FilterResult any `json:"filterResult,omitempty"`
}

// dump makes the JSON of an object, as an answer of the API server has it, and gives it to the filter.
func (b *binding) dump(o api.Object) (object, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return object{}, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var fields map[string]any
	if err := d.Decode(&fields); err != nil {
		return object{}, err
	}
	fields["apiVersion"], fields["kind"] = b.kind.GroupVersion().String(), b.kind.Kind
	out := object{Object: fields}
	if b.filter != nil {
		results, err := b.filter.Run(fields)
		if err != nil {
			return object{}, err
		}
		if len(results) > 0 {
			out.FilterResult = results[0]
		}
		if b.KeepFullObjectsInMemory != nil && !*b.KeepFullObjectsInMemory {
			out.Object = nil
		}
	}
	return out, nil
}

// note remembers an object, and tells what has happened to it for the binding: "" for nothing that it asked for.
// Upstream: resource_informer.go, handleWatchEvent.
func (b *binding) note(o api.Object, gone bool) (event string, dumped object, err error) {
	key := o.GetNamespace() + "/" + o.GetName()
	before, was := b.known[key]
	switch {
	case gone || !b.wants(o):
		if !was {
			return "", dumped, nil
		}
		delete(b.known, key)
		dumped, err = b.dump(o)
		return deleted, dumped, err
	case was && before.version == o.GetResourceVersion():
		return "", dumped, nil
	}
	if dumped, err = b.dump(o); err != nil {
		return "", dumped, err
	}
	now := entry{version: o.GetResourceVersion()}
	if b.filter != nil {
		now.filter = jq.Text(dumped.FilterResult)
	}
	b.known[key] = now
	switch {
	case !was:
		return added, dumped, nil
	case b.filter != nil && now.filter == before.filter:
		return "", dumped, nil
	}
	return modified, dumped, nil
}

// existing lists what there is, before the informer does: what forbids that is an error, and the task is done again.
// Upstream: resource_informer.go, loadExistedObjects.
func (b *binding) existing(p *sim.Proc, lw *cache.ListWatch) error {
	_, err := lw.List(p, metav1.ListOptions{})
	return err
}
