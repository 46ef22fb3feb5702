package validation

import (
	"fmt"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/quota"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/validate"
)

// ValidateLimitRange is upstream's ValidateLimitRange.
func ValidateLimitRange(l *corev1.LimitRange) field.ErrorList {
	var errs field.ErrorList
	seen := map[corev1.LimitType]bool{}
	for i := range l.Spec.Limits {
		item, path := &l.Spec.Limits[i], field.NewPath("spec", "limits").Index(i)
		at := path.Child("type")
		bad := invalidFor(at, string(item.Type), validate.IsLabelKey(string(item.Type)))
		if len(bad) == 0 && !strings.Contains(string(item.Type), "/") {
			switch item.Type {
			case corev1.LimitTypePod, corev1.LimitTypeContainer, corev1.LimitTypePersistentVolumeClaim:
			default:
				bad = field.ErrorList{field.Invalid(at, string(item.Type), "must be a standard limit type or fully qualified")}
			}
		}
		errs = append(errs, bad...)
		if seen[item.Type] {
			errs = append(errs, field.Duplicate(at, string(item.Type)))
		}
		seen[item.Type] = true
		errs = append(errs, validateLimitRangeItem(item, path)...)
	}
	return errs
}

func validateLimitRangeItem(item *corev1.LimitRangeItem, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	named := func(list corev1.ResourceList, child string) {
		for _, name := range quota.ResourceNames(list) {
			errs = append(errs, validateLimitRangeResourceName(item.Type, name, path.Child(child).Key(string(name)))...)
		}
	}
	named(item.Max, "max")
	named(item.Min, "min")
	if item.Type == corev1.LimitTypePod {
		if len(item.Default) > 0 {
			errs = append(errs, field.Forbidden(path.Child("default"), "may not be specified when `type` is 'Pod'"))
		}
		if len(item.DefaultRequest) > 0 {
			errs = append(errs, field.Forbidden(path.Child("defaultRequest"), "may not be specified when `type` is 'Pod'"))
		}
	} else {
		named(item.Default, "default")
		named(item.DefaultRequest, "defaultRequest")
	}
	if item.Type == corev1.LimitTypePersistentVolumeClaim {
		_, min := item.Min[corev1.ResourceStorage]
		_, max := item.Max[corev1.ResourceStorage]
		if !min && !max {
			errs = append(errs, field.Required(path.Child("limits"), "either minimum or maximum storage value is required, but neither was provided"))
		}
	}
	named(item.MaxLimitRequestRatio, "maxLimitRequestRatio")
	all := quota.Add(quota.Add(item.Max, item.Min), item.MaxLimitRequestRatio)
	if item.Type != corev1.LimitTypePod {
		all = quota.Add(quota.Add(all, item.Default), item.DefaultRequest)
	}
	for _, name := range quota.ResourceNames(all) {
		errs = append(errs, validateLimits(item, name, path)...)
	}
	return errs
}

func validateLimitRangeResourceName(t corev1.LimitType, name corev1.ResourceName, path *field.Path) field.ErrorList {
	errs := validateResourceName(name, path)
	if (t != corev1.LimitTypePod && t != corev1.LimitTypeContainer) || strings.Contains(string(name), "/") {
		return errs
	}
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return errs
	}
	if strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
		return errs
	}
	return append(errs, field.Invalid(path, string(name), "must be a standard resource for containers"))
}

// validateLimits compares the amounts of one resource with each other.
func validateLimits(item *corev1.LimitRangeItem, name corev1.ResourceName, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at := func(child string) *field.Path { return path.Child(child).Key(string(name)) }
	above := func(a, b resource.Quantity, where *field.Path, value resource.Quantity, aName, bName string) {
		if a.Cmp(b) > 0 {
			errs = append(errs, field.Invalid(where, value, fmt.Sprintf("%s value %s is greater than %s value %s", aName, a.String(), bName, b.String())))
		}
	}
	least, hasMin := item.Min[name]
	most, hasMax := item.Max[name]
	limit, hasDefault := item.Default[name]
	request, hasRequest := item.DefaultRequest[name]
	ratio, hasRatio := item.MaxLimitRequestRatio[name]
	if hasMin && hasMax {
		above(least, most, at("min"), least, "min", "max")
	}
	if hasRequest && hasMin {
		above(least, request, at("defaultRequest"), request, "min", "default request")
	}
	if hasRequest && hasMax {
		above(request, most, at("defaultRequest"), request, "default request", "max")
	}
	if hasRequest && hasDefault {
		above(request, limit, at("defaultRequest"), request, "default request", "default limit")
	}
	if hasDefault && hasMin {
		above(least, limit, at("default"), least, "min", "default")
	}
	if hasDefault && hasMax {
		above(limit, most, at("default"), most, "default", "max")
	}
	if hasRatio && ratio.CmpInt64(1) < 0 {
		errs = append(errs, field.Invalid(at("maxLimitRequestRatio"), ratio, fmt.Sprintf("ratio %s is less than 1", ratio.String())))
	}
	if hasRatio && hasMin && hasMax {
		if a, b, over := ratioAbove(ratio, most, least); over {
			errs = append(errs, field.Invalid(at("maxLimitRequestRatio"), ratio,
				fmt.Sprintf("ratio %s is greater than max/min = %s", ratio.String(), strconv.FormatFloat(float64(a)/float64(b), 'f', 6, 64))))
		}
	}
	overcommit := isNative(name) && !strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
	if !overcommit && hasDefault && hasRequest && limit.Cmp(request) != 0 {
		errs = append(errs, field.Invalid(at("defaultRequest"), request,
			fmt.Sprintf("default value %s must equal to defaultRequest value %s in %s", limit.String(), request.String(), name)))
	}
	return errs
}

// ratioAbove tells whether a ratio is above max/min, in thousandths where those
// fit. Whole numbers decide; the quotient is for the message only.
func ratioAbove(ratio, most, least resource.Quantity) (max, min int64, over bool) {
	const fits = 1 << 53 / 1000 // upstream: MaxMilliValue
	r, scale := ratio.Value(), int64(1)
	max, min = most.Value(), least.Value()
	if r < fits && max < fits && min < fits {
		r, scale, max, min = ratio.MilliValue(), 1000, most.MilliValue(), least.MilliValue()
	}
	if min == 0 {
		return max, min, false
	}
	// r/scale > max/min, without dividing: both sides as quantities.
	left, right := resource.NewQuantity(r, resource.DecimalSI), resource.NewQuantity(max/min, resource.DecimalSI)
	if scale == 1 {
		return max, min, left.Cmp(*right) > 0
	}
	return max, min, r/1000 > max/min || r/1000 == max/min && (r%1000)*min > (max%min)*1000
}
