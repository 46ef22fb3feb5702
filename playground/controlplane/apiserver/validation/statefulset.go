package validation

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/objectmeta"
)

// ValidateStatefulSet checks a StatefulSet but for its metadata. The Pods' spec
// is not checked: its volumes come from elsewhere.
// Upstream: apps/validation/validation.go, ValidateStatefulSetSpec.
func ValidateStatefulSet(set *appsv1.StatefulSet) field.ErrorList {
	path, spec := specPath, &set.Spec
	var errs field.ErrorList
	switch at := path.Child("podManagementPolicy"); spec.PodManagementPolicy {
	case "":
		errs = append(errs, field.Required(at, ""))
	case appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement:
	default:
		errs = append(errs, field.Invalid(at, string(spec.PodManagementPolicy), "must be 'OrderedReady' or 'Parallel'"))
	}
	errs = append(errs, validateStatefulSetUpdateStrategy(&spec.UpdateStrategy, path.Child("updateStrategy"))...)
	if p := spec.PersistentVolumeClaimRetentionPolicy; p != nil {
		at := path.Child("persistentVolumeClaimRetentionPolicy")
		retain, remove := appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType
		errs = append(errs, oneOf(p.WhenDeleted, at.Child("whenDeleted"), retain, remove)...)
		errs = append(errs, oneOf(p.WhenScaled, at.Child("whenScaled"), retain, remove)...)
	}
	if spec.Replicas != nil {
		errs = append(errs, nonnegative32(*spec.Replicas, path.Child("replicas"))...)
	}
	errs = append(errs, nonnegative32(spec.MinReadySeconds, path.Child("minReadySeconds"))...)
	if spec.Ordinals != nil {
		errs = append(errs, nonnegative32(spec.Ordinals.Start, path.Child("ordinals", "start"))...)
	}
	if spec.Selector == nil {
		errs = append(errs, field.Required(path.Child("selector"), ""))
	} else {
		errs = append(errs, ValidateLabelSelector(spec.Selector, path.Child("selector"))...)
		if len(spec.Selector.MatchLabels)+len(spec.Selector.MatchExpressions) == 0 {
			errs = append(errs, field.Invalid(path.Child("selector"), spec.Selector, "empty selector is invalid for statefulset"))
		}
	}
	template := path.Child("template")
	selector, err := labels.LabelSelectorAsSelector(spec.Selector)
	if err != nil {
		errs = append(errs, field.Invalid(path.Child("selector"), spec.Selector, ""))
	} else {
		if !selector.Empty() && !selector.Matches(labels.Set(spec.Template.Labels)) {
			errs = append(errs, field.Invalid(template.Child("metadata", "labels"), spec.Template.Labels, "`selector` does not match template `labels`"))
		}
		errs = append(errs, objectmeta.ValidateLabels(spec.Template.Labels, template.Child("labels"))...)
		errs = append(errs, objectmeta.ValidateAnnotations(spec.Template.Annotations, template.Child("annotations"))...)
	}
	errs = append(errs, restartAlways(&spec.Template, template)...)
	if s := spec.Template.Spec.ActiveDeadlineSeconds; s != nil {
		errs = append(errs, field.Invalid(template.Child("spec", "activeDeadlineSeconds"), *s, "must not be specified"))
	}
	return errs
}

func validateStatefulSetUpdateStrategy(s *appsv1.StatefulSetUpdateStrategy, path *field.Path) field.ErrorList {
	switch s.Type {
	case "":
		return field.ErrorList{field.Required(path, "")}
	case appsv1.OnDeleteStatefulSetStrategyType:
		if s.RollingUpdate != nil {
			return field.ErrorList{field.Invalid(path.Child("rollingUpdate"), s.RollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")}
		}
	case appsv1.RollingUpdateStatefulSetStrategyType:
		r := s.RollingUpdate
		if r == nil {
			return nil
		}
		var errs field.ErrorList
		path = path.Child("rollingUpdate")
		if r.Partition != nil {
			errs = append(errs, nonnegative32(*r.Partition, path.Child("partition"))...)
		}
		if r.MaxUnavailable != nil {
			at := path.Child("maxUnavailable")
			errs = append(errs, validatePositiveIntOrPercent(r.MaxUnavailable, at)...)
			if getIntOrPercentValue(r.MaxUnavailable) == 0 {
				errs = append(errs, field.Invalid(at, *r.MaxUnavailable, "cannot be 0"))
			}
			errs = append(errs, isNotMoreThan100Percent(r.MaxUnavailable, at)...)
		}
		return errs
	default:
		return field.ErrorList{field.Invalid(path, *s, "must be 'RollingUpdate' or 'OnDelete'")}
	}
	return nil
}

// statefulSetSpecForbidden is said when anything else of a StatefulSet changes:
// what its Pods' identities and storage come from is for life.
const statefulSetSpecForbidden = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
	"'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

// ValidateStatefulSetUpdate checks a changed StatefulSet.
func ValidateStatefulSetUpdate(set, old *appsv1.StatefulSet) field.ErrorList {
	errs := ValidateStatefulSet(set)
	fixed := set.Spec // the new one, with what may change as it was
	fixed.Replicas, fixed.Ordinals, fixed.Template, fixed.UpdateStrategy = old.Spec.Replicas, old.Spec.Ordinals, old.Spec.Template, old.Spec.UpdateStrategy
	fixed.RevisionHistoryLimit, fixed.PersistentVolumeClaimRetentionPolicy, fixed.MinReadySeconds =
		old.Spec.RevisionHistoryLimit, old.Spec.PersistentVolumeClaimRetentionPolicy, old.Spec.MinReadySeconds
	if !api.SemanticDeepEqual(fixed, old.Spec) {
		errs = append(errs, field.Forbidden(specPath, statefulSetSpecForbidden))
	}
	return errs
}

// ValidateStatefulSetStatusUpdate checks the numbers. Upstream: ValidateStatefulSetStatus.
func ValidateStatefulSetStatusUpdate(set, old *appsv1.StatefulSet) field.ErrorList {
	path, s := statusPath, &set.Status
	errs := nonnegative32(s.Replicas, path.Child("replicas"))
	errs = append(errs, nonnegative32(s.ReadyReplicas, path.Child("readyReplicas"))...)
	errs = append(errs, nonnegative32(s.CurrentReplicas, path.Child("currentReplicas"))...)
	errs = append(errs, nonnegative32(s.UpdatedReplicas, path.Child("updatedReplicas"))...)
	errs = append(errs, nonnegative32(s.AvailableReplicas, path.Child("availableReplicas"))...)
	errs = append(errs, objectmeta.Nonnegative(s.ObservedGeneration, path.Child("observedGeneration"))...)
	atMost := func(name string, value, max int32, detail string) {
		if value > max {
			errs = append(errs, field.Invalid(path.Child(name), value, detail))
		}
	}
	atMost("readyReplicas", s.ReadyReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("currentReplicas", s.CurrentReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("updatedReplicas", s.UpdatedReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("availableReplicas", s.AvailableReplicas, s.Replicas, "cannot be greater than status.replicas")
	atMost("availableReplicas", s.AvailableReplicas, s.ReadyReplicas, "cannot be greater than status.readyReplicas")
	return append(errs, notDecremented(s.CollisionCount, old.Status.CollisionCount, path.Child("collisionCount"))...)
}

// ValidateControllerRevision checks a revision but for its metadata.
func ValidateControllerRevision(r *appsv1.ControllerRevision) field.ErrorList {
	var errs field.ErrorList
	if r.Data.Raw == nil {
		errs = append(errs, field.Required(field.NewPath("data"), "data is mandatory"))
	}
	return append(errs, objectmeta.Nonnegative(r.Revision, field.NewPath("revision"))...)
}

// ValidateControllerRevisionUpdate checks a changed revision; its data can't change.
func ValidateControllerRevisionUpdate(r, old *appsv1.ControllerRevision) field.ErrorList {
	errs := ValidateControllerRevision(r)
	return append(errs, objectmeta.Immutable(r.Data, old.Data, field.NewPath("data"))...)
}

// ValidateReplicationController checks a ReplicationController but for its metadata.
// Upstream: core/validation/validation.go, ValidateReplicationControllerSpec.
func ValidateReplicationController(rc *corev1.ReplicationController) field.ErrorList {
	path, spec := specPath, &rc.Spec
	errs := nonnegative32(spec.MinReadySeconds, path.Child("minReadySeconds"))
	if len(spec.Selector) == 0 {
		errs = append(errs, field.Required(path.Child("selector"), ""))
	}
	if spec.Replicas != nil {
		errs = append(errs, nonnegative32(*spec.Replicas, path.Child("replicas"))...)
	}
	template := path.Child("template")
	if spec.Template == nil {
		return append(errs, field.Required(template, ""))
	}
	if selector := labels.SelectorFromSet(spec.Selector); !selector.Empty() && !selector.Matches(labels.Set(spec.Template.Labels)) {
		errs = append(errs, field.Invalid(template.Child("metadata", "labels"), spec.Template.Labels, "`selector` does not match template `labels`"))
	}
	errs = append(errs, validatePodTemplateSpec(spec.Template, template)...)
	errs = append(errs, restartAlways(spec.Template, template)...)
	if spec.Template.Spec.ActiveDeadlineSeconds != nil {
		errs = append(errs, field.Forbidden(template.Child("spec", "activeDeadlineSeconds"), "activeDeadlineSeconds in ReplicationController is not Supported"))
	}
	return errs
}

// ValidatePodTemplate checks a PodTemplate but for its metadata.
func ValidatePodTemplate(t *corev1.PodTemplate) field.ErrorList {
	return validatePodTemplateSpec(&t.Template, field.NewPath("template"))
}
