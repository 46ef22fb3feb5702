package podautoscaler

import (
	"math"
	"time"

	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
)

// timestampedRecommendation is what metrics asked for at some time.
type timestampedRecommendation struct {
	recommendation int32
	timestamp      time.Time
}

// timestampedScaleEvent is by how many replicas a target was scaled at some time.
type timestampedScaleEvent struct {
	replicaChange int32 // positive, up or down
	timestamp     time.Time
}

const (
	withinRange        = "DesiredWithinRange"
	withinRangeMessage = "the desired count is within the acceptable range"
)

// normalizeDesiredReplicas holds a proposal back where there is no spec.behavior.
// Upstream: horizontal.go, normalizeDesiredReplicas.
func (a *HorizontalController) normalizeDesiredReplicas(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, key string, current, proposed,
	minReplicas int32) int32 {
	stabilized := a.stabilizeRecommendation(key, proposed, p.Time())
	if stabilized != proposed {
		setCondition(p, hpa, autoscalingv2.AbleToScale, corev1.ConditionTrue, "ScaleDownStabilized",
			"recent recommendations were higher than current one, applying the highest recent recommendation")
	} else {
		setCondition(p, hpa, autoscalingv2.AbleToScale, corev1.ConditionTrue, "ReadyForNewScale", "recommended size matches current size")
	}
	desired, reason, message := convertDesiredReplicasWithRules(current, stabilized, minReplicas, hpa.Spec.MaxReplicas)
	limited(p, hpa, desired != stabilized, reason, message)
	p.Logger().V(2).Info("Normalized the desired replicas", "HPA", key, "current", current, "proposed", proposed, "stabilized", stabilized,
		"min", minReplicas, "max", hpa.Spec.MaxReplicas, "scaleUpLimit", calculateScaleUpLimit(current), "desired", desired, "reason", reason)
	return desired
}

func limited(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, is bool, reason, message string) {
	status := corev1.ConditionFalse
	if is {
		status = corev1.ConditionTrue
	}
	setCondition(p, hpa, autoscalingv2.ScalingLimited, status, reason, message)
}

// stabilizeRecommendation is the largest of what was asked for within the window.
func (a *HorizontalController) stabilizeRecommendation(key string, proposed int32, now time.Time) int32 {
	highest := proposed
	for _, r := range a.recommendations[key] {
		if !r.timestamp.Before(now.Add(-downscaleStabilisationWindow)) {
			highest = max(highest, r.recommendation)
		}
	}
	a.remember(key, proposed, now, downscaleStabilisationWindow)
	return highest
}

// remember notes what was asked for, and forgets what is older than the window.
func (a *HorizontalController) remember(key string, proposed int32, now time.Time, window time.Duration) {
	var kept []timestampedRecommendation
	for _, r := range a.recommendations[key] {
		if !r.timestamp.Before(now.Add(-window)) {
			kept = append(kept, r)
		}
	}
	a.recommendations[key] = append(kept, timestampedRecommendation{proposed, now})
}

// convertDesiredReplicasWithRules keeps to the bounds, and to twice as many at most.
func convertDesiredReplicasWithRules(current, desired, minReplicas, maxReplicas int32) (int32, string, string) {
	most, reason, message := maxReplicas, "TooManyReplicas", "the desired replica count is more than the maximum replica count"
	if limit := calculateScaleUpLimit(current); maxReplicas > limit {
		most, reason, message = limit, "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate"
	}
	switch {
	case desired < minReplicas:
		return minReplicas, "TooFewReplicas", "the desired replica count is less than the minimum replica count"
	case desired > most:
		return most, reason, message
	}
	return desired, withinRange, withinRangeMessage
}

func calculateScaleUpLimit(current int32) int32 {
	return max(scaleUpLimitFactor*current, scaleUpLimitMinimum)
}

// normalizeDesiredReplicasWithBehaviors holds a proposal back as spec.behavior says.
// Upstream: horizontal.go, the function of that name.
func (a *HorizontalController) normalizeDesiredReplicasWithBehaviors(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, key string, current, proposed,
	minReplicas int32) int32 {
	up, down := hpa.Spec.Behavior.ScaleUp, hpa.Spec.Behavior.ScaleDown
	now := p.Time()
	upWindow, downWindow := window(up, 0), window(down, downscaleStabilisationWindow)
	stabilized := a.stabilizeRecommendationWithBehaviors(key, current, proposed, now, upWindow, downWindow)
	switch {
	case stabilized == proposed:
		setCondition(p, hpa, autoscalingv2.AbleToScale, corev1.ConditionTrue, "ReadyForNewScale", "recommended size matches current size")
	case proposed >= current:
		setCondition(p, hpa, autoscalingv2.AbleToScale, corev1.ConditionTrue, "ScaleUpStabilized",
			"recent recommendations were lower than current one, applying the lowest recent recommendation")
	default:
		setCondition(p, hpa, autoscalingv2.AbleToScale, corev1.ConditionTrue, "ScaleDownStabilized",
			"recent recommendations were higher than current one, applying the highest recent recommendation")
	}
	desired, reason, message := a.convertDesiredReplicasWithBehaviorRate(key, current, stabilized, minReplicas, hpa.Spec.MaxReplicas, up, down, now)
	limited(p, hpa, desired != stabilized, reason, message)
	p.Logger().V(2).Info("Normalized the desired replicas", "HPA", key, "current", current, "proposed", proposed, "stabilized", stabilized,
		"upWindow", upWindow, "downWindow", downWindow, "min", minReplicas, "max", hpa.Spec.MaxReplicas, "desired", desired, "reason", reason)
	return desired
}

func window(r *autoscalingv2.HPAScalingRules, otherwise time.Duration) time.Duration {
	if r == nil || r.StabilizationWindowSeconds == nil {
		return otherwise
	}
	return time.Duration(*r.StabilizationWindowSeconds) * time.Second
}

// stabilizeRecommendationWithBehaviors stays as near to the present number as what
// was asked for within the two windows allows.
func (a *HorizontalController) stabilizeRecommendationWithBehaviors(key string, current, proposed int32, now time.Time, upWindow,
	downWindow time.Duration) int32 {
	lowest, highest := proposed, proposed
	for _, r := range a.recommendations[key] {
		if r.timestamp.After(now.Add(-upWindow)) {
			lowest = min(lowest, r.recommendation)
		}
		if r.timestamp.After(now.Add(-downWindow)) {
			highest = max(highest, r.recommendation)
		}
	}
	a.remember(key, proposed, now, max(upWindow, downWindow))
	return min(max(current, lowest), highest)
}

// convertDesiredReplicasWithBehaviorRate keeps to the bounds and to the policies.
func (a *HorizontalController) convertDesiredReplicasWithBehaviorRate(key string, current, desired, minReplicas, maxReplicas int32, up,
	down *autoscalingv2.HPAScalingRules, now time.Time) (int32, string, string) {
	switch {
	case desired > current:
		most, reason, message := maxReplicas, "TooManyReplicas", "the desired replica count is more than the maximum replica count"
		if limit := max(current, a.scaleUpLimit(key, current, up, now)); maxReplicas > limit {
			most, reason, message = limit, "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate"
		}
		if desired > most {
			return most, reason, message
		}
	case desired < current:
		least, reason, message := minReplicas, "TooFewReplicas", "the desired replica count is less than the minimum replica count"
		if limit := min(current, a.scaleDownLimit(key, current, down, now)); minReplicas < limit {
			least, reason, message = limit, "ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate"
		}
		if desired < least {
			return least, reason, message
		}
	}
	return desired, withinRange, withinRangeMessage
}

// scaleUpLimit is what the policies allow. Upstream: calculateScaleUpLimitWithScalingRules.
func (a *HorizontalController) scaleUpLimit(key string, current int32, rules *autoscalingv2.HPAScalingRules, now time.Time) int32 {
	if rules == nil || *rules.SelectPolicy == autoscalingv2.DisabledPolicySelect {
		return current
	}
	least := *rules.SelectPolicy == autoscalingv2.MinChangePolicySelect
	result := int64(math.MinInt32)
	if least {
		result = math.MaxInt32
	}
	for _, policy := range rules.Policies {
		start := int64(a.periodStart(key, current, policy.PeriodSeconds, now))
		limit := start + int64(policy.Value)
		if policy.Type == autoscalingv2.PercentScalingPolicy {
			limit = (start*(100+int64(policy.Value)) + 99) / 100 // rounded up, or 1 would never become 2
		}
		if least {
			result = min(result, limit)
		} else {
			result = max(result, limit)
		}
	}
	return int32(min(result, math.MaxInt32))
}

// scaleDownLimit is what the policies allow. Upstream: calculateScaleDownLimitWithBehaviors.
func (a *HorizontalController) scaleDownLimit(key string, current int32, rules *autoscalingv2.HPAScalingRules, now time.Time) int32 {
	if rules == nil || *rules.SelectPolicy == autoscalingv2.DisabledPolicySelect {
		return current
	}
	least := *rules.SelectPolicy == autoscalingv2.MinChangePolicySelect
	result := int64(math.MaxInt32)
	if least {
		result = math.MinInt32
	}
	for _, policy := range rules.Policies {
		start := int64(a.periodStart(key, current, policy.PeriodSeconds, now))
		limit := start - int64(policy.Value)
		if policy.Type == autoscalingv2.PercentScalingPolicy {
			limit = start * (100 - int64(policy.Value)) / 100
		}
		if least {
			result = max(result, limit)
		} else {
			result = min(result, limit)
		}
	}
	return int32(max(result, math.MinInt32))
}

// periodStart is how many replicas there were when a policy's period began.
func (a *HorizontalController) periodStart(key string, current, periodSeconds int32, now time.Time) int32 {
	return current - changed(a.scaleUpEvents[key], periodSeconds, now) + changed(a.scaleDownEvents[key], periodSeconds, now)
}

func changed(events []timestampedScaleEvent, periodSeconds int32, now time.Time) (n int32) {
	cutoff := now.Add(-time.Duration(periodSeconds) * time.Second)
	for _, e := range events {
		if e.timestamp.After(cutoff) {
			n += e.replicaChange
		}
	}
	return n
}

// storeScaleEvent notes a change for as long as a policy may ask for it.
func (a *HorizontalController) storeScaleEvent(p *sim.Proc, behavior *autoscalingv2.HorizontalPodAutoscalerBehavior, key string, before, after int32) {
	if behavior == nil {
		return
	}
	events, rules, change := a.scaleUpEvents, behavior.ScaleUp, after-before
	if change < 0 {
		events, rules, change = a.scaleDownEvents, behavior.ScaleDown, -change
	}
	longest := int32(0)
	if rules != nil {
		for _, policy := range rules.Policies {
			longest = max(longest, policy.PeriodSeconds)
		}
	}
	cutoff := p.Time().Add(-time.Duration(longest) * time.Second)
	var kept []timestampedScaleEvent
	for _, e := range events[key] {
		if !e.timestamp.Before(cutoff) {
			kept = append(kept, e)
		}
	}
	events[key] = append(kept, timestampedScaleEvent{change, p.Time()})
}
