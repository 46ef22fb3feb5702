package events

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/sim"
)

// Upstream: client-go/tools/events/event_broadcaster.go.
const (
	maxTriesPerEvent = 12
	sleepDuration    = 10 * time.Second
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
	clientset *client.Clientset // nil until StartRecordingToSink
	lastName  time.Time

	// eventCache are the events of the last minutes, and the series that go on.
	eventCache map[eventKey]*eventsv1.Event
	order      []eventKey // of eventCache, in the order in which they began
}

// eventKey is the same for events that are of one series. The references hold
// resource versions, so an object that changed begins a new one.
type eventKey struct {
	eventType, action, reason, reportingController, reportingInstance string
	regarding, related                                                corev1.ObjectReference
}

// NewBroadcaster returns a broadcaster for a component. Until
// StartRecordingToSink events are dropped.
func NewBroadcaster(c *sim.Component) *EventBroadcaster {
	return &EventBroadcaster{component: c, eventCache: map[eventKey]*eventsv1.Event{}}
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

// send has a process of its own write the event: who records does not wait, and
// one event does not wait for another.
func (b *EventBroadcaster) send(event *eventsv1.Event) {
	if b.clientset == nil || !b.component.Running() {
		return
	}
	b.component.Go("events", func(p *sim.Proc) { b.recordToSink(p, event) })
}

// StartRecordingToSink has events written from now on, and starts the processes
// that end series and refresh them.
func (b *EventBroadcaster) StartRecordingToSink(cs *client.Clientset) {
	if b.clientset != nil {
		return
	}
	b.clientset = cs
	b.component.Go("events-refresh", func(p *sim.Proc) {
		for {
			p.Sleep(refreshTime)
			b.refreshExistingEventSeries(p)
		}
	})
	b.component.Go("events-finish", func(p *sim.Proc) {
		for {
			p.Sleep(finishTime)
			b.finishSeries(p)
		}
	})
}

func getKey(e *eventsv1.Event) eventKey {
	k := eventKey{e.Type, e.Action, e.Reason, e.ReportingController, e.ReportingInstance, e.Regarding, corev1.ObjectReference{}}
	if e.Related != nil {
		k.related = *e.Related
	}
	return k
}

// recordToSink writes an event, or counts it in a series.
func (b *EventBroadcaster) recordToSink(p *sim.Proc, event *eventsv1.Event) {
	key := getKey(event)
	first := b.eventCache[key]
	if first == nil {
		b.eventCache[key] = event
		b.order = append(b.order, key)
		b.attemptRecording(p, event)
		return
	}
	// The first event was handed to the server, so a count is a new event.
	counted := first.DeepCopy()
	begins := counted.Series == nil
	if begins {
		counted.Series = &eventsv1.EventSeries{Count: 1}
	}
	counted.Series.Count++
	counted.Series.LastObservedTime = metav1.NewMicroTime(p.Time().Truncate(time.Microsecond))
	b.eventCache[key] = counted
	if begins {
		b.attemptRecording(p, counted)
	}
}

// refreshExistingEventSeries writes the counts of all series.
func (b *EventBroadcaster) refreshExistingEventSeries(p *sim.Proc) {
	for _, key := range slices.Clone(b.order) {
		if event := b.eventCache[key]; event != nil && event.Series != nil {
			b.attemptRecording(p, event)
		}
	}
}

// finishSeries forgets what was quiet for a while, and writes each last count.
func (b *EventBroadcaster) finishSeries(p *sim.Proc) {
	quietSince := p.Time().Add(-finishTime)
	var ended []*eventsv1.Event
	b.order = slices.DeleteFunc(b.order, func(key eventKey) bool {
		event := b.eventCache[key]
		last := event.EventTime
		if event.Series != nil {
			last = event.Series.LastObservedTime
		}
		if !last.Time.Before(quietSince) {
			return false
		}
		delete(b.eventCache, key)
		if event.Series != nil {
			ended = append(ended, event)
		}
		return true
	})
	for _, event := range ended {
		b.attemptRecording(p, event)
	}
}

// attemptRecording writes an event, and tries again while the server is not there.
func (b *EventBroadcaster) attemptRecording(p *sim.Proc, event *eventsv1.Event) {
	for tries := 1; ; tries++ {
		if done := b.recordEvent(p, event); done {
			return
		}
		if tries >= maxTriesPerEvent {
			p.Logger().Error(nil, "Unable to write event (retry limit exceeded!)", "event", event.Name)
			return
		}
		delay := sleepDuration
		if tries == 1 {
			delay = p.Kernel().Rand("events/"+b.component.Name()).Between(0, sleepDuration)
		}
		p.Sleep(delay)
	}
}

// recordEvent creates an event, or patches its series. It tells whether the
// event is done with: written, or refused.
func (b *EventBroadcaster) recordEvent(p *sim.Proc, event *eventsv1.Event) (done bool) {
	sink := b.clientset.EventsV1().Events(event.Namespace)
	var err error
	create := event.Series == nil
	if !create {
		patch, _ := json.Marshal(struct {
			Series *eventsv1.EventSeries `json:"series"`
		}{event.Series})
		_, err = sink.Patch(p, event.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		create = apierrors.IsNotFound(err)
	}
	if create {
		fresh := event.DeepCopy()
		fresh.ResourceVersion = ""
		_, err = sink.Create(p, fresh, metav1.CreateOptions{})
	}
	if err == nil {
		return true
	}
	if apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		if apierrors.IsAlreadyExists(err) {
			p.Logger().V(5).Info("Server rejected event (will not retry!)", "err", err)
		} else {
			p.Logger().Error(err, "Server rejected event (will not retry!)", "event", event.Name)
		}
		return true
	}
	p.Logger().Error(err, "Unable to write event (may retry after sleeping)", "event", event.Name)
	return false
}
