package chaos

import (
	"fmt"
	"strconv"

	"kubewalk/playground/trace"
)

// Causes checks that "why did that happen?" always has an answer: every event
// has a cause that lies before it, up to something that somebody did from
// outside, or to a component that was there from the beginning. Timers carry
// the cause of who set them.
func Causes(rec *trace.Recorder) []string {
	var wrong []string
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		switch {
		case e.ID != trace.ID(i+1):
			wrong = append(wrong, fmt.Sprintf("event %d has the number %d", i+1, e.ID))
		case e.Cause < 0 || e.Cause >= e.ID:
			wrong = append(wrong, fmt.Sprintf("event %d (%s of %s) is caused by event %d, which comes later", e.ID, e.Op, e.Component, e.Cause))
		case e.Cause == 0 && e.Op != trace.Input && e.Op != trace.ComponentStart:
			wrong = append(wrong, fmt.Sprintf("event %d (%s of %s/%s) has no cause", e.ID, e.Op, e.Component, e.Process))
		case e.Cause != 0 && rec.Event(e.Cause).At > e.At:
			wrong = append(wrong, fmt.Sprintf("event %d at %v is caused by event %d at %v", e.ID, e.At, e.Cause, rec.Event(e.Cause).At))
		case i > 0 && rec.Event(trace.ID(i)).At > e.At:
			wrong = append(wrong, fmt.Sprintf("event %d at %v comes after one at %v", e.ID, e.At, rec.Event(trace.ID(i)).At))
		}
		wrong = append(wrong, causeFits(rec, e)...)
	}
	return wrong
}

// causeFits checks of some kinds of events that what caused them is of the
// right kind: an effect without its cause would be a lie to the reader.
func causeFits(rec *trace.Recorder, e *trace.Event) []string {
	want, attr := trace.Op(""), ""
	switch e.Op {
	case trace.RequestReceive:
		want, attr = trace.RequestSend, "request"
	case trace.RequestDone:
		if e.Text("code") == "0" {
			return nil // nobody answered
		}
		want, attr = trace.RequestReply, "request"
	case trace.WatchReceive:
		want, attr = trace.WatchSend, "watch"
	case trace.QueueGet:
		want, attr = trace.QueueAdd, "key"
	case trace.WatchSend:
		if kind := e.Text("type"); kind == "BOOKMARK" || kind == "ERROR" {
			return nil
		}
		// What there is when a watch begins is due to its opening, what happens later to the commit.
		if cause := rec.Event(e.Cause); cause.Op == trace.StoreCommit && cause.Text("revision") != e.Text("revision") {
			return []string{fmt.Sprintf("event %d sends revision %s because of revision %s", e.ID, e.Text("revision"), cause.Text("revision"))}
		}
		return nil
	default:
		return nil
	}
	if e.Cause == 0 {
		return nil // said already
	}
	cause := rec.Event(e.Cause)
	if cause.Op != want || cause.Text(attr) != e.Text(attr) {
		return []string{fmt.Sprintf("event %d (%s, %s %s) is caused by event %d (%s, %s %s): want a %s of the same %s",
			e.ID, e.Op, attr, e.Text(attr), cause.ID, cause.Op, attr, cause.Text(attr), want, attr)}
	}
	return nil
}

// Revisions checks that the store counts by one, that an object's version is
// the revision in which it was written, and that nothing is written over what
// the writer has not seen: each commit's old value is the newest.
func Revisions(rec *trace.Recorder) []string {
	var wrong []string
	last := int64(0)
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit {
			continue
		}
		revision, err := strconv.ParseInt(e.Text("revision"), 10, 64)
		if err != nil || last != 0 && revision != last+1 {
			wrong = append(wrong, fmt.Sprintf("event %d commits revision %s after %d", e.ID, e.Text("revision"), last))
		}
		last = revision
		c := commitOf(e)
		kind := "MODIFIED"
		switch {
		case c.old == nil:
			kind = "ADDED"
		case c.new == nil:
			kind = "DELETED"
		}
		if e.Text("type") != kind || c.old == nil && c.new == nil {
			wrong = append(wrong, fmt.Sprintf("event %d calls itself %s and is %s", e.ID, e.Text("type"), kind))
		}
		if c.new != nil && c.new.GetResourceVersion() != e.Text("revision") {
			wrong = append(wrong, fmt.Sprintf("event %d writes %s of version %s in revision %s", e.ID, e.Object, c.new.GetResourceVersion(), e.Text("revision")))
		}
		if c.old != nil && c.new != nil && c.old.GetUID() != c.new.GetUID() {
			wrong = append(wrong, fmt.Sprintf("event %d makes another object of %s", e.ID, e.Object))
		}
	}
	return wrong
}
