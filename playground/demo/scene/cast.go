package scene

import "strings"

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
const theWire = "network"

// DefaultFocus are the controllers that are drawn with their insides when
// nobody says which.
var DefaultFocus = []string{"replicaset-controller"}

// NoFocus alone says that no controller is drawn with its insides.
const NoFocus = "none"

// Totals alone says that the run was kept at trace level Totals: nodes are cells,
// and Pods are numbers.
const Totals = "totals"

// Objects alone says that the run was kept at trace level Objects: there are
// commits and no messages. No controller has insides, and the newest revisions
// are not drawn each: with a thousand Pods they would be most of the recording.
const Objects = "objects"

// MostInFocus is how many controllers have room for their insides.
const MostInFocus = 3

// cast tells what components are drawn as.
type cast struct {
	focus  []string
	totals bool
	plain  bool // trace level Objects
}

func newCast(focus []string) cast {
	switch {
	case len(focus) == 0:
		focus = DefaultFocus
	case focus[0] == NoFocus:
		focus = nil
	case focus[0] == Objects:
		return cast{plain: true}
	case focus[0] == Totals:
		return cast{totals: true}
	}
	return cast{focus: focus[:min(len(focus), MostInFocus)]}
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

// nodeOf is the node on which a component of that cast runs: "kubelet/node-1", "kube-proxy/node-1".
func nodeOf(component string) string { return component[strings.IndexByte(component, '/')+1:] }
