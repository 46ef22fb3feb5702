package validation

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/validate"
)

// ValidateEndpoints is upstream's ValidateEndpointsCreate, and of an update too.
func ValidateEndpoints(e *corev1.Endpoints) field.ErrorList {
	var errs field.ErrorList
	for i := range e.Subsets {
		s, path := &e.Subsets[i], field.NewPath("subsets").Index(i)
		if len(s.Addresses) == 0 && len(s.NotReadyAddresses) == 0 {
			errs = append(errs, field.Required(path, "must specify `addresses` or `notReadyAddresses`"))
		}
		errs = append(errs, validateEndpointAddresses(s.Addresses, path.Child("addresses"))...)
		errs = append(errs, validateEndpointAddresses(s.NotReadyAddresses, path.Child("notReadyAddresses"))...)
		for j := range s.Ports {
			errs = append(errs, validateSubsetPort(&s.Ports[j], len(s.Ports) > 1, path.Child("ports").Index(j))...)
		}
	}
	return errs
}

// validateEndpointAddresses makes a path only to an address with which something is wrong: every write of an object has up to a thousand.
func validateEndpointAddresses(list []corev1.EndpointAddress, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range list {
		if a := &list[i]; len(validateEndpointAddress(a, nil)) > 0 {
			errs = append(errs, validateEndpointAddress(a, path.Index(i))...)
		}
	}
	return errs
}

func validateEndpointAddress(a *corev1.EndpointAddress, path *field.Path) field.ErrorList {
	errs := validateEndpointIP(a.IP, path.Child("ip"))
	if a.Hostname != "" {
		errs = append(errs, dnsLabel(a.Hostname, path.Child("hostname"))...)
	}
	if a.NodeName != nil {
		errs = append(errs, invalidFor(path.Child("nodeName"), *a.NodeName, validate.IsDNS1123Subdomain(*a.NodeName))...)
	}
	return errs
}

// validateSubsetPort is upstream's validateEndpointPort of Endpoints.
func validateSubsetPort(p *corev1.EndpointPort, requireName bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case p.Name != "":
		errs = append(errs, dnsLabel(p.Name, path.Child("name"))...)
	case requireName:
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	errs = append(errs, portNumber(p.Port, path.Child("port"))...)
	if p.Protocol == "" {
		errs = append(errs, field.Required(path.Child("protocol"), ""))
	} else {
		errs = append(errs, oneOf(p.Protocol, path.Child("protocol"), corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
	}
	if p.AppProtocol != nil {
		errs = append(errs, invalidFor(path.Child("appProtocol"), *p.AppProtocol, validate.IsLabelKey(*p.AppProtocol))...)
	}
	return errs
}
