package events_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/events"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func TestSeries(t *testing.T) {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	defer k.Close()
	s := fake.NewServer(k)
	b := events.NewBroadcaster(k.Start("kube-scheduler"))
	b.StartRecordingToSink(client.New(s))
	recorder := b.NewRecorder("default-scheduler", "control-plane")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-a", UID: "u"}}
	fail := func() {
		recorder.Eventf(pod, nil, corev1.EventTypeWarning, "FailedScheduling", "Scheduling", "0/%d nodes are available", 3)
	}
	show := func() string {
		var out []string
		for _, o := range s.Objects("events") {
			e := o.(*eventsv1.Event)
			line := fmt.Sprintf("%s %s %s %s %s %q", e.Type, e.Reason, e.Action, e.Regarding.Name, e.ReportingInstance, e.Note)
			if e.Series != nil {
				line += fmt.Sprintf(" ×%d until %s", e.Series.Count, e.Series.LastObservedTime.Format("15:04:05"))
			}
			out = append(out, line)
		}
		return strings.Join(out, "\n")
	}
	fails := func(at ...time.Duration) {
		for _, d := range at {
			k.After(d-k.Elapsed(), fail)
		}
	}
	const one = `Warning FailedScheduling Scheduling web-a default-scheduler-control-plane "0/3 nodes are available"`
	fails(0)
	k.RunUntil(time.Second)
	if got := show(); got != one {
		t.Errorf("once: %s", got)
	}
	fails(10*time.Second, 20*time.Second, 30*time.Second)
	k.RunUntil(time.Minute)
	if got := show(); got != one+" ×2 until 00:00:10" {
		t.Errorf("a series: %s", got)
	}
	k.RunUntil(13 * time.Minute) // at 12 it has been quiet for 6 minutes when somebody looks
	if got := show(); got != one+" ×4 until 00:00:30" {
		t.Errorf("its end: %s", got)
	}
	fails(14 * time.Minute) // a new one
	k.RunUntil(15 * time.Minute)
	if got := show(); got != one+" ×4 until 00:00:30\n"+one {
		t.Errorf("afterwards: %s", got)
	}
	k.RunUntil(16 * time.Minute)
	changed := pod.DeepCopy() // another version of the object is another matter
	changed.ResourceVersion = "9"
	pod = changed
	fails(17 * time.Minute)
	k.RunUntil(18 * time.Minute)
	if got := show(); got != one+" ×4 until 00:00:30\n"+one+"\n"+one {
		t.Errorf("another version: %s", got)
	}
	var verbs []string
	for _, r := range s.Requests {
		verbs = append(verbs, strings.Fields(r)[0])
	}
	if got := strings.Join(verbs, " "); got != "create patch patch create create" {
		t.Errorf("requests: %s", got)
	}
	e := s.Objects("events")[0].(*eventsv1.Event)
	if e.EventTime.IsZero() || e.Regarding.Kind != "Pod" || e.Regarding.UID != "u" || e.ReportingController != "default-scheduler" ||
		!strings.HasPrefix(e.Name, "web-a.") {
		t.Errorf("%+v", e)
	}
}

func TestASeriesThatGoesOnIsRefreshed(t *testing.T) {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	defer k.Close()
	s := fake.NewServer(k)
	b := events.NewBroadcaster(k.Start("kube-scheduler"))
	b.StartRecordingToSink(client.New(s))
	recorder := b.NewRecorder("default-scheduler", "control-plane")
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	for i := range 60 {
		k.After(time.Duration(i)*time.Minute, func() { recorder.Eventf(node, nil, corev1.EventTypeNormal, "R", "A", "n") })
	}
	k.RunUntil(45 * time.Minute)
	e := s.Objects("events")[0].(*eventsv1.Event)
	if len(s.Objects("events")) != 1 || e.Namespace != "default" || e.Series == nil || e.Series.Count != 30 {
		t.Errorf("after 45 minutes, refreshed at 30: %+v %+v", e, e.Series)
	}
}
