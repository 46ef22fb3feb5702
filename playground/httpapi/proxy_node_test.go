package httpapi

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
)

// What the API server sends on to kubelets.
func TestNodeProxy(t *testing.T) {
	s := started(t)
	s.ask(t, "POST", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"web"},"spec":{"containers":[{"name":"web","image":"agnhost","args":["netexec"]}]}}`)
	const node = "/api/v1/nodes/node-1"
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, text, _ := s.ask(t, "GET", node+"/proxy/pods", "")
		var list corev1.PodList
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if len(list.Items) == 1 && list.Items[0].Name == "web" && list.Items[0].Status.Phase == corev1.PodRunning {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the kubelet's Pods: %s", text)
		}
	}
	for _, c := range []struct {
		method, path string
		code         int
		text, kind   string // the first is a regular expression
	}{
		{"GET", node + "/proxy/healthz", 200, `^ok$`, "text/plain; charset=utf-8"},
		{"GET", node + ":10250/proxy/healthz", 200, `^ok$`, "text/plain; charset=utf-8"},
		{"GET", "/api/v1/nodes/https:node-1:10250/proxy/healthz/syncloop", 200, `^ok$`, "text/plain; charset=utf-8"},
		{"HEAD", node + "/proxy/healthz", 200, `^$`, "text/plain; charset=utf-8"},
		{"GET", node + "/proxy/pods", 200, `^\{"kind":"PodList","apiVersion":"v1","metadata":\{\},"items":\[\{"metadata":\{"name":"web"`, "application/json"},
		{"GET", node + "/proxy/stats/summary", 200, `"nodeName": "node-1"(?s:.*)"name": "web"`, "application/json"},
		{"GET", node + "/proxy/metrics/resource", 200, `container_memory_working_set_bytes\{container="web"`, "text/plain; charset=utf-8"},
		{"GET", node + "/proxy/runningpods/", 200, `"name":"web","namespace":"default".*"containers":\[\{"name":"web","image":"[^"]*agnhost`, "application/json"},
		{"GET", node + "/proxy/configz", 200, `^\{"kubeletconfig":\{"kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1","enableServer":true,` +
			`"syncFrequency":"1m0s","port":10250,"authorization":\{"mode":"Webhook".*"maxPods":110,.*` +
			`"evictionHard":\{"imagefs.available":"15%","memory.available":"100Mi"`,
			"application/json"},
		{"GET", node + "/proxy/nothing", 404, `^404 page not found\n$`, "text/plain; charset=utf-8"},
		{"POST", node + "/proxy/pods", 405, `^405: Method Not Allowed$`, "text/plain; charset=utf-8"},
		{"GET", node + ":81/proxy/healthz", 503, `error trying to reach service: dial tcp [0-9.]+:81: connect: connection refused`, "application/json"},
		{"GET", "/api/v1/nodes/nobody/proxy/healthz", 404, `nodes \\"nobody\\" not found`, "application/json"},
		{"GET", "/api/v1/nodes/a:b:c:d/proxy/healthz", 400, `invalid node request \\"a:b:c:d\\"`, "application/json"},
		{"GET", node + "/proxy", 301, `^$`, ""},
		{"GET", "/api/v1", 200, `\{"name":"nodes/proxy","singularName":"","namespaced":false,"kind":"NodeProxyOptions","verbs":\["create","delete","get","patch","update"\]\},` +
			`\{"name":"nodes/status"`, "application/json"},
		{"GET", "/api/v1", 200, `"pods/portforward".*\{"name":"pods/proxy","singularName":"","namespaced":true,"kind":"PodProxyOptions".*` +
			`\{"name":"services/proxy","singularName":"","namespaced":true,"kind":"ServiceProxyOptions"`, "application/json"},
	} {
		code, text, answer := s.ask(t, c.method, c.path, "")
		if code != c.code || !regexp.MustCompile(c.text).MatchString(text) || answer.Header.Get("Content-Type") != c.kind {
			t.Errorf("%s %s: %d %s %s\nwant %d %s", c.method, c.path, code, answer.Header.Get("Content-Type"), text, c.code, c.text)
		}
	}
	if _, _, answer := s.ask(t, "GET", node+"/proxy", ""); answer.Header.Get("Location") != node+"/proxy/" {
		t.Errorf("without a slash: %s", answer.Header.Get("Location"))
	}
	s.loop.do(func(c *cluster.Cluster) {
		c.Schedule(cluster.Input{At: c.Elapsed() + time.Microsecond, Kind: cluster.Stop, Component: "kubelet/node-1"})
	})
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		code, text, _ := s.ask(t, "GET", node+"/proxy/healthz", "")
		if code == 503 && regexp.MustCompile(`:10250: connect: connection refused`).MatchString(text) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("a kubelet that is stopped: %d %s", code, text)
		}
	}
}
