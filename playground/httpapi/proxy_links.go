package httpapi

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// links are the attributes that hold addresses, by elements. Upstream: apimachinery/pkg/util/proxy/transport.go, atomsToAttrs.
var links = map[string][]string{
	"a": {"href"}, "applet": {"codebase"}, "area": {"href"}, "audio": {"src"}, "base": {"href"}, "blockquote": {"cite"}, "body": {"background"},
	"button": {"formaction"}, "command": {"icon"}, "del": {"cite"}, "embed": {"src"}, "form": {"action"}, "frame": {"longdesc", "src"},
	"head": {"profile"}, "html": {"manifest"}, "iframe": {"longdesc", "src"}, "img": {"longdesc", "src", "usemap"},
	"input": {"src", "usemap", "formaction"}, "ins": {"cite"}, "link": {"href"}, "object": {"classid", "codebase", "data", "usemap"},
	"q": {"cite"}, "script": {"src"}, "source": {"src"}, "video": {"poster", "src"},
}

// rewriteHTML has the absolute links of a page lead through the proxy: below prefix. here are the hosts that stand for the one who answered.
// Upstream: transport.go, rewriteHTML.
func rewriteHTML(text, prefix string, here ...string) string {
	var b strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(text))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return b.String()
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			for i, a := range token.Attr {
				if slices.Contains(links[token.Data], a.Key) {
					token.Attr[i].Val = rewriteURL(a.Val, prefix, here)
				}
			}
			b.WriteString(token.String())
		default:
			b.Write(tokens.Raw())
		}
	}
}

// rewriteURL leaves relative links as they are, and those to other hosts. Upstream: transport.go, rewriteURL.
func rewriteURL(text, prefix string, here []string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host != "" && !slices.Contains(here, u.Host) || !strings.HasPrefix(u.Path, "/") {
		return text
	}
	u.Scheme, u.Host = "", ""
	if strings.HasPrefix(u.Path, prefix) {
		return u.String()
	}
	slash := strings.HasSuffix(u.Path, "/")
	if u.Path = path.Join(prefix, u.Path); slash {
		u.Path += "/"
	}
	return u.String()
}
