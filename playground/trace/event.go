// Package trace is what a run leaves behind: a list of events, each with the
// event that caused it, where in the code it happened, and what it changed.
//
// Everything that is ever drawn or explained is derived from this list. Nothing
// reads a component's memory. So looking back runs no code: to show a moment,
// fold the deltas up to it (Recorder.At).
//
// An event's deltas speak of cells. A cell is one small piece of state that a
// reader can see: an object in the store, a key in a work queue, an entry in an
// informer's cache, a message on its way. Values are immutable: a change is a
// new value.
//
// The vocabulary is in op.go and cell.go. Go function names differ from host
// to host with inlining, so they are never part of what is compared: see Stack.
package trace

import "time"

// ID numbers events 1, 2, 3 … in the order in which they happened. 0 is "no event".
type ID int

// Event is one thing that happened.
type Event struct {
	ID        ID
	Cause     ID            // what led to it; 0 for inputs and for the start of what is there from the beginning
	At        time.Duration // virtual time since the epoch
	Component string        // where it happened: "kube-apiserver", "kubelet/node-1", "user" …
	Process   string        // the process inside the component: "worker-1"; "" outside any
	Op        Op
	Object    Ref    // what it is about; may be zero
	Attrs     []Attr // in the order in which they were given
	Deltas    []Delta
	Stack     StackID
}

// Ref names an API object without holding it.
type Ref struct {
	Resource  string // plural, lower case: "pods"
	Namespace string // "" for cluster-scoped objects
	Name      string
}

// Key is the form that informers and work queues use: "namespace/name", or "name".
func (r Ref) Key() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

func (r Ref) String() string {
	if r.Resource == "" {
		return r.Key()
	}
	return r.Resource + " " + r.Key()
}

// Attr is one key and value of an event, as in a structured log line.
// The value is a string, a bool or an int64: see Value.
type Attr struct {
	Key   string
	Value any
}

// Get returns the value of the first attribute with that key, or nil.
func (e *Event) Get(key string) any {
	for i := range e.Attrs {
		if e.Attrs[i].Key == key {
			return e.Attrs[i].Value
		}
	}
	return nil
}

// Text returns the value of the attribute as a string; "" when it is absent.
func (e *Event) Text(key string) string { return String(e.Get(key)) }

// Delta is a change to one cell. New is nil when the cell is gone. Old is what
// it was before and is filled in by the tracer, so that a step back is a swap.
type Delta struct {
	Cell     Cell
	Old, New any
}

// Set gives a cell a new value.
func Set(c Cell, v any) Delta { return Delta{Cell: c, New: v} }

// Unset removes a cell.
func Unset(c Cell) Delta { return Delta{Cell: c} }
