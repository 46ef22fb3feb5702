//go:build !js || cel

package kubelet

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// Serve answers the API server, which has sent a request on to the node, and may ask for everything. It takes no time and changes nothing.
//
// Absent: the paths for containers, which have a way of their own here (Server), /logs, /metrics and its like but for
// /metrics/resource, and what is for debugging. They are not found.
// Upstream: pkg/kubelet/server/server.go, InstallAuthNotRequiredHandlers and getPods; apiserver/pkg/server/healthz/healthz.go.
func (kl *Kubelet) Serve(method, path string, now time.Time) (code int, body string) {
	var answer func(time.Time) (int, string)
	switch path {
	case "/healthz", "/healthz/ping", "/healthz/log", "/healthz/syncloop":
		answer = func(time.Time) (int, string) { return 200, "ok" }
	case "/pods", "/pods/":
		answer = kl.pods
	case "/metrics/resource":
		answer = kl.resourceMetrics
	case "/stats/summary":
		answer = kl.summary
	case "/runningpods", "/runningpods/":
		answer = kl.runningPods
	case "/configz":
		answer = kl.configz
	default:
		return 404, "404 page not found\n"
	}
	if reads := []string{"GET", "HEAD"}; !slices.Contains(reads, method) && !strings.HasPrefix(path, "/healthz") && path != "/metrics/resource" && path != "/configz" {
		return 405, "405: Method Not Allowed"
	}
	return answer(now)
}

// pods are those that the kubelet knows of.
func (kl *Kubelet) pods(time.Time) (int, string) {
	var pods []corev1.Pod
	for _, pod := range kl.podManager.GetPods() {
		copied := *pod
		copied.TypeMeta = metav1.TypeMeta{}
		if isStaticPod(pod) { // the API server's status of it never comes here
			if status, ok := kl.statusManager.GetPodStatus(pod.UID); ok {
				copied.Status = status
			}
		}
		pods = append(pods, copied)
	}
	return podList(pods)
}

// runningPods are those with containers that run, as the container runtime knows them: names and images.
// Upstream: getRunningPods; pkg/kubelet/container/runtime.go, Pod.ToAPIPod.
func (kl *Kubelet) runningPods(time.Time) (int, string) {
	running, err := kl.containerRuntime.GetPods(false)
	if err != nil {
		return 500, err.Error()
	}
	var pods []corev1.Pod
	for _, pod := range running {
		out := corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: pod.ID, Name: pod.Name, Namespace: pod.Namespace}}
		for _, c := range pod.Containers {
			out.Spec.Containers = append(out.Spec.Containers, corev1.Container{Name: c.Config.Name, Image: c.Config.ImageRef})
		}
		pods = append(pods, out)
	}
	return podList(pods)
}

// podList is what the kubelet writes of Pods. Upstream: encodePods.
func podList(pods []corev1.Pod) (int, string) {
	list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, Items: append([]corev1.Pod{}, pods...)}
	text, err := json.Marshal(list)
	if err != nil {
		return 500, err.Error()
	}
	return 200, string(text) + "\n"
}
