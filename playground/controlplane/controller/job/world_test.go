package job_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var epoch = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// world is a real API server with the controllers under test, and a stand-in for
// scheduler and kubelet that does with each Pod what fate says.
type world struct {
	t      *testing.T
	k      *sim.Kernel
	server client.Transport
	cs     *client.Clientset
	m      *manager.Manager
	user   *sim.Component
	// fate says what becomes of a Pod that was just started: how long it runs and
	// its exit code; never is longer than any test.
	fate func(pod *corev1.Pod) (time.Duration, int32)
	// refuse may fail a request before it reaches the server.
	refuse func(component string, r *client.Request) error
	// lag is how much later the Job controller sees a change of a resource; nil is at once.
	lag func(resource string) time.Duration
}

const never = 1000 * time.Hour

func succeed(after time.Duration) func(*corev1.Pod) (time.Duration, int32) {
	return func(*corev1.Pod) (time.Duration, int32) { return after, 0 }
}

func newWorld(t *testing.T, seed uint64, controllers ...string) *world {
	t.Helper()
	return newLateWorld(t, seed, nil, controllers...)
}

func newLateWorld(t *testing.T, seed uint64, lag func(resource string) time.Duration, controllers ...string) *world {
	t.Helper()
	k := sim.New(seed, epoch, trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	w := &world{t: t, k: k, lag: lag, fate: succeed(2 * time.Second), refuse: func(string, *client.Request) error { return nil }}
	w.server = apiserver.New(k.Start("kube-apiserver"), store.New(k.Start("etcd"), store.DefaultOptions()), apiserver.DefaultOptions())
	w.cs = client.New(w)
	w.user = k.Start("kubectl")
	w.run(time.Second)
	options := manager.DefaultOptions()
	options.Controllers = controllers
	m, err := manager.Start(k, w, options)
	if err != nil {
		t.Fatal(err)
	}
	w.m = m
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().ServiceAccounts("default").Create(p, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: "default"}},
			metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
	k.Start("kubelet").Go("kubelet", w.kubelet)
	w.run(time.Second)
	return w
}

func (w *world) Do(p *sim.Proc, r *client.Request) (client.Result, error) {
	if err := w.refuse(p.Component().Name(), r); err != nil {
		return nil, err
	}
	return w.server.Do(p, r)
}

func (w *world) Watch(p *sim.Proc, r *client.Request) (client.Stream, error) {
	s, err := w.server.Watch(p, r)
	if err != nil || w.lag == nil {
		return s, err
	}
	return &lateStream{s, w, r.Resource.Resource}, nil
}

// lateStream delivers late what the Job controller watches, and so makes its caches stale.
type lateStream struct {
	client.Stream
	w        *world
	resource string
}

func (s *lateStream) Next(p *sim.Proc) (client.Event, bool) {
	e, ok := s.Stream.Next(p)
	if s.w.lag != nil && p.Component().Name() == "job-controller" {
		p.Sleep(s.w.lag(s.resource))
	}
	return e, ok
}

func (w *world) run(d time.Duration) { w.k.RunUntil(w.k.Elapsed() + d) }

// do runs body as a process of the user and waits for it.
func (w *world) do(body func(p *sim.Proc) error) {
	w.t.Helper()
	done := false
	w.user.Go("user", func(p *sim.Proc) {
		if err := body(p); err != nil {
			w.t.Error(err)
		}
		done = true
	})
	for limit := w.k.Elapsed() + time.Minute; !done; {
		if w.k.Elapsed() > limit || !w.k.Step() {
			w.t.Fatal("the user waits for an answer that does not come")
		}
	}
}

func (w *world) until(limit time.Duration, what string, holds func() bool) {
	w.t.Helper()
	for end := w.k.Elapsed() + limit; !holds(); w.run(100 * time.Millisecond) {
		if w.k.Elapsed() >= end {
			w.t.Fatalf("after %v: not %s\n%s\nlog:\n%s", limit, what, w.show(), w.log(40))
		}
	}
}

func (w *world) log(n int) string {
	var lines []string
	for _, e := range w.k.Trace().Events(1) {
		if e.Op == trace.Log {
			line := fmt.Sprintf("%v %s", e.At, e.Component)
			for _, a := range e.Attrs {
				line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// objects reads the cells of the trace, so that looking takes no time.
func objects[T api.Object](w *world, resource string) []T {
	state := w.k.Trace().Now()
	var out []T
	for _, cell := range state.Cells(trace.CellObject) {
		if obj, ok := state[cell].(T); ok && cell.Owner == resource {
			out = append(out, obj)
		}
	}
	return out
}

func (w *world) pods() []*corev1.Pod { return objects[*corev1.Pod](w, "pods") }

func (w *world) job(name string) *batchv1.Job {
	for _, j := range objects[*batchv1.Job](w, "jobs") {
		if j.Name == name {
			return j
		}
	}
	return nil
}

func (w *world) show() string {
	var b strings.Builder
	for _, j := range objects[*batchv1.Job](w, "jobs") {
		fmt.Fprintf(&b, "job %s %s\n", j.Name, status(j))
	}
	for _, p := range w.pods() {
		fmt.Fprintf(&b, "pod %s %s deleted=%v finalizers=%v\n", p.Name, p.Status.Phase, p.DeletionTimestamp != nil, p.Finalizers)
	}
	return b.String()
}

// status is a Job's status in a line.
func status(j *batchv1.Job) string {
	if j == nil {
		return "gone"
	}
	s := fmt.Sprintf("active=%d succeeded=%d failed=%d", j.Status.Active, j.Status.Succeeded, j.Status.Failed)
	if j.Status.CompletedIndexes != "" {
		s += " completedIndexes=" + j.Status.CompletedIndexes
	}
	if f := j.Status.FailedIndexes; f != nil && *f != "" {
		s += " failedIndexes=" + *f
	}
	for _, c := range j.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			s += fmt.Sprintf(" %s(%s)", c.Type, c.Reason)
		}
	}
	return s
}

func (w *world) events(reason string) []string {
	var out []string
	for _, e := range objects[*corev1.Event](w, "events") {
		if e.Reason == reason {
			out = append(out, e.Type+" "+e.Message)
		}
	}
	return out
}

// kubelet starts Pods, ends them as fate says, and removes those that are deleted.
func (w *world) kubelet(p *sim.Proc) {
	ends := map[string]time.Duration{}
	code := map[string]int32{}
	for {
		p.Sleep(37 * time.Millisecond)
		for _, pod := range w.pods() {
			uid := string(pod.UID)
			switch terminal := controller.IsPodTerminal(pod); {
			case terminal:
			case pod.DeletionTimestamp != nil:
				w.end(p, pod, 137)
			case pod.Status.Phase == corev1.PodPending:
				after, exit := w.fate(pod)
				ends[uid], code[uid] = p.Now()+after, exit
				pod = pod.DeepCopy()
				pod.Status.Phase = corev1.PodRunning
				controller.UpdatePodCondition(&pod.Status, &corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}, metav1.NewTime(p.Time()))
				w.write(p, pod)
			case p.Now() >= ends[uid]:
				w.end(p, pod, code[uid])
			}
			if pod.DeletionTimestamp != nil && len(pod.Finalizers) == 0 || pod.DeletionTimestamp != nil && controller.IsPodTerminal(pod) {
				zero := int64(0)
				if err := w.cs.CoreV1().Pods(pod.Namespace).Delete(p, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil && !apierrors.IsNotFound(err) {
					w.t.Errorf("end %s: %v", pod.Name, err)
				}
			}
		}
	}
}

func (w *world) end(p *sim.Proc, pod *corev1.Pod, exit int32) {
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodSucceeded
	if exit != 0 {
		pod.Status.Phase = corev1.PodFailed
	}
	controller.UpdatePodCondition(&pod.Status, &corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse}, metav1.NewTime(p.Time()))
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name, Image: "busybox",
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, FinishedAt: metav1.NewTime(p.Time())}}}}
	w.write(p, pod)
}

func (w *world) write(p *sim.Proc, pod *corev1.Pod) {
	_, err := w.cs.CoreV1().Pods(pod.Namespace).UpdateStatus(p, pod, metav1.UpdateOptions{})
	if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		w.t.Errorf("status of %s: %v", pod.Name, err)
	}
}

func ptr[T any](v T) *T { return &v }

func newJob(name string, change func(spec *batchv1.JobSpec)) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	j.Spec.Template.Spec = corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers:    []corev1.Container{{Name: "work", Image: "busybox:1.37"}},
	}
	if change != nil {
		change(&j.Spec)
	}
	return j
}

func (w *world) create(j *batchv1.Job) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.BatchV1().Jobs(j.Namespace).Create(p, j, metav1.CreateOptions{})
		return err
	})
}

func (w *world) change(name string, change func(j *batchv1.Job)) {
	w.t.Helper()
	w.do(func(p *sim.Proc) error {
		for {
			j, err := w.cs.BatchV1().Jobs("default").Get(p, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			j = j.DeepCopy()
			change(j)
			if _, err = w.cs.BatchV1().Jobs("default").Update(p, j, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				return err
			}
		}
	})
}

func (w *world) finished(name string) func() bool {
	return func() bool { j := w.job(name); return j != nil && controller.IsJobFinished(j) }
}

func (w *world) Kinds() api.KindSet { return api.Kinds() }
