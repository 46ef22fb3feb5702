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
	token := strings.TrimPrefix(s.dial(t, pods+"/web"+exec, plainProtocol), "\x01")
	parts := strings.Split(strings.TrimSpace(token), ".")
	if len(parts) != 3 {
		t.Fatalf("token %q", token)
	}

	_, text, answer := s.ask(t, "GET", openIDConfigPath, "")
	if want := `{"issuer":"https://kubernetes.default.svc.cluster.local","jwks_uri":"` + s.URL() + `/openid/v1/jwks",` +
		`"response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"]}`; strings.TrimSpace(text) != want {
		t.Errorf("issuer: %s, want %s", text, want)
	}
	if got := answer.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("issuer: %s", got)
	}
	_, text, answer = s.ask(t, "GET", jwksPath, "")
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
		if got := s.dial(t, web+path, plainProtocol); got != want {
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
