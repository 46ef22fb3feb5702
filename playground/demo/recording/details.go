package recording

import (
	"encoding/json"

	"kubewalk/playground/api"
	"kubewalk/playground/trace"
)

// NewDetails collects what a page shows of single events: all of it, or only
// what came after a number of events and stacks that the page has already.
// Objects change little from commit to commit, so all but an object's first are
// merge patches.
func NewDetails(rec *trace.Recorder, events, stacks int) (*Details, error) {
	d := &Details{Stacks: [][]Call{}, Objects: map[int]any{}, Base: map[int]int{}}
	for i := stacks; i < rec.Stacks().Len(); i++ {
		calls := []Call{}
		for _, f := range rec.Stacks().Frames(trace.StackID(i)) {
			calls = append(calls, Call{f.File, f.Line, f.Func})
		}
		d.Stacks = append(d.Stacks, calls)
	}
	newest := map[trace.Cell]*version{}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit {
			continue
		}
		for _, delta := range e.Deltas {
			if delta.Cell.Kind != trace.CellObject {
				continue
			}
			if delta.New == nil {
				delete(newest, delta.Cell)
				continue
			}
			now, before := &version{event: int(e.ID), object: delta.New}, newest[delta.Cell]
			newest[delta.Cell] = now
			if now.event <= events {
				continue
			}
			if err := d.add(now, before); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// version is an object as a commit wrote it.
type version struct {
	event  int
	object any
	tree   map[string]any // nil until somebody asks
}

func (v *version) value() (_ map[string]any, err error) {
	if v.tree == nil {
		v.tree, err = tree(v.object)
	}
	return v.tree, err
}

func (d *Details) add(now, before *version) error {
	value, err := now.value()
	if err != nil {
		return err
	}
	if before == nil {
		d.Objects[now.event] = value
		return nil
	}
	old, err := before.value()
	if err != nil {
		return err
	}
	d.Objects[now.event] = api.MergePatch(old, value)
	d.Base[now.event] = before.event
	return nil
}

func tree(object any) (map[string]any, error) {
	text, err := api.Encode(object)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	return out, nil
}

// Object returns the object that an event wrote, whole; nil when it wrote none.
func (d *Details) Object(event int) map[string]any {
	v, ok := d.Objects[event].(map[string]any)
	if !ok {
		return nil
	}
	base, patched := d.Base[event]
	if !patched {
		return v
	}
	return merge(d.Object(base), v)
}

// Merge is an object with a merge patch (RFC 7386) applied.
func Merge(object, patch map[string]any) map[string]any { return merge(object, patch) }

func merge(a, patch map[string]any) map[string]any {
	out := make(map[string]any, len(a))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range patch {
		if v == nil {
			delete(out, k)
			continue
		}
		p, isMap := v.(map[string]any)
		if !isMap {
			out[k] = v
			continue
		}
		old, _ := out[k].(map[string]any)
		out[k] = merge(old, p)
	}
	return out
}
