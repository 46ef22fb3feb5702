package cache

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/sorted"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// minimumResyncPeriod is the shortest that a handler may ask for.
const minimumResyncPeriod = time.Second

// SharedIndexInformer keeps an indexer equal to a resource, and any number of
// handlers informed.
// Upstream: client-go/tools/cache/shared_informer.go SharedIndexInformer.
type SharedIndexInformer interface {
	// AddEventHandler adds a handler, at any time. One that comes late is told
	// of everything in the cache as added.
	AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithResyncPeriod adds a handler that is told of everything
	// again (OnUpdate with the same object twice) every resync period.
	AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error)
	// RemoveEventHandler stops telling a handler, apart from what is pending.
	RemoveEventHandler(handle ResourceEventHandlerRegistration) error
	GetStore() Store
	GetIndexer() Indexer
	// AddIndexers adds indexes, at any time.
	AddIndexers(indexers Indexers) error
	// HasSynced tells whether the first list is in the cache.
	HasSynced() bool
	LastSyncResourceVersion() string
	// LastStoreSyncResourceVersion is how new the indexer is; the reflector may
	// be ahead of it by what is in the FIFO. "" before the first list.
	LastStoreSyncResourceVersion() string
	// SetTransform sets what objects are changed to before they are cached. It
	// has to come before Run.
	SetTransform(f TransformFunc) error
	// SetWatchErrorHandler has to come before Run.
	SetWatchErrorHandler(f WatchErrorHandler) error
	// Run does the work, in p and in processes that it starts. It does not return.
	Run(p *sim.Proc)
	// Stop ends the informer's requests as soon as its watch has ended.
	Stop()
}

// ResourceEventHandlerRegistration is a handler's place in an informer.
type ResourceEventHandlerRegistration interface {
	// HasSynced tells whether the handler was told of everything in the first list.
	HasSynced() bool
}

// NewSharedIndexInformer returns an informer of what lw lists. exampleObject is
// an object of the kind. Handlers that ask for nothing else are resynced every
// defaultEventHandlerResyncPeriod, with 0 never.
func NewSharedIndexInformer(lw ListerWatcher, exampleObject api.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer {
	return &sharedIndexInformer{
		indexer:                         newIndexer(indexers),
		listerWatcher:                   lw,
		objectType:                      exampleObject,
		resource:                        api.StorageName(lw.Resource()),
		resyncCheckPeriod:               defaultEventHandlerResyncPeriod,
		defaultEventHandlerResyncPeriod: defaultEventHandlerResyncPeriod,
	}
}

type sharedIndexInformer struct {
	indexer       *indexer
	listerWatcher ListerWatcher
	objectType    api.Object
	resource      string

	component *sim.Component // nil until Run
	owner     string         // of its cells
	about     trace.Attr     // what the trace says of each change of the cache: the resource
	fifo      *RealFIFO
	reflector *Reflector
	listeners []*processorListener
	added     int // how many listeners there ever were

	// resyncCheckPeriod is how often the reflector asks whether somebody wants a resync.
	resyncCheckPeriod               time.Duration
	defaultEventHandlerResyncPeriod time.Duration

	transform         TransformFunc
	watchErrorHandler WatchErrorHandler

	// storeVersion is the resource version of what last changed the indexer.
	storeVersion string
}

var errStarted = errors.New("informer has already started")

func (s *sharedIndexInformer) GetStore() Store     { return s.indexer }
func (s *sharedIndexInformer) GetIndexer() Indexer { return s.indexer }
func (s *sharedIndexInformer) AddIndexers(indexers Indexers) error {
	return s.indexer.AddIndexers(indexers)
}
func (s *sharedIndexInformer) HasSynced() bool { return s.fifo != nil && s.fifo.HasSynced() }

func (s *sharedIndexInformer) LastSyncResourceVersion() string {
	if s.reflector == nil {
		return ""
	}
	return s.reflector.LastSyncResourceVersion()
}

func (s *sharedIndexInformer) LastStoreSyncResourceVersion() string { return s.storeVersion }

func (s *sharedIndexInformer) SetTransform(f TransformFunc) error {
	if s.component != nil {
		return errStarted
	}
	s.transform = f
	return nil
}

func (s *sharedIndexInformer) SetWatchErrorHandler(f WatchErrorHandler) error {
	if s.component != nil {
		return errStarted
	}
	s.watchErrorHandler = f
	return nil
}

func (s *sharedIndexInformer) AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithResyncPeriod(handler, s.defaultEventHandlerResyncPeriod)
}

func (s *sharedIndexInformer) AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration,
	error) {
	if resyncPeriod > 0 {
		resyncPeriod = max(resyncPeriod, minimumResyncPeriod)
		switch {
		case s.component == nil && (s.resyncCheckPeriod == 0 || resyncPeriod < s.resyncCheckPeriod):
			s.resyncCheckPeriod = resyncPeriod
		case s.resyncCheckPeriod == 0:
			resyncPeriod = 0 // it runs, and without resyncs
		default:
			resyncPeriod = max(resyncPeriod, s.resyncCheckPeriod)
		}
	}
	l := &processorListener{handler: handler, upstreamSynced: s.HasSynced, resyncPeriod: resyncPeriod, syncing: true}
	s.listeners = append(s.listeners, l)
	if s.component == nil {
		return l, nil
	}
	s.startListener(l)
	if known := s.indexer.List(); len(known) > 0 {
		l.add(notification{kind: Added, added: known, initial: true, cause: s.component.Kernel().Cause()})
	}
	return l, nil
}

func (s *sharedIndexInformer) startListener(l *processorListener) {
	l.nextResync = s.component.Kernel().Elapsed() + l.resyncPeriod
	name := "handler/" + s.resource
	if s.added++; s.added > 1 {
		name += "-" + strconv.Itoa(s.added)
	}
	l.start(s.component, name)
}

func (s *sharedIndexInformer) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	for i, l := range s.listeners {
		if l == handle {
			s.listeners = append(s.listeners[:i:i], s.listeners[i+1:]...)
			l.removed = true
			l.wake()
			return nil
		}
	}
	return nil
}

// Run makes processes for the reflector and for each handler; the process that
// called it pops the FIFO and changes the cache.
func (s *sharedIndexInformer) Run(p *sim.Proc) {
	if s.component != nil {
		p.Logger().Info("Warning: the sharedIndexInformer has started, run more than once is not allowed")
		return
	}
	s.component = p.Component()
	s.owner = s.component.Name() + "/" + s.resource
	s.about = trace.Attr{Key: "resource", Value: s.resource}
	s.fifo = NewRealFIFO(p.Kernel(), s.transform)
	s.reflector = NewReflector(s.listerWatcher, s.objectType, s.fifo, s.resyncCheckPeriod)
	s.reflector.ShouldResync = s.shouldResync
	if s.watchErrorHandler != nil {
		s.reflector.watchErrorHandler = s.watchErrorHandler
	}
	for _, l := range s.listeners {
		s.startListener(l)
	}
	s.component.Go("reflector/"+s.resource, s.reflector.Run)
	handle := func(d Delta, isInInitialList bool) { s.handleDelta(p, d, isInInitialList) }
	for {
		s.fifo.Pop(p, handle)
	}
}

// shouldResync asks each listener whether its time has come.
func (s *sharedIndexInformer) Stop() {
	if s.reflector != nil {
		s.reflector.Stop()
	}
}

func (s *sharedIndexInformer) shouldResync() bool {
	needed := false
	now := s.component.Kernel().Elapsed()
	for _, l := range s.listeners {
		l.syncing = l.resyncPeriod > 0 && now >= l.nextResync
		if l.syncing {
			needed = true
			l.nextResync = now + l.resyncPeriod
		}
	}
	return needed
}

// handleDelta changes the cache, then tells the listeners.
// Upstream: controller.go processDeltas.
func (s *sharedIndexInformer) handleDelta(p *sim.Proc, d Delta, isInInitialList bool) {
	switch d.Type {
	case ReplacedAll:
		s.replaceAll(p, d.Object.(ReplacedAllInfo), isInInitialList)
	case SyncAll:
		for _, obj := range s.indexer.List() {
			s.distribute(notification{kind: Updated, old: obj, new: obj, cause: p.Kernel().Cause()}, true)
		}
	case Added, Updated:
		obj := d.Object.(api.Object) // it has a key: the FIFO made sure
		s.storeVersion = obj.GetResourceVersion()
		old, existed := s.indexer.swap(obj)
		if existed {
			cause := s.emitSet(p, obj, "MODIFIED")
			s.distribute(notification{kind: Updated, old: old, new: d.Object, cause: cause}, isResync(old, d.Object))
		} else {
			cause := s.emitSet(p, obj, "ADDED")
			s.distribute(notification{kind: Added, new: d.Object, initial: isInInitialList, cause: cause}, false)
		}
	case Deleted:
		s.storeVersion = resourceVersion(d.Object)
		if err := s.indexer.Delete(d.Object); err != nil {
			p.Logger().Error(err, "Unable to process delta", "type", d.Type)
			return
		}
		s.distribute(notification{kind: Deleted, old: d.Object, cause: s.emitDelete(p, d.Object)}, false)
	default:
		panic(fmt.Sprintf("unexpected delta type %q", d.Type))
	}
}

// replaceAll makes the cache what a list said. Who vanished is told first.
// Upstream: controller.go processReplacedAllInfo.
func (s *sharedIndexInformer) replaceAll(p *sim.Proc, info ReplacedAllInfo, isInInitialList bool) {
	before := map[string]any{}
	known := s.indexer.ListKeys()
	for _, key := range known {
		before[key], _, _ = s.indexer.GetByKey(key)
	}
	if err := s.indexer.Replace(info.Objects, info.ResourceVersion); err != nil {
		p.Logger().Error(err, "Unable to process delta", "type", ReplacedAll)
		return
	}
	var vanished []string
	for _, key := range known {
		if _, exists, _ := s.indexer.GetByKey(key); !exists {
			vanished = append(vanished, key)
		}
	}
	s.storeVersion = info.ResourceVersion
	cause := s.emitReplace(p, info, vanished)
	for _, key := range vanished {
		gone := DeletedFinalStateUnknown{Key: key, Obj: before[key]}
		s.distribute(notification{kind: Deleted, old: gone, cause: cause}, false)
	}
	if len(known) == 0 {
		if len(info.Objects) > 0 {
			s.distribute(notification{kind: Added, added: info.Objects, initial: isInInitialList, cause: cause}, false)
		}
		return
	}
	for _, obj := range info.Objects {
		key, _ := DeletionHandlingMetaNamespaceKeyFunc(obj)
		if old, existed := before[key]; existed {
			s.distribute(notification{kind: Updated, old: old, new: obj, cause: cause}, isResync(old, obj))
		} else {
			s.distribute(notification{kind: Added, new: obj, initial: isInInitialList, cause: cause}, false)
		}
	}
}

func resourceVersion(obj any) string {
	if o, ok := obj.(api.Object); ok {
		return o.GetResourceVersion()
	}
	return ""
}

// isResync: the object did not change, so only who wants resyncs is told.
func isResync(old, new any) bool {
	a, okA := old.(api.Object)
	b, okB := new.(api.Object)
	return okA && okB && a.GetResourceVersion() == b.GetResourceVersion()
}

func (s *sharedIndexInformer) distribute(n notification, sync bool) {
	for _, l := range s.listeners {
		if !sync || l.syncing {
			l.add(n)
		}
	}
}

// The events of the cache. Each returns what is the cause of the handlers' runs.

func (s *sharedIndexInformer) cell(key string) trace.Cell {
	return trace.Cell{Kind: trace.CellCache, Owner: s.owner, Key: key}
}

func (s *sharedIndexInformer) ref(obj api.Object) trace.Ref {
	return trace.Ref{Resource: s.resource, Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

func (s *sharedIndexInformer) emitSet(p *sim.Proc, obj api.Object, kind any) trace.ID {
	if !p.Kernel().Trace().Keeps(trace.CacheSet) {
		return p.Kernel().Cause()
	}
	var version any = obj.GetResourceVersion()
	attrs := []trace.Attr{s.about, {Key: "type", Value: kind}, {Key: "revision", Value: version}}
	return p.Emit(trace.CacheSet, s.ref(obj), attrs, trace.Set(s.cell(sorted.Key(obj.GetNamespace(), obj.GetName())), version))
}

func (s *sharedIndexInformer) emitDelete(p *sim.Proc, item any) trace.ID {
	obj, ok := item.(api.Object)
	if !ok || !p.Kernel().Trace().Keeps(trace.CacheDelete) {
		return p.Kernel().Cause()
	}
	return p.Emit(trace.CacheDelete, s.ref(obj), []trace.Attr{s.about, {Key: "revision", Value: obj.GetResourceVersion()}},
		trace.Unset(s.cell(sorted.Key(obj.GetNamespace(), obj.GetName()))))
}

func (s *sharedIndexInformer) emitReplace(p *sim.Proc, info ReplacedAllInfo, vanished []string) trace.ID {
	if !p.Kernel().Trace().Keeps(trace.CacheReplace) {
		return p.Kernel().Cause()
	}
	deltas := make([]trace.Delta, 0, len(vanished)+len(info.Objects)+1)
	for _, key := range vanished {
		deltas = append(deltas, trace.Unset(s.cell(key)))
	}
	for _, item := range info.Objects {
		if obj, ok := item.(api.Object); ok {
			deltas = append(deltas, trace.Set(s.cell(sorted.Key(obj.GetNamespace(), obj.GetName())), obj.GetResourceVersion()))
		}
	}
	deltas = append(deltas, trace.Set(trace.Cell{Kind: trace.CellSynced, Owner: s.owner}, true))
	return p.Emit(trace.CacheReplace, trace.Ref{Resource: s.resource},
		trace.Attrs("resource", s.resource, "count", len(info.Objects), "revision", info.ResourceVersion), deltas...)
}
