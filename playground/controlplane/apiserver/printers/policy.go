package printers

import (
	"fmt"
	"strings"

	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/policyv1"
)

func (p printer) printPodDisruptionBudget(o *policyv1.PodDisruptionBudget) []any {
	limit := func(v *intstr.IntOrString) string {
		if v == nil {
			return "N/A"
		}
		return v.String()
	}
	return []any{o.Name, limit(o.Spec.MinAvailable), limit(o.Spec.MaxUnavailable), int64(o.Status.DisruptionsAllowed), p.created(o)}
}

func (p printer) printHorizontalPodAutoscaler(o *autoscalingv2.HorizontalPodAutoscaler) []any {
	least := "<unset>"
	if o.Spec.MinReplicas != nil {
		least = fmt.Sprint(*o.Spec.MinReplicas)
	}
	return []any{o.Name, o.Spec.ScaleTargetRef.Kind + "/" + o.Spec.ScaleTargetRef.Name, formatHPAMetrics(o.Spec.Metrics, o.Status.CurrentMetrics),
		least, int64(o.Spec.MaxReplicas), int64(o.Status.CurrentReplicas), p.created(o)}
}

// formatHPAMetrics is "cpu: 12%/50%": what is, and what is aimed at, of the first two metrics.
// Upstream: printers.go, the function of that name.
func formatHPAMetrics(specs []autoscalingv2.MetricSpec, statuses []autoscalingv2.MetricStatus) string {
	if len(specs) == 0 {
		return "<none>"
	}
	const shown = 2
	var all []string
	for i, spec := range specs {
		var status *autoscalingv2.MetricStatus
		if i < len(statuses) {
			status = &statuses[i]
		}
		all = append(all, formatHPAMetric(&spec, status))
	}
	if len(all) > shown {
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:shown], ", "), len(all)-shown)
	}
	return strings.Join(all, ", ")
}

func formatHPAMetric(spec *autoscalingv2.MetricSpec, status *autoscalingv2.MetricStatus) string {
	var target *autoscalingv2.MetricTarget
	var current *autoscalingv2.MetricValueStatus // nil while it is not known
	name := ""
	switch spec.Type {
	case autoscalingv2.ExternalMetricSourceType:
		if target = &spec.External.Target; status != nil && status.External != nil {
			current = &status.External.Current
		}
	case autoscalingv2.ObjectMetricSourceType:
		if target = &spec.Object.Target; status != nil && status.Object != nil {
			current = &status.Object.Current
		}
	case autoscalingv2.PodsMetricSourceType:
		if target = &spec.Pods.Target; status != nil && status.Pods != nil {
			current = &status.Pods.Current
		}
		now, _ := averageValue(current)
		return now + "/" + target.AverageValue.String()
	case autoscalingv2.ResourceMetricSourceType:
		if target = &spec.Resource.Target; status != nil && status.Resource != nil {
			current = &status.Resource.Current
		}
		name = string(spec.Resource.Name)
	case autoscalingv2.ContainerResourceMetricSourceType:
		if target = &spec.ContainerResource.Target; status != nil && status.ContainerResource != nil {
			current = &status.ContainerResource.Current
		}
		name = string(spec.ContainerResource.Name)
	default:
		return "<unknown type>"
	}
	now, known := averageValue(current)
	if target.AverageValue != nil {
		if name == "" {
			return fmt.Sprintf("%s/%s (avg)", now, target.AverageValue)
		}
		return fmt.Sprintf("%s: %s/%s", name, now, target.AverageValue)
	}
	if name == "" {
		if now = "<unknown>"; known && current.Value != nil {
			now = current.Value.String()
		}
		return fmt.Sprintf("%s/%s", now, target.Value)
	}
	now, aim := "<unknown>", "<auto>"
	if known && current.AverageUtilization != nil {
		now = fmt.Sprintf("%d%%", *current.AverageUtilization)
	}
	if target.AverageUtilization != nil {
		aim = fmt.Sprintf("%d%%", *target.AverageUtilization)
	}
	return fmt.Sprintf("%s: %s/%s", name, now, aim)
}

// averageValue is the current average as text. known tells whether anything is known.
func averageValue(current *autoscalingv2.MetricValueStatus) (text string, known bool) {
	if current == nil || current.AverageValue == nil {
		return "<unknown>", current != nil
	}
	return current.AverageValue.String(), true
}
