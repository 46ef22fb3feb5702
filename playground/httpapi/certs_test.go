package httpapi

import (
	"crypto/x509"
	"net"
	"os"
	"slices"
	"testing"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// Whoever reaches a server that listens on every address can check whom he has reached.
func TestCertificateNamesTheMachine(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Trace, config.Nodes = trace.Off, cluster.NumberedNodes(1)
	machine, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	names := []string{machine}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Skip(err)
	}
	for _, a := range addresses {
		names = append(names, a.(*net.IPNet).IP.String())
	}
	for _, c := range []struct {
		listen string
		all    bool
	}{{"0.0.0.0:0", true}, {":0", true}, {"127.0.0.1:0", false}} {
		s, err := Start(Options{Config: config, Seed: 1, Listen: c.listen})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		certificate, err := x509.ParseCertificate(s.credentials.certificate.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(s.credentials.authority)
		always := []string{"localhost", "127.0.0.1", "::1", "kubernetes.default.svc"}
		for _, name := range slices.Concat(always, names) {
			_, err := certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: name})
			if want := c.all || slices.Contains(always, name); want != (err == nil) {
				t.Errorf("%s at %s: %v", c.listen, name, err)
			}
			if c.all {
				if code, _, _ := s.ask(t, "GET", "/version", "", "Host", net.JoinHostPort(name, "6443")); code != 200 {
					t.Errorf("%s as %s: %d", c.listen, name, code)
				}
			}
		}
		if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: "evil.example"}); err == nil {
			t.Errorf("%s: another name", c.listen)
		}
	}
}
