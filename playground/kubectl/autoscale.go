package kubectl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

// runAutoscale is kubectl autoscale: a HorizontalPodAutoscaler for something that scales.
// Upstream: kubectl pkg/cmd/autoscale/autoscale.go, AutoscaleOptions.Run.
func runAutoscale(s *session) error {
	least, most := s.flags.number("min", -1), s.flags.number("max", -1)
	switch {
	case !s.flags.has("max"):
		return errors.New(`required flag(s) "max" not set`)
	case most < 1:
		return fmt.Errorf("--max=MAXPODS is required and must be at least 1, max: %d", most)
	case most < least:
		return fmt.Errorf("--max=MAXPODS must be larger or equal to --min=MINPODS, max: %d, min: %d", most, least)
	case s.flags.has("cpu-percent") && s.flags.has("cpu"):
		return errors.New("--cpu-percent and --cpu are mutually exclusive")
	}
	if s.flags.has("cpu-percent") {
		s.complain("Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).")
	}
	return s.eachFetched(s.args, func(i *info) error {
		if _, ok := i.kind.Subresource("scale"); !ok {
			return fmt.Errorf("cannot autoscale a %s: could not find scale subresource for %v in discovery information", i.kind.Kind, i.kind.GroupVersionResource())
		}
		hpa := &autoscalingv2.HorizontalPodAutoscaler{}
		hpa.Name = s.flags.or("name", i.name)
		hpa.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: i.kind.GroupVersion().String(), Kind: i.kind.Kind, Name: i.name}
		hpa.Spec.MaxReplicas = int32(most)
		if least > 0 {
			n := int32(least)
			hpa.Spec.MinReplicas = &n
		}
		for _, m := range []struct {
			name corev1.ResourceName
			text string
		}{{corev1.ResourceCPU, s.cpuTarget()}, {corev1.ResourceMemory, s.flags.text("memory")}} {
			if m.text == "" {
				continue
			}
			target, err := metricTarget(m.name, m.text)
			if err != nil {
				return err
			}
			hpa.Spec.Metrics = append(hpa.Spec.Metrics, autoscalingv2.MetricSpec{
				Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: m.name, Target: target},
			})
		}
		made := &info{kind: api.KindOf(hpa), namespace: i.namespace, name: hpa.Name, tree: tree(hpa), typed: true}
		made.tree["apiVersion"], made.tree["kind"] = made.kind.ToAPIVersionAndKind()
		s.nameNamespace(made)
		obj, err := s.create(made, s.flags.or("field-manager", "kubectl-autoscale"))
		if err != nil {
			return s.inVersion1(err)
		}
		return s.show(obj, made, "autoscaled")
	})
}

// inVersion1 is why it cannot be made: in autoscaling/v1 neither, which can say less.
// Upstream: autoscale.go, AutoscaleOptions.canCreateHPAV1.
func (s *session) inVersion1(err error) error {
	target, wrong := metricTarget(corev1.ResourceCPU, s.flags.text("cpu"))
	if wrong == nil && target.Type == autoscalingv2.UtilizationMetricType && s.flags.text("memory") == "" {
		return err
	}
	why := "%!w(<nil>)" // as upstream
	if s.flags.text("cpu") == "" {
		why = "empty input"
	}
	return errors.New("failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1: " + why)
}

func (s *session) cpuTarget() string {
	if n := s.flags.number("cpu-percent", 0); n > 0 {
		return fmt.Sprintf("%d%%", n)
	}
	return s.flags.text("cpu")
}

// metricTarget reads "70%", "500m" or a bare number, which is in milli-CPUs or mebibytes.
// Upstream: autoscale.go, parseResourceInput.
func metricTarget(name corev1.ResourceName, text string) (autoscalingv2.MetricTarget, error) {
	text = strings.TrimSpace(text)
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		n, err := strconv.ParseInt(percent, 10, 32)
		if err != nil || n < 0 {
			return autoscalingv2.MetricTarget{}, fmt.Errorf("invalid percentage value: %s", percent)
		}
		v := int32(n)
		return autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &v}, nil
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		if name == corev1.ResourceCPU {
			text += "m"
		} else {
			text += "Mi"
		}
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return autoscalingv2.MetricTarget{}, fmt.Errorf("invalid resource %s value: %s", name, text)
	}
	return autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &q}, nil
}
