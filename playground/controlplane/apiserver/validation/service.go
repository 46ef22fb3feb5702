package validation

import (
	"fmt"
	"net/netip"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
)

// NameIsDNS1035Label is the rule for Services: a name that is a host name too, and starts with a letter.
// Upstream: api/validation/generic.go, NameIsDNS1035Label.
func NameIsDNS1035Label(name string, prefix bool) []string {
	if prefix {
		name = objectmeta.MaskTrailingDash(name)
	}
	var errs []string
	if len(name) > 63 {
		errs = append(errs, "must be no more than 63 characters")
	}
	good := name != "" && 'a' <= name[0] && name[0] <= 'z' && name[len(name)-1] != '-'
	for i := range len(name) {
		c := name[i]
		good = good && ('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-')
	}
	if !good {
		errs = append(errs, "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')")
	}
	return errs
}

// IsValidIP returns what is wrong with an address. Upstream: util/validation/ip.go, IsValidIP.
func IsValidIP(path *field.Path, value string) field.ErrorList {
	if addr, err := netip.ParseAddr(value); err != nil || addr.Zone() != "" {
		return field.ErrorList{field.Invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")}
	}
	return nil
}

// IsValidCIDR returns what is wrong with a range of addresses. Upstream: util/validation/ip.go, IsValidCIDR.
func IsValidCIDR(path *field.Path, value string) field.ErrorList {
	if _, err := netip.ParsePrefix(value); err != nil {
		return field.ErrorList{field.Invalid(path, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")}
	}
	return nil
}

// validateEndpointIP refuses addresses at which no other machine can be. Upstream: ValidateEndpointIP.
func validateEndpointIP(value string, path *field.Path) field.ErrorList {
	ip, err := netip.ParseAddr(value)
	if err != nil {
		return IsValidIP(path, value)
	}
	detail := ""
	switch {
	case ip.IsUnspecified():
		detail = fmt.Sprintf("may not be unspecified (%v)", value)
	case ip.IsLoopback():
		detail = "may not be in the loopback range (127.0.0.0/8, ::1/128)"
	case ip.IsLinkLocalUnicast():
		detail = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
	case ip.IsLinkLocalMulticast():
		detail = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
	default:
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, detail)}
}

func isHeadless(s *corev1.Service) bool {
	return len(s.Spec.ClusterIPs) == 1 && s.Spec.ClusterIPs[0] == corev1.ClusterIPNone
}

// externallyAccessible says that clients outside the cluster can reach it. Upstream: pkg/api/service/util.go, ExternallyAccessible.
func externallyAccessible(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer || s.Spec.Type == corev1.ServiceTypeNodePort ||
		s.Spec.Type == corev1.ServiceTypeClusterIP && len(s.Spec.ExternalIPs) > 0
}

const kubeletPort = 10250

// ValidateService checks a Service but for its metadata. Upstream: core/validation/validation.go, ValidateService,
// without the rules for annotations of load balancers.
func ValidateService(s *corev1.Service) field.ErrorList {
	var errs field.ErrorList
	spec, path := &s.Spec, specPath
	if len(spec.Ports) == 0 && !isHeadless(s) && spec.Type != corev1.ServiceTypeExternalName {
		errs = append(errs, field.Required(path.Child("ports"), ""))
	}
	errs = append(errs, validateServiceType(s, path)...)
	names := map[string]bool{}
	for i := range spec.Ports {
		errs = append(errs, validateServicePort(&spec.Ports[i], len(spec.Ports) > 1, names, path.Child("ports").Index(i))...)
	}
	if spec.Selector != nil {
		errs = append(errs, objectmeta.ValidateLabels(spec.Selector, path.Child("selector"))...)
	}
	errs = append(errs, oneOf(spec.SessionAffinity, path.Child("sessionAffinity"), corev1.ServiceAffinityClientIP, corev1.ServiceAffinityNone)...)
	errs = append(errs, validateSessionAffinityConfig(spec, path.Child("sessionAffinityConfig"))...)
	errs = append(errs, validateServiceClusterIPs(s)...)
	for i, ip := range spec.ExternalIPs {
		errs = append(errs, validateEndpointIP(ip, path.Child("externalIPs").Index(i))...)
	}
	errs = append(errs, oneOf(spec.Type, path.Child("type"), corev1.ServiceTypeClusterIP, corev1.ServiceTypeExternalName, corev1.ServiceTypeLoadBalancer,
		corev1.ServiceTypeNodePort)...)
	errs = append(errs, validateNodePorts(spec, path.Child("ports"))...)
	errs = append(errs, validateLoadBalancerFields(spec, path)...)
	errs = append(errs, validateTrafficPolicies(s, path)...)
	return errs
}

func validateServiceType(s *corev1.Service, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	spec := &s.Spec
	none := func() {
		if isHeadless(s) {
			errs = append(errs, field.Invalid(path.Child("clusterIPs").Index(0), spec.ClusterIPs[0],
				"may not be set to 'None' for "+string(spec.Type)+" services"))
		}
	}
	switch spec.Type {
	case corev1.ServiceTypeLoadBalancer:
		for i := range spec.Ports {
			if spec.Ports[i].Port == kubeletPort {
				errs = append(errs, field.Invalid(path.Child("ports").Index(i), int32(kubeletPort),
					fmt.Sprintf("may not expose port %v externally since it is used by kubelet", kubeletPort)))
			}
		}
		none()
	case corev1.ServiceTypeNodePort:
		none()
	case corev1.ServiceTypeExternalName:
		forbidden := func(set bool, name string) {
			if set {
				errs = append(errs, field.Forbidden(path.Child(name), "may not be set for ExternalName services"))
			}
		}
		forbidden(len(spec.ClusterIPs) > 0, "clusterIPs")
		forbidden(len(spec.IPFamilies) > 0, "ipFamilies")
		forbidden(spec.IPFamilyPolicy != nil, "ipFamilyPolicy")
		at := path.Child("externalName")
		name := spec.ExternalName
		if n := len(name); n > 0 && name[n-1] == '.' {
			name = name[:n-1]
		}
		if name == "" {
			errs = append(errs, field.Required(at, ""))
		} else {
			errs = append(errs, invalidFor(at, name, validate.IsDNS1123Subdomain(name))...)
		}
	}
	return errs
}

func validateServicePort(port *corev1.ServicePort, requireName bool, names map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case requireName && port.Name == "":
		errs = append(errs, field.Required(path.Child("name"), ""))
	case port.Name != "":
		errs = append(errs, dnsLabel(port.Name, path.Child("name"))...)
		if names[port.Name] {
			errs = append(errs, field.Duplicate(path.Child("name"), port.Name))
		}
		names[port.Name] = true
	}
	errs = append(errs, portNumber(port.Port, path.Child("port"))...)
	errs = append(errs, oneOf(port.Protocol, path.Child("protocol"), corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
	errs = append(errs, portNumberOrName(port.TargetPort, path.Child("targetPort"))...)
	if port.AppProtocol != nil {
		errs = append(errs, invalidFor(path.Child("appProtocol"), *port.AppProtocol, validate.IsLabelKey(*port.AppProtocol))...)
	}
	return errs
}

// validateSessionAffinityConfig is upstream's validateClientIPAffinityConfig, and what goes with it.
func validateSessionAffinityConfig(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	config := spec.SessionAffinityConfig
	switch spec.SessionAffinity {
	case corev1.ServiceAffinityNone:
		if config != nil {
			return field.ErrorList{field.Forbidden(path, "must not be set when session affinity is None")}
		}
	case corev1.ServiceAffinityClientIP:
		switch {
		case config == nil:
			return field.ErrorList{field.Required(path, "when session affinity type is ClientIP")}
		case config.ClientIP == nil:
			return field.ErrorList{field.Required(path.Child("clientIP"), "when session affinity type is ClientIP")}
		case config.ClientIP.TimeoutSeconds == nil:
			return field.ErrorList{field.Required(path.Child("clientIP", "timeoutSeconds"), "when session affinity type is ClientIP")}
		}
		if t := *config.ClientIP.TimeoutSeconds; t <= 0 || t > 86400 {
			return field.ErrorList{field.Invalid(path.Child("clientIP", "timeoutSeconds"), t, "must be greater than 0 and less than 86400")}
		}
	}
	return nil
}

// validateServiceClusterIPs is upstream's ValidateServiceClusterIPsRelatedFields for a cluster of one IP family.
func validateServiceClusterIPs(s *corev1.Service) field.ErrorList {
	spec := &s.Spec
	if spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	var errs field.ErrorList
	path := field.NewPath("spec", "clusterIPs")
	switch {
	case spec.ClusterIP == "" && len(spec.ClusterIPs) != 0:
		errs = append(errs, field.Invalid(path, spec.ClusterIPs, "must be empty when `clusterIP` is not specified"))
	case spec.ClusterIP != "" && len(spec.ClusterIPs) == 0:
		errs = append(errs, field.Required(path, ""))
	case spec.ClusterIP != "" && spec.ClusterIPs[0] != spec.ClusterIP:
		errs = append(errs, field.Invalid(path, spec.ClusterIPs, "first value must match `clusterIP`"))
	}
	for i, ip := range spec.ClusterIPs {
		if i == 0 && ip == corev1.ClusterIPNone {
			if len(spec.ClusterIPs) > 1 {
				errs = append(errs, field.Invalid(path, spec.ClusterIPs, "'None' must be the first and only value"))
			}
			continue
		}
		errs = append(errs, IsValidIP(path.Index(i), ip)...)
	}
	if len(spec.ClusterIPs) > 2 {
		errs = append(errs, field.Invalid(path, spec.ClusterIPs, "may only hold up to 2 values"))
	}
	if p := spec.IPFamilyPolicy; p != nil {
		errs = append(errs, oneOf(*p, field.NewPath("spec", "ipFamilyPolicy"), corev1.IPFamilyPolicyPreferDualStack, corev1.IPFamilyPolicyRequireDualStack,
			corev1.IPFamilyPolicySingleStack)...)
	}
	families := field.NewPath("spec", "ipFamilies")
	for i, f := range spec.IPFamilies {
		errs = append(errs, oneOf(f, families.Index(i), corev1.IPv4Protocol, "IPv6")...)
		if slices.Contains(spec.IPFamilies[:i], f) {
			errs = append(errs, field.Duplicate(families.Index(i), string(f)))
		}
	}
	return errs
}

func validateNodePorts(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	type key struct {
		protocol corev1.Protocol
		port     int32
	}
	nodePorts, ports := map[key]bool{}, map[key]bool{}
	for i := range spec.Ports {
		if spec.Type == corev1.ServiceTypeClusterIP && spec.Ports[i].NodePort != 0 {
			errs = append(errs, field.Forbidden(path.Index(i).Child("nodePort"), "may not be used when `type` is 'ClusterIP'"))
		}
	}
	for i := range spec.Ports {
		k := key{spec.Ports[i].Protocol, spec.Ports[i].NodePort}
		if k.port != 0 && nodePorts[k] {
			errs = append(errs, field.Duplicate(path.Index(i).Child("nodePort"), k.port))
		}
		nodePorts[k] = true
	}
	for i := range spec.Ports {
		k := key{spec.Ports[i].Protocol, spec.Ports[i].Port}
		if ports[k] {
			errs = append(errs, field.Duplicate(path.Index(i), corev1.ServicePort{Protocol: k.protocol, Port: k.port}))
		}
		ports[k] = true
	}
	return errs
}

func validateLoadBalancerFields(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	balanced := spec.Type == corev1.ServiceTypeLoadBalancer
	for i, r := range spec.LoadBalancerSourceRanges {
		if !balanced {
			errs = append(errs, field.Forbidden(path.Child("LoadBalancerSourceRanges"), "may only be used when `type` is 'LoadBalancer'"))
			break
		}
		errs = append(errs, IsValidCIDR(path.Child("LoadBalancerSourceRanges").Index(i), r)...)
	}
	if spec.AllocateLoadBalancerNodePorts != nil && !balanced {
		errs = append(errs, field.Forbidden(path.Child("allocateLoadBalancerNodePorts"), "may only be used when `type` is 'LoadBalancer'"))
	}
	if spec.AllocateLoadBalancerNodePorts == nil && balanced {
		errs = append(errs, field.Required(field.NewPath("allocateLoadBalancerNodePorts"), ""))
	}
	if c := spec.LoadBalancerClass; c != nil {
		if !balanced {
			errs = append(errs, field.Forbidden(path.Child("loadBalancerClass"), "may only be used when `type` is 'LoadBalancer'"))
		} else {
			errs = append(errs, invalidFor(path.Child("loadBalancerClass"), *c, validate.IsLabelKey(*c))...)
		}
	}
	return errs
}

// validateTrafficPolicies is upstream's validateServiceExternalTrafficFieldsValue,
// ValidateServiceExternalTrafficFieldsCombination and validateServiceInternalTrafficFieldsValue.
func validateTrafficPolicies(s *corev1.Service, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	spec := &s.Spec
	external := path.Child("externalTrafficPolicy")
	if externallyAccessible(s) {
		if spec.Type != corev1.ServiceTypeClusterIP || spec.ExternalTrafficPolicy != "" {
			errs = append(errs, oneOf(spec.ExternalTrafficPolicy, external, corev1.ServiceExternalTrafficPolicyCluster,
				corev1.ServiceExternalTrafficPolicyLocal)...)
		}
	} else if spec.ExternalTrafficPolicy != "" {
		errs = append(errs, field.Invalid(external, string(spec.ExternalTrafficPolicy), "may only be set for externally-accessible services"))
	}
	health := path.Child("healthCheckNodePort")
	if spec.Type == corev1.ServiceTypeLoadBalancer && spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal {
		errs = append(errs, portNumber(spec.HealthCheckNodePort, health)...)
	} else if spec.HealthCheckNodePort != 0 {
		errs = append(errs, field.Invalid(health, spec.HealthCheckNodePort,
			"may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"))
	}
	if p := spec.InternalTrafficPolicy; p != nil {
		errs = append(errs, oneOf(*p, path.Child("internalTrafficPolicy"), corev1.ServiceInternalTrafficPolicyCluster,
			corev1.ServiceInternalTrafficPolicyLocal)...)
	} else if spec.Type != corev1.ServiceTypeExternalName {
		errs = append(errs, field.Required(path.Child("internalTrafficPolicy"), ""))
	}
	if d := spec.TrafficDistribution; d != nil {
		errs = append(errs, oneOf(trafficDistribution(*d), path.Child("trafficDistribution"), "PreferClose", "PreferSameNode", "PreferSameZone")...)
	}
	return errs
}

type trafficDistribution string

// ValidateServiceUpdate checks what changed in a Service: an address stays, unless the type changes.
// Upstream: ValidateServiceUpdate, validateUpgradeDowngradeClusterIPs and validateUpgradeDowngradeIPFamilies.
func ValidateServiceUpdate(s, old *corev1.Service) field.ErrorList {
	var errs field.ErrorList
	if s.Spec.Type != corev1.ServiceTypeExternalName && old.Spec.Type != corev1.ServiceTypeExternalName {
		path := field.NewPath("spec", "clusterIPs").Index(0)
		was, is := old.Spec.ClusterIPs, s.Spec.ClusterIPs
		switch {
		case len(was) > 0 && len(is) == 0:
			errs = append(errs, field.Invalid(path, is, "primary clusterIP can not be unset"))
		case len(was) > 0 && was[0] != is[0]:
			errs = append(errs, field.Invalid(path, is, "may not change once set"))
		}
		path = field.NewPath("spec", "ipFamilies").Index(0)
		if was, is := old.Spec.IPFamilies, s.Spec.IPFamilies; len(was) > 0 {
			switch {
			case len(is) == 0:
				errs = append(errs, field.Invalid(path, is, "primary ipFamily can not be unset"))
			case was[0] != is[0]:
				errs = append(errs, field.Invalid(path, is, "may not change once set"))
			}
		}
	}
	if c := old.Spec.LoadBalancerClass; old.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.Type == corev1.ServiceTypeLoadBalancer &&
		!api.SemanticDeepEqual(c, s.Spec.LoadBalancerClass) {
		errs = append(errs, field.Invalid(field.NewPath("spec", "loadBalancerClass"), s.Spec.LoadBalancerClass, "may not change once set"))
	}
	return append(errs, ValidateService(s)...)
}
