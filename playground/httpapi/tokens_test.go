package httpapi

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"kubewalk/playground/controlplane/discovery"
)

// pod makes a Pod whose container goes on, and waits until it runs.
func (s *Server) pod(t *testing.T, name, script string) {
	t.Helper()
	s.ask(t, "POST", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"`+name+`"},"spec":{"containers":[{"name":"c","image":"busybox",
		"command":["sh","-c","`+script+`"]}]}}`)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		_, text, _ := s.ask(t, "GET", "/api/v1/namespaces/default/pods/"+name, "")
		if strings.Contains(text, `"phase":"Running"`) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not run: %s", name, text)
		}
	}
}

// dial opens a WebSocket that speaks a protocol, and reads it to its end.
func (s *Server) dial(t *testing.T, path, protocol string) (text string) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(s.credentials.ca)
	dialer := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: roots}, Subprotocols: []string{protocol}}
	conn, _, err := dialer.Dial("wss"+strings.TrimPrefix(s.URL(), "https")+path, http.Header{"Authorization": {"Bearer " + s.credentials.token}})
	if err != nil {
		t.Fatal(path, err)
	}
	defer conn.Close()
	if conn.Subprotocol() != protocol {
		t.Errorf("%s speaks %q, not %q", path, conn.Subprotocol(), protocol)
	}
	for {
		_, message, err := conn.ReadMessage()
		if err != nil {
			return text
		}
		text += string(message)
	}
}

// The token in a Pod's volume is one that everybody can check who has the issuer's keys, and with which a client is that account.
func TestTokensInPods(t *testing.T) {
	s := whole(t)
	s.pod(t, "web", "sleep 1000000")
	const pods, exec = "/api/v1/namespaces/default/pods", "/exec?container=c&stdout=true&command=cat&command=/var/run/secrets/kubernetes.io/serviceaccount/token"
	token := strings.TrimLeft(s.dial(t, pods+"/web"+exec, plainProtocol), "\x01") // of the greeting, too
	parts := strings.Split(strings.TrimSpace(token), ".")
	if len(parts) != 3 {
		t.Fatalf("token %q", token)
	}

	_, text, answer := s.ask(t, "GET", discovery.OpenIDConfigPath, "")
	if want := `{"issuer":"https://kubernetes.default.svc.cluster.local","jwks_uri":"` + s.URL() + `/openid/v1/jwks",` +
		`"response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"]}`; strings.TrimSpace(text) != want {
		t.Errorf("issuer: %s, want %s", text, want)
	}
	if got := answer.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("issuer: %s", got)
	}
	_, text, answer = s.ask(t, "GET", discovery.JWKSPath, "")
	if got := answer.Header.Get("Content-Type"); got != "application/jwk-set+json" {
		t.Errorf("keys: %s", got)
	}
	var keys struct {
		Keys []struct{ Kid, Kty, N, E string }
	}
	if err := json.Unmarshal([]byte(text), &keys); err != nil || len(keys.Keys) != 1 {
		t.Fatal(text, err)
	}
	decode := func(text string) []byte {
		out, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	k := keys.Keys[0]
	public := &tokenKey{&rsa.PrivateKey{PublicKey: rsa.PublicKey{N: new(big.Int).SetBytes(decode(k.N)), E: int(new(big.Int).SetBytes(decode(k.E)).Int64())}}, k.Kid}
	if !public.Verify(parts[0]+"."+parts[1], decode(parts[2])) {
		t.Error("the published key does not verify the token")
	}
	if header := string(decode(parts[0])); header != `{"alg":"RS256","kid":"`+k.Kid+`"}` {
		t.Errorf("header %s", header)
	}

	as := []string{"Authorization", "Bearer " + strings.Join(parts, ".")}
	for _, c := range []struct {
		method, path, body string
		header             []string
		want               string
	}{
		{"POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", as, `"username":"system:serviceaccount:default:default"`},
		{"POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", as, `"authentication.kubernetes.io/pod-name":["web"]`},
		{"POST", "/apis/authentication.k8s.io/v1/tokenreviews", `{"spec":{"token":"` + as[1][len("Bearer "):] + `"}}`, nil, `"authenticated":true`},
		{"GET", pods, "", as, `User \"system:serviceaccount:default:default\" cannot list resource \"pods\"`},
		{"GET", "/metrics", "", as, `User \"system:serviceaccount:default:default\" cannot get path \"/metrics\"`},
		{"GET", pods, "", append(as, "Impersonate-User", "system:admin"), `Unauthorized`},
		{"GET", pods, "", []string{"Authorization", "Bearer " + parts[0] + "." + parts[1] + "." + parts[0]}, `Unauthorized`},
	} {
		if _, text, _ := s.ask(t, c.method, c.path, c.body, c.header...); !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %s, want %s", c.method, c.path, text, c.want)
		}
	}
}

// Logs and exec also speak the protocols of clients that know of no channels, or only of the first ones.
func TestOlderWebSockets(t *testing.T) {
	s := started(t)
	s.pod(t, "web", "echo alive; echo -n 'and well'; sleep 1000000")
	const web = "/api/v1/namespaces/default/pods/web"
	for path, want := range map[string]string{
		"/exec?stdout=true&command=echo&command=hi":              "\x01hi\n",
		"/exec?stdout=true&command=sh&command=-c&command=exit+3": "\x03command terminated with non-zero exit code: exit status 3",
	} {
		if got := s.dial(t, web+path, plainProtocol); got != "\x01"+want { // an empty message comes first
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := s.dial(t, web+"/log", "binary.k8s.io"); got != "alive\nand well" {
		t.Errorf("log: %q", got)
	}
	for path, want := range map[string]string{
		"/web/attach?stdout=true": "Upgrade request required", "/none/attach?stdout=true": `pods \"none\" not found`, "/web/portforward": "Upgrade request required",
	} {
		if _, text, _ := s.ask(t, "POST", "/api/v1/namespaces/default/pods"+path, ""); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", path, text, want)
		}
	}
}

// Types and their fields have descriptions, those of custom kinds among them.
func TestDescriptions(t *testing.T) {
	s := started(t)
	for path, want := range map[string]string{
		"/openapi/v3/apis/apps/v1": `"Deployment enables declarative updates for Pods and ReplicaSets."`,
		"/openapi/v3/api/v1":       `"CreationTimestamp is a timestamp representing the server time when this object was created.`,
		"/openapi/v2":              `"Deployment enables declarative updates for Pods and ReplicaSets."`,
	} {
		if _, text, _ := s.ask(t, "GET", path, ""); !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", path, want)
		}
	}
}

// A program in a Pod finds out by itself how its token is checked, and verifies the signature. Upstream: test/e2e/auth/service_accounts.go,
// "ServiceAccountIssuerDiscovery should support OIDC discovery of service account issuer".
func TestIssuerDiscoveryInPods(t *testing.T) {
	s := whole(t)
	const namespace = "/api/v1/namespaces/default"
	pod := func(name, volume, more string) (phase, log string) {
		t.Helper()
		s.ask(t, "POST", namespace+"/pods", `{"metadata":{"name":"`+name+`"},"spec":{"restartPolicy":"Never",`+more+`"containers":[{"name":"c",
			"image":"registry.k8s.io/e2e-test-images/agnhost:2.63.0","args":["test-service-account-issuer-discovery",
			"--token-path","/var/run/secrets/tokens/sa-token","--audience","oidc-discovery-test"],
			"volumeMounts":[{"name":"t","mountPath":"/var/run/secrets/tokens","readOnly":true}]}],"volumes":[{"name":"t",`+volume+`}]}}`)
		for end := time.Now().Add(40 * time.Second); phase == ""; time.Sleep(50 * time.Millisecond) {
			_, text, _ := s.ask(t, "GET", namespace+"/pods/"+name, "")
			for _, p := range []string{"Succeeded", "Failed"} {
				if strings.Contains(text, `"phase":"`+p+`"`) {
					phase = p
				}
			}
			if time.Now().After(end) {
				t.Fatalf("%s does not end: %s", name, text)
			}
		}
		_, log, _ = s.ask(t, "GET", namespace+"/pods/"+name+"/log", "")
		return phase, log
	}
	projected := func(audience string) string {
		return `"projected":{"sources":[{"serviceAccountToken":{"path":"sa-token","expirationSeconds":600,"audience":"` + audience + `"}}]}`
	}
	const right = "oidc-discovery-test"
	// A token that says all that the real one does, with a signature that is another's.
	s.pod(t, "first", "sleep 1000000") // then there is an account
	var request struct{ Status struct{ Token string } }
	_, text, _ := s.ask(t, "POST", namespace+"/serviceaccounts/default/token", `{"spec":{"audiences":["`+right+`"]}}`)
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		t.Fatal(text, err)
	}
	parts := strings.Split(request.Status.Token, ".")
	forged := parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 256))
	s.ask(t, "POST", namespace+"/configmaps", `{"metadata":{"name":"forged"},"data":{"sa-token":"`+forged+`"}}`)

	const failed = "failed to validate with in-cluster discovery: "
	for _, c := range []struct {
		name, volume, more, phase string
		want                      []string
	}{
		{"good", projected(right), "", "Succeeded", []string{" OK: Got token\n", " OK: Constructed OIDC provider for issuer https://kubernetes.default.svc.cluster.local\n",
			" OK: Validated signature on JWT\n", `Subject:"system:serviceaccount:default:default", Audience:jwt.Audience{"oidc-discovery-test"}`}},
		{"other", projected("somebody"), "", "Failed", []string{failed + `oidc: expected audience "oidc-discovery-test" got ["somebody"]`,
			` 401 Unauthorized: {`}},
		{"mute", projected(right), `"automountServiceAccountToken":false,`, "Failed",
			[]string{" open /var/run/secrets/kubernetes.io/serviceaccount/token: no such file or directory"}},
		{"forged", `"configMap":{"name":"forged"}`, "", "Failed", []string{failed + "failed to verify signature: failed to verify id token signature"}},
		{"denied", projected(right), "", "Failed", []string{failed + "403 Forbidden: {",
			`User \"system:serviceaccount:default:default\" cannot get path \"/.well-known/openid-configuration\"`}},
	} {
		if c.name == "denied" {
			s.ask(t, "DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:service-account-issuer-discovery", "")
		}
		phase, log := pod(c.name, c.volume, c.more)
		for _, want := range c.want {
			if phase != c.phase || !strings.Contains(log, want) {
				t.Errorf("%s: %s, no %q in:\n%s", c.name, phase, want, log)
			}
		}
	}
}
