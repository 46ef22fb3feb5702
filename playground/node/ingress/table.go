package ingress

import (
	"slices"
	"strings"

	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/api/sorting"
)

// route is one line of the table: requests for a host and path go to a Service's port.
type route struct {
	host    string // "" is every host; "*.example.com" every one below
	path    string
	exact   bool
	backend networkingv1.IngressServiceBackend
	// namespace and name are the Ingress'.
	namespace, name string
}

// table makes the routes of Ingresses, the more exact first; of two that are the same the older Ingress' counts.
// Upstream: controller.go, getBackendServers and createServers.
func table(ingresses []*networkingv1.Ingress) []route {
	ingresses = slices.Clone(ingresses)
	slices.SortStableFunc(ingresses, func(a, b *networkingv1.Ingress) int {
		return a.CreationTimestamp.Time.Compare(b.CreationTimestamp.Time)
	})
	var out []route
	for _, ing := range ingresses {
		for _, rule := range ing.Spec.Rules {
			if rule.HTTP == nil {
				continue
			}
			for _, p := range rule.HTTP.Paths {
				if p.Backend.Service == nil {
					continue
				}
				path := p.Path
				if path == "" {
					path = "/"
				}
				out = append(out, route{rule.Host, path, p.PathType != nil && *p.PathType == networkingv1.PathTypeExact, *p.Backend.Service, ing.Namespace,
					ing.Name})
			}
		}
		if b := ing.Spec.DefaultBackend; b != nil && b.Service != nil {
			out = append(out, route{path: "/", backend: *b.Service, namespace: ing.Namespace, name: ing.Name})
		}
	}
	rank := func(r *route) int {
		switch {
		case r.host == "":
			return 2
		case strings.HasPrefix(r.host, "*."):
			return 1
		}
		return 0
	}
	sorting.Stable(out, func(a, b route) int {
		if c := rank(&a) - rank(&b); c != 0 {
			return c
		}
		if c := len(b.host) - len(a.host); c != 0 {
			return c // of two wildcards the longer
		}
		if a.exact != b.exact && a.path == b.path {
			if a.exact {
				return -1
			}
			return 1
		}
		return len(b.path) - len(a.path)
	})
	return out
}

// find is the route of a request, nil for none. A host that is named takes all of its requests: what none of its paths
// matches goes nowhere. Upstream: nginx picks the server first, then the location.
func find(routes []route, host, path string) *route {
	path, _, _ = strings.Cut(path, "?")
	server := ""
	chosen := false
	for i := range routes {
		r := &routes[i]
		if !chosen && hostMatches(r.host, host) {
			server, chosen = r.host, true
		}
		if chosen && r.host == server && pathMatches(r, path) {
			return r
		}
	}
	return nil
}

func hostMatches(rule, host string) bool {
	if rest, ok := strings.CutPrefix(rule, "*"); ok {
		// One label stands for the star. Upstream: networking/v1, IngressRule.host.
		label, found := strings.CutSuffix(host, rest)
		return found && label != "" && !strings.Contains(label, ".")
	}
	return rule == "" || rule == host
}

// pathMatches compares whole elements: /foo matches /foo/bar and not /foobar.
func pathMatches(r *route, path string) bool {
	if r.exact {
		return r.path == path
	}
	prefix := strings.TrimSuffix(r.path, "/")
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
