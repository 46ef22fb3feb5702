package scene

import "kubewalk/playground/trace"

// Options say what a picture shows.
type Options struct {
	Layout Layout
	// Focus is whose inside is the picture: a controller, the scheduler, the API server, FocusStore, FocusNetwork or FocusKubelet;
	// FocusCollector is a controller that has a picture of its own. "" is the whole cluster.
	Focus string
	// Insides are the controllers that are drawn with their insides in the
	// picture of the whole cluster, at most MostInsides.
	Insides []string
	// Moves are the moments at which the picture goes on to something else. Those at one event are in order: the last one counts.
	Moves []Move
	// Level is how much of the run was kept. At trace.Objects there are commits and no
	// messages: no controller has insides, and the newest revisions are not drawn each,
	// because with a thousand Pods they would be most of the recording. At trace.Totals nodes
	// are cells, and Pods are numbers.
	Level trace.Level
}

// FocusNetwork is the focus of a picture that follows one request through the network.
const FocusNetwork = "network"

// FocusKubelet is the focus of a picture of one Pod from inside the kubelet that runs it.
const FocusKubelet = "kubelet"

// MostInsides is how many controllers have room for their insides in the picture of the whole cluster.
const MostInsides = 3

// DefaultInsides are the controllers that are drawn with their insides when nobody says which.
var DefaultInsides = []string{"replicaset-controller"}

// view is a way to draw what a Stage knows.
type view interface {
	// size is the same during the whole run, so that nothing around the picture jumps.
	size() (width, height int)
	// hasQueues tells whether Pods that the scheduler has seen are drawn in its queues.
	hasQueues() bool
	// follow takes note of what only this view draws. It comes after all deltas of an event.
	follow(e *trace.Event, quiet bool)
	// watched says that a component has other watches than before.
	watched(component string)
	// message and packet draw what is on its way, by number, or take it away.
	message(e *trace.Event, number string, v any, quiet bool)
	packet(number string, v any)
	// draw draws what has changed.
	draw()
}

func newView(s *Stage, o Options) view {
	switch {
	case s.totals != nil:
		return newTotalsView(s)
	case o.Level == trace.Objects:
		return newObjectsView(s)
	case o.Focus == FocusNetwork:
		return newPacketView(s)
	case o.Focus == FocusRequest:
		return newRequestView(s)
	case o.Focus == FocusStore:
		return newStoreView(s)
	case o.Focus == castScheduler:
		return newSchedulerView(s)
	case o.Focus == FocusKubelet:
		return newPodView(s)
	case o.Focus == FocusCollector:
		return newCollectorView(s)
	case o.Focus != "":
		return newControllerView(s, o.Focus)
	}
	return newClusterView(s)
}
