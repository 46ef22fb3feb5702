package samplecontroller

import (
	"errors"
	"fmt"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// The reasons and messages of the controller's Events.
const (
	SuccessSynced         = "Synced"
	ErrResourceExists     = "ErrResourceExists"
	MessageResourceExists = "Resource %q already exists and is not managed by Foo"
	MessageResourceSynced = "Foo synced successfully"
)

// Controller keeps a Deployment for each Foo.
// Upstream: controller.go, Controller.
type Controller struct {
	kubeclientset   *client.Clientset // writes Deployments
	sampleclientset FooClient         // writes Foos

	deploymentsLister listers.DeploymentLister // reads the cache of Deployments
	deploymentsSynced cache.InformerSynced
	foosLister        FooLister // reads the cache of Foos
	foosSynced        cache.InformerSynced

	workqueue     workqueue.TypedRateLimitingInterface[string] // keys of Foos
	recorder      record.EventRecorder
	syncHandler   func(p *sim.Proc, key string) error
	newDeployment func(foo *Foo) *appsv1.Deployment
	logger        sim.Logger // of the handlers
}

// NewController makes one and connects it to its informers. Nothing runs yet.
func NewController(component *sim.Component, kubeclientset *client.Clientset, sampleclientset FooClient,
	deploymentInformer informers.DeploymentInformer, fooInformer cache.SharedIndexInformer, recorder record.EventRecorder, mistakes *Mistakes) *Controller {
	controller := &Controller{
		kubeclientset:     kubeclientset,
		sampleclientset:   sampleclientset,
		deploymentsLister: deploymentInformer.Lister(),
		deploymentsSynced: deploymentInformer.Informer().HasSynced,
		foosLister:        FooLister{fooInformer.GetIndexer()},
		foosSynced:        fooInformer.HasSynced,
		workqueue:         carelessQueue{newQueue(component), mistakes},
		recorder:          recorder,
		newDeployment:     carelessDeployment(mistakes),
		logger:            component.Kernel().Logger(),
	}
	controller.syncHandler = carelessSync(mistakes, controller.sync)
	controller.logger.Info("Setting up event handlers")
	// region handlers
	_, _ = fooInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    controller.enqueueFoo,
		UpdateFunc: func(_, foo any) { controller.enqueueFoo(foo) },
	})
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: controller.handleObject,
		UpdateFunc: func(before, now any) {
			if before.(*appsv1.Deployment).ResourceVersion == now.(*appsv1.Deployment).ResourceVersion {
				return // a resync: nothing has changed
			}
			controller.handleObject(now)
		},
		DeleteFunc: controller.handleObject,
	}
	// endregion
	_, _ = deploymentInformer.Informer().AddEventHandler(carelessHandler(mistakes, handler))
	return controller
}

// Run starts the workers once both caches are full.
func (c *Controller) Run(p *sim.Proc, workers int) {
	p.Logger().Info("Starting Foo controller")
	p.Logger().Info("Waiting for informer caches to sync")
	cache.WaitForCacheSync(p, c.deploymentsSynced, c.foosSynced)

	p.Logger().Info("Starting workers", "count", workers)
	for i := range workers {
		p.Component().Go(fmt.Sprintf("worker-%d", i+1), c.runWorker)
	}
	p.Logger().Info("Started workers")
}

func (c *Controller) runWorker(p *sim.Proc) {
	for c.processNextWorkItem(p) {
	}
}

// processNextWorkItem handles one key, and waits for one if there is none.
func (c *Controller) processNextWorkItem(p *sim.Proc) bool {
	key, shutdown := c.workqueue.Get(p)
	if shutdown {
		return false
	}
	defer c.workqueue.Done(key)

	err := c.syncHandler(p, key)
	if err == nil {
		c.workqueue.Forget(key) // the next failure counts as the first
		p.Logger().Info("Successfully synced", "objectName", key)
		return true
	}
	p.Logger().Error(err, "Error syncing; requeuing for later retry", "objectReference", key)
	c.workqueue.AddRateLimited(key)
	return true
}

// sync makes what a Foo asks for true, and writes into its status what is.
// Upstream: controller.go, Controller.syncHandler.
func (c *Controller) sync(p *sim.Proc, key string) error {
	// region foo
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	foo, err := c.foosLister.Get(namespace, name)
	if apierrors.IsNotFound(err) {
		p.Logger().Error(err, "Foo referenced by item in work queue no longer exists", "objectReference", key)
		return nil // it is gone: nothing to try again
	}
	if err != nil {
		return err
	}
	if foo.Spec.DeploymentName == "" {
		p.Logger().Error(nil, "Deployment name missing from object reference", "objectReference", key)
		return nil // only a change of the Foo can help
	}
	// endregion
	// region create
	deployment, err := c.deploymentsLister.Deployments(namespace).Get(foo.Spec.DeploymentName)
	if apierrors.IsNotFound(err) {
		deployment, err = c.kubeclientset.AppsV1().Deployments(namespace).Create(p, c.newDeployment(foo), metav1.CreateOptions{FieldManager: Name})
	}
	if err != nil {
		return err
	}
	// endregion
	// region owned
	if !metav1.IsControlledBy(deployment, foo) {
		message := fmt.Sprintf(MessageResourceExists, deployment.Name)
		c.recorder.Event(reference(foo), corev1.EventTypeWarning, ErrResourceExists, message)
		return errors.New(message)
	}
	// endregion
	// region update
	if foo.Spec.Replicas != nil && *foo.Spec.Replicas != *deployment.Spec.Replicas {
		p.Logger().V(4).Info("Update deployment resource", "objectRef", key,
			"currentReplicas", *deployment.Spec.Replicas, "desiredReplicas", *foo.Spec.Replicas)
		deployment, err = c.kubeclientset.AppsV1().Deployments(namespace).Update(p, c.newDeployment(foo), metav1.UpdateOptions{FieldManager: Name})
	}
	if err != nil {
		return err
	}
	// endregion
	// region status
	if err := c.updateFooStatus(p, foo, deployment); err != nil {
		return err
	}
	c.recorder.Event(reference(foo), corev1.EventTypeNormal, SuccessSynced, MessageResourceSynced)
	return nil
	// endregion
}

// updateFooStatus tells the user of a Foo how many replicas there are. The Foo is a copy: what is in the cache is never changed.
func (c *Controller) updateFooStatus(p *sim.Proc, foo *Foo, deployment *appsv1.Deployment) error {
	foo.Status.AvailableReplicas = deployment.Status.AvailableReplicas
	return c.sampleclientset.UpdateStatus(p, foo, metav1.UpdateOptions{FieldManager: Name})
}

// enqueueFoo adds a Foo's key.
func (c *Controller) enqueueFoo(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj)
	if err != nil {
		c.logger.Error(err, "Unhandled Error")
		return
	}
	c.workqueue.Add(key)
}

// handleObject adds the key of the Foo that controls an object. Of a deletion
// that the watch has missed, there is only a note with the object's last state.
func (c *Controller) handleObject(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
		c.logger.V(4).Info("Recovered deleted object", "resourceName", tombstone.Key)
	}
	object, ok := obj.(metav1.Object)
	if !ok {
		c.logger.Error(nil, "Error decoding object, invalid type", "type", fmt.Sprintf("%T", obj))
		return
	}
	c.logger.V(4).Info("Processing object", "object", object.GetNamespace()+"/"+object.GetName())
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != fooKind.Kind {
		return
	}
	foo, err := c.foosLister.Get(object.GetNamespace(), owner.Name)
	if err != nil {
		c.logger.V(4).Info("Ignore orphaned object", "object", object.GetNamespace()+"/"+object.GetName(), "foo", owner.Name)
		return
	}
	c.enqueueFoo(foo)
}

// newDeployment is the Deployment that a Foo asks for, with the Foo as its controller.
func newDeployment(foo *Foo) *appsv1.Deployment {
	labels := map[string]string{"app": "nginx", "controller": foo.Name}
	return &appsv1.Deployment{
		// region owner
		ObjectMeta: metav1.ObjectMeta{
			Name:      foo.Spec.DeploymentName,
			Namespace: foo.Namespace,
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(foo, fooKind),
			},
		},
		// endregion
		Spec: appsv1.DeploymentSpec{
			Replicas: foo.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "nginx", Image: "nginx:latest"}}},
			},
		},
	}
}
