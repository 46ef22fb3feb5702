//go:build !js || cel

package cluster_test

import (
	"strings"
	"testing"
	"time"
)

// TestWhatContainersMay: a root file system that is read-only, a network that nobody may change, a program that does not become root, and limits as
// the kernel shows them. Upstream: test/e2e/common/node/kubelet.go, security_context.go, and framework/cgroups/cgroups.go.
func TestWhatContainersMay(t *testing.T) {
	const images = "registry.k8s.io/e2e-test-images/"
	pod := func(name, container string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `"},"spec":{"restartPolicy":"Never","volumes":[{"name":"v","emptyDir":{}}],
			"containers":[{"name":"a","volumeMounts":[{"name":"v","mountPath":"/data"}],` + container + `}]}}`
	}
	busybox := `"image":"` + images + `busybox:1.37.0-1","command":["/bin/sh","-c","`
	w := newNetWorld(t, 1, false,
		pod("readonly", busybox+`echo a > /data/x && echo b > /dev/termination-log && echo test > /file; sleep 240"],"securityContext":{"readOnlyRootFilesystem":true}`),
		pod("writable", busybox+`echo test > /file && cat /file"]`),
		pod("unprivileged", busybox+`ip link add dummy0 type dummy || true"]`),
		pod("privileged", busybox+`ip link add dummy0 type dummy || true"],"securityContext":{"privileged":true}`),
		pod("escalates", `"image":"`+images+`nonewprivs:1.4","securityContext":{"runAsUser":1000}`),
		pod("stays", `"image":"`+images+`nonewprivs:1.4","securityContext":{"runAsUser":1000,"allowPrivilegeEscalation":false}`),
		pod("limited", busybox+`sleep infinity"],"resources":{"requests":{"cpu":"100m","memory":"819Mi"},"limits":{"cpu":"250m","memory":"1Gi"}}`),
		strings.Replace(pod("kernel", busybox+`sysctl kernel.shm_rmid_forced kernel/none"]`), `"spec":{`,
			`"spec":{"securityContext":{"sysctls":[{"name":"kernel.shm_rmid_forced","value":"1"}]},`, 1),
		pod("little", busybox+`sleep infinity"],"resources":{"limits":{"cpu":"5m"}}`),
		pod("unlimited", busybox+`sleep infinity"]`),
		pod("absent", `"image":"webserver:404"`))
	for _, c := range [][2]string{
		{"logs readonly", "/bin/sh: can't create /file: Read-only file system"},
		{"logs writable", "test"},
		{"logs unprivileged", "ip: RTNETLINK answers: Operation not permitted"},
		{"logs privileged", ""},
		{"logs escalates", "Effective uid: 0"},
		{"logs stays", "Effective uid: 1000"},
		{"exec limited -- head -n 1 /sys/fs/cgroup/cpu.max", "25000 100000"},
		{"exec limited -- cat /sys/fs/cgroup/cpu.weight", "4"},
		{"exec limited -- cat /sys/fs/cgroup/memory.max", "1073741824"},
		{"exec limited -- cat /proc/1/oom_score_adj", "901"},
		{"exec limited -- mount -t cgroup2", "cgroup on /sys/fs/cgroup type cgroup2 (ro,relatime)"},
		{"exec limited -- mount /dev/vda1 /mnt", "mount: permission denied (are you root?)\n! command terminated with exit code 1"},
		{"logs kernel", "kernel.shm_rmid_forced = 1\nsysctl: error: 'kernel/none' is an unknown key"},
		{"exec little -- cat /sys/fs/cgroup/cpu.max", "1000 100000"},
		{"exec unlimited -- cat /sys/fs/cgroup/cpu.max", "max 100000"},
		{"exec unlimited -- cat /sys/fs/cgroup/cpu.weight", "1"},
		{"exec unlimited -- cat /proc/1/oom_score_adj", "1000"},
		{"exec unlimited -- ip route", "default via 10.244.*"},
		{"exec unlimited -- ip a", "1: lo: <LOOPBACK,UP,LOWER_UP>*"},
		{"get pod absent -o jsonpath={.status.containerStatuses[0].state.waiting.message}", "*webserver:404: not found*"},
	} {
		got := typed(t, w.Cluster, c[0], "")
		whole := got == c[1]
		if pattern, open := strings.CutSuffix(c[1], "*"); open {
			whole = strings.HasPrefix(got, pattern) || strings.Contains(got, strings.TrimPrefix(pattern, "*"))
		}
		if !whole {
			t.Errorf("$ %s\n%s\nwant %s", c[0], got, c[1])
		}
	}
	typed(t, w.Cluster, `patch pod limited --subresource=resize -p '{"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"200m"}}}]}}'`, "")
	w.pass(5 * time.Second)
	if got := typed(t, w.Cluster, "exec limited -- cat /sys/fs/cgroup/cpu.weight", ""); got != "8" {
		t.Errorf("with another request its weight is %s", got)
	}
}

// TestWebserverLists: a directory without index.html is listed; and a server of gRPC health checks is healthy until it is told otherwise.
// Upstream: test/e2e/common/node/container_probe.go.
func TestWebserverLists(t *testing.T) {
	const agnhost = `"image":"registry.k8s.io/e2e-test-images/agnhost:2.63.0"`
	w := newNetWorld(t, 1, false,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"volumes":[{"name":"v","emptyDir":{}}],"containers":[
			{"name":"a",`+agnhost+`,"args":["test-webserver"],"volumeMounts":[{"name":"v","mountPath":"/data"}],
			"livenessProbe":{"httpGet":{"path":"/","port":80}}}]}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"health"},"spec":{"containers":[
			{"name":"a",`+agnhost+`,"command":["/agnhost","grpc-health-checking"],"ports":[{"containerPort":5000},{"containerPort":8080}],
			"readinessProbe":{"grpc":{"port":5000},"periodSeconds":1}}]}}`)
	typed(t, w.Cluster, "exec web -- sh -c 'mkdir -p /data/sub; echo x > /data/file'", "")
	w.asks("client", "http://"+w.podIP("web")+"/data/", "200 <!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n"+
		"<a href=\"file\">file</a>\n<a href=\"sub/\">sub/</a>\n</pre>")
	w.asks("client", "http://"+w.podIP("web")+"/nowhere/", "404")
	ready := func() string {
		return typed(t, w.Cluster, `get pod health -o jsonpath={.status.containerStatuses[0].ready}`, "")
	}
	if ready() != "true" {
		t.Error("the server of health checks is not ready")
	}
	w.asks("client", "http://"+w.podIP("health")+":8080/make-not-serving", "200 ")
	w.pass(10 * time.Second)
	if ready() != "false" {
		t.Error("it is ready, and was told to be not")
	}
	w.asks("client", "http://"+w.podIP("health")+":8080/make-serving", "200 ")
	w.pass(10 * time.Second)
	if ready() != "true" {
		t.Error("it is not ready any more")
	}
	typed(t, w.Cluster, "wait --for=condition=Ready pod/web --timeout=60s", "")
	if got := typed(t, w.Cluster, `get pod web -o jsonpath={.status.containerStatuses[0].restartCount}`, ""); got != "0" {
		t.Errorf("the web server was restarted %s times", got)
	}
}
