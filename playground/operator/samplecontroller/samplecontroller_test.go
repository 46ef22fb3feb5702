package samplecontroller

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// world is the program, with a server on which tests put what there is.
type world struct {
	t        *testing.T
	k        *sim.Kernel
	server   *fake.Server
	mistakes Mistakes
	refused  error // of all requests that write a Deployment; nil for none
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, k: sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))}
	t.Cleanup(w.k.Close)
	w.server = fake.NewServer(w.k)
	w.server.React = w.react
	return w
}

// react stores the status of Foos, of which the server knows no Go type.
func (w *world) react(r *client.Request) (client.Result, bool, error) {
	switch {
	case r.Resource == fooResource && r.Verb == client.Update:
		obj := &api.Unstructured{}
		if err := json.Unmarshal(r.Body, obj); err != nil {
			return nil, true, err
		}
		for _, before := range w.server.Objects("foos") {
			if before.GetName() == r.Name && fmt.Sprint(before.(*api.Unstructured).Fields) == fmt.Sprint(obj.Fields) {
				return before, true, nil // nothing changes: a server writes nothing then
			}
		}
		return w.server.Put("foos", obj), true, nil
	case r.Resource.Resource == "deployments" && (r.Verb == client.Create || r.Verb == client.Update):
		return nil, w.refused != nil, w.refused
	}
	return nil, false, nil
}

// begin starts the program, and lets it do what there is to do.
func (w *world) begin(resync time.Duration) {
	component := w.k.Start(Name)
	component.Run(func() { start(component, w.server, &w.mistakes, resync) })
	w.pass(3 * time.Second)
}

func (w *world) pass(d time.Duration) { w.k.RunUntil(w.k.Elapsed() + d) }

func newFoo(name string, replicas int32) *Foo {
	foo := &Foo{Spec: FooSpec{DeploymentName: name + "-deployment", Replicas: &replicas}}
	foo.APIVersion, foo.Kind = fooKind.GroupVersion().String(), fooKind.Kind
	foo.Name, foo.Namespace, foo.UID = name, "default", types.UID("uid-of-"+name)
	return foo
}

func (w *world) put(foo *Foo) {
	w.t.Helper()
	text, err := json.Marshal(foo)
	obj := &api.Unstructured{}
	if err == nil {
		err = json.Unmarshal(text, obj)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.server.Put("foos", obj)
}

// wrote is what was asked to be written, apart from Events.
func (w *world) wrote() (out []string) {
	for _, line := range w.server.Requests {
		if verb, rest, _ := strings.Cut(line, " "); (verb == client.Create || verb == client.Update) && !strings.HasPrefix(rest, "events ") {
			out = append(out, line)
		}
	}
	return out
}

// said are the reasons and messages of the Events, in the order of their names, each once.
func (w *world) said() (out []string) {
	for _, obj := range w.server.Objects("events") {
		event := obj.(*corev1.Event)
		out = append(out, event.Type+" "+event.Reason+": "+event.Message+" ("+event.InvolvedObject.Kind+" "+event.InvolvedObject.Name+")")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// logged tells whether there is a line in the log.
func (w *world) logged(message string) bool {
	for _, e := range w.k.Trace().Events(1) {
		if e.Component == Name && e.Op == trace.Log && slices.ContainsFunc(e.Attrs, func(a trace.Attr) bool { return a.Value == message }) {
			return true
		}
	}
	return false
}

func (w *world) deployment(name string) *appsv1.Deployment {
	for _, obj := range w.server.Objects("deployments") {
		if obj.GetName() == name {
			return obj.(*appsv1.Deployment)
		}
	}
	return nil
}

func (w *world) expect(wrote []string, said ...string) {
	w.t.Helper()
	if got := w.wrote(); !slices.Equal(got, wrote) {
		w.t.Errorf("it wrote\n%q, want\n%q", got, wrote)
	}
	if got := w.said(); !slices.Equal(got, said) {
		w.t.Errorf("it said\n%q, want\n%q", got, said)
	}
}

const (
	synced  = "Normal Synced: Foo synced successfully (Foo test)"
	exists  = `Warning ErrResourceExists: Resource "test-deployment" already exists and is not managed by Foo (Foo test)`
	makes   = "create deployments default/test-deployment"
	changes = "update deployments default/test-deployment"
	reports = "update foos/status default/test"
)

func TestCreatesDeployment(t *testing.T) {
	w := newWorld(t)
	w.put(newFoo("test", 1))
	w.begin(0)
	// The Deployment that it made comes back to it, and so does the status: nothing more happens than that it is written once more.
	if got := w.wrote(); got[0] != makes || got[1] != reports || slices.Contains(got[1:], makes) || slices.Contains(got, changes) {
		t.Errorf("it wrote %q", got)
	}
	if d := w.deployment("test-deployment"); d == nil || *d.Spec.Replicas != 1 || !metav1.IsControlledBy(d, newFoo("test", 1)) {
		t.Errorf("the Deployment is %v", d)
	}
	if got := w.said(); !slices.Equal(got, []string{synced}) {
		t.Errorf("it said %q", got)
	}
}

func TestDoNothing(t *testing.T) {
	w := newWorld(t)
	foo := newFoo("test", 1)
	w.put(foo)
	d := newDeployment(foo)
	d.Status.AvailableReplicas = 1
	w.server.Put("deployments", d)
	w.begin(0)
	for _, line := range w.wrote() {
		if line != reports {
			t.Errorf("it wrote %q", line)
		}
	}
	if got := w.server.Objects("foos")[0].(*api.Unstructured).Fields["status"]; fmt.Sprint(got) != "map[availableReplicas:1]" {
		t.Errorf("the status is %v", got)
	}
	if got := w.said(); !slices.Equal(got, []string{synced}) {
		t.Errorf("it said %q", got)
	}
}

func TestUpdateDeployment(t *testing.T) {
	w := newWorld(t)
	foo := newFoo("test", 1)
	w.server.Put("deployments", newDeployment(foo))
	*foo.Spec.Replicas = 2
	w.server.Put("deployments", newDeployment(newFoo("test", 1)))
	w.put(foo)
	w.begin(0)
	if got := w.wrote(); got[0] != changes || slices.Contains(got[1:], changes) {
		t.Errorf("it wrote %q", got)
	}
	if got := *w.deployment("test-deployment").Spec.Replicas; got != 2 {
		t.Errorf("there are %d replicas", got)
	}
}

func TestNotControlledByUs(t *testing.T) {
	w := newWorld(t)
	foo := newFoo("test", 1)
	w.put(foo)
	d := newDeployment(foo)
	d.OwnerReferences = nil
	w.server.Put("deployments", d)
	w.begin(0)
	w.expect(nil, exists)
}

// A Foo that names no Deployment is left alone until it changes.
func TestNoDeploymentName(t *testing.T) {
	w := newWorld(t)
	foo := newFoo("test", 1)
	foo.Spec.DeploymentName = ""
	w.put(foo)
	w.begin(0)
	w.expect(nil)
}

// It is put back at once when somebody else changes or deletes the Deployment.
func TestPutsBack(t *testing.T) {
	w := newWorld(t)
	w.put(newFoo("test", 1))
	w.begin(0)
	w.scale(3)
	if got := *w.deployment("test-deployment").Spec.Replicas; got != 1 {
		t.Errorf("there are %d replicas", got)
	}
	w.server.Remove("deployments", "default", "test-deployment")
	w.pass(3 * time.Second)
	if w.deployment("test-deployment") == nil {
		t.Error("the Deployment is still gone")
	}
}

func (w *world) scale(replicas int32) {
	d := w.deployment("test-deployment").DeepCopy()
	d.Spec.Replicas = &replicas
	w.server.Put("deployments", d)
	w.pass(3 * time.Second)
}

// Through whom an object leads to its Foo: only through a controller of that kind, and a note of its deletion will do.
func TestHandleObject(t *testing.T) {
	w := newWorld(t)
	foo := newFoo("test", 1)
	mine, orphan, others := newDeployment(foo), newDeployment(foo), newDeployment(foo)
	orphan.OwnerReferences = nil
	others.OwnerReferences[0].Kind = "Bar"
	lost := newDeployment(newFoo("nobody", 1))
	for _, test := range []struct {
		name string
		obj  any
		want int
	}{
		{"its own", mine, 1},
		{"a note of it", cache.DeletedFinalStateUnknown{Key: "default/test-deployment", Obj: mine}, 1},
		{"nobody's", orphan, 0},
		{"of another kind", others, 0},
		{"of a Foo that is gone", lost, 0},
		{"no object", cache.DeletedFinalStateUnknown{Key: "default/x", Obj: "x"}, 0},
	} {
		component := w.k.Start(Name)
		component.Run(func() {
			clientset := client.New(w.server)
			foos := NewFooInformer(w.server, 0)
			factory := informers.NewSharedInformerFactory(clientset, 0)
			c := NewController(component, clientset, FooClient{w.server}, factory.Apps().V1().Deployments(), foos, newRecorder(component, clientset), &Mistakes{})
			w.put(foo)
			if err := foos.GetIndexer().Add(w.server.Objects("foos")[0]); err != nil {
				t.Fatal(err)
			}
			c.handleObject(test.obj)
			if got := c.workqueue.Len(); got != test.want {
				t.Errorf("%s: %d keys, want %d", test.name, got, test.want)
			}
		})
		component.Stop("the test is over")
	}
}

// An error that is swallowed, or a key that is not put back, is a state that stays wrong: for ever, or until a resync. Who swallows it says that all is well.
func TestErrorsThatNobodyActsOn(t *testing.T) {
	for _, test := range []struct {
		name    string
		mistake Mistakes
		resync  time.Duration
		after   time.Duration // from the time at which the server takes writes again
		want    bool
		well    bool // it says so of the first sync
	}{
		{"right", Mistakes{}, 0, 10 * time.Second, true, false},
		{"swallowed for ever", Mistakes{SwallowErrors: true}, 0, time.Hour, false, true},
		{"swallowed, before the resync", Mistakes{SwallowErrors: true}, Resync, 20 * time.Second, false, true},
		{"swallowed, after the resync", Mistakes{SwallowErrors: true}, Resync, 40 * time.Second, true, true},
		{"not put back for ever", Mistakes{NoRequeue: true}, 0, time.Hour, false, false},
		{"not put back, after the resync", Mistakes{NoRequeue: true}, Resync, 40 * time.Second, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.mistakes = test.mistake
			w.refused = fmt.Errorf("not now")
			w.put(newFoo("test", 1))
			w.begin(test.resync)
			if got := w.logged("Successfully synced"); got != test.well {
				t.Errorf("it says that all is well: %v, want %v", got, test.well)
			}
			w.refused = nil
			w.pass(test.after)
			if got := w.deployment("test-deployment") != nil; got != test.want {
				t.Errorf("there is a Deployment: %v, want %v", got, test.want)
			}
		})
	}
}

// Without an owner reference the controller does not recognise what it has made.
func TestNoOwner(t *testing.T) {
	w := newWorld(t)
	w.mistakes.NoOwner = true
	w.put(newFoo("test", 1))
	w.begin(0)
	w.expect([]string{makes}, exists)
}

// Who watches only the own kind learns of nothing that happens to the Deployment: not at all, or when a resync comes.
func TestOwnKindOnly(t *testing.T) {
	for _, test := range []struct {
		name   string
		resync time.Duration
		after  time.Duration
		want   int32
	}{
		{"for ever", 0, time.Hour, 3},
		{"before the resync", Resync, 15 * time.Second, 3},
		{"after the resync", Resync, 40 * time.Second, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.mistakes.OwnKindOnly = true
			w.put(newFoo("test", 1))
			w.begin(test.resync)
			w.scale(3)
			w.pass(test.after)
			if got := *w.deployment("test-deployment").Spec.Replicas; got != test.want {
				t.Errorf("there are %d replicas, want %d", got, test.want)
			}
		})
	}
}
