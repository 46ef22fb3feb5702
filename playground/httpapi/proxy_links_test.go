package httpapi

import "testing"

// Links that are absolute lead through the proxy, others are left alone. Upstream: apimachinery/pkg/util/proxy/transport_test.go.
func TestRewriteHTML(t *testing.T) {
	for _, c := range [][2]string{
		{`<p>text &amp; more</p><a href="/x">`, `<p>text &amp; more</p><a href="/proxy/x">`},
		{`<img src="/a/"/><a title="/x">`, `<img src="/proxy/a/"/><a title="/x">`},
		{`<a href="x"><a href="http://other/x"><a href="//other/x">`, `<a href="x"><a href="http://other/x"><a href="//other/x">`},
		{`<a href="http://10.244.1.2:80/x?a=b">`, `<a href="/proxy/x?a=b">`},
		{`<a href="/proxy/x">`, `<a href="/proxy/x">`},
		{`<a href=":bad">`, `<a href=":bad">`},
	} {
		if got := rewriteHTML(c[0], "/proxy", "10.244.1.2:80"); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
