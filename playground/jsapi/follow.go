package jsapi

import (
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/endpoints"
)

// notHere is the answer to what needs a connection: a response has only one direction.
func notHere(request *client.Request) error {
	return apierrors.NewBadRequest(request.Subresource + " needs a connection, which there is not without a port: see kubewalk cluster")
}

// followPeriod is how often a log that somebody follows is read again.
const followPeriod = 200 * time.Millisecond

// follower is a response with a log that goes on. It is read again and again, as package httpapi does it.
type follower struct {
	id      int
	request client.Request
	options corev1.PodLogOptions
	next    time.Duration // when it is read again
	reading bool
	read    string // so far, from the beginning or from where the options say
	first   bool
}

func (b *Bridge) follow(id int, request *client.Request) {
	f := &follower{id: id, request: *request, options: *request.Log, first: true}
	f.options.Follow = false
	f.request.Log = &f.options
	b.followers = append(b.followers, f)
	b.readLog(f)
}

// readLogs reads those logs again whose time has come.
func (b *Bridge) readLogs() {
	b.followers = slices.DeleteFunc(b.followers, func(f *follower) bool { return b.pending[f.id] == nil })
	for _, f := range b.followers {
		if !f.reading && b.cluster.Elapsed() >= f.next {
			b.readLog(f)
		}
	}
}

// ask sends a request that reads.
func (b *Bridge) ask(f *follower, request client.Request, answered func(client.Result)) {
	b.cluster.Send(&request, func(a cluster.Answer) {
		switch {
		case a.Err == nil:
			answered(a.Result)
		case b.pending[f.id] != nil && b.pending[f.id].answered:
			b.end(f.id) // the Pod is gone
		default:
			b.whole(f.id, &endpoints.Request{}, endpoints.Failure(a.Err))
		}
	})
}

// readLog reads a log once: first whether the container has ended, then what it has printed by then.
func (b *Bridge) readLog(f *follower) {
	f.reading = true
	pod := client.Request{Verb: client.Get, Resource: f.request.Resource, Namespace: f.request.Namespace, Name: f.request.Name,
		Impersonate: f.request.Impersonate}
	b.ask(f, pod, func(found client.Result) {
		object := found.(*corev1.Pod)
		ended := endpoints.ContainerEnded(object, endpoints.ContainerStatus(object, f.request.Log.Container))
		b.ask(f, f.request, func(log client.Result) {
			text := log.(*client.Text).Body
			if f.first {
				b.head(f.id, endpoints.Response{Code: 200, Header: endpoints.Header{"Content-Type": {"text/plain"}}})
			}
			if more, grown := strings.CutPrefix(text, f.read); grown {
				b.text(f.id, more)
				f.read = text
			}
			if ended {
				b.end(f.id)
				return
			}
			again := func() { f.first, f.reading, f.next = false, false, b.cluster.Elapsed()+followPeriod }
			if o := f.options; !f.first || o.TailLines == nil && o.SinceSeconds == nil && o.SinceTime == nil {
				again()
				return
			}
			f.options.TailLines, f.options.SinceSeconds, f.options.SinceTime = nil, nil, nil // from here on everything counts
			b.ask(f, f.request, func(log client.Result) {
				f.read = log.(*client.Text).Body
				again()
			})
		})
	})
}
