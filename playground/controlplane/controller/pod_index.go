package controller

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/cache"
)

// The names of the indexes over Pods. Upstream: pkg/controller/controller_utils.go.
const (
	podControllerIndex   = "podController"
	PodNodeNameKeyIndex  = "spec.nodeName"
	OrphanPodIndexKey    = "_ORPHAN_POD"
	orphanPodIndexSuffix = "/" + OrphanPodIndexKey
)

// AddPodControllerIndexer indexes the Pods in an informer's cache by namespace
// and controller, the orphans of a namespace together. Adding it again changes
// nothing.
func AddPodControllerIndexer(informer cache.SharedIndexInformer) error {
	if _, exists := informer.GetIndexer().GetIndexers()[podControllerIndex]; exists {
		return nil
	}
	// One after the other, Pods have the same controller more often than not.
	var last []string
	var of struct {
		namespace string
		ref       *metav1.OwnerReference
	}
	return informer.AddIndexers(cache.Indexers{podControllerIndex: func(obj any) ([]string, error) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			return nil, nil
		}
		ref := metav1.GetControllerOfNoCopy(pod)
		if last == nil || of.namespace != pod.Namespace || !sameController(of.ref, ref) {
			last, of.namespace, of.ref = []string{podControllerIndexKey(pod.Namespace, ref)}, pod.Namespace, ref
		}
		return last, nil
	}})
}

func sameController(a, b *metav1.OwnerReference) bool {
	return a == b || a != nil && b != nil && a.UID == b.UID && a.Name == b.Name && a.Kind == b.Kind
}

func podControllerIndexKey(namespace string, ref *metav1.OwnerReference) string {
	if ref == nil {
		return namespace + orphanPodIndexSuffix
	}
	return namespace + "/" + ref.Kind + "/" + ref.Name + "/" + string(ref.UID)
}

// FilterPodsByOwner returns the Pods that an owner of that kind controls and,
// when asked to, the orphans of its namespace, by key.
func FilterPodsByOwner(indexer cache.Indexer, owner api.Object, kind string, includeOrphans bool) ([]*corev1.Pod, error) {
	ref := &metav1.OwnerReference{Kind: kind, Name: owner.GetName(), UID: types.UID(owner.GetUID())}
	keys := []string{podControllerIndexKey(owner.GetNamespace(), ref)}
	if includeOrphans {
		keys = append(keys, podControllerIndexKey(owner.GetNamespace(), nil))
	}
	var out []*corev1.Pod
	for _, key := range keys {
		pods, err := podsByIndex(indexer, podControllerIndex, key)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = pods
			continue
		}
		out = append(out, pods...)
	}
	return out, nil
}

// OrphanPods returns the Pods of a namespace that nobody controls, by key.
func OrphanPods(indexer cache.Indexer, namespace string) ([]*corev1.Pod, error) {
	return podsByIndex(indexer, podControllerIndex, podControllerIndexKey(namespace, nil))
}

// AddPodNodeNameIndexer indexes Pods by the node that they are bound to.
func AddPodNodeNameIndexer(informer cache.SharedIndexInformer) error {
	if _, exists := informer.GetIndexer().GetIndexers()[PodNodeNameKeyIndex]; exists {
		return nil
	}
	return informer.AddIndexers(cache.Indexers{PodNodeNameKeyIndex: func(obj any) ([]string, error) {
		pod, ok := obj.(*corev1.Pod)
		if !ok || pod.Spec.NodeName == "" {
			return nil, nil
		}
		return []string{pod.Spec.NodeName}, nil
	}})
}

// PodsOnNode returns the Pods bound to a node, by key.
func PodsOnNode(indexer cache.Indexer, nodeName string) ([]*corev1.Pod, error) {
	return podsByIndex(indexer, PodNodeNameKeyIndex, nodeName)
}

func podsByIndex(indexer cache.Indexer, index, value string) ([]*corev1.Pod, error) {
	objs, err := indexer.ByIndex(index, value)
	if err != nil {
		return nil, err
	}
	out := make([]*corev1.Pod, 0, len(objs))
	for _, obj := range objs {
		if pod, ok := obj.(*corev1.Pod); ok {
			out = append(out, pod)
		}
	}
	return out, nil
}
