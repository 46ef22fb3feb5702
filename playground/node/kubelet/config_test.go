package kubelet_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

func (n *node) configMap(name string, data map[string]string) {
	n.t.Helper()
	n.do("configmap "+name, func(p *sim.Proc, cs *client.Clientset) error {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Data: data}
		_, err := cs.CoreV1().ConfigMaps("default").Get(p, name, metav1.GetOptions{})
		if err == nil {
			_, err = cs.CoreV1().ConfigMaps("default").Update(p, cm, metav1.UpdateOptions{})
		} else {
			_, err = cs.CoreV1().ConfigMaps("default").Create(p, cm, metav1.CreateOptions{})
		}
		return err
	})
}

func (n *node) secret(name string, data map[string][]byte) {
	n.t.Helper()
	n.do("secret "+name, func(p *sim.Proc, cs *client.Clientset) error {
		_, err := cs.CoreV1().Secrets("default").Create(p, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Data: data},
			metav1.CreateOptions{})
		return err
	})
}

// exec runs a script in a Pod's container and returns what it writes.
func (n *node) exec(pod, container, script string) string {
	n.t.Helper()
	out, done := "", false
	n.user.Go("exec", func(p *sim.Proc) {
		result, err := n.kubelet.RunInContainer(p, "default", pod, container, []string{"sh", "-c", script}, "")
		out, done = strings.TrimSpace(result.Stdout+result.Stderr), true
		if err != nil {
			out = err.Error()
		}
	})
	for i := 0; !done && i < 1000; i++ {
		n.pass(10 * time.Millisecond)
	}
	return out
}

func envFrom(name string, optional bool) corev1.EnvFromSource {
	return corev1.EnvFromSource{Prefix: "P_", ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name},
		Optional: &optional}}
}

func TestEnvironment(t *testing.T) {
	n := newNode(t, 40)
	n.pass(3 * time.Second)
	n.configMap("settings", map[string]string{"color": "blue", "size": "small"})
	n.secret("keys", map[string][]byte{"token": []byte("s3cret")})
	yes := true
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Labels = map[string]string{"app": "web"}
		c := &pod.Spec.Containers[0]
		c.Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1500m")}
		c.EnvFrom = []corev1.EnvFromSource{envFrom("settings", false), envFrom("absent", true)}
		field := func(name, path string) corev1.EnvVar {
			return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
		}
		c.Env = []corev1.EnvVar{
			{Name: "PLAIN", Value: "x"}, {Name: "NESTED", Value: "$(PLAIN)-$(P_color)-$(UNKNOWN)-$$(PLAIN)"},
			field("NAME", "metadata.name"), field("APP", "metadata.labels['app']"), field("IP", "status.podIP"), field("NODE", "spec.nodeName"),
			field("HOST_IP", "status.hostIP"),
			{Name: "CPUS", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.cpu"}}},
			{Name: "MEMORY", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.memory",
				Divisor: resource.MustParse("1Gi")}}},
			{Name: "TOKEN", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "keys"},
				Key: "token"}}},
			{Name: "MAYBE", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{
				Name: "settings"}, Key: "none", Optional: &yes}}},
		}
	}))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	for name, want := range map[string]string{
		"P_color": "blue", "P_size": "small", "PLAIN": "x", "NESTED": "x-blue-$(UNKNOWN)-$(PLAIN)", "NAME": "web", "APP": "web",
		"IP":   n.pod("web").Status.PodIP,
		"NODE": "node-1", "HOST_IP": "10.0.0.11", "CPUS": "2", "MEMORY": "8", "TOKEN": "s3cret", "MAYBE": "", "HOSTNAME": "web",
		"KUBERNETES_SERVICE_PORT": "443", "KUBERNETES_PORT_443_TCP_PROTO": "tcp",
	} {
		if got := n.exec("web", "web", "printenv "+name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	// What is in the environment stays, whatever becomes of the ConfigMap.
	n.configMap("settings", map[string]string{"color": "red"})
	n.pass(3 * time.Minute)
	if got := n.exec("web", "", "echo $P_color"); got != "blue" {
		t.Errorf("after the update the environment says %q", got)
	}
}

func TestMissingConfigMapInTheEnvironment(t *testing.T) {
	n := newNode(t, 41)
	n.pass(3 * time.Second)
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Spec.Containers[0].EnvFrom = []corev1.EnvFromSource{envFrom("settings", false)}
	}))
	n.until("waiting", 20*time.Second, func() bool { return strings.HasSuffix(summary(n.pod("web")), "CreateContainerConfigError") })
	if w := n.pod("web").Status.ContainerStatuses[0].State.Waiting; w.Message != `configmap "settings" not found` {
		t.Errorf("message %q", w.Message)
	}
	n.pass(time.Second)
	if text := strings.Join(n.events("Pod", "web"), "\n"); !strings.Contains(text, `Warning Failed: Error: configmap "settings" not found`) {
		t.Errorf("events:\n%s", text)
	}
	n.configMap("settings", map[string]string{"color": "blue"})
	n.until("running", 30*time.Second, isRunning(n, "web"))
	n.create(bound("key", func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "X", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}, Key: "none"}}}}
	}))
	n.until("waiting", 20*time.Second, func() bool { return strings.HasSuffix(summary(n.pod("key")), "CreateContainerConfigError") })
	if w := n.pod("key").Status.ContainerStatuses[0].State.Waiting; w.Message != `couldn't find key none in ConfigMap default/settings` {
		t.Errorf("message %q", w.Message)
	}
}

// A path below a volume that lacks a part of its name cannot be mounted, also when the variable is there and empty.
// Nor can one that would lead elsewhere.
func TestPathsThatCannotBeMounted(t *testing.T) {
	for path, want := range map[string]string{
		"$(A)/$(EMPTY)$(NONE)/$$(B)": "missing value for EMPTY, NONE",
		"$(ROOT)/x":                  "error SubPath `/tmp/x` must not be an absolute path",
		"$(A)/$(UP)":                 "unable to provision SubPath `a/..`: must not contain '..'",
	} {
		n := newNode(t, 43)
		n.pass(3 * time.Second)
		n.create(bound("web", func(pod *corev1.Pod) {
			c := &pod.Spec.Containers[0]
			c.Env = []corev1.EnvVar{{Name: "A", Value: "a"}, {Name: "EMPTY"}, {Name: "ROOT", Value: "/tmp"}, {Name: "UP", Value: ".."}}
			c.VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/v", SubPathExpr: path}}
			pod.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		}))
		n.until("waiting", 20*time.Second, func() bool { return strings.HasSuffix(summary(n.pod("web")), "CreateContainerConfigError") })
		if w := n.pod("web").Status.ContainerStatuses[0].State.Waiting; w.Message != want {
			t.Errorf("%s: message %q, want %q", path, w.Message, want)
		}
	}
}

// Containers run as their security context says, or as the Pod's.
func TestWhomContainersRunAs(t *testing.T) {
	n := newNode(t, 44)
	n.pass(3 * time.Second)
	id := func(v int64) *int64 { return &v }
	n.create(bound("root", func(*corev1.Pod) {}))
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Spec.SecurityContext = &corev1.PodSecurityContext{
			RunAsUser: id(1001), RunAsGroup: id(2001), FSGroup: id(3001), SupplementalGroups: []int64{4001, 3001, 2500},
		}
		pod.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{RunAsUser: id(1002)}
	}))
	n.until("running", 30*time.Second, func() bool { return isRunning(n, "web")() && isRunning(n, "root")() })
	for pod, want := range map[string]string{"root": "uid=0(root) gid=0(root) groups=0(root) 0 0", "web": "uid=1002 gid=2001 groups=2001,2500,3001,4001 1002 2001"} {
		if got := n.exec(pod, "", "echo $(id) $(id -u) $(id -g)"); got != want {
			t.Errorf("%s: %q, want %q", pod, got, want)
		}
	}
}

// TestManagedFiles are those that every container has, and what a Pod says about them.
func TestManagedFiles(t *testing.T) {
	n := newNode(t, 42)
	n.pass(3 * time.Second)
	value := "2"
	n.create(bound("web", nil))
	n.create(bound("own", func(pod *corev1.Pod) {
		pod.Spec.Hostname = "box"
		pod.Spec.HostAliases = []corev1.HostAlias{{IP: "10.1.2.3", Hostnames: []string{"one", "two"}}}
		pod.Spec.DNSConfig = &corev1.PodDNSConfig{Nameservers: []string{"10.96.0.10", "1.1.1.1"}, Searches: []string{"example.com"},
			Options: []corev1.PodDNSConfigOption{{Name: "ndots", Value: &value}, {Name: "edns0"}}}
	}))
	n.create(bound("none", func(pod *corev1.Pod) {
		pod.Spec.DNSPolicy, pod.Spec.DNSConfig = corev1.DNSNone, &corev1.PodDNSConfig{Nameservers: []string{"9.9.9.9"}}
	}))
	n.create(bound("peer", func(pod *corev1.Pod) { pod.Spec.Hostname, pod.Spec.Subdomain = "db-0", "db" }))
	n.create(bound("whole", func(pod *corev1.Pod) {
		pod.Spec.Hostname, pod.Spec.Subdomain, pod.Spec.SetHostnameAsFQDN = "db-1", "db", new(bool)
		*pod.Spec.SetHostnameAsFQDN = true
	}))
	n.create(bound("other", func(pod *corev1.Pod) {
		name := "one.of.many"
		pod.Spec.Hostname, pod.Spec.Subdomain, pod.Spec.HostnameOverride = "db-2", "db", &name
	}))
	n.create(bound("host", func(pod *corev1.Pod) { pod.Spec.HostNetwork = true }))
	for _, name := range []string{"web", "own", "none", "peer", "whole", "other", "host"} {
		n.until(name+" runs", 30*time.Second, isRunning(n, name))
	}
	cluster := "search default.svc.cluster.local svc.cluster.local cluster.local"
	for _, c := range []struct{ pod, script, want string }{
		{"web", "cat /etc/resolv.conf", cluster + "\nnameserver 10.96.0.10\noptions ndots:5"},
		{"web", "cat /etc/hostname; grep web /etc/hosts", "web\n" + n.pod("web").Status.PodIP + "\tweb"},
		{"own", "cat /etc/resolv.conf", cluster + " example.com\nnameserver 10.96.0.10\nnameserver 1.1.1.1\noptions ndots:2 edns0"},
		{"own", "cat /etc/hostname; tail -n 2 /etc/hosts", "box\n# Entries added by HostAliases.\n10.1.2.3\tone\ttwo"},
		{"peer", "grep db-0 /etc/hosts", n.pod("peer").Status.PodIP + "\tdb-0.db.default.svc.cluster.local\tdb-0"},
		{"peer", "hostname; hostname -f", "db-0\ndb-0.db.default.svc.cluster.local"},
		{"whole", "hostname; grep db-1 /etc/hosts", "db-1.db.default.svc.cluster.local\n" + n.pod("whole").Status.PodIP + "\tdb-1.db.default.svc.cluster.local\tdb-1"},
		{"other", "hostname; grep one.of /etc/hosts", "one.of.many\n" + n.pod("other").Status.PodIP + "\tone.of.many"},
		{"none", "cat /etc/resolv.conf", "nameserver 9.9.9.9"},
		{"host", "cat /etc/resolv.conf; head -n 1 /etc/hosts", "nameserver 10.0.0.2\n# Kubernetes-managed hosts file (host network)."},
	} {
		container := n.pod(c.pod).Spec.Containers[0].Name
		if got := n.exec(c.pod, container, c.script); got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.pod, c.script, got, c.want)
		}
	}
}

func TestVolumes(t *testing.T) {
	n := newNode(t, 42)
	n.pass(3 * time.Second)
	n.configMap("page", map[string]string{"index.html": "one", "other": "o"})
	n.secret("keys", map[string][]byte{"token": []byte("s3cret")})
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Labels = map[string]string{"app": "web"}
		source := func(name string, s corev1.VolumeSource) corev1.Volume {
			return corev1.Volume{Name: name, VolumeSource: s}
		}
		pod.Spec.Volumes = []corev1.Volume{
			source("page", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "page"}}}),
			source("some", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "page"},
				Items: []corev1.KeyToPath{{Key: "other", Path: "deep/er"}}}}),
			source("all", corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
				{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "keys"}}},
				{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "labels",
					FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels"}}}}},
			}}}),
			source("scratch", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}),
			source("node", corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/srv"}}),
		}
		pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{
			{Name: "page", MountPath: "/usr/share/nginx/html"}, {Name: "page", MountPath: "/etc/fixed", SubPath: "index.html"},
			{Name: "some", MountPath: "/some"},
			{Name: "all", MountPath: "/all"}, {Name: "scratch", MountPath: "/scratch"}, {Name: "node", MountPath: "/node"},
		}
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "other", Image: "busybox", Command: []string{"sleep", "infinity"},
			VolumeMounts: []corev1.VolumeMount{{Name: "scratch", MountPath: "/scratch", SubPath: "sub"}}})
	}))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	check := func(container, script, want string) {
		t.Helper()
		if got := n.exec("web", container, script); got != want {
			t.Errorf("%s: %s: %q, want %q", container, script, got, want)
		}
	}
	check("web", "curl -s localhost", "one")
	check("web", "cat /etc/fixed; echo; cat /some/deep/er; echo; cat /all/token; echo; cat /all/labels; echo; ls /usr/share/nginx/html",
		"one\no\ns3cret\napp=\"web\"\nindex.html\nother")
	check("web", "echo x > /some/x", "sh: can't create /some/x: Read-only file system")
	check("web", "echo shared > /scratch/sub/f; echo here > /node/f", "")
	check("other", "cat /scratch/f", "shared")
	// A change reaches the volume with the next sync, a subPath never.
	n.pass(20 * time.Second)
	n.configMap("page", map[string]string{"index.html": "two", "other": "o"})
	n.pass(5 * time.Second)
	check("web", "curl -s localhost", "one")
	n.pass(90 * time.Second)
	check("web", "curl -s localhost; cat /etc/fixed", "two\none")
	// The container's own files go with it; an emptyDir goes with the Pod, the host's files stay.
	check("web", "echo mine > /tmp/f", "")
	if err := n.runtime.Crash("default", "web", "web", 1); err != nil {
		t.Fatal(err)
	}
	n.until("restarted", 10*time.Second, func() bool { return strings.Contains(summary(n.pod("web")), "web:runningx1") })
	check("web", "cat /tmp/f; cat /scratch/sub/f", "shared\ncat: can't open '/tmp/f': No such file or directory")
	n.delete("web", metav1.DeleteOptions{})
	n.until("gone", 40*time.Second, isGone(n, "web"))
	n.create(bound("next", func(pod *corev1.Pod) {
		pod.Spec.Volumes = []corev1.Volume{{Name: "node", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/srv"}}}}
		pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "node", MountPath: "/node"}}
	}))
	n.until("running", 20*time.Second, isRunning(n, "next"))
	if got := n.exec("next", "web", "cat /node/f"); got != "here" {
		t.Errorf("the host's file says %q", got)
	}
}

func TestMissingVolume(t *testing.T) {
	n := newNode(t, 43)
	n.pass(3 * time.Second)
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Spec.Volumes = []corev1.Volume{{Name: "page", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "keys"}}}}
		pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "page", MountPath: "/keys"}}
	}))
	n.create(bound("far", func(pod *corev1.Pod) {
		pod.Spec.Volumes = []corev1.Volume{{Name: "share", VolumeSource: corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{Server: "nfs", Path: "/"}}}}
		pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "share", MountPath: "/share"}}
	}))
	n.pass(3 * time.Minute)
	if got := summary(n.pod("far")); got != "Pending web:ContainerCreating" {
		t.Error(got)
	}
	if got := summary(n.pod("web")); got != "Pending web:ContainerCreating" {
		t.Error(got)
	}
	text := strings.Join(n.events("Pod", "web"), "\n")
	for _, want := range []string{
		`Warning FailedMount: MountVolume.SetUp failed for volume "page" : secret "keys" not found`,
		`Warning FailedMount: Unable to attach or mount volumes: unmounted volumes=[page], unattached volumes=[], failed to process volumes=[]: context deadline exceeded`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no event %q in\n%s", want, text)
		}
	}
	n.secret("keys", map[string][]byte{"token": []byte("x")})
	n.until("running", 3*time.Minute, isRunning(n, "web"))
	// A Pod that waits for a volume can be deleted.
	n.create(bound("stuck", func(pod *corev1.Pod) {
		pod.Spec.Volumes = []corev1.Volume{{Name: "page", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "none"}}}}
	}))
	n.pass(5 * time.Second)
	n.delete("stuck", metav1.DeleteOptions{})
	n.until("gone", 5*time.Second, isGone(n, "stuck"))
}

// TestWatchesOfConfigMapsEndWithTheirPods: one watch for an object, however
// many Pods use it, and none when nobody does.
func TestWatchesOfConfigMapsEndWithTheirPods(t *testing.T) {
	n := newNode(t, 44)
	n.pass(3 * time.Second)
	n.configMap("settings", map[string]string{"a": "b"})
	open := func() int { return n.watches("configmaps") }
	for i := range 2 {
		n.create(bound(fmt.Sprint("web-", i), func(pod *corev1.Pod) {
			pod.Spec.Containers[0].EnvFrom = []corev1.EnvFromSource{envFrom("settings", false)}
		}))
	}
	n.until("running", 20*time.Second, isRunning(n, "web-0"))
	n.until("running", 20*time.Second, isRunning(n, "web-1"))
	if open() != 1 {
		t.Errorf("%d watches for two Pods", open())
	}
	n.delete("web-0", metav1.DeleteOptions{})
	n.until("gone", 10*time.Second, isGone(n, "web-0"))
	if open() != 1 {
		t.Errorf("%d watches for one Pod", open())
	}
	n.delete("web-1", metav1.DeleteOptions{})
	n.until("gone", 10*time.Second, isGone(n, "web-1"))
	n.pass(5 * time.Second)
	if open() != 0 {
		t.Errorf("%d watches for no Pod", open())
	}
}

// TestProjectedToken: a token in a volume has the form of one, and names the account and whom it is for. Upstream:
// test/e2e/auth/service_accounts.go, "should mount projected service account token".
func TestProjectedToken(t *testing.T) {
	n := newNode(t, 43)
	n.create(bound("web", func(pod *corev1.Pod) {
		pod.Spec.ServiceAccountName = "builder"
		pod.Spec.Volumes = []corev1.Volume{{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
			Sources: []corev1.VolumeProjection{{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", Audience: "vault"}}}}}}}
		pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "token", MountPath: "/test-volume"}}
	}))
	n.until("running", 20*time.Second, isRunning(n, "web"))
	text := n.exec("web", "web", "cat /test-volume/token")
	if !regexp.MustCompile(`^[A-Za-z0-9-_=]+\.[A-Za-z0-9-_=]+\.[A-Za-z0-9-_.+/=]+$`).MatchString(text) {
		t.Fatalf("%q is no token", text)
	}
	claims, err := base64.RawURLEncoding.DecodeString(strings.Split(text, ".")[1])
	if want := `{"aud":["vault"],"sub":"system:serviceaccount:default:builder"}`; err != nil || string(claims) != want {
		t.Errorf("%s (%v), want %s", claims, err, want)
	}
}
