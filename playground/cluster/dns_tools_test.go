//go:build !js || cel

package cluster_test

import (
	"strings"
	"testing"
	"time"
)

// TestDNSTools: dig and getent in containers, as Kubernetes' conformance tests of DNS use them. Upstream: test/e2e/network/dns_common.go,
// createProbeCommand and createTargetedProbeCommand.
func TestDNSTools(t *testing.T) {
	const probe = `for i in $(seq 1 5); do ` +
		`check=\"$$(dig +notcp +noall +answer +search peers A)\" && test -n \"$$check\" && echo OK > /results/udp@peers;` +
		`check=\"$$(dig +tcp +noall +answer +search _http._tcp.web.default.svc SRV)\" && test -n \"$$check\" && echo OK > /results/tcp@web;` +
		`check=\"$$(dig +tcp +noall +answer +search nobody A)\" && test -n \"$$check\" && echo OK > /results/nobody;` +
		`test -n \"$$(getent hosts q.peers.default.svc.cluster.local)\" && echo OK > /results/hosts@q; sleep 1; done; sleep infinity`
	w := newNetWorld(t, 1, false,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"querier","labels":{"app":"querier"}},"spec":{"hostname":"q","subdomain":"peers","containers":[
			{"name":"agnhost","image":"registry.k8s.io/e2e-test-images/agnhost:2.63.0","command":["sh","-c","`+probe+`"]},
			{"name":"glibc","image":"registry.k8s.io/e2e-test-images/glibc-dns-testing:2.0.0","command":["sleep","infinity"]}]}}`,
		service("web", `{"selector":{"app":"web"},"ports":[{"port":80,"name":"http","targetPort":"http"}]}`),
		service("peers", `{"clusterIP":"None","selector":{"app":"querier"}}`),
		service("outside", `{"type":"ExternalName","externalName":"foo.example.com"}`))
	w.RunUntil(w.Elapsed() + 10*time.Second)
	ip, web := w.podIP("querier"), w.service("web").Spec.ClusterIP
	const d = "default.svc.cluster.local"
	parts := strings.Split(web, ".")
	reverse := parts[3] + "." + parts[2] + "." + parts[1] + "." + parts[0] + ".in-addr.arpa."
	for _, c := range []struct{ command, want string }{
		{"ls /results", "hosts@q\ntcp@web\nudp@peers"},
		{"dig +short web." + d + " A", web},
		{"dig +short web." + d, web},
		{"dig +short @10.0.0.2 web." + d, web},
		{"dig +short outside." + d + " CNAME", "foo.example.com."},
		{"dig +short _http._tcp.web." + d + " SRV", "0 100 80 web." + d + "."},
		{"dig +short web", ""},
		{"dig +short +search web", web},
		{"dig +noall +answer +search peers", "peers." + d + ". 30 IN\tA\t" + ip},
		{"dig +noall +answer " + reverse + " PTR", reverse + " 30\tIN\tPTR\tweb." + d + "."},
		{"dig +short -x " + web, "web." + d + "."},
		{"dig nosuch." + d, "\n; <<>> DiG 9.20.15 <<>> nosuch." + d + "\n;; global options: +cmd\n;; Got answer:\n;; ->>HEADER<<- opcode: QUERY, status: NXDOMAIN, id: "},
		{"dig +short @10.244.9.9 web." + d, ";; communications error to 10.244.9.9#53: timed out\n"},
		{"getent hosts q", ip + strings.Repeat(" ", 16-len(ip)) + "q.peers." + d + " q"},
		{"getent hosts web", web + strings.Repeat(" ", 16-len(web)) + "web"},
		{"getent hosts nosuch", "! command terminated with exit code 2"},
	} {
		for _, container := range []string{"agnhost", "glibc"} {
			got := typed(t, w.Cluster, "exec querier -c "+container+" -- "+c.command, "")
			if strings.HasPrefix(c.command, "ls") && container == "glibc" {
				continue // it wrote nothing
			}
			open := strings.HasSuffix(c.want, "\n") || strings.HasSuffix(c.want, "id: ")
			if open && !strings.HasPrefix(got, strings.TrimPrefix(c.want, "\n")) || !open && got != c.want {
				t.Errorf("%s $ %s\n%q\nwant %q", container, c.command, got, c.want)
			}
		}
	}
}
