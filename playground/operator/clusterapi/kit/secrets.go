package kit

import (
	"encoding/base64"
	"fmt"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/bootstraptoken"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
)

// SecretType is that of Secrets that belong to a Cluster.
const SecretType = "cluster.x-k8s.io/secret"

// What a Cluster's Secrets are for. Upstream: util/secret/consts.go.
const (
	Kubeconfig     = "kubeconfig"
	clusterCA      = "ca"
	etcdCA         = "etcd"
	frontProxyCA   = "proxy"
	serviceAccount = "sa"
)

// SecretName is what a Cluster's Secret is called. Upstream: util/secret.Name.
func SecretName(cluster, purpose string) string { return cluster + "-" + purpose }

// Certificate is a key, and a certificate or a public key, with their places on a machine of the control plane.
type Certificate struct {
	purpose, subject, CertFile, KeyFile string
	Cert, Key                           string
}

// Certificates are those that the first machine of a control plane is given. Simplified: they are texts that look like some, as kubeadm's
// are here. Upstream: util/secret/certificates.go, NewCertificatesForInitialControlPlane.
func certificates() []*Certificate {
	const pki = "/etc/kubernetes/pki/"
	return []*Certificate{
		{purpose: clusterCA, subject: "CN=kubernetes", CertFile: pki + "ca.crt", KeyFile: pki + "ca.key"},
		{purpose: serviceAccount, CertFile: pki + "sa.pub", KeyFile: pki + "sa.key"},
		{purpose: frontProxyCA, subject: "CN=front-proxy-ca", CertFile: pki + "front-proxy-ca.crt", KeyFile: pki + "front-proxy-ca.key"},
		{purpose: etcdCA, subject: "CN=etcd-ca", CertFile: pki + "etcd/ca.crt", KeyFile: pki + "etcd/ca.key"},
	}
}

// LookupCertificates reads a Cluster's certificates. Upstream: Certificates.LookupCached.
func LookupCertificates(ctx context.Context, p *Program, cluster *clusterv1.Cluster) ([]*Certificate, error) {
	all := certificates()
	for _, c := range all {
		secret, err := p.GetSecret(ctx, crclient.ObjectKey{Namespace: cluster.Namespace, Name: SecretName(cluster.Name, c.purpose)})
		if err != nil {
			return nil, err
		}
		c.Cert, c.Key = string(secret.Data["tls.crt"]), string(secret.Data["tls.key"])
	}
	return all, nil
}

// EnsureCertificates makes those of a Cluster's certificates that are missing. Upstream: Certificates.LookupOrGenerateCached.
func EnsureCertificates(ctx context.Context, p *Program, cluster *clusterv1.Cluster, owner metav1.OwnerReference) error {
	for _, c := range certificates() {
		_, err := p.GetSecret(ctx, crclient.ObjectKey{Namespace: cluster.Namespace, Name: SecretName(cluster.Name, c.purpose)})
		if !apierrors.IsNotFound(err) {
			if err != nil {
				return err
			}
			continue
		}
		key := p.Rand.UUID()
		kind, text := "CERTIFICATE", c.subject+"\nissuer="+c.purpose+"\nkey="+bootstraptoken.Hash(key)[:32]
		if c.subject == "" {
			kind, text = "PUBLIC KEY", bootstraptoken.Hash(key)[:32]
		}
		data := map[string][]byte{"tls.crt": []byte(pem(kind, text)), "tls.key": []byte(pem("PRIVATE KEY", key))}
		if err := p.createSecret(ctx, cluster, c.purpose, owner, data); err != nil {
			return err
		}
	}
	return nil
}

// GetSecret reads a Secret from the cache, or else from the API server: it may have been written just now.
// Upstream: util/secret.GetFromNamespacedName with two clients.
func (p *Program) GetSecret(ctx context.Context, key crclient.ObjectKey) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := p.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		return p.Clientset.CoreV1().Secrets(key.Namespace).Get(ctx.Proc, key.Name, metav1.GetOptions{})
	}
	return secret, err
}

func (p *Program) createSecret(ctx context.Context, cluster *clusterv1.Cluster, purpose string, owner metav1.OwnerReference, data map[string][]byte) error {
	secret := &corev1.Secret{Type: SecretType, Data: data}
	secret.Namespace, secret.Name = cluster.Namespace, SecretName(cluster.Name, purpose)
	secret.Labels = map[string]string{clusterv1.ClusterNameLabel: cluster.Name}
	secret.OwnerReferences = []metav1.OwnerReference{owner}
	return ignoreAlreadyExists(p.Create(ctx, secret))
}

// EnsureKubeconfig makes the Secret with which anybody becomes an administrator of a Cluster. Upstream: util/kubeconfig.CreateSecretWithOwner.
func EnsureKubeconfig(ctx context.Context, p *Program, cluster *clusterv1.Cluster, owner metav1.OwnerReference) error {
	_, err := p.GetSecret(ctx, crclient.ObjectKey{Namespace: cluster.Namespace, Name: SecretName(cluster.Name, Kubeconfig)})
	if !apierrors.IsNotFound(err) {
		return err
	}
	all, err := LookupCertificates(ctx, p, cluster)
	if err != nil {
		return err
	}
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	user := cluster.Name + "-admin"
	text := fmt.Sprintf(`apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: %s
    server: https://%s
  name: %s
contexts:
- context:
    cluster: %[3]s
    user: %s
  name: %[4]s@%[3]s
current-context: %[4]s@%[3]s
kind: Config
preferences: {}
users:
- name: %[4]s
  user:
    client-certificate-data: %s
    client-key-data: %s
`, encode(all[0].Cert), Endpoint(cluster), cluster.Name, user,
		encode(pem("CERTIFICATE", "O=system:masters, CN=kubernetes-admin\nissuer=ca")), encode(pem("PRIVATE KEY", p.Rand.UUID())))
	return p.createSecret(ctx, cluster, Kubeconfig, owner, map[string][]byte{"value": []byte(text)})
}

// Endpoint is where a Cluster's API server is: a host and a port.
func Endpoint(cluster *clusterv1.Cluster) string {
	return fmt.Sprintf("%s:%d", cluster.Spec.ControlPlaneEndpoint.Host, cluster.Spec.ControlPlaneEndpoint.Port)
}

// CAHash is what `kubeadm join` is told of a Cluster's CA.
func CAHash(ctx context.Context, p *Program, cluster *clusterv1.Cluster) (string, error) {
	all, err := LookupCertificates(ctx, p, cluster)
	if err != nil {
		return "", err
	}
	return "sha256:" + bootstraptoken.Hash(all[0].Cert), nil
}

// pem looks like a file of a key or a certificate, as operator/kubeadm writes them.
func pem(kind, text string) string {
	return "-----BEGIN " + kind + "-----\n" + base64.StdEncoding.EncodeToString([]byte(text)) + "\n-----END " + kind + "-----\n"
}
