package httpapi

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/cluster"
	_ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
	"kubewalk/playground/trace"
)

// whole is a cluster with all kinds, expressions and authorization, on a port.
func whole(t *testing.T) *Server {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Trace, config.Nodes, config.Network, config.Authorization = trace.Off, cluster.NumberedNodes(1), true, cluster.RBAC
	config.AllKinds, config.CEL = true, true
	s, err := Start(Options{Config: config, Seed: 1, Speed: 20, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// Requests are signed once they are approved, those of kubelets by themselves, and what the signer does not take fails.
func TestCertificatesAreSigned(t *testing.T) {
	s := whole(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
	request := func(name, signer, subject, organization string, usages []certificatesv1.KeyUsage, header ...string) {
		t.Helper()
		der, err := x509.CreateCertificateRequest(rand.Reader,
			&x509.CertificateRequest{Subject: pkix.Name{CommonName: subject, Organization: []string{organization}}}, key)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(usages)
		code, answer, _ := s.ask(t, "POST", path, `{"metadata":{"name":"`+name+`"},"spec":{"signerName":"kubernetes.io/`+signer+
			`","expirationSeconds":3600,"usages":`+
			string(text)+`,"request":"`+base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))+`"}}`, header...)
		if code != 201 {
			t.Fatalf("%s: %d %s", name, code, answer)
		}
	}
	get := func(name string) (csr certificatesv1.CertificateSigningRequest) {
		_, text, _ := s.ask(t, "GET", path+"/"+name, "")
		if err := json.Unmarshal([]byte(text), &csr); err != nil {
			t.Fatal(err)
		}
		return csr
	}
	approve := func(name string) {
		t.Helper()
		if code, text, _ := s.ask(t, "PATCH", path+"/"+name+"/approval", `{"status":{"conditions":[{"type":"Approved","status":"True","reason":"x"}]}}`,
			"Content-Type", "application/merge-patch+json"); code != 200 {
			t.Fatalf("%d %s", code, text)
		}
	}
	until := func(name string, is func(certificatesv1.CertificateSigningRequestStatus) bool) certificatesv1.CertificateSigningRequestStatus {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			if csr := get(name); is(csr.Status) {
				return csr.Status
			} else if time.Now().After(end) {
				t.Fatalf("%s: %+v", name, csr.Status)
			}
		}
	}
	issued := func(s certificatesv1.CertificateSigningRequestStatus) bool { return len(s.Certificate) > 0 }

	clientAuth := []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth}
	request("user", "kube-apiserver-client", "ann", "developers", clientAuth)
	request("other", "kube-apiserver-client", "ann", "developers", []certificatesv1.KeyUsage{certificatesv1.UsageServerAuth})
	request("node", "kube-apiserver-client-kubelet", "system:node:node-9", "system:nodes", clientAuth)
	approve("user")
	approve("other")
	block, _ := pem.Decode(until("user", issued).Certificate)
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.credentials.ca)
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: certificate.NotBefore.Add(time.Minute),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil && !strings.Contains(err.Error(), "expired or is not yet valid") {
		t.Error(err)
	}
	if certificate.Subject.CommonName != "ann" || certificate.NotAfter.Sub(certificate.NotBefore) != 65*time.Minute {
		t.Errorf("%v %v %v", certificate.Subject, certificate.NotBefore, certificate.NotAfter)
	}
	failed := until("other", func(s certificatesv1.CertificateSigningRequestStatus) bool { return len(s.Conditions) == 2 })
	if c := failed.Conditions[1]; c.Type != "Failed" || c.Reason != "SignerValidationFailure" || c.Message != "invalid usage for client certificate: server auth" {
		t.Errorf("%+v", c)
	}
	// kubernetes-admin may do anything, so his request for a node's certificate is approved without him.
	approved := until("node", issued)
	if c := approved.Conditions[0]; c.Reason != "AutoApproved" || c.Message != "Auto approving kubelet client certificate after SubjectAccessReview." {
		t.Errorf("%+v", c)
	}
}

// What admission has against a connection, the port's clients hear before there is one.
func TestConnectionsPassAdmission(t *testing.T) {
	s := whole(t)
	const path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
	s.ask(t, "POST", path+"ies", `{"metadata":{"name":"a"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],
		"operations":["CONNECT"],"resources":["pods/attach","pods/portforward","services/proxy"]}]},"validations":[{"expression":"false","message":"no way in"}]}}`)
	s.ask(t, "POST", path+"ybindings", `{"metadata":{"name":"a"},"spec":{"policyName":"a","validationActions":["Deny"]}}`)
	for path, want := range map[string]string{"services/web/proxy/": "no way in", "pods/web/proxy/": `pods \"web\" not found`} {
		if _, text, _ := s.ask(t, "GET", "/api/v1/namespaces/default/"+path, ""); !strings.Contains(text, want) {
			t.Errorf("%s: %s", path, text)
		}
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.credentials.ca)
	dialer := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: roots}}
	for _, path := range []string{"attach?stdout=true", "portforward"} {
		_, answer, err := dialer.Dial("wss"+strings.TrimPrefix(s.URL(), "https")+"/api/v1/namespaces/default/pods/web/"+path,
			http.Header{"Authorization": {"Bearer " + s.credentials.token}})
		if err == nil || answer == nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text, _ := io.ReadAll(answer.Body)
		if !strings.Contains(string(text), "no way in") {
			t.Errorf("%s: %d %s", path, answer.StatusCode, text)
		}
	}
}
