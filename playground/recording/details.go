package recording

import (
	"encoding/json"
	"reflect"

	"kubewalk/playground/api"
	"kubewalk/playground/trace"
)

// NewDetails collects what a page shows of single events. Objects change little
// from commit to commit, so all but an object's first are merge patches.
func NewDetails(rec *trace.Recorder) (*Details, error) {
	d := &Details{Objects: map[int]any{}, Base: map[int]int{}}
	for i := 0; i < rec.Stacks().Len(); i++ {
		calls := []Call{}
		for _, f := range rec.Stacks().Frames(trace.StackID(i)) {
			calls = append(calls, Call{f.File, f.Line, f.Func})
		}
		d.Stacks = append(d.Stacks, calls)
	}
	type version struct {
		event int
		value map[string]any
	}
	newest := map[trace.Cell]version{}
	for i := range rec.Events(1) {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit {
			continue
		}
		for _, delta := range e.Deltas {
			if delta.Cell.Kind != trace.CellObject {
				continue
			}
			object := delta.New
			if object == nil {
				delete(newest, delta.Cell)
				continue
			}
			value, err := tree(object)
			if err != nil {
				return nil, err
			}
			before, known := newest[delta.Cell]
			newest[delta.Cell] = version{int(e.ID), value}
			if !known {
				d.Objects[int(e.ID)] = value
				continue
			}
			d.Objects[int(e.ID)] = mergePatch(before.value, value)
			d.Base[int(e.ID)] = before.event
		}
	}
	return d, nil
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

// mergePatch is what turns a into b by the rules of RFC 7386.
func mergePatch(a, b map[string]any) map[string]any {
	out := map[string]any{}
	for k := range a {
		if _, kept := b[k]; !kept {
			out[k] = nil
		}
	}
	for k, v := range b {
		old, had := a[k]
		if had && reflect.DeepEqual(old, v) {
			continue
		}
		oldMap, ok := old.(map[string]any)
		newMap, ok2 := v.(map[string]any)
		if ok && ok2 {
			out[k] = mergePatch(oldMap, newMap)
			continue
		}
		out[k] = v
	}
	return out
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
