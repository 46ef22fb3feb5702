package kubelet_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

func (n *node) resize(pod, requests, limits string) {
	n.t.Helper()
	n.do("resize "+pod, func(p *sim.Proc, cs *client.Clientset) error {
		patch := `{"spec":{"containers":[{"name":"web","resources":{"requests":` + requests + `,"limits":` + limits + `}}]}}`
		_, err := cs.CoreV1().Pods("default").Patch(p, pod, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "resize")
		return err
	})
}

func resizeCondition(n *node, pod string) string {
	for _, c := range n.pod(pod).Status.Conditions {
		if c.Type == corev1.PodResizePending || c.Type == corev1.PodResizeInProgress {
			return string(c.Type) + " " + c.Reason + ": " + c.Message
		}
	}
	return ""
}

func TestResizeInPlace(t *testing.T) {
	n := newNode(t, 60)
	n.pass(3 * time.Second)
	sized := func(cpu string, restart bool) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			c := &pod.Spec.Containers[0]
			list := func() corev1.ResourceList {
				return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("100Mi")}
			}
			c.Resources = corev1.ResourceRequirements{Requests: list(), Limits: list()}
			c.ResizePolicy = []corev1.ContainerResizePolicy{{ResourceName: corev1.ResourceCPU, RestartPolicy: corev1.NotRequired},
				{ResourceName: corev1.ResourceMemory, RestartPolicy: corev1.NotRequired}}
			if restart {
				c.ResizePolicy[1].RestartPolicy = corev1.RestartContainer
			}
		}
	}
	n.create(bound("web", sized("500m", true)))
	n.create(bound("big", sized("3", false)))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	n.until("running", 20*time.Second, isRunning(n, "big"))

	// More CPU, while it runs.
	n.resize("web", `{"cpu":"800m","memory":"100Mi"}`, `{"cpu":"800m","memory":"100Mi"}`)
	n.until("resized", 5*time.Second, func() bool {
		q := n.pod("web").Status.ContainerStatuses[0].Resources.Limits[corev1.ResourceCPU]
		return q.String() == "800m" && resizeCondition(n, "web") == ""
	})
	if got := summary(n.pod("web")); got != "Running ready web:running" || len(n.ops("container.kill")) != 0 {
		t.Errorf("%s, %v", got, n.ops("container.kill"))
	}
	// Other memory: this container wants to be restarted for that.
	n.resize("web", `{"cpu":"800m","memory":"200Mi"}`, `{"cpu":"800m","memory":"200Mi"}`)
	n.until("restarted", 5*time.Second, func() bool { return summary(n.pod("web")) == "Running ready web:runningx1" })
	if text := strings.Join(n.events("Pod", "web"), "\n"); !strings.Contains(text, "Killing: Container web resize requires restart") {
		t.Errorf("events\n%s", text)
	}
	// More than the node has room for now, and then has.
	n.resize("web", `{"cpu":"1500m","memory":"200Mi"}`, `{"cpu":"1500m","memory":"200Mi"}`)
	n.until("deferred", 5*time.Second, func() bool {
		return resizeCondition(n, "web") == "PodResizePending Deferred: Node didn't have enough resource: cpu, requested: 1500, used: 3000, capacity: 4000"
	})
	if q := n.pod("web").Status.ContainerStatuses[0].Resources.Limits[corev1.ResourceCPU]; q.String() != "800m" {
		t.Errorf("a deferred resize gave it %s", q.String())
	}
	n.restartKubelet()
	n.pass(20 * time.Second)
	if got := resizeCondition(n, "web"); !strings.HasPrefix(got, "PodResizePending Deferred") || summary(n.pod("web")) != "Running ready web:runningx1" {
		t.Errorf("after the kubelet's restart: %q, %s", got, summary(n.pod("web")))
	}
	n.delete("big", metav1.DeleteOptions{})
	n.until("resized", 20*time.Second, func() bool {
		q := n.pod("web").Status.ContainerStatuses[0].Resources.Limits[corev1.ResourceCPU]
		return q.String() == "1500m" && resizeCondition(n, "web") == ""
	})
	// More than the node will ever have.
	n.resize("web", `{"cpu":"5","memory":"200Mi"}`, `{"cpu":"5","memory":"200Mi"}`)
	n.until("infeasible", 5*time.Second, func() bool {
		return resizeCondition(n, "web") == "PodResizePending Infeasible: Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000"
	})
}
