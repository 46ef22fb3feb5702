package kubebuilder

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/controller"
	"kubewalk/playground/operator/controllerruntime/controllerutil"
	"kubewalk/playground/operator/controllerruntime/manager"
	"kubewalk/playground/operator/controllerruntime/predicate"
	"kubewalk/playground/operator/controllerruntime/reconcile"
	"kubewalk/playground/operator/controllerruntime/runtime"
	webv1 "kubewalk/playground/operator/kubebuilder/api/v1"
	websites "kubewalk/playground/operator/kubebuilder/internal/controller"
)

// Mistakes are lines that the program's author may have left out. Whoever runs the program may switch them while it runs, as if another build
// had taken its place. What the program then sends is what it would send without those lines.
type Mistakes struct {
	// SwallowErrors: Reconcile logs errors, and returns nil.
	SwallowErrors bool
	// NoOwner: nobody calls SetControllerReference.
	NoOwner bool
	// NoFinalizer: nobody calls AddFinalizer.
	NoFinalizer bool
	// NoPredicate: For is called without WithPredicates.
	NoPredicate bool
}

// carelessManager has a careless client, and careless controllers.
type carelessManager struct {
	manager.Manager
	mistakes *Mistakes
}

func (m carelessManager) GetClient() client.Client {
	return carelessClient{m.Manager.GetClient(), m.mistakes, m.GetScheme()}
}

func (m carelessManager) Add(c *controller.Controller) error {
	c.Do = carelessReconciler{c.Do, m.mistakes}
	for i := range c.Watches {
		for j, p := range c.Watches[i].Predicates {
			c.Watches[i].Predicates[j] = carelessPredicate{p, m.mistakes}
		}
	}
	return m.Manager.Add(c)
}

type carelessReconciler struct {
	reconcile.Reconciler
	mistakes *Mistakes
}

func (r carelessReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	result, err := r.Reconciler.Reconcile(ctx, req)
	if err != nil && r.mistakes.SwallowErrors {
		ctx.Logger.Error(err, "Reconcile failed")
		err = nil
	}
	return result, err
}

type carelessPredicate struct {
	predicate.Predicate
	mistakes *Mistakes
}

func (p carelessPredicate) Update(before, now api.Object) bool {
	return p.mistakes.NoPredicate || p.Predicate.Update(before, now)
}

// carelessClient makes of a call that is in the code one that is not: the reader of an object finds what the call would add there already, so
// it changes nothing, and the writer leaves it out.
type carelessClient struct {
	client.Client
	mistakes *Mistakes
	scheme   *runtime.Scheme
}

func (c carelessClient) Get(ctx context.Context, key client.ObjectKey, obj client.Object) error {
	if err := c.Client.Get(ctx, key, obj); err != nil {
		return err
	}
	switch obj := obj.(type) {
	case *webv1.Website:
		if c.mistakes.NoFinalizer && obj.DeletionTimestamp == nil {
			controllerutil.AddFinalizer(obj, websites.Finalizer)
		}
	case *appsv1.Deployment, *corev1.Service:
		website := &webv1.Website{} // objects have the names of their Websites
		if c.mistakes.NoOwner && c.Client.Get(ctx, key, website) == nil {
			return controllerutil.SetControllerReference(website, obj, c.scheme)
		}
	}
	return nil
}

func (c carelessClient) Create(ctx context.Context, obj client.Object) error {
	if c.mistakes.NoOwner {
		obj.SetOwnerReferences(nil)
	}
	return c.Client.Create(ctx, obj)
}

func (c carelessClient) Update(ctx context.Context, obj client.Object) error {
	stored := obj.DeepCopyObject()
	if c.mistakes.NoOwner && c.Client.Get(ctx, client.ObjectKeyFromObject(obj), stored) == nil {
		obj.SetOwnerReferences(stored.GetOwnerReferences())
	}
	return c.Client.Update(ctx, obj)
}
