package podautoscaler

import (
	"errors"
	"fmt"

	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/sim"
)

// computeReplicasForMetrics asks each metric and takes the largest answer. valid is
// false when all failed, or some did and the others would shrink: who could not be
// asked might want more. Upstream: horizontal.go, computeReplicasForMetrics.
func (a *HorizontalController) computeReplicasForMetrics(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, scale *autoscalingv1.Scale) (replicas int32,
	metric string,
	statuses []autoscalingv2.MetricStatus, valid bool, err error) {
	selector, err := a.validateAndParseSelector(p, hpa, scale.Status.Selector)
	if err != nil {
		return 0, "", nil, false, err
	}
	specs := hpa.Spec.Metrics
	statuses = make([]autoscalingv2.MetricStatus, len(specs))
	failed := 0
	var first error
	firstReason := ""
	var firstSpec *autoscalingv2.MetricSpec
	for i := range specs {
		proposed, name, reason, err := a.computeReplicasForMetric(p, hpa, &specs[i], scale, selector, &statuses[i])
		if err != nil {
			a.recorder.Event(hpa, corev1.EventTypeWarning, reason, err.Error())
			if failed == 0 {
				first, firstReason, firstSpec = err, reason, &specs[i]
			}
			failed++
			continue
		}
		if replicas == 0 || proposed.replicas > replicas {
			replicas, metric = proposed.replicas, name
		}
	}
	if failed > 0 {
		err = fmt.Errorf("invalid metrics (%v invalid out of %v), first error is: %v", failed, len(specs), failedTo(firstSpec, first))
	}
	if failed >= len(specs) || failed > 0 && replicas < scale.Spec.Replicas {
		setCondition(p, hpa, autoscalingv2.ScalingActive, corev1.ConditionFalse, firstReason, "the HPA was unable to compute the replica count: "+first.Error())
		return 0, "", statuses, false, err
	}
	setCondition(p, hpa, autoscalingv2.ScalingActive, corev1.ConditionTrue, "ValidMetricFound",
		"the HPA was able to successfully calculate a replica count from "+metric)
	return replicas, metric, statuses, true, err
}

// failedTo says of which metric an error is.
func failedTo(spec *autoscalingv2.MetricSpec, err error) error {
	switch spec.Type {
	case autoscalingv2.ObjectMetricSourceType:
		return fmt.Errorf("failed to get object metric value: %v", err)
	case autoscalingv2.PodsMetricSourceType:
		return fmt.Errorf("failed to get pods metric value: %v", err)
	case autoscalingv2.ResourceMetricSourceType:
		return fmt.Errorf("failed to get %s resource metric value: %v", spec.Resource.Name, err)
	case autoscalingv2.ContainerResourceMetricSourceType:
		return fmt.Errorf("failed to get %s container metric value: %v", spec.ContainerResource.Name, err)
	case autoscalingv2.ExternalMetricSourceType:
		return fmt.Errorf("failed to get %s external metric value: %v", spec.External.Metric.Name, err)
	}
	return err
}

// computeReplicasForMetric asks one metric, and writes down what it said. name is
// how events call it, reason is the event's and the condition's when it fails.
func (a *HorizontalController) computeReplicasForMetric(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, spec *autoscalingv2.MetricSpec,
	scale *autoscalingv1.Scale,
	selector labels.Selector, status *autoscalingv2.MetricStatus) (out proposal, name, reason string, err error) {
	c, t, namespace := &a.replicaCalc, tolerancesForHpa(hpa), hpa.Namespace
	want, have := scale.Spec.Replicas, scale.Status.Replicas
	*status = autoscalingv2.MetricStatus{Type: spec.Type}
	switch spec.Type {
	case autoscalingv2.ResourceMetricSourceType:
		s := spec.Resource
		var value autoscalingv2.MetricValueStatus
		if out, value, name, err = a.resourceMetric(p, want, s.Name, &s.Target, t, namespace, selector, ""); err != nil {
			*status = autoscalingv2.MetricStatus{}
			return out, "", "FailedGetResourceMetric", err
		}
		status.Resource = &autoscalingv2.ResourceMetricStatus{Name: s.Name, Current: value}
	case autoscalingv2.ContainerResourceMetricSourceType:
		s := spec.ContainerResource
		var value autoscalingv2.MetricValueStatus
		if out, value, name, err = a.resourceMetric(p, want, s.Name, &s.Target, t, namespace, selector, s.Container); err != nil {
			*status = autoscalingv2.MetricStatus{}
			return out, "", "FailedGetContainerResourceMetric", err
		}
		status.ContainerResource = &autoscalingv2.ContainerResourceMetricStatus{Name: s.Name, Container: s.Container, Current: value}
	case autoscalingv2.PodsMetricSourceType:
		s := spec.Pods
		if out, err = c.GetMetricReplicas(p, want, s.Target.AverageValue.MilliValue(), s.Metric.Name, t, namespace, selector); err != nil {
			*status = autoscalingv2.MetricStatus{}
			return out, "", "FailedGetPodsMetric", err
		}
		name = "pods metric " + s.Metric.Name
		status.Pods = &autoscalingv2.PodsMetricStatus{Metric: s.Metric, Current: average(out.usage)}
	case autoscalingv2.ObjectMetricSourceType:
		s := spec.Object
		var value autoscalingv2.MetricValueStatus
		switch {
		case s.Target.Type == autoscalingv2.ValueMetricType && s.Target.Value != nil:
			out, err = c.GetObjectMetricReplicas(p, want, s.Target.Value.MilliValue(), s.Metric.Name, t, namespace, &s.DescribedObject, selector)
			value, name = total(out.usage), s.DescribedObject.Kind+" metric "+s.Metric.Name
		case s.Target.Type == autoscalingv2.AverageValueMetricType && s.Target.AverageValue != nil:
			out, err = c.GetObjectPerPodMetricReplicas(p, have, s.Target.AverageValue.MilliValue(), s.Metric.Name, t, namespace, &s.DescribedObject)
			value, name = average(out.usage), fmt.Sprintf("external metric %s(%+v)", s.Metric.Name, s.Metric.Selector)
		default:
			err = errors.New("invalid object metric source: neither a value target nor an average value target was set")
		}
		if err != nil {
			*status = autoscalingv2.MetricStatus{}
			return out, "", "FailedGetObjectMetric", err
		}
		status.Object = &autoscalingv2.ObjectMetricStatus{Metric: s.Metric, DescribedObject: s.DescribedObject, Current: value}
	case autoscalingv2.ExternalMetricSourceType:
		s := spec.External
		var value autoscalingv2.MetricValueStatus
		metricSelector, err := labels.LabelSelectorAsSelector(s.Metric.Selector)
		switch {
		case err != nil:
		case s.Target.AverageValue != nil:
			out, err = c.GetExternalPerPodMetricReplicas(p, have, s.Target.AverageValue.MilliValue(), s.Metric.Name, t, namespace, metricSelector)
			value = average(out.usage)
		case s.Target.Value != nil:
			out, err = c.GetExternalMetricReplicas(p, want, s.Target.Value.MilliValue(), s.Metric.Name, t, namespace, metricSelector, selector)
			value = total(out.usage)
		default:
			err = errors.New("invalid external metric source: neither a value target nor an average value target was set")
		}
		if err != nil {
			*status = autoscalingv2.MetricStatus{}
			return out, "", "FailedGetExternalMetric", err
		}
		name = fmt.Sprintf("external metric %s(%+v)", s.Metric.Name, s.Metric.Selector)
		status.External = &autoscalingv2.ExternalMetricStatus{Metric: s.Metric, Current: value}
	default:
		return out, "", "InvalidMetricSourceType", fmt.Errorf("unknown metric source type %q", string(spec.Type))
	}
	return out, name, "", nil
}

// resourceMetric is for CPU and memory, of Pods or of one container of each.
// Upstream: horizontal.go, computeStatusForResourceMetricGeneric.
func (a *HorizontalController) resourceMetric(p *sim.Proc, current int32, res corev1.ResourceName, target *autoscalingv2.MetricTarget, t Tolerances,
	namespace string, selector labels.Selector, container string) (out proposal, value autoscalingv2.MetricValueStatus, name string, err error) {
	switch {
	case target.AverageValue != nil:
		if out, err = a.replicaCalc.GetRawResourceReplicas(p, current, target.AverageValue.MilliValue(), res, t, namespace, selector, container); err != nil {
			return out, value, "", fmt.Errorf("failed to get %s usage: %v", res, err)
		}
		value.AverageValue = buildQuantity(res, out.usage)
		return out, value, string(res) + " resource", nil
	case target.AverageUtilization == nil:
		return out, value, "", errors.New("invalid resource metric source: neither an average utilization target nor an average value (usage) target was set")
	}
	if out, err = a.replicaCalc.GetResourceReplicas(p, current, *target.AverageUtilization, res, t, namespace, selector, container); err != nil {
		return out, value, "", fmt.Errorf("failed to get %s utilization: %v", res, err)
	}
	utilization := out.utilization
	value.AverageUtilization, value.AverageValue = &utilization, buildQuantity(res, out.usage)
	if container != "" {
		return out, value, string(res) + " container resource utilization (percentage of request)", nil
	}
	return out, value, string(res) + " resource utilization (percentage of request)", nil
}

func buildQuantity(res corev1.ResourceName, milli int64) *resource.Quantity {
	if res == corev1.ResourceMemory {
		return resource.NewMilliQuantity(milli, resource.BinarySI)
	}
	return resource.NewMilliQuantity(milli, resource.DecimalSI)
}

func average(milli int64) autoscalingv2.MetricValueStatus {
	return autoscalingv2.MetricValueStatus{AverageValue: resource.NewMilliQuantity(milli, resource.DecimalSI)}
}

func total(milli int64) autoscalingv2.MetricValueStatus {
	return autoscalingv2.MetricValueStatus{Value: resource.NewMilliQuantity(milli, resource.DecimalSI)}
}

// tolerancesForHpa are 10 % both ways, or what the behavior says.
func tolerancesForHpa(hpa *autoscalingv2.HorizontalPodAutoscaler) Tolerances {
	t := Tolerances{tolerance, tolerance}
	if b := hpa.Spec.Behavior; b != nil {
		if b.ScaleDown != nil && b.ScaleDown.Tolerance != nil {
			t.scaleDown = b.ScaleDown.Tolerance.MilliValue()
		}
		if b.ScaleUp != nil && b.ScaleUp.Tolerance != nil {
			t.scaleUp = b.ScaleUp.Tolerance.MilliValue()
		}
	}
	return t
}
