package manager_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/deployment"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func deployments() manager.Options {
	return only("deployment-controller", "replicaset-controller", "generic-garbage-collector")
}

func webDeployment(replicas int32) *appsv1.Deployment {
	rs := webReplicaSet(replicas)
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}
	d.Spec.Replicas, d.Spec.Selector, d.Spec.Template = &replicas, rs.Spec.Selector, rs.Spec.Template
	return d
}

func (w *world) createDeployment(d *appsv1.Deployment) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.AppsV1().Deployments(d.Namespace).Create(p, d, metav1.CreateOptions{})
		return err
	})
}

func (w *world) changeDeployment(change func(d *appsv1.Deployment)) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		c := w.cs.AppsV1().Deployments("default")
		for {
			d, err := c.Get(p, "web", metav1.GetOptions{})
			if err != nil {
				return err
			}
			d = d.DeepCopy()
			change(d)
			if _, err = c.Update(p, d, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				return err
			}
		}
	})
}

func (w *world) setImage(image string) {
	w.t.Helper()
	w.changeDeployment(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = image })
}

func (w *world) deployment() *appsv1.Deployment {
	for _, d := range objects[*appsv1.Deployment](w, "deployments") {
		return d
	}
	return nil
}

// set is the ReplicaSet of an image.
func (w *world) set(image string) *appsv1.ReplicaSet {
	for _, rs := range objects[*appsv1.ReplicaSet](w, "replicasets") {
		if rs.Spec.Template.Spec.Containers[0].Image == image {
			return rs
		}
	}
	return nil
}

func (w *world) rolledOut(image string, n int32) func() bool {
	return func() bool {
		d, rs := w.deployment(), w.set(image)
		if d == nil || rs == nil || *rs.Spec.Replicas != n || !deployment.DeploymentComplete(d, &d.Status) || int(n) != len(w.pods()) {
			return false
		}
		c := deployment.GetDeploymentCondition(&d.Status, appsv1.DeploymentProgressing)
		return c != nil && c.Reason == deployment.NewRSAvailableReason
	}
}

func conditions(d *appsv1.Deployment) string {
	var out []string
	for _, c := range d.Status.Conditions {
		out = append(out, fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason))
	}
	return strings.Join(out, ", ")
}

func TestDeploymentLife(t *testing.T) {
	w := newWorld(t, deployments(), threeNodes...)
	w.createDeployment(webDeployment(4))
	w.until(20*time.Second, "4 of 1.27", w.rolledOut("nginx:1.27", 4))
	first := w.set("nginx:1.27")
	hash := first.Labels["pod-template-hash"]
	if first.Name != "web-"+hash || first.Spec.Selector.MatchLabels["pod-template-hash"] != hash || first.Spec.Template.Labels["pod-template-hash"] != hash {
		t.Errorf("ReplicaSet %s has hash %q in its labels, selector %v, template %v", first.Name, hash, first.Spec.Selector.MatchLabels, first.Spec.Template.Labels)
	}
	for k, want := range map[string]string{deployment.RevisionAnnotation: "1", deployment.DesiredReplicasAnnotation: "4", deployment.MaxReplicasAnnotation: "5"} {
		if got := first.Annotations[k]; got != want {
			t.Errorf("%s: %q, want %q", k, got, want)
		}
	}
	if got := conditions(w.deployment()); got != "Available=True MinimumReplicasAvailable, Progressing=True NewReplicaSetAvailable" {
		t.Errorf("conditions %s", got)
	}
	e := w.events("ScalingReplicaSet")
	if len(e) != 1 || e[0].Message != "Scaled up replica set "+first.Name+" from 0 to 4" || e[0].Source.Component != "deployment-controller" {
		t.Errorf("events %+v", e)
	}

	w.setImage("nginx:1.28")
	w.until(30*time.Second, "4 of 1.28", w.rolledOut("nginx:1.28", 4))
	if got := w.deployment().Annotations[deployment.RevisionAnnotation]; got != "2" {
		t.Errorf("revision %q", got)
	}
	// Back to the first template: its ReplicaSet becomes the newest, and remembers.
	w.setImage("nginx:1.27")
	w.until(30*time.Second, "4 of 1.27 again", w.rolledOut("nginx:1.27", 4))
	again := w.set("nginx:1.27")
	if again.UID != first.UID || again.Annotations[deployment.RevisionAnnotation] != "3" || again.Annotations[deployment.RevisionHistoryAnnotation] != "1" {
		t.Errorf("after going back: %s, revision %s, history %s", again.Name, again.Annotations[deployment.RevisionAnnotation],
			again.Annotations[deployment.RevisionHistoryAnnotation])
	}
	if n := len(objects[*appsv1.ReplicaSet](w, "replicasets")); n != 2 {
		t.Errorf("%d ReplicaSets, want 2", n)
	}

	// Paused, nothing rolls, but it scales.
	w.changeDeployment(func(d *appsv1.Deployment) { d.Spec.Paused = true })
	w.until(5*time.Second, "paused", func() bool {
		return strings.Contains(conditions(w.deployment()), "Progressing=Unknown DeploymentPaused")
	})
	w.setImage("nginx:1.29")
	five := int32(5)
	w.changeDeployment(func(d *appsv1.Deployment) { d.Spec.Replicas = &five })
	w.until(10*time.Second, "5 Pods", func() bool { return len(w.pods()) == 5 && w.deployment().Status.ReadyReplicas == 5 })
	if rs := w.set("nginx:1.29"); rs != nil {
		t.Errorf("%s was made while paused", rs.Name)
	}
	w.changeDeployment(func(d *appsv1.Deployment) { d.Spec.Paused = false })
	w.until(30*time.Second, "5 of 1.29", w.rolledOut("nginx:1.29", 5))

	foreground := metav1.DeletePropagationForeground
	w.do(func(p *sim.Proc) error {
		return w.cs.AppsV1().Deployments("default").Delete(p, "web", metav1.DeleteOptions{PropagationPolicy: &foreground})
	})
	w.until(30*time.Second, "all gone", func() bool {
		return w.deployment() == nil && len(objects[*appsv1.ReplicaSet](w, "replicasets")) == 0 && len(w.pods()) == 0
	})
}

// Random roll-outs keep within their bounds at every moment, if their controllers are never throttled. A controller that
// waits before its requests lets Pods and statuses lag behind what the bounds are reckoned from, here and upstream.
// Upstream: pkg/controller/deployment/rolling.go and util/deployment_util.go: spec.replicas and status.availableReplicas.
func TestRollingBounds(t *testing.T) {
	for seed := range int64(12) {
		r := rand.New(rand.NewSource(seed))
		amount := func(zero bool) *intstr.IntOrString {
			lo := 1
			if zero {
				lo = 0
			}
			v := intstr.FromInt32(int32(lo + r.Intn(4)))
			if r.Intn(2) == 0 {
				v = intstr.FromString(fmt.Sprintf("%d%%", 10*(lo+r.Intn(9))))
			}
			return &v
		}
		replicas := int32(1 + r.Intn(9))
		d := webDeployment(replicas)
		surge := amount(true)
		unavailable := amount(surge.IntValue() == 0 && surge.StrVal != "0%" && surge.Type == intstr.String)
		if surge.String() == "0" || surge.String() == "0%" {
			unavailable = amount(false)
		}
		d.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
		d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: surge, MaxUnavailable: unavailable}
		d.Spec.MinReadySeconds = int32(r.Intn(3))
		maxSurge, maxUnavailable := deployment.MaxSurge(d), deployment.MaxUnavailable(d)
		name := fmt.Sprintf("seed %d: replicas=%d maxSurge=%s (%d) maxUnavailable=%s (%d) minReadySeconds=%d", seed, replicas, surge, maxSurge, unavailable,
			maxUnavailable, d.Spec.MinReadySeconds)

		options := deployments()
		options.ClientLimit = client.Limit{}
		w := newWorld(t, options, threeNodes...)
		w.createDeployment(d)
		w.until(time.Minute, name+": up", w.rolledOut("nginx:1.27", replicas))
		from := w.k.Trace().Len()
		w.setImage("nginx:1.28")
		w.run(time.Duration(r.Intn(3000)) * time.Millisecond)
		if r.Intn(3) == 0 {
			w.setImage("nginx:1.29") // in the middle of it
			w.until(2*time.Minute, name+": 1.29", w.rolledOut("nginx:1.29", replicas))
		} else {
			w.until(2*time.Minute, name+": 1.28", w.rolledOut("nginx:1.28", replicas))
		}
		w.checkBounds(name, from, replicas, replicas+maxSurge, replicas-maxUnavailable, d.Spec.MinReadySeconds)
	}
}

// checkBounds looks at the Pods after every commit: those that are not being
// deleted are never more than most, those that are available never fewer than least.
func (w *world) checkBounds(name string, from int, replicas, most, least, minReadySeconds int32) {
	w.t.Helper()
	pods := map[string]*corev1.Pod{}
	for i, e := range w.k.Trace().Events(1) {
		if e.Op != trace.StoreCommit || e.Object.Resource != "pods" {
			continue
		}
		for _, d := range e.Deltas {
			if d.Cell.Kind != trace.CellObject {
				continue
			}
			if pod, ok := d.New.(*corev1.Pod); ok {
				pods[d.Cell.Key] = pod
			} else {
				delete(pods, d.Cell.Key)
			}
		}
		if i < from {
			continue
		}
		var active, available int32
		for _, pod := range pods {
			if !controller.IsPodActive(pod) {
				continue
			}
			active++
			if controller.IsPodAvailable(pod, minReadySeconds, epoch.Add(e.At)) {
				available++
			}
		}
		if active > most || available < least {
			w.t.Errorf("%s: after event %d at %v there are %d Pods, at most %d are allowed, and %d are available, at least %d have to be", name, e.ID, e.At, active,
				most, available, least)
			return
		}
	}
}

func TestRecreate(t *testing.T) {
	w := newWorld(t, deployments(), threeNodes...)
	d := webDeployment(3)
	d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	w.createDeployment(d)
	w.until(20*time.Second, "3 of 1.27", w.rolledOut("nginx:1.27", 3))
	w.setImage("nginx:1.28")
	w.until(30*time.Second, "3 of 1.28", w.rolledOut("nginx:1.28", 3))
	// No Pod of the new version was there before the last old one was gone.
	images := map[string]string{}
	for _, e := range w.k.Trace().Events(1) {
		if e.Op != trace.StoreCommit || e.Object.Resource != "pods" {
			continue
		}
		for _, d := range e.Deltas {
			if d.Cell.Kind == trace.CellObject {
				delete(images, d.Cell.Key)
				if pod, ok := d.New.(*corev1.Pod); ok {
					images[d.Cell.Key] = pod.Spec.Containers[0].Image
				}
			}
		}
		seen := map[string]bool{}
		for _, image := range images {
			seen[image] = true
		}
		if len(seen) > 1 {
			t.Fatalf("at %v two versions are there: %v", e.At, images)
		}
	}
}

func TestProgressDeadline(t *testing.T) {
	w := newWorld(t, deployments(), threeNodes...)
	d := webDeployment(3)
	ten, one := int32(10), intstr.FromInt32(1)
	d.Spec.ProgressDeadlineSeconds = &ten
	d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &one, MaxUnavailable: &one}
	w.createDeployment(d)
	w.until(20*time.Second, "3 of 1.27", w.rolledOut("nginx:1.27", 3))
	for _, n := range threeNodes {
		w.silent[n] = true // whatever comes now never gets ready
	}
	w.setImage("nginx:1.28")
	w.until(30*time.Second, "a missed deadline", func() bool {
		return strings.Contains(conditions(w.deployment()), "Progressing=False ProgressDeadlineExceeded")
	})
	c := deployment.GetDeploymentCondition(&w.deployment().Status, appsv1.DeploymentProgressing)
	if want := `ReplicaSet "` + w.set("nginx:1.28").Name + `" has timed out progressing.`; c.Message != want {
		t.Errorf("message %q, want %q", c.Message, want)
	}
	if n := *w.set("nginx:1.27").Spec.Replicas; n != 2 {
		t.Errorf("the old version has %d replicas: 2 have to stay available", n)
	}
	// A quota, or whatever refuses Pods, shows in the Deployment.
	for _, n := range threeNodes {
		w.silent[n] = false
	}
	w.until(time.Minute, "3 of 1.28", w.rolledOut("nginx:1.28", 3))
}

// In the middle of a roll-out a scaled Deployment grows in proportion.
func TestProportionalScaling(t *testing.T) {
	w := newWorld(t, deployments(), threeNodes...)
	d := webDeployment(10)
	three, two := intstr.FromInt32(3), intstr.FromInt32(2)
	d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &three, MaxUnavailable: &two}
	w.createDeployment(d)
	w.until(20*time.Second, "10 of 1.27", w.rolledOut("nginx:1.27", 10))
	for _, n := range threeNodes {
		w.silent[n] = true
	}
	w.setImage("nginx:1.28")
	w.run(5 * time.Second)
	if a, b := *w.set("nginx:1.27").Spec.Replicas, *w.set("nginx:1.28").Spec.Replicas; a != 8 || b != 5 {
		t.Fatalf("%d old and %d new, want 8 and 5", a, b)
	}
	fifteen := int32(15)
	w.changeDeployment(func(d *appsv1.Deployment) { d.Spec.Replicas = &fifteen })
	w.run(5 * time.Second)
	if a, b := *w.set("nginx:1.27").Spec.Replicas, *w.set("nginx:1.28").Spec.Replicas; a != 11 || b != 7 {
		t.Errorf("%d old and %d new, want 11 and 7", a, b)
	}
}

func TestRevisionHistoryLimit(t *testing.T) {
	w := newWorld(t, deployments(), threeNodes...)
	d := webDeployment(1)
	two := int32(2)
	d.Spec.RevisionHistoryLimit = &two
	w.createDeployment(d)
	for i := range 5 {
		image := fmt.Sprintf("nginx:1.%d", 27+i)
		w.setImage(image)
		w.until(30*time.Second, image, w.rolledOut(image, 1))
	}
	w.until(10*time.Second, "two old ReplicaSets", func() bool { return len(objects[*appsv1.ReplicaSet](w, "replicasets")) == 3 })
	for _, image := range []string{"nginx:1.29", "nginx:1.30", "nginx:1.31"} {
		if w.set(image) == nil {
			t.Errorf("the ReplicaSet of %s is gone", image)
		}
	}
}

// Two Deployments whose templates have the same hash: the name is taken, so a
// collision is counted and another tried.
func TestHashCollision(t *testing.T) {
	w := newWorld(t, deployments(), threeNodes...)
	d := webDeployment(1)
	probe := webDeployment(1)
	w.createDeployment(probe)
	w.until(20*time.Second, "1 of 1.27", w.rolledOut("nginx:1.27", 1))
	taken := w.set("nginx:1.27").Name
	background := metav1.DeletePropagationBackground
	w.do(func(p *sim.Proc) error {
		return w.cs.AppsV1().Deployments("default").Delete(p, "web", metav1.DeleteOptions{PropagationPolicy: &background})
	})
	w.until(30*time.Second, "all gone", func() bool { return len(objects[*appsv1.ReplicaSet](w, "replicasets")) == 0 && len(w.pods()) == 0 })
	other := webReplicaSet(0)
	other.Name = taken
	other.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
	other.Spec.Template.Labels = map[string]string{"app": "other"}
	w.create(other)
	w.createDeployment(d)
	w.until(30*time.Second, "1 under another name", func() bool {
		return w.deployment() != nil && w.deployment().Status.AvailableReplicas == 1
	})
	if n := w.deployment().Status.CollisionCount; n == nil || *n != 1 {
		t.Errorf("collisionCount %v, want 1", n)
	}
}

// A ReplicaSet that somebody made by hand is adopted, and let go.
func TestDeploymentAdoption(t *testing.T) {
	w := newWorld(t, deployments(), threeNodes...)
	rs := webReplicaSet(2)
	rs.Labels = map[string]string{"app": "web"}
	w.create(rs)
	w.until(10*time.Second, "2 ready", w.ready("web", 2))
	w.createDeployment(webDeployment(2))
	w.until(10*time.Second, "2 of 1.27", w.rolledOut("nginx:1.27", 2))
	if ref := metav1.GetControllerOf(w.replicaSet("web")); ref == nil || ref.Kind != "Deployment" {
		t.Errorf("ReplicaSet web is owned by %+v", ref)
	}
	if n := len(objects[*appsv1.ReplicaSet](w, "replicasets")); n != 1 {
		t.Errorf("%d ReplicaSets, want the adopted one", n)
	}
	w.change("web", func(rs *appsv1.ReplicaSet) { rs.Labels = map[string]string{"app": "mine"} })
	w.until(10*time.Second, "released, and another in its place", func() bool {
		return metav1.GetControllerOf(w.replicaSet("web")) == nil && len(objects[*appsv1.ReplicaSet](w, "replicasets")) == 2
	})
}
