package validation

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/validate"
)

// dnsLabel refuses what is no part of a DNS name.
func dnsLabel(value string, path *field.Path) field.ErrorList {
	return invalidFor(path, value, validate.IsDNS1123Label(value))
}

func invalidFor(path *field.Path, value any, messages []string) field.ErrorList {
	var errs field.ErrorList
	for _, msg := range messages {
		errs = append(errs, field.Invalid(path, value, msg))
	}
	return errs
}

// oneOf refuses an empty value and any other that isn't supported; the message lists them in the order given.
func oneOf[T ~string](value T, path *field.Path, supported ...T) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if slices.Contains(supported, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, string(value), supported)}
}

// validateContainers checks a Pod's containers. names are those taken so far.
// Upstream: core/validation/validation.go, validateContainers, validateInitContainers and validateContainerCommon.
func validateContainers(containers []corev1.Container, volumes, names map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range containers {
		c, at := &containers[i], path.Index(i)
		errs = append(errs, validateContainer(c, volumes, at)...)
		if names[c.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
		} else if c.Name != "" {
			names[c.Name] = true
		}
		errs = append(errs, validateProbes(c, at)...)
	}
	return errs
}

func validateContainer(c *corev1.Container, volumes map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	} else {
		errs = append(errs, dnsLabel(c.Name, path.Child("name"))...)
	}
	switch {
	case c.Image == "":
		errs = append(errs, field.Required(path.Child("image"), ""))
	case strings.TrimSpace(c.Image) != c.Image:
		errs = append(errs, field.Invalid(path.Child("image"), c.Image, "must not have leading or trailing whitespace"))
	}
	errs = append(errs, oneOf(c.TerminationMessagePolicy, path.Child("terminationMessagePolicy"),
		corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError)...)
	errs = append(errs, validatePorts(c.Ports, path.Child("ports"))...)
	errs = append(errs, validateEnv(c.Env, path.Child("env"))...)
	errs = append(errs, validateEnvFromSources(c.EnvFrom, path.Child("envFrom"))...)
	errs = append(errs, validateVolumeMounts(c, volumes, path.Child("volumeMounts"))...)
	errs = append(errs, oneOf(c.ImagePullPolicy, path.Child("imagePullPolicy"), corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	errs = append(errs, validateResources(&c.Resources, path.Child("resources"))...)
	errs = append(errs, validateResizePolicy(c.ResizePolicy, path.Child("resizePolicy"))...)
	errs = append(errs, validateSecurityContext(c.SecurityContext, path.Child("securityContext"))...)
	return append(errs, validateRestartPolicy(c, path)...)
}

func validatePorts(ports []corev1.ContainerPort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, port := range ports {
		at := path.Index(i)
		if port.Name != "" {
			if msgs := isPortName(port.Name); len(msgs) > 0 {
				errs = append(errs, invalidFor(at.Child("name"), port.Name, msgs)...)
			} else if names[port.Name] {
				errs = append(errs, field.Duplicate(at.Child("name"), port.Name))
			}
			names[port.Name] = true
		}
		if port.ContainerPort == 0 {
			errs = append(errs, field.Required(at.Child("containerPort"), ""))
		} else {
			errs = append(errs, portNumber(port.ContainerPort, at.Child("containerPort"))...)
		}
		if port.HostPort != 0 {
			errs = append(errs, portNumber(port.HostPort, at.Child("hostPort"))...)
		}
		errs = append(errs, oneOf(port.Protocol, at.Child("protocol"), corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
	}
	return errs
}

func portNumber(port int32, path *field.Path) field.ErrorList {
	if 1 <= port && port <= 65535 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, port, inclusiveRange(1, 65535))}
}

func inclusiveRange(lo, hi int) string {
	return fmt.Sprintf("must be between %d and %d, inclusive", lo, hi)
}

// isPortName returns what is wrong with a port's name. Upstream: util/validation/validation.go, IsValidPortName.
func isPortName(s string) []string {
	var errs []string
	if len(s) > 15 {
		errs = append(errs, "must be no more than 15 characters")
	}
	letter, other := false, s == ""
	for i := range len(s) {
		c := s[i]
		letter = letter || 'a' <= c && c <= 'z'
		other = other || !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-')
	}
	if other {
		errs = append(errs, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
	}
	if !letter {
		errs = append(errs, "must contain at least one letter (a-z)")
	}
	if strings.Contains(s, "--") {
		errs = append(errs, "must not contain consecutive hyphens")
	}
	if strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") {
		errs = append(errs, "must not begin or end with a hyphen")
	}
	return errs
}

func validateEnv(vars []corev1.EnvVar, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range vars {
		v, at := &vars[i], path.Index(i)
		if v.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else if strings.ContainsFunc(v.Name, func(r rune) bool { return r == '=' || r < ' ' || r > '~' }) {
			errs = append(errs, field.Invalid(at.Child("name"), v.Name, envNameMsg))
		}
		errs = append(errs, validateEnvFrom(v, at.Child("valueFrom"))...)
	}
	return errs
}

const envNameMsg = "a valid environment variable name must consist only of printable ASCII characters other than '='"

func validateEnvFrom(v *corev1.EnvVar, path *field.Path) field.ErrorList {
	if v.ValueFrom == nil {
		return nil
	}
	sources := 0
	for _, set := range []bool{v.ValueFrom.FieldRef != nil, v.ValueFrom.ResourceFieldRef != nil, v.ValueFrom.ConfigMapKeyRef != nil,
		v.ValueFrom.SecretKeyRef != nil, v.ValueFrom.FileKeyRef != nil} {
		if set {
			sources++
		}
	}
	switch {
	case sources == 0:
		return field.ErrorList{field.Invalid(path, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef`, or `fileKeyRef`")}
	case v.Value != "":
		return field.ErrorList{field.Invalid(path, "", "may not be specified when `value` is not empty")}
	case sources > 1:
		return field.ErrorList{field.Invalid(path, "", "may not have more than one field specified at a time")}
	}
	return nil
}

// validateResources checks amounts, and that what is requested is within the limits.
// Upstream: core/validation/validation.go, validateContainerResourceRequirements.
func validateResources(r *corev1.ResourceRequirements, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	limits, requests := path.Child("limits"), path.Child("requests")
	for _, name := range slices.Sorted(maps.Keys(r.Limits)) {
		errs = append(errs, validateQuantity(name, r.Limits[name], limits.Key(string(name)))...)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		request := r.Requests[name]
		errs = append(errs, validateQuantity(name, request, requests.Key(string(name)))...)
		limit, limited := r.Limits[name]
		overcommit := isNative(name) && !strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
		switch {
		case limited && !overcommit && request.Cmp(limit) != 0:
			errs = append(errs, field.Invalid(requests, request.String(), fmt.Sprintf("must be equal to %s limit of %s", name, limit.String())))
		case limited && request.Cmp(limit) > 0:
			errs = append(errs, field.Invalid(requests, request.String(), fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String())))
		case !limited && !overcommit:
			errs = append(errs, field.Required(limits, "Limit must be set for non overcommitable resources"))
		}
	}
	return errs
}

// isNative says that Kubernetes itself defines the resource. Upstream: core/v1/helper, IsNativeResource.
func isNative(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), "kubernetes.io/")
}

func validateQuantity(name corev1.ResourceName, amount resource.Quantity, path *field.Path) field.ErrorList {
	errs := invalidFor(path, string(name), validate.IsLabelKey(string(name)))
	if !strings.Contains(string(name), "/") {
		switch name {
		case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		default:
			if !strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
				errs = append(errs, field.Invalid(path, string(name), "must be a standard resource for containers"))
			}
		}
	}
	if amount.Sign() < 0 {
		errs = append(errs, field.Invalid(path, amount.String(), isNonNegative))
	}
	if !isNative(name) && amount.MilliValue()%1000 != 0 {
		errs = append(errs, field.Invalid(path, amount.String(), "must be an integer"))
	}
	return errs
}

func validateProbes(c *corev1.Container, path *field.Path) field.ErrorList {
	errs := validateProbe(c.LivenessProbe, path.Child("livenessProbe"), true)
	errs = append(errs, validateProbe(c.ReadinessProbe, path.Child("readinessProbe"), false)...)
	return append(errs, validateProbe(c.StartupProbe, path.Child("startupProbe"), true)...)
}

// validateProbe checks one probe. once says that a single success has to be enough.
func validateProbe(p *corev1.Probe, path *field.Path, once bool) field.ErrorList {
	if p == nil {
		return nil
	}
	errs := validateHandler(&p.ProbeHandler, path)
	errs = append(errs, objectmeta.Nonnegative(int64(p.InitialDelaySeconds), path.Child("initialDelaySeconds"))...)
	errs = append(errs, objectmeta.Nonnegative(int64(p.TimeoutSeconds), path.Child("timeoutSeconds"))...)
	errs = append(errs, objectmeta.Nonnegative(int64(p.PeriodSeconds), path.Child("periodSeconds"))...)
	errs = append(errs, objectmeta.Nonnegative(int64(p.SuccessThreshold), path.Child("successThreshold"))...)
	errs = append(errs, objectmeta.Nonnegative(int64(p.FailureThreshold), path.Child("failureThreshold"))...)
	if g := p.TerminationGracePeriodSeconds; g != nil && *g <= 0 {
		errs = append(errs, field.Invalid(path.Child("terminationGracePeriodSeconds"), *g, "must be greater than 0"))
	}
	if once && p.SuccessThreshold != 1 {
		errs = append(errs, field.Invalid(path.Child("successThreshold"), p.SuccessThreshold, "must be 1"))
	}
	return errs
}

func validateHandler(h *corev1.ProbeHandler, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	handlers := 0
	one := func(name string, check func(at *field.Path) field.ErrorList) {
		handlers++
		if handlers > 1 {
			errs = append(errs, field.Forbidden(path.Child(name), "may not specify more than 1 handler type"))
			return
		}
		errs = append(errs, check(path.Child(name))...)
	}
	if h.Exec != nil {
		one("exec", func(at *field.Path) field.ErrorList {
			if len(h.Exec.Command) == 0 {
				return field.ErrorList{field.Required(at.Child("command"), "")}
			}
			return nil
		})
	}
	if h.HTTPGet != nil {
		one("httpGet", func(at *field.Path) field.ErrorList {
			var errs field.ErrorList
			if h.HTTPGet.Path == "" {
				errs = append(errs, field.Required(at.Child("path"), ""))
			}
			errs = append(errs, portNumberOrName(h.HTTPGet.Port, at.Child("port"))...)
			return append(errs, oneOf(h.HTTPGet.Scheme, at.Child("scheme"), corev1.URISchemeHTTP, corev1.URISchemeHTTPS)...)
		})
	}
	if h.TCPSocket != nil {
		one("tcpSocket", func(at *field.Path) field.ErrorList { return portNumberOrName(h.TCPSocket.Port, at.Child("port")) })
	}
	if h.GRPC != nil {
		one("grpc", func(at *field.Path) field.ErrorList { return portNumber(h.GRPC.Port, at.Child("port")) })
	}
	if handlers == 0 {
		errs = append(errs, field.Required(path, "must specify a handler type"))
	}
	return errs
}

func portNumberOrName(port intstr.IntOrString, path *field.Path) field.ErrorList {
	if port.Type == intstr.Int {
		return portNumber(port.IntVal, path)
	}
	return invalidFor(path, port.StrVal, isPortName(port.StrVal))
}

func validateVolumeMounts(c *corev1.Container, volumes map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	for i, m := range c.VolumeMounts {
		at := path.Index(i)
		if m.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		if !volumes[m.Name] {
			errs = append(errs, field.NotFound(at.Child("name"), m.Name))
		}
		if m.MountPath == "" {
			errs = append(errs, field.Required(at.Child("mountPath"), ""))
		}
		if paths[m.MountPath] {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
		paths[m.MountPath] = true
		if p := m.MountPropagation; p != nil && *p == corev1.MountPropagationBidirectional &&
			(c.SecurityContext == nil || c.SecurityContext.Privileged == nil || !*c.SecurityContext.Privileged) {
			errs = append(errs, field.Forbidden(at.Child("mountPropagation"), "Bidirectional mount propagation is available only to privileged containers"))
		}
	}
	return errs
}

func positiveInt32(value int64, path *field.Path) field.ErrorList {
	if 1 <= value && value <= math.MaxInt32 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, inclusiveRange(1, math.MaxInt32))}
}
