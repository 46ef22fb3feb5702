package registry

import (
	"slices"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// podStrategy is upstream's pkg/registry/core/pod/strategy.go.
type podStrategy struct{ plain }

// podStatusStrategy is for pods/status: it takes the status and leaves the rest.
type podStatusStrategy struct{ podStrategy }

func init() {
	register("/pods", podStrategy{})
	register("/pods/status", podStatusStrategy{})
}

func (podStrategy) PrepareForCreate(obj api.Object) {
	pod := obj.(*corev1.Pod)
	pod.Generation = 1
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: computePodQOS(pod)}
	if len(pod.Spec.SchedulingGates) > 0 {
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "SchedulingGated",
			Message: "Scheduling is blocked due to non-empty scheduling gates", ObservedGeneration: 1,
		}}
	}
	narrowAffinity(pod)
}

func (podStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidatePod(obj.(*corev1.Pod))
}

func (podStrategy) PrepareForUpdate(obj, old api.Object) {
	pod, oldPod := obj.(*corev1.Pod), old.(*corev1.Pod)
	pod.Status = oldPod.Status
	countGeneration(pod, oldPod)
}

func (podStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidatePodUpdate(obj.(*corev1.Pod), old.(*corev1.Pod))
}

// CheckGracefulDelete gives a Pod the grace period of the request, or else its own; none if no kubelet has it, or if it
// has ended.
func (podStrategy) CheckGracefulDelete(obj api.Object, options *metav1.DeleteOptions) bool {
	pod := obj.(*corev1.Pod)
	period := int64(0)
	if options.GracePeriodSeconds != nil {
		period = *options.GracePeriodSeconds
	} else if pod.Spec.TerminationGracePeriodSeconds != nil {
		period = *pod.Spec.TerminationGracePeriodSeconds
	}
	if pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		period = 0
	}
	if period < 0 {
		period = 1
	}
	options.GracePeriodSeconds = &period
	return true
}

// podFields are the fields that upstream's ToSelectableFields lists: read when a selector asks, since each Pod is matched
// against the watch of every kubelet.
type podFields struct{ pod *corev1.Pod }

var podFieldNames = []string{"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
	"status.phase", "status.podIP", "status.nominatedNodeName"}

// Has implements fields.Fields.
func (f podFields) Has(field string) bool {
	return field == "metadata.name" || field == "metadata.namespace" || slices.Contains(podFieldNames, field)
}

// Get implements fields.Fields.
func (f podFields) Get(field string) string {
	pod := f.pod
	switch field {
	case "metadata.name":
		return pod.Name
	case "metadata.namespace":
		return pod.Namespace
	case "spec.nodeName":
		return pod.Spec.NodeName
	case "spec.restartPolicy":
		return string(pod.Spec.RestartPolicy)
	case "spec.schedulerName":
		return pod.Spec.SchedulerName
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName
	case "spec.hostNetwork":
		return strconv.FormatBool(pod.Spec.HostNetwork)
	case "status.phase":
		return string(pod.Status.Phase)
	case "status.podIP":
		if len(pod.Status.PodIPs) > 0 {
			return pod.Status.PodIPs[0].IP
		}
		return pod.Status.PodIP
	case "status.nominatedNodeName":
		return pod.Status.NominatedNodeName
	}
	return ""
}

// SelectableFields lists what upstream's ToSelectableFields does.
func (podStrategy) SelectableFields(obj api.Object) fields.Set {
	pod, _ := obj.(*corev1.Pod)
	if pod == nil {
		pod = &corev1.Pod{}
	}
	out := fields.Set{}
	for _, name := range podFieldNames {
		out[name] = podFields{pod}.Get(name)
	}
	return out
}

func (podStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	pod, oldPod := obj.(*corev1.Pod), old.(*corev1.Pod)
	pod.Spec = oldPod.Spec
	pod.DeletionTimestamp = nil
	pod.OwnerReferences = oldPod.OwnerReferences // only a real update may change them
	if pod.Status.QOSClass == "" {
		pod.Status.QOSClass = oldPod.Status.QOSClass
	}
	pod.Status.NodeAllocatableResourceClaimStatuses = nil // DRANodeAllocatableResources is off in Kubernetes 1.36
}

func (podStatusStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidatePodStatusUpdate(obj.(*corev1.Pod), old.(*corev1.Pod))
}
