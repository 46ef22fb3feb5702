package server

import (
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestOnlyForItsOwnHosts: whatever page had its name lead here gets nothing.
func TestOnlyForItsOwnHosts(t *testing.T) {
	s := New()
	s.Hosts = []string{"book.lan", "192.168.1.5", "[fd00::5]"}
	s.Show(site("hello"), nil)
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "LOCALHOST.:8080": 200, "book.localhost": 200, "127.0.0.1:1": 200, "127.8.9.1": 200,
		"[::1]:80": 200, "[::1]": 200, "[::ffff:127.0.0.1]": 200, "book.lan:80": 200, "BOOK.lan": 200, "192.168.1.5:8080": 200, "[fd00::5]:8080": 200,
		"": 421, "evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421, "evillocalhost": 421, "127.0.0.1.evil.example": 421,
		"0.0.0.0": 421, "192.168.1.6": 421, "book.lan.evil.example": 421, "[": 421, ":": 421, ":8080": 421, "127.1": 421, "0177.0.0.1": 421, "::": 421,
	} {
		for _, path := range []string{"/en/", "/nowhere", "/_dev/reload.js", "/_dev/events", "/_dev/nothing"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			if path == "/_dev/events" {
				if want == 200 {
					continue // it stays open
				}
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if (w.Code == http.StatusMisdirectedRequest) != (want == 421) {
				t.Errorf("%s of %q: %d", path, host, w.Code)
			}
			if w.Code == 421 && (strings.Contains(w.Body.String(), "hello") || !strings.Contains(w.Body.String(), "--addr")) {
				t.Errorf("%s of %q: %s", path, host, w.Body)
			}
		}
	}
}

func TestHostsOf(t *testing.T) {
	interfaces := []net.Addr{&net.IPNet{IP: net.IPv4(10, 0, 0, 7), Mask: net.CIDRMask(8, 32)}, &net.IPNet{IP: net.ParseIP("fe80::1"), Mask: net.CIDRMask(64, 128)}}
	all := []string{"[10.0.0.7]", "[fe80::1]"}
	for addr, want := range map[string][]string{
		"127.0.0.1:80": {"127.0.0.1"}, "book.lan:80": {"book.lan"}, "[fd00::5]:1": {"fd00::5"}, ":8080": all, "0.0.0.0:1": all, "[::]:1": all,
	} {
		if got := HostsOf(addr, interfaces); !slices.Equal(got, want) {
			t.Errorf("%s: %q", addr, got)
		}
	}
	s := New()
	s.Hosts = all
	for _, host := range []string{"10.0.0.7:1", "[fe80::1]:1"} {
		if !s.IsOwn(host) {
			t.Errorf("%s is refused", host)
		}
	}
}

// local is a request as a browser on this machine sends it.
func local(method, path string) *http.Request {
	r := httptest.NewRequest(method, path, nil)
	r.Host = "localhost:8080"
	return r
}
