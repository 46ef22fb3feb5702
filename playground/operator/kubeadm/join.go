package kubeadm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/bootstraptoken"
	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// tlsBootstrapTimeout is how long it waits for the kubelet's certificate. Upstream: Timeouts.TLSBootstrap.
const tlsBootstrapTimeout = 5 * time.Minute

// Join runs `kubeadm join` on a machine, as somebody typed it. Upstream: cmd/join.go; cmd/phases/join/kubelet.go.
func Join(k *sim.Kernel, m Machine, command JoinCommand) *sim.Component {
	return start(k, m, func(r *run) (string, error) {
		r.say("[preflight] Running pre-flight checks")
		r.works(200*time.Millisecond, 400*time.Millisecond)
		if _, there := r.Read(KubeletConf); there {
			return "preflight", errors.New("[preflight] Some fatal errors occurred:\n\t[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists")
		}
		info, err := r.discover(command)
		if err != nil {
			return "preflight", fmt.Errorf("couldn't validate the identity of the API Server: %w", err)
		}
		r.client = client.New(r.As(BootstrapFor + command.Token))
		r.say(`[preflight] Reading configuration from the "kubeadm-config" ConfigMap in namespace "kube-system"...`)
		r.say("[preflight] Use 'kubeadm init phase upload-config kubeadm --config your-config-file' to re-upload it.")
		for _, name := range []string{"kubeadm-config", "kube-proxy", "kubelet-config"} {
			if _, err := r.client.CoreV1().ConfigMaps("kube-system").Get(r.proc, name, metav1.GetOptions{}); err != nil {
				return "preflight", fmt.Errorf("unable to fetch the kubeadm-config ConfigMap: failed to get config map: %w", err)
			}
		}
		if err := r.joinKubelet(command, info); err != nil {
			return "kubelet-start", err
		}
		r.say("This node has joined the cluster:")
		r.say("* Certificate signing request was sent to apiserver and a response was received.")
		r.say("* The Kubelet was informed of the new secure connection details.")
		return "", nil
	})
}

// discover gets what everybody may read of a cluster, and checks that whoever gave it knows the token. Upstream: discovery/token/token.go.
func (r *run) discover(command JoinCommand) (info string, err error) {
	id, secret, ok := bootstraptoken.Split(command.Token)
	if !ok {
		return "", fmt.Errorf("the bootstrap token %q was not of the form %q", command.Token, "[a-z0-9]{6}.[a-z0-9]{16}")
	}
	infos := client.New(r.As(Anonymous)).CoreV1().ConfigMaps("kube-public")
	var got *corev1.ConfigMap
	signature := ""
	_, ok = r.waitFor(5*time.Minute, func() bool {
		if got, err = infos.Get(r.proc, bootstraptoken.ClusterInfo, metav1.GetOptions{}); err != nil {
			return false
		}
		signature = got.Data[bootstraptoken.SignatureKeyStart+id]
		return signature != "" // it is signed a moment after it was made
	})
	switch {
	case !ok && err != nil:
		return "", fmt.Errorf("failed to request the cluster-info ConfigMap: %w", err)
	case !ok:
		return "", fmt.Errorf("could not find a JWS signature in the cluster-info ConfigMap for token ID %q", id)
	}
	info = got.Data[bootstraptoken.KubeConfigKey]
	if signature != bootstraptoken.ComputeDetachedSignature(info, id, secret) {
		return "", errors.New("failed to verify JWS signature of received cluster info object, can't trust this API Server")
	}
	if found := "sha256:" + bootstraptoken.Hash(caOf(info)); found != command.CACertHash {
		return "", fmt.Errorf("cluster CA found in cluster-info ConfigMap is invalid: none of the public keys %q are pinned", found)
	}
	// With the CA it asks once more, on a connection that is verified by it.
	again, err := infos.Get(r.proc, bootstraptoken.ClusterInfo, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if again.Data[bootstraptoken.KubeConfigKey] != info {
		return "", errors.New("the second kubeconfig from the cluster-info ConfigMap (using validated TLS) was different from the first")
	}
	return info, nil
}

// caOf is the CA in a kubeconfig.
func caOf(kubeconfig string) string {
	_, data, _ := strings.Cut(kubeconfig, "certificate-authority-data: ")
	data, _, _ = strings.Cut(data, "\n")
	return unbase64(data)
}

// joinKubelet starts the kubelet with the token alone, and waits until it has a certificate of its own.
func (r *run) joinKubelet(command JoinCommand, info string) error {
	node, err := r.client.CoreV1().Nodes().Get(r.proc, r.Node(), metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("cannot get Node %q: %w", r.Node(), err)
	}
	if err == nil {
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
				return fmt.Errorf("a Node with name %q and status %q already exists in the cluster. You must delete the existing Node or change the name of this new joining Node", r.Node(), corev1.NodeReady)
			}
		}
	}
	r.Write(bootstrapConf, info+"# token: "+command.Token+"\n")
	r.Write(pki+"/ca.crt", caOf(info))
	if err := r.startKubelet(""); err != nil {
		return err
	}
	if err := r.kubeletCheck(); err != nil {
		return err
	}
	r.say("[kubelet-start] Waiting for the kubelet to perform the TLS Bootstrap")
	if _, ok := r.waitFor(tlsBootstrapTimeout, func() bool { _, there := r.Read(KubeletConf); return there }); !ok {
		return errors.New("failed while waiting for TLS bootstrap: context deadline exceeded")
	}
	r.Remove(bootstrapConf)
	return nil
}

// Bootstrap is what a kubelet does before everything else if it has no credentials but a token: it asks for a certificate, and waits for it.
// Simplified: it looks every half second whether it was issued; upstream watches.
// Upstream: pkg/kubelet/certificate/bootstrap/bootstrap.go, LoadClientConfig; client-go/util/certificate/csr/csr.go.
func Bootstrap(p *sim.Proc, m Machine) {
	if _, there := m.Read(KubeletConf); there {
		return
	}
	log := p.Logger()
	for {
		conf, there := m.Read(bootstrapConf)
		_, token, _ := strings.Cut(conf, "# token: ")
		if token = strings.TrimSpace(token); !there || token == "" {
			log.Error(nil, "Failed to run kubelet", "err", "failed to run Kubelet: unable to load bootstrap kubeconfig: stat "+bootstrapConf+": no such file or directory")
			p.Component().Stop("exit status 1")
			return
		}
		log.V(2).Info("Using bootstrap kubeconfig to generate TLS client cert, key and kubeconfig file")
		err := requestCertificate(p, m, client.New(m.As(BootstrapFor+token)))
		if err == nil {
			return
		}
		log.Error(err, "Failed to run kubelet")
		p.Sleep(10 * time.Second) // systemd starts it again
	}
}

// signer is who may sign what a kubelet asks for.
const signer = "kubernetes.io/kube-apiserver-client-kubelet"

func requestCertificate(p *sim.Proc, m Machine, cs *client.Clientset) error {
	key := m.Chance().UUID()
	subject := "O=system:nodes, CN=system:node:" + m.Node()
	csr := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "node-csr-" + bootstraptoken.Hash(key + subject)[:43]}}
	csr.Spec.Request = []byte(pem("CERTIFICATE REQUEST", subject+"\nkey="+bootstraptoken.Hash(key)[:32]))
	csr.Spec.SignerName = signer
	csr.Spec.Usages = []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth}
	if _, err := cs.Transport().Do(p, &client.Request{Verb: client.Create, Resource: requests, Object: csr}); err != nil {
		return fmt.Errorf("failed to run Kubelet: cannot create certificate signing request: %w", err)
	}
	log := p.Logger().WithValues("csr", csr.Name)
	log.V(2).Info("Waiting for client certificate to be issued")
	approved := false
	for {
		got, err := client.As[*certificatesv1.CertificateSigningRequest](cs.Transport().Do(p, &client.Request{Verb: client.Get, Resource: requests, Name: csr.Name}))
		if err != nil {
			return fmt.Errorf("failed to run Kubelet: %w", err)
		}
		for _, c := range got.Status.Conditions {
			switch {
			case c.Type == certificatesv1.CertificateDenied:
				return fmt.Errorf("certificate signing request is denied, reason: %v, message: %v", c.Reason, c.Message)
			case c.Type == certificatesv1.CertificateApproved && !approved:
				approved = true
				log.V(2).Info("Certificate signing request is approved")
			}
		}
		if approved && len(got.Status.Certificate) > 0 {
			log.V(2).Info("Certificate signing request is issued")
			m.Write(kubeletCert, string(got.Status.Certificate)+pem("PRIVATE KEY", key))
			info, _ := m.Read(bootstrapConf)
			info, _, _ = strings.Cut(info, "# token: ")
			m.Write(KubeletConf, info+"# user: system:node:"+m.Node()+", client-certificate: "+kubeletCert+"\n")
			return nil
		}
		p.Sleep(retryInterval)
	}
}
