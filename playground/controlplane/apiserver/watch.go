package apiserver

import (
	"fmt"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/cacher"
	"kubewalk/playground/controlplane/apiserver/printers"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// watch is one open watch, as the server has it.
type watch struct {
	server   *Server
	stream   *transport.Stream
	registry *registry.Store
	filter   filter
	asked    bool // for bookmarks
	table    bool // was asked for

	subscription *cacher.Watcher
	timers       []*sim.Timer
	after        int64 // events up to this revision are not sent
	cause        trace.ID
	converting   converting
}

// watchHandler opens a watch. Upstream: endpoints/handlers/get.go ListResource, and storage/cacher/cacher.go, Cacher.Watch.
func (s *Server) watchHandler(p *sim.Proc, c *call, e *registry.Store) (*transport.Stream, error) {
	opts := &c.Request.List
	if err := validateListOptions(opts, true); err != nil {
		return nil, err
	}
	f, err := newFilter(c.Request, e)
	if err != nil {
		return nil, err
	}
	revision, err := parseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	w := &watch{server: s, registry: e, filter: f, asked: opts.AllowWatchBookmarks, table: c.Request.Table}
	w.stream = s.Open(p, c.Call, trace.Ref{Resource: e.Resource(), Namespace: c.Request.Namespace, Name: c.Request.Name},
		trace.Attrs("revision", opts.ResourceVersion, "namespace", c.Request.Namespace, "labelSelector", opts.LabelSelector, "fieldSelector", opts.FieldSelector))
	w.cause = s.kernel.Cause()
	timeout := s.work.Between(s.opts.WatchTimeout.Min, s.opts.WatchTimeout.Max)
	if opts.TimeoutSeconds != nil {
		timeout = time.Duration(*opts.TimeoutSeconds) * time.Second
	}
	w.timers = append(w.timers, s.component.After(timeout, func() { w.stream.Close("timeout") }))
	if w.asked && s.opts.BookmarkFrequency > 0 {
		w.timers = append(w.timers, s.component.After(s.opts.BookmarkFrequency, w.bookmarks))
	}
	w.stream.Serve(func() { w.sendInitial(revision, opts) }, w.stop)
	if e.Custom != nil {
		s.custom[e.Resource()].opened(w)
	}
	return w.stream, nil
}

// sendInitial sends what there is before the first live event, and subscribes.
func (w *watch) sendInitial(revision int64, opts *metav1.ListOptions) {
	s := w.server
	c := s.caches[w.registry.Resource()]
	initial := revision == 0
	if opts.SendInitialEvents != nil {
		initial = *opts.SendInitialEvents
	}
	switch {
	case initial:
		w.after = s.revision
		objs := c.List(w.filter.namespace)
		if w.registry.Converter != nil {
			w.convertedInitial(objs)
			objs = nil
		}
		for _, obj := range objs {
			if w.filter.matches(obj) {
				w.send(client.Added, obj, obj.GetResourceVersion())
			}
		}
		if opts.SendInitialEvents != nil && w.asked {
			w.bookmark(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		}
	case revision == 0:
		w.after = s.revision
	default:
		w.after = revision
		events, err := c.Since(revision)
		if err != nil {
			w.fail(errorToAPIStatus(err))
			return
		}
		for _, e := range events {
			s.kernel.Because(e.Cause, func() { w.event(e) })
		}
	}
	w.subscription = c.Watch(w.event)
}

// event sends what an event means to this watch: an object that comes to match is added, one that no longer does is
// deleted. Upstream: storage/cacher/cache_watcher.go, cacheWatcher.convertToWatchEvent.
func (w *watch) event(e store.Event) {
	if w.stream.Closed() || e.Revision <= w.after {
		return
	}
	w.after = e.Revision
	if w.registry.Converter != nil {
		w.convertedEvent(e)
		return
	}
	w.deliver(e)
}

// deliver sends an event that concerns this watch.
func (w *watch) deliver(e store.Event) {
	is := e.Type != store.Deleted && w.filter.matches(e.Object)
	was := e.Previous != nil && w.filter.matches(e.Previous)
	revision := w.server.textOf(e.Revision)
	switch {
	case is && was:
		w.send(client.Modified, e.Object, revision)
	case is:
		w.send(client.Added, e.Object, revision)
	case was && e.Type == store.Deleted:
		w.send(client.Deleted, e.Object, revision)
	case was:
		left := e.Previous.DeepCopyObject()
		left.SetResourceVersion(revision)
		w.send(client.Deleted, left, revision)
	}
}

// textOf is a revision as a string. All watches of a resource ask for the same ones, one after the other.
func (s *Server) textOf(revision int64) string {
	if s.written.revision != revision {
		s.written.revision, s.written.text = revision, strconv.FormatInt(revision, 10)
	}
	return s.written.text
}

// send puts an event on the wire.
func (w *watch) send(typ client.EventType, obj api.Object, revision string) {
	event := client.Event{Type: typ, Object: w.registry.Served(obj)}
	if w.table {
		event.Table = printers.TableOf(event.Object, w.server.kernel.Time())
	}
	w.stream.Send(event, trace.Ref{Resource: w.registry.Resource(), Namespace: obj.GetNamespace(),
		Name: obj.GetName()}, revision)
}

// bookmarks sends the newest revision now and then. Upstream: storage/cacher/cacher.go, Cacher.dispatchEvents.
func (w *watch) bookmarks() {
	if w.stream.Closed() {
		return
	}
	w.server.kernel.Because(w.cause, func() {
		w.bookmark(nil)
		w.timers = append(w.timers[:1], w.server.component.After(w.server.opts.BookmarkFrequency, w.bookmarks))
	})
}

func (w *watch) bookmark(annotations map[string]string) {
	obj := w.registry.Kind.New()
	api.SetKind(obj)
	revision := strconv.FormatInt(max(w.server.revision, w.after), 10)
	obj.SetResourceVersion(revision)
	obj.SetAnnotations(annotations)
	send := func() {
		w.stream.Send(client.Event{Type: client.Bookmark, Object: obj}, trace.Ref{Resource: w.registry.Resource()}, revision)
	}
	if w.registry.Converter == nil {
		send()
		return
	}
	w.later(func(*sim.Proc) error { // not before what it vouches for
		send()
		return nil
	})
}

// stop ends what the watch holds of the server.
func (w *watch) stop() {
	if w.subscription != nil {
		w.subscription.Stop()
	}
	for _, t := range w.timers {
		t.Stop()
	}
}

// fail sends an error and ends the watch.
func (w *watch) fail(status *metav1.Status) {
	w.stream.Send(client.Event{Type: client.Error, Status: status}, trace.Ref{Resource: w.registry.Resource()}, "")
	w.stream.Close(status.Message)
}

// parseResourceVersion reads the version from which to list or watch.
// Upstream: storage/versioner.go, APIObjectVersioner.ParseResourceVersion.
func parseResourceVersion(v string) (int64, error) {
	n, err := store.ParseRevision(v)
	if err != nil {
		return 0, apierrors.NewBadRequest(fmt.Sprintf("Invalid value: %q: %v", v, err))
	}
	return n, nil
}
