package disruption

import (
	"fmt"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// getExpectedPodCount returns how many Pods there should be and how many of them
// have to be healthy. Percentages are rounded up, both of them.
// Upstream: disruption.go, getExpectedPodCount.
func (dc *DisruptionController) getExpectedPodCount(p *sim.Proc, pdb *policyv1.PodDisruptionBudget, pods []*corev1.Pod) (expected, desiredHealthy int32,
	unmanaged []string, err error) {
	switch lo, hi := pdb.Spec.MinAvailable, pdb.Spec.MaxUnavailable; {
	case hi != nil:
		if expected, unmanaged, err = dc.getExpectedScale(p, pods); err != nil {
			return 0, 0, nil, err
		}
		n, err := intstr.GetScaledValueFromIntOrPercent(hi, int(expected), true)
		return expected, max(0, expected-int32(n)), unmanaged, err
	case lo != nil && lo.Type == intstr.Int:
		return int32(len(pods)), lo.IntVal, nil, nil
	case lo != nil:
		if expected, unmanaged, err = dc.getExpectedScale(p, pods); err != nil {
			return 0, 0, nil, err
		}
		n, err := intstr.GetScaledValueFromIntOrPercent(lo, int(expected), true)
		return expected, int32(n), unmanaged, err
	}
	return 0, 0, nil, nil
}

// getExpectedScale adds up the scales of all that the Pods are of.
func (dc *DisruptionController) getExpectedScale(p *sim.Proc, pods []*corev1.Pod) (expected int32, unmanaged []string, err error) {
	seenRef, seen := map[types.UID]bool{}, map[types.UID]bool{}
	for _, pod := range pods {
		ref := metav1.GetControllerOfNoCopy(pod)
		if ref == nil {
			unmanaged = append(unmanaged, pod.Name)
			continue
		}
		if seenRef[ref.UID] {
			continue
		}
		seenRef[ref.UID] = true
		c, err := dc.find(p, ref, pod.Namespace)
		if err != nil {
			return 0, nil, err
		}
		if c == nil {
			return 0, nil, fmt.Errorf("found no controllers for pod %q", pod.Name)
		}
		if !seen[c.UID] {
			seen[c.UID] = true
			expected += c.scale
			p.Logger().V(4).Info("Found the scale of a controller", "kind", ref.Kind, "controller", ref.Name, "uid", string(c.UID), "scale", c.scale)
		}
	}
	return expected, unmanaged, nil
}

type controllerAndScale struct {
	types.UID
	scale int32
}

// find asks whatever controls a Pod for its scale. nil says that it is gone.
// Upstream: disruption.go, finders: one function to each kind, and
// getScaleController for all others.
func (dc *DisruptionController) find(p *sim.Proc, ref *metav1.OwnerReference, namespace string) (*controllerAndScale, error) {
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	switch gvk.Group + "/" + gvk.Kind {
	case "/ReplicationController":
		rc, err := dc.rcLister.ReplicationControllers(namespace).Get(ref.Name)
		if err != nil || rc.UID != ref.UID {
			return nil, nil
		}
		return &controllerAndScale{rc.UID, *rc.Spec.Replicas}, nil
	case "apps/ReplicaSet":
		rs, err := dc.rsLister.ReplicaSets(namespace).Get(ref.Name)
		if err != nil || rs.UID != ref.UID {
			return nil, nil
		}
		return dc.replicaSetOrDeployment(rs), nil
	case "apps/StatefulSet":
		ss, err := dc.ssLister.StatefulSets(namespace).Get(ref.Name)
		if err != nil || ss.UID != ref.UID {
			return nil, nil
		}
		return &controllerAndScale{ss.UID, *ss.Spec.Replicas}, nil
	}
	return dc.getScaleController(p, ref, gvk, namespace)
}

func (dc *DisruptionController) replicaSetOrDeployment(rs *appsv1.ReplicaSet) *controllerAndScale {
	ref := metav1.GetControllerOfNoCopy(rs)
	if ref == nil || ref.Kind != "Deployment" {
		return &controllerAndScale{rs.UID, *rs.Spec.Replicas}
	}
	d, err := dc.dLister.Deployments(rs.Namespace).Get(ref.Name)
	if err != nil || d.UID != ref.UID {
		return nil
	}
	return &controllerAndScale{d.UID, *d.Spec.Replicas}
}

// getScaleController asks the API server for the scale of any other kind.
func (dc *DisruptionController) getScaleController(p *sim.Proc, ref *metav1.OwnerReference, gvk schema.GroupVersionKind, namespace string) (*controllerAndScale,
	error) {
	kind := dc.kubeClient.Transport().Kinds().For(gvk)
	if kind == nil {
		return nil, nil
	}
	if _, scalable := kind.Subresource("scale"); !scalable {
		return nil, fmt.Errorf("%s does not implement the scale subresource", kind.GroupResource().String())
	}
	scale, err := client.As[*autoscalingv1.Scale](dc.kubeClient.Transport().Do(p, &client.Request{Verb: client.Get,
		Resource: kind.GroupVersionResource(), Namespace: namespace, Name: ref.Name, Subresource: "scale"}))
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if scale.UID != ref.UID {
		return nil, nil
	}
	return &controllerAndScale{scale.UID, scale.Spec.Replicas}, nil
}
