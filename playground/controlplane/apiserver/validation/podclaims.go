//go:build !js || cel

package validation

import (
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
)

func init() {
	rarePodClaims = func(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
		return slices.Concat(validatePodClaims(spec, path), validateImageVolumes(spec, path), validateProfiles(spec, path))
	}
	rarePodClaimStatuses = validatePodClaimStatuses
}

// validatePodClaims checks what a Pod claims of devices, and what its containers use of it.
// Upstream: core/validation/validation.go, validatePodResourceClaims, validateResourceClaimNames.
func validatePodClaims(spec *corev1.PodSpec, path *field.Path) (errs field.ErrorList) {
	names := map[string]bool{}
	for i := range spec.ResourceClaims {
		c, at := &spec.ResourceClaims[i], path.Child("resourceClaims").Index(i)
		switch {
		case c.Name == "":
			errs = append(errs, field.Required(at.Child("name"), ""))
		case names[c.Name]:
			errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
		default:
			errs = append(errs, dnsLabel(c.Name, at.Child("name"))...)
			names[c.Name] = true
		}
		switch {
		case c.ResourceClaimName != nil && c.ResourceClaimTemplateName != nil:
			errs = append(errs, field.Invalid(at, *c, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"))
		case c.ResourceClaimName == nil && c.ResourceClaimTemplateName == nil:
			errs = append(errs, field.Invalid(at, *c, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
		}
		if n := c.ResourceClaimName; n != nil {
			errs = append(errs, invalidFor(at.Child("resourceClaimName"), *n, objectmeta.NameIsDNSSubdomain(*n, false))...)
		}
		if n := c.ResourceClaimTemplateName; n != nil {
			errs = append(errs, invalidFor(at.Child("resourceClaimTemplateName"), *n, objectmeta.NameIsDNSSubdomain(*n, false))...)
		}
	}
	check := func(list []corev1.Container, path *field.Path) {
		for i := range list {
			errs = append(errs, validateClaimNames(list[i].Resources.Claims, names, path.Index(i).Child("resources", "claims"))...)
		}
	}
	check(spec.Containers, path.Child("containers"))
	check(spec.InitContainers, path.Child("initContainers"))
	return errs
}

// validateClaimNames is upstream's validateResourceClaimNames.
func validateClaimNames(claims []corev1.ResourceClaim, known map[string]bool, path *field.Path) (errs field.ErrorList) {
	used := map[string]bool{}
	for i, c := range claims {
		at := path.Index(i)
		if c.Name == "" {
			errs = append(errs, field.Required(at, ""))
			continue
		}
		if used[c.Name] {
			errs = append(errs, field.Duplicate(at, c.Name))
		} else {
			key := c.Name
			if c.Request != "" {
				errs = append(errs, dnsLabel(c.Request, at.Child("request"))...)
				key += "/" + c.Request
			}
			if used[key] {
				errs = append(errs, field.Duplicate(at, key))
			} else if c.Request == "" {
				for other := range used { // order: they are all the same error
					if strings.HasPrefix(other, c.Name+"/") {
						errs = append(errs, field.Duplicate(at, c.Name))
					}
				}
			}
			used[key] = true
		}
		if !known[c.Name] {
			err := field.NotFound(at, c.Name)
			err.Detail = "must be one of the names in pod.spec.resourceClaims"
			if len(known) == 0 {
				err.Detail += " which is empty"
			} else {
				err.Detail += ": " + strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			}
			errs = append(errs, err)
		}
	}
	return errs
}

// validatePodClaimStatuses checks what a Pod's status says of its claims. Upstream: validatePodResourceClaimStatuses.
func validatePodClaimStatuses(pod *corev1.Pod, status *field.Path) (errs field.ErrorList) {
	seen, path := map[string]bool{}, status.Child("resourceClaimStatuses")
	for i, s := range pod.Status.ResourceClaimStatuses {
		at := path.Index(i)
		if !slices.ContainsFunc(pod.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return c.Name == s.Name }) {
			errs = append(errs, field.Invalid(at.Child("name"), s.Name, "must match the name of an entry in `spec.resourceClaims`"))
		}
		if seen[s.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), s.Name))
		}
		seen[s.Name] = true
		if n := s.ResourceClaimName; n != nil {
			errs = append(errs, invalidFor(at.Child("resourceClaimName"), *n, objectmeta.NameIsDNSSubdomain(*n, false))...)
		}
	}
	return append(errs, validateExtendedClaimStatus(pod, status.Child("extendedResourceClaimStatus"))...)
}

// validateExtendedClaimStatus is upstream's validatePodExtendedResourceClaimStatus.
func validateExtendedClaimStatus(pod *corev1.Pod, path *field.Path) (errs field.ErrorList) {
	status := pod.Status.ExtendedResourceClaimStatus
	if status == nil {
		return nil
	}
	requests := map[string]corev1.ResourceList{}
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			requests[list[i].Name] = list[i].Resources.Requests
		}
	}
	mappings := path.Child("requestMappings")
	if len(status.RequestMappings) == 0 {
		errs = append(errs, field.Required(mappings, "at least one request mapping is required"))
	}
	for i, m := range status.RequestMappings {
		at := mappings.Index(i)
		if list, ok := requests[m.ContainerName]; !ok {
			errs = append(errs, field.Invalid(at.Child("containerName"), m.ContainerName,
				"must match the name of an entry in spec.initContainers.name or spec.containers.name"))
		} else if _, ok := list[corev1.ResourceName(m.ResourceName)]; !ok {
			errs = append(errs, field.Invalid(at.Child("resourceName"), m.ResourceName, "must match the extended resource name of an entry in "+
				"spec.initContainers.resources.requests or spec.containers.resources.requests"))
		}
		errs = append(errs, dnsLabel(m.RequestName, path.Child("requestName"))...)
		if slices.Contains(status.RequestMappings[:i], m) {
			errs = append(errs, field.Duplicate(at.Child("containerName"), m.ContainerName), field.Duplicate(at.Child("resourceName"), m.ResourceName),
				field.Duplicate(at.Child("requestName"), m.RequestName))
		}
	}
	if name := status.ResourceClaimName; name == "" {
		errs = append(errs, field.Required(path.Child("resourceClaimName"), ""))
	} else {
		errs = append(errs, invalidFor(path.Child("resourceClaimName"), name, objectmeta.NameIsDNSSubdomain(name, false))...)
	}
	return errs
}
