package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/networkingv1"
)

// createIngress is kubectl create ingress. Upstream: kubectl pkg/cmd/create/create_ingress.go.
func createIngress(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	rules, backend := s.flags.all("rule"), s.flags.text("default-backend")
	if backend == "" && len(rules) == 0 {
		return errors.New("not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)")
	}
	for _, rule := range rules {
		if !isIngressRule(rule) {
			return fmt.Errorf("rule %s is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]", rule)
		}
	}
	ingress := &networkingv1.Ingress{}
	ingress.Name = name
	for _, annotation := range s.flags.all("annotation") {
		key, value, ok := strings.Cut(annotation, "=")
		if !ok {
			return fmt.Errorf("annotation %s is invalid and should be in format key=[value]", annotation)
		}
		if ingress.Annotations == nil {
			ingress.Annotations = map[string]string{}
		}
		ingress.Annotations[key] = value
	}
	if class := s.flags.text("class"); class != "" {
		ingress.Spec.IngressClassName = &class
	}
	if backend != "" {
		if strings.Count(backend, ":") != 1 {
			return errors.New("default-backend should be in format servicename:serviceport")
		}
		to := ingressBackend(backend)
		ingress.Spec.DefaultBackend = &to
	}
	ingress.Spec.TLS = ingressTLS(rules)
	for _, rule := range rules {
		addIngressRule(&ingress.Spec, rule)
	}
	return s.generate(ingress, "ingress")
}

// isIngressRule tells whether a rule is HOST/PATH=SERVICE:PORT, whatever follows. Upstream: create_ingress.go, regexHostPathSvc.
func isIngressRule(rule string) bool {
	host, rest, ok := strings.Cut(rule, "/")
	if !ok || strings.ContainsFunc(host, func(r rune) bool { return !isWord(r) && r != '*' && r != '.' }) {
		return false
	}
	for i := range rest {
		if rest[i] != '=' {
			continue
		}
		service := strings.TrimLeftFunc(rest[i+1:], isWord)
		if len(service) < len(rest[i+1:]) && len(service) > 1 && service[0] == ':' && isWord(rune(service[1])) {
			return true
		}
	}
	return false
}

func isWord(r rune) bool {
	return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// ingressTLS is what rules that end with ",tls" or ",tls=SECRET" ask for: each host once, those of one Secret together.
// Upstream: create_ingress.go, CreateIngressOptions.buildTLSRules.
func ingressTLS(rules []string) (out []networkingv1.IngressTLS) {
	known := map[string]bool{}
	for _, rule := range rules {
		parts := strings.Split(rule, ",")
		if len(parts) != 2 {
			continue
		}
		host, _, _ := strings.Cut(rule, "/")
		_, secret, _ := strings.Cut(parts[1], "=")
		secret, _, _ = strings.Cut(secret, "=")
		if known[host] {
			continue
		}
		known[host] = true
		if at := slices.IndexFunc(out, func(t networkingv1.IngressTLS) bool { return t.SecretName == secret }); at >= 0 {
			out[at].Hosts = append(out[at].Hosts, host)
			continue
		}
		t := networkingv1.IngressTLS{SecretName: secret}
		if host != "" {
			t.Hosts = []string{host}
		}
		if secret != "" || host != "" {
			out = append(out, t)
		}
	}
	return out
}

// addIngressRule adds a path to the rule of its host. Upstream: create_ingress.go, CreateIngressOptions.buildIngressRules.
func addIngressRule(spec *networkingv1.IngressSpec, rule string) {
	rule, _, _ = strings.Cut(rule, ",")
	host, rest, _ := strings.Cut(rule, "/")
	parts := strings.Split(rest, "=")
	kind := networkingv1.PathTypeExact
	path, prefix := strings.CutSuffix("/"+parts[0], "*")
	if prefix {
		kind = networkingv1.PathTypePrefix
	}
	added := networkingv1.HTTPIngressPath{Path: path, PathType: &kind, Backend: ingressBackend(parts[1])}
	at := slices.IndexFunc(spec.Rules, func(r networkingv1.IngressRule) bool { return r.Host == host })
	if at < 0 {
		spec.Rules = append(spec.Rules, networkingv1.IngressRule{Host: host})
		at = len(spec.Rules) - 1
		spec.Rules[at].HTTP = &networkingv1.HTTPIngressRuleValue{}
	}
	http := spec.Rules[at].HTTP
	http.Paths = append(http.Paths, added)
}

// ingressBackend is "SERVICE:PORT", the port by number or name.
func ingressBackend(text string) networkingv1.IngressBackend {
	service, port, _ := strings.Cut(text, ":")
	port, _, _ = strings.Cut(port, ":")
	b := networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: service}}
	if p := intstr.Parse(port); p.Type == intstr.Int {
		b.Service.Port.Number = p.IntVal
	} else {
		b.Service.Port.Name = p.StrVal
	}
	return b
}
