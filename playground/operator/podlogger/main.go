package podlogger

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the program's component.
const Name = "workqueue-example"

// Start brings the program up.
// Upstream: k8s.io/client-go/examples/workqueue/main.go, main.
func Start(k *sim.Kernel, t client.Transport, stdout *Stdout) *sim.Component {
	component := k.Start(Name)
	component.Run(func() {
		podListWatcher := cache.NewListWatch(t, api.GroupVersionResource{Version: "v1", Resource: "pods"}, metav1.NamespaceDefault, nil)
		// region queue
		queue := workqueue.NewTypedRateLimitingQueueWithConfig(component,
			workqueue.DefaultTypedControllerRateLimiter[string](component),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: Name})
		// endregion
		// region handlers
		informer := cache.NewSharedIndexInformer(podListWatcher, &corev1.Pod{}, 0, cache.Indexers{})
		add := func(obj any, keyFunc cache.KeyFunc) {
			if key, err := keyFunc(obj); err == nil {
				queue.Add(key)
			}
		}
		_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { add(obj, cache.MetaNamespaceKeyFunc) },
			UpdateFunc: func(_, obj any) { add(obj, cache.MetaNamespaceKeyFunc) },
			// The watch may have missed it: then there is only a note of its key.
			DeleteFunc: func(obj any) { add(obj, cache.DeletionHandlingMetaNamespaceKeyFunc) },
		})
		// endregion
		// region main
		indexer := informer.GetIndexer()
		controller := NewController(queue, indexer, informer, stdout)

		// A Pod that it knew when it ran last. If it is gone, the first list shows that.
		_ = indexer.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "mypod", Namespace: metav1.NamespaceDefault}})

		component.Go("main", func(p *sim.Proc) { controller.Run(p, 1) })
		// endregion
	})
	return component
}
