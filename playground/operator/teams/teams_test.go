package teams

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// world is the program, with a server on which tests put what there is.
type world struct {
	k      *sim.Kernel
	server *fake.Server
	forbid bool // nobody may create quotas
}

func newWorld(t *testing.T) *world {
	w := &world{k: sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))}
	t.Cleanup(w.k.Close)
	w.server = fake.NewServer(w.k)
	w.server.React = func(r *client.Request) (client.Result, bool, error) {
		refused := w.forbid && r.Verb == client.Create && r.Resource.Resource == "resourcequotas"
		if !refused {
			return nil, false, nil
		}
		return nil, true, apierrors.NewForbidden(r.Resource.GroupResource(), "team", nil)
	}
	return w
}

func (w *world) namespace(name, kind string) {
	w.server.Put("namespaces", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kind": kind}}})
}

func (w *world) account(namespace string) {
	w.server.Put("serviceaccounts", &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "default"}})
}

func (w *world) quota(namespace string) {
	w.server.Put("resourcequotas", &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "team"}})
}

// run starts the program, or lets it go on.
func (w *world) run() {
	if c := w.k.Component(Name); c == nil {
		Start(w.k, w.server)
	}
	w.k.RunUntil(w.k.Elapsed() + 10*time.Second)
}

// ready tells whether a namespace has the label.
func (w *world) ready(name string) bool {
	return slices.ContainsFunc(w.server.Objects("namespaces"), func(o api.Object) bool { return o.GetName() == name && o.GetLabels()["ready"] == "yes" })
}

// quotas are the namespaces that have one.
func (w *world) quotas() string {
	var out []string
	for _, o := range w.server.Objects("resourcequotas") {
		q := o.(*corev1.ResourceQuota)
		pods := q.Spec.Hard[corev1.ResourcePods]
		out = append(out, q.Namespace+"="+pods.String())
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// What an earlier run has done is found, and the rest is done.
func TestHalfDone(t *testing.T) {
	w := newWorld(t)
	w.namespace("green", "team")
	w.account("green")
	w.quota("green")
	w.run()
	if !w.ready("green") {
		t.Error("green is not ready")
	}
}

// A step that is refused is not passed over.
func TestRefused(t *testing.T) {
	w := newWorld(t)
	w.namespace("blue", "team")
	w.account("blue")
	w.forbid = true
	w.run()
	if w.ready("blue") {
		t.Error("blue is ready, without a quota")
	}
	w.forbid = false
	w.run()
	if !w.ready("blue") {
		t.Error("nobody came back to blue")
	}
}

// Who waits holds nobody up.
func TestWaiting(t *testing.T) {
	w := newWorld(t)
	w.namespace("green", "team")
	w.namespace("gold", "team")
	w.account("gold")
	w.run()
	if w.ready("green") || !w.ready("gold") {
		t.Errorf("green %v, gold %v", w.ready("green"), w.ready("gold"))
	}
	w.account("green")
	if w.run(); !w.ready("green") {
		t.Error("nobody came back to green")
	}
}

// A quota that somebody deletes or changes leads to its namespace; what is no team's is left alone.
func TestQuotaComesBack(t *testing.T) {
	w := newWorld(t)
	w.namespace("red", "team")
	w.namespace("kube-system", "other")
	w.account("red")
	w.run()
	if got := w.quotas(); got != "red=5" {
		t.Errorf("quotas: %s", got)
	}
	w.server.Remove("resourcequotas", "red", "team")
	if w.run(); w.quotas() != "red=5" {
		t.Errorf("after one was deleted: %s", w.quotas())
	}
	if slices.ContainsFunc(w.server.Requests, func(r string) bool { return strings.Contains(r, "kube-system") }) {
		t.Errorf("it wrote in kube-system: %q", w.server.Requests)
	}
}
