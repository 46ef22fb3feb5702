package chaos

import (
	"fmt"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "autoscalers", controllers: []string{"horizontal-pod-autoscaler-controller", "deployment-controller", "endpointslice-controller"},
		prepare: func(_ *dice, cfg *cluster.Config) { cfg.Metrics, cfg.Network = true, true },
		act:     (*dice).autoscalers, unsettled: autoscalersUnsettled})
}

// autoscalers change a ReplicaSet of their own: its autoscaler, its load, itself.
func (d *dice) autoscalers(at time.Duration) {
	const name = "scaled"
	if d.once("replicasets/" + name) {
		d.apply(at, map[string]any{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": map[string]any{"name": name}, "spec": map[string]any{
			"replicas": 1 + d.IntN(4), "selector": map[string]any{"matchLabels": map[string]any{"app": name}}, "template": d.podTemplate(name, 1+d.IntN(2))}})
		d.apply(at, d.autoscaler(name))
		return
	}
	switch d.IntN(6) {
	case 0:
		d.apply(at, d.autoscaler(name))
	case 1, 2, 3:
		d.add(cluster.Input{At: at, Kind: cluster.Load, Resource: "replicasets", Namespace: "default", Name: name, Value: fmt.Sprintf("%dm", 50*d.IntN(9))})
	default:
		d.changeWorkload(at, "replicasets", name)
	}
}

func (d *dice) autoscaler(name string) map[string]any {
	spec := map[string]any{
		"scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name},
		"minReplicas":    1 + d.IntN(3), "maxReplicas": 3 + d.IntN(4), "behavior": nil,
		"metrics": []any{map[string]any{"type": "Resource", "resource": map[string]any{"name": "cpu",
			"target": map[string]any{"type": "Utilization", "averageUtilization": 50 + 10*d.IntN(5)}}}},
	}
	if d.IntN(2) == 0 {
		spec["behavior"] = map[string]any{"scaleUp": map[string]any{"policies": []any{map[string]any{"type": "Pods", "value": 1, "periodSeconds": 15}}},
			"scaleDown": map[string]any{"stabilizationWindowSeconds": 30}}
	}
	return map[string]any{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": map[string]any{"name": name}, "spec": spec}
}

// What an autoscaler scales is within its bounds, and its status says how it is.
func autoscalersUnsettled(s trace.State, say sayer) {
	replicas := map[string]int32{}
	for _, c := range s.Cells(trace.CellObject) {
		if rs, ok := s[c].(*appsv1.ReplicaSet); ok {
			replicas[rs.Name] = *rs.Spec.Replicas
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		hpa, ok := s[c].(*autoscalingv2.HorizontalPodAutoscaler)
		if !ok || hpa.Spec.ScaleTargetRef.Kind != "ReplicaSet" {
			continue
		}
		n, there := replicas[hpa.Spec.ScaleTargetRef.Name]
		if !there || n == 0 {
			continue // nothing to scale, or switched off
		}
		if n < *hpa.Spec.MinReplicas || n > hpa.Spec.MaxReplicas {
			say("autoscaler %s: %d replicas are not within %d and %d", c.Key, n, *hpa.Spec.MinReplicas, hpa.Spec.MaxReplicas)
		}
		if hpa.Status.CurrentReplicas != n || hpa.Status.DesiredReplicas != n {
			say("autoscaler %s: status has %d current and %d desired replicas, the target %d", c.Key, hpa.Status.CurrentReplicas, hpa.Status.DesiredReplicas, n)
		}
	}
}
