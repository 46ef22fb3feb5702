package secretdistributor

import (
	"errors"
	"maps"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// region names
const (
	// SourceNamespace has the sources. Who can write
	// there decides what all others get.
	SourceNamespace = "platform"
	// To is an annotation of a source: a selector of
	// namespaces.
	To = "secrets.example.com/to"
	// ManagedBy is the label of a copy. Its value is Name.
	ManagedBy = "app.kubernetes.io/managed-by"
)

// endregion

// The reasons of the controller's Events, which are about sources.
const (
	Distributed     = "Distributed"
	Collected       = "Collected"
	NameTaken       = "NameTaken"
	InvalidSelector = "InvalidSelector"
)

// Controller keeps copies of Secrets.
type Controller struct {
	client     *client.Clientset
	secrets    listers.SecretLister
	namespaces listers.NamespaceLister
	index      cache.Indexer // of Secrets: copies by the key of their source
	synced     []cache.InformerSynced
	queue      workqueue.TypedRateLimitingInterface[string] // keys of sources
	recorder   record.EventRecorder
	mistakes   *Mistakes
	logger     sim.Logger // of the handlers
}

const (
	bySource = "source" // an index
	// namespaceTerminating is why nothing can be created in a namespace. Upstream: k8s.io/api/core/v1, NamespaceTerminatingCause.
	namespaceTerminating metav1.CauseType = "NamespaceTerminating"
)

// NewController makes one and connects it to its informers. Nothing runs yet.
func NewController(component *sim.Component, clientset *client.Clientset, secrets informers.SecretInformer, namespaces informers.NamespaceInformer,
	recorder record.EventRecorder, mistakes *Mistakes) *Controller {
	c := &Controller{
		client:     clientset,
		secrets:    secrets.Lister(),
		namespaces: namespaces.Lister(),
		index:      secrets.Informer().GetIndexer(),
		synced:     []cache.InformerSynced{secrets.Informer().HasSynced, namespaces.Informer().HasSynced},
		queue:      newQueue(component),
		recorder:   recorder,
		mistakes:   mistakes,
		logger:     component.Kernel().Logger(),
	}
	_ = c.index.AddIndexers(cache.Indexers{bySource: func(obj any) ([]string, error) {
		if secret := obj.(*corev1.Secret); isCopy(secret) {
			return []string{sourceOf(secret)}, nil
		}
		return nil, nil
	}})
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    c.secretChanged,
		UpdateFunc: func(_, now any) { c.secretChanged(now) },
		DeleteFunc: c.secretChanged,
	}
	all := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { c.namespaceChanged() },
		UpdateFunc: func(_, _ any) { c.namespaceChanged() },
		DeleteFunc: func(any) { c.namespaceChanged() },
	}
	_, _ = secrets.Informer().AddEventHandler(carelessHandler(mistakes, handler))
	_, _ = namespaces.Informer().AddEventHandler(all)
	return c
}

// region keys

// sourceOf is the key of the source of a Secret that is,
// or would be, a copy: the one of the same name.
func sourceOf(secret *corev1.Secret) string {
	return SourceNamespace + "/" + secret.Name
}

func isCopy(secret *corev1.Secret) bool {
	return secret.Namespace != SourceNamespace &&
		secret.Labels[ManagedBy] == Name
}

// secretChanged adds the key of a source, whatever has
// changed: the source, a copy, or a Secret that only has
// the same name.
func (c *Controller) secretChanged(obj any) {
	gone, missed := obj.(cache.DeletedFinalStateUnknown)
	if missed {
		obj = gone.Obj
	}
	if secret, ok := obj.(*corev1.Secret); ok {
		c.queue.Add(sourceOf(secret))
	}
}

// endregion

// namespaceChanged adds the keys of all sources: each may select that namespace.
func (c *Controller) namespaceChanged() {
	sources, err := c.secrets.Secrets(SourceNamespace).List(labels.Everything())
	if err != nil {
		c.logger.Error(err, "Unhandled Error")
	}
	for _, source := range sources {
		if source.Annotations[To] != "" {
			c.queue.Add(sourceOf(source))
		}
	}
}

// Run starts the worker once both caches are full.
func (c *Controller) Run(p *sim.Proc) {
	p.Logger().Info("Starting controller")
	cache.WaitForCacheSync(p, c.synced...)
	p.Component().Go("worker-1", func(p *sim.Proc) {
		for c.processNextWorkItem(p) {
		}
	})
	p.Logger().Info("Started workers", "count", 1)
}

// processNextWorkItem handles one key, and waits for one if there is none.
func (c *Controller) processNextWorkItem(p *sim.Proc) bool {
	key, shutdown := c.queue.Get(p)
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(p, key); err != nil {
		p.Logger().Error(err, "Error syncing; requeuing for later retry", "source", key)
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

// sync has the copies of one source be what they should be: everywhere that
// it is wanted, like the source, and nowhere else.
func (c *Controller) sync(p *sim.Proc, key string) error {
	// region sync
	_, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	sources := c.secrets.Secrets(SourceNamespace)
	source, err := sources.Get(name)
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	wanted, err := c.wanted(source)
	if err != nil {
		c.recorder.Event(source, "Warning",
			InvalidSelector, err.Error())
		return nil // only another selector can help
	}
	copies, err := c.index.ByIndex(bySource, key)
	if err != nil {
		return err
	}
	var errs []error
	for _, ns := range wanted {
		errs = append(errs, c.distribute(p, source, ns))
	}
	for _, obj := range copies {
		copied := obj.(*corev1.Secret)
		if !slices.Contains(wanted, copied.Namespace) {
			err := c.collect(p, source, copied)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
	// endregion
}

// wanted are the namespaces in which there is to be a copy. Of a source that
// is gone, or says nothing, there is to be none.
func (c *Controller) wanted(source *corev1.Secret) ([]string, error) {
	// region wanted
	if source == nil || source.DeletionTimestamp != nil {
		return nil, nil
	}
	to := source.Annotations[To]
	if to == "" {
		return nil, nil
	}
	selector, err := labels.Parse(to)
	if err != nil {
		return nil, err
	}
	namespaces, err := c.namespaces.List(selector)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, ns := range namespaces {
		if ns.Name != SourceNamespace &&
			ns.DeletionTimestamp == nil {
			out = append(out, ns.Name)
		}
	}
	return out, nil
	// endregion
}

// distribute makes a namespace's copy like the source.
func (c *Controller) distribute(p *sim.Proc, source *corev1.Secret, namespace string) error {
	// region distribute
	there := c.secrets.Secrets(namespace)
	now, err := there.Get(source.Name)
	if apierrors.IsNotFound(err) {
		return c.create(p, source, namespace)
	}
	if err != nil {
		return err
	}
	switch {
	case !isCopy(now) && !c.mistakes.Overwrite:
		c.recorder.Eventf(source, "Warning", NameTaken,
			"Namespace %s has a Secret %s of its own",
			namespace, now.Name)
		return nil // once it goes, the key comes back
	case equal(source, now):
		return nil
	case fixed(now) || now.Type != source.Type:
		// Neither may change. Without it, the key comes
		// back, and it is created.
		return c.remove(p, now)
	}
	now = now.DeepCopy()
	fill(source, now)
	_, err = c.client.CoreV1().Secrets(namespace).
		Update(p, now, metav1.UpdateOptions{})
	c.report(p, source, namespace, "updated", err)
	return err
	// endregion
}

func (c *Controller) create(p *sim.Proc, source *corev1.Secret, namespace string) error {
	made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: source.Name, Namespace: namespace}, Type: source.Type}
	fill(source, made)
	_, err := c.client.CoreV1().Secrets(namespace).Create(p, made, metav1.CreateOptions{})
	if apierrors.HasStatusCause(err, namespaceTerminating) {
		return nil // the cache of namespaces is late: nothing is wanted there
	}
	c.report(p, source, namespace, "created", err)
	return err
}

func fixed(secret *corev1.Secret) bool { return secret.Immutable != nil && *secret.Immutable }

// fill writes what a copy has from its source. Annotations stay where
// they are: one of them may contain the whole Secret.
func fill(source, secret *corev1.Secret) {
	secret.Data = maps.Clone(source.Data)
	secret.Immutable = source.Immutable
	secret.Labels = maps.Clone(secret.Labels)
	if secret.Labels == nil {
		secret.Labels = map[string]string{}
	}
	secret.Labels[ManagedBy] = Name
}

func equal(source, secret *corev1.Secret) bool {
	filled := secret.DeepCopy()
	fill(source, filled)
	return secret.Type == source.Type && api.SemanticDeepEqual(secret, filled)
}

// collect deletes a copy that nobody asks for.
func (c *Controller) collect(p *sim.Proc, source, secret *corev1.Secret) error {
	ns, err := c.namespaces.Get(secret.Namespace)
	if secret.DeletionTimestamp != nil || err == nil && ns.DeletionTimestamp != nil {
		return nil // somebody else is about to
	}
	err = c.remove(p, secret)
	if err == nil && source != nil {
		c.recorder.Eventf(source, corev1.EventTypeNormal, Collected, "Copy in namespace %s deleted", secret.Namespace)
	}
	return err
}

// remove deletes the Secret that the cache has, and no other: not one that has changed meanwhile, or taken its place.
func (c *Controller) remove(p *sim.Proc, secret *corev1.Secret) error {
	// region remove
	seen := &metav1.Preconditions{
		UID:             &secret.UID,
		ResourceVersion: &secret.ResourceVersion,
	}
	err := c.client.CoreV1().Secrets(secret.Namespace).
		Delete(p, secret.Name,
			metav1.DeleteOptions{Preconditions: seen})
	if apierrors.IsNotFound(err) {
		return nil
	}
	// endregion
	if err == nil {
		p.Logger().Info("Copy deleted", "secret", secret.Namespace+"/"+secret.Name)
	}
	return err
}

func (c *Controller) report(p *sim.Proc, source *corev1.Secret, namespace, done string, err error) {
	if err == nil {
		p.Logger().Info("Copy "+done, "secret", namespace+"/"+source.Name)
		c.recorder.Eventf(source, corev1.EventTypeNormal, Distributed, "Copy in namespace %s %s", namespace, done)
	}
}
