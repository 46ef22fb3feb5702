package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/duration"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
)

// eventKind is needed by events and describe.
var eventKind = api.KindOf(new(corev1.Event))

// runEvents is kubectl events. Upstream: kubectl pkg/cmd/events/events.go, EventsOptions.Run.
func runEvents(s *session) error {
	types := splitAll(s.flags.all("types"))
	for _, t := range types {
		if !strings.EqualFold(t, "Normal") && !strings.EqualFold(t, "Warning") {
			return errors.New("valid --types are Normal or Warning")
		}
	}
	namespace := s.namespace
	if s.flags.yes("all-namespaces") {
		namespace = metav1.NamespaceAll
	}
	fields := ""
	if text := s.flags.text("for"); text != "" {
		kind, name, ok := strings.Cut(text, "/")
		if !ok {
			return errors.New("--for must be in resource/name form")
		}
		k := s.resolve(kind)
		if k == nil || k.Resource == "" {
			return noMatch{resource: kind}
		}
		fields = fmt.Sprintf("involvedObject.kind=%s,involvedObject.apiVersion=%s,involvedObject.name=%s", k.Kind, k.GroupVersion(), name)
	}
	if s.flags.yes("watch") {
		return s.watchEvents(namespace, fields, types)
	}
	found, err := s.items(eventKind, namespace, "", fields)
	if err != nil {
		return err
	}
	events := slices.DeleteFunc(asEvents(found), func(e *corev1.Event) bool { return !isOfType(e, types) })
	if len(events) == 0 {
		if namespace == "" {
			s.complain("No events found.")
		} else {
			s.complain(fmt.Sprintf("No events found in %s namespace.", namespace))
		}
		return nil
	}
	return s.printEvents(namespace == metav1.NamespaceAll, events)
}

// isOfType tells whether an event is of one of these types; all are, if there is none.
func isOfType(e *corev1.Event, types []string) bool {
	return len(types) == 0 || slices.ContainsFunc(types, func(t string) bool { return strings.EqualFold(t, e.Type) })
}

// watchEvents prints the events that there are, and then each as it comes, until it is interrupted.
// Upstream: events.go, EventsOptions.runWatch.
func (s *session) watchEvents(namespace, fields string, types []string) error {
	r := (&info{kind: eventKind, namespace: namespace}).request(client.Watch)
	r.List = metav1.ListOptions{FieldSelector: fields, Watch: true}
	stream, err := s.transport.Watch(s.p, r)
	if err != nil {
		return err
	}
	defer stream.Stop()
	defer s.goesOn(stream.Stop)()
	for {
		e, ok := stream.Next(s.p)
		if !ok || e.Type == client.Error {
			return nil
		}
		event, ok := e.Object.(*corev1.Event)
		if !ok || e.Type == client.Deleted || !isOfType(event, types) {
			continue
		}
		if err := s.printEvents(namespace == metav1.NamespaceAll, []*corev1.Event{event}); err != nil {
			return err
		}
		s.flags["no-headers"] = []string{"true"} // they were printed
		s.hear()
	}
}

// printEvents prints events. Upstream: kubectl pkg/cmd/events/event_printer.go, EventPrinter.PrintObj.
func (s *session) printEvents(namespaces bool, events []*corev1.Event) error {
	if o := s.flags.text("output"); o != "" {
		if err := knownOutput(o); err != nil {
			return err
		}
		var trees []map[string]any
		for _, e := range events {
			trees = append(trees, s.shown(e))
		}
		return s.print(trees, s.flags.yes("watch"))
	}
	var rows [][]string
	if !s.flags.yes("no-headers") {
		rows = append(rows, []string{"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"})
	}
	for _, e := range events {
		rows = append(rows, []string{s.interval(e), e.Type, e.Reason, e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name, strings.TrimSpace(e.Message)})
	}
	if namespaces {
		for n := range rows {
			cell := "NAMESPACE"
			if n > 0 || s.flags.yes("no-headers") {
				cell = events[n-(len(rows)-len(events))].Namespace
			}
			rows[n] = append([]string{cell}, rows[n]...)
		}
	}
	s.printf("%s", s.widths.columns(rows))
	return nil
}

// asEvents are events in the order of when they last happened.
// Upstream: kubectl pkg/cmd/events/events.go, SortableEvents.
func asEvents(objects []api.Object) []*corev1.Event {
	var out []*corev1.Event
	for _, obj := range objects {
		out = append(out, obj.(*corev1.Event))
	}
	slices.SortStableFunc(out, func(a, b *corev1.Event) int { return lastSeen(a).Compare(lastSeen(b)) })
	return out
}

func lastSeen(e *corev1.Event) time.Time {
	switch {
	case e.Series != nil:
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.FirstTimestamp.IsZero():
		return e.FirstTimestamp.Time
	}
	return e.EventTime.Time
}

func firstSeen(e *corev1.Event) time.Time {
	if e.FirstTimestamp.IsZero() {
		return e.EventTime.Time
	}
	return e.FirstTimestamp.Time
}

// interval is "5s", or "5s (x3 over 2m)" for what has happened several times.
// Upstream: kubectl pkg/cmd/events/event_printer.go, getInterval.
func (s *session) interval(e *corev1.Event) string {
	ago := func(t time.Time) string { return s.ago(t) }
	switch {
	case e.Series != nil:
		return fmt.Sprintf("%s (x%d over %s)", ago(e.Series.LastObservedTime.Time), e.Series.Count, ago(e.EventTime.Time))
	case e.Count > 1:
		return fmt.Sprintf("%s (x%d over %s)", ago(e.LastTimestamp.Time), e.Count, ago(e.FirstTimestamp.Time))
	}
	return ago(firstSeen(e))
}

// ago is how long ago something was, as people say it.
func (s *session) ago(t time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(s.p.Time().Sub(t))
}
