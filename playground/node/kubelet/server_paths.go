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
// Absent: the paths for containers, which have a way of their own here (Server), /configz, /logs, /metrics and its like but for
// /metrics/resource, /runningpods and what is for debugging. They are not found.
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
	default:
		return 404, "404 page not found\n"
	}
	if reads := []string{"GET", "HEAD"}; !slices.Contains(reads, method) && !strings.HasPrefix(path, "/healthz") && path != "/metrics/resource" {
		return 405, "405: Method Not Allowed"
	}
	return answer(now)
}

// pods are those that the kubelet knows of.
func (kl *Kubelet) pods(time.Time) (int, string) {
	list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, Items: []corev1.Pod{}}
	for _, pod := range kl.podManager.GetPods() {
		copied := *pod
		copied.TypeMeta = metav1.TypeMeta{}
		if isStaticPod(pod) { // the API server's status of it never comes here
			if status, ok := kl.statusManager.GetPodStatus(pod.UID); ok {
				copied.Status = status
			}
		}
		list.Items = append(list.Items, copied)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return 500, err.Error()
	}
	return 200, string(text) + "\n"
}
