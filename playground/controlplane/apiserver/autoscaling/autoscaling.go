// Package autoscaling converts HorizontalPodAutoscalers, which are served in two versions and stored once, as v2 has them. What v1 has no fields
// for is in annotations there.
//
// Upstream: pkg/apis/autoscaling/v1/conversion.go, by way of the internal type.
package autoscaling

import (
	"encoding/json"
	"maps"

	"kubewalk/playground/api"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/apiserver/defaults"
)

// The annotations. Upstream: pkg/apis/autoscaling/annotations.go.
const (
	metricSpecsAnnotation    = "autoscaling.alpha.kubernetes.io/metrics"
	metricStatusesAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics"
	conditionsAnnotation     = "autoscaling.alpha.kubernetes.io/conditions"
	behaviorAnnotation       = "autoscaling.alpha.kubernetes.io/behavior"
	toleranceDownAnnotation  = "autoscaling.alpha.kubernetes.io/scale-down-tolerance"
	toleranceUpAnnotation    = "autoscaling.alpha.kubernetes.io/scale-up-tolerance"
)

// behavior is a behavior as the annotation has it: upstream writes its internal type, whose fields have no names for JSON.
type behavior struct{ ScaleUp, ScaleDown *scalingRules }

type scalingRules struct {
	StabilizationWindowSeconds *int32
	SelectPolicy               *autoscalingv2.ScalingPolicySelect
	Policies                   []scalingPolicy
	Tolerance                  *resource.Quantity
}

type scalingPolicy struct {
	Type                 autoscalingv2.HPAScalingPolicyType
	Value, PeriodSeconds int32
}

func rulesToV2(r *scalingRules) *autoscalingv2.HPAScalingRules {
	if r == nil {
		return nil
	}
	out := &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: r.StabilizationWindowSeconds, SelectPolicy: r.SelectPolicy, Tolerance: r.Tolerance}
	for _, p := range r.Policies {
		out.Policies = append(out.Policies, autoscalingv2.HPAScalingPolicy(p))
	}
	return out
}

func rulesToV1(r *autoscalingv2.HPAScalingRules) *scalingRules {
	if r == nil {
		return nil
	}
	out := &scalingRules{StabilizationWindowSeconds: r.StabilizationWindowSeconds, SelectPolicy: r.SelectPolicy, Tolerance: r.Tolerance}
	if r.Policies != nil {
		out.Policies = []scalingPolicy{}
	}
	for _, p := range r.Policies {
		out.Policies = append(out.Policies, scalingPolicy(p))
	}
	return out
}

// cpuUtilization is the metric that v1 has a field for.
func cpuUtilization(percent int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceCPU,
		Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent}}}
}

// annotated reads an annotation; what is not JSON counts for nothing.
func annotated[T any](annotations map[string]string, name string) (value T, ok bool) {
	text, ok := annotations[name]
	return value, ok && json.Unmarshal([]byte(text), &value) == nil
}

// FromV1 is upstream's conversion from v1. Where neither a field nor the annotation has a metric, the default is the CPU.
func FromV1(in *autoscalingv1.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscaler {
	out := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: *in.ObjectMeta.DeepCopy()}
	out.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: autoscalingv2.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas: in.Spec.MinReplicas, MaxReplicas: in.Spec.MaxReplicas}
	out.Status = autoscalingv2.HorizontalPodAutoscalerStatus{ObservedGeneration: in.Status.ObservedGeneration, LastScaleTime: in.Status.LastScaleTime,
		CurrentReplicas: in.Status.CurrentReplicas, DesiredReplicas: in.Status.DesiredReplicas}
	if metrics, ok := annotated[[]autoscalingv1.MetricSpec](in.Annotations, metricSpecsAnnotation); ok {
		for i := range metrics {
			out.Spec.Metrics = append(out.Spec.Metrics, metricToV2(&metrics[i]))
		}
	}
	if percent := in.Spec.TargetCPUUtilizationPercentage; percent != nil {
		out.Spec.Metrics = append(out.Spec.Metrics, cpuUtilization(*percent))
	}
	if b, ok := annotated[behavior](in.Annotations, behaviorAnnotation); ok && b != (behavior{}) {
		out.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: rulesToV2(b.ScaleUp), ScaleDown: rulesToV2(b.ScaleDown)}
	}
	if percent := in.Status.CurrentCPUUtilizationPercentage; percent != nil {
		n := *percent
		out.Status.CurrentMetrics = []autoscalingv2.MetricStatus{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricStatus{
			Name: corev1.ResourceCPU, Current: autoscalingv2.MetricValueStatus{AverageUtilization: &n}}}}
	}
	if statuses, ok := annotated[[]autoscalingv1.MetricStatus](in.Annotations, metricStatusesAnnotation); ok {
		out.Status.CurrentMetrics = nil
		for i := range statuses {
			out.Status.CurrentMetrics = append(out.Status.CurrentMetrics, metricStatusToV2(&statuses[i]))
		}
	}
	if conditions, ok := annotated[[]autoscalingv1.HorizontalPodAutoscalerCondition](in.Annotations, conditionsAnnotation); ok {
		for _, c := range conditions {
			out.Status.Conditions = append(out.Status.Conditions, autoscalingv2.HorizontalPodAutoscalerCondition{
				Type: autoscalingv2.HorizontalPodAutoscalerConditionType(c.Type), Status: c.Status, LastTransitionTime: c.LastTransitionTime,
				Reason: c.Reason, Message: c.Message})
		}
	}
	dropRoundTrip(out.Annotations)
	api.SetKind(out)
	defaults.Set(out) // as when it is read from etcd
	return out
}

// dropRoundTrip is upstream's DropRoundTripHorizontalPodAutoscalerAnnotations.
func dropRoundTrip(annotations map[string]string) {
	for _, name := range []string{metricSpecsAnnotation, metricStatusesAnnotation, conditionsAnnotation, behaviorAnnotation,
		toleranceDownAnnotation, toleranceUpAnnotation} {
		delete(annotations, name)
	}
}

// ToV1 is upstream's conversion to v1.
func ToV1(in *autoscalingv2.HorizontalPodAutoscaler) *autoscalingv1.HorizontalPodAutoscaler {
	out := &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: *in.ObjectMeta.DeepCopy()}
	out.Spec = autoscalingv1.HorizontalPodAutoscalerSpec{ScaleTargetRef: autoscalingv1.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas: in.Spec.MinReplicas, MaxReplicas: in.Spec.MaxReplicas}
	out.Status = autoscalingv1.HorizontalPodAutoscalerStatus{ObservedGeneration: in.Status.ObservedGeneration, LastScaleTime: in.Status.LastScaleTime,
		CurrentReplicas: in.Status.CurrentReplicas, DesiredReplicas: in.Status.DesiredReplicas}
	annotations := maps.Clone(in.Annotations)
	dropRoundTrip(annotations)
	annotate := func(name string, value any) {
		text, err := json.Marshal(value)
		if err != nil {
			panic(err) // it consists of texts, numbers and times
		}
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[name] = string(text)
	}
	var others []autoscalingv1.MetricSpec
	for i := range in.Spec.Metrics {
		m := &in.Spec.Metrics[i]
		if m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil && m.Resource.Name == corev1.ResourceCPU &&
			m.Resource.Target.AverageUtilization != nil {
			if out.Spec.TargetCPUUtilizationPercentage == nil {
				n := *m.Resource.Target.AverageUtilization
				out.Spec.TargetCPUUtilizationPercentage = &n
			}
			continue
		}
		others = append(others, metricToV1(m))
	}
	if len(others) > 0 {
		annotate(metricSpecsAnnotation, others)
	}
	var statuses []autoscalingv1.MetricStatus
	for i := range in.Status.CurrentMetrics {
		m := &in.Status.CurrentMetrics[i]
		if m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil && m.Resource.Name == corev1.ResourceCPU &&
			m.Resource.Current.AverageUtilization != nil {
			n := *m.Resource.Current.AverageUtilization
			out.Status.CurrentCPUUtilizationPercentage = &n
		}
		statuses = append(statuses, metricStatusToV1(m))
	}
	if len(statuses) > 0 {
		annotate(metricStatusesAnnotation, statuses)
	}
	if b := in.Spec.Behavior; b != nil {
		annotate(behaviorAnnotation, behavior{rulesToV1(b.ScaleUp), rulesToV1(b.ScaleDown)})
	}
	var conditions []autoscalingv1.HorizontalPodAutoscalerCondition
	for _, c := range in.Status.Conditions {
		conditions = append(conditions, autoscalingv1.HorizontalPodAutoscalerCondition{Type: autoscalingv1.HorizontalPodAutoscalerConditionType(c.Type),
			Status: c.Status, LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message})
	}
	if len(conditions) > 0 {
		annotate(conditionsAnnotation, conditions)
	}
	out.Annotations = annotations
	api.SetKind(out)
	return out
}

// targetOf is a target with the type that its values say.
func targetOf(value, average *resource.Quantity, utilization *int32) autoscalingv2.MetricTarget {
	t := autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, Value: value, AverageValue: average, AverageUtilization: utilization}
	if utilization != nil {
		t.Type = autoscalingv2.UtilizationMetricType
	}
	return t
}

// amount is what a pointer points to, or none.
func amount(q *resource.Quantity) resource.Quantity {
	if q == nil {
		return resource.Quantity{}
	}
	return *q
}

func metricToV2(m *autoscalingv1.MetricSpec) autoscalingv2.MetricSpec {
	out := autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(m.Type)}
	if o := m.Object; o != nil {
		target := targetOf(&o.TargetValue, o.AverageValue, nil)
		if o.AverageValue == nil {
			target.Type = autoscalingv2.ValueMetricType
		} else if o.TargetValue.IsZero() {
			target.Value = nil
		}
		out.Object = &autoscalingv2.ObjectMetricSource{DescribedObject: autoscalingv2.CrossVersionObjectReference(o.Target), Target: target,
			Metric: autoscalingv2.MetricIdentifier{Name: o.MetricName, Selector: o.Selector}}
	}
	if o := m.Pods; o != nil {
		out.Pods = &autoscalingv2.PodsMetricSource{Target: targetOf(nil, &o.TargetAverageValue, nil),
			Metric: autoscalingv2.MetricIdentifier{Name: o.MetricName, Selector: o.Selector}}
	}
	if o := m.Resource; o != nil {
		out.Resource = &autoscalingv2.ResourceMetricSource{Name: o.Name, Target: targetOf(nil, o.TargetAverageValue, o.TargetAverageUtilization)}
	}
	if o := m.ContainerResource; o != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{Name: o.Name, Container: o.Container,
			Target: targetOf(nil, o.TargetAverageValue, o.TargetAverageUtilization)}
	}
	if o := m.External; o != nil {
		target := targetOf(o.TargetValue, o.TargetAverageValue, nil)
		if o.TargetValue != nil {
			target.Type = autoscalingv2.ValueMetricType
		}
		out.External = &autoscalingv2.ExternalMetricSource{Target: target,
			Metric: autoscalingv2.MetricIdentifier{Name: o.MetricName, Selector: o.MetricSelector}}
	}
	return out
}

func metricToV1(m *autoscalingv2.MetricSpec) autoscalingv1.MetricSpec {
	out := autoscalingv1.MetricSpec{Type: autoscalingv1.MetricSourceType(m.Type)}
	if o := m.Object; o != nil {
		out.Object = &autoscalingv1.ObjectMetricSource{Target: autoscalingv1.CrossVersionObjectReference(o.DescribedObject), MetricName: o.Metric.Name,
			TargetValue: amount(o.Target.Value), Selector: o.Metric.Selector, AverageValue: o.Target.AverageValue}
	}
	if o := m.Pods; o != nil {
		out.Pods = &autoscalingv1.PodsMetricSource{MetricName: o.Metric.Name, TargetAverageValue: amount(o.Target.AverageValue), Selector: o.Metric.Selector}
	}
	if o := m.Resource; o != nil {
		out.Resource = &autoscalingv1.ResourceMetricSource{Name: o.Name, TargetAverageUtilization: o.Target.AverageUtilization,
			TargetAverageValue: o.Target.AverageValue}
	}
	if o := m.ContainerResource; o != nil {
		out.ContainerResource = &autoscalingv1.ContainerResourceMetricSource{Name: o.Name, Container: o.Container,
			TargetAverageUtilization: o.Target.AverageUtilization, TargetAverageValue: o.Target.AverageValue}
	}
	if o := m.External; o != nil {
		out.External = &autoscalingv1.ExternalMetricSource{MetricName: o.Metric.Name, MetricSelector: o.Metric.Selector, TargetValue: o.Target.Value,
			TargetAverageValue: o.Target.AverageValue}
	}
	return out
}

func metricStatusToV2(m *autoscalingv1.MetricStatus) autoscalingv2.MetricStatus {
	out := autoscalingv2.MetricStatus{Type: autoscalingv2.MetricSourceType(m.Type)}
	if o := m.Object; o != nil {
		out.Object = &autoscalingv2.ObjectMetricStatus{DescribedObject: autoscalingv2.CrossVersionObjectReference(o.Target),
			Metric:  autoscalingv2.MetricIdentifier{Name: o.MetricName, Selector: o.Selector},
			Current: autoscalingv2.MetricValueStatus{Value: &o.CurrentValue, AverageValue: o.AverageValue}}
	}
	if o := m.Pods; o != nil {
		out.Pods = &autoscalingv2.PodsMetricStatus{Metric: autoscalingv2.MetricIdentifier{Name: o.MetricName, Selector: o.Selector},
			Current: autoscalingv2.MetricValueStatus{AverageValue: &o.CurrentAverageValue}}
	}
	if o := m.Resource; o != nil {
		out.Resource = &autoscalingv2.ResourceMetricStatus{Name: o.Name,
			Current: autoscalingv2.MetricValueStatus{AverageValue: &o.CurrentAverageValue, AverageUtilization: o.CurrentAverageUtilization}}
	}
	if o := m.ContainerResource; o != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricStatus{Name: o.Name, Container: o.Container,
			Current: autoscalingv2.MetricValueStatus{AverageValue: &o.CurrentAverageValue, AverageUtilization: o.CurrentAverageUtilization}}
	}
	if o := m.External; o != nil {
		out.External = &autoscalingv2.ExternalMetricStatus{Metric: autoscalingv2.MetricIdentifier{Name: o.MetricName, Selector: o.MetricSelector},
			Current: autoscalingv2.MetricValueStatus{Value: &o.CurrentValue, AverageValue: o.CurrentAverageValue}}
	}
	return out
}

func metricStatusToV1(m *autoscalingv2.MetricStatus) autoscalingv1.MetricStatus {
	out := autoscalingv1.MetricStatus{Type: autoscalingv1.MetricSourceType(m.Type)}
	if o := m.Object; o != nil {
		out.Object = &autoscalingv1.ObjectMetricStatus{Target: autoscalingv1.CrossVersionObjectReference(o.DescribedObject), MetricName: o.Metric.Name,
			CurrentValue: amount(o.Current.Value), Selector: o.Metric.Selector, AverageValue: o.Current.AverageValue}
	}
	if o := m.Pods; o != nil {
		out.Pods = &autoscalingv1.PodsMetricStatus{MetricName: o.Metric.Name, CurrentAverageValue: amount(o.Current.AverageValue), Selector: o.Metric.Selector}
	}
	if o := m.Resource; o != nil {
		out.Resource = &autoscalingv1.ResourceMetricStatus{Name: o.Name, CurrentAverageUtilization: o.Current.AverageUtilization,
			CurrentAverageValue: amount(o.Current.AverageValue)}
	}
	if o := m.ContainerResource; o != nil {
		out.ContainerResource = &autoscalingv1.ContainerResourceMetricStatus{Name: o.Name, Container: o.Container,
			CurrentAverageUtilization: o.Current.AverageUtilization, CurrentAverageValue: amount(o.Current.AverageValue)}
	}
	if o := m.External; o != nil {
		out.External = &autoscalingv1.ExternalMetricStatus{MetricName: o.Metric.Name, MetricSelector: o.Metric.Selector,
			CurrentValue: amount(o.Current.Value), CurrentAverageValue: o.Current.AverageValue}
	}
	return out
}
