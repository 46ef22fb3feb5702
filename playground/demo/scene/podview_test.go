package scene

import (
	"reflect"
	"testing"

	"kubewalk/playground/api/corev1"
	metav1 "kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

func TestPodChoice(t *testing.T) {
	c := podChoice{met: map[string]bool{}}
	for _, step := range []struct{ pod, begins, gone, want string }{
		{pod: "a", begins: "", want: ""},                  // it is well
		{pod: "a", begins: "start", want: "a"},            //
		{pod: "b", begins: "start", want: "b"},            //
		{pod: "a", begins: "start", want: "b"},            // not for the first time
		{pod: "a", begins: "CrashLoopBackOff", want: "a"}, // trouble of a new kind
		{pod: "b", begins: "ImagePullBackOff", want: "b"}, //
		{pod: "a", begins: "CrashLoopBackOff", want: "b"}, // they do not take turns
		{pod: "b", begins: "", want: "b"},                 // it stays when it is well again
		{gone: "a", want: "b"},                            //
		{pod: "a", begins: "start", want: "a"},            // another of that name
		{gone: "a", want: ""},                             //
		{pod: "b", begins: "ImagePullBackOff", want: ""},  //
		{pod: "b", begins: "app readiness", want: "b"},    //
	} {
		if step.gone != "" {
			c.gone(step.gone)
		} else {
			c.begins(step.pod, step.begins)
		}
		if c.pod != step.want {
			t.Errorf("after %+v the Pod is %q", step, c.pod)
		}
	}
}

func TestBeginning(t *testing.T) {
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137}}
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	for _, test := range []struct {
		name, node, namespace string
		phase                 corev1.PodPhase
		state                 corev1.ContainerState
		deleted               bool
		want                  string
	}{
		{"nobody's yet", "", "default", corev1.PodPending, corev1.ContainerState{}, false, ""},
		{"the cluster's own", "n", "kube-system", corev1.PodPending, corev1.ContainerState{}, false, ""},
		{"bound", "n", "default", corev1.PodPending, corev1.ContainerState{}, false, "start"},
		{"being made", "n", "default", corev1.PodPending, waiting("ContainerCreating"), false, "start"},
		{"no image", "n", "default", corev1.PodPending, waiting("ErrImagePull"), false, "ImagePullBackOff"},
		{"still none", "n", "default", corev1.PodPending, waiting("ImagePullBackOff"), false, "ImagePullBackOff"},
		{"running", "n", "default", corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, false, ""},
		{"ended", "n", "default", corev1.PodRunning, ended, false, "OOMKilled"},
		{"deleted", "n", "default", corev1.PodRunning, ended, true, "deletion"},
	} {
		p := &corev1.Pod{}
		p.Namespace, p.Spec.NodeName, p.Status.Phase = test.namespace, test.node, test.phase
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", State: test.state}}
		if test.deleted {
			p.DeletionTimestamp = &metav1.Time{}
		}
		if got := beginning(p); got != test.want {
			t.Errorf("%s: %q, not %q", test.name, got, test.want)
		}
	}
}

func TestRowsOf(t *testing.T) {
	yes, always := true, corev1.ContainerRestartPolicyAlways
	p := &corev1.Pod{}
	p.Spec.NodeName = "node-1"
	p.Spec.InitContainers = []corev1.Container{{Name: "migrate", Image: "i"}, {Name: "log", Image: "i", RestartPolicy: &always}, {Name: "warm", Image: "i"}}
	p.Spec.Containers = []corev1.Container{
		{Name: "app", Image: "i", LivenessProbe: &corev1.Probe{}, ReadinessProbe: &corev1.Probe{}, StartupProbe: &corev1.Probe{}},
		{Name: "crash", Image: "i"}, {Name: "new", Image: "i"},
	}
	failed := &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 1}
	p.Status.InitContainerStatuses = []corev1.ContainerStatus{
		{Name: "migrate", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}},
		{Name: "log", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
		{Name: "warm", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: "app", Started: &yes, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
		{Name: "crash", RestartCount: 2, LastTerminationState: corev1.ContainerState{Terminated: failed}, State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 20s restarting failed container=crash pod=p"}}},
	}
	rows := rowsOf(p, map[string]int{"app readiness": 3}, nil)
	for i, want := range []containerRow{
		{name: "migrate", kind: " · init 1/2", state: PodSucceeded, done: true,
			says: []string{"Terminated: Completed, exit code 0", "Completed, exit code 0", "Completed"}, more: []string{"i"}},
		{name: "log", kind: " · sidecar", state: PodReady, says: []string{"Running, ready", "Running"}, more: []string{"i"}},
		{name: "warm", kind: " · init 2/2", state: PodInit, says: []string{"Running"}, more: []string{"i"}},
		{name: "app", state: PodRunning, says: []string{"Running, not ready", "Running"}, more: []string{"startup ✓", "liveness ✓", "readiness ✕ ×3", "i"}},
		{name: "crash", state: PodWaiting, says: []string{"Waiting: CrashLoopBackOff", "CrashLoopBackOff"},
			more: []string{"back-off 20s", "restartCount 2", "last: Error, exit code 1", "i"}},
		{name: "new", state: PodPending, says: []string{"Waiting"}, more: []string{"i"}},
	} {
		if !reflect.DeepEqual(rows[i], want) {
			t.Errorf("row %d is\n%+v, not\n%+v", i, rows[i], want)
		}
	}
	var names []string
	for _, row := range shownRows(rows, 4) {
		names = append(names, row.name)
	}
	if want := []string{"log", "warm", "app", "crash"}; !reflect.DeepEqual(names, want) {
		t.Errorf("with room for four there are %v", names)
	}
}

// TestAnExitIsShownBeforeTheStatusSaysIt: the Pod whose container ends is the large one, and its row says that the status is behind.
func TestAnExitIsShownBeforeTheStatusSaysIt(t *testing.T) {
	pod := func(name string) *corev1.Pod {
		p := &corev1.Pod{}
		p.Namespace, p.Name, p.Spec.NodeName, p.Status.Phase = "default", name, "node-1", corev1.PodRunning
		p.Spec.Containers = []corev1.Container{{Name: "app", Image: "i"}}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		return p
	}
	v := newPodView(NewStage(Options{Layout: Wide}))
	add := func(p *corev1.Pod) {
		v.pods[p.Namespace+"/"+p.Name] = p
		v.follow(&trace.Event{Op: trace.StoreCommit, Deltas: []trace.Delta{object("pods", p.Namespace+"/"+p.Name, p)}}, false)
	}
	add(pod("a"))
	typo := pod("typo")
	typo.Status = corev1.PodStatus{Phase: corev1.PodPending}
	typo.Spec.Containers[0].Image = "nginx:none"
	add(typo)
	does := func(op trace.Op, object string, attrs ...any) {
		v.follow(&trace.Event{Op: op, Component: "kubelet/node-1", Attrs: trace.Attrs(attrs...),
			Object: trace.Ref{Resource: "pods", Namespace: "default", Name: object}}, false)
	}
	says := func() string { return rowsOf(v.pods["default/a"], nil, v.exits["default/a"])[0].says[0] }
	does(trace.ContainerExit, "a", "container", "app", "code", int64(1))
	if v.shown() != "default/a" || says() != "Exited, exit code 1" {
		t.Errorf("after the exit it shows %s: %s", v.shown(), says())
	}
	does(trace.ImagePulled, "", "image", "docker.io/library/nginx:none", "error", "not found")
	if v.shown() != "default/typo" {
		t.Errorf("after an image is not found it shows %s", v.shown())
	}
	does(trace.Log, "", "message", "Back-off restarting failed container", "pod", "default/a")
	if v.shown() != "default/a" {
		t.Errorf("when the kubelet waits it shows %s", v.shown())
	}
	does(trace.ContainerStart, "a", "container", "app")
	if says() != "Running, ready" {
		t.Errorf("after another start it says %s", says())
	}
}
