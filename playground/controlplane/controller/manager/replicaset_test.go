package manager_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/sim"
)

var threeNodes = []string{"node-1", "node-2", "node-3"}

// As recorded from a real cluster in transcripts 01-replicaset-life: create,
// scale up, heal, scale down, delete.
func TestReplicaSetLife(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	w.create(webReplicaSet(3))
	w.until(10*time.Second, "3 ready", w.ready("web", 3))
	if got := batches(w.created); !reflect.DeepEqual(got, []int{1, 2}) {
		t.Errorf("created in batches of %v, want 1 and 2", got)
	}
	for _, pod := range w.pods() {
		ref := metav1.GetControllerOf(pod)
		if ref == nil || ref.Kind != "ReplicaSet" || ref.Name != "web" || ref.APIVersion != "apps/v1" || !*ref.BlockOwnerDeletion ||
			!strings.HasPrefix(pod.Name, "web-") {
			t.Errorf("Pod %s is owned by %+v", pod.Name, ref)
		}
	}

	w.created = nil
	w.scale("web", 8)
	w.until(10*time.Second, "8 ready", w.ready("web", 8))
	if got := batches(w.created); !reflect.DeepEqual(got, []int{1, 2, 2}) {
		t.Errorf("created in batches of %v, want 1, 2 and 2", got)
	}
	rs := w.replicaSet("web")
	want := `{8 8 8 8 0 2}`
	if got := fmt.Sprint(struct {
		r, f, y, a, t int32
		g             int64
	}{rs.Status.Replicas, rs.Status.FullyLabeledReplicas, rs.Status.ReadyReplicas, rs.Status.AvailableReplicas, *rs.Status.TerminatingReplicas,
		rs.Status.ObservedGeneration}); got != want {
		t.Errorf("status %s, want %s", got, want)
	}

	var victims []string
	w.do(func(p *sim.Proc) error {
		for _, pod := range w.pods() {
			if pod.Spec.NodeName == "node-1" {
				victims = append(victims, pod.Name)
				if err := w.cs.CoreV1().Pods("default").Delete(p, pod.Name, metav1.DeleteOptions{}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	w.until(10*time.Second, "8 ready again", w.ready("web", 8))
	for _, pod := range w.pods() {
		for _, v := range victims {
			if pod.Name == v {
				t.Errorf("%s was deleted and is there", v)
			}
		}
	}

	w.scale("web", 2)
	w.until(10*time.Second, "2 ready", w.ready("web", 2))
	w.run(5 * time.Second) // events are written one after another
	w.expectCount("replicaset-controller create pods ok", 8+len(victims))
	w.expectCount("replicaset-controller delete pods ok", 6)
	if n := len(w.events("SuccessfulDelete")); n != 6 {
		t.Errorf("%d events SuccessfulDelete, want 6", n)
	}
	if n := len(w.events("SuccessfulCreate")); n == 0 || !strings.HasPrefix(w.events("SuccessfulCreate")[0].Message, "Created pod: web-") {
		t.Errorf("%d events SuccessfulCreate: %+v", n, w.events("SuccessfulCreate"))
	}

	w.deleteRS("web", metav1.DeletePropagationBackground)
	w.until(10*time.Second, "nothing left", func() bool { return len(w.pods()) == 0 && w.replicaSet("web") == nil })
	w.expectCount("generic-garbage-collector delete pods ok", 2)
	w.expectCount("generic-garbage-collector patch replicasets ok", 0)
	writes := len(w.audit)
	w.run(5 * time.Minute)
	if quiet := w.audit[writes:]; len(quiet) > 0 {
		t.Errorf("a world at rest still writes: %v", quiet)
	}
}

// When it shrinks, a Pod that is alone on its node stays.
func TestScaleDownSpreads(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	w.create(webReplicaSet(5))
	w.until(10*time.Second, "5 ready", w.ready("web", 5))
	alone := ""
	for _, node := range threeNodes {
		if pods := w.onNode(node); len(pods) == 1 {
			alone = pods[0].Name
		}
	}
	if alone == "" {
		t.Fatalf("no Pod is alone on its node: %s", w.show())
	}
	w.scale("web", 3)
	w.until(10*time.Second, "3 ready", w.ready("web", 3))
	if !strings.Contains(w.show(), alone) {
		t.Errorf("%s was alone on its node and is gone; left are %s", alone, w.show())
	}
}

// As recorded in transcripts 07-ownership.
func TestOwnership(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	w.create(webReplicaSet(2))
	w.until(10*time.Second, "2 ready", w.ready("web", 2))
	mine := sortedNames(w.pods())

	// A stray Pod with the labels is adopted, and is one too many.
	w.do(func(p *sim.Proc) error {
		stray := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "stray", Namespace: "default", Labels: map[string]string{"app": "web"}}}
		stray.Spec.Containers = []corev1.Container{{Name: "web", Image: "nginx"}}
		_, err := w.cs.CoreV1().Pods("default").Create(p, stray, metav1.CreateOptions{})
		return err
	})
	w.run(time.Second)
	w.until(10*time.Second, "2 ready", w.ready("web", 2))
	w.expectCount("replicaset-controller patch pods ok", 1)
	w.expectCount("replicaset-controller delete pods ok", 1)
	if got := sortedNames(w.pods()); !reflect.DeepEqual(got, mine) {
		t.Errorf("left are %v, want those that were there before: %v", got, mine)
	}

	// A Pod that loses the label is released and replaced.
	w.audit = nil
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().Pods("default").Patch(p, mine[0], "application/merge-patch+json", []byte(`{"metadata":{"labels":{"app":"debug"}}}`),
			metav1.PatchOptions{})
		return err
	})
	w.until(10*time.Second, "a replacement", func() bool { return len(w.pods()) == 3 && w.replicaSet("web").Status.ReadyReplicas == 2 })
	w.expectCount("replicaset-controller patch pods ok", 1)
	w.expectCount("replicaset-controller create pods ok", 1)
	for _, pod := range w.pods() {
		if pod.Name == mine[0] && len(pod.OwnerReferences) != 0 {
			t.Errorf("%s was released and has owners %+v", pod.Name, pod.OwnerReferences)
		}
	}
	w.do(func(p *sim.Proc) error {
		return w.cs.CoreV1().Pods("default").Delete(p, mine[0], metav1.DeleteOptions{})
	})
	w.until(10*time.Second, "2 Pods", w.ready("web", 2))

	// Deleted as orphan: the Pods stay, without an owner.
	w.audit = nil
	w.deleteRS("web", metav1.DeletePropagationOrphan)
	w.until(10*time.Second, "no ReplicaSet", func() bool { return w.replicaSet("web") == nil })
	w.run(2 * time.Second)
	w.expectCount("generic-garbage-collector patch pods ok", 2)
	w.expectCount("generic-garbage-collector patch replicasets ok", 1)
	w.expectCount("replicaset-controller create pods ok", 0)
	for _, pod := range w.pods() {
		if len(pod.OwnerReferences) != 0 {
			t.Errorf("orphan %s has owners %+v", pod.Name, pod.OwnerReferences)
		}
	}
	orphans := sortedNames(w.pods())

	// A new ReplicaSet of the same name adopts them.
	w.audit = nil
	w.create(webReplicaSet(2))
	w.until(10*time.Second, "2 ready", w.ready("web", 2))
	w.expectCount("replicaset-controller patch pods ok", 2)
	w.expectCount("replicaset-controller create pods ok", 0)
	if got := sortedNames(w.pods()); !reflect.DeepEqual(got, orphans) {
		t.Errorf("Pods %v, want the orphans %v", got, orphans)
	}

	// Deleted in the foreground: the Pods go first.
	w.audit = nil
	var last []string
	w.deleteRS("web", metav1.DeletePropagationForeground)
	w.until(10*time.Second, "nothing left", func() bool {
		if w.replicaSet("web") == nil && len(w.pods()) > 0 {
			last = sortedNames(w.pods())
		}
		return w.replicaSet("web") == nil && len(w.pods()) == 0
	})
	w.run(time.Second) // what was asked for last is answered
	if last != nil {
		t.Errorf("the ReplicaSet was gone before its Pods %v", last)
	}
	// A Pod may be deleted twice: when it is looked at again before the graph has
	// learned of the first time. Deleting twice does no harm.
	if n := w.count("generic-garbage-collector delete pods ok"); n < 2 || n > 4 {
		t.Errorf("%d deletions of 2 Pods", n)
	}
	w.expectCount("generic-garbage-collector patch replicasets ok", 1)
	w.expectCount("replicaset-controller create pods ok", 0)
}

func creates(r *client.Request, resource string) bool {
	return r.Verb == client.Create && r.Resource.Resource == resource && r.Subresource == ""
}

// A quota refuses from the third Pod on.
func TestFailedCreate(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	quota := 2
	w.refuse = func(c string, r *client.Request) error {
		if c != "replicaset-controller" || !creates(r, "pods") {
			return nil
		}
		if quota == 0 {
			return apierrors.NewForbidden(api.GroupResource{Resource: "pods"}, "", errors.New("exceeded quota: compute"))
		}
		quota--
		return nil
	}
	w.create(webReplicaSet(50))
	w.until(10*time.Second, "a failure in the status", func() bool {
		rs := w.replicaSet("web")
		return rs != nil && len(rs.Status.Conditions) == 1 && rs.Status.Replicas == 2
	})
	c := w.replicaSet("web").Status.Conditions[0]
	if c.Type != appsv1.ReplicaSetReplicaFailure || c.Status != corev1.ConditionTrue || c.Reason != "FailedCreate" ||
		!strings.Contains(c.Message, "exceeded quota: compute") {
		t.Errorf("condition %+v", c)
	}
	// 1, 2 of which one fails; then 1 at a time, farther and farther apart.
	w.run(10 * time.Second)
	refused := w.count("replicaset-controller create pods Forbidden")
	if refused < 5 || refused > 25 {
		t.Errorf("refused %d times in about 10 s: with 50 Pods to create and a backoff from 5 ms it should be about a dozen", refused)
	}
	if e := w.events("FailedCreate"); len(e) == 0 || !strings.HasPrefix(e[0].Message, "Error creating: pods is forbidden: exceeded quota: compute") ||
		e[0].Type != corev1.EventTypeWarning {
		t.Errorf("events FailedCreate: %+v", e)
	}

	// The quota is raised: it recovers by itself, since it keeps trying.
	quota = 1000
	w.until(time.Minute, "50 ready", w.ready("web", 50))
	if c := w.replicaSet("web").Status.Conditions; len(c) != 0 {
		t.Errorf("conditions %+v after it worked", c)
	}
}

// In a namespace that is being deleted nothing is tried twice, and nothing told.
func TestNamespaceTerminating(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	w.refuse = func(c string, r *client.Request) error {
		if c != "replicaset-controller" || !creates(r, "pods") {
			return nil
		}
		err := apierrors.NewForbidden(api.GroupResource{Resource: "pods"}, "",
			errors.New("unable to create new content in namespace default because it is being terminated"))
		err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: "NamespaceTerminating"})
		return err
	}
	w.create(webReplicaSet(3))
	w.run(time.Minute)
	w.expectCount("replicaset-controller create pods Forbidden", 3)
	if n := len(w.events("FailedCreate")); n != 0 {
		t.Errorf("%d events FailedCreate", n)
	}
}

// While the cache of Pods stands still the controller creates no Pod twice,
// whatever else wakes it.
func TestStaleCache(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	w.paused["replicaset-controller/pods"] = true
	w.create(webReplicaSet(3))
	w.run(2 * time.Second)
	if n := len(w.pods()); n != 3 {
		t.Fatalf("%d Pods, want 3", n)
	}
	for i := range 5 {
		w.change("web", func(rs *appsv1.ReplicaSet) { rs.Annotations = map[string]string{"touched": fmt.Sprint(i)} })
		w.run(time.Second)
	}
	w.run(6 * time.Minute) // beyond the expectations' time
	w.change("web", func(rs *appsv1.ReplicaSet) { rs.Annotations = map[string]string{"touched": "late"} })
	w.run(2 * time.Second)
	w.expectCount("replicaset-controller create pods ok", 3)
	w.expectCount("replicaset-controller delete pods ok", 0)

	w.paused["replicaset-controller/pods"] = false
	w.scale("web", 5)
	w.until(20*time.Minute, "5 ready", w.ready("web", 5)) // the backoff of a stale key goes up to 16 minutes
	w.expectCount("replicaset-controller create pods ok", 5)
}

// A status that is refused is written once more on the newest version.
func TestStatusConflict(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	w.create(webReplicaSet(1))
	w.until(10*time.Second, "1 ready", w.ready("web", 1))
	w.audit = nil
	// The cache of ReplicaSets stands still while somebody writes: a real conflict.
	w.paused["replicaset-controller/replicasets"] = true
	w.change("web", func(rs *appsv1.ReplicaSet) { rs.Annotations = map[string]string{"who": "somebody"} })
	w.do(func(p *sim.Proc) error {
		return w.cs.CoreV1().Pods("default").Delete(p, w.pods()[0].Name, metav1.DeleteOptions{})
	})
	w.run(2 * time.Second)
	if w.count("replicaset-controller update replicasets/status Conflict") == 0 {
		t.Errorf("there was no conflict:\n%s", strings.Join(w.audit, "\n"))
	}
	if w.count("replicaset-controller update replicasets/status ok") == 0 {
		t.Errorf("the second try failed too:\n%s", strings.Join(w.audit, "\n"))
	}
	w.paused["replicaset-controller/replicasets"] = false
	w.until(time.Minute, "1 ready", w.ready("web", 1))
	if who := w.replicaSet("web").Annotations["who"]; who != "somebody" {
		t.Errorf("annotation %q: the status took somebody's change back", who)
	}
}

// What the controller forgets in a crash it finds again.
func TestRestart(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	w.create(webReplicaSet(8))
	w.until(time.Second, "the first Pod", func() bool { return len(w.pods()) > 0 })
	if err := w.m.StopController("replicaset-controller", "crash"); err != nil {
		t.Fatal(err)
	}
	w.run(5 * time.Second)
	if err := w.m.StartController("replicaset-controller"); err != nil {
		t.Fatal(err)
	}
	w.until(10*time.Second, "8 ready", w.ready("web", 8))
	w.expectCount("replicaset-controller delete pods ok", 0)
	if err := w.m.StartController("replicaset-controller"); err == nil {
		t.Error("it was started twice")
	}
	if err := w.m.StopController("replica-controller", ""); err == nil || !strings.Contains(err.Error(), `unknown controller "replica-controller"`) {
		t.Errorf("error %v", err)
	}
}

func TestMinReadySeconds(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	rs := webReplicaSet(3)
	rs.Spec.MinReadySeconds = 10
	w.create(rs)
	w.until(10*time.Second, "3 ready", w.ready("web", 3))
	if n := w.replicaSet("web").Status.AvailableReplicas; n != 0 {
		t.Errorf("%d available at once", n)
	}
	w.run(8 * time.Second)
	if n := w.replicaSet("web").Status.AvailableReplicas; n != 0 {
		t.Errorf("%d available after 8 s", n)
	}
	w.until(4*time.Second, "3 available", func() bool { return w.replicaSet("web").Status.AvailableReplicas == 3 })
}

// The same seed gives the same trace.
func TestDeterminism(t *testing.T) {
	run := func() string {
		w := newWorld(t, manager.DefaultOptions(), threeNodes...)
		w.create(webReplicaSet(5))
		w.run(5 * time.Second)
		w.scale("web", 2)
		w.run(5 * time.Second)
		var b strings.Builder
		for _, e := range w.k.Trace().Events(1) {
			fmt.Fprintln(&b, e.ID, e.Cause, e.At, e.Component, e.Process, e.Op, e.Object, e.Attrs)
		}
		return b.String()
	}
	a, b := strings.Split(run(), "\n"), strings.Split(run(), "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Fatalf("event %d differs:\n%s\n%s", i+1, a[i], b[min(i, len(b)-1)])
		}
	}
}

func TestControllersOption(t *testing.T) {
	var all []string
	for _, d := range manager.NewControllerDescriptors() {
		all = append(all, d.Component)
	}
	special := []string{"certificate-controller", "clusterrole-aggregation-controller", "validatingadmissionpolicy-status-controller", "bootstrap-signer",
		"attachdetach-controller", "device-taint-eviction-controller", "endpointslicemirroring-controller", "resource-claim-controller"}
	usual := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return slices.Contains(special, n) })
	for _, c := range []struct {
		controllers []string
		want        string
		err         string
	}{
		{nil, strings.Join(usual, " "), ""},
		{append([]string{"*"}, special...), strings.Join(all, " "), ""},
		{[]string{"*", "-node-lifecycle-controller"}, strings.Join(slices.DeleteFunc(slices.Clone(usual), func(n string) bool { return n == "node-controller" }), " "),
			""},
		{[]string{"replicaset-controller"}, "replicaset-controller", ""},
		{[]string{"replicaset"}, "", `unknown controller "replicaset"`},
	} {
		w := newWorld(t, manager.Options{Controllers: []string{"replicaset-controller"}, ConcurrentRSSyncs: 1})
		options := manager.DefaultOptions()
		options.Controllers = c.controllers
		if err := w.m.StopController("replicaset-controller", "end"); err != nil {
			t.Fatal(err)
		}
		m, err := manager.Start(w.k, w, options)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v: error %v, want %s", c.controllers, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.controllers, err)
			continue
		}
		if got := strings.Join(m.Components(), " "); got != c.want {
			t.Errorf("%v: %s, want %s", c.controllers, got, c.want)
		}
	}
}
