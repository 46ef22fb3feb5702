package record_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var web = &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "u1", ResourceVersion: "7"}}

type fixture struct {
	kernel   *sim.Kernel
	server   *fake.Server
	recorder record.EventRecorder
}

func start(t *testing.T) *fixture {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	f := &fixture{kernel: k, server: fake.NewServer(k)}
	c := k.Start("kube-controller-manager")
	b := record.NewBroadcaster(c)
	b.StartRecordingToSink(client.New(f.server))
	f.recorder = b.NewRecorder(corev1.EventSource{Component: "replicaset-controller"})
	return f
}

// events prints what the server has.
func (f *fixture) events() string {
	var out []string
	for _, o := range f.server.Objects("events") {
		e := o.(*corev1.Event)
		out = append(out, fmt.Sprintf("%s %s ×%d %s–%s %s", e.Type, e.Reason, e.Count,
			e.FirstTimestamp.Format("15:04:05"), e.LastTimestamp.Format("15:04:05"), e.Message))
	}
	return strings.Join(out, "\n")
}

func TestAnEventInFull(t *testing.T) {
	f := start(t)
	f.recorder.Eventf(web, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: %s", "web-x2k9p")
	f.recorder.Event(web, "Strange", "SuccessfulCreate", "an unknown type")
	f.kernel.RunUntil(time.Second)
	if got := strings.Join(f.server.Requests, ", "); !regexp.MustCompile(`^create events default/web\.[0-9a-f]{16}$`).MatchString(got) {
		t.Errorf("requests: %s", got)
	}
	e := f.server.Objects("events")[0].(*corev1.Event).DeepCopy()
	e.Name, e.ResourceVersion = "", ""
	now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	want := corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default"},
		InvolvedObject: corev1.ObjectReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "default", Name: "web", UID: "u1",
			ResourceVersion: "7"},
		Reason:              "SuccessfulCreate",
		Message:             "Created pod: web-x2k9p",
		Source:              corev1.EventSource{Component: "replicaset-controller"},
		ReportingController: "replicaset-controller",
		FirstTimestamp:      now,
		LastTimestamp:       now,
		Count:               1,
		Type:                "Normal",
	}
	if fmt.Sprintf("%+v", *e) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", *e, want)
	}
}

func TestNamesDiffer(t *testing.T) {
	f := start(t)
	for i := range 200 { // at the same instant, about objects of the same name
		rs := web.DeepCopy()
		rs.UID = types.UID(fmt.Sprint(i))
		f.recorder.Event(rs, corev1.EventTypeNormal, "SuccessfulCreate", "x")
	}
	f.kernel.RunUntil(time.Second)
	if n := len(f.server.Objects("events")); n != 200 {
		t.Errorf("200 events became %d", n)
	}
}

func TestTheSameEventAgainIsCounted(t *testing.T) {
	f := start(t)
	for i := range 4 {
		f.kernel.After(time.Duration(i)*time.Minute, func() {
			f.recorder.Event(web, corev1.EventTypeWarning, "FailedCreate", "quota exceeded")
		})
	}
	f.kernel.RunUntil(time.Hour)
	if got := f.events(); got != "Warning FailedCreate ×4 00:00:00–00:03:00 quota exceeded" {
		t.Error(got)
	}
	var verbs []string
	for _, r := range f.server.Requests {
		verbs = append(verbs, strings.Fields(r)[0])
	}
	if got := strings.Join(verbs, " "); got != "create patch patch patch" {
		t.Errorf("requests: %s", got)
	}
}

func TestSimilarEventsAreCombined(t *testing.T) {
	f := start(t)
	for i := range 13 {
		f.kernel.After(time.Duration(i)*time.Second, func() {
			f.recorder.Eventf(web, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: %d", i)
		})
	}
	f.kernel.After(20*time.Minute, func() { // so long after, it starts again
		f.recorder.Event(web, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: later")
	})
	f.kernel.RunUntil(time.Hour)
	var want []string
	for i := range 9 {
		want = append(want, fmt.Sprintf("Normal SuccessfulCreate ×1 00:00:0%d–00:00:0%d Created pod: %d", i, i, i))
	}
	want = append(want, "Normal SuccessfulCreate ×4 00:00:09–00:00:12 (combined from similar events): Created pod: 12",
		"Normal SuccessfulCreate ×1 00:20:00–00:20:00 Created pod: later")
	if got := f.events(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestSpamIsDropped(t *testing.T) {
	f := start(t)
	for i := range 40 {
		f.kernel.After(time.Duration(i)*time.Second, func() {
			f.recorder.Event(web, corev1.EventTypeWarning, fmt.Sprint("Reason", i), "x")
		})
	}
	f.kernel.After(10*time.Minute+5*time.Second, func() { // two tokens since
		for i := range 3 {
			f.recorder.Event(web, corev1.EventTypeWarning, fmt.Sprint("Later", i), "x")
		}
	})
	f.kernel.RunUntil(time.Hour)
	if n := len(f.server.Objects("events")); n != 27 {
		t.Errorf("%d events were written, want 25 and 2:\n%s", n, f.events())
	}
}

func TestAServerThatIsAwayIsTriedAgain(t *testing.T) {
	f := start(t)
	f.server.Down = true
	f.recorder.Event(web, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: a")
	f.kernel.After(25*time.Second, func() { f.server.Down = false })
	f.kernel.RunUntil(time.Hour)
	if got := f.events(); got != "Normal SuccessfulDelete ×1 00:00:00–00:00:00 Deleted pod: a" {
		t.Errorf("got %q", got)
	}
}

func TestWhatTheServerRefusesIsDropped(t *testing.T) {
	f := start(t)
	refused := 0
	f.server.React = func(r *client.Request) (client.Result, bool, error) {
		refused++
		return nil, true, apierrors.NewForbidden(r.Resource.GroupResource(), "", fmt.Errorf("the namespace is being terminated"))
	}
	f.recorder.Event(web, corev1.EventTypeNormal, "A", "x")
	f.kernel.RunUntil(time.Hour)
	if refused != 1 {
		t.Errorf("it was sent %d times", refused)
	}
}

func TestAnEventThatExpiredIsCreatedAgain(t *testing.T) {
	f := start(t)
	say := func() { f.recorder.Event(web, corev1.EventTypeNormal, "A", "x") }
	say()
	f.kernel.After(time.Minute, func() {
		f.server.Remove("events", "default", f.server.Objects("events")[0].GetName())
		say()
	})
	f.kernel.RunUntil(time.Hour)
	if got := f.events(); got != "Normal A ×2 00:00:00–00:01:00 x" {
		t.Errorf("got %q", got)
	}
}

func TestAReferenceStandsForItsObject(t *testing.T) {
	f := start(t)
	f.recorder.Event(record.Ref(&corev1.ObjectReference{Kind: "Node", Name: "n1", UID: "n1"}), corev1.EventTypeNormal, "NodeReady", "x")
	f.kernel.RunUntil(time.Second)
	e := f.server.Objects("events")[0].(*corev1.Event)
	if e.Namespace != "default" || e.InvolvedObject.Kind != "Node" || e.InvolvedObject.UID != "n1" || !strings.HasPrefix(e.Name, "n1.") {
		t.Errorf("%+v", e)
	}
}
