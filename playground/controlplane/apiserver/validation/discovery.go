package validation

import (
	"net/netip"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
)

// Limits of an EndpointSlice. Upstream: pkg/apis/discovery/validation/validation.go.
const (
	maxEndpoints = 1000
	maxPorts     = 20000
	maxAddresses = 100
	maxZoneHints = 8
)

// ValidateEndpointSlice is upstream's ValidateEndpointSlice, without the metadata.
func ValidateEndpointSlice(s *discoveryv1.EndpointSlice) field.ErrorList {
	errs := oneOf(s.AddressType, field.NewPath("addressType"), discoveryv1.AddressTypeFQDN, "IPv4", "IPv6")
	path := field.NewPath("endpoints")
	if len(s.Endpoints) > maxEndpoints {
		return append(errs, field.TooMany(path, len(s.Endpoints), maxEndpoints))
	}
	for i := range s.Endpoints {
		errs = append(errs, validateEndpoint(&s.Endpoints[i], s.AddressType, path.Index(i))...)
	}
	path = field.NewPath("ports")
	if len(s.Ports) > maxPorts {
		return append(errs, field.TooMany(path, len(s.Ports), maxPorts))
	}
	names := map[string]bool{}
	for i := range s.Ports {
		errs = append(errs, validateEndpointPort(&s.Ports[i], names, path.Index(i))...)
	}
	return errs
}

func validateEndpoint(e *discoveryv1.Endpoint, t discoveryv1.AddressType, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	addresses := path.Child("addresses")
	switch {
	case len(e.Addresses) == 0:
		errs = append(errs, field.Required(addresses, "must contain at least 1 address"))
	case len(e.Addresses) > maxAddresses:
		errs = append(errs, field.TooMany(addresses, len(e.Addresses), maxAddresses))
	}
	for i, a := range e.Addresses {
		at := addresses.Index(i)
		switch t {
		case "IPv4", "IPv6":
			ip, err := netip.ParseAddr(a)
			if err != nil || ip.Is4() != (t == "IPv4") {
				errs = append(errs, field.Invalid(at, a, "must be a valid "+string(t)+" address"))
			} else {
				errs = append(errs, validateEndpointIP(a, at)...)
			}
		case discoveryv1.AddressTypeFQDN:
			errs = append(errs, invalidFor(at, a, validate.IsDNS1123Subdomain(a))...)
		}
	}
	if e.NodeName != nil {
		errs = append(errs, invalidFor(path.Child("nodeName"), *e.NodeName, validate.IsDNS1123Subdomain(*e.NodeName))...)
	}
	if e.Hostname != nil {
		errs = append(errs, dnsLabel(*e.Hostname, path.Child("hostname"))...)
	}
	if e.Hints != nil {
		at := path.Child("hints").Child("forZones")
		if len(e.Hints.ForZones) > maxZoneHints {
			return append(errs, field.TooMany(at, len(e.Hints.ForZones), maxZoneHints))
		}
		seen := map[string]bool{}
		for i, z := range e.Hints.ForZones {
			if seen[z.Name] {
				errs = append(errs, field.Duplicate(at.Index(i), z.Name))
			}
			seen[z.Name] = true
			errs = append(errs, invalidFor(at.Index(i).Child("name"), z.Name, validate.IsLabelValue(z.Name))...)
		}
	}
	return errs
}

func validateEndpointPort(p *discoveryv1.EndpointPort, names map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if p.Name != nil {
		if *p.Name != "" {
			errs = append(errs, dnsLabel(*p.Name, path.Child("name"))...)
		}
		if names[*p.Name] {
			errs = append(errs, field.Duplicate(path.Child("name"), p.Name))
		}
		names[*p.Name] = true
	}
	if p.Protocol == nil {
		errs = append(errs, field.Required(path.Child("protocol"), ""))
	} else {
		errs = append(errs, oneOf(*p.Protocol, path.Child("protocol"), corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
	}
	if p.Port != nil {
		errs = append(errs, portNumber(*p.Port, path.Child("port"))...)
	}
	if p.AppProtocol != nil {
		errs = append(errs, invalidFor(path.Child("appProtocol"), *p.AppProtocol, validate.IsLabelKey(*p.AppProtocol))...)
	}
	return errs
}

// ValidateEndpointSliceUpdate keeps the type of addresses. Upstream: ValidateEndpointSliceUpdate.
func ValidateEndpointSliceUpdate(s, old *discoveryv1.EndpointSlice) field.ErrorList {
	return append(ValidateEndpointSlice(s), objectmeta.Immutable(s.AddressType, old.AddressType, field.NewPath("addressType"))...)
}
