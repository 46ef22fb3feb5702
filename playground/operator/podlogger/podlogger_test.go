package podlogger

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// world is the program, with a server and somebody who changes Pods.
type world struct {
	t      *testing.T
	k      *sim.Kernel
	stdout Stdout
	cs     *client.Clientset
	user   *sim.Component
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, k: sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))}
	t.Cleanup(w.k.Close)
	server := fake.NewServer(w.k)
	w.cs = client.New(server)
	w.user = w.k.Start("user")
	Start(w.k, server, &w.stdout)
	return w
}

// change has the user do something, and lets some time pass.
func (w *world) change(do func(p *sim.Proc) error) {
	w.t.Helper()
	w.user.Go("user", func(p *sim.Proc) {
		if err := do(p); err != nil {
			w.t.Error(err)
		}
	})
	w.pass(3 * time.Second)
}

func (w *world) pass(d time.Duration) { w.k.RunUntil(w.k.Elapsed() + d) }

func (w *world) label(p *sim.Proc, value string) error {
	pod, err := w.cs.CoreV1().Pods("default").Get(p, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	pod = pod.DeepCopy()
	pod.Labels = map[string]string{"step": value}
	_, err = w.cs.CoreV1().Pods("default").Update(p, pod, metav1.UpdateOptions{})
	return err
}

// said are the program's lines so far, and what its queue was told.
func (w *world) said() (out []string) {
	for _, e := range w.k.Trace().Events(1) {
		attr := func(name string) string {
			for _, a := range e.Attrs {
				if a.Key == name {
					return fmt.Sprint(a.Value)
				}
			}
			return ""
		}
		switch {
		case e.Component != Name:
		case e.Op == trace.Log && attr("v") == "0" && attr("pod") != "":
			out = append(out, attr("message")+" "+attr("pod"))
		case e.Op == trace.QueueAdd:
			out = append(out, "add "+attr("key")+" "+attr("outcome"))
		case e.Op == trace.QueueDelay:
			out = append(out, "wait "+attr("after"))
		}
	}
	return out
}

func (w *world) expect(want ...string) {
	w.t.Helper()
	if got := w.said(); !slices.Equal(got, want) {
		w.t.Errorf("it did\n%q, want\n%q", got, want)
	}
}

func create(w *world) func(p *sim.Proc) error {
	return func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().Pods("default").Create(p, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}, metav1.CreateOptions{})
		return err
	}
}

var started = []string{"add default/mypod queued", "Pod does not exist anymore default/mypod"}

func TestEachChangeIsPrinted(t *testing.T) {
	w := newWorld(t)
	w.pass(time.Second)
	w.expect(started...)
	w.change(create(w))
	w.change(func(p *sim.Proc) error { return w.label(p, "1") })
	w.change(func(p *sim.Proc) error { return w.cs.CoreV1().Pods("default").Delete(p, "web", metav1.DeleteOptions{}) })
	w.expect(append(started,
		"add default/web queued", "Sync/Add/Update for Pod default/web",
		"add default/web queued", "Sync/Add/Update for Pod default/web",
		"add default/web queued", "Pod does not exist anymore default/web")...)
}

// What comes while a key is handled is handled once, afterwards.
func TestChangesDuringTheWorkAreOne(t *testing.T) {
	w := newWorld(t)
	w.pass(time.Second)
	w.change(create(w))
	w.change(func(p *sim.Proc) error {
		for i := range 4 {
			if err := w.label(p, fmt.Sprint(i)); err != nil {
				return err
			}
			p.Sleep(20 * time.Millisecond)
		}
		return nil
	})
	w.expect(append(started, "add default/web queued", "Sync/Add/Update for Pod default/web",
		"add default/web queued", "add default/web dirty", "add default/web merged", "add default/web merged",
		"Sync/Add/Update for Pod default/web", "Sync/Add/Update for Pod default/web")...)
}

// A key that fails is tried again five times and then given up; the next change begins anew.
func TestAKeyThatFailsIsDropped(t *testing.T) {
	w := newWorld(t)
	w.pass(time.Second)
	w.stdout.Full = true
	w.change(create(w))
	want := append(started, "add default/web queued")
	for _, wait := range []string{"5ms", "10ms", "20ms", "40ms", "80ms"} {
		want = append(want, "Error syncing pod default/web", "wait "+wait, "add default/web queued")
	}
	want = append(want, "Dropping pod out of the queue default/web")
	w.expect(want...)
	w.stdout.Full = false
	w.pass(time.Hour)
	w.expect(want...)
	w.change(func(p *sim.Proc) error { return w.label(p, "1") })
	w.expect(append(want, "add default/web queued", "Sync/Add/Update for Pod default/web")...)
}
