package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/trace"
)

// What a component is drawn as.
const (
	castAPIServer  = "kube-apiserver"
	castUser       = "user"
	castScheduler  = "kube-scheduler"
	castController = "controller" // with its insides
	castMinor      = "minor"      // that it is there
	castMinors     = "minors"     // the wire that minors share when there are many
	castNode       = "node"
	castNodes      = "nodes"
)

// theWire is the component that speaks for what happens to packets between
// machines. It is no program, and is not drawn.
const theWire = FocusNetwork

// cast tells what components are drawn as.
type cast struct {
	focus  []string
	totals bool
	plain  bool // trace level Objects
	// tells says that the picture is about who is told of what: what watches bring is followed for all, and what these controllers do.
	tells []string
}

func newCast(o Options) cast {
	switch o.Level {
	case trace.Objects:
		return cast{plain: true}
	case trace.Totals:
		return cast{totals: true}
	}
	if o.Focus == FocusStore {
		return cast{tells: DefaultInsides}
	}
	if o.Focus == FocusNetwork || o.Focus == FocusRequest {
		return cast{}
	}
	if o.Focus != "" {
		return cast{focus: []string{o.Focus}}
	}
	return cast{focus: o.Insides[:min(len(o.Insides), MostInsides)]}
}

func (c cast) of(component string) string {
	switch {
	case component == castAPIServer || component == "store" || component == "etcd":
		return castAPIServer
	case component == castUser || component == "kubectl":
		return castUser
	case component == castScheduler:
		return castScheduler
	case strings.Contains(component, "/"):
		return castNode
	}
	for _, name := range c.focus {
		if name == component {
			return castController
		}
	}
	return castMinor
}

// follows tells whether the picture is about an event of a component that is otherwise drawn in brief.
func (c cast) follows(component string, op trace.Op) bool {
	switch op {
	case trace.WatchSend, trace.WatchReceive, trace.CacheReplace:
		return c.tells != nil
	}
	return slices.Contains(c.tells, component)
}

// nodeOf is the node on which a component of that cast runs: "kubelet/node-1", "kube-proxy/node-1".
func nodeOf(component string) string { return component[strings.IndexByte(component, '/')+1:] }
