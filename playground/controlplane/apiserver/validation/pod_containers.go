package validation

import (
	"fmt"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
)

// What containers have beside the fields of container.go.
// Upstream: core/validation/validation.go, validateContainerCommon, validateContainers and validateInitContainers.

const notForInit = "may not be set for init containers without restartPolicy=Always"

// validateInitContainers checks what an init container cannot have: one that runs on (a sidecar) is like any other.
func validateInitContainers(containers []corev1.Container, grace *int64, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range containers {
		c, at := &containers[i], path.Index(i)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			errs = append(errs, validateLifecycle(c.Lifecycle, grace, at.Child("lifecycle"))...)
			continue
		}
		for _, f := range []struct {
			set  bool
			name string
		}{
			{c.Lifecycle != nil, "lifecycle"}, {c.LivenessProbe != nil, "livenessProbe"},
			{c.ReadinessProbe != nil, "readinessProbe"}, {c.StartupProbe != nil, "startupProbe"},
		} {
			if f.set {
				errs = append(errs, field.Forbidden(at.Child(f.name), notForInit))
			}
		}
	}
	return errs
}

func validateRestartPolicy(c *corev1.Container, path *field.Path) field.ErrorList {
	errs := optional(c.RestartPolicy, path.Child("restartPolicy"), corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyNever,
		corev1.ContainerRestartPolicyOnFailure)
	if len(c.RestartPolicyRules) > 0 && c.RestartPolicy == nil {
		errs = append(errs, field.Required(path.Child("restartPolicy"), "must specify restartPolicy when restart rules are used"))
	}
	if len(c.RestartPolicyRules) > 20 {
		errs = append(errs, field.TooMany(path.Child("restartPolicyRules"), len(c.RestartPolicyRules), 20))
	}
	for i := range c.RestartPolicyRules {
		r, at := &c.RestartPolicyRules[i], path.Child("restartPolicyRules").Index(i)
		errs = append(errs, optional(&r.Action, at.Child("action"), "Restart", "RestartAllContainers")...)
		if r.ExitCodes == nil {
			errs = append(errs, field.Required(at.Child("exitCodes"), "must be specified"))
			continue
		}
		errs = append(errs, optional(&r.ExitCodes.Operator, at.Child("exitCodes", "operator"), "In", "NotIn")...)
		if n := len(r.ExitCodes.Values); n > 255 {
			errs = append(errs, field.TooMany(at.Child("exitCodes", "values"), n, 255))
		}
	}
	return errs
}

// validateLifecycle is upstream's function of that name.
func validateLifecycle(l *corev1.Lifecycle, grace *int64, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if l == nil {
		return nil
	}
	check := func(h *corev1.LifecycleHandler, at *field.Path) {
		if h == nil {
			return
		}
		if h.Sleep != nil && h.Exec == nil && h.HTTPGet == nil && h.TCPSocket == nil {
			if s := h.Sleep.Seconds; s < 0 || grace != nil && s > *grace {
				max := int64(30)
				if grace != nil {
					max = *grace
				}
				errs = append(errs, field.Invalid(at.Child("sleep"), s,
					fmt.Sprintf("must be non-negative and less than terminationGracePeriodSeconds (%d)", max)))
			}
			return
		}
		errs = append(errs, validateHandler(&corev1.ProbeHandler{Exec: h.Exec, HTTPGet: h.HTTPGet, TCPSocket: h.TCPSocket}, at)...)
	}
	check(l.PostStart, path.Child("postStart"))
	check(l.PreStop, path.Child("preStop"))
	return errs
}

// validateEnvFromSources is upstream's ValidateEnvFrom.
func validateEnvFromSources(list []corev1.EnvFromSource, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range list {
		e, at := &list[i], path.Index(i)
		switch {
		case e.ConfigMapRef != nil && e.SecretRef != nil:
			errs = append(errs, field.Invalid(at, "", "may not have more than one field specified at a time"))
		case e.ConfigMapRef != nil && e.ConfigMapRef.Name == "":
			errs = append(errs, field.Required(at.Child("configMapRef", "name"), ""))
		case e.SecretRef != nil && e.SecretRef.Name == "":
			errs = append(errs, field.Required(at.Child("secretRef", "name"), ""))
		case e.ConfigMapRef == nil && e.SecretRef == nil:
			errs = append(errs, field.Invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"))
		}
	}
	return errs
}

// validateResizePolicy is upstream's function of that name.
func validateResizePolicy(list []corev1.ContainerResizePolicy, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[corev1.ResourceName]bool{}
	for i := range list {
		r, at := &list[i], path.Index(i)
		errs = append(errs, optional(&r.ResourceName, at.Child("resourceName"), corev1.ResourceCPU, corev1.ResourceMemory)...)
		errs = append(errs, optional(&r.RestartPolicy, at.Child("restartPolicy"), corev1.NotRequired, corev1.RestartContainer)...)
		if seen[r.ResourceName] {
			errs = append(errs, field.Duplicate(at, string(r.ResourceName)))
		}
		seen[r.ResourceName] = true
	}
	return errs
}

// validateSecurityContext is upstream's ValidateSecurityContext, of the fields that are simulated.
func validateSecurityContext(s *corev1.SecurityContext, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := userID(s.RunAsUser, path.Child("runAsUser"))
	errs = append(errs, userID(s.RunAsGroup, path.Child("runAsGroup"))...)
	if e := s.AllowPrivilegeEscalation; e != nil && !*e && s.Privileged != nil && *s.Privileged {
		errs = append(errs, field.Invalid(path, s, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"))
	}
	return errs
}

func userID(id *int64, path *field.Path) field.ErrorList {
	if id == nil || *id >= 0 && *id <= 1<<31-1 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *id, inclusiveRange(0, 1<<31-1))}
}

// hostPortConflicts is upstream's checkHostPortConflicts: one port of a node is one container's.
func hostPortConflicts(containers []corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i := range containers {
		for j := range containers[i].Ports {
			p := &containers[i].Ports[j]
			if p.HostPort == 0 {
				continue
			}
			key := fmt.Sprintf("%s/%s/%d", p.Protocol, p.HostIP, p.HostPort)
			if seen[key] {
				errs = append(errs, field.Duplicate(path.Index(i).Child("ports").Index(j).Child("hostPort"), key))
			}
			seen[key] = true
		}
	}
	return errs
}

// validateSysctls is upstream's. Absent: which of them a Pod in the host's namespaces cannot have.
func validateSysctls(sysctls []corev1.Sysctl, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, s := range sysctls {
		twice := false
		for _, other := range sysctls[:i] {
			twice = twice || other.Name == s.Name
		}
		switch at := path.Index(i).Child("name"); {
		case s.Name == "":
			errs = append(errs, field.Required(at, ""))
		case !isSysctlName(s.Name):
			errs = append(errs, field.Invalid(at, s.Name,
				"must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"))
		case twice:
			errs = append(errs, field.Duplicate(at, s.Name))
		}
	}
	return errs
}

// isSysctlName is upstream's IsValidSysctlName: words between dots or slashes that begin and end with a letter or a digit.
func isSysctlName(name string) bool {
	inner := false // the byte before cannot end a word
	for i := range len(name) {
		switch b := name[i]; {
		case 'a' <= b && b <= 'z' || '0' <= b && b <= '9':
			inner = false
		case i == 0 || strings.IndexByte("-_./", b) < 0, (b == '.' || b == '/') && inner, (b == '-' || b == '_') && strings.IndexByte("./", name[i-1]) >= 0:
			return false
		default:
			inner = true
		}
	}
	return !inner && len(name) <= 253
}

// validatePodRest checks the fields of a Pod's spec about which there is little to say.
func validatePodRest(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s := spec.SecurityContext; s != nil {
		at := path.Child("securityContext")
		errs = append(errs, userID(s.RunAsUser, at.Child("runAsUser"))...)
		errs = append(errs, userID(s.RunAsGroup, at.Child("runAsGroup"))...)
		errs = append(errs, userID(s.FSGroup, at.Child("fsGroup"))...)
		errs = append(errs, validateSysctls(s.Sysctls, at.Child("sysctls"))...)
	}
	errs = append(errs, validateAffinity(spec.Affinity, path.Child("affinity"))...)
	if spec.DNSPolicy == corev1.DNSNone {
		if spec.DNSConfig == nil {
			errs = append(errs, field.Required(path.Child("dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None"))
		} else if len(spec.DNSConfig.Nameservers) == 0 {
			errs = append(errs, field.Required(path.Child("dnsConfig", "nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None"))
		}
	}
	for i, g := range spec.ReadinessGates {
		errs = append(errs, invalidFor(path.Child("readinessGates").Index(i).Child("conditionType"), string(g.ConditionType),
			validate.IsLabelKey(string(g.ConditionType)))...)
	}
	return append(errs, validateTopologySpreadConstraints(spec.TopologySpreadConstraints, path.Child("topologySpreadConstraints"))...)
}

// validatePodEnd checks what comes last in upstream's order.
func validatePodEnd(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range spec.HostAliases {
		h, at := &spec.HostAliases[i], path.Child("hostAliases").Index(i)
		errs = append(errs, IsValidIP(at.Child("ip"), h.IP)...)
		for j, name := range h.Hostnames {
			errs = append(errs, invalidFor(at.Child("hostnames").Index(j), name, validate.IsDNS1123Subdomain(name))...)
		}
	}
	if name := spec.PriorityClassName; name != "" {
		errs = append(errs, invalidFor(path.Child("priorityClassName"), name, objectmeta.NameIsDNSSubdomain(name, false))...)
	}
	return append(errs, optional(spec.PreemptionPolicy, path.Child("preemptionPolicy"), corev1.PreemptLowerPriority, corev1.PreemptNever)...)
}
