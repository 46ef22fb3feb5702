package validation

import (
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/validate"
)

// mirrorAnnotation marks the image in the API of a Pod that a kubelet read from a file.
const mirrorAnnotation = "kubernetes.io/config.mirror"

// ValidatePodEphemeralContainersUpdate is upstream's core/validation/validation.go, the function of that name: they are
// only ever added.
func ValidatePodEphemeralContainersUpdate(pod, old *corev1.Pod) field.ErrorList {
	path := field.NewPath("spec", "ephemeralContainers")
	if _, static := pod.Annotations[mirrorAnnotation]; static {
		return field.ErrorList{field.Forbidden(field.NewPath(""), "static pods do not support ephemeral containers")}
	}
	errs := validateEphemeralContainers(&pod.Spec, path)
	for i := range old.Spec.EphemeralContainers {
		was := &old.Spec.EphemeralContainers[i]
		at := slices.IndexFunc(pod.Spec.EphemeralContainers, func(c corev1.EphemeralContainer) bool { return c.Name == was.Name })
		switch {
		case at < 0:
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("existing ephemeral containers %q may not be removed\n", was.Name)))
		case !api.SemanticDeepEqual(pod.Spec.EphemeralContainers[at], *was):
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("existing ephemeral containers %q may not be changed\n", was.Name)))
		}
	}
	return errs
}

// validateEphemeralContainers is upstream's function of that name: what a container that comes later cannot have.
func validateEphemeralContainers(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names, others := map[string]bool{}, map[string]bool{}
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			names[list[i].Name], others[list[i].Name] = true, true
		}
	}
	for i := range spec.EphemeralContainers {
		c, at := &spec.EphemeralContainers[i], path.Index(i)
		switch {
		case c.Name == "":
			errs = append(errs, field.Required(at.Child("name"), ""))
		case names[c.Name]:
			errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
		default:
			errs = append(errs, invalidFor(at.Child("name"), c.Name, validate.IsDNS1123Label(c.Name))...)
		}
		names[c.Name] = true
		if c.Image == "" {
			errs = append(errs, field.Required(at.Child("image"), ""))
		}
		if c.TargetContainerName != "" && !others[c.TargetContainerName] {
			errs = append(errs, field.NotFound(at.Child("targetContainerName"), c.TargetContainerName))
		}
		forbidden := []struct {
			set  bool
			name string
		}{
			{c.Lifecycle != nil, "lifecycle"}, {c.LivenessProbe != nil, "livenessProbe"}, {c.Ports != nil, "ports"},
			{c.ReadinessProbe != nil, "readinessProbe"}, {c.Resources.Requests != nil || c.Resources.Limits != nil, "resources"},
			{c.StartupProbe != nil, "startupProbe"},
		}
		for _, f := range forbidden {
			if f.set {
				errs = append(errs, field.Forbidden(at.Child(f.name), "cannot be set for an Ephemeral Container"))
			}
		}
		for j := range c.VolumeMounts {
			if c.VolumeMounts[j].SubPath != "" {
				errs = append(errs, field.Forbidden(at.Child("volumeMounts").Index(j).Child("subPath"), "cannot be set for an Ephemeral Container"))
			}
		}
		if c.RestartPolicy != nil {
			errs = append(errs, field.NotSupported(at.Child("restartPolicy"), string(*c.RestartPolicy), []string{}))
		}
	}
	return errs
}

// ValidatePodResize is upstream's core/validation/validation.go, the function of that name, but for the rule on the class
// of service.
func ValidatePodResize(pod, old *corev1.Pod) field.ErrorList {
	path := specPath
	if _, static := old.Annotations[mirrorAnnotation]; static {
		return field.ErrorList{field.Forbidden(field.NewPath(""), "static pods cannot be resized")}
	}
	errs := ValidatePodSpec(&pod.Spec, path)
	errs = append(errs, resizedContainers(pod.Spec.Containers, old.Spec.Containers, path.Child("containers"))...)
	return append(errs, resizedContainers(pod.Spec.InitContainers, old.Spec.InitContainers, path.Child("initContainers"))...)
}

func resizedContainers(containers, old []corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range containers {
		is, was, at := &containers[i].Resources, &old[i].Resources, path.Index(i).Child("resources")
		errs = append(errs, resizedList(is.Limits, was.Limits, at.Child("limits"), "limits")...)
		errs = append(errs, resizedList(is.Requests, was.Requests, at.Child("requests"), "requests")...)
	}
	return errs
}

// resizedList lets only amounts of CPU and memory change, none of which may go. Upstream: validateContainerResize.
func resizedList(is, was corev1.ResourceList, path *field.Path, what string) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedNames(is, was) {
		amount, has := is[name]
		before, had := was[name]
		switch {
		case has && had && amount.Cmp(before) == 0:
		case name != corev1.ResourceCPU && name != corev1.ResourceMemory:
			errs = append(errs, field.Forbidden(path, "only cpu and memory resources are mutable"))
		case !has:
			errs = append(errs, field.Forbidden(path.Key(string(name)), "resource "+what+" cannot be removed"))
		}
	}
	return errs
}

func sortedNames(lists ...corev1.ResourceList) []corev1.ResourceName {
	var out []corev1.ResourceName
	for _, list := range lists {
		for name := range list { // order: sorted below
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}
