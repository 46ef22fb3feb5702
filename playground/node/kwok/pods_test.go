package kwok

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/strategicpatch"
)

// What a stage makes of a Pod in memory is what the API server makes of the patch that KWOK sends.
func TestStagesAreTheirPatches(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	direct := 0
	for i := range 500 {
		pod := somePod(chance)
		stage := someStage(chance, pod)
		before, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		text, err := strategicpatch.StrategicMergePatch(before, patchText(stage), reflect.TypeFor[corev1.Pod]())
		if err != nil {
			t.Fatal(err)
		}
		want := &corev1.Pod{}
		if err := json.Unmarshal(text, want); err != nil {
			t.Fatal(err)
		}
		got := pod.DeepCopy()
		got.Status = *merged(&pod.Status, stage)
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Fatalf("Pod %d\nin memory %s\nas JSON   %s\nof        %s\npatch     %s", i, a, b, before, patchText(stage))
		}
		if after, _ := json.Marshal(pod); string(after) != string(before) {
			t.Fatalf("Pod %d was changed", i)
		}
		if change := strategicpatch.NewStatus(pod, merged(&pod.Status, stage), ""); change != nil {
			if _, ok := change.Apply(pod); ok {
				direct++
			}
		}
	}
	if direct < 250 {
		t.Errorf("%d of 500 patches can be carried out in memory, want most", direct)
	}
}

func somePod(chance *rand.Rand) *corev1.Pod {
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace = "web", "default"
	for i := range 1 + chance.IntN(2) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: fmt.Sprint("app-", i), Image: "nginx:1.27"})
	}
	pod.Status.Phase = corev1.PodPending
	for _, c := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodReady, "example.com/gate"} {
		if chance.IntN(2) == 0 {
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
				Type: c, Status: corev1.ConditionFalse, Reason: "Because", Message: "it is so", LastTransitionTime: at(chance),
			})
		}
	}
	if chance.IntN(3) == 0 {
		pod.Status.HostIP, pod.Status.HostIPs = "10.0.0.1", []corev1.HostIP{{IP: "10.0.0.1"}}
	}
	if chance.IntN(3) == 0 {
		pod.Status.QOSClass = corev1.PodQOSBurstable
	}
	return pod
}

func someStage(chance *rand.Rand, pod *corev1.Pod) *corev1.PodStatus {
	now := at(chance)
	running := func() corev1.ContainerState {
		return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
	}
	if chance.IntN(3) == 0 {
		return &corev1.PodStatus{Phase: corev1.PodSucceeded,
			ContainerStatuses: statuses(pod.Spec.Containers, func() corev1.ContainerState { return ended(now, now) }, false)}
	}
	stage := &corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &now, HostIP: "10.0.0.1", HostIPs: []corev1.HostIP{{IP: "10.0.0.1"}},
		ContainerStatuses: statuses(pod.Spec.Containers, running, true)}
	for _, c := range []corev1.PodConditionType{corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady} {
		stage.Conditions = append(stage.Conditions, corev1.PodCondition{Type: c, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	if chance.IntN(2) == 0 {
		stage.PodIP, stage.PodIPs = "10.244.1.7", []corev1.PodIP{{IP: "10.244.1.7"}}
	}
	if chance.IntN(3) == 0 {
		stage.InitContainerStatuses = statuses([]corev1.Container{{Name: "init", Image: "busybox"}}, func() corev1.ContainerState { return ended(now, now) }, true)
	}
	return stage
}

func at(chance *rand.Rand) metav1.Time {
	return metav1.NewTime(time.Unix(1_700_000_000+chance.Int64N(1000), 0).UTC()).Rfc3339Copy()
}
