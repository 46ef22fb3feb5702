package cache

import (
	"kubewalk/playground/api"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// DeltaType says what a Delta is about. Upstream: delta_fifo.go DeltaType.
type DeltaType string

// Kinds of deltas.
const (
	Added       DeltaType = "Added"
	Updated     DeltaType = "Updated"
	Deleted     DeltaType = "Deleted"
	ReplacedAll DeltaType = "ReplacedAll" // the object is a ReplacedAllInfo
	SyncAll     DeltaType = "SyncAll"     // everything that is known is to be told again; no object
)

// Delta is one piece of news.
type Delta struct {
	Type   DeltaType
	Object any

	cause trace.ID // what brought it
}

// ReplacedAllInfo is the result of a list: these objects are all there are.
type ReplacedAllInfo struct {
	ResourceVersion string
	Objects         []any
}

// TransformFunc changes objects before they reach the cache, to leave out what
// nobody reads. It must not change the object that it is given.
type TransformFunc func(any) (any, error)

// RealFIFO passes on all news in order, one by one.
// Upstream: client-go/tools/cache/the_real_fifo.go RealFIFO, with the feature
// AtomicFIFO: a list is one delta, so what vanished is found out by who pops it.
type RealFIFO struct {
	kernel *sim.Kernel
	items  line[Delta]
	reader *sim.Proc // waits in Pop

	// populated is true from the first delta on. initialPopulationCount is how
	// many deltas of the first list were not processed yet.
	populated              bool
	initialPopulationCount int

	transformer TransformFunc
}

// NewRealFIFO returns an empty FIFO of API objects. transformer may be nil.
func NewRealFIFO(k *sim.Kernel, transformer TransformFunc) *RealFIFO {
	return &RealFIFO{kernel: k, transformer: transformer}
}

// Add passes on that an object is new.
func (f *RealFIFO) Add(obj any) error { return f.add(Added, obj) }

// Update passes on that an object changed.
func (f *RealFIFO) Update(obj any) error { return f.add(Updated, obj) }

// Delete passes on that an object is gone.
func (f *RealFIFO) Delete(obj any) error { return f.add(Deleted, obj) }

func (f *RealFIFO) add(t DeltaType, obj any) error {
	obj, err := f.transform(obj)
	if err != nil {
		return err
	}
	f.populated = true
	f.push(t, obj)
	return nil
}

// transform also makes sure that the object has a key.
func (f *RealFIFO) transform(obj any) (any, error) {
	var err error
	if f.transformer != nil {
		if obj, err = f.transformer(obj); err != nil {
			return nil, err
		}
	}
	if _, ok := obj.(api.Object); !ok {
		_, err = MetaNamespaceKeyFunc(obj)
		return nil, KeyError{obj, err}
	}
	return obj, nil
}

// Replace passes on that these objects are all there are. The list must not be changed any more.
func (f *RealFIFO) Replace(list []any, resourceVersion string) error {
	objects := list
	for i, obj := range list {
		after, err := f.transform(obj)
		if err != nil {
			return err
		}
		if f.transformer != nil {
			if i == 0 {
				objects = make([]any, len(list))
			}
			objects[i] = after
		}
	}
	f.push(ReplacedAll, ReplacedAllInfo{resourceVersion, objects})
	if !f.populated {
		f.populated = true
		f.initialPopulationCount = f.items.len()
	}
	return nil
}

// Resync passes on that everything that is known is to be told again.
func (f *RealFIFO) Resync() error {
	f.push(SyncAll, nil)
	return nil
}

func (f *RealFIFO) push(t DeltaType, obj any) {
	f.items.push(Delta{t, obj, f.kernel.Cause()})
	if f.reader != nil {
		f.reader.Wake()
		f.reader = nil
	}
}

// HasSynced tells whether the first list was processed.
func (f *RealFIFO) HasSynced() bool { return f.populated && f.initialPopulationCount == 0 }

// Pop waits for the next delta and has it processed. The process becomes due to
// what brought the delta. There is one process that pops.
func (f *RealFIFO) Pop(p *sim.Proc, process func(d Delta, isInInitialList bool)) {
	for f.items.len() == 0 {
		f.reader = p
		p.Park()
	}
	d := f.items.pop()
	p.Due(d.cause)
	process(d, !f.HasSynced())
	if f.initialPopulationCount > 0 {
		f.initialPopulationCount--
	}
}
