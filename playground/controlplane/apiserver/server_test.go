package apiserver

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

type storeKey = store.Key

func TestCreateFillsIn(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		pod := newPod("")
		pod.GenerateName = "web-"
		got := w.must(p, create(podsResource, pod)).(*corev1.Pod)
		if !strings.HasPrefix(got.Name, "web-") || len(got.Name) != 9 {
			t.Errorf("name: got %q, want web- and five letters", got.Name)
		}
		if got.UID == "" || got.ResourceVersion == "" || got.Generation != 1 || !got.CreationTimestamp.Time.Equal(epoch) {
			t.Errorf("metadata: got %+v", got.ObjectMeta)
		}
		for what, ok := range map[string]bool{
			"imagePullPolicy by tag": got.Spec.Containers[0].ImagePullPolicy == "IfNotPresent",
			"grace period":           *got.Spec.TerminationGracePeriodSeconds == 30,
			"dnsPolicy":              got.Spec.DNSPolicy == "ClusterFirst",
			"restartPolicy":          got.Spec.RestartPolicy == "Always",
			"scheduler":              got.Spec.SchedulerName == "default-scheduler",
			"priority":               *got.Spec.Priority == 0,
			"preemptionPolicy":       *got.Spec.PreemptionPolicy == "PreemptLowerPriority",
			"serviceLinks":           *got.Spec.EnableServiceLinks,
			"service account":        got.Spec.ServiceAccountName == "default",
			"tolerations":            len(got.Spec.Tolerations) == 2 && *got.Spec.Tolerations[1].TolerationSeconds == 300,
			"phase":                  got.Status.Phase == corev1.PodPending,
			"QoS class":              got.Status.QOSClass == corev1.PodQOSBestEffort,
		} {
			if !ok {
				t.Errorf("%s is not filled in: %+v", what, got.Spec)
			}
		}
		if pod.Name != "" || pod.Spec.DNSPolicy != "" {
			t.Error("the sender's object was changed")
		}
	})
}

// TestGeneratedNameIsTaken takes the very name that chance is going to give: another one is drawn.
func TestGeneratedNameIsTaken(t *testing.T) {
	pod := newPod("")
	pod.GenerateName = "web-"
	generate := func(taken ...string) (name string) {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			for _, n := range taken {
				w.must(p, create(podsResource, newPod(n)))
			}
			name = w.must(p, create(podsResource, pod)).(*corev1.Pod).Name
		})
		return name
	}
	first := generate()
	second := generate(first)
	third := generate(first, second)
	if first == second || second == third || first == third {
		t.Errorf("got %s, %s, %s: want three names", first, second, third)
	}
	var taken []string
	for range maxNameGenerationCreateAttempts {
		taken = append(taken, generate(taken...))
	}
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		for _, n := range taken {
			w.must(p, create(podsResource, newPod(n)))
		}
		_, err := w.do(p, create(podsResource, pod))
		want := `pods "web-" already exists, the server was not able to generate a unique name for the object`
		if !apierrors.IsAlreadyExists(err) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}

// maxNameGenerationCreateAttempts is the registry's.
const maxNameGenerationCreateAttempts = 8

func TestOptimisticConcurrency(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		first := w.must(p, create(rsResource, newRS("web", 1))).(*appsv1.ReplicaSet)
		mine := first.DeepCopyObject().(*appsv1.ReplicaSet)
		*mine.Spec.Replicas = 2
		second := w.must(p, update(rsResource, "", mine)).(*appsv1.ReplicaSet)
		if second.Generation != 2 || second.ResourceVersion == first.ResourceVersion {
			t.Errorf("a changed spec: generation %d, version %s", second.Generation, second.ResourceVersion)
		}
		stale := first.DeepCopyObject().(*appsv1.ReplicaSet)
		*stale.Spec.Replicas = 9
		_, err := w.do(p, update(rsResource, "", stale))
		want := `Operation cannot be fulfilled on replicasets.apps "web": the object has been modified; please apply your changes to the latest version and try again`
		if !apierrors.IsConflict(err) || err.Error() != want {
			t.Errorf("stale update: got  %v\nwant %s", err, want)
		}
		before := w.st.Revision()
		same := w.must(p, update(rsResource, "", second))
		if same != client.Result(w.st.Current(key(rsResource, "web"))) || w.st.Revision() != before {
			t.Error("an update that changes nothing made a revision")
		}
	})
}

func TestStatusAndSpecAreSeparate(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		rs := w.must(p, create(rsResource, newRS("web", 3))).(*appsv1.ReplicaSet).DeepCopyObject().(*appsv1.ReplicaSet)
		*rs.Spec.Replicas, rs.Status.Replicas = 5, 3
		byStatus := w.must(p, update(rsResource, "status", rs)).(*appsv1.ReplicaSet)
		if *byStatus.Spec.Replicas != 3 || byStatus.Status.Replicas != 3 || byStatus.Generation != 1 {
			t.Errorf("status update: spec %d, status %d, generation %d; want 3, 3, 1", *byStatus.Spec.Replicas, byStatus.Status.Replicas, byStatus.Generation)
		}
		rs = byStatus.DeepCopyObject().(*appsv1.ReplicaSet)
		*rs.Spec.Replicas, rs.Status.Replicas = 5, 0
		bySpec := w.must(p, update(rsResource, "", rs)).(*appsv1.ReplicaSet)
		if *bySpec.Spec.Replicas != 5 || bySpec.Status.Replicas != 3 || bySpec.Generation != 2 {
			t.Errorf("spec update: spec %d, status %d, generation %d; want 5, 3, 2", *bySpec.Spec.Replicas, bySpec.Status.Replicas, bySpec.Generation)
		}
		bad := bySpec.DeepCopyObject().(*appsv1.ReplicaSet)
		bad.Status.ReadyReplicas = 4
		if _, err := w.do(p, update(rsResource, "status", bad)); err == nil ||
			!strings.Contains(err.Error(), "status.readyReplicas: Invalid value: 4: cannot be greater than status.replicas") {
			t.Errorf("bad status: got %v", err)
		}
	})
}

func TestScale(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		w.must(p, create(rsResource, newRS("web", 3)))
		r := get(rsResource, "web")
		r.Subresource = "scale"
		scale := *w.must(p, r).(*autoscalingv1.Scale)
		if scale.Spec.Replicas != 3 || scale.Status.Selector != "app=web" || scale.Kind != "Scale" {
			t.Errorf("scale: got %+v", scale)
		}
		stale := scale
		scale.Spec.Replicas = 8
		w.must(p, update(rsResource, "scale", &scale))
		rs := w.st.Current(key(rsResource, "web")).(*appsv1.ReplicaSet)
		if *rs.Spec.Replicas != 8 || rs.Generation != 2 {
			t.Errorf("after the scale: replicas %d, generation %d; want 8, 2", *rs.Spec.Replicas, rs.Generation)
		}
		stale.Spec.Replicas = 1
		if _, err := w.do(p, update(rsResource, "scale", &stale)); !apierrors.IsConflict(err) {
			t.Errorf("stale scale: got %v, want a conflict", err)
		}
		patch := &client.Request{Verb: client.Patch, Resource: rsResource, Subresource: "scale", Namespace: "default", Name: "web",
			PatchType: "application/merge-patch+json", Patch: []byte(`{"spec":{"replicas":2}}`)}
		if got := w.must(p, patch).(*autoscalingv1.Scale); got.Spec.Replicas != 2 {
			t.Errorf("patched scale: got %d, want 2", got.Spec.Replicas)
		}
		patch.Name = "nosuch"
		if _, err := w.do(p, patch); err == nil || err.Error() != `replicasets.apps "nosuch" not found` {
			t.Errorf("scale of nothing: got %v", err)
		}
	})
}

func TestBinding(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		w.must(p, create(podsResource, newPod("web")))
		w.must(p, bind("web", "node-1"))
		pod := w.st.Current(key(podsResource, "web")).(*corev1.Pod)
		c := pod.Status.Conditions
		if pod.Spec.NodeName != "node-1" || len(c) != 1 || c[0].Type != "PodScheduled" || c[0].Status != "True" || c[0].LastTransitionTime.IsZero() {
			t.Errorf("bound Pod: node %q, conditions %+v", pod.Spec.NodeName, c)
		}
		_, err := w.do(p, bind("web", "node-2"))
		if want := `Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "node-1"`; err == nil || err.Error() != want {
			t.Errorf("second binding: got %v\nwant %s", err, want)
		}
		if _, err = w.do(p, bind("nosuch", "node-1")); err == nil || err.Error() != `pods "nosuch" not found` {
			t.Errorf("binding of nothing: got %v", err)
		}
		other := bind("web", "node-2")
		other.Object.SetUID("another")
		if _, err := w.do(p, other); !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "UID in precondition: another") {
			t.Errorf("binding of another UID: got %v", err)
		}
		moved := pod.DeepCopyObject().(*corev1.Pod)
		moved.Spec.NodeName = "node-2"
		if _, err := w.do(p, update(podsResource, "", moved)); err == nil ||
			!strings.Contains(err.Error(), `Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than `) {
			t.Errorf("a Pod moved to another node: got %v", err)
		}
	})
}

func TestGracefulDelete(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		at := func(name string) *corev1.Pod {
			pod, _ := w.st.Current(key(podsResource, name)).(*corev1.Pod)
			return pod
		}
		zero, ten, sixty := int64(0), int64(10), int64(60)
		w.must(p, create(podsResource, newPod("unscheduled")))
		before := w.st.Revision()
		w.must(p, remove(podsResource, "unscheduled", metav1.DeleteOptions{}))
		if at("unscheduled") != nil || w.st.Revision() != before+2 {
			t.Errorf("a Pod without a node: still there %v, %d revisions; want it gone after two (marked, deleted)", at("unscheduled") != nil, w.st.Revision()-before)
		}
		w.must(p, create(podsResource, newPod("web")))
		w.must(p, bind("web", "node-1"))
		deleted := w.must(p, remove(podsResource, "web", metav1.DeleteOptions{})).(*corev1.Pod)
		if *deleted.DeletionGracePeriodSeconds != 30 || deleted.DeletionTimestamp.Sub(p.Time().Truncate(time.Second)) != 30*time.Second || deleted.Generation != 2 {
			t.Errorf("deleted: %+v", deleted.ObjectMeta)
		}
		version := at("web").ResourceVersion
		w.must(p, remove(podsResource, "web", metav1.DeleteOptions{GracePeriodSeconds: &sixty}))
		if at("web").ResourceVersion != version {
			t.Error("a longer grace period was accepted")
		}
		w.must(p, remove(podsResource, "web", metav1.DeleteOptions{GracePeriodSeconds: &ten}))
		if got := at("web"); *got.DeletionGracePeriodSeconds != 10 || deleted.DeletionTimestamp.Sub(got.DeletionTimestamp.Time) != 20*time.Second {
			t.Errorf("a shorter grace period: %+v", got.ObjectMeta)
		}
		another := types.UID("another")
		wrong := metav1.DeleteOptions{GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &another}}
		if _, err := w.do(p, remove(podsResource, "web", wrong)); !apierrors.IsConflict(err) {
			t.Errorf("delete of another UID: got %v", err)
		}
		w.must(p, remove(podsResource, "web", metav1.DeleteOptions{GracePeriodSeconds: &zero}))
		if at("web") != nil {
			t.Error("grace 0 left the Pod")
		}
	})
}

func TestFinalizers(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		w.must(p, create(rsResource, newRS("web", 0)))
		foreground := metav1.DeletePropagationForeground
		got := w.must(p, remove(rsResource, "web", metav1.DeleteOptions{PropagationPolicy: &foreground})).(*appsv1.ReplicaSet)
		if got.DeletionTimestamp == nil || len(got.Finalizers) != 1 || got.Finalizers[0] != "foregroundDeletion" || got.Generation != 2 {
			t.Errorf("foreground: %+v", got.ObjectMeta)
		}
		added := got.DeepCopyObject().(*appsv1.ReplicaSet)
		added.Finalizers = append(added.Finalizers, "example.com/late")
		if _, err := w.do(p, update(rsResource, "", added)); err == nil ||
			!strings.Contains(err.Error(), "no new finalizers can be added if the object is being deleted") {
			t.Errorf("a finalizer on a deleted object: got %v", err)
		}
		freed := got.DeepCopyObject().(*appsv1.ReplicaSet)
		freed.Finalizers = nil
		w.must(p, update(rsResource, "", freed))
		if w.st.Current(key(rsResource, "web")) != nil {
			t.Error("the last finalizer is gone, the object is not")
		}
		status := func(r client.Result) string { return r.(*metav1.Status).Status }
		w.must(p, create(rsResource, newRS("web", 0)))
		if got := status(w.must(p, remove(rsResource, "web", metav1.DeleteOptions{}))); got != "Success" {
			t.Errorf("delete: got %s", got)
		}
	})
}

func TestNamespaces(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		for _, name := range systemNamespaces {
			w.must(p, &client.Request{Verb: client.Get, Resource: nsResource, Name: name})
		}
		pod := newPod("web")
		pod.Namespace = "nosuch"
		if _, err := w.do(p, create(podsResource, pod)); err == nil || err.Error() != `namespaces "nosuch" not found` {
			t.Errorf("create in no namespace: got %v", err)
		}
		_, err := w.do(p, &client.Request{Verb: client.Delete, Resource: nsResource, Name: "default"})
		if want := `namespaces "default" is forbidden: this namespace may not be deleted`; err == nil || err.Error() != want {
			t.Errorf("delete default: got %v, want %s", err, want)
		}
		w.must(p, &client.Request{Verb: client.Create, Resource: nsResource, Object: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}})
		ns := w.must(p, &client.Request{Verb: client.Delete, Resource: nsResource, Name: "shop"}).(*corev1.Namespace)
		if ns.Status.Phase != corev1.NamespaceTerminating || ns.DeletionTimestamp == nil || ns.Labels["kubernetes.io/metadata.name"] != "shop" {
			t.Errorf("deleted namespace: %+v", ns)
		}
		pod.Namespace = "shop"
		if _, err := w.do(p, create(podsResource, pod)); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "because it is being terminated") {
			t.Errorf("create in a terminating namespace: got %v", err)
		}
		ns = ns.DeepCopyObject().(*corev1.Namespace)
		ns.Labels["tier"] = "gone"
		ns = w.must(p, update(nsResource, "", ns)).(*corev1.Namespace).DeepCopyObject().(*corev1.Namespace)
		w.must(p, &client.Request{Verb: client.Get, Resource: nsResource, Name: "shop"})
		ns.Spec.Finalizers = nil
		w.must(p, update(nsResource, "finalize", ns))
		if _, err := w.do(p, &client.Request{Verb: client.Get, Resource: nsResource, Name: "shop"}); !apierrors.IsNotFound(err) {
			t.Errorf("finalized namespace: got %v", err)
		}
	})
}

func TestList(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		for _, name := range []string{"c", "a", "b"} {
			w.must(p, create(podsResource, newPod(name)))
		}
		w.must(p, bind("b", "node-1"))
		list := func(o metav1.ListOptions) ([]string, *corev1.PodList) {
			l := w.must(p, &client.Request{Verb: client.List, Resource: podsResource, Namespace: "default", List: o}).(*corev1.PodList)
			var names []string
			for i := range l.Items {
				names = append(names, l.Items[i].Name)
			}
			return names, l
		}
		for want, o := range map[string]metav1.ListOptions{
			"a b c": {},
			"b":     {FieldSelector: "spec.nodeName=node-1"},
			"a c":   {FieldSelector: "spec.nodeName!=node-1", LabelSelector: "app=web"},
			"":      {LabelSelector: "app in (api)"},
			"a":     {FieldSelector: "metadata.name=a"},
		} {
			if names, _ := list(o); strings.Join(names, " ") != want {
				t.Errorf("list %+v: got %v, want %s", o, names, want)
			}
		}
		names, page := list(metav1.ListOptions{Limit: 2})
		if strings.Join(names, " ") != "a b" || *page.RemainingItemCount != 1 {
			t.Errorf("first page: got %v, %d remain", names, *page.RemainingItemCount)
		}
		w.must(p, create(podsResource, newPod("d"))) // not of the list's revision
		names, last := list(metav1.ListOptions{Limit: 2, Continue: page.Continue})
		if strings.Join(names, " ") != "c" || last.Continue != "" || last.ResourceVersion != page.ResourceVersion {
			t.Errorf("second page: got %v of revision %s, want c of %s", names, last.ResourceVersion, page.ResourceVersion)
		}
		w.st.Compact(w.st.Revision())
		_, err := w.do(p, &client.Request{Verb: client.List, Resource: podsResource, List: metav1.ListOptions{Limit: 2, Continue: page.Continue}})
		if !apierrors.IsResourceExpired(err) {
			t.Errorf("a page of a compacted revision: got %v, want expired", err)
		}
	})
}

func TestServerDown(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		w.must(p, create(podsResource, newPod("web")))
		w.k.After(time.Millisecond, func() { w.s.component.Stop("crash") })
		if _, err := w.do(p, create(podsResource, newPod("late"))); err == nil || client.IsConnectionRefused(err) || !strings.Contains(err.Error(), "EOF") {
			t.Errorf("a request in flight: got %v, want EOF", err)
		}
		_, err := w.do(p, get(podsResource, "web"))
		if want := `Get "https://10.0.0.1:6443/api/v1/namespaces/default/pods/web": dial tcp 10.0.0.1:6443: connect: connection refused`; !client.IsConnectionRefused(
			err) || err.Error() != want {
			t.Errorf("no server: got %v\nwant %s", err, want)
		}
		w.s.Start(w.k.Start("kube-apiserver"))
		w.must(p, get(podsResource, "web"))
	})
	if cells := w.k.Trace().Now().Cells(trace.CellMessage); len(cells) > 0 {
		t.Errorf("messages are left on the wire: %v", cells)
	}
}

// TestClientDies checks that a request is carried out though its sender is gone.
func TestClientDies(t *testing.T) {
	w := newWorld(t, trace.All)
	mortal := w.k.Start("mortal")
	mortal.Go("main", func(p *sim.Proc) {
		w.s.Do(p, create(podsResource, newPod("web")))
		t.Error("a dead process got an answer")
	})
	w.k.After(2*time.Millisecond, func() { mortal.Stop("killed") })
	w.k.RunUntil(time.Second)
	if w.st.Current(key(podsResource, "web")) == nil {
		t.Error("the request died with its client")
	}
	if cells := w.k.Trace().Now().Cells(trace.CellMessage); len(cells) > 0 {
		t.Errorf("messages are left on the wire: %v", cells)
	}
}

// TestConcurrentWriters lets several patch the same object at once: no patch is lost, and each makes one revision.
func TestConcurrentWriters(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		w.must(p, create(cmResource, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default"}}))
		before := w.st.Revision()
		keys := []string{"a", "b", "c", "d", "e", "f"}
		p.Fork("writer", len(keys), func(p *sim.Proc, i int) {
			w.must(p, &client.Request{Verb: client.Patch, Resource: cmResource, Namespace: "default", Name: "c",
				PatchType: "application/merge-patch+json", Patch: []byte(`{"data":{"` + keys[i] + `":"x"}}`)})
		})
		cm := w.st.Current(key(cmResource, "c")).(*corev1.ConfigMap)
		if len(cm.Data) != len(keys) || w.st.Revision() != before+int64(len(keys)) {
			t.Errorf("got %d keys in %d revisions, want %d in as many", len(cm.Data), w.st.Revision()-before, len(keys))
		}
	})
	retried := false
	for _, e := range w.k.Trace().Events(1) {
		retried = retried || e.Op == trace.Log && strings.Contains(e.Text("message"), "conflict, going to retry")
	}
	if !retried {
		t.Error("no writer had to try again: the test does not test concurrency")
	}
}

// TestCausesLeadBack walks from a reply to what the client did.
func TestCausesLeadBack(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) { w.must(p, create(podsResource, newPod("web"))) })
	rec := w.k.Trace()
	var done trace.ID
	for _, e := range rec.Events(1) {
		if e.Op == trace.RequestDone {
			done = e.ID
		}
	}
	var chain []string
	for id := done; id != 0; id = rec.Event(id).Cause {
		chain = append(chain, string(rec.Event(id).Op))
	}
	if got, want := strings.Join(chain, " < "), "request.done < request.reply < store.commit < request.receive < request.send < component.start"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var commit trace.Event
	for _, e := range rec.Events(1) {
		if e.Op == trace.StoreCommit && e.Object.Name == "web" {
			commit = e
		}
	}
	var funcs []string
	for _, f := range rec.Stacks().Frames(commit.Stack) {
		funcs = append(funcs, f.File[strings.LastIndexByte(f.File, '/')+1:])
	}
	stack := strings.Join(funcs, " ")
	for _, file := range []string{"write.go", "registry", "handlers.go", "call.go"} {
		if file != "registry" && !strings.Contains(stack, file) {
			t.Errorf("the commit's stack lacks %s: %s", file, stack)
		}
	}
	if commit.Component != "etcd" || commit.Deltas[0].New != any(w.st.Current(key(podsResource, "web"))) {
		t.Errorf("commit: component %s, deltas %v", commit.Component, commit.Deltas)
	}
}

func key(gvr api.GroupVersionResource, name string) (k storeKey) {
	return storeKey{Resource: gvr.Resource, Namespace: "default", Name: name}
}
