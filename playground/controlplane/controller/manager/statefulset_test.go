package manager_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func statefulSets() manager.Options {
	return only("statefulset-controller", "generic-garbage-collector")
}

func database(replicas int32) *appsv1.StatefulSet {
	rs := webReplicaSet(replicas)
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "default"}}
	set.Spec.Replicas, set.Spec.Selector, set.Spec.Template, set.Spec.ServiceName = &replicas, rs.Spec.Selector, rs.Spec.Template, "db"
	return set
}

func withClaim(set *appsv1.StatefulSet) *appsv1.StatefulSet {
	claim := corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data"}}
	claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{claim}
	return set
}

func (w *world) createStatefulSet(set *appsv1.StatefulSet) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.AppsV1().StatefulSets(set.Namespace).Create(p, set, metav1.CreateOptions{})
		return err
	})
}

func (w *world) changeStatefulSet(change func(set *appsv1.StatefulSet)) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		c := w.cs.AppsV1().StatefulSets("default")
		for {
			set, err := c.Get(p, "db", metav1.GetOptions{})
			if err != nil {
				return err
			}
			set = set.DeepCopy()
			change(set)
			if _, err = c.Update(p, set, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				return err
			}
		}
	})
}

func (w *world) scaleStatefulSet(n int32) {
	w.t.Helper()
	w.changeStatefulSet(func(set *appsv1.StatefulSet) { set.Spec.Replicas = &n })
}

func (w *world) statefulSet() *appsv1.StatefulSet {
	for _, set := range objects[*appsv1.StatefulSet](w, "statefulsets") {
		return set
	}
	return nil
}

func (w *world) claims() string {
	var out []string
	for _, c := range objects[*corev1.PersistentVolumeClaim](w, "persistentvolumeclaims") {
		out = append(out, c.Name)
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

// settled: exactly these Pods, all ready, all of that image unless it is "".
func (w *world) settled(image string, names ...string) func() bool {
	return func() bool {
		set := w.statefulSet()
		n := int32(len(names))
		if set == nil || strings.Join(sortedNames(w.pods()), " ") != strings.Join(names, " ") || set.Status.ReadyReplicas != n ||
			set.Status.Replicas != n || set.Status.ObservedGeneration != set.Generation {
			return false
		}
		return image == "" || w.images(image) && set.Status.CurrentRevision == set.Status.UpdateRevision && set.Status.UpdatedReplicas == n
	}
}

// happenings lists what happened to Pods from an event on: "+db-0" made, "=db-0" ready, "-db-0" gone.
func (w *world) happenings(from int) []string {
	var out []string
	for i, e := range w.k.Trace().Events(1) {
		if i < from || e.Op != trace.StoreCommit || e.Object.Resource != "pods" {
			continue
		}
		for _, d := range e.Deltas {
			if d.Cell.Kind != trace.CellObject {
				continue
			}
			old, _ := d.Old.(*corev1.Pod)
			pod, _ := d.New.(*corev1.Pod)
			switch {
			case pod == nil && old != nil:
				out = append(out, "-"+old.Name)
			case pod != nil && old == nil:
				out = append(out, "+"+pod.Name)
			case pod != nil && controller.IsPodReady(pod) && !controller.IsPodReady(old):
				out = append(out, "="+pod.Name)
			}
		}
	}
	return out
}

func TestStatefulSetInOrder(t *testing.T) {
	w := newWorld(t, statefulSets(), threeNodes...)
	from := w.k.Trace().Len()
	expect := func(what, want string) {
		t.Helper()
		if got := strings.Join(w.happenings(from), " "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
		}
		from = w.k.Trace().Len()
	}
	w.createStatefulSet(withClaim(database(3)))
	w.until(20*time.Second, "three", w.settled("nginx:1.27", "db-0", "db-1", "db-2"))
	expect("creation", "+db-0 =db-0 +db-1 =db-1 +db-2 =db-2")
	if got := w.claims(); got != "data-db-0 data-db-1 data-db-2" {
		t.Errorf("claims %s", got)
	}
	pod := w.pods()[1]
	if pod.Spec.Hostname != "db-1" || pod.Spec.Subdomain != "db" || pod.Labels["statefulset.kubernetes.io/pod-name"] != "db-1" ||
		pod.Labels["apps.kubernetes.io/pod-index"] != "1" || pod.Labels["controller-revision-hash"] != w.statefulSet().Status.CurrentRevision ||
		pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName != "data-db-1" {
		t.Errorf("db-1: hostname %q, subdomain %q, labels %v, volumes %+v", pod.Spec.Hostname, pod.Spec.Subdomain, pod.Labels, pod.Spec.Volumes)
	}
	if e := w.events("SuccessfulCreate"); len(e) != 6 || e[0].Message != "create Claim data-db-0 Pod db-0 in StatefulSet db success" &&
		e[0].Message != "create Pod db-0 in StatefulSet db successful" {
		t.Errorf("%d events, first %+v", len(e), e[0])
	}

	w.changeStatefulSet(func(set *appsv1.StatefulSet) { set.Spec.Template.Spec.Containers[0].Image = "nginx:1.28" })
	w.until(30*time.Second, "updated", w.settled("nginx:1.28", "db-0", "db-1", "db-2"))
	expect("update", "-db-2 +db-2 =db-2 -db-1 +db-1 =db-1 -db-0 +db-0 =db-0")

	w.scaleStatefulSet(1)
	w.until(20*time.Second, "one", w.settled("nginx:1.28", "db-0"))
	expect("scale down", "-db-2 -db-1")
	if got := w.claims(); got != "data-db-0 data-db-1 data-db-2" {
		t.Errorf("claims after scaling down: %s", got)
	}
	w.do(func(p *sim.Proc) error {
		return w.cs.CoreV1().Pods("default").Delete(p, "db-0", metav1.DeleteOptions{})
	})
	w.run(time.Second)
	w.until(20*time.Second, "healed", w.settled("nginx:1.28", "db-0"))
	expect("healing", "-db-0 +db-0 =db-0")
}

func TestStatefulSetParallel(t *testing.T) {
	w := newWorld(t, statefulSets(), threeNodes...)
	from := w.k.Trace().Len()
	set := database(4)
	set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
	set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: 5}
	w.createStatefulSet(set)
	w.until(20*time.Second, "four from 5 on", w.settled("nginx:1.27", "db-5", "db-6", "db-7", "db-8"))
	got := strings.Join(w.happenings(from)[:4], " ")
	if !strings.HasPrefix(got, "+db-5 +db-6 +db-7") {
		t.Errorf("Pods came one by one: %s", got)
	}
}

func TestStatefulSetPartition(t *testing.T) {
	w := newWorld(t, statefulSets(), threeNodes...)
	w.createStatefulSet(database(4))
	w.until(20*time.Second, "four", w.settled("nginx:1.27", "db-0", "db-1", "db-2", "db-3"))
	three, zero := int32(3), int32(0)
	w.changeStatefulSet(func(set *appsv1.StatefulSet) {
		set.Spec.UpdateStrategy.RollingUpdate.Partition = &three
		set.Spec.Template.Spec.Containers[0].Image = "nginx:1.28"
	})
	w.run(5 * time.Second)
	for _, p := range w.pods() {
		if is := p.Spec.Containers[0].Image == "nginx:1.28"; is != (p.Name == "db-3") {
			t.Errorf("%s has %s", p.Name, p.Spec.Containers[0].Image)
		}
	}
	// Below the partition a Pod comes back as it was.
	w.do(func(p *sim.Proc) error {
		return w.cs.CoreV1().Pods("default").Delete(p, "db-1", metav1.DeleteOptions{})
	})
	w.run(5 * time.Second)
	for _, p := range w.pods() {
		if p.Name == "db-1" && p.Spec.Containers[0].Image != "nginx:1.27" {
			t.Errorf("db-1 came back with %s", p.Spec.Containers[0].Image)
		}
	}
	if s := w.statefulSet().Status; s.CurrentReplicas != 3 || s.UpdatedReplicas != 1 || s.CurrentRevision == s.UpdateRevision {
		t.Errorf("status %+v", s)
	}
	w.changeStatefulSet(func(set *appsv1.StatefulSet) { set.Spec.UpdateStrategy.RollingUpdate.Partition = &zero })
	w.until(30*time.Second, "all updated", w.settled("nginx:1.28", "db-0", "db-1", "db-2", "db-3"))
}

// An update whose first Pod does not come up stops there, and taking it back
// does not help until somebody deletes that Pod.
func TestStatefulSetStuck(t *testing.T) {
	w := newWorld(t, statefulSets(), threeNodes...)
	w.createStatefulSet(database(3))
	w.until(20*time.Second, "three", w.settled("nginx:1.27", "db-0", "db-1", "db-2"))
	for _, n := range threeNodes {
		w.silent[n] = true
	}
	end := func(name string) {
		now := int64(0)
		w.do(func(p *sim.Proc) error {
			return w.cs.CoreV1().Pods("default").Delete(p, name, metav1.DeleteOptions{GracePeriodSeconds: &now})
		})
	}
	w.changeStatefulSet(func(set *appsv1.StatefulSet) { set.Spec.Template.Spec.Containers[0].Image = "broken" })
	w.run(2 * time.Second)
	end("db-2") // its kubelet is silent: the test ends it
	w.run(5 * time.Second)
	w.changeStatefulSet(func(set *appsv1.StatefulSet) { set.Spec.Template.Spec.Containers[0].Image = "nginx:1.27" })
	w.run(5 * time.Second)
	images := func() string {
		var out []string
		for _, p := range w.pods() {
			out = append(out, p.Name+"="+p.Spec.Containers[0].Image)
		}
		return strings.Join(out, " ")
	}
	if got := images(); got != "db-0=nginx:1.27 db-1=nginx:1.27 db-2=broken" {
		t.Errorf("after it was taken back: %s", got)
	}
	end("db-2")
	for _, n := range threeNodes {
		w.silent[n] = false
	}
	w.until(20*time.Second, "three again", w.settled("nginx:1.27", "db-0", "db-1", "db-2"))
}

func TestStatefulSetMaxUnavailable(t *testing.T) {
	w := newWorld(t, statefulSets(), threeNodes...)
	set := database(6)
	two := intstr.FromInt32(2)
	set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
	set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{MaxUnavailable: &two}
	w.createStatefulSet(set)
	all := []string{"db-0", "db-1", "db-2", "db-3", "db-4", "db-5"}
	w.until(20*time.Second, "six", w.settled("nginx:1.27", all...))
	from := w.k.Trace().Len()
	w.changeStatefulSet(func(set *appsv1.StatefulSet) { set.Spec.Template.Spec.Containers[0].Image = "nginx:1.28" })
	w.until(30*time.Second, "updated", w.settled("nginx:1.28", all...))
	down, most := 0, 0
	for _, h := range w.happenings(from) {
		switch h[0] {
		case '-':
			down++
		case '=':
			down--
		}
		most = max(most, down)
	}
	if most != 2 {
		t.Errorf("at most %d were down at once, want 2: %v", most, w.happenings(from))
	}
}

func TestClaimRetention(t *testing.T) {
	retain, remove := appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType
	for _, c := range []struct {
		whenDeleted, whenScaled           appsv1.PersistentVolumeClaimRetentionPolicyType
		afterScaling, afterDeletingTheSet string
	}{
		{retain, retain, "data-db-0 data-db-1 data-db-2", "data-db-0 data-db-1 data-db-2"},
		{remove, retain, "data-db-0 data-db-1 data-db-2", ""},
		{retain, remove, "data-db-0", "data-db-0"},
		{remove, remove, "data-db-0", ""},
	} {
		name := fmt.Sprintf("whenDeleted=%s whenScaled=%s", c.whenDeleted, c.whenScaled)
		w := newWorld(t, statefulSets(), threeNodes...)
		set := withClaim(database(3))
		set.Spec.PersistentVolumeClaimRetentionPolicy = &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{WhenDeleted: c.whenDeleted, WhenScaled: c.whenScaled}
		w.createStatefulSet(set)
		w.until(20*time.Second, name+": three", w.settled("nginx:1.27", "db-0", "db-1", "db-2"))
		w.run(5 * time.Second)
		w.scaleStatefulSet(1)
		w.until(20*time.Second, name+": one", w.settled("nginx:1.27", "db-0"))
		w.run(10 * time.Second)
		if got := w.claims(); got != c.afterScaling {
			t.Errorf("%s: after scaling: %q, want %q", name, got, c.afterScaling)
		}
		background := metav1.DeletePropagationBackground
		w.do(func(p *sim.Proc) error {
			return w.cs.AppsV1().StatefulSets("default").Delete(p, "db", metav1.DeleteOptions{PropagationPolicy: &background})
		})
		w.run(20 * time.Second)
		if got := w.claims(); got != c.afterDeletingTheSet {
			t.Errorf("%s: after deleting the set: %q, want %q", name, got, c.afterDeletingTheSet)
		}
	}
}

func TestStatefulSetForbidden(t *testing.T) {
	w := newWorld(t, statefulSets(), threeNodes...)
	w.createStatefulSet(database(1))
	var err error
	w.do(func(p *sim.Proc) error {
		set, getErr := w.cs.AppsV1().StatefulSets("default").Get(p, "db", metav1.GetOptions{})
		if getErr != nil {
			return getErr
		}
		set = set.DeepCopy()
		set.Spec.ServiceName = "other"
		_, err = w.cs.AppsV1().StatefulSets("default").Update(p, set, metav1.UpdateOptions{})
		return nil
	})
	want := `StatefulSet.apps "db" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`
	if fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestStatefulSetWithAReadyPodThatDoesNotRun: a Pod whose status somebody wrote, ready and not running, holds up the scale down, and breaks nothing.
func TestStatefulSetWithAReadyPodThatDoesNotRun(t *testing.T) {
	w := newWorld(t, statefulSets(), threeNodes...)
	w.createStatefulSet(database(2))
	w.until(20*time.Second, "two", w.settled("nginx:1.27", "db-0", "db-1"))
	w.do(func(p *sim.Proc) error {
		pod := w.pods()[1].DeepCopy()
		pod.Status.Phase = corev1.PodPending
		_, err := w.cs.CoreV1().Pods("default").UpdateStatus(p, pod, metav1.UpdateOptions{})
		return err
	})
	w.scaleStatefulSet(1)
	w.run(5 * time.Second)
	waits := 0
	for _, e := range w.k.Trace().Events(1) {
		if e.Op == trace.Log && e.Text("message") == "StatefulSet is waiting for Pod to be Running and Ready prior to scale down" && e.Text("pod") == "" {
			waits++
		}
	}
	if got := strings.Join(sortedNames(w.pods()), " "); got != "db-0 db-1" || waits == 0 {
		t.Errorf("%s are there, and it waited %d times", got, waits)
	}
}
