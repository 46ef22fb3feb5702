package validation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/cron"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
)

// Bounds of Jobs. Upstream: pkg/apis/batch/validation/validation.go.
const (
	maxParallelismForIndexedJob    = 100000
	maxFailedIndexesForIndexedJob  = 100000
	maxPodFailurePolicyRules       = 20
	maxPodFailurePolicyValues      = 255
	maxPodFailurePolicyPatterns    = 20
	maxJobSuccessPolicyRules       = 20
	maxSuccessPolicyIndexes        = 64 * 1024
	maxManagedByLength             = 63
	legacyJobNameLabel             = "job-name"
	legacyControllerUIDLabel       = "controller-uid"
	requiresIndexed                = "requires indexed completion mode"
	cronJobNameMaxLength           = 52 // a Job's name adds a dash and the scheduled minute
	isPositive                     = "must be greater than 0"
	whenIndexed                    = "when completion mode is Indexed"
	cannotConvertIndex             = "cannot convert string to integer for index: %q"
	nonIncreasingIndex             = "non-increasing order, previous: %d, current: %d"
	explicitTimeZone               = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
	timeZoneInSchedule             = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
	timeZoneInBoth                 = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
	selectorDoesNotMatchTemplate   = "`selector` does not match template `labels`"
	onlyNeverWithFailurePolicyText = "only \"Never\" is supported when podFailurePolicy is specified"
)

// ValidateJob checks a Job but for its metadata. Upstream: batch/validation/validation.go, ValidateJob.
func ValidateJob(j *batchv1.Job) field.ErrorList {
	errs := validateGeneratedSelector(j)
	errs = append(errs, validateJobSpecAndSelector(&j.Spec, specPath)...)
	if isIndexed(&j.Spec) && j.Spec.Completions != nil && *j.Spec.Completions > 0 {
		last := fmt.Sprintf("%s-%d", j.Name, *j.Spec.Completions-1)
		if len(validate.IsDNS1123Label(last)) > 0 {
			errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), j.Name, "will not able to create pod with invalid DNS label: "+last))
		}
	}
	return errs
}

// validateGeneratedSelector checks the labels that the server adds by itself.
func validateGeneratedSelector(j *batchv1.Job) field.ErrorList {
	if j.Spec.ManualSelector != nil && *j.Spec.ManualSelector || j.Spec.Selector == nil {
		return nil
	}
	var errs field.ErrorList
	path := field.NewPath("spec", "template", "metadata", "labels")
	for _, want := range [][2]string{
		{legacyControllerUIDLabel, string(j.UID)}, {legacyJobNameLabel, j.Name},
		{batchv1.ControllerUidLabel, string(j.UID)}, {batchv1.JobNameLabel, j.Name},
	} {
		value, ok := j.Spec.Template.Labels[want[0]]
		switch {
		case !ok:
			errs = append(errs, field.Required(path, fmt.Sprintf("must be '%s'", want[1])))
		case value != want[1]:
			errs = append(errs, field.Invalid(path, j.Spec.Template.Labels, fmt.Sprintf("must be '%s'", want[1])))
		}
	}
	selector, err := labels.LabelSelectorAsSelector(j.Spec.Selector)
	if err == nil && !selector.Matches(labels.Set(map[string]string{batchv1.ControllerUidLabel: string(j.UID), batchv1.JobNameLabel: j.Name,
		legacyControllerUIDLabel: string(j.UID), legacyJobNameLabel: j.Name})) {
		errs = append(errs, field.Invalid(field.NewPath("spec", "selector"), j.Spec.Selector, "`selector` not auto-generated"))
	}
	return errs
}

func validateJobSpecAndSelector(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	errs := validateJobSpec(spec, path)
	if spec.Selector == nil {
		return append(errs, field.Required(path.Child("selector"), ""))
	}
	errs = append(errs, ValidateLabelSelector(spec.Selector, path.Child("selector"))...)
	if selector, err := labels.LabelSelectorAsSelector(spec.Selector); err == nil && !selector.Matches(labels.Set(spec.Template.Labels)) {
		errs = append(errs, field.Invalid(path.Child("template", "metadata", "labels"), spec.Template.Labels, selectorDoesNotMatchTemplate))
	}
	return errs
}

func isIndexed(spec *batchv1.JobSpec) bool {
	return spec.CompletionMode != nil && *spec.CompletionMode == batchv1.IndexedCompletion
}

// validateJobSpec checks all but the selector. Upstream: validateJobSpec.
func validateJobSpec(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	count := func(n *int32, name string) {
		if n != nil {
			errs = append(errs, nonnegative32(*n, path.Child(name))...)
		}
	}
	count(spec.Parallelism, "parallelism")
	count(spec.Completions, "completions")
	if n := spec.ActiveDeadlineSeconds; n != nil {
		errs = append(errs, objectmeta.Nonnegative(*n, path.Child("activeDeadlineSeconds"))...)
	}
	count(spec.BackoffLimit, "backoffLimit")
	count(spec.TTLSecondsAfterFinished, "ttlSecondsAfterFinished")
	count(spec.BackoffLimitPerIndex, "backoffLimitPerIndex")
	count(spec.MaxFailedIndexes, "maxFailedIndexes")
	if spec.MaxFailedIndexes != nil && spec.BackoffLimitPerIndex == nil {
		errs = append(errs, field.Required(path.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
	}
	if by := spec.ManagedBy; by != nil {
		errs = append(errs, domainPrefixedPath(path.Child("managedBy"), *by)...)
		if len(*by) > maxManagedByLength {
			errs = append(errs, field.TooLong(path.Child("managedBy"), *by, maxManagedByLength))
		}
	}
	errs = append(errs, validateCompletionMode(spec, path)...)
	if spec.PodFailurePolicy != nil {
		errs = append(errs, validatePodFailurePolicy(spec, path.Child("podFailurePolicy", "rules"))...)
	}
	if spec.SuccessPolicy != nil {
		if !isIndexed(spec) {
			errs = append(errs, field.Invalid(path.Child("successPolicy"), *spec.SuccessPolicy, requiresIndexed))
		} else if spec.Completions != nil {
			errs = append(errs, validateSuccessPolicy(spec, path.Child("successPolicy", "rules"))...)
		}
	}
	if policy := spec.PodReplacementPolicy; policy != nil {
		supported := []batchv1.PodReplacementPolicy{batchv1.Failed, batchv1.TerminatingOrFailed}
		if spec.PodFailurePolicy != nil {
			supported = supported[:1]
		}
		if !slices.Contains(supported, *policy) {
			errs = append(errs, field.NotSupported(path.Child("podReplacementPolicy"), *policy, supported))
		}
	}
	return append(errs, validateJobPodTemplate(spec, path.Child("template"))...)
}

func validateCompletionMode(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if mode := spec.CompletionMode; mode != nil && *mode != batchv1.NonIndexedCompletion && *mode != batchv1.IndexedCompletion {
		errs = append(errs, field.NotSupported(path.Child("completionMode"), *mode,
			[]batchv1.CompletionMode{batchv1.NonIndexedCompletion, batchv1.IndexedCompletion}))
	}
	if !isIndexed(spec) {
		if n := spec.BackoffLimitPerIndex; n != nil {
			errs = append(errs, field.Invalid(path.Child("backoffLimitPerIndex"), *n, requiresIndexed))
		}
		if n := spec.MaxFailedIndexes; n != nil {
			errs = append(errs, field.Invalid(path.Child("maxFailedIndexes"), *n, requiresIndexed))
		}
		return errs
	}
	if spec.Completions == nil {
		return append(errs, field.Required(path.Child("completions"), whenIndexed))
	}
	if n := spec.Parallelism; n != nil && *n > maxParallelismForIndexedJob {
		errs = append(errs, field.Invalid(path.Child("parallelism"), *n,
			fmt.Sprintf("must be less than or equal to %d %s", maxParallelismForIndexedJob, whenIndexed)))
	}
	if n := spec.MaxFailedIndexes; n != nil {
		if *n > *spec.Completions {
			errs = append(errs, field.Invalid(path.Child("maxFailedIndexes"), *n, "must be less than or equal to completions"))
		}
		if *n > maxFailedIndexesForIndexedJob {
			errs = append(errs, field.Invalid(path.Child("maxFailedIndexes"), *n,
				fmt.Sprintf("must be less than or equal to %d", maxFailedIndexesForIndexedJob)))
		}
	}
	if spec.BackoffLimitPerIndex != nil && *spec.Completions > maxFailedIndexesForIndexedJob && spec.MaxFailedIndexes == nil {
		errs = append(errs, field.Required(path.Child("maxFailedIndexes"),
			fmt.Sprintf("must be specified when completions is above %d", maxFailedIndexesForIndexedJob)))
	}
	return errs
}

func validateJobPodTemplate(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	t := &spec.Template
	errs := objectmeta.ValidateLabels(t.Labels, path.Child("labels"))
	errs = append(errs, objectmeta.ValidateAnnotations(t.Annotations, path.Child("annotations"))...)
	errs = append(errs, ValidatePodSpec(&t.Spec, path.Child("spec"))...)
	at := path.Child("spec", "restartPolicy")
	switch policy := t.Spec.RestartPolicy; {
	case policy == corev1.RestartPolicyAlways || policy == "":
		// Nobody who leaves it out means Always, which is the default.
		errs = append(errs, field.Required(at, fmt.Sprintf("valid values: %q, %q", corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)))
	case policy != corev1.RestartPolicyOnFailure && policy != corev1.RestartPolicyNever:
		errs = append(errs, field.NotSupported(at, policy, []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}))
	case policy != corev1.RestartPolicyNever && spec.PodFailurePolicy != nil:
		errs = append(errs, field.Invalid(at, policy, onlyNeverWithFailurePolicyText))
	}
	return errs
}

func validatePodFailurePolicy(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	rules := spec.PodFailurePolicy.Rules
	if len(rules) > maxPodFailurePolicyRules {
		errs = append(errs, field.TooMany(path, len(rules), maxPodFailurePolicyRules))
	}
	names := map[string]bool{}
	for i := range spec.Template.Spec.InitContainers {
		names[spec.Template.Spec.InitContainers[i].Name] = true
	}
	for i := range spec.Template.Spec.Containers {
		names[spec.Template.Spec.Containers[i].Name] = true
	}
	actions := []batchv1.PodFailurePolicyAction{batchv1.PodFailurePolicyActionCount, batchv1.PodFailurePolicyActionFailIndex,
		batchv1.PodFailurePolicyActionFailJob, batchv1.PodFailurePolicyActionIgnore}
	for i := range rules {
		rule, at := &rules[i], path.Index(i)
		switch {
		case rule.Action == "":
			errs = append(errs, field.Required(at.Child("action"), fmt.Sprintf("valid values: %q", actions)))
		case rule.Action == batchv1.PodFailurePolicyActionFailIndex && spec.BackoffLimitPerIndex == nil:
			errs = append(errs, field.Invalid(at.Child("action"), string(rule.Action), "requires the backoffLimitPerIndex to be set"))
		case !slices.Contains(actions, rule.Action):
			errs = append(errs, field.NotSupported(at.Child("action"), rule.Action, actions))
		}
		if rule.OnExitCodes != nil {
			errs = append(errs, validateOnExitCodes(rule.OnExitCodes, at.Child("onExitCodes"), names)...)
		}
		if len(rule.OnPodConditions) > 0 {
			errs = append(errs, validateOnPodConditions(rule.OnPodConditions, at.Child("onPodConditions"))...)
		}
		if rule.OnExitCodes != nil && len(rule.OnPodConditions) > 0 {
			errs = append(errs, field.Invalid(at, field.OmitValueType{}, "specifying both OnExitCodes and OnPodConditions is not supported"))
		}
		if rule.OnExitCodes == nil && len(rule.OnPodConditions) == 0 {
			errs = append(errs, field.Invalid(at, field.OmitValueType{}, "specifying one of OnExitCodes and OnPodConditions is required"))
		}
	}
	return errs
}

func validateOnPodConditions(patterns []batchv1.PodFailurePolicyOnPodConditionsPattern, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(patterns) > maxPodFailurePolicyPatterns {
		errs = append(errs, field.TooMany(path, len(patterns), maxPodFailurePolicyPatterns))
	}
	statuses := []corev1.ConditionStatus{corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionUnknown}
	for i, pattern := range patterns {
		at := path.Index(i)
		errs = append(errs, invalidFor(at.Child("type"), string(pattern.Type), validate.IsLabelKey(string(pattern.Type)))...)
		if pattern.Status == "" {
			errs = append(errs, field.Required(at.Child("status"), fmt.Sprintf("valid values: %q", statuses)))
		} else if !slices.Contains(statuses, pattern.Status) {
			errs = append(errs, field.NotSupported(at.Child("status"), pattern.Status, statuses))
		}
	}
	return errs
}

func validateOnExitCodes(r *batchv1.PodFailurePolicyOnExitCodesRequirement, path *field.Path, containers map[string]bool) field.ErrorList {
	var errs field.ErrorList
	operators := []batchv1.PodFailurePolicyOnExitCodesOperator{batchv1.PodFailurePolicyOnExitCodesOpIn, batchv1.PodFailurePolicyOnExitCodesOpNotIn}
	if r.Operator == "" {
		errs = append(errs, field.Required(path.Child("operator"), fmt.Sprintf("valid values: %q", operators)))
	} else if !slices.Contains(operators, r.Operator) {
		errs = append(errs, field.NotSupported(path.Child("operator"), r.Operator, operators))
	}
	if r.ContainerName != nil && !containers[*r.ContainerName] {
		errs = append(errs, field.Invalid(path.Child("containerName"), *r.ContainerName,
			"must be one of the container or initContainer names in the pod template"))
	}
	values := path.Child("values")
	if len(r.Values) == 0 {
		errs = append(errs, field.Invalid(values, r.Values, "at least one value is required"))
	} else if len(r.Values) > maxPodFailurePolicyValues {
		errs = append(errs, field.TooMany(values, len(r.Values), maxPodFailurePolicyValues))
	}
	for i, v := range r.Values {
		if v == 0 && r.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn {
			errs = append(errs, field.Invalid(values.Index(i), v, "must not be 0 for the In operator"))
		}
		if slices.Contains(r.Values[:i], v) {
			errs = append(errs, field.Duplicate(values.Index(i), v))
		}
	}
	if !slices.IsSorted(r.Values) {
		errs = append(errs, field.Invalid(values, r.Values, "must be ordered"))
	}
	return errs
}

func validateSuccessPolicy(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	rules := spec.SuccessPolicy.Rules
	if len(rules) == 0 {
		errs = append(errs, field.Required(path, "at least one rules must be specified when the successPolicy is specified"))
	}
	if len(rules) > maxJobSuccessPolicyRules {
		errs = append(errs, field.TooMany(path, len(rules), maxJobSuccessPolicyRules))
	}
	for i := range rules {
		rule, at := &rules[i], path.Index(i)
		if rule.SucceededCount == nil && rule.SucceededIndexes == nil {
			errs = append(errs, field.Required(at, "at least one of succeededCount or succeededIndexes must be specified"))
		}
		total := int32(0)
		if text := rule.SucceededIndexes; text != nil {
			if len(*text) > maxSuccessPolicyIndexes {
				errs = append(errs, field.TooLong(at.Child("succeededIndexes"), *text, maxSuccessPolicyIndexes))
			}
			var err error
			if total, err = validateIndexesFormat(*text, *spec.Completions); err != nil {
				errs = append(errs, field.Invalid(at.Child("succeededIndexes"), *text, "error parsing succeededIndexes: "+err.Error()))
			}
		}
		if n := rule.SucceededCount; n != nil {
			count := at.Child("succeededCount")
			if *n <= 0 {
				errs = append(errs, field.Invalid(count, *n, isPositive))
			}
			if *n > *spec.Completions {
				errs = append(errs, field.Invalid(count, *n,
					fmt.Sprintf("must be less than or equal to %d (the number of specified completions)", *spec.Completions)))
			}
			if rule.SucceededIndexes != nil && *n > total {
				errs = append(errs, field.Invalid(count, *n,
					fmt.Sprintf("must be less than or equal to %d (the number of indexes in the specified succeededIndexes field)", total)))
			}
		}
	}
	return errs
}

// validateIndexesFormat reads "0,2-4" and returns how many indexes that is.
func validateIndexesFormat(text string, completions int32) (int32, error) {
	if text == "" {
		return 0, nil
	}
	total, last := int32(0), int32(-1)
	read := func(s string) error {
		n, err := strconv.Atoi(s)
		switch {
		case err != nil:
			return fmt.Errorf(cannotConvertIndex, s)
		case n >= int(completions):
			return fmt.Errorf("too large index: %q", s)
		case last >= int32(n):
			return fmt.Errorf(nonIncreasingIndex, last, n)
		}
		last = int32(n)
		return nil
	}
	for _, part := range strings.Split(text, ",") {
		limits := strings.Split(part, "-")
		if len(limits) > 2 {
			return 0, fmt.Errorf("the fragment %q violates the requirement that an index interval can have at most two parts separated by '-'", part)
		}
		if err := read(limits[0]); err != nil {
			return 0, err
		}
		total++
		if len(limits) == 2 {
			first := last
			if err := read(limits[1]); err != nil {
				return 0, err
			}
			total += last - first
		}
	}
	return total, nil
}

// domainPrefixedPath wants "example.com/name". Upstream: util/validation, IsDomainPrefixedPath.
func domainPrefixedPath(path *field.Path, value string) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	domain, rest, ok := strings.Cut(value, "/")
	if !ok || domain == "" || rest == "" {
		return field.ErrorList{field.Invalid(path, value, "must be a domain-prefixed path (such as \"acme.io/foo\")")}
	}
	return invalidFor(path, domain, validate.IsDNS1123Subdomain(domain))
}

// ValidateCronJobCreate checks a new CronJob. Upstream: ValidateCronJobCreate.
func ValidateCronJobCreate(cj *batchv1.CronJob) field.ErrorList {
	errs := validateCronJobSpec(&cj.Spec, nil, specPath)
	if len(cj.Name) > cronJobNameMaxLength {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), cj.Name, "must be no more than 52 characters"))
	}
	return errs
}

// ValidateCronJobUpdate checks a changed CronJob. Upstream: ValidateCronJobUpdate.
func ValidateCronJobUpdate(cj, old *batchv1.CronJob) field.ErrorList {
	return validateCronJobSpec(&cj.Spec, &old.Spec, specPath)
}

func validateCronJobSpec(spec, old *batchv1.CronJobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if at := path.Child("schedule"); spec.Schedule == "" {
		errs = append(errs, field.Required(at, ""))
	} else {
		if _, err := cron.ParseStandard(spec.Schedule); err != nil {
			errs = append(errs, field.Invalid(at, spec.Schedule, err.Error()))
		}
		if strings.Contains(spec.Schedule, "TZ") {
			was := old != nil && strings.Contains(old.Schedule, "TZ")
			if was && spec.TimeZone != nil {
				errs = append(errs, field.Invalid(at, spec.Schedule, timeZoneInBoth))
			} else if !was {
				errs = append(errs, field.Invalid(at, spec.Schedule, timeZoneInSchedule))
			}
		}
	}
	if n := spec.StartingDeadlineSeconds; n != nil {
		errs = append(errs, objectmeta.Nonnegative(*n, path.Child("startingDeadlineSeconds"))...)
	}
	if tz := spec.TimeZone; tz != nil && (old == nil || old.TimeZone == nil || *old.TimeZone != *tz) {
		errs = append(errs, validateTimeZone(*tz, path.Child("timeZone"))...)
	}
	if spec.ConcurrencyPolicy == "" {
		errs = append(errs, field.Required(path.Child("concurrencyPolicy"), ""))
	} else {
		errs = append(errs, oneOf(spec.ConcurrencyPolicy, path.Child("concurrencyPolicy"), batchv1.AllowConcurrent, batchv1.ForbidConcurrent,
			batchv1.ReplaceConcurrent)...)
	}
	job := path.Child("jobTemplate", "spec")
	errs = append(errs, validateJobSpec(&spec.JobTemplate.Spec, job)...)
	if m := spec.JobTemplate.Spec.ManualSelector; m != nil && *m {
		errs = append(errs, field.NotSupported(job.Child("manualSelector"), strconv.FormatBool(*m), []string{"nil", "false"}))
	}
	if n := spec.SuccessfulJobsHistoryLimit; n != nil {
		errs = append(errs, nonnegative32(*n, path.Child("successfulJobsHistoryLimit"))...)
	}
	if n := spec.FailedJobsHistoryLimit; n != nil {
		errs = append(errs, nonnegative32(*n, path.Child("failedJobsHistoryLimit"))...)
	}
	return errs
}

func validateTimeZone(tz string, path *field.Path) field.ErrorList {
	message := ""
	if tz == "" {
		message = "timeZone must be nil or non-empty string"
	} else if strings.EqualFold(tz, "Local") {
		message = explicitTimeZone
	} else if _, err := cron.LoadLocation(tz); err != nil {
		message = err.Error()
	}
	if message == "" {
		return nil
	}
	return field.ErrorList{field.Invalid(path, tz, message)}
}
