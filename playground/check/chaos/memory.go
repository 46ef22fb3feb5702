package chaos

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/trace"
)

// Caches checks that what informers remember is what the store holds: nothing
// that is gone, nothing old, nothing missing of what they watch. What was
// written in the last second may be on its way.
func Caches(rec *trace.Recorder) []string {
	if rec.Len() == 0 {
		return nil
	}
	state := rec.Now()
	end := rec.Event(trace.ID(rec.Len())).At
	fresh := map[trace.Cell]bool{} // objects written or removed just now
	open := map[string]*watch{}    // by client and resource: the watches that are open, one each
	busy := map[string]bool{}      // clients and resources whose watch began just now
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		switch e.Op {
		case trace.StoreCommit:
			if e.At > end-time.Second {
				for _, d := range e.Deltas {
					fresh[d.Cell] = true
				}
			}
		case trace.WatchOpen:
			if w, err := newWatch(e); err == nil {
				open[w.client+"/"+w.resource] = w
				busy[w.client+"/"+w.resource] = e.At > end-time.Second
			}
		case trace.WatchClose:
			for key, w := range open { // order: one has that number
				if w.id == e.Text("watch") {
					delete(open, key)
				}
			}
		}
	}
	var wrong []string
	for _, c := range state.Cells(trace.CellCache) {
		resource := c.Owner[strings.LastIndex(c.Owner, "/")+1:]
		object := trace.Cell{Kind: trace.CellObject, Owner: resource, Key: c.Key}
		if fresh[object] || open[c.Owner] == nil || busy[c.Owner] {
			continue
		}
		obj, ok := state[object].(api.Object)
		switch {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("%s remembers %s, which is gone", c.Owner, c.Key))
		case obj.GetResourceVersion() != state[c]:
			wrong = append(wrong, fmt.Sprintf("%s remembers %s of version %v, and %s is stored", c.Owner, c.Key, state[c], obj.GetResourceVersion()))
		}
	}
	for _, c := range state.Cells(trace.CellComponent) {
		for _, o := range state.Cells(trace.CellObject) {
			owner := c.Owner + "/" + o.Owner
			w := open[owner]
			if w == nil || busy[owner] || fresh[o] || state[trace.Cell{Kind: trace.CellSynced, Owner: owner}] == nil {
				continue
			}
			obj, _ := state[o].(api.Object)
			if w.sees(obj) && state[trace.Cell{Kind: trace.CellCache, Owner: owner, Key: o.Key}] == nil {
				wrong = append(wrong, fmt.Sprintf("%s does not know %s", owner, o.Key))
			}
		}
	}
	return wrong
}

// Queues checks that no key is lost. An item that is added is handed out again:
// at its end a queue holds nothing that is dirty and does not wait. And a worker
// that fails with an item has it queued again, or it would never be looked at
// until something else happens to it.
func Queues(rec *trace.Recorder) []string {
	var wrong []string
	type item struct{ component, queue, key string }
	type work struct {
		item
		failed *trace.Event // the error that was logged
		again  bool
	}
	added := map[item]*trace.Event{} // not handed out since
	working := map[string]*work{}    // by component and process
	processing := map[item]*work{}
	unfilled := map[string]map[string]bool{} // by component: the reflectors that have not listed yet
	forget := func(component string) {
		delete(unfilled, component)
		for k := range added { // order: each by itself
			if k.component == component {
				delete(added, k)
			}
		}
		for k := range working { // order: each by itself
			if strings.HasPrefix(k, component+" ") {
				delete(working, k)
			}
		}
		for k := range processing { // order: each by itself
			if k.component == component {
				delete(processing, k)
			}
		}
	}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		it := item{e.Component, e.Text("queue"), e.Text("key")}
		process := e.Component + " " + e.Process
		if strings.HasPrefix(it.queue, "garbage_collector_") {
			continue // its items are objects by their uid: of one name there may be two at once
		}
		switch e.Op {
		case trace.ComponentStop:
			forget(e.Component)
		case trace.QueueAdd:
			added[it] = e
			if w := processing[it]; w != nil {
				w.again = true
			}
		case trace.QueueDelay:
			if w := processing[it]; w != nil {
				w.again = true
			}
		case trace.QueueGet:
			if added[it] == nil {
				wrong = append(wrong, fmt.Sprintf("event %d: %s takes %s from %s, which was not added", e.ID, e.Component, it.key, it.queue))
			}
			if processing[it] != nil {
				wrong = append(wrong, fmt.Sprintf("event %d: %s takes %s from %s, which somebody has already", e.ID, e.Component, it.key, it.queue))
			}
			delete(added, it)
			w := &work{item: it}
			working[process], processing[it] = w, w
		case trace.QueueDone:
			w := processing[it]
			if w == nil {
				continue
			}
			if w.failed != nil && !w.again {
				wrong = append(wrong, fmt.Sprintf("event %d: %s is done with %s of %s, which failed (%s, event %d) and is not queued again",
					e.ID, e.Component, it.key, it.queue, w.failed.Text("error"), w.failed.ID))
			}
			if waits := added[it] != nil; waits != (e.Text("again") == "true") {
				wrong = append(wrong, fmt.Sprintf("event %d: %s of %s was added meanwhile: %v; it waits again: %s", e.ID, it.key, it.queue, waits, e.Text("again")))
			}
			delete(processing, it)
			delete(working, process)
		case trace.CacheReplace:
			delete(unfilled[e.Component], e.Process)
		case trace.Log:
			if e.Text("message") == "Starting reflector" {
				if unfilled[e.Component] == nil {
					unfilled[e.Component] = map[string]bool{}
				}
				unfilled[e.Component][e.Process] = true
			}
			if w := working[process]; w != nil && e.Get("error") != nil && e.Text("key") == w.key {
				w.failed = e
			}
		}
	}
	// What was added in the last second may still wait for a worker. Workers begin when all caches are full: one that
	// was refused lists again half a minute later, when all else has settled.
	if rec.Len() > 0 {
		end := rec.Event(trace.ID(rec.Len())).At
		for id := range rec.Len() {
			i := rec.Event(trace.ID(id + 1))
			it := item{i.Component, i.Text("queue"), i.Text("key")}
			if len(unfilled[i.Component]) > 0 {
				continue
			}
			if i.Op == trace.QueueAdd && added[it] != nil && added[it].ID == i.ID && i.At < end-time.Second && processing[it] == nil {
				wrong = append(wrong, fmt.Sprintf("event %d: %s of %s was added at %v and never taken", i.ID, it.key, it.queue, i.At))
			}
		}
	}
	return wrong
}
