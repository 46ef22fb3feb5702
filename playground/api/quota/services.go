package quota

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

// serviceEvaluator is upstream's pkg/quota/v1/evaluator/core/services.go.
type serviceEvaluator struct{}

const serviceObjectCount corev1.ResourceName = "count/services"

func (serviceEvaluator) GroupResource() api.GroupResource {
	return api.GroupResource{Resource: "services"}
}

// Handles wants updates too: a Service may become a NodePort, or get more ports.
func (serviceEvaluator) Handles(op Operation, subresource string, _, _ api.Object) bool {
	return (op == Create || op == Update) && subresource == ""
}

func (serviceEvaluator) MatchingResources(names []corev1.ResourceName) []corev1.ResourceName {
	return Intersection(names, []corev1.ResourceName{serviceObjectCount, corev1.ResourceServices,
		corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers})
}

func (serviceEvaluator) Usage(obj api.Object, _ time.Time) corev1.ResourceList {
	svc := obj.(*corev1.Service)
	nodePorts, balancers := 0, 0
	switch svc.Spec.Type {
	case corev1.ServiceTypeNodePort:
		nodePorts = len(svc.Spec.Ports)
	case corev1.ServiceTypeLoadBalancer:
		balancers = 1
		if a := svc.Spec.AllocateLoadBalancerNodePorts; a == nil || *a {
			nodePorts = len(svc.Spec.Ports)
			break
		}
		for i := range svc.Spec.Ports {
			if svc.Spec.Ports[i].NodePort != 0 {
				nodePorts++
			}
		}
	}
	out := counted(serviceObjectCount, corev1.ResourceServices)
	out[corev1.ResourceServicesNodePorts] = *resource.NewQuantity(int64(nodePorts), resource.DecimalSI)
	out[corev1.ResourceServicesLoadBalancers] = *resource.NewQuantity(int64(balancers), resource.DecimalSI)
	return out
}

func (serviceEvaluator) MatchesScope(corev1.ScopedResourceSelectorRequirement, api.Object) (bool, error) {
	return false, nil
}

func (serviceEvaluator) Constraints([]corev1.ResourceName, api.Object) error { return nil }
