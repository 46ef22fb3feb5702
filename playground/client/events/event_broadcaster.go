package events

import (
	"encoding/json"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/client"
	"kubewalk/playground/client/record"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Upstream: client-go/tools/events/event_broadcaster.go.
const (
	maxTriesPerEvent = 12
	sleepDuration    = 10 * time.Second
	maxQueuedEvents  = 1000
	finishTime       = 6 * time.Minute  // a series that was quiet for so long has ended
	refreshTime      = 30 * time.Minute // how often a series that goes on is written
)

// EventRecorder records events on behalf of one controller.
// Upstream: client-go/tools/events/interfaces.go EventRecorder.
type EventRecorder interface {
	// Eventf records that action was done, or tried, regarding an object.
	// related is another object that had to do with it, or nil.
	Eventf(regarding, related api.Object, eventtype, reason, action, note string, args ...any)
}

// EventBroadcaster takes what recorders record to the API server.
type EventBroadcaster struct {
	component *sim.Component
	queue     []queued
	writer    *sim.Proc // waits for something in the queue
	recording bool
	lastName  time.Time

	series map[eventKey]*series
	order  []eventKey // of series, in the order in which they began
}

type queued struct {
	event *eventsv1.Event
	cause trace.ID
}

// eventKey is the same for events that say the same.
type eventKey struct {
	eventType, action, reason, reportingController, reportingInstance, note string
	regarding, related                                                      corev1.ObjectReference
}

// series is an event that was written, and how often it happened.
type series struct {
	event   *eventsv1.Event
	changed bool // there is a count that was not written
	last    time.Time
}

// NewBroadcaster returns a broadcaster for a component. Until
// StartRecordingToSink events are dropped.
func NewBroadcaster(c *sim.Component) *EventBroadcaster {
	return &EventBroadcaster{component: c, series: map[eventKey]*series{}}
}

// NewRecorder returns a recorder whose events say that they come from a
// controller, "default-scheduler". host is the machine that it runs on.
func (b *EventBroadcaster) NewRecorder(reportingController, host string) EventRecorder {
	return &recorderImpl{b, reportingController, reportingController + "-" + host}
}

type recorderImpl struct {
	broadcaster         *EventBroadcaster
	reportingController string
	reportingInstance   string
}

func (r *recorderImpl) Eventf(regarding, related api.Object, eventtype, reason, action, note string, args ...any) {
	b := r.broadcaster
	k := b.component.Kernel()
	if eventtype != corev1.EventTypeNormal && eventtype != corev1.EventTypeWarning {
		k.Logger().Error(nil, "Unsupported event type", "eventType", eventtype)
		return
	}
	ref := record.GetReference(regarding)
	event := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Name:      record.UniqueName(k, &b.lastName, ref.Name),
			Namespace: record.NamespaceFor(ref),
		},
		EventTime:           metav1.NewMicroTime(k.Time().Truncate(time.Microsecond)),
		ReportingController: r.reportingController,
		ReportingInstance:   r.reportingInstance,
		Action:              action,
		Reason:              reason,
		Regarding:           *ref,
		Note:                fmt.Sprintf(note, args...),
		Type:                eventtype,
	}
	if related != nil {
		event.Related = record.GetReference(related)
	}
	b.send(event)
}

func (b *EventBroadcaster) send(event *eventsv1.Event) {
	if !b.recording || !b.component.Running() || len(b.queue) >= maxQueuedEvents {
		return
	}
	b.queue = append(b.queue, queued{event, b.component.Kernel().Cause()})
	b.wake()
}

func (b *EventBroadcaster) wake() {
	if b.writer != nil {
		b.writer.Wake()
		b.writer = nil
	}
}

// StartRecordingToSink starts the processes that write events, that end series,
// and that refresh them.
func (b *EventBroadcaster) StartRecordingToSink(cs *client.Clientset) {
	if b.recording {
		return
	}
	b.recording = true
	b.component.Go("events", func(p *sim.Proc) {
		for {
			for len(b.queue) == 0 {
				b.writer = p
				p.Park()
			}
			next := b.queue[0]
			b.queue = b.queue[1:]
			p.Due(next.cause)
			b.recordToSink(p, cs, next.event)
		}
	})
	b.component.Go("events-finish", func(p *sim.Proc) {
		for {
			p.Sleep(finishTime)
			b.finishSeries(p, cs)
		}
	})
	b.component.Go("events-refresh", func(p *sim.Proc) {
		for {
			p.Sleep(refreshTime)
			b.refreshExistingEventSeries(p, cs)
		}
	})
}

func keyOf(e *eventsv1.Event) eventKey {
	k := eventKey{e.Type, e.Action, e.Reason, e.ReportingController, e.ReportingInstance, e.Note, e.Regarding, corev1.ObjectReference{}}
	k.regarding.ResourceVersion = ""
	if e.Related != nil {
		k.related = *e.Related
		k.related.ResourceVersion = ""
	}
	return k
}

// recordToSink writes an event, or counts it in a series.
func (b *EventBroadcaster) recordToSink(p *sim.Proc, cs *client.Clientset, event *eventsv1.Event) {
	key := keyOf(event)
	s := b.series[key]
	if s == nil {
		b.series[key] = &series{event: event, last: p.Time()}
		b.order = append(b.order, key)
		if written := b.attemptRecording(p, cs, event); written != nil && b.series[key] != nil {
			b.series[key].event = written
		}
		return
	}
	s.last = p.Time()
	observed := metav1.NewMicroTime(p.Time().Truncate(time.Microsecond))
	counted := s.event.DeepCopy()
	if counted.Series != nil {
		counted.Series = &eventsv1.EventSeries{Count: counted.Series.Count + 1, LastObservedTime: observed}
		s.event, s.changed = counted, true
		return
	}
	counted.Series = &eventsv1.EventSeries{Count: 2, LastObservedTime: observed}
	s.event = counted
	b.attemptRecording(p, cs, counted)
}

// refreshExistingEventSeries writes the counts of series that go on.
func (b *EventBroadcaster) refreshExistingEventSeries(p *sim.Proc, cs *client.Clientset) {
	for _, key := range append([]eventKey(nil), b.order...) {
		if s := b.series[key]; s != nil && s.changed {
			s.changed = false
			b.attemptRecording(p, cs, s.event)
		}
	}
}

// finishSeries forgets what was quiet for a while, and writes the last count.
func (b *EventBroadcaster) finishSeries(p *sim.Proc, cs *client.Clientset) {
	now := p.Time()
	var ended []*series
	kept := b.order[:0]
	for _, key := range b.order {
		if s := b.series[key]; now.Sub(s.last) < finishTime {
			kept = append(kept, key)
		} else {
			delete(b.series, key)
			ended = append(ended, s)
		}
	}
	b.order = kept
	for _, s := range ended {
		if s.changed {
			b.attemptRecording(p, cs, s.event)
		}
	}
}

// attemptRecording writes an event, and tries again while the server is not there.
func (b *EventBroadcaster) attemptRecording(p *sim.Proc, cs *client.Clientset, event *eventsv1.Event) *eventsv1.Event {
	for tries := 1; ; tries++ {
		written, again := recordEvent(p, cs, event)
		if !again {
			return written
		}
		if tries >= maxTriesPerEvent {
			p.Logger().Error(nil, "Unable to write event (retry limit exceeded!)", "event", event.Name)
			return nil
		}
		delay := sleepDuration
		if tries == 1 {
			delay = p.Kernel().Rand("events/"+b.component.Name()).Between(0, sleepDuration)
		}
		p.Sleep(delay)
	}
}

// recordEvent creates an event, or patches its series. again is true when that may help.
func recordEvent(p *sim.Proc, cs *client.Clientset, event *eventsv1.Event) (written *eventsv1.Event, again bool) {
	sink := cs.EventsV1().Events(event.Namespace)
	var err error
	create := event.Series == nil
	if !create {
		patch, _ := json.Marshal(struct {
			Series *eventsv1.EventSeries `json:"series"`
		}{event.Series})
		written, err = sink.Patch(p, event.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		create = apierrors.IsNotFound(err)
	}
	if create {
		fresh := event.DeepCopy()
		fresh.ResourceVersion = ""
		written, err = sink.Create(p, fresh, metav1.CreateOptions{})
	}
	if err == nil {
		return written, false
	}
	if apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		if apierrors.IsAlreadyExists(err) {
			p.Logger().V(5).Info("Server rejected event (will not retry!)", "err", err)
		} else {
			p.Logger().Error(err, "Server rejected event (will not retry!)", "event", event.Name)
		}
		return nil, false
	}
	p.Logger().Error(err, "Unable to write event (may retry after sleeping)", "event", event.Name)
	return nil, true
}
