package httpapi

import (
	"archive/tar"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// channel opens a WebSocket that speaks a protocol; none if that is empty.
func (s *Server) channel(t *testing.T, path, protocol string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(s.credentials.ca)
	dialer := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: roots}}
	if protocol != "" {
		dialer.Subprotocols = []string{protocol}
	}
	conn, answer, err := dialer.Dial("wss"+strings.TrimPrefix(s.URL(), "https")+path, http.Header{"Authorization": {"Bearer " + s.credentials.token}})
	if err == nil {
		t.Cleanup(func() { conn.Close() })
		conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	}
	return conn, answer, err
}

// A command that reads and whose client cannot say that this is all, as the libraries for JavaScript and Python cannot: it reads what comes, as
// it comes. Booleans of the query are Python's.
func TestCommandsThatReadOnChannels(t *testing.T) {
	s := started(t)
	s.pod(t, "box", "sleep 1000000")
	const exec = "/api/v1/namespaces/default/pods/box/exec?stdin=True&stdout=True&stderr=True&tty=False"
	var archive strings.Builder
	w := tar.NewWriter(&archive)
	w.WriteHeader(&tar.Header{Name: "hello", Mode: 0o644, Size: 3})
	w.Write([]byte("hi\n"))
	w.Close()
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	const success = `{"metadata":{},"status":"Success"}`
	for _, c := range []struct {
		name, protocol, command string
		talk                    []string // each message of the client begins with "> "
	}{
		{"shell", "v4.channel.k8s.io", "command=sh", []string{"\x01", "> \x00echo one\n", "\x01one\n",
			"> \x00echo two >&2\n", "\x02two\n", "> \x00exit\n", "\x03" + success}},
		{"cat", "v4.channel.k8s.io", "command=cat", []string{"\x01", "> \x00one\n", "\x01one\n", "> \x00two\n", "\x01two\n"}},
		{"archive", "v4.channel.k8s.io", "command=tar&command=xf&command=-&command=-C&command=/tmp",
			[]string{"\x01", "> \x00" + archive.String()[:700], "> \x00" + archive.String()[700:], "\x03" + success}},
		{"base64", "v4.base64.channel.k8s.io", "command=sh",
			[]string{"1", "> 0" + encode("cat /tmp/hello\n"), "1" + encode("hi\n"), "> 0" + encode("exit\n"), "3" + encode(success)}},
		{"no protocol", "", "command=sh", []string{"\x01", "> \x00nosuch\n", "\x02sh: nosuch: not found\n", "> \x00exit 3\n",
			"\x03command terminated with non-zero exit code: exit status 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, _, err := s.channel(t, exec+"&"+c.command, c.protocol)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range c.talk {
				if send, ours := strings.CutPrefix(text, "> "); ours {
					if err := conn.WriteMessage(websocket.BinaryMessage, []byte(send)); err != nil {
						t.Fatal(err)
					}
					continue
				}
				if _, got, err := conn.ReadMessage(); err != nil || string(got) != text {
					t.Fatalf("%q, %v; want %q", got, err, text)
				}
			}
		})
	}
	if _, answer, err := s.channel(t, exec+"&command=sh", "v6.channel.k8s.io"); err == nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("a subprotocol that nobody knows: %v %v", answer, err)
	}
}

// Ports are forwarded over channels, to clients without SPDY.
func TestPortForwardOverChannels(t *testing.T) {
	s := started(t)
	s.ask(t, "POST", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"web"},"spec":{"containers":[{"name":"web","image":"agnhost","args":["netexec"]}]}}`)
	const pod = "/api/v1/namespaces/default/pods/web"
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, text, _ := s.ask(t, "GET", pod, ""); strings.Contains(text, `"phase":"Running"`) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the Pod does not run")
		}
	}
	conn, _, err := s.channel(t, pod+"/portforward?ports=8080,81", "v4.channel.k8s.io")
	if err != nil {
		t.Fatal(err)
	}
	next := func() string {
		_, message, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		return string(message)
	}
	for _, want := range []string{"\x00\x90\x1f", "\x01\x90\x1f", "\x02\x51\x00", "\x03\x51\x00"} {
		if got := next(); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	const request = "GET / HTTP/1.1\r\nHost: web\r\n\r\n"
	conn.WriteMessage(websocket.BinaryMessage, []byte("\x00"+request))
	if got := next(); !strings.HasPrefix(got, "\x00HTTP/1.1 200 OK\r\n") || !strings.Contains(got, "NOW: ") {
		t.Errorf("netexec: %q", got)
	}
	conn.WriteMessage(websocket.BinaryMessage, []byte("\x02"+request))
	if got := next(); !strings.HasPrefix(got, "\x03error forwarding port 81 to pod default/web, uid : ") || !strings.HasSuffix(got, "connection refused") {
		t.Errorf("nobody listens: %q", got)
	}
	for _, c := range []struct{ query, want string }{
		{"", `query parameter \"ports\" is required`}, {"?ports=", `query parameter \"ports\" cannot be empty`},
		{"?ports=x", `unable to parse \"x\" as a port`}, {"?ports=0", `port \"0\" must be \u003e 0`},
	} {
		_, answer, err := s.channel(t, pod+"/portforward"+c.query, "v4.channel.k8s.io")
		if err == nil || answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %v, want 400", c.query, answer)
			continue
		}
		text := make([]byte, 1000)
		n, _ := answer.Body.Read(text)
		if !strings.Contains(string(text[:n]), c.want) {
			t.Errorf("%s: %s, want %s", c.query, text[:n], c.want)
		}
	}
}
