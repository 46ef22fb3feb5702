package record

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

const (
	maxTriesPerEvent = 12
	sleepDuration    = 10 * time.Second
	maxQueuedEvents  = 1000
)

// EventRecorder records events on behalf of one source.
// Upstream: client-go/tools/record/event.go EventRecorder.
type EventRecorder interface {
	// Event records that something happened to an object. eventtype is
	// corev1.EventTypeNormal or EventTypeWarning, reason one word for machines,
	// message a sentence for people.
	Event(object api.Object, eventtype, reason, message string)
	// Eventf is Event with a message made by fmt.Sprintf.
	Eventf(object api.Object, eventtype, reason, messageFmt string, args ...any)
	// AnnotatedEventf is Eventf with annotations on the Event.
	AnnotatedEventf(object api.Object, annotations map[string]string, eventtype, reason, messageFmt string, args ...any)
}

// EventBroadcaster takes what recorders record to the API server.
type EventBroadcaster struct {
	component  *sim.Component
	correlator *EventCorrelator
	queue      []queued
	writer     *sim.Proc // waits for events
	recording  bool
	lastName   time.Time
}

type queued struct {
	event *corev1.Event
	cause trace.ID
}

// NewBroadcaster returns a broadcaster for a component. Until
// StartRecordingToSink events are dropped.
func NewBroadcaster(c *sim.Component) *EventBroadcaster {
	return &EventBroadcaster{component: c, correlator: NewEventCorrelator(c.Kernel())}
}

// StartRecordingToSink starts the process that writes events.
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
}

// NewRecorder returns a recorder whose events say that they come from source.
func (b *EventBroadcaster) NewRecorder(source corev1.EventSource) EventRecorder {
	return &recorderImpl{b, source}
}

func (b *EventBroadcaster) send(event *corev1.Event) {
	if !b.recording || !b.component.Running() || len(b.queue) >= maxQueuedEvents {
		return
	}
	b.queue = append(b.queue, queued{event, b.component.Kernel().Cause()})
	if b.writer != nil {
		b.writer.Wake()
		b.writer = nil
	}
}

type recorderImpl struct {
	broadcaster *EventBroadcaster
	source      corev1.EventSource
}

func (r *recorderImpl) Event(object api.Object, eventtype, reason, message string) {
	r.generate(object, nil, eventtype, reason, message)
}

func (r *recorderImpl) Eventf(object api.Object, eventtype, reason, messageFmt string, args ...any) {
	r.generate(object, nil, eventtype, reason, fmt.Sprintf(messageFmt, args...))
}

func (r *recorderImpl) AnnotatedEventf(object api.Object, annotations map[string]string, eventtype, reason, messageFmt string, args ...any) {
	r.generate(object, annotations, eventtype, reason, fmt.Sprintf(messageFmt, args...))
}

func (r *recorderImpl) generate(object api.Object, annotations map[string]string, eventtype, reason, message string) {
	k := r.broadcaster.component.Kernel()
	if eventtype != corev1.EventTypeNormal && eventtype != corev1.EventTypeWarning {
		k.Logger().Error(nil, "Unsupported event type", "eventType", eventtype)
		return
	}
	ref := GetReference(object)
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Name:        r.broadcaster.uniqueName(ref.Name),
			Namespace:   NamespaceFor(ref),
			Annotations: annotations,
		},
		InvolvedObject:      *ref,
		Reason:              reason,
		Message:             message,
		FirstTimestamp:      metav1.NewTime(k.Time()).Rfc3339Copy(),
		LastTimestamp:       metav1.NewTime(k.Time()).Rfc3339Copy(),
		Count:               1,
		Type:                eventtype,
		Source:              r.source,
		ReportingController: r.source.Component,
		ReportingInstance:   r.source.Host,
	}
	r.broadcaster.send(event)
}

// uniqueName is the object's name and the time, to the nanosecond, in hex.
func (b *EventBroadcaster) uniqueName(name string) string {
	return UniqueName(b.component.Kernel(), &b.lastName, name)
}

// UniqueName is an object's name and the time in nanoseconds, in hex, later
// than last, which it moves on.
// Upstream: client-go/tools/internal/events GenerateEventName.
func UniqueName(k *sim.Kernel, last *time.Time, name string) string {
	t := k.Time().Truncate(time.Microsecond).Add(time.Duration(k.Rand("event names").IntN(1000)))
	if !t.After(*last) {
		t = last.Add(1)
	}
	*last = t
	return fmt.Sprintf("%s.%x", name, t.UnixNano())
}

// NamespaceFor is where an Event about an object goes: its namespace, or
// "default" when it has none.
func NamespaceFor(ref *corev1.ObjectReference) string {
	if ref.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return ref.Namespace
}

// GetReference names an object in full. A *corev1.ObjectReference wrapped in
// Ref stands for what it names. Upstream: client-go/tools/reference GetReference.
func GetReference(object api.Object) *corev1.ObjectReference {
	if r, ok := object.(*reference); ok {
		return r.ref.DeepCopy()
	}
	kind := api.KindOf(object)
	return &corev1.ObjectReference{
		Kind:            kind.Kind,
		APIVersion:      kind.GroupVersion().String(),
		Namespace:       object.GetNamespace(),
		Name:            object.GetName(),
		UID:             object.GetUID(),
		ResourceVersion: object.GetResourceVersion(),
	}
}

// Reference names an object whose kind the control plane has no type of, such as an operator's.
// Upstream: client-go/tools/reference, GetReference, which finds the kind in a scheme.
func Reference(kind api.GroupVersionKind, obj api.Object) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: obj.GetNamespace(), Name: obj.GetName(),
		UID: obj.GetUID(), ResourceVersion: obj.GetResourceVersion()}
}

// Ref lets events be recorded about something that is only known by name (the
// kubelet's Node), or about a part of an object (one container: FieldPath).
// Upstream's recorders take an ObjectReference as an object.
func Ref(ref *corev1.ObjectReference) api.Object { return &reference{ref: ref} }

type reference struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	ref *corev1.ObjectReference
}

func (r *reference) DeepCopyObject() metav1.Object { return &reference{ref: r.ref.DeepCopy()} }

// recordToSink writes one event, unless it is filtered out, and tries again
// while the server is not there.
func (b *EventBroadcaster) recordToSink(p *sim.Proc, cs *client.Clientset, event *corev1.Event) {
	result := b.correlator.EventCorrelate(event)
	if result.Skip {
		return
	}
	for tries := 1; ; tries++ {
		if b.recordEvent(p, cs, result) {
			return
		}
		if tries >= maxTriesPerEvent {
			p.Logger().Error(nil, "Unable to write event (retry limit exceeded!)", "event", result.Event.Name)
			return
		}
		delay := sleepDuration
		if tries == 1 { // so that not all components come back at the same moment
			delay = p.Kernel().Rand("events/"+b.component.Name()).Between(0, sleepDuration)
		}
		p.Sleep(delay)
	}
}

// recordEvent tells whether the event is done with: written, or refused.
func (b *EventBroadcaster) recordEvent(p *sim.Proc, cs *client.Clientset, result EventCorrelateResult) bool {
	events := cs.CoreV1().Events(result.Event.Namespace)
	create := len(result.Patch) == 0
	var written *corev1.Event
	var err error
	if !create {
		written, err = events.Patch(p, result.Event.Name, types.StrategicMergePatchType, result.Patch, metav1.PatchOptions{})
		create = apierrors.IsNotFound(err) // it has expired, or was deleted
	}
	if create {
		event := result.Event.DeepCopy()
		event.ResourceVersion = ""
		written, err = events.Create(p, event, metav1.CreateOptions{})
	}
	if err == nil {
		b.correlator.UpdateState(written)
		return true
	}
	if reason := apierrors.ReasonForError(err); reason != metav1.StatusReasonUnknown {
		if apierrors.IsAlreadyExists(err) {
			p.Logger().V(5).Info("Server rejected event (will not retry!)", "err", err)
		} else {
			p.Logger().Error(err, "Server rejected event (will not retry!)", "event", result.Event.Name)
		}
		return true
	}
	p.Logger().Error(err, "Unable to write event (may retry after sleeping)", "event", result.Event.Name)
	return false
}
