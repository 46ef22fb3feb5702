package cache

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// ListerWatcher is what a Reflector needs to know of the API server.
// Upstream: client-go/tools/cache/listwatch.go ListerWatcher.
type ListerWatcher interface {
	List(p *sim.Proc, options metav1.ListOptions) (api.List, error)
	Watch(p *sim.Proc, options metav1.ListOptions) (client.Stream, error)
	// Resource is what is listed and watched.
	Resource() api.GroupVersionResource
}

// ListWatch lists and watches one resource in one namespace, or in all.
type ListWatch struct {
	transport client.Transport
	resource  api.GroupVersionResource
	namespace string
	tweak     func(*metav1.ListOptions)
}

// NewListWatch returns a ListWatch over a transport. tweak may narrow the
// options of each request, by selectors; it may be nil.
func NewListWatch(t client.Transport, resource api.GroupVersionResource, namespace string, tweak func(*metav1.ListOptions)) *ListWatch {
	return &ListWatch{t, resource, namespace, tweak}
}

// Resource is what is listed and watched.
func (lw *ListWatch) Resource() api.GroupVersionResource { return lw.resource }

// List reads all objects.
func (lw *ListWatch) List(p *sim.Proc, options metav1.ListOptions) (api.List, error) {
	request := lw.request(client.List, options)
	request.Shared = true
	return client.As[api.List](lw.transport.Do(p, request))
}

// Watch opens a stream of changes.
func (lw *ListWatch) Watch(p *sim.Proc, options metav1.ListOptions) (client.Stream, error) {
	options.Watch = true
	return lw.transport.Watch(p, lw.request(client.Watch, options))
}

func (lw *ListWatch) request(verb string, options metav1.ListOptions) *client.Request {
	if lw.tweak != nil {
		lw.tweak(&options)
	}
	return &client.Request{Verb: verb, Resource: lw.resource, Namespace: lw.namespace, List: options}
}
