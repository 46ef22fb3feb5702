package ingress

import (
	"testing"
	"time"

	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/networkingv1"
)

func ingress(name string, age time.Duration, rules ...networkingv1.IngressRule) *networkingv1.Ingress {
	return &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name,
			CreationTimestamp: metav1.NewTime(time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC).Add(-age))},
		Spec: networkingv1.IngressSpec{Rules: rules},
	}
}

func rule(host string, paths ...networkingv1.HTTPIngressPath) networkingv1.IngressRule {
	return networkingv1.IngressRule{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: paths}}}
}

func to(service, path string, t networkingv1.PathType) networkingv1.HTTPIngressPath {
	return networkingv1.HTTPIngressPath{Path: path, PathType: &t,
		Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: service}}}
}

// The examples of paths are those of the Kubernetes documentation of Ingress.
func TestFind(t *testing.T) {
	const exact, prefix = networkingv1.PathTypeExact, networkingv1.PathTypePrefix
	fallback := ingress("fallback", 0)
	fallback.Spec.DefaultBackend = &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "fallback"}}
	routes := table([]*networkingv1.Ingress{
		ingress("young", time.Minute, rule("shop.example", to("young", "/", prefix))),
		ingress("old", time.Hour, rule("shop.example", to("old", "/", prefix), to("api", "/api", prefix), to("exact", "/api", exact),
			to("deep", "/api/v2/", prefix))),
		ingress("wild", time.Hour, rule("*.shop.example", to("wild", "/", prefix)), rule("only.example", to("only", "/foo", exact))),
		ingress("any", time.Hour, rule("", to("any", "/any", prefix))),
		fallback,
	})
	for _, test := range []struct{ host, path, want string }{
		{"shop.example", "/", "old"},
		{"shop.example", "/about?x=/api", "old"},
		{"shop.example", "/api", "exact"},
		{"shop.example", "/api/", "api"},
		{"shop.example", "/api/v1", "api"},
		{"shop.example", "/apis", "old"},
		{"shop.example", "/api/v2/x", "deep"},
		{"shop.example", "/api/v2", "deep"},
		{"a.shop.example", "/", "wild"},
		{"a.b.shop.example", "/", "fallback"},
		{"only.example", "/foo", "only"},
		{"only.example", "/foo/", ""},
		{"other.example", "/any/thing", "any"},
		{"10.0.0.10", "/", "fallback"},
	} {
		got := ""
		if r := find(routes, test.host, test.path); r != nil {
			got = r.backend.Name
		}
		if got != test.want {
			t.Errorf("%s%s goes to %q, want %q", test.host, test.path, got, test.want)
		}
	}
	if r := find(nil, "shop.example", "/"); r != nil {
		t.Errorf("%+v", r)
	}
}
