package kubectl

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"kubewalk/playground/api/apierrors"
)

// runProxy is kubectl proxy: what comes to its port is asked of the API server, as who has typed the command. See Terminal.Request.
//
// Simplified: it answers GET only; what it accepts cannot be chosen, and there are no files to serve.
// Upstream: kubectl pkg/cmd/proxy/proxy.go, ProxyOptions.RunProxy, and pkg/proxy/proxy_server.go.
func runProxy(s *session) error {
	if s.terminal == nil {
		return errors.New("there is no terminal here: nobody could use the port")
	}
	port := int(s.flags.number("port", 8001))
	if port == 0 {
		port = firstRandomPort
	}
	if port < 0 || port > 65535 {
		return errors.New("listen tcp: address " + s.flags.text("port") + ": invalid port")
	}
	address := s.flags.or("address", "127.0.0.1") + ":" + strconv.Itoa(port)
	if why := unusable(port, nil); why != "" {
		return errors.New("listen tcp " + address + ": bind: " + why)
	}
	prefix := s.flags.or("api-prefix", "/")
	if !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	s.printf("Starting to serve on %s\n", address)
	return s.serve([]int{port}, func(c *connection) error {
		path, ok := strings.CutPrefix(c.path, prefix)
		switch {
		case !ok:
			c.status, c.body = 404, "404 page not found\n"
		case c.method != "" && c.method != "GET":
			c.status, c.body = 405, "Method Not Allowed"
		case isStream(path):
			c.status, c.body = 403, "Forbidden"
		default:
			c.status, c.body = s.proxied("/" + path)
		}
		return nil
	})
}

// isStream tells whether a path opens a connection to a container, which the proxy rejects.
// Upstream: kubectl pkg/proxy/proxy_server.go, DefaultPathRejectRE.
func isStream(path string) bool {
	_, rest, ok := strings.Cut(path, "api/")
	_, rest, in := strings.Cut(rest, "/pods/")
	return ok && in && (strings.Contains(rest, "/exec") || strings.Contains(rest, "/attach"))
}

// proxied asks the API server.
func (s *session) proxied(path string) (status int, body string) {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return 400, err.Error()
	}
	text, err := s.raw("GET", u)
	var refused apierrors.APIStatus
	switch {
	case errors.As(err, &refused):
		of := refused.Status()
		return int(of.Code), asJSON(&of) + "\n"
	case err != nil:
		return 502, err.Error()
	}
	return 200, text
}
