package httpapi

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// credentials are what a server shows, and what its clients need: made anew for each server, and never written by it.
type credentials struct {
	authority   []byte // the CA's certificate, as PEM
	certificate tls.Certificate
	token       string

	ca    *x509.Certificate
	caKey *ecdsa.PrivateKey
}

// validity is how long certificates are good for: a server's life is shorter.
const validity = 365 * 24 * time.Hour

// newCredentials makes a CA, a certificate for those hosts (names or addresses) and a token.
func newCredentials(hosts []string) (*credentials, error) {
	now := time.Now().Add(-time.Minute) // clocks differ
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubernetes"}, NotBefore: now, NotAfter: now.Add(validity),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	caBytes, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serving := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kube-apiserver"}, NotBefore: now, NotAfter: now.Add(validity),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			serving.IPAddresses = append(serving.IPAddresses, ip)
		} else {
			serving.DNSNames = append(serving.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, serving, ca, &key.PublicKey, caKey)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	if ca, err = x509.ParseCertificate(caBytes); err != nil {
		return nil, err
	}
	return &credentials{ca: ca, caKey: caKey,
		authority:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caBytes}),
		certificate: tls.Certificate{Certificate: [][]byte{der, caBytes}, PrivateKey: key},
		token:       base64.RawURLEncoding.EncodeToString(secret),
	}, nil
}

// Context is the name of the context in the kubeconfig.
const Context = "kubewalk"

// kubeconfig is the file with which clients reach a server at a URL.
func (c *credentials) kubeconfig(url string) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: %[1]s
  cluster:
    server: %[2]s
    certificate-authority-data: %[3]s
users:
- name: %[1]s
  user:
    token: %[4]s
contexts:
- name: %[1]s
  context:
    cluster: %[1]s
    user: %[1]s
current-context: %[1]s
`, Context, url, base64.StdEncoding.EncodeToString(c.authority), c.token)
}
