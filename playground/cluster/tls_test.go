package cluster_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

// certificate is one for a name, and its authority's, in PEM and base64.
func certificate(t *testing.T, name string) (bundle, serving string) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true}
	ca.Subject.CommonName = name + "-ca"
	encode := func(template *x509.Certificate) string {
		template.NotBefore, template.NotAfter = time.Unix(0, 0), time.Date(2049, 1, 1, 0, 0, 0, 0, time.UTC)
		raw, err := x509.CreateCertificate(rand.Reader, template, ca, public, key)
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	}
	return encode(ca), encode(&x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{name}})
}

// secret has a certificate as its program looks for it; the key is looked at by nobody.
func secret(serving string) string {
	return `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"serving"},"type":"kubernetes.io/tls","data":{"tls.crt":"` + serving + `","tls.key":"a2V5"}}`
}

// showing is a Pod with the certificate of the Secret.
func showing(name, image, args string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","labels":{"app":"` + name + `"}},"spec":{
		"volumes":[{"name":"serving","secret":{"secretName":"serving"}}],
		"containers":[{"name":"c","image":"` + image + `","args":[` + args + `],"volumeMounts":[{"name":"serving","mountPath":"/serving"}]}]}}`
}

// What a Secret has is what the API server sees of a webhook, and by the caBundle it knows whether that is right.
func TestWebhookWithACertificate(t *testing.T) {
	right, serving := certificate(t, "hook.default.svc")
	other, _ := certificate(t, "other.default.svc")
	const unknown = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
	for image, args := range map[string]string{
		"registry.k8s.io/e2e-test-images/agnhost:2.63.0": `"webhook","--tls-cert-file=/serving/tls.crt","--tls-private-key-file=/serving/tls.key","--port=8443"`,
		"kubewalk.dev/app": `"--require-label=none","--tls-cert-file=/serving/tls.crt","--port=8443"`,
	} {
		w := newNetWorld(t, 1, false, secret(serving), showing("hook", image, args), hookService)
		denied := "denied the request"
		for _, c := range []struct{ bundle, want string }{{"", unknown}, {other, unknown}, {right, denied}} {
			trust := ""
			if c.bundle != "" {
				trust = `"caBundle":"` + c.bundle + `",`
			}
			with := strings.Replace(configuration(validating, "labels", ""), `"service":`, trust+`"service":`, 1)
			if o := w.try(strings.Replace(with, "/review", "/always-deny", 1)); o.Error != "" {
				t.Fatal(o.Error)
			}
			if o := w.try(configMap("a", "")); !strings.Contains(o.Error, c.want) {
				t.Errorf("%s:\ngot  %s\nwant %s", image, o.Error, c.want)
			}
		}
	}
}

// A program that looks for a certificate that is not there ends.
func TestWebhookWithoutItsCertificate(t *testing.T) {
	w := newNetWorld(t, 1, false, hook(`"--require-label=team","--tls-cert-file=/serving/tls.crt"`), hookService)
	w.prints("get pod hook", "Error")
	w.prints("logs hook", "open /serving/tls.crt: no such file or directory")
}

// An APIService says by what its server is known.
func TestAPIServiceWithACertificate(t *testing.T) {
	right, serving := certificate(t, "clock.default.svc")
	w := newNetWorld(t, 1, false, secret(serving), showing("clock", "kubewalk.dev/clock-apiserver", `"--tls-cert-file=/serving/tls.crt"`), clockService,
		strings.Replace(clockGroup, `"insecureSkipTLSVerify":true,`, "", 1))
	w.prints("get apiservice v1.clock.example.com", "False (FailedDiscoveryCheck)")
	w.prints("get apiservice v1.clock.example.com -o jsonpath={.status.conditions[0].message}",
		"tls: failed to verify certificate: x509: certificate signed by unknown authority")
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"caBundle": right}})
	if err != nil {
		t.Fatal(err)
	}
	w.prints("patch apiservice v1.clock.example.com --type=merge -p "+string(patch), "patched")
	w.RunUntil(w.Elapsed() + 5*time.Second)
	w.prints("get apiservice v1.clock.example.com", "default/clock   True")
	w.prints("get times", "tokyo   Asia/Tokyo")
}
