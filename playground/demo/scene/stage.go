package scene

import (
	"sort"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// Stage is what the picture shows at one moment of a run. Apply moves it over
// the next event, Diff says what that changed.
type Stage struct {
	layout Layout
	roles  cast
	view   view

	// What the trace says, as far as it is drawn.
	cast       map[string]bool // every component that ever ran; false when it is down
	pods       map[string]*corev1.Pod
	nodes      map[string]*corev1.Node
	workloads  map[string]workload       // resource + " " + key
	endpoints  map[string]map[string]int // Service → slice → endpoints that are ready
	balancers  map[string]string         // Service → the address of its load balancer
	queues     map[string]map[string]trace.QueueItem
	queueOwner map[string]string // queue → component
	workers    map[string]map[string]string
	scheduling map[string]string            // Pod → its queue
	inFlight   *slots                       // Pods in scheduling and binding cycles
	verdicts   map[string]map[string]string // Pod → node → verdict
	judged     string                       // the Pod that the newest verdict is about
	assumed    map[string]string            // Pod → node
	sandboxes  map[string]map[string]string // node → Pod
	images     map[string]map[string]string // node → image
	containers map[string]map[string]map[string]string
	watches    watches
	faults     map[string]map[string]string // component or node → fault → how much
	phases     map[string]string            // node → what kubeadm does there
	network    wireless
	elsewhere  elsewhere         // nodes of other clusters
	services   map[string]string // cluster address → name
	serviceKey map[string]string // cluster address → key
	revision   int64
	revisions  []revision // the newest drawn ones, oldest first
	done       deed       // what was done last from outside
	place      map[string]string
	areas      map[string]*slots
	quiet      *Quiet
	totals     *totals      // nil unless nodes are cells
	last       *trace.Event // the newest, when it is not quiet

	shapes  map[string]*held
	groups  map[string][]string
	base    map[string]*Shape // what touched shapes were before; nil when they were not
	touched []string
	pass    int
	dirty   dirt
}

// dirt is what has to be drawn again.
type dirt struct {
	board, user, band, strip bool

	nodes, pods, areas map[string]bool
}

func newDirt() dirt {
	return dirt{nodes: map[string]bool{}, pods: map[string]bool{}, areas: map[string]bool{}}
}

// held is a shape and the group that drew it.
type held struct {
	shape Shape
	group string
	pass  int
}

type revision struct {
	number int64
	kind   string // added, modified, deleted
	about  trace.Ref
}

// NewStage returns the stage before the first event.
func NewStage(o Options) *Stage {
	s := &Stage{
		roles:  newCast(o),
		layout: o.Layout,
		cast:   map[string]bool{},
		pods:   map[string]*corev1.Pod{}, nodes: map[string]*corev1.Node{}, workloads: map[string]workload{}, endpoints: map[string]map[string]int{},
		balancers: map[string]string{}, phases: map[string]string{},
		queues: map[string]map[string]trace.QueueItem{}, queueOwner: map[string]string{},
		workers:    map[string]map[string]string{},
		scheduling: map[string]string{}, inFlight: newSlots(),
		verdicts: map[string]map[string]string{}, assumed: map[string]string{},
		sandboxes: map[string]map[string]string{}, images: map[string]map[string]string{},
		containers: map[string]map[string]map[string]string{},
		watches:    newWatches(),
		faults:     map[string]map[string]string{},
		network:    newWireless(), services: map[string]string{}, serviceKey: map[string]string{},
		place: map[string]string{}, areas: map[string]*slots{},
		quiet:  NewQuiet(o),
		shapes: map[string]*held{}, groups: map[string][]string{}, base: map[string]*Shape{},
		dirty: newDirt(),
	}
	if s.roles.totals {
		s.totals = newTotals()
	}
	s.view = newView(s, o)
	return s
}

// Apply moves the stage over the next event and tells whether the event is quiet.
func (s *Stage) Apply(e *trace.Event) (quiet bool) {
	quiet = s.quiet.Judge(e)
	if s.last = e; quiet {
		s.last = nil
	}
	if s.totals != nil {
		s.count(e)
		return quiet
	}
	for _, d := range e.Deltas {
		s.apply(e, d, quiet)
	}
	switch e.Op {
	case trace.Input:
		s.command(e)
	case trace.StoreCommit:
		if !quiet {
			s.commit(e)
		}
		s.dirty.strip = true
	case trace.QueueAdd, trace.QueueDelay, trace.QueueGet:
		s.queueOwner[e.Text("queue")] = e.Component
	case trace.Log:
		s.phase(e)
	}
	s.view.follow(e, quiet)
	// At once, not when drawn: who takes which slot follows from the order of events.
	s.placePods()
	return quiet
}

func (s *Stage) apply(e *trace.Event, d trace.Delta, quiet bool) {
	c := d.Cell
	text, _ := d.New.(string)
	switch c.Kind {
	case trace.CellComponent:
		s.cast[c.Owner] = d.New != nil
		s.watches.forget(c.Owner)
		s.dirty.board = true
	case trace.CellRevision:
		s.revision, _ = d.New.(int64)
		s.dirty.strip = true
	case trace.CellObject:
		s.object(c, d.New)
	case trace.CellMessage:
		s.view.message(e, c.Key, d.New, quiet)
	case trace.CellPacket:
		s.view.packet(c.Key, d.New)
	case trace.CellFault:
		s.faulted(c, d.New)
	case trace.CellForward:
		s.forward(c, d.New)
	case trace.CellElsewhere:
		s.elsewhere.change(c, text)
		s.dirty.board = true
	case trace.CellWatch:
		before := s.watches.of(c.Owner)
		s.watches.change(c.Owner, d)
		if s.watches.of(c.Owner) != before {
			s.view.watched(c.Owner)
		}
	case trace.CellQueue:
		item, _ := d.New.(trace.QueueItem)
		set(s.queues, c.Owner, c.Key, item, d.New != nil)
	case trace.CellWorker:
		set(s.workers, c.Owner, c.Key, text, d.New != nil)
	case trace.CellScheduling:
		s.schedulingMoved(c, d.New != nil)
	case trace.CellVerdict:
		set(s.verdicts, c.Owner, c.Key, text, d.New != nil)
		if d.New != nil {
			s.judged = c.Owner
		}
	case trace.CellAssumed:
		if d.New != nil {
			s.assumed[c.Key] = c.Owner
		} else if s.assumed[c.Key] == c.Owner {
			delete(s.assumed, c.Key)
		}
		s.dirty.pods[c.Key] = true
	case trace.CellSandbox:
		set(s.sandboxes, c.Owner, c.Key, text, d.New != nil)
		s.dirty.pods[c.Key] = true
	case trace.CellImage:
		set(s.images, c.Owner, c.Key, text, d.New != nil)
		s.dirty.areas[nodeArea(c.Owner)] = true
	case trace.CellContainer:
		i := strings.LastIndexByte(c.Key, '/')
		pod, name := c.Key[:max(i, 0)], c.Key[i+1:]
		if s.containers[c.Owner] == nil {
			s.containers[c.Owner] = map[string]map[string]string{}
		}
		set(s.containers[c.Owner], pod, name, text, d.New != nil)
		s.dirty.pods[pod] = true
	}
}

// set changes one entry of a table in a table.
func set[V any](t map[string]map[string]V, owner, key string, v V, there bool) {
	if !there {
		delete(t[owner], key)
		if len(t[owner]) == 0 {
			delete(t, owner)
		}
		return
	}
	if t[owner] == nil {
		t[owner] = map[string]V{}
	}
	t[owner][key] = v
}

func (s *Stage) object(c trace.Cell, v any) {
	switch c.Owner {
	case "pods":
		if p, ok := v.(*corev1.Pod); ok {
			s.pods[c.Key] = p
		} else {
			delete(s.pods, c.Key)
		}
		s.dirty.pods[c.Key] = true
	case "nodes":
		before := s.nodes[c.Key]
		n, there := v.(*corev1.Node)
		if there {
			s.nodes[c.Key] = n
		} else {
			delete(s.nodes, c.Key)
		}
		if (before != nil) != there {
			s.dirty.board = true
		}
		s.dirty.nodes[c.Key] = true
	default:
		s.workload(c, v)
	}
}

// Diff draws what has changed since it was last called: shapes to set, and ids
// that are gone, both in order.
func (s *Stage) Diff() (changed []Shape, gone []string) {
	s.view.draw()
	sort.Strings(s.touched)
	for _, id := range s.touched {
		before, now := s.base[id], s.shapes[id]
		switch {
		case now == nil:
			if before != nil {
				gone = append(gone, id)
			}
		case before == nil || *before != now.shape:
			changed = append(changed, now.shape)
		}
		delete(s.base, id)
	}
	s.touched = s.touched[:0]
	sort.Slice(changed, func(i, j int) bool { return changed[i].before(changed[j]) })
	return changed, gone
}

// Scene is the whole picture, with what the newest event touched marked as fresh.
func (s *Stage) Scene() Scene {
	s.Diff()
	width, height := s.view.size()
	out := Scene{Width: width, Height: height, Shapes: make([]Shape, 0, len(s.shapes))}
	for _, h := range s.shapes {
		shape := h.shape
		shape.Fresh = s.fresh(&shape)
		out.Shapes = append(out.Shapes, shape)
	}
	sort.Slice(out.Shapes, func(i, j int) bool { return out.Shapes[i].before(out.Shapes[j]) })
	return out
}

// fresh tells whether the newest event is about what a shape shows: the object
// where there is one, or else the component. Of an object's revisions only the
// one that it wrote counts.
func (s *Stage) fresh(shape *Shape) bool {
	e := s.last
	if e == nil || shape.Kind != Box {
		return false
	}
	if shape.Role == RoleRevision {
		return e.Op == trace.StoreCommit && shape.ID == "revision/"+e.Text("revision")
	}
	if e.Object.Name != "" {
		return shape.About == e.Object.String()
	}
	return shape.About == e.Component && FormOf(shape).marksComponent()
}

// before is the drawing order.
func (a Shape) before(b Shape) bool {
	if a.Z != b.Z {
		return a.Z < b.Z
	}
	return a.ID < b.ID
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// group draws a group of shapes anew: what it held before and does not draw
// now is gone.
func (s *Stage) group(name string, draw func(put func(Shape))) {
	s.pass++
	pass := s.pass
	ids := make([]string, 0, len(s.groups[name]))
	draw(func(shape Shape) {
		ids = append(ids, shape.ID)
		s.put(name, shape, pass)
	})
	for _, id := range s.groups[name] {
		if h := s.shapes[id]; h != nil && h.group == name && h.pass != pass {
			s.drop(id)
		}
	}
	if len(ids) == 0 {
		delete(s.groups, name)
		return
	}
	s.groups[name] = ids
}

// add draws one shape of a group, besides those that it holds.
func (s *Stage) add(group string, shape Shape) {
	if h := s.shapes[shape.ID]; h == nil || h.group != group {
		s.groups[group] = append(s.groups[group], shape.ID)
	}
	s.put(group, shape, s.pass)
}

func (s *Stage) put(group string, shape Shape, pass int) {
	h := s.shapes[shape.ID]
	if h == nil {
		s.touch(shape.ID, nil)
		s.shapes[shape.ID] = &held{shape, group, pass}
		return
	}
	if h.shape != shape {
		s.touch(shape.ID, &h.shape)
		h.shape = shape
	}
	h.group, h.pass = group, pass
}

func (s *Stage) drop(id string) {
	if h := s.shapes[id]; h != nil {
		s.touch(id, &h.shape)
		delete(s.shapes, id)
	}
}

func (s *Stage) touch(id string, before *Shape) {
	if _, ok := s.base[id]; ok {
		return
	}
	if before != nil {
		copied := *before
		before = &copied
	}
	s.base[id] = before
	s.touched = append(s.touched, id)
}
