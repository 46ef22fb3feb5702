package kubeadm

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/bootstraptoken"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// phase is one of a run's. Upstream: cmd/phases/workflow/phase.go.
type phase struct {
	name string
	run  func(r *run) error
}

// initPhases stand in their order. Upstream: cmd/init.go, newCmdInit.
//
// region phases
var initPhases = []phase{
	{"preflight", (*run).preflight},
	{"certs", (*run).certs},
	{"kubeconfig", (*run).kubeconfig},
	{"etcd", (*run).etcd},
	{"control-plane", (*run).controlPlane},
	{"kubelet-start", (*run).kubeletStart},
	{"wait-control-plane", (*run).waitControlPlane},
	{"upload-config", (*run).uploadConfig},
	{"upload-certs", (*run).uploadCerts},
	{"mark-control-plane", (*run).markControlPlane},
	{"bootstrap-token", (*run).bootstrapToken},
	{"kubelet-finalize", (*run).kubeletFinalize},
	{"addon", (*run).addons},
}

// endregion

// Init runs `kubeadm init` on a machine. done is told what is to be typed on others.
func Init(k *sim.Kernel, m Machine, done func(JoinCommand)) *sim.Component {
	return start(k, m, func(r *run) (string, error) {
		r.say("[init] Using Kubernetes version: " + Version)
		for _, phase := range initPhases {
			if err := phase.run(r); err != nil {
				return phase.name, err
			}
		}
		done(r.showJoinCommand())
		return "", nil
	})
}

// images are those of a control plane. Upstream: images/images.go, GetControlPlaneImages.
func images() (out []string) {
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"} {
		out = append(out, "registry.k8s.io/"+name+":"+Version)
	}
	return append(out, "registry.k8s.io/coredns/coredns:"+coreDNSVersion, "registry.k8s.io/pause:"+pauseVersion, "registry.k8s.io/etcd:"+etcdVersion)
}

// Upstream: cmd/phases/init/preflight.go, and preflight/checks.go for the two checks that are here.
func (r *run) preflight() error {
	r.say("[preflight] Running pre-flight checks")
	r.works(200*time.Millisecond, 400*time.Millisecond)
	var problems []string
	for _, name := range controlPlane {
		if _, there := r.Read(Manifests + "/" + name + ".yaml"); there {
			problems = append(problems, fmt.Sprintf("\t[ERROR FileAvailable--etc-kubernetes-manifests-%s.yaml]: %s/%s.yaml already exists", name, Manifests, name))
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("[preflight] Some fatal errors occurred:\n%s\n[preflight] If you know what you are doing, you can make a check non-fatal with `--ignore-preflight-errors=...`",
			strings.Join(problems, "\n"))
	}
	r.say("[preflight] Pulling images required for setting up a Kubernetes cluster")
	r.say("[preflight] This might take a minute or two, depending on the speed of your internet connection")
	r.say("[preflight] You can also perform this action beforehand using 'kubeadm config images pull'")
	for _, image := range images() {
		if err := r.Pull(r.proc, image); err != nil {
			return fmt.Errorf("[preflight] Some fatal errors occurred:\n\t[ERROR ImagePull]: failed to pull image %s: %w", image, err)
		}
	}
	return nil
}

// certificates are made in this order; a CA has no signer. Upstream: phases/certs/certlist.go.
var certificates = []struct{ name, file, signer, subject string }{
	{"ca", "ca", "", "CN=kubernetes"},
	{"apiserver", "apiserver", "ca", "CN=kube-apiserver"},
	{"apiserver-kubelet-client", "apiserver-kubelet-client", "ca", "CN=kube-apiserver-kubelet-client"},
	{"front-proxy-ca", "front-proxy-ca", "", "CN=front-proxy-ca"},
	{"front-proxy-client", "front-proxy-client", "front-proxy-ca", "CN=front-proxy-client"},
	{"etcd/ca", "etcd/ca", "", "CN=etcd-ca"},
	{"etcd/server", "etcd/server", "etcd/ca", "CN=NODE"},
	{"etcd/peer", "etcd/peer", "etcd/ca", "CN=NODE"},
	{"etcd/healthcheck-client", "etcd/healthcheck-client", "etcd/ca", "CN=kube-etcd-healthcheck-client"},
	{"apiserver-etcd-client", "apiserver-etcd-client", "etcd/ca", "CN=kube-apiserver-etcd-client"},
}

// Upstream: cmd/phases/init/certs.go, phases/certs/certs.go.
func (r *run) certs() error {
	r.say(fmt.Sprintf("[certs] Using certificateDir folder %q", pki))
	for _, c := range certificates {
		if _, there := r.Read(pki + "/" + c.file + ".crt"); there {
			what := "certificate and key on disk"
			if c.signer == "" {
				what = "certificate authority"
			}
			r.say(fmt.Sprintf("[certs] Using existing %s %s", c.file, what))
			continue
		}
		r.works(20*time.Millisecond, 120*time.Millisecond)
		r.say(fmt.Sprintf("[certs] Generating %q certificate and key", c.name))
		key := r.Chance().UUID()
		signer := c.signer
		if signer == "" {
			signer = c.file
		}
		r.Write(pki+"/"+c.file+".key", pem("PRIVATE KEY", key))
		r.Write(pki+"/"+c.file+".crt", pem("CERTIFICATE", strings.Replace(c.subject, "NODE", r.Node(), 1)+"\nissuer="+signer+"\nkey="+bootstraptoken.Hash(key)[:32]))
		switch c.name {
		case "apiserver":
			r.say(fmt.Sprintf("[certs] apiserver serving cert is signed for DNS names [kubernetes kubernetes.default kubernetes.default.svc "+
				"kubernetes.default.svc.cluster.local %s] and IPs [10.96.0.1 %s]", r.Node(), r.Address()))
		case "etcd/server", "etcd/peer":
			r.say(fmt.Sprintf("[certs] %s serving cert is signed for DNS names [localhost %s] and IPs [%s 127.0.0.1 ::1]", c.name, r.Node(), r.Address()))
		}
	}
	if _, there := r.Read(pki + "/sa.key"); there {
		r.say(`[certs] Using the existing "sa" key`)
		return nil
	}
	r.say(`[certs] Generating "sa" key and public key`)
	key := r.Chance().UUID()
	r.Write(pki+"/sa.key", pem("PRIVATE KEY", key))
	r.Write(pki+"/sa.pub", pem("PUBLIC KEY", bootstraptoken.Hash(key)[:32]))
	return nil
}

// pem looks like a file of a key or a certificate. What stands in it is a text.
func pem(kind, text string) string {
	return "-----BEGIN " + kind + "-----\n" + base64.StdEncoding.EncodeToString([]byte(text)) + "\n-----END " + kind + "-----\n"
}

// unpem is the text of a file that pem made.
func unpem(kind, file string) (string, bool) {
	file, begins := strings.CutPrefix(file, "-----BEGIN "+kind+"-----\n")
	file, ends := strings.CutSuffix(file, "\n-----END "+kind+"-----\n")
	text, err := base64.StdEncoding.DecodeString(file)
	return string(text), begins && ends && err == nil
}

func (r *run) server() string { return "https://" + r.endpoint() }

// endpoint is upstream's ClusterConfiguration.controlPlaneEndpoint, or else the machine's own.
func (r *run) endpoint() string {
	if e := r.Endpoint(); e != "" {
		return e
	}
	return r.Address() + ":6443"
}

// kubeconfigOf is a file that says where the API server is, and who its reader is.
func (r *run) kubeconfigOf(user, credentials string) string {
	ca, _ := r.Read(pki + "/ca.crt")
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: %s
    server: %s
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: %s
  name: %[3]s@kubernetes
current-context: %[3]s@kubernetes
users:
- name: %[3]s
  user:
    %[4]s
`, base64.StdEncoding.EncodeToString([]byte(ca)), r.server(), user, credentials)
}

// Upstream: phases/kubeconfig/kubeconfig.go.
func (r *run) kubeconfig() error {
	r.say(fmt.Sprintf("[kubeconfig] Using kubeconfig folder %q", kubernetesDir))
	for _, f := range []struct{ file, user, group string }{
		{"admin.conf", "kubernetes-admin", "kubeadm:cluster-admins"},
		{"super-admin.conf", "kubernetes-super-admin", "system:masters"},
		{"kubelet.conf", "system:node:" + r.Node(), "system:nodes"},
		{"controller-manager.conf", "system:kube-controller-manager", ""},
		{"scheduler.conf", "system:kube-scheduler", ""},
	} {
		r.works(20*time.Millisecond, 120*time.Millisecond)
		r.say(fmt.Sprintf("[kubeconfig] Writing %q kubeconfig file", f.file))
		certificate := pem("CERTIFICATE", strings.TrimPrefix("O="+f.group+", ", "O=, ")+"CN="+f.user+"\nissuer=ca")
		r.Write(kubernetesDir+"/"+f.file, r.kubeconfigOf(f.user, "client-certificate-data: "+base64.StdEncoding.EncodeToString([]byte(certificate))))
	}
	return nil
}

// Upstream: cmd/phases/init/etcd.go.
func (r *run) etcd() error {
	r.say(fmt.Sprintf("[etcd] Creating static Pod manifest for local etcd in %q", Manifests))
	r.Write(Manifests+"/etcd.yaml", Manifest("etcd", r.Node(), r.Address()))
	return nil
}

// Upstream: cmd/phases/init/controlplane.go.
func (r *run) controlPlane() error {
	r.say(fmt.Sprintf("[control-plane] Using manifest folder %q", Manifests))
	for _, name := range controlPlane[1:] {
		r.say(fmt.Sprintf("[control-plane] Creating static Pod manifest for %q", name))
		r.Write(Manifests+"/"+name+".yaml", Manifest(name, r.Node(), r.Address()))
	}
	return nil
}

// kubeletConfiguration is what matters of it. Upstream: componentconfigs/kubelet.go.
const kubeletConfiguration = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
clusterDNS:
- 10.96.0.10
clusterDomain: cluster.local
healthzPort: 10248
rotateCertificates: true
staticPodPath: ` + Manifests + `
`

// Upstream: cmd/phases/init/kubelet.go.
func (r *run) kubeletStart() error { return r.startKubelet("") }

func (r *run) startKubelet(flags string) error {
	r.say(fmt.Sprintf("[kubelet-start] Writing kubelet environment file with flags to file %q", kubeletFlags))
	r.Write(kubeletFlags, "KUBELET_KUBEADM_ARGS=\""+flags+"\"\n")
	r.say(fmt.Sprintf("[kubelet-start] Writing kubelet configuration to file %q", KubeletConfig))
	r.Write(KubeletConfig, kubeletConfiguration)
	r.say("[kubelet-start] Starting the kubelet")
	return r.StartKubelet()
}

// waitFor looks again and again. Upstream: apimachinery/pkg/util/wait, PollUntilContextTimeout.
func (r *run) waitFor(timeout time.Duration, yes func() bool) (took time.Duration, ok bool) {
	began := r.proc.Now()
	for !yes() {
		if r.proc.Now()-began >= timeout {
			return timeout, false
		}
		r.proc.Sleep(retryInterval)
	}
	return r.proc.Now() - began, true
}

// kubeletCheck is upstream's util/apiclient/wait.go, WaitForKubelet.
func (r *run) kubeletCheck() error {
	r.say("[kubelet-check] Waiting for a healthy kubelet at http://127.0.0.1:10248/healthz. This can take up to 4m0s")
	took, ok := r.waitFor(4*time.Minute, r.KubeletHealthy)
	if !ok {
		r.say(fmt.Sprintf("[kubelet-check] The kubelet is not healthy after %v", took))
		return fmt.Errorf("failed while waiting for the kubelet to start: The HTTP call equal to 'curl -sSL http://127.0.0.1:10248/healthz' returned error")
	}
	r.say(fmt.Sprintf("[kubelet-check] The kubelet is healthy after %v", took))
	return nil
}

// Upstream: cmd/phases/init/waitcontrolplane.go; util/apiclient/wait.go, WaitForControlPlaneComponents.
func (r *run) waitControlPlane() error {
	r.say(fmt.Sprintf("[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods from directory %q", Manifests))
	if err := r.kubeletCheck(); err != nil {
		return err
	}
	r.say("[control-plane-check] Waiting for healthy control plane components. This can take up to 4m0s")
	urls := map[string]string{
		"kube-apiserver":          "https://" + r.Address() + ":6443/livez",
		"kube-controller-manager": "https://127.0.0.1:10257/healthz",
		"kube-scheduler":          "https://127.0.0.1:10259/livez",
	}
	for _, name := range controlPlane[1:] {
		r.say(fmt.Sprintf("[control-plane-check] Checking %s at %s", name, urls[name]))
	}
	began, healthy := r.proc.Now(), map[string]bool{}
	_, ok := r.waitFor(4*time.Minute, func() bool {
		for _, name := range controlPlane[1:] {
			if !healthy[name] && r.Answers(name) {
				healthy[name] = true
				r.say(fmt.Sprintf("[control-plane-check] %s is healthy after %v", name, r.proc.Now()-began))
			}
		}
		return len(healthy) == len(controlPlane)-1
	})
	for _, name := range controlPlane[1:] {
		if !ok && !healthy[name] {
			r.say(fmt.Sprintf("[control-plane-check] %s is not healthy after 4m0s", name))
			return fmt.Errorf("failed while waiting for the control plane to start: %s check failed at %s", name, urls[name])
		}
	}
	return r.bootstrapAdmin()
}

// bootstrapAdmin lets admin.conf do everything; until then only super-admin.conf may. Upstream: phases/kubeconfig, EnsureAdminClusterRoleBinding.
func (r *run) bootstrapAdmin() error {
	r.client = client.New(r.As(""))
	return r.apply(adminBinding)
}

// Upstream: cmd/phases/init/uploadconfig.go.
func (r *run) uploadConfig() error {
	r.say(`[upload-config] Storing the configuration used in ConfigMap "kubeadm-config" in the "kube-system" Namespace`)
	own := configMap("kube-system", "kubeadm-config", "ClusterConfiguration", clusterConfiguration)
	if err := r.apply(own + uploadedRoles("kubeadm:nodes-kubeadm-config", "kubeadm-config")); err != nil {
		return err
	}
	r.say(`[kubelet] Creating a ConfigMap "kubelet-config" in namespace kube-system with the configuration for the kubelets in the cluster`)
	return r.apply(configMap("kube-system", "kubelet-config", "kubelet", kubeletConfiguration) + uploadedRoles("kubeadm:kubelet-config", "kubelet-config"))
}

func (r *run) uploadCerts() error {
	r.say("[upload-certs] Skipping phase. Please see --upload-certs")
	return nil
}

const controlPlaneRole, excludeFromLB = "node-role.kubernetes.io/control-plane", "node.kubernetes.io/exclude-from-external-load-balancers"

// Upstream: phases/markcontrolplane/markcontrolplane.go.
func (r *run) markControlPlane() error {
	r.say(fmt.Sprintf("[mark-control-plane] Marking the node %s as control-plane by adding the labels: [%s %s]", r.Node(), controlPlaneRole, excludeFromLB))
	r.say(fmt.Sprintf("[mark-control-plane] Marking the node %s as control-plane by adding the taints [%s:NoSchedule]", r.Node(), controlPlaneRole))
	var last error
	_, ok := r.waitFor(time.Minute, func() bool { // the kubelet may not have registered yet
		node, err := r.client.CoreV1().Nodes().Get(r.proc, r.Node(), metav1.GetOptions{})
		if last = err; err != nil {
			return false
		}
		marked := node.DeepCopy()
		marked.Labels[controlPlaneRole], marked.Labels[excludeFromLB] = "", ""
		marked.Spec.Taints = append([]corev1.Taint{{Key: controlPlaneRole, Effect: corev1.TaintEffectNoSchedule}}, marked.Spec.Taints...)
		_, last = r.client.CoreV1().Nodes().Update(r.proc, marked, metav1.UpdateOptions{})
		return last == nil
	})
	if !ok {
		return fmt.Errorf("error patching Node %q: %w", r.Node(), last)
	}
	return nil
}

// newToken is upstream's cluster-bootstrap/token/util, GenerateBootstrapToken.
func (r *run) newToken() string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	text := make([]byte, 22)
	for i := range text {
		text[i] = letters[r.Chance().IntN(len(letters))]
	}
	return string(text[:6]) + "." + string(text[6:])
}

// Upstream: cmd/phases/init/bootstraptoken.go, and phases/bootstraptoken.
func (r *run) bootstrapToken() error {
	token := r.newToken()
	id, secret, _ := bootstraptoken.Split(token)
	r.say("[bootstrap-token] Using token: " + token)
	r.say("[bootstrap-token] Configuring bootstrap tokens, cluster-info ConfigMap, RBAC Roles")
	_, err := r.client.CoreV1().Secrets("kube-system").Create(r.proc, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: bootstraptoken.SecretPrefix + id}, Type: bootstraptoken.SecretType,
		Data: map[string][]byte{
			bootstraptoken.TokenIDKey: []byte(id), bootstraptoken.TokenSecretKey: []byte(secret), bootstraptoken.SigningUsage: []byte("true"),
			bootstraptoken.AuthUsage: []byte("true"), bootstraptoken.ExtraGroupsKey: []byte(bootstrapGroup),
			bootstraptoken.ExpirationKey: []byte(r.proc.Time().Add(24 * time.Hour).UTC().Format(time.RFC3339)),
			"description":                []byte("The default bootstrap token generated by 'kubeadm init'."),
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("error updating or creating token: %w", err)
	}
	for _, step := range tokenSteps {
		r.say("[bootstrap-token] " + step.line)
		if err := r.apply(step.manifest); err != nil {
			return err
		}
	}
	r.say(`[bootstrap-token] Creating the "cluster-info" ConfigMap in the "kube-public" namespace`)
	ca, _ := r.Read(pki + "/ca.crt")
	info := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: %s
    server: %s
  name: ""
contexts: null
current-context: ""
users: null
`, base64.StdEncoding.EncodeToString([]byte(ca)), r.server())
	if err := r.apply(configMap("kube-public", bootstraptoken.ClusterInfo, bootstraptoken.KubeConfigKey, info) + clusterInfoRoles); err != nil {
		return err
	}
	r.token = token
	return nil
}

// Upstream: cmd/phases/init/kubeletfinalize.go.
func (r *run) kubeletFinalize() error {
	r.say(fmt.Sprintf("[kubelet-finalize] Updating %q to point to a rotatable kubelet client certificate and key", KubeletConf))
	r.Write(kubeletCert, pem("CERTIFICATE", "O=system:nodes, CN=system:node:"+r.Node()+"\nissuer=ca"))
	r.Write(KubeletConf, r.kubeconfigOf("default-auth", "client-certificate: "+kubeletCert))
	return nil
}

// Upstream: phases/addons.
func (r *run) addons() error {
	if err := r.apply(coreDNS); err != nil {
		return err
	}
	r.say("[addons] Applied essential addon: CoreDNS")
	if err := r.apply(kubeProxy); err != nil {
		return err
	}
	r.say("[addons] Applied essential addon: kube-proxy")
	return nil
}

// Upstream: cmd/phases/init/showjoincommand.go.
func (r *run) showJoinCommand() JoinCommand {
	ca, _ := r.Read(pki + "/ca.crt")
	join := JoinCommand{Server: r.endpoint(), Token: r.token, CACertHash: "sha256:" + bootstraptoken.Hash(ca)}
	r.say("Your Kubernetes control-plane has initialized successfully!")
	r.say("You should now deploy a pod network to the cluster.")
	r.say("Then you can join any number of worker nodes by running the following on each as root:")
	r.say("kubeadm join " + join.Server + " --token " + join.Token + " --discovery-token-ca-cert-hash " + join.CACertHash)
	return join
}

// apply creates what a manifest says, or updates it. Upstream: util/apiclient/idempotency.go, CreateOrUpdate.
func (r *run) apply(manifest string) error {
	objects, err := decode(manifest)
	if err != nil {
		return err
	}
	for _, o := range objects {
		request := &client.Request{Verb: client.Create, Resource: o.resource, Namespace: o.namespace, Object: o.object}
		_, err := r.client.Transport().Do(r.proc, request)
		if apierrors.IsAlreadyExists(err) {
			_, err = r.client.Transport().Do(r.proc, &client.Request{Verb: client.Patch, Resource: o.resource, Namespace: o.namespace, Name: o.name,
				PatchType: types.MergePatchType, Patch: o.text})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
