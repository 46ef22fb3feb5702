package validation

import (
	"net/netip"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
)

// ValidateIngress checks an Ingress but for its metadata.
// Upstream: pkg/apis/networking/validation/validation.go, ValidateIngressSpec.
func ValidateIngress(ing *networkingv1.Ingress) field.ErrorList {
	var errs field.ErrorList
	spec, path := &ing.Spec, specPath
	if len(spec.Rules) == 0 && spec.DefaultBackend == nil {
		errs = append(errs, field.Invalid(path, spec.Rules, "either `defaultBackend` or `rules` must be specified"))
	}
	if spec.DefaultBackend != nil {
		errs = append(errs, validateIngressBackend(spec.DefaultBackend, path.Child("defaultBackend"))...)
	}
	for i := range spec.Rules {
		errs = append(errs, validateIngressRule(&spec.Rules[i], path.Child("rules").Index(i))...)
	}
	for i, tls := range spec.TLS {
		at := path.Child("tls").Index(i)
		for j, host := range tls.Hosts {
			errs = append(errs, invalidFor(at.Child("hosts").Index(j), host, hostOrWildcard(host))...)
		}
		if tls.SecretName != "" {
			errs = append(errs, invalidFor(at.Child("secretName"), tls.SecretName, validate.IsDNS1123Subdomain(tls.SecretName))...)
		}
	}
	if c := spec.IngressClassName; c != nil {
		errs = append(errs, invalidFor(path.Child("ingressClassName"), *c, validate.IsDNS1123Subdomain(*c))...)
	}
	return errs
}

const wildcardMsg = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

func hostOrWildcard(host string) []string {
	if !strings.Contains(host, "*") {
		return validate.IsDNS1123Subdomain(host)
	}
	rest, ok := strings.CutPrefix(host, "*.")
	if !ok || len(validate.IsDNS1123Subdomain(rest)) > 0 {
		return []string{wildcardMsg}
	}
	return nil
}

func validateIngressRule(rule *networkingv1.IngressRule, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if rule.Host != "" {
		if _, err := netip.ParseAddr(rule.Host); err == nil {
			errs = append(errs, field.Invalid(path.Child("host"), rule.Host, "must be a DNS name, not an IP address"))
		}
		errs = append(errs, invalidFor(path.Child("host"), rule.Host, hostOrWildcard(rule.Host))...)
	}
	if rule.HTTP == nil {
		return errs
	}
	at := path.Child("http").Child("paths")
	if len(rule.HTTP.Paths) == 0 {
		errs = append(errs, field.Required(at, ""))
	}
	for i := range rule.HTTP.Paths {
		errs = append(errs, validateHTTPIngressPath(&rule.HTTP.Paths[i], at.Index(i))...)
	}
	return errs
}

var invalidPathSequences = []string{"//", "/./", "/../", "%2f", "%2F"}

func validateHTTPIngressPath(p *networkingv1.HTTPIngressPath, path *field.Path) field.ErrorList {
	if p.PathType == nil {
		return field.ErrorList{field.Required(path.Child("pathType"), "pathType must be specified")}
	}
	var errs field.ErrorList
	at := path.Child("path")
	switch *p.PathType {
	case networkingv1.PathTypeExact, networkingv1.PathTypePrefix:
		if !strings.HasPrefix(p.Path, "/") {
			errs = append(errs, field.Invalid(at, p.Path, "must be an absolute path"))
		}
		for _, bad := range invalidPathSequences {
			if strings.Contains(p.Path, bad) {
				errs = append(errs, field.Invalid(at, p.Path, "must not contain '"+bad+"'"))
			}
		}
		for _, bad := range []string{"/..", "/."} {
			if strings.HasSuffix(p.Path, bad) {
				errs = append(errs, field.Invalid(at, p.Path, "cannot end with '"+bad+"'"))
			}
		}
	case networkingv1.PathTypeImplementationSpecific:
		if p.Path != "" && !strings.HasPrefix(p.Path, "/") {
			errs = append(errs, field.Invalid(at, p.Path, "must be an absolute path"))
		}
	default:
		errs = append(errs, field.NotSupported(path.Child("pathType"), string(*p.PathType),
			[]networkingv1.PathType{networkingv1.PathTypeExact, networkingv1.PathTypeImplementationSpecific, networkingv1.PathTypePrefix}))
	}
	return append(errs, validateIngressBackend(&p.Backend, path.Child("backend"))...)
}

func validateIngressBackend(b *networkingv1.IngressBackend, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case b.Service != nil && b.Resource != nil:
		errs = append(errs, field.Invalid(path, "", "cannot set both resource and service backends"))
	case b.Resource != nil:
		if b.Resource.Kind == "" {
			errs = append(errs, field.Required(path.Child("resource", "kind"), ""))
		}
		if b.Resource.Name == "" {
			errs = append(errs, field.Required(path.Child("resource", "name"), ""))
		}
	case b.Service == nil:
		errs = append(errs, field.Required(path, "resource or service backend is required"))
	default:
		at := path.Child("service")
		if b.Service.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else {
			errs = append(errs, invalidFor(at.Child("name"), b.Service.Name, NameIsDNS1035Label(b.Service.Name, false))...)
		}
		port := b.Service.Port
		switch {
		case port.Name != "" && port.Number != 0:
			errs = append(errs, field.Invalid(path, "", "cannot set both port name & port number"))
		case port.Name != "":
			errs = append(errs, invalidFor(at.Child("port").Child("name"), port.Name, isPortName(port.Name))...)
		case port.Number != 0:
			errs = append(errs, portNumber(port.Number, at.Child("port").Child("number"))...)
		default:
			errs = append(errs, field.Required(path, "port name or number is required"))
		}
	}
	return errs
}

// ValidateIngressClass is upstream's ValidateIngressClass, without the annotations' rules.
func ValidateIngressClass(c *networkingv1.IngressClass) field.ErrorList {
	var errs field.ErrorList
	path := specPath
	at := path.Child("controller")
	switch {
	case len(c.Spec.Controller) > 250:
		errs = append(errs, field.TooLong(at, c.Spec.Controller, 250))
	case c.Spec.Controller != "":
		domain, rest, ok := strings.Cut(c.Spec.Controller, "/")
		if !ok || rest == "" {
			errs = append(errs, field.Invalid(at, c.Spec.Controller, "must be a domain-prefixed path (such as \"acme.io/foo\")"))
		} else {
			errs = append(errs, invalidFor(at, domain, validate.IsDNS1123Subdomain(domain))...)
		}
	}
	if p := c.Spec.Parameters; p != nil {
		at := path.Child("parameters")
		if p.Kind == "" {
			errs = append(errs, field.Required(at.Child("kind"), "kind is required"))
		}
		if p.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), "name is required"))
		}
		if p.Scope == nil {
			return append(errs, field.Required(at.Child("scope"), ""))
		}
		switch *p.Scope {
		case networkingv1.IngressClassParametersReferenceScopeNamespace:
			if p.Namespace == nil || *p.Namespace == "" {
				errs = append(errs, field.Required(at.Child("namespace"), "`parameters.scope` is set to 'Namespace'"))
			}
		case networkingv1.IngressClassParametersReferenceScopeCluster:
			if p.Namespace != nil {
				errs = append(errs, field.Forbidden(at.Child("namespace"), "`parameters.scope` is set to 'Cluster'"))
			}
		default:
			errs = append(errs, field.NotSupported(at.Child("scope"), *p.Scope, []string{"Cluster", "Namespace"}))
		}
	}
	return errs
}

// ValidateIngressClassUpdate keeps the controller. Upstream: ValidateIngressClassUpdate.
func ValidateIngressClassUpdate(c, old *networkingv1.IngressClass) field.ErrorList {
	errs := objectmeta.Immutable(c.Spec.Controller, old.Spec.Controller, field.NewPath("spec", "controller"))
	return append(errs, ValidateIngressClass(c)...)
}

// ValidateNetworkPolicy is upstream's ValidateNetworkPolicySpec.
func ValidateNetworkPolicy(n *networkingv1.NetworkPolicy) field.ErrorList {
	path := specPath
	errs := ValidateLabelSelector(&n.Spec.PodSelector, path.Child("podSelector"))
	for i, rule := range n.Spec.Ingress {
		at := path.Child("ingress").Index(i)
		errs = append(errs, validatePolicyPorts(rule.Ports, at.Child("ports"))...)
		errs = append(errs, validatePolicyPeers(rule.From, at.Child("from"))...)
	}
	for i, rule := range n.Spec.Egress {
		at := path.Child("egress").Index(i)
		errs = append(errs, validatePolicyPorts(rule.Ports, at.Child("ports"))...)
		errs = append(errs, validatePolicyPeers(rule.To, at.Child("to"))...)
	}
	types := path.Child("policyTypes")
	if len(n.Spec.PolicyTypes) > 2 {
		return append(errs, field.Invalid(types, n.Spec.PolicyTypes, "may not specify more than two policyTypes"))
	}
	for i, t := range n.Spec.PolicyTypes {
		if t != networkingv1.PolicyTypeIngress && t != networkingv1.PolicyTypeEgress {
			errs = append(errs, field.NotSupported(types.Index(i), string(t),
				[]networkingv1.PolicyType{networkingv1.PolicyTypeEgress, networkingv1.PolicyTypeIngress}))
		}
	}
	return errs
}

func validatePolicyPorts(ports []networkingv1.NetworkPolicyPort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, p := range ports {
		at := path.Index(i)
		if p.Protocol != nil {
			errs = append(errs, oneOf(*p.Protocol, at.Child("protocol"), corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
		}
		if p.Port != nil {
			errs = append(errs, portNumberOrName(*p.Port, at.Child("port"))...)
		}
		switch {
		case p.EndPort == nil:
		case p.Port == nil:
			errs = append(errs, field.Required(at.Child("port"), "must be specified when `endPort` is specified"))
		case p.Port.Type == intstr.String:
			errs = append(errs, field.Invalid(at.Child("endPort"), *p.EndPort, "may not be specified when `port` is non-numeric"))
		case *p.EndPort < p.Port.IntVal:
			errs = append(errs, field.Invalid(at.Child("endPort"), *p.EndPort, "must be greater than or equal to `port`"))
		}
	}
	return errs
}

func validatePolicyPeers(peers []networkingv1.NetworkPolicyPeer, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, p := range peers {
		at := path.Index(i)
		if p.PodSelector != nil {
			errs = append(errs, ValidateLabelSelector(p.PodSelector, at.Child("podSelector"))...)
		}
		if p.NamespaceSelector != nil {
			errs = append(errs, ValidateLabelSelector(p.NamespaceSelector, at.Child("namespaceSelector"))...)
		}
		if p.IPBlock != nil {
			errs = append(errs, validateIPBlock(p.IPBlock, at.Child("ipBlock"))...)
		}
		others := p.PodSelector != nil || p.NamespaceSelector != nil
		switch {
		case !others && p.IPBlock == nil:
			errs = append(errs, field.Required(at, "must specify a peer"))
		case others && p.IPBlock != nil:
			errs = append(errs, field.Forbidden(at, "may not specify both ipBlock and another peer"))
		}
	}
	return errs
}

func validateIPBlock(b *networkingv1.IPBlock, path *field.Path) field.ErrorList {
	if b.CIDR == "" {
		return field.ErrorList{field.Required(path.Child("cidr"), "")}
	}
	errs := IsValidCIDR(path.Child("cidr"), b.CIDR)
	whole, err := netip.ParsePrefix(b.CIDR)
	for i, except := range b.Except {
		at := path.Child("except").Index(i)
		part, bad := netip.ParsePrefix(except)
		if bad != nil {
			errs = append(errs, IsValidCIDR(at, except)...)
			continue
		}
		if err == nil && (!whole.Contains(part.Masked().Addr()) || whole.Bits() >= part.Bits()) {
			errs = append(errs, field.Invalid(at, except, "must be a strict subset of `cidr`"))
		}
	}
	return errs
}

// NameIsCanonicalIP is the rule for IPAddresses: the name is the address, as it is always written.
// Upstream: ValidateIPAddressName.
func NameIsCanonicalIP(name string, _ bool) []string {
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return []string{"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"}
	}
	if addr.String() != name {
		return []string{"must be in canonical form (" + addr.String() + ")"}
	}
	return nil
}

// ValidateIPAddress is upstream's ValidateIPAddress.
func ValidateIPAddress(a *networkingv1.IPAddress) field.ErrorList {
	path := specPath.Child("parentRef")
	ref := a.Spec.ParentRef
	if ref == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs field.ErrorList
	if ref.Resource == "" {
		errs = append(errs, field.Required(path.Child("resource"), ""))
	}
	if ref.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	return errs
}

// ValidateIPAddressUpdate keeps the parent. Upstream: ValidateIPAddressUpdate.
func ValidateIPAddressUpdate(a, old *networkingv1.IPAddress) field.ErrorList {
	return objectmeta.Immutable(a.Spec.ParentRef, old.Spec.ParentRef, specPath.Child("parentRef"))
}

// ValidateServiceCIDR is upstream's ValidateServiceCIDR.
func ValidateServiceCIDR(c *networkingv1.ServiceCIDR) field.ErrorList {
	path := field.NewPath("spec", "cidrs")
	if len(c.Spec.CIDRs) == 0 {
		return field.ErrorList{field.Required(path, "at least one CIDR required")}
	}
	if len(c.Spec.CIDRs) > 2 {
		return field.ErrorList{field.Invalid(path, c.Spec.CIDRs, "may only hold up to 2 values")}
	}
	var errs field.ErrorList
	for i, cidr := range c.Spec.CIDRs {
		errs = append(errs, IsValidCIDR(path.Index(i), cidr)...)
		if p, err := netip.ParsePrefix(cidr); err == nil && p.Masked().String() != cidr {
			errs = append(errs, field.Invalid(path.Index(i), cidr, "must be in canonical form (\""+p.Masked().String()+"\")"))
		}
	}
	return errs
}

// ValidateServiceCIDRUpdate keeps the ranges. Upstream: ValidateServiceCIDRUpdate.
func ValidateServiceCIDRUpdate(c, old *networkingv1.ServiceCIDR) field.ErrorList {
	if !slices.Equal(c.Spec.CIDRs, old.Spec.CIDRs) {
		return objectmeta.Immutable(c.Spec.CIDRs, old.Spec.CIDRs, specPath.Child("cidrs"))
	}
	return nil
}
