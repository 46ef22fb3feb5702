package accurate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/operator/controllerruntime/webhook"
	"kubewalk/playground/sim"
)

// Name is the program's component. Upstream: cmd/accurate-controller.
const Name = "accurate-controller"

// request is a key in the queue: a kind and a name.
type request struct{ kind, namespace, name string }

func (r request) String() string {
	return strings.TrimSpace(r.kind + " " + strings.TrimPrefix(r.namespace+"/"+r.name, "/"))
}

func parse(key string) (r request) {
	kind, name, _ := strings.Cut(key, " ")
	r.kind, r.name = kind, name
	if namespace, rest, found := strings.Cut(name, "/"); found {
		r.namespace, r.name = namespace, rest
	}
	return r
}

// watched is a kind that is propagated.
type watched struct {
	kind     api.GroupVersionKind
	resource api.GroupVersionResource
	informer cache.SharedIndexInformer
}

// Controller keeps the tree, and what is propagated in it.
type Controller struct {
	writer
	client        *client.Clientset
	config        Config
	namespaces    listers.NamespaceLister
	subNamespaces cache.SharedIndexInformer
	watched       []*watched
	synced        []cache.InformerSynced
	queue         workqueue.TypedRateLimitingInterface[string]
	component     *sim.Component
}

// Start brings the program up. webhooks become this program's.
func Start(k *sim.Kernel, t client.Transport, config Config, webhooks *webhook.Server) *sim.Component {
	component := k.Start(Name)
	component.Run(func() {
		clientset := client.New(t)
		factory := informers.NewSharedInformerFactory(clientset, 0)
		c := newController(component, t, clientset, factory, config)
		webhooks.Start(component)
		c.register(webhooks)
		component.Go("main", func(p *sim.Proc) {
			factory.Start(p)
			component.Go("informer/subnamespaces", c.subNamespaces.Run)
			cache.WaitForCacheSync(p, c.synced...)
			p.Logger().Info("Starting workers", "worker count", 1)
			component.Go("worker-1", func(p *sim.Proc) {
				for c.processNextWorkItem(p) {
				}
			})
		})
	})
	return component
}

func newController(component *sim.Component, t client.Transport, clientset *client.Clientset, factory informers.SharedInformerFactory,
	config Config) *Controller {
	namespaces := factory.Core().V1().Namespaces()
	c := &Controller{
		writer: writer{t}, client: clientset, config: config, component: component,
		namespaces:    namespaces.Lister(),
		subNamespaces: cache.NewSharedIndexInformer(cache.NewListWatch(t, subNamespaceResource, "", nil), &api.Unstructured{}, 0, cache.Indexers{}),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(component, workqueue.DefaultTypedControllerRateLimiter[string](component),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: Name}),
	}
	c.synced = []cache.InformerSynced{namespaces.Informer().HasSynced, c.subNamespaces.HasSynced}
	_, _ = namespaces.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { c.enqueue(request{kind: "Namespace", name: obj.(*corev1.Namespace).Name}) },
		UpdateFunc: func(_, now any) {
			c.enqueue(request{kind: "Namespace", name: now.(*corev1.Namespace).Name})
			c.childChanged(now)
		},
		DeleteFunc: func(obj any) { c.childChanged(known(obj)) },
	})
	_, _ = c.subNamespaces.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.subNamespaceChanged(obj) },
		UpdateFunc: func(_, now any) { c.subNamespaceChanged(now) },
	})
	for _, gvk := range config.Watches {
		w := &watched{kind: gvk, resource: api.KindFor(gvk).GroupVersionResource()}
		w.informer = factory.InformerFor(w.resource, nil)
		c.watched, c.synced = append(c.watched, w), append(c.synced, w.informer.HasSynced)
		_, _ = w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { c.objectChanged(w, obj, nil) },
			UpdateFunc: func(before, now any) { c.objectChanged(w, now, before) },
			DeleteFunc: func(obj any) { c.objectChanged(w, known(obj), nil) },
		})
	}
	return c
}

// known is the object of a deletion, also of one that the watch has missed.
func known(obj any) any {
	if gone, missed := obj.(cache.DeletedFinalStateUnknown); missed {
		return gone.Obj
	}
	return obj
}

func (c *Controller) enqueue(r request) { c.queue.Add(r.String()) }

// childChanged adds the SubNamespaces that are about a namespace: the one that made it, and all that would like to make it
// again while it goes. Upstream: SubNamespaceReconciler.SetupWithManager, nsHandler.
func (c *Controller) childChanged(obj any) {
	ns := obj.(*corev1.Namespace)
	if parent := ns.Labels[LabelParent]; parent != "" {
		c.enqueue(request{"SubNamespace", parent, ns.Name})
	}
	if ns.DeletionTimestamp == nil {
		return
	}
	for _, o := range c.subNamespaces.GetIndexer().List() {
		if sn := o.(*api.Unstructured); sn.Name == ns.Name {
			c.enqueue(request{"SubNamespace", sn.Namespace, sn.Name})
		}
	}
}

// subNamespaceChanged adds a SubNamespace, and the namespace that it gives labels to.
func (c *Controller) subNamespaceChanged(obj any) {
	sn := obj.(*api.Unstructured)
	c.enqueue(request{"SubNamespace", sn.Namespace, sn.Name})
	if sn.DeletionTimestamp == nil {
		c.enqueue(request{kind: "Namespace", name: sn.Name})
	}
}

// objectChanged adds an object if it is, or was, one that is propagated. Upstream: PropagateController.SetupWithManager, pred.
func (c *Controller) objectChanged(w *watched, obj, before any) {
	concerned := func(obj any) bool {
		o, ok := obj.(api.Object)
		if !ok {
			return false
		}
		_, from := o.GetAnnotations()[AnnFrom]
		_, propagate := o.GetAnnotations()[AnnPropagate]
		return from || propagate
	}
	if concerned(obj) || concerned(before) {
		o := obj.(api.Object)
		c.enqueue(request{w.kind.Kind, o.GetNamespace(), o.GetName()})
	}
}

// processNextWorkItem handles one key, and waits for one if there is none.
func (c *Controller) processNextWorkItem(p *sim.Proc) bool {
	key, shutdown := c.queue.Get(p)
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(p, parse(key)); err != nil {
		p.Logger().Error(err, "Reconciler error", "request", key)
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

func (c *Controller) sync(p *sim.Proc, r request) error {
	switch r.kind {
	case "SubNamespace":
		return c.syncSubNamespace(p, r)
	case "Namespace":
		return c.syncNamespace(p, r.name)
	}
	for _, w := range c.watched {
		if w.kind.Kind == r.kind {
			return c.syncObject(p, w, r.namespace, r.name)
		}
	}
	return nil
}

// children are the namespaces with a label of this value.
func (c *Controller) children(label, value string) ([]*corev1.Namespace, error) {
	return c.namespaces.List(labels.SelectorFromSet(labels.Set{label: value}))
}

// syncSubNamespace has there be a namespace, or have it go. Upstream: SubNamespaceReconciler.Reconcile.
func (c *Controller) syncSubNamespace(p *sim.Proc, r request) error {
	obj, exists, err := c.subNamespaces.GetIndexer().GetByKey(r.namespace + "/" + r.name)
	if err != nil || !exists {
		return err
	}
	sn, err := decode(obj.(*api.Unstructured))
	if err != nil {
		return err
	}
	if sn.DeletionTimestamp != nil {
		p.Logger().Info("starting finalization", "subnamespace", r.namespace+"/"+r.name)
		if err := c.finalize(p, sn); err != nil {
			return fmt.Errorf("failed to finalize: %w", err)
		}
		p.Logger().Info("finished finalization", "subnamespace", r.namespace+"/"+r.name)
		return nil
	}
	if err := c.reconcileNS(p, sn); err != nil {
		return fmt.Errorf("failed to reconcile: %w", err)
	}
	return nil
}

// finalize deletes the namespace, if it is this one's, and then what keeps the SubNamespace.
func (c *Controller) finalize(p *sim.Proc, sn *SubNamespace) error {
	ns, err := c.namespaces.Get(sn.Name)
	switch {
	case apierrors.IsNotFound(err):
	case err != nil:
		return err
	case ns.DeletionTimestamp != nil:
	case ns.Labels[LabelParent] != sn.Namespace:
		p.Logger().Info("finalization: ignored non-child namespace", "parent", ns.Labels[LabelParent])
	default:
		err := c.client.CoreV1().Namespaces().Delete(p, ns.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("failed to delete namespace %s: %w", ns.Name, err)
		}
		if err == nil {
			p.Logger().Info("deleted namespace", "name", ns.Name)
		}
	}
	return c.removeFinalizer(p, sn)
}

// reconcileNS creates the namespace if there is none, and says in the status whether it is somebody else's.
func (c *Controller) reconcileNS(p *sim.Proc, sn *SubNamespace) error {
	ns, err := c.namespaces.Get(sn.Name)
	if apierrors.IsNotFound(err) {
		ns = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: sn.Name, Labels: map[string]string{LabelCreatedBy: CreatedBy, LabelParent: sn.Namespace}}}
		if _, err := c.client.CoreV1().Namespaces().Create(p, ns, metav1.CreateOptions{FieldManager: fieldOwner}); err != nil {
			return fmt.Errorf("failed to create namespace %s: %w", ns.Name, err)
		}
		p.Logger().Info("created a sub namespace", "name", sn.Name)
	} else if err != nil {
		return err
	}
	status := map[string]any{"observedGeneration": sn.Generation}
	if ns.Labels[LabelParent] != sn.Namespace {
		p.Logger().Info("a conflicting namespace already exists")
		status["conditions"] = []metav1.Condition{c.stalled(sn)}
	}
	return c.apply(p, subNamespaceResource, "status", sn.Namespace, sn.Name, map[string]any{"apiVersion": GroupVersion.String(), "kind": subNamespaceKind.Kind,
		"metadata": map[string]any{"namespace": sn.Namespace, "name": sn.Name}, "status": status})
}

func (c *Controller) stalled(sn *SubNamespace) metav1.Condition {
	out := metav1.Condition{Type: "Stalled", Status: metav1.ConditionTrue, ObservedGeneration: sn.Generation, Reason: SubNamespaceConflict,
		Message: "Conflicting namespace already exists", LastTransitionTime: metav1.NewTime(c.component.Kernel().Time())}
	for _, before := range sn.Status.Conditions {
		if before.Type == out.Type && before.Status == out.Status {
			out.LastTransitionTime = before.LastTransitionTime
		}
	}
	return out
}

// removeFinalizer lets a SubNamespace go.
func (c *Controller) removeFinalizer(p *sim.Proc, sn *SubNamespace) error {
	finalizers := slices.DeleteFunc(slices.Clone(sn.Finalizers), func(f string) bool { return f == Finalizer })
	if len(finalizers) == len(sn.Finalizers) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": finalizers}})
	if err != nil {
		return err
	}
	_, err = c.transport.Do(p, &client.Request{Verb: client.Patch, Resource: subNamespaceResource, Namespace: sn.Namespace, Name: sn.Name,
		PatchType: types.MergePatchType, Patch: patch})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
