package validation

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/types"
)

// ValidateJobUpdate checks what changed in a Job: hardly anything may.
// Upstream: batch/validation/validation.go, ValidateJobSpecUpdate.
func ValidateJobUpdate(j, old *batchv1.Job) field.ErrorList {
	path, spec, was := specPath, &j.Spec, &old.Spec
	errs := validateJobSpecAndSelector(spec, path)
	errs = append(errs, validateCompletionsUpdate(spec, was, path.Child("completions"))...)
	errs = append(errs, objectmeta.Immutable(spec.Selector, was.Selector, path.Child("selector"))...)
	errs = append(errs, objectmeta.Immutable(spec.Template, templateAsMayBe(j, old), path.Child("template"))...)
	errs = append(errs, objectmeta.Immutable(spec.CompletionMode, was.CompletionMode, path.Child("completionMode"))...)
	errs = append(errs, objectmeta.Immutable(spec.PodFailurePolicy, was.PodFailurePolicy, path.Child("podFailurePolicy"))...)
	errs = append(errs, objectmeta.Immutable(spec.BackoffLimitPerIndex, was.BackoffLimitPerIndex, path.Child("backoffLimitPerIndex"))...)
	errs = append(errs, objectmeta.Immutable(spec.ManagedBy, was.ManagedBy, path.Child("managedBy"))...)
	return append(errs, objectmeta.Immutable(spec.SuccessPolicy, was.SuccessPolicy, path.Child("successPolicy"))...)
}

// validateCompletionsUpdate lets an Indexed Job grow and shrink, with its parallelism.
func validateCompletionsUpdate(spec, old *batchv1.JobSpec, path *field.Path) field.ErrorList {
	if !isIndexed(spec) {
		return objectmeta.Immutable(spec.Completions, old.Completions, path)
	}
	switch {
	case api.SemanticDeepEqual(spec.Completions, old.Completions):
	case spec.Completions == nil:
		return field.ErrorList{field.Required(path, "when completion mode is Indexed")}
	case spec.Parallelism == nil || *spec.Completions != *spec.Parallelism:
		return field.ErrorList{field.Invalid(path, spec.Completions, "can only be modified in tandem with spec.parallelism")}
	}
	return nil
}

// templateAsMayBe is the old template with those parts taken from the new one that
// may change: of a suspended Job of which nothing runs, where its Pods may go and
// what resources they ask for. Upstream: validatePodTemplateUpdate.
func templateAsMayBe(j, old *batchv1.Job) corev1.PodTemplateSpec {
	was, is := old.Spec.Template, &j.Spec.Template
	if old.Spec.Suspend == nil || !*old.Spec.Suspend || old.Status.StartTime != nil &&
		(!jobCondition(&old.Status, batchv1.JobSuspended) || old.Status.Active > 0) {
		return was
	}
	was = *was.DeepCopy()
	if a, w := is.Spec.Affinity, was.Spec.Affinity; a == nil && w != nil && w.PodAffinity == nil && w.PodAntiAffinity == nil {
		was.Spec.Affinity = nil
	} else if a != nil && w == nil && a.NodeAffinity != nil {
		was.Spec.Affinity = &corev1.Affinity{NodeAffinity: a.NodeAffinity}
	} else if a != nil && w != nil {
		w.NodeAffinity = a.NodeAffinity
	}
	was.Spec.NodeSelector, was.Spec.Tolerations, was.Spec.SchedulingGates = is.Spec.NodeSelector, is.Spec.Tolerations, is.Spec.SchedulingGates
	was.Annotations, was.Labels = is.Annotations, is.Labels
	takeResources(was.Spec.Containers, is.Spec.Containers)
	takeResources(was.Spec.InitContainers, is.Spec.InitContainers)
	return was
}

func takeResources(to, from []corev1.Container) {
	for i := range min(len(to), len(from)) {
		if to[i].Name == from[i].Name {
			to[i].Resources = from[i].Resources
		}
	}
}

func jobCondition(s *batchv1.JobStatus, t batchv1.JobConditionType) bool {
	for i := range s.Conditions {
		if s.Conditions[i].Type == t {
			return s.Conditions[i].Status == corev1.ConditionTrue
		}
	}
	return false
}

// ValidateJobStatusUpdate checks a new status: numbers, and that a Job ends once
// and as a whole. Upstream: validateJobStatus and ValidateJobStatusUpdate; there,
// strategy.go lets broken rules pass that the old status broke already.
func ValidateJobStatusUpdate(j, old *batchv1.Job) field.ErrorList {
	path, s, was := statusPath, &j.Status, &old.Status
	var errs field.ErrorList
	invalid := func(wrong bool, name string, value any, detail string) {
		if wrong {
			errs = append(errs, field.Invalid(path.Child(name), value, detail))
		}
	}
	errs = append(errs, nonnegative32(s.Active, path.Child("active"))...)
	errs = append(errs, nonnegative32(s.Succeeded, path.Child("succeeded"))...)
	errs = append(errs, nonnegative32(s.Failed, path.Child("failed"))...)
	if s.Ready != nil {
		errs = append(errs, nonnegative32(*s.Ready, path.Child("ready"))...)
		invalid(*s.Ready > s.Active && !api.SemanticDeepEqual(s.Ready, was.Ready), "ready", *s.Ready, "cannot set more ready pods than active")
	}
	if s.Terminating != nil {
		errs = append(errs, nonnegative32(*s.Terminating, path.Child("terminating"))...)
	}
	if u := s.UncountedTerminatedPods; u != nil {
		seen := map[types.UID]bool{}
		at := path.Child("uncountedTerminatedPods")
		errs = append(errs, uniqueUIDs(u.Succeeded, at.Child("succeeded"), seen)...)
		errs = append(errs, uniqueUIDs(u.Failed, at.Child("failed"), seen)...)
	}
	complete, failed := jobCondition(s, batchv1.JobComplete), jobCondition(s, batchv1.JobFailed)
	conditions := func(wrong bool, detail string) { invalid(wrong, "conditions", field.OmitValueType{}, detail) }
	if complete || failed {
		invalid(s.Active > 0, "active", s.Active, "active>0 is invalid for finished job")
		if s.Terminating != nil {
			invalid(*s.Terminating > 0, "terminating", *s.Terminating, "terminating>0 is invalid for finished job")
		}
		if s.StartTime == nil {
			errs = append(errs, field.Required(path.Child("startTime"), "startTime is required for finished job"))
		}
		if u := s.UncountedTerminatedPods; u != nil {
			invalid(len(u.Succeeded)+len(u.Failed) > 0, "uncountedTerminatedPods", u, "uncountedTerminatedPods needs to be empty for finished job")
		}
	}
	conditions(complete && failed, "cannot set Complete=True and Failed=true conditions")
	conditions(complete && jobCondition(s, batchv1.JobFailureTarget), "cannot set Complete=True and FailureTarget=true conditions")
	conditions(failed && jobCondition(s, batchv1.JobSuccessCriteriaMet), "cannot set Failed=True and SuccessCriteriaMet=true conditions")
	conditions(failed && !jobCondition(s, batchv1.JobFailureTarget), "cannot set Failed=True condition without the FailureTarget=true condition")
	conditions(complete && !jobCondition(s, batchv1.JobSuccessCriteriaMet), "cannot set Complete=True condition without the SuccessCriteriaMet condition")
	for _, t := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet} {
		conditions(jobCondition(was, t) && !jobCondition(s, t), "cannot disable the terminal "+string(t)+"=True condition")
	}
	if s.CompletionTime != nil {
		invalid(!complete, "completionTime", s.CompletionTime, "cannot set completionTime when there is no Complete=True condition")
		invalid(s.StartTime != nil && s.CompletionTime.Time.Before(s.StartTime.Time), "completionTime", s.CompletionTime,
			"completionTime cannot be set before startTime")
	} else if complete {
		errs = append(errs, field.Required(path.Child("completionTime"), "completionTime is required for Complete jobs"))
	}
	invalid(s.Succeeded < was.Succeeded && !isIndexed(&j.Spec), "succeeded", s.Succeeded, "cannot decrease the succeeded counter")
	invalid(s.Failed < was.Failed, "failed", s.Failed, "cannot decrease the failed counter")
	return errs
}

func uniqueUIDs(uids []types.UID, path *field.Path, seen map[types.UID]bool) field.ErrorList {
	var errs field.ErrorList
	for i, uid := range uids {
		if uid == "" {
			errs = append(errs, field.Invalid(path.Index(i), string(uid), "must not be empty"))
		} else if seen[uid] {
			errs = append(errs, field.Duplicate(path.Index(i), string(uid)))
		}
		seen[uid] = true
	}
	return errs
}
