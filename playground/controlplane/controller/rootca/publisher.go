// Package rootca puts what Pods verify the API server with into each namespace:
// ConfigMap kube-root-ca.crt. Every Pod mounts it beside its token, so that a
// namespace without it is one in which no Pod starts.
//
// Simplified: nobody speaks TLS here, and the certificate is a text that says so.
//
// Upstream: pkg/controller/certificates/rootcacertpublisher.
package rootca

import (
	"maps"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "root-ca-cert-publisher"

// RootCACertConfigMapName is the ConfigMap's name in each namespace.
const RootCACertConfigMapName = "kube-root-ca.crt"

// RootCA is what stands for the cluster's certificate.
const RootCA = "-----BEGIN CERTIFICATE-----\nno TLS is spoken in this cluster\n-----END CERTIFICATE-----\n"

const (
	descriptionAnnotation = "kubernetes.io/description"
	description           = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."
)

// Publisher keeps the ConfigMap in each namespace as it should be.
type Publisher struct {
	component *sim.Component
	client    *client.Clientset
	cmLister  listers.ConfigMapLister
	synced    []cache.InformerSynced
	queue     workqueue.TypedRateLimitingInterface[string] // of namespaces
}

// NewPublisher makes a controller of a component. The informers are not started here.
func NewPublisher(c *sim.Component, cmInformer informers.ConfigMapInformer, nsInformer informers.NamespaceInformer, cl *client.Clientset) *Publisher {
	r := &Publisher{
		component: c, client: cl, cmLister: cmInformer.Lister(),
		synced: []cache.InformerSynced{cmInformer.Informer().HasSynced, nsInformer.Informer().HasSynced},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "root_ca_cert_publisher"}),
	}
	cmInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, cur any) { r.configMap(cur) },
		DeleteFunc: r.configMap,
	})
	nsInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { r.queue.Add(obj.(*corev1.Namespace).Name) },
		UpdateFunc: func(_, cur any) {
			if ns := cur.(*corev1.Namespace); ns.Status.Phase == corev1.NamespaceActive {
				r.queue.Add(ns.Name)
			}
		},
	})
	return r
}

// configMap queues the namespace of a ConfigMap of that name, which somebody changed or deleted.
func (c *Publisher) configMap(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	if cm, ok := obj.(*corev1.ConfigMap); ok && cm.Name == RootCACertConfigMapName {
		c.queue.Add(cm.Namespace)
	}
}

// Run works once the caches hold the cluster.
func (c *Publisher) Run(p *sim.Proc) {
	p.Logger().Info("Starting root CA cert publisher controller")
	cache.WaitForCacheSync(p, c.synced...)
	c.component.Go("worker", func(p *sim.Proc) {
		for {
			key, quit := c.queue.Get(p)
			if quit {
				return
			}
			if err := c.syncNamespace(p, key); err != nil {
				controller.HandleError(p.Logger(), err, "Syncing namespace failed", "namespace", key)
				c.queue.AddRateLimited(key)
			} else {
				c.queue.Forget(key)
			}
			c.queue.Done(key)
		}
	})
}

func (c *Publisher) syncNamespace(p *sim.Proc, namespace string) error {
	log := p.Logger()
	data := map[string]string{"ca.crt": RootCA}
	cm, err := c.cmLister.ConfigMaps(namespace).Get(RootCACertConfigMapName)
	switch {
	case apierrors.IsNotFound(err):
		log.V(4).Info("Publishing the root CA", "namespace", namespace)
		_, err = c.client.CoreV1().ConfigMaps(namespace).Create(p, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: RootCACertConfigMapName, Namespace: namespace, Annotations: map[string]string{descriptionAnnotation: description}},
			Data:       data,
		}, metav1.CreateOptions{})
		// In a namespace that goes, or is gone, there is nothing to do.
		if apierrors.IsNotFound(err) || apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause) {
			return nil
		}
		return err
	case err != nil:
		return err
	case maps.Equal(cm.Data, data) && cm.Annotations[descriptionAnnotation] != "":
		return nil
	}
	cm = cm.DeepCopy()
	cm.Data = data
	if cm.Annotations == nil {
		cm.Annotations = map[string]string{}
	}
	if cm.Annotations[descriptionAnnotation] == "" {
		cm.Annotations[descriptionAnnotation] = description
	}
	log.V(4).Info("Restoring the root CA", "namespace", namespace)
	_, err = c.client.CoreV1().ConfigMaps(namespace).Update(p, cm, metav1.UpdateOptions{})
	return err
}
