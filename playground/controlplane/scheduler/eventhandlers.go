package scheduler

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	clientcache "kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/queue"
)

// addAllEventHandlers feeds the cache and the queue.
// Upstream: pkg/scheduler/eventhandlers.go, whose functions have the same names.
func (s *Scheduler) addAllEventHandlers(profiles map[string]queue.Profile) {
	pods, err := s.factory.Core().V1().Pods().Informer().AddEventHandler(clientcache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { s.addPod(obj.(*corev1.Pod)) },
		UpdateFunc: func(oldObj, newObj any) { s.updatePod(oldObj.(*corev1.Pod), newObj.(*corev1.Pod)) },
		DeleteFunc: s.deletePod,
	})
	if err != nil {
		panic(fmt.Sprintf("scheduler: adding the handler of pods: %v", err))
	}
	nodes, err := s.factory.Core().V1().Nodes().Informer().AddEventHandler(clientcache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { s.addNodeToCache(obj.(*corev1.Node)) },
		UpdateFunc: func(oldObj, newObj any) { s.updateNodeInCache(oldObj.(*corev1.Node), newObj.(*corev1.Node)) },
		DeleteFunc: s.deleteNodeFromCache,
	})
	if err != nil {
		panic(fmt.Sprintf("scheduler: adding the handler of nodes: %v", err))
	}
	s.handlers = append(s.handlers, pods, nodes)
	// Of other kinds, what some plugin waits for.
	for _, kind := range [...]struct {
		resource framework.EventResource
		informer func() clientcache.SharedIndexInformer
	}{
		{framework.PersistentVolume, s.factory.Core().V1().PersistentVolumes().Informer},
		{framework.PersistentVolumeClaim, s.factory.Core().V1().PersistentVolumeClaims().Informer},
		{framework.StorageClass, s.factory.Storage().V1().StorageClasses().Informer},
		{framework.CSINode, s.factory.Storage().V1().CSINodes().Informer},
		{framework.VolumeAttachment, s.factory.Storage().V1().VolumeAttachments().Informer},
		{framework.ResourceClaim, s.devices("resourceclaims")},
		{framework.ResourceSlice, s.devices("resourceslices")},
		{framework.DeviceClass, s.devices("deviceclasses")},
	} {
		var actions framework.ActionType
		for _, f := range s.profiles {
			for _, h := range profiles[f.ProfileName].Hints {
				if h.Event.Resource == kind.resource {
					actions |= h.Event.ActionType
				}
			}
		}
		if actions == 0 {
			continue
		}
		handler, err := kind.informer().AddEventHandler(s.eventHandler(kind.resource, actions))
		if err != nil {
			panic(fmt.Sprintf("scheduler: adding the handler of %s: %v", kind.resource, err))
		}
		s.handlers = append(s.handlers, handler)
	}
	s.addDynamicEventHandlers(profiles)
}

// devices is the informer of a resource of resource.k8s.io, which few clusters have.
func (s *Scheduler) devices(resource string) func() clientcache.SharedIndexInformer {
	return func() clientcache.SharedIndexInformer {
		return s.factory.InformerFor(api.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: resource}, nil)
	}
}

// addDynamicEventHandlers is for kinds that a definition adds. A plugin names one as "podgroups.v1alpha1.scheduling.x-k8s.io".
func (s *Scheduler) addDynamicEventHandlers(profiles map[string]queue.Profile) {
	actions := map[framework.EventResource]framework.ActionType{}
	var resources []framework.EventResource
	for _, f := range s.profiles {
		for _, h := range profiles[f.ProfileName].Hints {
			if r := h.Event.Resource; strings.Count(string(r), ".") > 1 {
				if actions[r] == 0 {
					resources = append(resources, r)
				}
				actions[r] |= h.Event.ActionType
			}
		}
	}
	for _, r := range resources {
		parts := strings.SplitN(string(r), ".", 3)
		gvr := api.GroupVersionResource{Group: parts[2], Version: parts[1], Resource: parts[0]}
		informer := s.dynInformerFactory.InformerFor(gvr, func(cs *client.Clientset, resync time.Duration) clientcache.SharedIndexInformer {
			lw := clientcache.NewListWatch(cs.Transport(), gvr, "", nil)
			return clientcache.NewSharedIndexInformer(lw, &api.Unstructured{}, resync, clientcache.Indexers{})
		})
		if _, err := informer.AddEventHandler(s.eventHandler(r, actions[r])); err != nil {
			panic(fmt.Sprintf("scheduler: adding the handler of %s: %v", r, err))
		}
	}
}

// eventHandler passes events of a kind on to the queue.
func (s *Scheduler) eventHandler(resource framework.EventResource, actions framework.ActionType) clientcache.ResourceEventHandlerFuncs {
	move := func(action framework.ActionType, oldObj, newObj api.Object) {
		if actions&action != 0 {
			s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(framework.ClusterEvent{Resource: resource, ActionType: action}, oldObj, newObj, nil)
		}
	}
	return clientcache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { move(framework.Add, nil, obj.(api.Object)) },
		UpdateFunc: func(oldObj, newObj any) { move(framework.Update, oldObj.(api.Object), newObj.(api.Object)) },
		DeleteFunc: func(obj any) {
			if o, ok := lastState[api.Object](obj); ok {
				move(framework.Delete, o, nil)
			}
		},
	}
}

func (s *Scheduler) addNodeToCache(node *corev1.Node) {
	s.log().V(3).Info("Add event for node", "node", node.Name)
	s.Cache.AddNode(node)
	s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add}, nil, node, nil)
}

func (s *Scheduler) updateNodeInCache(oldNode, newNode *corev1.Node) {
	s.Cache.UpdateNode(oldNode, newNode)
	events := framework.NodeSchedulingPropertiesChange(newNode, oldNode)
	if len(events) == 0 {
		return // a heartbeat: upstream logs it, here the log is what readers see
	}
	s.log().V(4).Info("Update event for node", "node", newNode.Name)
	for _, event := range events {
		s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(event, oldNode, newNode, nil)
	}
}

func (s *Scheduler) deleteNodeFromCache(obj any) {
	node, ok := lastState[*corev1.Node](obj)
	if !ok {
		return
	}
	s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Delete}, node, nil, nil)
	s.log().V(3).Info("Delete event for node", "node", node.Name)
	s.handle(s.Cache.RemoveNode(node), "Scheduler cache RemoveNode failed")
}

func (s *Scheduler) addPod(pod *corev1.Pod) {
	switch {
	case assignedPod(pod):
		s.addAssignedPodToCache(pod)
	case s.responsibleForPod(pod):
		s.addPodToSchedulingQueue(pod)
	}
}

func (s *Scheduler) updatePod(oldPod, newPod *corev1.Pod) {
	if oldPod.UID != newPod.UID {
		// Deleted and made again while the watch was broken.
		s.deletePod(oldPod)
		s.addPod(newPod)
		return
	}
	switch {
	case assignedPod(oldPod):
		s.updateAssignedPodInCache(oldPod, newPod)
	case assignedPod(newPod):
		// The binding.
		s.addAssignedPodToCache(newPod)
		if s.responsibleForPod(oldPod) {
			// It is in no queue, unless somebody else has bound it.
			s.deletePodFromSchedulingQueue(oldPod, true)
		}
	case s.responsibleForPod(oldPod):
		s.updatePodInSchedulingQueue(oldPod, newPod)
	}
}

func (s *Scheduler) deletePod(obj any) {
	pod, ok := lastState[*corev1.Pod](obj)
	if !ok {
		return
	}
	_, stale := obj.(clientcache.DeletedFinalStateUnknown)
	if assignedPod(pod) || stale && s.Cache.GetPod(pod.UID) != nil && !s.Cache.IsAssumedPod(pod) {
		s.deleteAssignedPodFromCache(pod)
	} else if s.responsibleForPod(pod) {
		s.deletePodFromSchedulingQueue(pod, false)
	}
}

func (s *Scheduler) addPodToSchedulingQueue(pod *corev1.Pod) {
	s.log().V(3).Info("Add event for unscheduled pod", "pod", framework.Key(pod))
	s.SchedulingQueue.Add(pod)
}

func (s *Scheduler) updatePodInSchedulingQueue(oldPod, newPod *corev1.Pod) {
	if oldPod.ResourceVersion == newPod.ResourceVersion {
		return
	}
	if s.Cache.IsAssumedPod(newPod) {
		if newPod.DeletionTimestamp != nil && oldPod.DeletionTimestamp == nil {
			s.handleAssumedPodDeletion(newPod)
		}
		return
	}
	s.log().V(4).Info("Update event for unscheduled pod", "pod", framework.Key(newPod))
	s.SchedulingQueue.Update(oldPod, newPod)
	if was := oldPod.Status.NominatedNodeName; was != "" && was != newPod.Status.NominatedNodeName {
		// Others treat a nominated Pod as if it ran there: it has left, for them.
		s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(framework.EventAssignedPodDelete, oldPod, nil, lowerOrEqualPriority(oldPod))
	}
}

// lowerOrEqualPriority selects the Pods that have to respect the Pod's nomination.
func lowerOrEqualPriority(than *corev1.Pod) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool { return framework.PodPriority(pod) <= framework.PodPriority(than) }
}

// deletePodFromSchedulingQueue; inBinding: it is not gone, it was bound.
func (s *Scheduler) deletePodFromSchedulingQueue(pod *corev1.Pod, inBinding bool) {
	if inBinding && s.SchedulingQueue.Pending(framework.Key(pod)) == "" {
		return // the ordinary case, which upstream logs as a deletion
	}
	s.log().V(3).Info("Delete event for unscheduled pod", "pod", framework.Key(pod))
	s.SchedulingQueue.Delete(pod)
	switch {
	case inBinding:
	case s.Cache.IsAssumedPod(pod):
		s.handleAssumedPodDeletion(pod)
	case pod.Status.NominatedNodeName != "":
		s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(framework.EventAssignedPodDelete, pod, nil, lowerOrEqualPriority(pod))
	}
}

// handleAssumedPodDeletion frees at once what an assumed Pod takes up that is
// being deleted. Its binding goes on, and will fail.
func (s *Scheduler) handleAssumedPodDeletion(pod *corev1.Pod) {
	assumed := s.Cache.GetPod(pod.UID) // this version has the node
	if assumed == nil {
		s.log().V(5).Info("Assumed pod was already forgotten", "pod", framework.Key(pod))
		return
	}
	rejected := false
	for _, f := range s.profiles {
		rejected = rejected || f.RejectWaitingPod(pod.UID)
	}
	if !rejected {
		s.handle(s.Cache.ForgetPod(assumed, "deleted"), "Scheduler cache ForgetPod failed")
	}
	s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(framework.EventAssignedPodDelete, assumed, nil, nil)
}

func (s *Scheduler) addAssignedPodToCache(pod *corev1.Pod) {
	if log := s.log(); log.Enabled() {
		log.V(3).Info("Add event for scheduled pod", "pod", framework.Key(pod))
	}
	s.handle(s.Cache.AddPod(pod), "Scheduler cache AddPod failed")
	s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(framework.EventAssignedPodAdd, nil, pod, nil)
}

func (s *Scheduler) updateAssignedPodInCache(oldPod, newPod *corev1.Pod) {
	s.handle(s.Cache.UpdatePod(oldPod, newPod), "Scheduler cache UpdatePod failed")
	for _, event := range framework.PodSchedulingPropertiesChange(newPod, oldPod) {
		s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(event, oldPod, newPod, nil)
	}
}

func (s *Scheduler) deleteAssignedPodFromCache(pod *corev1.Pod) {
	s.log().V(3).Info("Delete event for scheduled pod", "pod", framework.Key(pod))
	s.handle(s.Cache.RemovePod(pod), "Scheduler cache RemovePod failed")
	s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(framework.EventAssignedPodDelete, pod, nil, nil)
}

func assignedPod(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" }

func (s *Scheduler) responsibleForPod(pod *corev1.Pod) bool {
	return s.frameworkForPod(pod) != nil
}

// lastState unpacks what a deletion handler is given.
func lastState[T any](obj any) (T, bool) {
	if d, ok := obj.(clientcache.DeletedFinalStateUnknown); ok {
		obj = d.Obj
	}
	t, ok := obj.(T)
	return t, ok
}
