package recording

import (
	"encoding/json"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/managedfields"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/trace"
)

// Managers is what a page loads when a reader asks who manages the fields of an
// object: public/demos/DEMO/managers.json.gz. Objects are stored without
// metadata.managedFields (see apiserver's owners), so this is worked out of who
// wrote what.
type Managers struct {
	// Sets are the sets of fields, in the form of fieldsV1: each once, since a
	// thousand Pods of one template are owned alike.
	Sets []json.RawMessage `json:"sets" tstype:"Json[]"`
	// Events are the managers after a commit, by event number; a commit that is
	// missing changed nothing about them.
	Events map[int][]Manager `json:"events"`
}

// Manager is an entry of metadata.managedFields:
// [manager, operation, apiVersion, time, subresource, index into Sets].
//
//typescript:type [manager: string, operation: string, apiVersion: string, time: string, subresource: string, set: number]
type Manager [6]any

// NewManagers works out the managers of one object ("pods default/web"), or of
// all objects for "".
func NewManagers(rec *trace.Recorder, history managedfields.History, object string) *Managers {
	m := &Managers{Sets: []json.RawMessage{}, Events: map[int][]Manager{}}
	types := managedfields.NewTypes()
	journals := map[trace.Cell]*managedfields.Journal{}
	sets := map[string]int{}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit || object != "" && phrase.Object(e.Object) != object {
			continue
		}
		for _, delta := range e.Deltas {
			if delta.Cell.Kind != trace.CellObject {
				continue
			}
			obj, ok := delta.New.(api.Object)
			if !ok {
				delete(journals, delta.Cell)
				continue
			}
			j := journals[delta.Cell]
			if j == nil {
				j = &managedfields.Journal{}
				journals[delta.Cell] = j
			}
			if history.Replay(j, types, obj.GetResourceVersion()) {
				m.Events[int(e.ID)] = m.entries(sets, j.Managers(types))
			}
		}
	}
	return m
}

func (m *Managers) entries(sets map[string]int, managers managedfields.Managers) []Manager {
	out := []Manager{}
	for _, e := range managers.Entries() {
		text := e.FieldsV1.GetRawString()
		at, known := sets[text]
		if !known {
			at = len(m.Sets)
			sets[text] = at
			m.Sets = append(m.Sets, json.RawMessage(text))
		}
		out = append(out, Manager{e.Manager, string(e.Operation), e.APIVersion, e.Time.UTC().Format(time.RFC3339), e.Subresource, at})
	}
	return out
}
