package validation

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
)

// ValidatePod checks a new Pod but for its metadata.
// Upstream: core/validation/validation.go, ValidatePodCreate.
func ValidatePod(pod *corev1.Pod) field.ErrorList {
	return ValidatePodSpec(&pod.Spec, specPath)
}

// ValidatePodSpec checks the spec of a Pod or of a template. Upstream: ValidatePodSpec.
func ValidatePodSpec(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	errs, volumes := validateVolumes(spec.Volumes, path.Child("volumes"))
	names := map[string]bool{}
	if len(spec.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	errs = append(errs, validateContainers(spec.Containers, volumes, names, path.Child("containers"))...)
	for i := range spec.Containers {
		errs = append(errs, validateLifecycle(spec.Containers[i].Lifecycle, spec.TerminationGracePeriodSeconds,
			path.Child("containers").Index(i).Child("lifecycle"))...)
	}
	errs = append(errs, hostPortConflicts(spec.Containers, path.Child("containers"))...)
	errs = append(errs, validateContainers(spec.InitContainers, volumes, names, path.Child("initContainers"))...)
	errs = append(errs, validateInitContainers(spec.InitContainers, spec.TerminationGracePeriodSeconds, path.Child("initContainers"))...)
	if len(spec.EphemeralContainers) > 0 {
		errs = append(errs, validateEphemeralContainers(spec, path.Child("ephemeralContainers"))...)
	}
	errs = append(errs, oneOf(spec.RestartPolicy, path.Child("restartPolicy"),
		corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, oneOf(spec.DNSPolicy, path.Child("dnsPolicy"),
		corev1.DNSClusterFirstWithHostNet, corev1.DNSClusterFirst, corev1.DNSDefault, corev1.DNSNone)...)
	errs = append(errs, objectmeta.ValidateLabels(spec.NodeSelector, path.Child("nodeSelector"))...)
	errs = append(errs, validatePodRest(spec, path)...)
	errs = append(errs, validateSchedulingGates(spec.SchedulingGates, path.Child("schedulingGates"))...)
	errs = append(errs, validatePodHostName(spec, path.Child("hostnameOverride"))...)
	if spec.ServiceAccountName != "" {
		errs = append(errs, invalidFor(path.Child("serviceAccountName"), spec.ServiceAccountName, validate.IsDNS1123Subdomain(spec.ServiceAccountName))...)
	}
	if spec.NodeName != "" {
		errs = append(errs, invalidFor(path.Child("nodeName"), spec.NodeName, validate.IsDNS1123Subdomain(spec.NodeName))...)
	}
	if s := spec.ActiveDeadlineSeconds; s != nil {
		errs = append(errs, positiveInt32(*s, path.Child("activeDeadlineSeconds"))...)
	}
	if spec.Hostname != "" {
		errs = append(errs, dnsLabel(spec.Hostname, path.Child("hostname"))...)
	}
	if spec.Subdomain != "" {
		errs = append(errs, dnsLabel(spec.Subdomain, path.Child("subdomain"))...)
	}
	errs = append(errs, ValidateTolerations(spec.Tolerations, path.Child("tolerations"))...)
	if rarePodClaims != nil {
		errs = append(errs, rarePodClaims(spec, path)...)
	}
	return append(errs, validatePodEnd(spec, path)...)
}

// rarePodClaims and rarePodClaimStatuses check what Pods claim of devices, and the former also volumes that show an image, and profiles that are
// files of the node's, in builds that have these.
var (
	rarePodClaims        func(spec *corev1.PodSpec, path *field.Path) field.ErrorList
	rarePodClaimStatuses func(pod *corev1.Pod, path *field.Path) field.ErrorList
)

func validateVolumes(volumes []corev1.Volume, path *field.Path) (field.ErrorList, map[string]bool) {
	var errs field.ErrorList
	names := map[string]bool{}
	for i := range volumes {
		v, at := &volumes[i], path.Index(i).Child("name")
		switch {
		case v.Name == "":
			errs = append(errs, field.Required(at, ""))
		case names[v.Name]:
			errs = append(errs, field.Duplicate(at, v.Name))
		default:
			errs = append(errs, dnsLabel(v.Name, at)...)
		}
		names[v.Name] = true
		errs = append(errs, validateVolumeSources(&v.VolumeSource, path.Index(i))...)
	}
	return errs, names
}

func validateSchedulingGates(gates []corev1.PodSchedulingGate, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, g := range gates {
		errs = append(errs, invalidFor(path.Index(i), g.Name, validate.IsLabelKey(g.Name))...)
		if seen[g.Name] {
			errs = append(errs, field.Duplicate(path.Index(i), g.Name))
		}
		seen[g.Name] = true
	}
	return errs
}

// ValidateTolerations is upstream's core/validation/validation.go, ValidateTolerations.
func ValidateTolerations(tolerations []corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range tolerations {
		t, at := &tolerations[i], path.Index(i)
		if t.Key != "" {
			errs = append(errs, invalidFor(at.Child("key"), t.Key, validate.IsLabelKey(t.Key))...)
		}
		if t.Key == "" && t.Operator != corev1.TolerationOpExists {
			errs = append(errs, field.Invalid(at.Child("operator"), string(t.Operator),
				"operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			errs = append(errs, field.Invalid(at.Child("effect"), string(t.Effect), "effect must be 'NoExecute' when `tolerationSeconds` is set"))
		}
		switch t.Operator {
		case corev1.TolerationOpEqual, "":
			if msgs := validate.IsLabelValue(t.Value); len(msgs) > 0 {
				errs = append(errs, field.Invalid(at.Child("operator"), t.Value, strings.Join(msgs, ";")))
			}
		case corev1.TolerationOpExists:
			if t.Value != "" {
				errs = append(errs, field.Invalid(at.Child("operator"), t.Value, "value must be empty when `operator` is 'Exists'"))
			}
		default:
			errs = append(errs, field.NotSupported(at.Child("operator"), string(t.Operator),
				[]corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
		}
		if t.Effect != "" {
			errs = append(errs, oneOf(t.Effect, at.Child("effect"), corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule,
				corev1.TaintEffectNoExecute)...)
		}
	}
	return errs
}

// updatablePodSpecFields are what may change in a Pod, as the message lists them.
const updatablePodSpecFields = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// ValidatePodUpdate checks what changed in a Pod. Upstream: ValidatePodUpdate, whose message also prints the difference.
func ValidatePodUpdate(pod, old *corev1.Pod) field.ErrorList {
	path := specPath
	errs := ValidatePodSpec(&pod.Spec, path)
	if len(pod.Spec.Containers) != len(old.Spec.Containers) {
		return append(errs, field.Forbidden(path.Child("containers"), "pod updates may not add or remove containers"))
	}
	if len(pod.Spec.InitContainers) != len(old.Spec.InitContainers) {
		return append(errs, field.Forbidden(path.Child("initContainers"), "pod updates may not add or remove containers"))
	}
	errs = append(errs, validateDeadlineUpdate(pod.Spec.ActiveDeadlineSeconds, old.Spec.ActiveDeadlineSeconds, path.Child("activeDeadlineSeconds"))...)
	errs = append(errs, validateOnlyAddedTolerations(pod.Spec.Tolerations, old.Spec.Tolerations, path.Child("tolerations"))...)
	errs = append(errs, validateOnlyDeletedSchedulingGates(pod.Spec.SchedulingGates, old.Spec.SchedulingGates, path.Child("schedulingGates"))...)
	if len(errs) > 0 {
		return errs
	}
	// What may change is put back; then nothing may differ.
	munged := pod.DeepCopyObject().(*corev1.Pod).Spec
	for i := range munged.Containers {
		munged.Containers[i].Image = old.Spec.Containers[i].Image
	}
	for i := range munged.InitContainers {
		munged.InitContainers[i].Image = old.Spec.InitContainers[i].Image
	}
	munged.ActiveDeadlineSeconds = old.Spec.ActiveDeadlineSeconds
	munged.Tolerations = old.Spec.Tolerations
	munged.SchedulingGates = old.Spec.SchedulingGates
	if len(old.Spec.SchedulingGates) > 0 {
		munged.NodeSelector, munged.Affinity = old.Spec.NodeSelector, old.Spec.Affinity // a gated Pod may be narrowed down
	}
	if g, was := munged.TerminationGracePeriodSeconds, old.Spec.TerminationGracePeriodSeconds; g != nil && was != nil && *was < 0 && *g == 1 {
		munged.TerminationGracePeriodSeconds = was
	}
	if !api.SemanticDeepEqual(munged, old.Spec) {
		errs = append(errs, field.Forbidden(path, "pod updates may not change fields other than "+updatablePodSpecFields))
	}
	return errs
}

func validateDeadlineUpdate(deadline, old *int64, path *field.Path) field.ErrorList {
	switch {
	case old == nil:
		return nil
	case deadline == nil:
		return field.ErrorList{field.Invalid(path, deadline, "must not update from a positive integer to nil value")}
	case *deadline > *old:
		return field.ErrorList{field.Invalid(path, *deadline, "must be less than or equal to previous value")}
	}
	return nil
}

// validateOnlyAddedTolerations lets tolerationSeconds change too. Upstream: the function of that name.
func validateOnlyAddedTolerations(tolerations, old []corev1.Toleration, path *field.Path) field.ErrorList {
	for _, o := range old {
		kept := slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool {
			t.TolerationSeconds = o.TolerationSeconds
			return t == o
		})
		if !kept {
			return field.ErrorList{field.Forbidden(path, "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return nil
}

func validateOnlyDeletedSchedulingGates(gates, old []corev1.PodSchedulingGate, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, g := range gates {
		if !slices.Contains(old, g) {
			errs = append(errs, field.Forbidden(path.Index(i).Child("name"),
				fmt.Sprintf("only deletion is allowed, but found new scheduling gate '%s'", g.Name)))
		}
	}
	return errs
}

// ValidatePodStatusUpdate checks a new status. Upstream: ValidatePodStatusUpdate, ValidateContainerStateTransition.
func ValidatePodStatusUpdate(pod, old *corev1.Pod) field.ErrorList {
	path := statusPath
	var errs field.ErrorList
	if name := pod.Status.NominatedNodeName; name != "" {
		errs = append(errs, invalidFor(path.Child("nominatedNodeName"), name, validate.IsDNS1123Subdomain(name))...)
	}
	if rarePodClaimStatuses != nil {
		errs = append(errs, rarePodClaimStatuses(pod, path)...)
	}
	// A container that will not be started again stays terminated.
	if old.Spec.RestartPolicy == corev1.RestartPolicyAlways || allContainersCouldRestart(&old.Spec) {
		return errs
	}
	for i, was := range old.Status.ContainerStatuses {
		t := was.State.Terminated
		if t == nil || containerShouldRestart(&old.Spec, was.Name, t.ExitCode) {
			continue
		}
		for _, is := range pod.Status.ContainerStatuses {
			if is.Name == was.Name && is.State.Terminated == nil {
				errs = append(errs, field.Forbidden(path.Child("containerStatuses").Index(i).Child("state"), "may not be transitioned to non-terminated state"))
			}
		}
	}
	return errs
}

// ValidatePodBinding is upstream's core/validation/validation.go, ValidatePodBinding.
func ValidatePodBinding(b *corev1.Binding) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("target")
	if b.Target.Kind != "" && b.Target.Kind != "Node" {
		errs = append(errs, field.NotSupported(path.Child("kind"), b.Target.Kind, []string{"Node", "<empty>"}))
	}
	if b.Target.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	return errs
}

// validatePodHostName is upstream's.
func validatePodHostName(spec *corev1.PodSpec, path *field.Path) (errs field.ErrorList) {
	name := spec.HostnameOverride
	if name == nil {
		return nil
	}
	if spec.SetHostnameAsFQDN != nil && *spec.SetHostnameAsFQDN {
		errs = append(errs, field.Forbidden(path, "may not be specified when setHostnameAsFQDN is true"))
	}
	if spec.HostNetwork {
		errs = append(errs, field.Forbidden(path, "may not be specified when hostNetwork is true"))
	}
	if len(*name) > 64 {
		errs = append(errs, field.TooLong(path, "", 64))
	}
	return append(errs, invalidFor(path, *name, validate.IsDNS1123Subdomain(*name))...)
}
