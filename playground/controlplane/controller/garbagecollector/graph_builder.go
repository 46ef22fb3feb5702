package garbagecollector

import (
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

type eventType string

const (
	addEvent    eventType = "add"
	updateEvent eventType = "update"
	deleteEvent eventType = "delete"
)

// event is a change that the graph has to follow. A virtual one says that the
// API server does not know what a virtual node stands for.
type event struct {
	virtual   bool
	eventType eventType
	obj, old  api.Object
	identity  objectReference
	text      string // see String
}

// String is the event's key in the queue. The version makes it the only one.
func (e *event) String() string {
	switch {
	case e.text != "":
	case e.virtual:
		e.text = "virtual " + string(e.eventType) + " " + e.identity.key()
	default:
		e.text = string(e.eventType) + " " + e.identity.key() + "@" + e.obj.GetResourceVersion()
	}
	return e.text
}

// GraphBuilder keeps the graph equal to what the informers report, and queues
// what may have to be deleted or orphaned because of a change.
// Upstream: graph_builder.go, GraphBuilder.
type GraphBuilder struct {
	kernel          *sim.Kernel
	transport       client.Transport
	factory         informers.SharedInformerFactory
	monitors        map[api.GroupVersionResource]cache.SharedIndexInformer
	synced          []cache.InformerSynced
	uidToNode       map[types.UID]*node
	graphChanges    workqueue.TypedRateLimitingInterface[*event]
	attemptToDelete workqueue.TypedRateLimitingInterface[*node]
	attemptToOrphan workqueue.TypedRateLimitingInterface[*node]
	absentOwners    *referenceCache
	recorder        record.EventRecorder
}

// newGraphBuilder watches every kind that the API serves except the ignored.
func newGraphBuilder(c *sim.Component, factory informers.SharedInformerFactory, t client.Transport, ignored []api.GroupResource,
	recorder record.EventRecorder) *GraphBuilder {
	gb := &GraphBuilder{
		kernel:          c.Kernel(),
		transport:       t,
		factory:         factory,
		monitors:        map[api.GroupVersionResource]cache.SharedIndexInformer{},
		uidToNode:       map[types.UID]*node{},
		graphChanges:    newQueue[*event](c, "garbage_collector_graph_changes"),
		attemptToDelete: newQueue[*node](c, "garbage_collector_attempt_to_delete"),
		attemptToOrphan: newQueue[*node](c, "garbage_collector_attempt_to_orphan"),
		absentOwners:    newReferenceCache(),
		recorder:        recorder,
	}
	for _, kind := range deletableResources(t.Kinds(), ignored) {
		gb.synced = append(gb.synced, gb.monitor(kind).HasSynced)
	}
	return gb
}

// monitor begins to watch a kind.
func (gb *GraphBuilder) monitor(kind *api.Kind) cache.SharedIndexInformer {
	informer := gb.factory.InformerFor(kind.GroupVersionResource(), nil)
	gb.monitors[kind.GroupVersionResource()] = informer
	add := func(t eventType, cur, old any) {
		obj := cur.(api.Object)
		e := &event{eventType: t, obj: obj, identity: identityOf(kind.GroupVersionKind, obj)}
		if old != nil {
			e.old = old.(api.Object)
		}
		gb.graphChanges.Add(e)
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { add(addEvent, obj, nil) },
		UpdateFunc: func(old, cur any) {
			// After a watch was lost, a list may show another object of the same name. Upstream takes that for a change
			// of the new one, and does not notice that the old one is gone.
			if old.(api.Object).GetUID() != cur.(api.Object).GetUID() {
				add(deleteEvent, old, nil)
				add(addEvent, cur, nil)
				return
			}
			add(updateEvent, cur, old)
		},
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			add(deleteEvent, obj, nil)
		},
	})
	return informer
}

func newQueue[T comparable](c *sim.Component, name string) workqueue.TypedRateLimitingInterface[T] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[T](c),
		workqueue.TypedRateLimitingQueueConfig[T]{Name: name})
}

func identityOf(gvk api.GroupVersionKind, obj api.Object) objectReference {
	return objectReference{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Name: obj.GetName(), UID: obj.GetUID(), Namespace: obj.GetNamespace()}
}

// enqueueVirtualDeleteEvent has a node removed that the API server does not know.
func (gb *GraphBuilder) enqueueVirtualDeleteEvent(ref objectReference) {
	gb.graphChanges.Add(&event{virtual: true, eventType: deleteEvent, identity: ref})
}

func (gb *GraphBuilder) runProcessGraphChanges(p *sim.Proc) {
	for {
		e, quit := gb.graphChanges.Get(p)
		if quit {
			return
		}
		gb.processGraphChanges(p.Logger(), e)
		gb.graphChanges.Done(e)
	}
}

// processGraphChanges brings one change into the graph. Changes of the graph are
// logged with all that the node says, so that the graph can be drawn from the
// log; upstream logs every event, also those after which it is as before.
func (gb *GraphBuilder) processGraphChanges(log sim.Logger, e *event) {
	existing := gb.uidToNode[e.identity.UID]
	if existing != nil && !e.virtual && existing.virtual {
		gb.observe(log, existing, e.identity)
		gb.logNode(log, e, existing)
	}
	switch {
	case e.eventType == deleteEvent:
		switch {
		case existing == nil:
			log.V(5).Info("item doesn't exist in the graph, this shouldn't happen", "item", e.identity)
		case e.virtual && !gb.virtualDelete(log, existing, e.identity):
		default:
			gb.logNode(log, e, existing)
			gb.deleteNode(existing)
		}
	case existing == nil:
		n := &node{
			identity:           e.identity,
			owners:             e.obj.GetOwnerReferences(),
			dependents:         map[types.UID]*node{},
			beingDeleted:       beingDeleted(e.obj),
			deletingDependents: beingDeleted(e.obj) && hasFinalizer(e.obj, metav1.FinalizerDeleteDependents),
		}
		gb.uidToNode[n.identity.UID] = n
		gb.logNode(log, e, n)
		gb.addDependentToOwners(log, n, n.owners)
		gb.processTransitions(log, e.old, e.obj, n)
	default:
		before := *existing
		added, removed, changed := referencesDiffs(existing.owners, e.obj.GetOwnerReferences())
		if len(added)+len(removed)+len(changed) > 0 {
			gb.addUnblockedOwnersToDeleteQueue(removed, changed)
			existing.owners = e.obj.GetOwnerReferences()
			gb.addDependentToOwners(log, existing, added)
			gb.removeDependentFromOwners(existing, removed)
		}
		if beingDeleted(e.obj) {
			existing.beingDeleted = true
		}
		gb.processTransitions(log, e.old, e.obj, existing)
		if len(added)+len(removed)+len(changed) > 0 || before.beingDeleted != existing.beingDeleted || before.deletingDependents != existing.deletingDependents {
			gb.logNode(log, e, existing)
		}
	}
}

func (gb *GraphBuilder) logNode(log sim.Logger, e *event, n *node) {
	log.V(5).Info("GraphBuilder process object", "eventType", string(e.eventType), "object", n.identity, "virtual", n.virtual, "owners", n.ownersText(),
		"dependents", len(n.dependents), "beingDeleted", n.beingDeleted, "deletingDependents", n.deletingDependents)
}

// virtualDelete takes the news that the API server knows no object of an
// identity, and tells whether the node goes. It does not when dependents know it
// by another one, which is looked up next, or when an informer has shown that it
// has another one; dependents that mean the absent one are looked at in any case.
func (gb *GraphBuilder) virtualDelete(log sim.Logger, existing *node, absent objectReference) (remove bool) {
	matching, nonmatching := partitionDependents(existing.getDependents(), absent)
	if existing.virtual && len(nonmatching) == 0 || !existing.virtual && existing.identity == absent {
		return true
	}
	if len(matching) > 0 {
		log.V(5).Info("item is absent, looking at its dependents", "owner", absent)
		gb.absentOwners.add(absent)
		for _, dep := range matching {
			gb.attemptToDelete.Add(dep)
		}
	}
	if existing.virtual && existing.identity == absent {
		if other := getAlternateOwnerIdentity(nonmatching, absent, gb.ownerNamespace); other != nil {
			log.V(5).Info("item is known by other coordinates too, looking those up", "item", absent, "other", *other)
			replacement := *existing
			replacement.identity = *other
			gb.uidToNode[absent.UID] = &replacement
			gb.attemptToDelete.AddRateLimited(&replacement)
		}
	}
	return false
}

// observe makes a virtual node real. Dependents whose references name it by
// other coordinates than it turns out to have are looked at again.
func (gb *GraphBuilder) observe(log sim.Logger, n *node, identity objectReference) {
	n.virtual = false
	if n.identity == identity {
		return
	}
	log.V(2).Info("replacing virtual item with observed item", "virtual", n.identity, "observed", identity)
	n.identity = identity
	for _, dep := range n.getDependents() {
		for _, ref := range dep.owners {
			if ref.UID != identity.UID || identity.matches(ref, dep.identity.Namespace) {
				continue
			}
			if identity.Namespace != "" && identity.Namespace != dep.identity.Namespace {
				gb.reportInvalidNamespaceOwnerRef(log, dep, n, ref)
			}
			gb.attemptToDelete.Add(dep)
		}
	}
}

// addDependentToOwners enters n at its owners. An owner that is not known gets
// a virtual node, and is looked up: it may be gone, or only be late.
func (gb *GraphBuilder) addDependentToOwners(log sim.Logger, n *node, owners []metav1.OwnerReference) {
	suspicious := false
	for _, ref := range owners {
		owner := gb.uidToNode[ref.UID]
		if owner == nil {
			owner = &node{
				identity:   objectReference{ref.APIVersion, ref.Kind, ref.Name, ref.UID, gb.ownerNamespace(ref, n.identity.Namespace)},
				dependents: map[types.UID]*node{},
				virtual:    true,
			}
			log.V(5).Info("add virtual item", "identity", owner.identity)
			gb.uidToNode[ref.UID] = owner
			owner.dependents[n.identity.UID] = n
			gb.attemptToDelete.Add(owner)
			continue
		}
		owner.dependents[n.identity.UID] = n
		if owner.identity.matches(ref, n.identity.Namespace) {
			continue
		}
		suspicious = true
		if !owner.virtual && owner.identity.Namespace != "" && owner.identity.Namespace != n.identity.Namespace {
			gb.reportInvalidNamespaceOwnerRef(log, n, owner, ref)
		}
	}
	if suspicious {
		gb.attemptToDelete.Add(n)
	}
}

// ownerNamespace is where an owner is to be looked for: beside its dependent,
// unless its kind has no namespaces.
func (gb *GraphBuilder) ownerNamespace(ref metav1.OwnerReference, dependent string) string {
	if kind := gb.kindOf(ref.APIVersion, ref.Kind); kind != nil && !kind.Namespaced {
		return ""
	}
	return dependent
}

func (gb *GraphBuilder) reportInvalidNamespaceOwnerRef(log sim.Logger, dep, owner *node, ref metav1.OwnerReference) {
	log.V(2).Info("item references an owner but does not match namespaces", "item", dep.identity, "owner", owner.identity)
	invalid := objectReference{ref.APIVersion, ref.Kind, ref.Name, ref.UID, dep.identity.Namespace}
	gb.recorder.Eventf(record.Ref(&corev1.ObjectReference{
		Kind: dep.identity.Kind, APIVersion: dep.identity.APIVersion, Namespace: dep.identity.Namespace, Name: dep.identity.Name, UID: dep.identity.UID,
	}), corev1.EventTypeWarning, "OwnerRefInvalidNamespace", "ownerRef %s does not exist in namespace %q", invalid, dep.identity.Namespace)
}

func (gb *GraphBuilder) removeDependentFromOwners(n *node, owners []metav1.OwnerReference) {
	for _, ref := range owners {
		if owner := gb.uidToNode[ref.UID]; owner != nil {
			delete(owner.dependents, n.identity.UID)
		}
	}
}

// deleteNode takes a node out. Its dependents may have lost their last owner,
// and its owners may have waited for it.
func (gb *GraphBuilder) deleteNode(n *node) {
	delete(gb.uidToNode, n.identity.UID)
	gb.removeDependentFromOwners(n, n.owners)
	if len(n.dependents) > 0 {
		gb.absentOwners.add(n.identity)
	}
	for _, dep := range n.getDependents() {
		gb.attemptToDelete.Add(dep)
	}
	for _, ref := range n.owners {
		if owner := gb.uidToNode[ref.UID]; owner != nil && owner.deletingDependents {
			gb.attemptToDelete.Add(owner)
		}
	}
}

// addUnblockedOwnersToDeleteQueue looks again at owners that a reference no
// longer blocks.
func (gb *GraphBuilder) addUnblockedOwnersToDeleteQueue(removed []metav1.OwnerReference, changed []ownerRefPair) {
	look := func(uid types.UID) {
		if owner := gb.uidToNode[uid]; owner != nil {
			gb.attemptToDelete.Add(owner)
		}
	}
	for _, ref := range removed {
		if isTrue(ref.BlockOwnerDeletion) {
			look(ref.UID)
		}
	}
	for _, c := range changed {
		if isTrue(c.old.BlockOwnerDeletion) && !isTrue(c.new.BlockOwnerDeletion) {
			look(c.new.UID)
		}
	}
}

// processTransitions queues a node that has just begun to wait for its
// dependents: to be orphaned, or to be deleted.
func (gb *GraphBuilder) processTransitions(log sim.Logger, old, cur api.Object, n *node) {
	if deletionStartsWithFinalizer(old, cur, metav1.FinalizerOrphanDependents) {
		log.V(5).Info("add item to attemptToOrphan", "item", n.identity)
		gb.attemptToOrphan.Add(n)
		return
	}
	if deletionStartsWithFinalizer(old, cur, metav1.FinalizerDeleteDependents) {
		log.V(2).Info("add item to attemptToDelete, because it's waiting for its dependents to be deleted", "item", n.identity)
		n.deletingDependents = true // a node that was virtual does not know yet
		for _, dep := range n.getDependents() {
			gb.attemptToDelete.Add(dep)
		}
		gb.attemptToDelete.Add(n)
	}
}

// deletionStartsWithFinalizer tells whether cur is being deleted and has the
// finalizer, and old was not so.
func deletionStartsWithFinalizer(old, cur api.Object, finalizer string) bool {
	if !beingDeleted(cur) || !hasFinalizer(cur, finalizer) {
		return false
	}
	return old == nil || !beingDeleted(old) || !hasFinalizer(old, finalizer)
}

func beingDeleted(obj api.Object) bool { return obj.GetDeletionTimestamp() != nil }

func hasFinalizer(obj api.Object, finalizer string) bool {
	return slices.Contains(obj.GetFinalizers(), finalizer)
}
