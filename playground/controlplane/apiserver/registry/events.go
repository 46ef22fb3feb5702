package registry

import (
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
)

// Events are served in two groups and stored once, in the form of the core group.
// Upstream: pkg/apis/events/v1/conversion.go, by way of the internal type.

// Stored is obj in the form in which it is stored.
func (e *Store) Stored(obj api.Object) api.Object {
	if u, ok := obj.(*api.Unstructured); ok {
		if e.Converter != nil {
			return obj // it is converted when it is stored
		}
		return e.Custom.ToStored(u)
	}
	if storedOther != nil {
		obj = storedOther(obj)
	}
	return storedEvent(obj)
}

// storedOther and servedOther convert kinds that not every server has, in builds that contain them.
var (
	storedOther func(obj api.Object) api.Object
	servedOther func(kind *api.Kind, obj api.Object) api.Object
)

func storedEvent(obj api.Object) api.Object {
	e, ok := obj.(*eventsv1.Event)
	if !ok {
		return obj
	}
	out := &corev1.Event{
		ObjectMeta: e.ObjectMeta, InvolvedObject: e.Regarding, Related: e.Related, Reason: e.Reason, Message: e.Note,
		Source: e.DeprecatedSource, FirstTimestamp: e.DeprecatedFirstTimestamp, LastTimestamp: e.DeprecatedLastTimestamp,
		Count: e.DeprecatedCount, Type: e.Type, EventTime: e.EventTime, Action: e.Action,
		ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance,
	}
	if e.Series != nil {
		out.Series = &corev1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	api.SetKind(out)
	return out
}

// Converts tells whether what is served may be another object than what is stored.
func (e *Store) Converts() bool {
	return e.Kind.Group == "events.k8s.io" || e.Custom != nil ||
		e.Kind.Group == "autoscaling" && e.Kind.Version == "v1"
}

// Served is a stored object in the form of the registry's kind.
func (e *Store) Served(obj api.Object) api.Object {
	if u, ok := obj.(*api.Unstructured); ok && e.Custom != nil {
		return e.Custom.Served(u)
	}
	event, ok := obj.(*corev1.Event)
	if !ok || !e.Converts() {
		if servedOther != nil {
			obj = servedOther(e.Kind, obj)
		}
		return obj
	}
	out := &eventsv1.Event{
		ObjectMeta: event.ObjectMeta, Regarding: event.InvolvedObject, Related: event.Related, Reason: event.Reason, Note: event.Message,
		DeprecatedSource: event.Source, DeprecatedFirstTimestamp: event.FirstTimestamp, DeprecatedLastTimestamp: event.LastTimestamp,
		DeprecatedCount: event.Count, Type: event.Type, EventTime: event.EventTime, Action: event.Action,
		ReportingController: event.ReportingController, ReportingInstance: event.ReportingInstance,
	}
	if event.Series != nil {
		out.Series = &eventsv1.EventSeries{Count: event.Series.Count, LastObservedTime: event.Series.LastObservedTime}
	}
	api.SetKind(out)
	return out
}

// fieldLabel is the stored form's name of a field by which the kind can be selected.
func (e *Store) fieldLabel(name string) string {
	if e.Kind.Group != "events.k8s.io" {
		return name
	}
	if rest, ok := strings.CutPrefix(name, "regarding."); ok {
		return "involvedObject." + rest
	}
	if name == "reportingController" {
		return "reportingComponent"
	}
	return name
}
