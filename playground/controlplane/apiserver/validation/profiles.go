//go:build !js || cel

package validation

import (
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
)

// validateProfiles checks profiles of seccomp and AppArmor that are files of the node's, and the mount of /proc. Absent: whether a type is
// one that there is.
func validateProfiles(spec *corev1.PodSpec, path *field.Path) (errs field.ErrorList) {
	if s := spec.SecurityContext; s != nil {
		at := path.Child("securityContext")
		errs = append(validateSeccompProfileField(s.SeccompProfile, at.Child("seccompProfile")),
			validateAppArmorProfileField(s.AppArmorProfile, at.Child("appArmorProfile"))...)
	}
	of := func(s *corev1.SecurityContext, at *field.Path) {
		if s == nil {
			return
		}
		at = at.Child("securityContext")
		if p := s.ProcMount; p != nil && *p == corev1.UnmaskedProcMount && (spec.HostUsers == nil || *spec.HostUsers) {
			errs = append(errs, field.Invalid(at.Child("procMount"), *p, "`hostUsers` must be false to use `Unmasked`"))
		}
		errs = append(errs, validateSeccompProfileField(s.SeccompProfile, at.Child("seccompProfile"))...)
		errs = append(errs, validateAppArmorProfileField(s.AppArmorProfile, at.Child("appArmorProfile"))...)
	}
	for i := range spec.Containers {
		of(spec.Containers[i].SecurityContext, path.Child("containers").Index(i))
	}
	for i := range spec.InitContainers {
		of(spec.InitContainers[i].SecurityContext, path.Child("initContainers").Index(i))
	}
	for i := range spec.EphemeralContainers {
		of(spec.EphemeralContainers[i].SecurityContext, path.Child("ephemeralContainers").Index(i))
	}
	return errs
}

// validateSeccompProfileField is upstream's.
func validateSeccompProfileField(p *corev1.SeccompProfile, path *field.Path) field.ErrorList {
	switch at := path.Child("localhostProfile"); {
	case p == nil || p.Type != corev1.SeccompProfileTypeLocalhost && p.LocalhostProfile == nil:
		return nil
	case p.Type != corev1.SeccompProfileTypeLocalhost:
		return field.ErrorList{field.Invalid(at, p, "can only be set when seccomp type is Localhost")}
	case p.LocalhostProfile == nil:
		return field.ErrorList{field.Required(at, "must be set when seccomp type is Localhost")}
	default:
		return validateLocalDescendingPath(*p.LocalhostProfile, at)
	}
}

// validateLocalDescendingPath is upstream's.
func validateLocalDescendingPath(p string, path *field.Path) (errs field.ErrorList) {
	if strings.HasPrefix(p, "/") {
		errs = append(errs, field.Invalid(path, p, "must be a relative path"))
	}
	return append(errs, validatePathNoBacksteps(p, path)...)
}

// validateAppArmorProfileField is upstream's.
func validateAppArmorProfileField(p *corev1.AppArmorProfile, path *field.Path) field.ErrorList {
	const longest = 4095 // PATH_MAX - 1
	const required = "must be set when AppArmor type is Localhost"
	switch at := path.Child("localhostProfile"); {
	case p == nil || p.Type != corev1.AppArmorProfileTypeLocalhost && p.LocalhostProfile == nil:
		return nil
	case p.Type != corev1.AppArmorProfileTypeLocalhost:
		return field.ErrorList{field.Invalid(at, *p.LocalhostProfile, "can only be set when AppArmor type is Localhost")}
	case p.LocalhostProfile == nil || *p.LocalhostProfile == "":
		return field.ErrorList{field.Required(at, required)}
	case strings.TrimSpace(*p.LocalhostProfile) != *p.LocalhostProfile:
		return field.ErrorList{field.Invalid(at, *p.LocalhostProfile, "must not be padded with whitespace")}
	case len(*p.LocalhostProfile) > longest:
		return field.ErrorList{field.TooLong(at, "", longest)}
	}
	return nil
}
