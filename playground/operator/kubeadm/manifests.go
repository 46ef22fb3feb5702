package kubeadm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/yaml"
)

// controlPlane are the programs that run as static Pods.
var controlPlane = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// staticPod is what differs between their manifests.
type staticPod struct {
	image, cpu, memory string
	annotation         string
	flags              []string
	host               string // that probes ask
	port               int
	liveness, startup  string // paths
	readiness          string // "" for none
	files              []string
	directories        []string
}

// staticPods are upstream's phases/controlplane/manifests.go, GetStaticPodSpecs, and phases/etcd/local.go, GetEtcdPodSpec: the names of
// volumes, then their paths.
func staticPods(node, address string) map[string]staticPod {
	conf := func(name string) []string {
		file := kubernetesDir + "/" + name + ".conf"
		return []string{"--authentication-kubeconfig=" + file, "--authorization-kubeconfig=" + file, "--bind-address=127.0.0.1", "--kubeconfig=" + file,
			"--leader-elect=true"}
	}
	manager := append(conf("controller-manager"), "--client-ca-file="+pki+"/ca.crt", "--cluster-name=kubernetes", "--cluster-signing-cert-file="+pki+"/ca.crt",
		"--cluster-signing-key-file="+pki+"/ca.key", "--controllers=*,bootstrapsigner,tokencleaner", "--requestheader-client-ca-file="+pki+"/front-proxy-ca.crt",
		"--root-ca-file="+pki+"/ca.crt", "--service-account-private-key-file="+pki+"/sa.key", "--use-service-account-credentials=true")
	slices.Sort(manager)
	return map[string]staticPod{
		"etcd": {image: "etcd:" + etcdVersion, cpu: "100m", memory: "100Mi",
			annotation: "kubeadm.kubernetes.io/etcd.advertise-client-urls: https://" + address + ":2379",
			flags: []string{"--advertise-client-urls=https://" + address + ":2379", "--cert-file=" + pki + "/etcd/server.crt", "--client-cert-auth=true",
				"--data-dir=/var/lib/etcd", "--feature-gates=InitialCorruptCheck=true", "--initial-advertise-peer-urls=https://" + address + ":2380",
				"--initial-cluster=" + node + "=https://" + address + ":2380", "--key-file=" + pki + "/etcd/server.key",
				"--listen-client-urls=https://127.0.0.1:2379,https://" + address + ":2379", "--listen-metrics-urls=http://127.0.0.1:2381",
				"--listen-peer-urls=https://" + address + ":2380", "--name=" + node, "--peer-cert-file=" + pki + "/etcd/peer.crt", "--peer-client-cert-auth=true",
				"--peer-key-file=" + pki + "/etcd/peer.key", "--peer-trusted-ca-file=" + pki + "/etcd/ca.crt", "--snapshot-count=10000",
				"--trusted-ca-file=" + pki + "/etcd/ca.crt", "--watch-progress-notify-interval=5s"},
			host: "127.0.0.1", port: 2381, liveness: "/livez", readiness: "/readyz", startup: "/readyz",
			directories: []string{"etcd-certs", pki + "/etcd", "etcd-data", "/var/lib/etcd"}},
		"kube-apiserver": {image: "kube-apiserver:" + Version, cpu: "250m",
			annotation: "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: " + address + ":6443",
			flags: []string{"--advertise-address=" + address, "--allow-privileged=true", "--authorization-mode=Node,RBAC", "--client-ca-file=" + pki + "/ca.crt",
				"--enable-admission-plugins=NodeRestriction", "--enable-bootstrap-token-auth=true", "--etcd-cafile=" + pki + "/etcd/ca.crt",
				"--etcd-certfile=" + pki + "/apiserver-etcd-client.crt", "--etcd-keyfile=" + pki + "/apiserver-etcd-client.key",
				"--etcd-servers=https://127.0.0.1:2379", "--kubelet-client-certificate=" + pki + "/apiserver-kubelet-client.crt",
				"--kubelet-client-key=" + pki + "/apiserver-kubelet-client.key", "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
				"--proxy-client-cert-file=" + pki + "/front-proxy-client.crt", "--proxy-client-key-file=" + pki + "/front-proxy-client.key",
				"--requestheader-allowed-names=front-proxy-client", "--requestheader-client-ca-file=" + pki + "/front-proxy-ca.crt",
				"--requestheader-extra-headers-prefix=X-Remote-Extra-", "--requestheader-group-headers=X-Remote-Group",
				"--requestheader-username-headers=X-Remote-User", "--secure-port=6443",
				"--service-account-issuer=https://kubernetes.default.svc.cluster.local", "--service-account-key-file=" + pki + "/sa.pub",
				"--service-account-signing-key-file=" + pki + "/sa.key", "--service-cluster-ip-range=10.96.0.0/12",
				"--tls-cert-file=" + pki + "/apiserver.crt", "--tls-private-key-file=" + pki + "/apiserver.key"},
			host: address, port: 6443, liveness: "/livez", readiness: "/readyz", startup: "/livez",
			directories: []string{"ca-certs", "/etc/ssl/certs", "k8s-certs", pki}},
		"kube-controller-manager": {image: "kube-controller-manager:" + Version, cpu: "200m", flags: manager,
			host: "127.0.0.1", port: 10257, liveness: "/healthz", startup: "/healthz",
			directories: []string{"ca-certs", "/etc/ssl/certs", "k8s-certs", pki}, files: []string{"kubeconfig", kubernetesDir + "/controller-manager.conf"}},
		"kube-scheduler": {image: "kube-scheduler:" + Version, cpu: "100m", flags: conf("scheduler"),
			host: "127.0.0.1", port: 10259, liveness: "/livez", readiness: "/readyz", startup: "/livez",
			files: []string{"kubeconfig", kubernetesDir + "/scheduler.conf"}},
	}
}

// Manifest is the file of a program's static Pod. Upstream: util/staticpod/utils.go, ComponentPod.
func Manifest(name, node, address string) string {
	s := staticPods(node, address)[name]
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	put("apiVersion: v1\nkind: Pod\nmetadata:")
	if s.annotation != "" {
		put("  annotations:\n    %s", s.annotation)
	}
	put("  labels:\n    component: %s\n    tier: control-plane\n  name: %[1]s\n  namespace: kube-system\nspec:\n  containers:\n  - command:\n    - %[1]s", name)
	for _, flag := range s.flags {
		put("    - %s", flag)
	}
	put("    image: registry.k8s.io/%s\n    imagePullPolicy: IfNotPresent", s.image)
	probe := func(kind, path string, delay, threshold, period int) {
		scheme := "HTTPS"
		if name == "etcd" {
			scheme = "HTTP"
		}
		put("    %s:\n      failureThreshold: %d\n      httpGet:\n        host: %s\n        path: %s\n        port: probe-port\n        scheme: %s", kind, threshold, s.host, path, scheme)
		if delay > 0 {
			put("      initialDelaySeconds: %d", delay)
		}
		put("      periodSeconds: %d\n      timeoutSeconds: 15", period)
	}
	probe("livenessProbe", s.liveness, 10, 8, 10)
	put("    name: %s\n    ports:\n    - containerPort: %d\n      name: probe-port\n      protocol: TCP", name, s.port)
	if s.readiness != "" {
		probe("readinessProbe", s.readiness, 0, 3, 1)
	}
	put("    resources:\n      requests:\n        cpu: %s", s.cpu)
	if s.memory != "" {
		put("        memory: %s", s.memory)
	}
	probe("startupProbe", s.startup, 10, 24, 10)
	put("    volumeMounts:")
	volumes := slices.Concat(s.directories, s.files)
	for i := 0; i < len(volumes); i += 2 {
		put("    - mountPath: %s\n      name: %s", volumes[i+1], volumes[i])
		if name != "etcd" {
			put("      readOnly: true")
		}
	}
	put("  hostNetwork: true\n  priority: 2000001000\n  priorityClassName: system-node-critical\n  securityContext:\n    seccompProfile:\n      type: RuntimeDefault\n  volumes:")
	for i := 0; i < len(volumes); i += 2 {
		kind := "DirectoryOrCreate"
		if i >= len(s.directories) {
			kind = "FileOrCreate"
		}
		put("  - hostPath:\n      path: %s\n      type: %s\n    name: %s", volumes[i+1], kind, volumes[i])
	}
	return b.String()
}

// Check says why a program would not start with a command line: of a program's flags only those that kubeadm writes are known here.
// exists tells whether there is a file.
func Check(command []string, exists func(path string) bool) string {
	if len(command) == 0 {
		return "exec: no command"
	}
	known := map[string]bool{}
	for _, flag := range staticPods("", "")[command[0]].flags {
		name, _, _ := strings.Cut(flag, "=")
		known[name] = true
	}
	for _, arg := range command[1:] {
		name, value, _ := strings.Cut(arg, "=")
		switch {
		case !known[name]:
			return "Error: unknown flag: " + name
		case strings.HasPrefix(value, kubernetesDir) && !exists(value):
			return "Error: open " + value + ": no such file or directory"
		}
	}
	return ""
}

// object is one of a manifest.
type object struct {
	resource        api.GroupVersionResource
	namespace, name string
	object          api.Object
	text            []byte
}

func decode(manifest string) (out []object, err error) {
	text, err := yaml.ToJSON(manifest)
	if err != nil {
		return nil, err
	}
	var documents []json.RawMessage
	if text[0] != '[' {
		documents = append(documents, text)
	} else if err := json.Unmarshal(text, &documents); err != nil {
		return nil, err
	}
	for _, text := range documents {
		o, err := api.DecodeStrict(text, nil)
		if err != nil {
			return nil, err
		}
		m := o.GetObjectMeta()
		out = append(out, object{api.KindOf(o).GroupVersionResource(), m.Namespace, m.Name, o, text})
	}
	return out, nil
}
