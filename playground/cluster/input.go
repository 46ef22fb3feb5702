package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/trace"
)

// Kind says what an input does.
type Kind string

// The inputs: everything that somebody outside can do to a cluster.
const (
	Apply     Kind = "apply"      // kubectl apply -f: Manifest
	Create    Kind = "create"     // kubectl create -f: Manifest
	Patch     Kind = "patch"      // kubectl patch --type=merge: Resource, Namespace, Name, Manifest (the patch)
	Scale     Kind = "scale"      // kubectl scale: Resource, Namespace, Name, Replicas, Current
	Delete    Kind = "delete"     // kubectl delete: Resource, Namespace, Name (a trailing * takes the oldest that matches) or selectors, Cascade, Grace
	KillNode  Kind = "kill-node"  // the machine loses power: Node
	StartNode Kind = "start-node" // it boots again: Node
	DropWatch Kind = "drop-watch" // connections break: Component (the client), Resource ("" for all)
	Stop      Kind = "stop"       // a component crashes: Component
	Start     Kind = "start"      // it is started again: Component
	Command   Kind = "kubectl"    // a command line: Args, and Manifest for what -f reads
)

// Input is one thing that somebody does, and when. The list of inputs and the
// seed are the whole experiment: run again, they give the same trace.
type Input struct {
	At        time.Duration   `json:"at"` // virtual time since the epoch, ns; inputs of the same time keep their order
	Kind      Kind            `json:"kind"`
	Manifest  json.RawMessage `json:"manifest,omitempty"`
	Resource  string          `json:"resource,omitempty"`  // plural or kind, short names too: "replicasets", "rs"
	Namespace string          `json:"namespace,omitempty"` // "" is "default" where there are namespaces
	Name      string          `json:"name,omitempty"`
	Replicas  *int32          `json:"replicas,omitempty"`
	Current   *int32          `json:"currentReplicas,omitempty"` // scale only if there are that many
	Grace     *int64          `json:"grace,omitempty"`           // seconds
	Node      string          `json:"node,omitempty"`
	Component string          `json:"component,omitempty"`
	Container string          `json:"container,omitempty"` // of the Pod that Name names; "" is its first
	Value     string          `json:"value,omitempty"`     // how much, how long: see the kind
	Metric    string          `json:"metric,omitempty"`    // the name of one, for set-metric
	// Selector (labels) and FieldSelector say what to delete when there is no Name.
	Selector      string `json:"selector,omitempty"`
	FieldSelector string `json:"fieldSelector,omitempty"`
	Cascade       string `json:"cascade,omitempty"` // "background" ("" too), "foreground" or "orphan"
	// Args is a command line of kubectl's, word by word, without kubectl itself.
	Args []string `json:"args,omitempty"`
	// Profiles are the schedulers' for reconfigure, as a JSON list.
	Profiles json.RawMessage `json:"profiles,omitempty"`
	// URL is what a request asks for, and From who asks: a Pod, a node, or "outside".
	URL  string `json:"url,omitempty"`
	From string `json:"from,omitempty"`
	// Method is a request's, of HTTP; "" is GET. ContentType and Body are those of a request to the API server, and Agent is the
	// program that sends it, by which the API server names the manager of fields that the URL does not name.
	Method      string `json:"method,omitempty"`
	ContentType string `json:"contentType,omitempty"`
	Body        string `json:"body,omitempty"`
	Agent       string `json:"agent,omitempty"`
	// Connection is the name of a connection: of the one that a request for exec or attach opens, to which somebody types then, and of
	// the one to which a line is typed.
	Connection string `json:"connection,omitempty"`
	// As and AsGroups are whom the sender of a request to the API server acts as; "" is himself.
	As       string   `json:"as,omitempty"`
	AsGroups []string `json:"asGroups,omitempty"`
}

// action is a kind of input that stands in a file of its own: what it needs,
// how it is shown, what it does.
type action struct {
	// validate tells what an input lacks. It does not look at the cluster.
	validate func(Input) error
	// words is how the trace and links show it; nil shows its kind alone.
	words func(Input) string
	// attrs are what the trace's event says of it, beside its kind and object; nil is nothing.
	attrs func(Input) []trace.Attr
	// deltas are what that event changes in the picture; nil is nothing.
	deltas func(c *Cluster, in Input) []trace.Delta
	// do does it, due to that event, and says in c.results[i] what became of
	// it, at once or later: Done, Output, Error.
	do func(c *Cluster, i int)
}

// actions are the kinds of inputs that were registered, which is done by a
// package-level variable or init in the file of the kind.
var actions = map[Kind]action{}

func register(kind Kind, a action) bool {
	actions[kind] = a
	return true
}

// Validate tells what an input lacks. It does not look at the cluster.
func (in Input) Validate() error {
	need := func(what, value string) error {
		if value == "" {
			return fmt.Errorf("input %q: needs %s", in.Kind, what)
		}
		return nil
	}
	if in.At < 0 {
		return fmt.Errorf("input %q: time %v is before the start", in.Kind, in.At)
	}
	switch in.Kind {
	case Apply, Create:
		if len(in.Manifest) == 0 {
			return fmt.Errorf("input %q: needs a manifest", in.Kind)
		}
	case Scale:
		if in.Replicas == nil {
			return fmt.Errorf("input %q: needs replicas", in.Kind)
		}
		fallthrough
	case Delete, Patch:
		if in.Kind == Patch && len(in.Manifest) == 0 {
			return fmt.Errorf("input %q: needs a patch", in.Kind)
		}
		if in.Kind == Delete && in.Selector+in.FieldSelector != "" {
			if in.Name != "" {
				return fmt.Errorf("input %q: name cannot be provided when a selector is specified", in.Kind)
			}
			return need("a resource", in.Resource)
		}
		if err := need("a resource", in.Resource); err != nil {
			return err
		}
		return need("a name", in.Name)
	case KillNode, StartNode:
		return need("a node", in.Node)
	case DropWatch, Stop, Start:
		return need("a component", in.Component)
	default:
		if a, ok := actions[in.Kind]; ok {
			return a.validate(in)
		}
		return fmt.Errorf("input %q: unknown kind", in.Kind)
	}
	return nil
}

// String is how the trace and links show an input: "scale replicasets default/web 8".
func (in Input) String() string {
	switch in.Kind {
	case Scale:
		return fmt.Sprintf("%s %s %s %d", in.Kind, in.Resource, in.key(), *in.Replicas)
	case Delete, Patch:
		return fmt.Sprintf("%s %s %s", in.Kind, in.Resource, in.key())
	case KillNode, StartNode:
		return fmt.Sprintf("%s %s", in.Kind, in.Node)
	case DropWatch:
		if in.Resource != "" {
			return fmt.Sprintf("%s %s %s", in.Kind, in.Component, in.Resource)
		}
		fallthrough
	case Stop, Start:
		return fmt.Sprintf("%s %s", in.Kind, in.Component)
	}
	if a, ok := actions[in.Kind]; ok && a.words != nil {
		return a.words(in)
	}
	return string(in.Kind)
}

func (in Input) key() string {
	if in.Name == "" {
		return strings.Trim(in.Selector+","+in.FieldSelector, ",")
	}
	if in.Namespace == "" {
		return in.Name
	}
	return in.Namespace + "/" + in.Name
}

// Kinds are all kinds of inputs, by name.
func Kinds() []Kind {
	kinds := []Kind{Apply, Create, Patch, Scale, Delete, KillNode, StartNode, DropWatch, Stop, Start}
	for k := range actions { // order: they are sorted below
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return kinds
}
