package flowcontrol

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"

	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/sim"
)

// Dispatcher lets requests through, so many of each priority level at a time, has others wait in queues, and refuses the rest.
// Upstream: apiserver/pkg/util/flowcontrol/apf_controller.go, configController; fairqueuing/queueset/queueset.go, queueSet.
type Dispatcher struct {
	seats   int                         // of all priority levels together
	schemas []*flowcontrolv1.FlowSchema // those whose priority level is there, in the order in which they are asked
	levels  map[string]*level
}

// NewDispatcher has so many seats for requests to share: --max-requests-inflight and --max-mutating-requests-inflight together.
func NewDispatcher(seats int) *Dispatcher {
	return &Dispatcher{seats: seats, levels: map[string]*level{}}
}

// level is a priority level, and the requests that it lets through and has wait.
type level struct {
	exempt   bool
	seats    int // how many it lets through at a time
	used     int
	queues   [][]*waiter // none: it refuses what it has no seat for
	handSize int         // how many of the queues are those of a flow
	longest  int         // how many may wait in a queue
	next     int         // the queue whose turn it is
}

// waiter is a request in a queue.
type waiter struct {
	proc *sim.Proc
	let  bool // it has a seat
}

// Configure makes the dispatcher work by these objects from now on. Mandatory ones that are not among them count all the same. Requests that
// are in the server stay where they are.
// Upstream: apf_controller.go, digestConfigObjects.
func (d *Dispatcher) Configure(schemas []*flowcontrolv1.FlowSchema, levels []*flowcontrolv1.PriorityLevelConfiguration) {
	mandatory := Mandatory()
	for i := range mandatory.PriorityLevelConfigurations {
		own := &mandatory.PriorityLevelConfigurations[i]
		if !slices.ContainsFunc(levels, func(l *flowcontrolv1.PriorityLevelConfiguration) bool { return l.Name == own.Name }) {
			levels = append(levels, own)
		}
	}
	for i := range mandatory.FlowSchemas {
		own := &mandatory.FlowSchemas[i]
		if !slices.ContainsFunc(schemas, func(s *flowcontrolv1.FlowSchema) bool { return s.Name == own.Name }) {
			schemas = append(schemas, own)
		}
	}
	var sum int32
	for _, l := range levels {
		shares, _ := sharesOf(l)
		sum += shares
	}
	before := d.levels
	d.levels = map[string]*level{}
	for _, l := range levels {
		now := before[l.Name]
		if now == nil {
			now = new(level)
		}
		shares, queuing := sharesOf(l)
		now.exempt = l.Spec.Type == flowcontrolv1.PriorityLevelEnablementExempt
		now.seats = (d.seats*int(shares) + int(sum) - 1) / int(max(sum, 1))
		now.arrange(queuing)
		d.levels[l.Name] = now
		now.dispatch()
	}
	d.schemas = slices.DeleteFunc(slices.Clone(schemas), func(s *flowcontrolv1.FlowSchema) bool {
		return d.levels[s.Spec.PriorityLevelConfiguration.Name] == nil
	})
	slices.SortFunc(d.schemas, func(a, b *flowcontrolv1.FlowSchema) int {
		return cmp.Or(cmp.Compare(a.Spec.MatchingPrecedence, b.Spec.MatchingPrecedence), cmp.Compare(a.Name, b.Name))
	})
}

// sharesOf are a priority level's shares of the seats, and its queues if it has any.
// Upstream: apf_controller.go, plSpecCommons.
func sharesOf(l *flowcontrolv1.PriorityLevelConfiguration) (shares int32, queuing *flowcontrolv1.QueuingConfiguration) {
	given := func(n *int32) int32 {
		if n == nil {
			return 0
		}
		return *n
	}
	switch {
	case l.Spec.Exempt != nil:
		return given(l.Spec.Exempt.NominalConcurrencyShares), nil
	case l.Spec.Limited != nil:
		return given(l.Spec.Limited.NominalConcurrencyShares), l.Spec.Limited.LimitResponse.Queuing
	}
	return 0, nil
}

// arrange gives a level its queues. When their number changes, those who wait are dealt to the new ones in turn.
func (l *level) arrange(q *flowcontrolv1.QueuingConfiguration) {
	n := 0
	if q != nil {
		n, l.handSize, l.longest = int(q.Queues), int(q.HandSize), int(q.QueueLengthLimit)
	}
	if n == len(l.queues) {
		return
	}
	waiting := slices.Concat(l.queues...)
	l.queues, l.next = make([][]*waiter, max(n, min(1, len(waiting)))), 0
	for i, w := range waiting {
		l.queues[i%len(l.queues)] = append(l.queues[i%len(l.queues)], w)
	}
	if n == 0 {
		l.longest = 0 // nobody comes to what is left
	}
}

// Classify finds the FlowSchema that is about a request.
func (d *Dispatcher) Classify(r *Request) *flowcontrolv1.FlowSchema {
	i := slices.IndexFunc(d.schemas, func(s *flowcontrolv1.FlowSchema) bool { return matches(r, s) })
	if i < 0 { // of somebody without a group
		i = slices.IndexFunc(d.schemas, func(s *flowcontrolv1.FlowSchema) bool { return s.Name == flowcontrolv1.FlowSchemaNameCatchAll })
	}
	return d.schemas[i]
}

// Enter waits until a request may go on, for no longer than wait. leave has to be called when the request is done. refused tells why it may not:
// "concurrency-limit", "queue-full" or "time-out"; "" when it may.
// Upstream: apf_filter.go, Handle; fairqueuing/queueset/queueset.go, StartRequest.
func (d *Dispatcher) Enter(p *sim.Proc, r *Request, wait time.Duration) (leave func(), refused string) {
	schema := d.Classify(r)
	l := d.levels[schema.Spec.PriorityLevelConfiguration.Name]
	if l.exempt {
		return func() {}, ""
	}
	leave = func() { l.used--; l.dispatch() }
	if l.used < l.seats && !l.waiting() {
		l.used++
		return leave, ""
	}
	if len(l.queues) == 0 {
		return nil, "concurrency-limit"
	}
	q := l.shortest(schema.Name, r.flow(schema))
	if len(l.queues[q]) >= l.longest {
		return nil, "queue-full"
	}
	w := &waiter{proc: p}
	l.queues[q] = append(l.queues[q], w)
	defer func() { // also when the process is killed
		if !w.let {
			l.remove(w)
		}
	}()
	for until := p.Now() + wait; !w.let; {
		if left := until - p.Now(); left <= 0 || !p.ParkFor(left) && !w.let {
			return nil, "time-out"
		}
	}
	return leave, ""
}

// waiting tells whether somebody waits.
func (l *level) waiting() bool {
	return slices.ContainsFunc(l.queues, func(q []*waiter) bool { return len(q) > 0 })
}

// dispatch lets through as many of those who wait as there are seats. The queues take turns.
func (l *level) dispatch() {
	for l.used < l.seats && l.waiting() {
		for len(l.queues[l.next]) == 0 {
			l.next = (l.next + 1) % len(l.queues)
		}
		w := l.queues[l.next][0]
		l.queues[l.next] = l.queues[l.next][1:]
		l.next = (l.next + 1) % len(l.queues)
		l.used++
		w.let = true
		w.proc.Wake()
	}
}

// remove takes out of its queue who does not wait any more.
func (l *level) remove(w *waiter) {
	for i, q := range l.queues {
		if at := slices.Index(q, w); at >= 0 {
			l.queues[i] = slices.Delete(slices.Clone(q), at, at+1)
		}
	}
}

// shortest is the queue of a flow's hand that has the fewest waiting: one that sends much fills its own few queues, which it hardly ever shares
// all of with another.
// Upstream: fairqueuing/queueset/queueset.go, shuffleShardLocked; shufflesharding/dealer.go, Deal.
func (l *level) shortest(schema, flow string) int {
	h := fnv.New64a()
	h.Write([]byte(schema + "\x00" + flow))
	value := h.Sum64()
	var hand []int
	for i := range min(l.handSize, len(l.queues)) {
		left := uint64(len(l.queues) - i) // cards in the deck
		card := int(value % left)
		value /= left
		for _, dealt := range slices.Sorted(slices.Values(hand)) { // it is the card'th of those that are left
			if card >= dealt {
				card++
			}
		}
		hand = append(hand, card)
	}
	best := hand[0]
	for _, q := range hand[1:] {
		if len(l.queues[q]) < len(l.queues[best]) {
			best = q
		}
	}
	return best
}
