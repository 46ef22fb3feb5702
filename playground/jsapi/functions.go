package jsapi

import (
	"encoding/json"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// functions are those of Bridge, with what each takes and answers as JSON. The module's TypeScript is generated of them.
type functions interface {
	open(openArgument) (openAnswer, error)
	fetch(fetchArgument) (nothing, error)
	cancel(cancelArgument) (nothing, error)
	give(giveArgument) (nothing, error)
	run(runArgument) (runAnswer, error)
	trace(traceArgument) (traceAnswer, error)
}

var _ functions = (*Bridge)(nil)

type nothing struct{}

type openArgument struct {
	Seed   uint64          `json:"seed"`
	Nodes  int             `json:"nodes"`
	Config json.RawMessage `json:"config,omitempty" tstype:"Partial<Config>"` // over the one that there is by itself
}

type openAnswer struct {
	Epoch time.Time `json:"epoch" tstype:"string"` // what the clock shows at the start
}

// fetchArgument is a request. Its response comes with a run, under the same number.
type fetchArgument struct {
	ID     int         `json:"id"`
	Method string      `json:"method"`
	URL    string      `json:"url"` // path and query
	Header [][2]string `json:"header" tstype:"[string, string][]"`
	Body   string      `json:"body,omitempty"`
}

// cancelArgument names a request whose response nobody wants any more.
type cancelArgument struct {
	ID int `json:"id"`
}

// giveArgument is an input, whose time is now. Its outcome comes with a run, under the same number.
type giveArgument struct {
	ID    int           `json:"id"`
	Input cluster.Input `json:"input" tstype:"Omit<Input, \"at\">"`
}

type runArgument struct {
	Until int64 `json:"until"` // µs since the epoch
	// For has time pass only until a request is answered, or an input done; 0 does not.
	For int `json:"for,omitempty"`
	// Ready has it pass only until all nodes are ready.
	Ready bool `json:"ready,omitempty"`
}

// runAnswer is how far a run came, and what came of requests.
type runAnswer struct {
	Now      int64     `json:"now"`  // µs since the epoch
	Next     int64     `json:"next"` // when something happens next; -1 when nothing is left
	Done     bool      `json:"done"` // otherwise very much happens: it goes on with the next run
	Messages []Message `json:"messages"`
}

// Message is a part of what came of a request: its head, then parts of its body, then its end; or what became of an input.
type Message struct {
	ID      int      `json:"id"`
	Head    *Head    `json:"head,omitempty"`
	Text    string   `json:"text,omitempty"` // of the body
	End     bool     `json:"end,omitempty"`
	Failed  string   `json:"failed,omitempty"` // why there is no response, or no outcome
	Outcome *Outcome `json:"outcome,omitempty"`
}

// Head is a response without its body.
type Head struct {
	Status int         `json:"status"`
	Header [][2]string `json:"header" tstype:"[string, string][]"`
}

// Outcome is what became of an input: what kubectl printed, or why it failed.
type Outcome struct {
	Output  string `json:"output"`
	Error   string `json:"error"`
	Warning string `json:"warning"` // what kubectl printed to standard error though it did not fail
}

type traceArgument struct {
	From int `json:"from"` // an event's number
}

// traceAnswer are events, and whether there are more.
type traceAnswer struct {
	Events []TraceEvent `json:"events"`
	More   bool         `json:"more"`
}

// TraceEvent is one thing that happened.
type TraceEvent struct {
	ID        int              `json:"id"`              // 1, 2, 3 …
	Cause     int              `json:"cause,omitempty"` // the event that led to it
	At        int64            `json:"at"`              // µs since the epoch
	Component string           `json:"component"`       // where it happened: "kube-apiserver", "kubelet/node-1" …
	Process   string           `json:"process,omitempty"`
	Op        trace.Op         `json:"op"`
	Object    *ObjectReference `json:"object,omitempty"` // what it is about
	Attrs     map[string]any   `json:"attrs,omitempty" tstype:"Record<string, string | number | boolean>"`
	Deltas    []Delta          `json:"deltas,omitempty"`
}

// ObjectReference names an API object.
type ObjectReference struct {
	Resource  string `json:"resource"` // "pods"
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Delta is a change of one cell: an object in the store, a key in a queue, an entry in a cache, a message on its way.
type Delta struct {
	Kind  trace.CellKind `json:"kind"`
	Owner string         `json:"owner"`
	Key   string         `json:"key"`
	Value any            `json:"value" tstype:"Json"` // null when the cell is gone
}
