package client

import "kubewalk/playground/api/eventsv1"

// EventsV1Client are the resources of group events.k8s.io.
// Upstream: k8s.io/client-go/kubernetes/typed/events/v1.
type EventsV1Client struct{ transport Transport }

// EventV1Interface is what Events returns. (Upstream calls it EventInterface, in a package of its own.)
type EventV1Interface = ResourceClient[*eventsv1.Event, *eventsv1.EventList]

// Events are the Events of a namespace, as events.k8s.io/v1 shows them.
func (c EventsV1Client) Events(namespace string) EventV1Interface {
	return newResource[*eventsv1.Event, *eventsv1.EventList](c.transport, events, "events", namespace)
}
