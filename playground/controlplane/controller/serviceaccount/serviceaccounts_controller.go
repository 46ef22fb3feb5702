// Package serviceaccount sees to it that each active namespace has the account
// that Pods run under which name none: "default".
//
// Absent: tokens. Real kubelets ask the API server for one that ends with the
// Pod; nothing here asks who somebody is. So there is nothing for the controllers
// of token Secrets either.
//
// Upstream: pkg/controller/serviceaccount/serviceaccounts_controller.go.
package serviceaccount

import (
	"errors"

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
const Name = "service-account-controller"

// managed are the accounts that each namespace is given.
// Upstream: ServiceAccountsControllerOptions.ServiceAccounts.
var managed = []string{"default"}

// ServiceAccountsController makes the accounts that are missing.
type ServiceAccountsController struct {
	component *sim.Component
	client    *client.Clientset
	saLister  listers.ServiceAccountLister
	nsLister  listers.NamespaceLister
	synced    []cache.InformerSynced
	queue     workqueue.TypedRateLimitingInterface[string] // of namespaces
}

// NewServiceAccountsController makes a controller of a component. The informers are not started here.
func NewServiceAccountsController(c *sim.Component, saInformer informers.ServiceAccountInformer, nsInformer informers.NamespaceInformer,
	cl *client.Clientset) *ServiceAccountsController {
	sc := &ServiceAccountsController{
		component: c, client: cl,
		saLister: saInformer.Lister(), nsLister: nsInformer.Lister(),
		synced: []cache.InformerSynced{saInformer.Informer().HasSynced, nsInformer.Informer().HasSynced},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "serviceaccount"}),
	}
	saInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: sc.serviceAccountDeleted})
	nsInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { sc.queue.Add(obj.(*corev1.Namespace).Name) },
		UpdateFunc: func(_, cur any) { sc.queue.Add(cur.(*corev1.Namespace).Name) },
	})
	return sc
}

func (c *ServiceAccountsController) serviceAccountDeleted(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	if sa, ok := obj.(*corev1.ServiceAccount); ok {
		c.queue.Add(sa.Namespace)
	}
}

// Run works once the caches hold the cluster.
func (c *ServiceAccountsController) Run(p *sim.Proc) {
	p.Logger().Info("Starting service account controller")
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

func (c *ServiceAccountsController) syncNamespace(p *sim.Proc, key string) error {
	ns, err := c.nsLister.Get(key)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if ns.Status.Phase != corev1.NamespaceActive {
		p.Logger().V(4).Info("Namespace is not active, no service account is created", "namespace", key, "phase", string(ns.Status.Phase))
		return nil
	}
	var failures []error
	for _, name := range managed {
		if _, err := c.saLister.ServiceAccounts(ns.Name).Get(name); err == nil {
			continue
		} else if !apierrors.IsNotFound(err) {
			return err
		}
		p.Logger().V(4).Info("Creating service account", "namespace", key, "serviceAccount", name)
		sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns.Name}}
		_, err := c.client.CoreV1().ServiceAccounts(ns.Name).Create(p, sa, metav1.CreateOptions{})
		// A namespace that began to go meanwhile needs none.
		if err != nil && !apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}
