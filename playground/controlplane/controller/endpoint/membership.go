package endpoint

import (
	"errors"
	"maps"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
)

// ServicesByPod wakes the Services that a Pod belongs to, belonged to, or may belong to now. Both controllers of
// endpoints stand on it. Upstream: staging/src/k8s.io/endpointslice/util/controller_utils.go.
type ServicesByPod struct {
	Services listers.ServiceLister
	Queue    workqueue.TypedRateLimitingInterface[string]
}

// Handlers are what is to happen when Pods change.
func (s *ServicesByPod) Handlers() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { s.enqueue(nil, obj.(*corev1.Pod)) },
		UpdateFunc: func(old, cur any) {
			was, is := old.(*corev1.Pod), cur.(*corev1.Pod)
			if was.ResourceVersion == is.ResourceVersion {
				return // a resync: nothing has changed
			}
			s.enqueue(was, is)
		},
		DeleteFunc: func(obj any) {
			if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = gone.Obj
			}
			if pod, ok := obj.(*corev1.Pod); ok {
				s.enqueue(pod, nil)
			}
		},
	}
}

// enqueue adds the Services of either state. Upstream: GetServicesToUpdateOnPodChange.
func (s *ServicesByPod) enqueue(old, cur *corev1.Pod) {
	pod := cur
	changed, labelsChanged := true, false
	switch {
	case cur == nil:
		pod = old
	case old != nil:
		changed, labelsChanged = PodEndpointsChanged(old, cur)
		if !changed && !labelsChanged {
			return
		}
	}
	all, err := s.Services.Services(pod.Namespace).List(labels.Everything())
	if err != nil {
		return
	}
	for _, svc := range all {
		if len(svc.Spec.Selector) == 0 {
			continue // whoever made it writes its endpoints
		}
		selector := labels.SelectorFromSet(svc.Spec.Selector)
		is := selector.Matches(labels.Set(pod.Labels))
		was := labelsChanged && selector.Matches(labels.Set(old.Labels))
		// With the same membership, only a change of what an endpoint shows matters.
		if changed && (is || was) || is != was && labelsChanged {
			s.Queue.Add(controller.KeyFunc(svc))
		}
	}
}

// PodEndpointsChanged says whether what an endpoint shows of a Pod changed, and whether its labels did.
// Upstream: endpointslice/util, podEndpointsChanged.
func PodEndpointsChanged(old, cur *corev1.Pod) (changed, labelsChanged bool) {
	labelsChanged = !maps.Equal(old.Labels, cur.Labels) || old.Spec.Hostname != cur.Spec.Hostname || old.Spec.Subdomain != cur.Spec.Subdomain
	changed = (old.DeletionTimestamp == nil) != (cur.DeletionTimestamp == nil) ||
		controller.IsPodReady(old) != controller.IsPodReady(cur) ||
		ShouldPodBeInEndpoints(old, true) != ShouldPodBeInEndpoints(cur, true) ||
		old.Status.PodIP != cur.Status.PodIP || old.Spec.NodeName != cur.Spec.NodeName
	return changed, labelsChanged
}

// ShouldPodBeInEndpoints says that traffic may reach the Pod, now or while it ends.
// Upstream: endpointslice/util, ShouldPodBeInEndpoints.
func ShouldPodBeInEndpoints(pod *corev1.Pod, includeTerminating bool) bool {
	if controller.IsPodTerminal(pod) || pod.Status.PodIP == "" {
		return false
	}
	return includeTerminating || pod.DeletionTimestamp == nil
}

// ShouldSetHostname says that the Pod has a name of its own below the Service's. Upstream: ShouldSetHostname.
func ShouldSetHostname(pod *corev1.Pod, svc *corev1.Service) bool {
	return pod.Spec.Hostname != "" && pod.Spec.Subdomain == svc.Name && pod.Namespace == svc.Namespace
}

var errNoPort = errors.New("no suitable port for manifest")

// FindPort is the number of a Service's target port in a Pod: names are those of the Pod's containers.
// Upstream: pkg/api/v1/pod/util.go, FindPort.
func FindPort(pod *corev1.Pod, port *corev1.ServicePort) (int32, error) {
	if port.TargetPort.Type == intstr.Int {
		return port.TargetPort.IntVal, nil
	}
	for _, list := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range list {
			for _, p := range list[i].Ports {
				if p.Name == port.TargetPort.StrVal && p.Protocol == port.Protocol {
					return p.ContainerPort, nil
				}
			}
		}
	}
	return 0, errNoPort
}

// WatchServices enqueues every Service that changes.
func WatchServices(informer cache.SharedIndexInformer, queue workqueue.TypedRateLimitingInterface[string]) {
	add := func(obj any) {
		if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			queue.Add(gone.Key)
			return
		}
		queue.Add(controller.KeyFunc(obj.(api.Object)))
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, cur any) { add(cur) }, DeleteFunc: add,
	})
}

// isHeadless says that a Service has no address of its own.
func isHeadless(svc *corev1.Service) bool { return svc.Spec.ClusterIP == corev1.ClusterIPNone }

// SortedKeys are a map's keys in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
