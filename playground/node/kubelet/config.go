package kubelet

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
)

// podOperation says how a Pod in the API has changed for the kubelet.
// Upstream: pkg/kubelet/types/pod_update.go.
type podOperation string

const (
	opAdd       podOperation = "ADD"
	opUpdate    podOperation = "UPDATE"
	opDelete    podOperation = "DELETE"    // it is to be deleted gracefully: deletionTimestamp is set
	opRemove    podOperation = "REMOVE"    // it is gone from the API
	opReconcile podOperation = "RECONCILE" // only its status differs
)

type podUpdate struct {
	op     podOperation
	pod    *corev1.Pod
	source string // "api", or "file" for static Pods
}

// newPodInformer watches the Pods of this node, and no other.
// Upstream: config/apiserver.go NewSourceApiserver.
func (kl *Kubelet) newPodInformer() cache.SharedIndexInformer {
	informer := informers.NewFilteredInformer(kl.client, api.GroupVersionResource{Version: "v1", Resource: "pods"}, metav1.NamespaceAll, 0,
		func(o *metav1.ListOptions) { o.FieldSelector = "spec.nodeName=" + kl.options.Node })
	s := &podSource{known: map[types.UID]*corev1.Pod{}, deliver: func(op podOperation, pod *corev1.Pod) {
		kl.updates.Put(loopEvent{config: &podUpdate{op, pod, "api"}})
	}}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { s.set(obj.(*corev1.Pod)) },
		UpdateFunc: func(_, obj any) { s.set(obj.(*corev1.Pod)) },
		DeleteFunc: func(obj any) {
			if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = gone.Obj
			}
			if pod, ok := obj.(*corev1.Pod); ok {
				s.remove(pod)
			}
		},
	})
	return informer
}

// podSource turns what the watch says into what the loop has to do.
// Upstream: config/config.go podStorage.merge and checkAndUpdatePod.
type podSource struct {
	known   map[types.UID]*corev1.Pod
	byName  map[string]types.UID
	deliver func(podOperation, *corev1.Pod)
}

func (s *podSource) set(pod *corev1.Pod) {
	name := pod.Namespace + "/" + pod.Name
	if s.byName == nil {
		s.byName = map[string]types.UID{}
	}
	// A Pod that was deleted and created again while the watch was down comes as
	// an update: the old one is gone.
	if before, ok := s.byName[name]; ok && before != pod.UID {
		s.remove(s.known[before])
	}
	s.byName[name] = pod.UID
	old := s.known[pod.UID]
	s.known[pod.UID] = pod
	switch {
	case old == nil:
		s.deliver(opAdd, pod)
	case podsDifferSemantically(old, pod):
		if pod.DeletionTimestamp != nil {
			s.deliver(opDelete, pod)
		} else {
			s.deliver(opUpdate, pod)
		}
	case !api.SemanticDeepEqual(&old.Status, &pod.Status):
		s.deliver(opReconcile, pod)
	}
}

func (s *podSource) remove(pod *corev1.Pod) {
	if _, ok := s.known[pod.UID]; !ok {
		return
	}
	delete(s.known, pod.UID)
	delete(s.byName, pod.Namespace+"/"+pod.Name)
	s.deliver(opRemove, pod)
}

// podsDifferSemantically leaves out what doesn't matter for running a Pod:
// its status, its resource version.
func podsDifferSemantically(a, b *corev1.Pod) bool {
	return !(api.SemanticDeepEqual(&a.Spec, &b.Spec) && api.SemanticDeepEqual(a.Labels, b.Labels) && api.SemanticDeepEqual(a.Annotations, b.Annotations) &&
		a.DeletionTimestamp.Equal(b.DeletionTimestamp) && api.SemanticDeepEqual(a.DeletionGracePeriodSeconds, b.DeletionGracePeriodSeconds))
}

// podManager holds the Pods that the API has for this node, as the loop knows
// them, in the order in which they came. Upstream: pkg/kubelet/pod/pod_manager.go.
type podManager struct {
	byUID map[types.UID]*corev1.Pod
	order []types.UID
	// removed counts the Pods that were removed.
	removed int64
	// mirrors are those of static Pods in the API, by namespace and name.
	mirrors map[string]*corev1.Pod
}

// isStaticPod tells whether a Pod is from a file. Upstream: pkg/kubelet/types, IsStaticPod.
func isStaticPod(pod *corev1.Pod) bool { return pod.Annotations[configSource] == "file" }

// configSource is an annotation of static Pods, and of their mirrors. Upstream: ConfigSourceAnnotationKey.
const configSource = "kubernetes.io/config.source"

// InAPI implements status.PodManager. Upstream: Manager.GetMirrorPodByPod.
func (m *podManager) InAPI(pod *corev1.Pod) *corev1.Pod {
	if isStaticPod(pod) {
		return m.mirrors[pod.Namespace+"/"+pod.Name]
	}
	return pod
}

func newPodManager() *podManager { return &podManager{byUID: map[types.UID]*corev1.Pod{}} }

// GetPodByUID implements status.PodManager.
func (m *podManager) GetPodByUID(uid types.UID) (*corev1.Pod, bool) {
	pod, ok := m.byUID[uid]
	return pod, ok
}

// GetPods returns all Pods.
func (m *podManager) GetPods() []*corev1.Pod {
	out := make([]*corev1.Pod, len(m.order))
	for i, uid := range m.order {
		out[i] = m.byUID[uid]
	}
	return out
}

// UpdatePod adds or replaces a Pod.
func (m *podManager) UpdatePod(pod *corev1.Pod) {
	if _, ok := m.byUID[pod.UID]; !ok {
		m.order = append(m.order, pod.UID)
	}
	m.byUID[pod.UID] = pod
}

// RemovePod forgets a Pod.
func (m *podManager) RemovePod(pod *corev1.Pod) {
	if _, ok := m.byUID[pod.UID]; !ok {
		return
	}
	delete(m.byUID, pod.UID)
	m.removed++
	for i, uid := range m.order {
		if uid == pod.UID {
			m.order = append(m.order[:i:i], m.order[i+1:]...)
			return
		}
	}
}
