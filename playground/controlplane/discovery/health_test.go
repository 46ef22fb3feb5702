package discovery

import (
	"slices"
	"strings"
	"testing"
)

// Without etcd, two checks fail, and those who leave them out hear nothing of it.
func TestHealthWithoutEtcd(t *testing.T) {
	for _, c := range []struct {
		path    string
		exclude []string
		code    int
		text    string // how it begins
	}{
		{"/readyz", nil, 500, "[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\n[-]etcd-readiness failed: reason withheld\n"},
		{"/readyz", []string{"etcd"}, 500, "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n[-]etcd-readiness failed"},
		{"/readyz", []string{"etcd", "etcd-readiness"}, 200, "ok"},
		{"/livez", []string{"etcd", "etcd"}, 200, "ok"},
		{"/livez/etcd", []string{"etcd"}, 500, "internal server error: error getting data from etcd"},
		{"/livez/ping", nil, 200, "ok"},
		{"/livez/shutdown", nil, 0, ""},
		{"/version", nil, 0, ""},
	} {
		code, text := Health(c.path, map[string][]string{"exclude": c.exclude}, false)
		if code != c.code || !strings.HasPrefix(text, c.text) || code == 500 && !strings.Contains(c.path[1:], "/") && !strings.HasSuffix(text, c.path[1:]+" check failed\n") {
			t.Errorf("%s without %v: %d %q", c.path, c.exclude, code, text)
		}
	}
	if paths := HealthPaths(); !slices.Contains(paths, "/readyz/informer-sync") || slices.Contains(paths, "/healthz/informer-sync") {
		t.Errorf("paths: %v", paths)
	}
}
