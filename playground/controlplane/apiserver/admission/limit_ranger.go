package admission

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/quota"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// limitRanger fills in what a namespace's LimitRanges say containers get by default, and refuses what they don't allow.
// Upstream: plugin/pkg/admission/limitranger/admission.go, LimitRanger.
type limitRanger struct{ store *store.Store }

// limitRangerAnnotation says in a Pod what was filled in.
const limitRangerAnnotation = "kubernetes.io/limit-ranger"

func (*limitRanger) Name() string { return "LimitRanger" }

func (l *limitRanger) ranges(namespace string) []*corev1.LimitRange {
	var out []*corev1.LimitRange
	for _, obj := range l.store.At("limitranges", namespace, l.store.Revision()) {
		if namespace != "" {
			out = append(out, obj.(*corev1.LimitRange))
		}
	}
	return out
}

// Admit is upstream's DefaultLimitRangerActions.MutateLimit.
func (l *limitRanger) Admit(_ *sim.Proc, a *Attributes) error {
	pod := a.creating()
	if pod == nil {
		return nil
	}
	for _, r := range l.ranges(a.Namespace) {
		var limits, requests corev1.ResourceList
		for i := range r.Spec.Limits {
			if item := &r.Spec.Limits[i]; item.Type == corev1.LimitTypeContainer {
				limits, requests = with(limits, item.Default), with(requests, item.DefaultRequest)
			}
		}
		var said []string
		for i := range pod.Spec.Containers {
			said = append(said, mergeContainerResources(&pod.Spec.Containers[i], limits, requests, "container")...)
		}
		for i := range pod.Spec.InitContainers {
			said = append(said, mergeContainerResources(&pod.Spec.InitContainers[i], limits, requests, "init container")...)
		}
		if len(said) > 0 {
			a.changed(l)
			if pod.Annotations == nil {
				pod.Annotations = map[string]string{}
			}
			pod.Annotations[limitRangerAnnotation] = "LimitRanger plugin set: " + strings.Join(said, "; ")
		}
	}
	return nil
}

// with is a list with the values of another.
func with(list, more corev1.ResourceList) corev1.ResourceList {
	for name, q := range more { // order: each fills its own key
		if list == nil {
			list = corev1.ResourceList{}
		}
		list[name] = q
	}
	return list
}

// mergeContainerResources fills in a container, and says what. Upstream: the function of that name.
func mergeContainerResources(c *corev1.Container, limits, requests corev1.ResourceList, what string) []string {
	var said []string
	fill := func(list *corev1.ResourceList, from corev1.ResourceList, kind string) {
		var set []string
		for _, name := range quota.ResourceNames(from) {
			if _, has := (*list)[name]; !has {
				if *list == nil {
					*list = corev1.ResourceList{}
				}
				(*list)[name] = from[name]
				set = append(set, string(name))
			}
		}
		if set != nil {
			said = append(said, strings.Join(set, ", ")+" "+kind+" for "+what+" "+c.Name)
		}
	}
	fill(&c.Resources.Requests, requests, "request")
	fill(&c.Resources.Limits, limits, "limit")
	return said
}

// Validate is upstream's DefaultLimitRangerActions.ValidateLimit.
func (l *limitRanger) Validate(_ *sim.Proc, a *Attributes) error {
	var errs []string
	switch obj := a.Object.(type) {
	case *corev1.Pod:
		resize := a.Operation == Update && a.Subresource == "resize"
		if (a.Operation != Create || a.Subresource != "") && !resize {
			return nil
		}
		for _, r := range l.ranges(a.Namespace) {
			errs = podValidateLimit(r, obj)
			if errs != nil {
				break
			}
		}
	case *corev1.PersistentVolumeClaim:
		if a.Operation == Delete || a.Subresource != "" {
			return nil
		}
		for _, r := range l.ranges(a.Namespace) {
			if errs = claimValidateLimit(r, obj); errs != nil {
				break
			}
		}
	}
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return a.forbidden(errors.New(errs[0]))
	}
	return a.forbidden(errors.New("[" + strings.Join(errs, ", ") + "]"))
}

// podValidateLimit is upstream's PodValidateLimitFunc.
func podValidateLimit(r *corev1.LimitRange, pod *corev1.Pod) []string {
	var errs []string
	for i := range r.Spec.Limits {
		item := &r.Spec.Limits[i]
		switch item.Type {
		case corev1.LimitTypeContainer:
			for _, list := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
				for j := range list {
					errs = append(errs, constrain(item, list[j].Resources.Requests, list[j].Resources.Limits)...)
				}
			}
		case corev1.LimitTypePod:
			errs = append(errs, constrain(item, quota.PodRequests(pod), quota.PodLimits(pod))...)
		}
	}
	return unique(errs)
}

// unique leaves repetitions out, as an aggregate of errors does.
func unique(errs []string) []string {
	var out []string
	for _, e := range errs {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// claimValidateLimit is upstream's PersistentVolumeClaimValidateLimitFunc: claims have no limits.
func claimValidateLimit(r *corev1.LimitRange, claim *corev1.PersistentVolumeClaim) []string {
	var errs []string
	for i := range r.Spec.Limits {
		item := &r.Spec.Limits[i]
		if item.Type != corev1.LimitTypePersistentVolumeClaim {
			continue
		}
		requests := claim.Spec.Resources.Requests
		for _, name := range quota.ResourceNames(item.Min) {
			errs = appendIf(errs, minConstraint(item.Type, name, item.Min[name], requests, nil))
		}
		for _, name := range quota.ResourceNames(item.Max) {
			request, has := requests[name]
			what := fmt.Sprintf("maximum %s usage per %s is %s", name, item.Type, text(item.Max[name]))
			if !has {
				errs = append(errs, what+". No request is specified")
			} else if request.Cmp(item.Max[name]) > 0 {
				errs = append(errs, what+", but request is "+text(request))
			}
		}
	}
	return unique(errs)
}

func constrain(item *corev1.LimitRangeItem, requests, limits corev1.ResourceList) []string {
	var errs []string
	for _, name := range quota.ResourceNames(item.Min) {
		errs = appendIf(errs, minConstraint(item.Type, name, item.Min[name], requests, limits))
	}
	for _, name := range quota.ResourceNames(item.Max) {
		errs = appendIf(errs, maxConstraint(item.Type, name, item.Max[name], requests, limits))
	}
	for _, name := range quota.ResourceNames(item.MaxLimitRequestRatio) {
		errs = appendIf(errs, limitRequestRatioConstraint(item.Type, name, item.MaxLimitRequestRatio[name], requests, limits))
	}
	return errs
}

func appendIf(errs []string, text string) []string {
	if text == "" {
		return errs
	}
	return append(errs, text)
}

func text(q resource.Quantity) string { return q.String() }

// minConstraint is upstream's function of that name.
func minConstraint(typ corev1.LimitType, name corev1.ResourceName, enforced resource.Quantity, requests, limits corev1.ResourceList) string {
	request, requested := requests[name]
	limit, limited := limits[name]
	what := fmt.Sprintf("minimum %s usage per %s is %s", name, typ, text(enforced))
	switch {
	case !requested:
		return what + ". No request is specified"
	case request.Cmp(enforced) < 0:
		return what + ", but request is " + text(request)
	case limited && limit.Cmp(enforced) < 0:
		return what + ", but limit is " + text(limit)
	}
	return ""
}

// maxConstraint is upstream's function of that name.
func maxConstraint(typ corev1.LimitType, name corev1.ResourceName, enforced resource.Quantity, requests, limits corev1.ResourceList) string {
	request, requested := requests[name]
	limit, limited := limits[name]
	what := fmt.Sprintf("maximum %s usage per %s is %s", name, typ, text(enforced))
	switch {
	case !limited:
		return what + ". No limit is specified"
	case limit.Cmp(enforced) > 0:
		return what + ", but limit is " + text(limit)
	case requested && request.Cmp(enforced) > 0:
		return what + ", but request is " + text(request)
	}
	return ""
}

// limitRequestRatioConstraint is upstream's function of that name, in whole numbers.
func limitRequestRatioConstraint(typ corev1.LimitType, name corev1.ResourceName, enforced resource.Quantity, requests, limits corev1.ResourceList) string {
	request, requested := requests[name]
	limit, limited := limits[name]
	what := fmt.Sprintf("%s max limit to request ratio per %s is %s", name, typ, text(enforced))
	switch {
	case !requested || request.IsZero():
		return what + ", but no request is specified or request is 0"
	case !limited || limit.IsZero():
		return what + ", but no limit is specified or limit is 0"
	}
	a, b := limit.MilliValue(), request.MilliValue()
	if a/b < 1<<40 && millionths(a, b)/1000 > enforced.MilliValue() {
		m := millionths(a, b)
		return fmt.Sprintf("%s, but provided ratio is %d.%06d", what, m/1000000, m%1000000)
	}
	return ""
}

// millionths is a/b in millionths, rounded.
func millionths(a, b int64) int64 {
	whole, rest := a/b, a%b
	for b > 1<<40 { // lest the product overflow
		rest, b = rest>>1, b>>1
	}
	return whole*1000000 + (rest*1000000+b/2)/b
}
