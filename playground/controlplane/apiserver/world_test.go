package apiserver

import (
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var epoch = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

var (
	podsResource = api.GroupVersionResource{Version: "v1", Resource: "pods"}
	rsResource   = api.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}
	cmResource   = api.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	nsResource   = api.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// world is a server and one client.
type world struct {
	t      *testing.T
	k      *sim.Kernel
	st     *store.Store
	s      *Server
	client *sim.Component
}

func newWorld(t *testing.T, level trace.Level) *world {
	return newWorldWith(t, level, DefaultOptions())
}

func newWorldWith(t *testing.T, level trace.Level, opts Options) *world {
	k := sim.New(1, epoch, trace.NewRecorder(level))
	st := store.New(k.Start("etcd"), store.DefaultOptions())
	w := &world{t: t, k: k, st: st, s: New(k.Start("kube-apiserver"), st, opts), client: k.Start("tester")}
	t.Cleanup(k.Close)
	return w
}

// run executes body as a process of the client and fails the test if it doesn't end in two hours of virtual time.
func (w *world) run(body func(p *sim.Proc)) {
	w.t.Helper()
	done := false
	w.client.Go("main", func(p *sim.Proc) { body(p); done = true })
	for until := w.k.Elapsed() + 2*time.Hour; !done && w.k.Elapsed() < until; {
		w.k.Step()
	}
	if !done {
		w.t.Fatal("the process hangs: nothing woke it within two hours")
	}
}

func (w *world) do(p *sim.Proc, r *client.Request) (client.Result, error) { return w.s.Do(p, r) }

func (w *world) must(p *sim.Proc, r *client.Request) client.Result {
	w.t.Helper()
	result, err := w.s.Do(p, r)
	if err != nil {
		w.t.Fatalf("%s %s: %v", r.Verb, r.Path(), err)
	}
	return result
}

func create(gvr api.GroupVersionResource, obj api.Object) *client.Request {
	return &client.Request{Verb: client.Create, Resource: gvr, Namespace: obj.GetNamespace(), Object: obj}
}

func get(gvr api.GroupVersionResource, name string) *client.Request {
	return &client.Request{Verb: client.Get, Resource: gvr, Namespace: "default", Name: name}
}

func update(gvr api.GroupVersionResource, sub string, obj api.Object) *client.Request {
	return &client.Request{Verb: client.Update, Resource: gvr, Subresource: sub, Namespace: obj.GetNamespace(), Name: obj.GetName(), Object: obj}
}

func remove(gvr api.GroupVersionResource, name string, o metav1.DeleteOptions) *client.Request {
	return &client.Request{Verb: client.Delete, Resource: gvr, Namespace: "default", Name: name, Delete: o}
}

func bind(name, node string) *client.Request {
	return &client.Request{Verb: client.Create, Resource: podsResource, Subresource: "binding", Namespace: "default", Name: name,
		Object: &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Target: corev1.ObjectReference{Kind: "Node", Name: node}}}
}

func newPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}}},
	}
}

func newRS(name string, replicas int32) *appsv1.ReplicaSet {
	labels := map[string]string{"app": name}
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: newPod("x").Spec},
		},
	}
}

// post creates an object of JSON in the namespace default.
func post(resource, body string) *client.Request {
	kind := api.Resolve(resource)
	r := &client.Request{Verb: client.Create, Resource: kind.GroupVersionResource(), Body: []byte(body)}
	if kind.Namespaced {
		r.Namespace = "default"
	}
	return r
}
