package cache

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/sim"
)

const (
	// minWatchTimeout: a watch asks the server to end it after one to two times this.
	minWatchTimeout = 5 * time.Minute
	// pageSize is how many objects a list asks for at once, when it doesn't
	// matter how old they are.
	pageSize = 500
)

// ReflectorStore is where a Reflector puts what it learns: a RealFIFO, or a Store.
type ReflectorStore interface {
	Add(obj any) error
	Update(obj any) error
	Delete(obj any) error
	Replace(list []any, resourceVersion string) error
	Resync() error
}

// WatchErrorHandler is called when ListAndWatch ends with an error. After that
// the reflector waits and lists again.
type WatchErrorHandler func(p *sim.Proc, r *Reflector, err error)

// Reflector keeps a store equal to a resource of the API server.
//
// It lists, then watches from the list's revision on. A watch that ends is
// opened again where it ended; when the server has forgotten that revision, or
// the connection is lost, it lists again after a pause of 0.8 s to 60 s. It
// never lists what is older than what it has seen.
//
// Upstream: client-go/tools/cache/reflector.go Reflector.
type Reflector struct {
	name            string
	typeDescription string
	expectedType    reflect.Type
	listerWatcher   ListerWatcher
	store           ReflectorStore
	backoff         *wait.BackoffManager
	resyncPeriod    time.Duration

	lastSyncResourceVersion string
	// isLastSyncResourceVersionUnavailable: the server did not know it any more,
	// or not yet. Then the next list has to be the newest there is.
	isLastSyncResourceVersionUnavailable bool

	// ShouldResync is asked every resync period; nil is yes.
	ShouldResync      func() bool
	watchErrorHandler WatchErrorHandler
	stopped           bool
}

// NewReflector returns a reflector of what lw lists into a store. expectedType
// is an object of the kind; with resyncPeriod 0 there are no resyncs.
func NewReflector(lw ListerWatcher, expectedType api.Object, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	gvr := lw.Resource()
	r := &Reflector{
		name:              gvr.Resource,
		typeDescription:   gvr.Resource,
		expectedType:      reflect.TypeOf(expectedType),
		listerWatcher:     lw,
		store:             store,
		resyncPeriod:      resyncPeriod,
		watchErrorHandler: DefaultWatchErrorHandler,
	}
	switch kind := api.KindForResource(gvr); {
	case kind != nil:
		r.typeDescription = "*" + gvr.Version + "." + kind.Kind
	default:
		r.name, r.typeDescription = api.StorageName(gvr), gvr.String()
	}
	return r
}

// DefaultWatchErrorHandler logs.
func DefaultWatchErrorHandler(p *sim.Proc, r *Reflector, err error) {
	switch {
	case isExpiredError(err):
		r.logger(p).V(4).Info("Watch closed", "err", err)
	case errors.Is(err, client.ErrConnectionLost):
		r.logger(p).V(1).Info("Watch closed with unexpected EOF", "err", err)
	default:
		r.logger(p).Error(err, "Failed to watch")
	}
}

func (r *Reflector) logger(p *sim.Proc) sim.Logger {
	return p.Logger().WithValues("reflector", r.name, "type", r.typeDescription)
}

// LastSyncResourceVersion is the newest revision that the store was told of.
func (r *Reflector) LastSyncResourceVersion() string { return r.lastSyncResourceVersion }

// Run keeps the store up to date until the component ends, or until it is stopped.
func (r *Reflector) Run(p *sim.Proc) {
	if r.backoff == nil {
		chance := p.Kernel().Rand("reflector/" + p.Component().Name() + "/" + r.name)
		r.backoff = wait.NewExponentialBackoffManager(800*time.Millisecond, 30*time.Second, 2*time.Minute, 2, 100, chance)
	}
	r.logger(p).V(3).Info("Starting reflector", "resyncPeriod", r.resyncPeriod)
	for {
		if err := r.ListAndWatch(p); err != nil {
			r.watchErrorHandler(p, r, err)
		}
		r.backoff.Sleep(p)
		if r.stopped {
			return
		}
	}
}

// Stop ends Run as soon as the watch that is open has ended.
func (r *Reflector) Stop() { r.stopped = true }

// ListAndWatch lists once and then watches for as long as that works. It
// returns an error when it did not get as far as to watch.
func (r *Reflector) ListAndWatch(p *sim.Proc) error {
	r.logger(p).V(3).Info("Listing and watching")
	if err := r.list(p); err != nil {
		return err
	}
	r.logger(p).V(2).Info("Caches populated")
	defer r.startResync(p)()
	return r.watch(p)
}

// startResync has the store resynced every resync period, until it is told to stop.
func (r *Reflector) startResync(p *sim.Proc) (stop func()) {
	if r.resyncPeriod == 0 {
		return func() {}
	}
	var timer *sim.Timer
	var tick func()
	tick = func() {
		if r.ShouldResync == nil || r.ShouldResync() {
			p.Kernel().Logger().V(4).Info("Forcing resync", "reflector", r.name, "type", r.typeDescription)
			if err := r.store.Resync(); err != nil {
				p.Kernel().Logger().Error(err, "Failed to resync", "reflector", r.name, "type", r.typeDescription)
			}
		}
		timer = p.Component().After(r.resyncPeriod, tick)
	}
	timer = p.Component().After(r.resyncPeriod, tick)
	return func() {
		if p.Component().Running() { // else its timers are gone with it
			timer.Stop()
		}
	}
}

// list replaces what the store holds.
func (r *Reflector) list(p *sim.Proc) error {
	items, version, err := r.pages(p)
	if isExpiredError(err) || isTooLargeResourceVersionError(err) {
		r.isLastSyncResourceVersionUnavailable = true
		items, version, err = r.pages(p)
	}
	if err != nil {
		return fmt.Errorf("failed to list %s: %w", r.typeDescription, err)
	}
	r.isLastSyncResourceVersionUnavailable = false
	if err := r.store.Replace(items, version); err != nil {
		return fmt.Errorf("unable to sync list result: %w", err)
	}
	r.lastSyncResourceVersion = version
	return nil
}

// pages reads the list, page by page. Upstream: client-go/tools/pager.
func (r *Reflector) pages(p *sim.Proc) (items []any, resourceVersion string, err error) {
	options := metav1.ListOptions{ResourceVersion: r.relistResourceVersion()}
	if options.ResourceVersion == "" || options.ResourceVersion == "0" {
		options.Limit = pageSize
	}
	for {
		list, err := r.listerWatcher.List(p, options)
		if err != nil {
			return nil, "", err
		}
		page := list.GetItems()
		items = slices.Grow(items, len(page))
		for _, obj := range page {
			items = append(items, obj)
		}
		meta := list.GetListMeta()
		if meta.Continue == "" {
			return items, meta.ResourceVersion, nil
		}
		options.Continue, options.ResourceVersion = meta.Continue, ""
	}
}

// relistResourceVersion is how new a list has to be: anything will do the first
// time, later nothing older than what was seen, and the newest there is when
// the server cannot tell.
func (r *Reflector) relistResourceVersion() string {
	switch {
	case r.isLastSyncResourceVersionUnavailable:
		return ""
	case r.lastSyncResourceVersion == "":
		return "0"
	}
	return r.lastSyncResourceVersion
}

// watch opens one watch after the other, each where the last one ended. It
// returns when it is time to list again.
func (r *Reflector) watch(p *sim.Proc) error {
	for {
		timeout := int64(p.Kernel().Rand("reflector/"+p.Component().Name()+"/"+r.name).Between(minWatchTimeout, 2*minWatchTimeout) / time.Second)
		start := p.Now()
		w, err := r.listerWatcher.Watch(p, metav1.ListOptions{
			ResourceVersion:     r.lastSyncResourceVersion,
			TimeoutSeconds:      &timeout,
			AllowWatchBookmarks: true,
		})
		if err != nil {
			if isWatchErrorRetriable(err) {
				r.logger(p).V(4).Info("Watch failed - backing off", "err", err)
				r.backoff.Sleep(p)
				continue
			}
			return err
		}
		err = r.handleWatch(p, start, w)
		w.Stop()
		switch {
		case err == nil:
		case isExpiredError(err):
			r.logger(p).V(4).Info("Watch closed with error", "err", err)
			return nil
		case apierrors.IsTooManyRequests(err):
			r.logger(p).V(2).Info("Watch returned 429 - backing off")
			r.backoff.Sleep(p)
		default:
			r.logger(p).Info("Warning: watch ended with error", "err", err)
			return nil
		}
	}
}

// handleWatch passes on what comes over a watch until it ends.
func (r *Reflector) handleWatch(p *sim.Proc, start time.Duration, w client.Stream) error {
	events := 0
	for {
		event, ok := w.Next(p)
		if !ok {
			break
		}
		if event.Type == client.Error {
			return fromStatus(event.Status)
		}
		if got := reflect.TypeOf(event.Object); r.expectedType != nil && got != r.expectedType {
			r.logger(p).Error(nil, "Unexpected watch event object type", "expectedType", r.expectedType, "actualType", got)
			continue
		}
		var err error
		switch event.Type {
		case client.Added:
			err = r.store.Add(event.Object)
		case client.Modified:
			err = r.store.Update(event.Object)
		case client.Deleted:
			err = r.store.Delete(event.Object)
		case client.Bookmark: // only its resource version matters
		default:
			err = fmt.Errorf("unknown type %q of watch event", event.Type)
		}
		if err != nil {
			r.logger(p).Error(err, "Unable to process watch event", "event", event.Type)
		}
		r.lastSyncResourceVersion = event.Object.GetResourceVersion()
		events++
	}
	if p.Now()-start < time.Second && events == 0 {
		return &VeryShortWatchError{Name: r.name}
	}
	r.logger(p).V(4).Info("Watch close", "totalItems", events)
	return nil
}

// VeryShortWatchError is why a watch that ended at once is not opened again at
// once, but after a pause and a list.
type VeryShortWatchError struct{ Name string }

func (e *VeryShortWatchError) Error() string {
	return fmt.Sprintf("very short watch: %s: unexpected watch close: it lasted less than a second and brought no items", e.Name)
}

func fromStatus(s *metav1.Status) error {
	if s == nil {
		return errors.New("watch error event without a status")
	}
	return &apierrors.StatusError{ErrStatus: *s}
}

// isExpiredError: the revision is no longer in the server's history.
func isExpiredError(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

// isTooLargeResourceVersionError: the server has not seen the revision yet.
func isTooLargeResourceVersionError(err error) bool {
	_, tooLarge := apierrors.StatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
	return tooLarge
}

// isWatchErrorRetriable: what was seen is still good, so that it is enough to
// open the watch again later.
func isWatchErrorRetriable(err error) bool {
	return client.IsConnectionRefused(err) || apierrors.IsTooManyRequests(err) || apierrors.IsInternalError(err)
}
