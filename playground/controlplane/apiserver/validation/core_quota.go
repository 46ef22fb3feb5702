package validation

import (
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/quota"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/validate"
)

// What a quota may limit without a domain.
// Upstream: pkg/apis/core/helper/helpers.go, standardQuotaResources and its like.
var (
	quotaCompute = []corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory,
		corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
	}
	quotaIntegers = []corev1.ResourceName{
		corev1.ResourcePods, corev1.ResourceQuotas, corev1.ResourceServices, corev1.ResourceReplicationControllers, corev1.ResourceSecrets,
		corev1.ResourceConfigMaps, corev1.ResourcePersistentVolumeClaims, corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers,
	}
	quotaOthers = []corev1.ResourceName{
		corev1.ResourceEphemeralStorage, corev1.ResourceRequestsEphemeralStorage, corev1.ResourceLimitsEphemeralStorage, corev1.ResourceRequestsStorage,
	}
)

func isStandardQuotaResource(name corev1.ResourceName) bool {
	return slices.Contains(quotaCompute, name) || slices.Contains(quotaIntegers, name) || slices.Contains(quotaOthers, name) ||
		quota.ContainsPrefix([]string{corev1.ResourceHugePagesPrefix, corev1.ResourceRequestsHugePagesPrefix}, name)
}

// ValidateResourceQuota is upstream's ValidateResourceQuota.
func ValidateResourceQuota(q *corev1.ResourceQuota) field.ErrorList {
	errs := validateResourceQuotaSpec(&q.Spec, specPath)
	return append(errs, validateResourceQuotaStatus(&q.Status, statusPath)...)
}

// ValidateResourceQuotaUpdate is upstream's ValidateResourceQuotaUpdate.
func ValidateResourceQuotaUpdate(q, old *corev1.ResourceQuota) field.ErrorList {
	errs := validateResourceQuotaSpec(&q.Spec, specPath)
	a, b := slices.Sorted(slices.Values(q.Spec.Scopes)), slices.Sorted(slices.Values(old.Spec.Scopes))
	if !slices.Equal(slices.Compact(a), slices.Compact(b)) {
		errs = append(errs, field.Invalid(field.NewPath("spec", "scopes"), q.Spec.Scopes, fieldImmutable))
	}
	return errs
}

// ValidateResourceQuotaStatusUpdate is upstream's ValidateResourceQuotaStatusUpdate.
func ValidateResourceQuotaStatusUpdate(q *corev1.ResourceQuota) field.ErrorList {
	return validateResourceQuotaStatus(&q.Status, statusPath)
}

func validateResourceQuotaStatus(s *corev1.ResourceQuotaStatus, path *field.Path) field.ErrorList {
	return append(validateQuotaList(s.Hard, path.Child("hard")), validateQuotaList(s.Used, path.Child("used"))...)
}

func validateResourceQuotaSpec(s *corev1.ResourceQuotaSpec, path *field.Path) field.ErrorList {
	errs := validateQuotaList(s.Hard, path.Child("hard"))
	errs = append(errs, validateResourceQuotaScopes(s, path.Child("scopes"))...)
	return append(errs, validateScopeSelector(s, path.Child("scopeSelector"))...)
}

func validateQuotaList(list corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range quota.ResourceNames(list) {
		at, amount := path.Key(string(name)), list[name]
		bad := validateResourceName(name, at)
		if !strings.Contains(string(name), "/") && !isStandardQuotaResource(name) {
			bad = append(bad, field.Invalid(at, string(name), "must be a standard resource for quota"))
		}
		errs = append(errs, bad...)
		errs = append(errs, validateResourceQuantityValue(name, amount, at)...)
	}
	return errs
}

// validateResourceName is upstream's function of that name.
func validateResourceName(name corev1.ResourceName, path *field.Path) field.ErrorList {
	errs := invalidFor(path, string(name), validate.IsLabelKey(string(name)))
	if len(errs) == 0 && !strings.Contains(string(name), "/") && !isStandardQuotaResource(name) && name != corev1.ResourceStorage {
		errs = append(errs, field.Invalid(path, string(name), "must be a standard resource type or fully qualified"))
	}
	return errs
}

// validateResourceQuantityValue is upstream's ValidateResourceQuantityValue.
func validateResourceQuantityValue(name corev1.ResourceName, amount resource.Quantity, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if amount.Sign() < 0 {
		errs = append(errs, field.Invalid(path, amount.String(), isNonNegative))
	}
	extended := !isNative(name) && !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
	if (extended || slices.Contains(quotaIntegers, name)) && amount.MilliValue()%1000 != 0 {
		errs = append(errs, field.Invalid(path, amount, "must be an integer"))
	}
	return errs
}

var quotaScopes = []corev1.ResourceQuotaScope{
	corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeBestEffort,
	corev1.ResourceQuotaScopeNotBestEffort, corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeCrossNamespacePodAffinity,
	corev1.ResourceQuotaScopeVolumeAttributesClass,
}

// isScopeValidFor is upstream's helper.IsResourceQuotaScopeValidForResource.
func isScopeValidFor(scope corev1.ResourceQuotaScope, name corev1.ResourceName) bool {
	switch scope {
	case corev1.ResourceQuotaScopeBestEffort:
		return name == corev1.ResourcePods
	case corev1.ResourceQuotaScopeVolumeAttributesClass:
		return name == corev1.ResourcePersistentVolumeClaims || name == corev1.ResourceRequestsStorage
	case corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeNotBestEffort,
		corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return name == corev1.ResourcePods || slices.Contains(quotaCompute, name)
	}
	return true
}

func haveConflict(scopes []corev1.ResourceQuotaScope) int {
	n := 0
	for _, pair := range [][2]corev1.ResourceQuotaScope{
		{corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort},
		{corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating},
	} {
		if slices.Contains(scopes, pair[0]) && slices.Contains(scopes, pair[1]) {
			n++
		}
	}
	return n
}

func validateResourceQuotaScopes(s *corev1.ResourceQuotaSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, scope := range s.Scopes {
		if !slices.Contains(quotaScopes, scope) {
			errs = append(errs, field.Invalid(path, s.Scopes, "unsupported scope"))
		}
		for _, name := range quota.ResourceNames(s.Hard) {
			if isStandardQuotaResource(name) && !isScopeValidFor(scope, name) {
				errs = append(errs, field.Invalid(path, s.Scopes, "unsupported scope applied to resource"))
			}
		}
	}
	for range haveConflict(s.Scopes) {
		errs = append(errs, field.Invalid(path, s.Scopes, "conflicting scopes"))
	}
	return errs
}

func validateScopeSelector(s *corev1.ResourceQuotaSpec, path *field.Path) field.ErrorList {
	if s.ScopeSelector == nil {
		return nil
	}
	var errs field.ErrorList
	var scopes []corev1.ResourceQuotaScope
	path = path.Child("matchExpressions")
	for _, r := range s.ScopeSelector.MatchExpressions {
		if !slices.Contains(quotaScopes, r.ScopeName) {
			errs = append(errs, field.Invalid(path.Child("scopeName"), string(r.ScopeName), "unsupported scope"))
		}
		for _, name := range quota.ResourceNames(s.Hard) {
			if isStandardQuotaResource(name) && !isScopeValidFor(r.ScopeName, name) {
				errs = append(errs, field.Invalid(path, s.ScopeSelector, "unsupported scope applied to resource"))
			}
		}
		switch r.ScopeName {
		case corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeVolumeAttributesClass:
		default:
			if slices.Contains(quotaScopes, r.ScopeName) && r.Operator != corev1.ScopeSelectorOpExists {
				errs = append(errs, field.Invalid(path.Child("operator"), string(r.Operator),
					"must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"))
			}
		}
		switch r.Operator {
		case corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn:
			if len(r.Values) == 0 {
				errs = append(errs, field.Required(path.Child("values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
			}
		case corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist:
			if len(r.Values) != 0 {
				errs = append(errs, field.Invalid(path.Child("values"), r.Values,
					"must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
			}
		default:
			errs = append(errs, field.Invalid(path.Child("operator"), string(r.Operator), "not a valid selector operator"))
		}
		scopes = append(scopes, r.ScopeName)
	}
	for range haveConflict(scopes) {
		errs = append(errs, field.Invalid(path, s.Scopes, "conflicting scopes"))
	}
	return errs
}
