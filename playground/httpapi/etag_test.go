package httpapi

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// Clients that keep what they know of the server are told when it is still right.
func TestETags(t *testing.T) {
	s := started(t)
	const all = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	for _, c := range []struct{ path, accept, kind, vary, cache string }{
		{"/api", all, all, "Accept", "public"},
		{"/apis", all + ",application/json", all, "Accept", "public"},
		{"/apis", "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			"application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "Accept", "public"},
		{"/openapi/v3", "*/*", "application/json", "Accept-Encoding", "no-cache, private"},
		{"/openapi/v3/apis/apps/v1", "*/*", "application/json", "Accept Accept-Encoding", "no-cache, private"},
	} {
		code, text, answer := s.ask(t, "GET", c.path, "", "Accept", c.accept, "Accept-Encoding", "identity")
		h := answer.Header
		etag := h.Get("Etag")
		if code != 200 || len(etag) != 130 || h.Get("Content-Type") != c.kind || strings.Join(h["Vary"], " ") != c.vary || h.Get("Cache-Control") != c.cache {
			t.Errorf("%s: %d %v", c.path, code, h)
		}
		if strings.Contains(text, "creationTimestamp\":") && strings.HasPrefix(c.path, "/api") {
			t.Errorf("%s: a group has no time of its creation", c.path)
		}
		code, text, answer = s.ask(t, "GET", c.path, "", "Accept", c.accept, "If-None-Match", etag)
		if code != 304 || text != "" || answer.Header.Get("Etag") != etag || answer.Header.Get("Content-Type") != "" {
			t.Errorf("%s, known: %d %v %.100s", c.path, code, answer.Header, text)
		}
		if code, _, _ = s.ask(t, "GET", c.path, "", "Accept", c.accept, "If-None-Match", `"0"`); code != 200 {
			t.Errorf("%s, another known: %d", c.path, code)
		}
	}
	if _, _, answer := s.ask(t, "GET", "/apis", ""); answer.Header.Get("Vary") != "" || answer.Header.Get("Etag") != "" {
		t.Errorf("discovery piece by piece: %v", answer.Header)
	}
	before := s.etag(t, "/apis", all)
	s.ask(t, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"foos.example.com"},"spec":{"group":"example.com",
		"names":{"plural":"foos","kind":"Foo"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)
	for end := time.Now().Add(20 * time.Second); s.etag(t, "/apis", all) == before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a kind came, and the ETag stays")
		}
	}
}

func (s *Server) etag(t *testing.T, path, accept string) string {
	t.Helper()
	_, _, answer := s.ask(t, "GET", path, "", "Accept", accept)
	return answer.Header.Get("Etag")
}

// A document whose hash is in its address can be kept; with another's hash, clients are led to the right one.
func TestHashesOfDocuments(t *testing.T) {
	s := started(t)
	_, text, _ := s.ask(t, "GET", "/openapi/v3", "")
	var list struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	at := list.Paths["apis/apps/v1"].ServerRelativeURL
	code, _, answer := s.ask(t, "GET", at, "")
	expires, err := time.Parse(time.RFC1123, answer.Header.Get("Expires"))
	if code != 200 || answer.Header.Get("Cache-Control") != "public, immutable" || err != nil || time.Until(expires) < 300*24*time.Hour {
		t.Errorf("%s: %d %v", at, code, answer.Header)
	}
	if code, _, answer = s.ask(t, "GET", "/openapi/v3/apis/apps/v1?hash=0", ""); code != 301 || answer.Header.Get("Location") != at {
		t.Errorf("with another hash: %d %v", code, answer.Header)
	}
}
