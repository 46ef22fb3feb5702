package garbagecollector

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "generic-garbage-collector"

// ConcurrentGCSyncs is how many workers each queue has by default.
// Upstream: --concurrent-gc-syncs.
const ConcurrentGCSyncs = 20

// DefaultIgnoredResources are never looked at: events own nothing, are owned by
// nobody, and there are many.
var DefaultIgnoredResources = []api.GroupResource{{Resource: "events"}, {Group: "events.k8s.io", Resource: "events"}}

var (
	errEnqueuedVirtualDeleteEvent           = errors.New("enqueued virtual delete event")
	errNamespacedOwnerOfClusterScopedObject = errors.New("cluster-scoped objects cannot refer to namespaced owners")
)

// GarbageCollector deletes and orphans what the graph says may have to be.
// Upstream: garbagecollector.go, GarbageCollector.
type GarbageCollector struct {
	component   *sim.Component
	transport   client.Transport
	kubeClient  *client.Clientset
	graph       *GraphBuilder
	broadcaster *record.EventBroadcaster
	ignored     []api.GroupResource
}

// NewGarbageCollector makes a collector of a component that watches every kind
// the API serves except the ignored. The informers are not started here.
func NewGarbageCollector(c *sim.Component, factory informers.SharedInformerFactory, kubeClient *client.Clientset,
	ignored []api.GroupResource) *GarbageCollector {
	broadcaster := record.NewBroadcaster(c)
	recorder := broadcaster.NewRecorder(corev1.EventSource{Component: "garbage-collector-controller"})
	return &GarbageCollector{
		component:   c,
		transport:   kubeClient.Transport(),
		kubeClient:  kubeClient,
		graph:       newGraphBuilder(c, factory, kubeClient.Transport(), ignored, recorder),
		ignored:     ignored,
		broadcaster: broadcaster,
	}
}

// Run starts the workers once the graph holds the cluster: with half a graph,
// objects would seem to have no owners.
func (gc *GarbageCollector) Run(p *sim.Proc, workers int) {
	gc.broadcaster.StartRecordingToSink(gc.kubeClient)
	p.Logger().Info("Starting controller", "controller", "garbagecollector")
	gc.component.Go("graph-builder", gc.graph.runProcessGraphChanges)
	gc.component.Go("sync", gc.sync)
	cache.WaitForCacheSync(p, gc.graph.synced...)
	p.Logger().Info("All resource monitors have synced. Proceeding to collect garbage")
	for i := range workers {
		gc.component.Go(fmt.Sprintf("delete-worker-%d", i+1), func(p *sim.Proc) { work(p, gc.graph.attemptToDelete, gc.attemptToDeleteWorker) })
		gc.component.Go(fmt.Sprintf("orphan-worker-%d", i+1), func(p *sim.Proc) { work(p, gc.graph.attemptToOrphan, gc.attemptToOrphanWorker) })
	}
}

// syncPeriod is how often the collector looks for kinds that came and went.
// Upstream: cmd/kube-controller-manager/app/core.go, startGarbageCollectorController.
const syncPeriod = 30 * time.Second

// sync watches the kinds that definitions add, and no longer those that are gone.
// Upstream: garbagecollector.go, GarbageCollector.Sync. Workers go on meanwhile: an owner that the graph does not know is asked for.
func (gc *GarbageCollector) sync(p *sim.Proc) {
	for {
		p.Sleep(syncPeriod)
		kinds := deletableResources(gc.transport.Kinds(), gc.ignored)
		served := map[api.GroupVersionResource]bool{}
		var added, removed []string
		for _, kind := range kinds {
			gvr := kind.GroupVersionResource()
			served[gvr] = true
			if gc.graph.monitors[gvr] == nil {
				gc.graph.monitor(kind)
				added = append(added, gvr.String())
			}
		}
		for gvr := range gc.graph.monitors { // order: they are sorted below
			if !served[gvr] {
				gc.graph.factory.Forget(gvr)
				delete(gc.graph.monitors, gvr)
				removed = append(removed, gvr.String())
			}
		}
		if added == nil && removed == nil {
			continue
		}
		slices.Sort(removed)
		p.Logger().V(2).Info("syncing garbage collector with updated resources from discovery", "diff", fmt.Sprintf("added: %v, removed: %v", added, removed))
		gc.graph.factory.Start(p)
	}
}

// work hands out items until the queue shuts down. do tells whether an item has
// to come back later.
func work(p *sim.Proc, queue workqueue.TypedRateLimitingInterface[*node], do func(p *sim.Proc, n *node) (requeue bool)) {
	for {
		n, quit := queue.Get(p)
		if quit {
			return
		}
		if do(p, n) {
			queue.AddRateLimited(n)
		} else {
			queue.Forget(n)
		}
		queue.Done(n)
	}
}

func (gc *GarbageCollector) attemptToDeleteWorker(p *sim.Proc, n *node) (requeue bool) {
	log := p.Logger()
	if n.virtual && gc.graph.uidToNode[n.identity.UID] != n {
		log.V(5).Info("item no longer in the graph, skipping attemptToDeleteItem", "item", n.identity)
		return false
	}
	switch err := gc.attemptToDeleteItem(p, n); {
	case errors.Is(err, errEnqueuedVirtualDeleteEvent), errors.Is(err, errNamespacedOwnerOfClusterScopedObject):
		return false
	case err != nil:
		controller.HandleError(log, err, "error syncing item", "item", n.identity)
		return true
	case n.virtual:
		// The API server knows it, and the informer will show it. Until it does
		// the node stays under watch: it may go before it was ever seen.
		log.V(5).Info("item hasn't been observed via informer yet", "item", n.identity)
		return true
	}
	return false
}

// attemptToDeleteItem deletes an object when, as the API server knows it now,
// none of its owners is left, or those that are wait for it.
func (gc *GarbageCollector) attemptToDeleteItem(p *sim.Proc, item *node) error {
	log := p.Logger()
	log.V(2).Info("Processing item", "item", item.identity, "virtual", item.virtual)
	if item.beingDeleted && !item.deletingDependents {
		log.V(5).Info("processing item returned at once, because its DeletionTimestamp is non-nil", "item", item.identity)
		return nil
	}
	latest, err := gc.getObject(p, item.identity)
	if apierrors.IsNotFound(err) || err == nil && latest.GetUID() != item.identity.UID {
		log.V(5).Info("item not found, generating a virtual delete event", "item", item.identity)
		gc.graph.enqueueVirtualDeleteEvent(item.identity)
		return errEnqueuedVirtualDeleteEvent
	}
	if err != nil {
		return err
	}
	if item.deletingDependents {
		return gc.processDeletingDependentsItem(p, item)
	}
	references := latest.GetOwnerReferences()
	if len(references) == 0 {
		log.V(2).Info("item doesn't have an owner, continue on next item", "item", item.identity)
		return nil
	}
	solid, dangling, waiting, err := gc.classifyReferences(p, item, references)
	if err != nil {
		return err
	}
	log.V(5).Info("classify item's references", "item", item.identity, "solid", named(solid), "dangling", named(dangling), "waitingForDependentsDeletion",
		named(waiting))
	switch {
	case len(solid) > 0:
		log.V(2).Info("item has at least one existing owner, will not garbage collect", "item", item.identity, "owner", solid[0].Kind+"/"+solid[0].Name)
		return gc.dropReferences(p, item, append(dangling, waiting...))
	case len(waiting) > 0 && len(item.dependents) > 0:
		return gc.deleteForeground(p, item, latest)
	}
	policy := metav1.DeletePropagationBackground
	switch {
	case hasFinalizer(latest, metav1.FinalizerOrphanDependents):
		policy = metav1.DeletePropagationOrphan
	case hasFinalizer(latest, metav1.FinalizerDeleteDependents):
		policy = metav1.DeletePropagationForeground
	}
	log.V(2).Info("Deleting item", "item", item.identity, "propagationPolicy", string(policy))
	return gc.deleted(item, gc.deleteObject(p, item.identity, latest, policy))
}

// dropReferences takes owners that are gone, or that wait, off an object that
// has another owner.
func (gc *GarbageCollector) dropReferences(p *sim.Proc, item *node, refs []metav1.OwnerReference) error {
	if len(refs) == 0 {
		return nil
	}
	p.Logger().V(2).Info("remove dangling references and waiting references for item", "item", item.identity, "references", len(refs))
	var uids []types.UID
	for _, ref := range refs {
		uids = append(uids, ref.UID)
	}
	patch, err := controller.GenerateDeleteOwnerRefStrategicMergeBytes(item.identity.UID, uids)
	if err != nil {
		return err
	}
	return gc.patch(p, item.identity, types.StrategicMergePatchType, patch)
}

// deleteForeground deletes an object with dependents of its own for whom its
// owner waits. When one of them waits as well, this may be a circle, and the
// object stops blocking its owners.
func (gc *GarbageCollector) deleteForeground(p *sim.Proc, item *node, latest api.Object) error {
	log := p.Logger()
	for _, dep := range item.getDependents() {
		if !dep.deletingDependents {
			continue
		}
		log.V(2).Info("processing item, some of its owners and its dependent have FinalizerDeletingDependents, to prevent potential cycle, "+
			"its ownerReferences are going to be modified to be non-blocking, then the item is going to be deleted with Foreground",
			"item", item.identity, "dependent", dep.identity)
		patch, err := unblockOwnerReferencesPatch(item)
		if err != nil {
			return err
		}
		if patch != nil {
			if err := gc.patch(p, item.identity, types.StrategicMergePatchType, patch); err != nil {
				return err
			}
		}
		break
	}
	log.V(2).Info("at least one owner of item has FinalizerDeletingDependents, and the item itself has dependents, so it is going to be deleted in Foreground",
		"item", item.identity)
	// If the patch changed it, this is a conflict, and the item comes back.
	return gc.deleted(item, gc.deleteObject(p, item.identity, latest, metav1.DeletePropagationForeground))
}

// deleted turns "not found" into a virtual delete event.
func (gc *GarbageCollector) deleted(item *node, err error) error {
	if apierrors.IsNotFound(err) {
		gc.graph.enqueueVirtualDeleteEvent(item.identity)
		return errEnqueuedVirtualDeleteEvent
	}
	return err
}

// processDeletingDependentsItem lets an object go once nothing blocks it, and
// otherwise sees to it that what blocks it goes.
func (gc *GarbageCollector) processDeletingDependentsItem(p *sim.Proc, item *node) error {
	blocking := item.blockingDependents()
	if len(blocking) == 0 {
		p.Logger().V(2).Info("remove DeleteDependents finalizer for item", "item", item.identity)
		return gc.removeFinalizer(p, item, metav1.FinalizerDeleteDependents)
	}
	for _, dep := range blocking {
		if !dep.deletingDependents {
			p.Logger().V(2).Info("adding dependent to attemptToDelete, because its owner is deletingDependents", "item", item.identity, "dependent", dep.identity)
			gc.graph.attemptToDelete.Add(dep)
		}
	}
	return nil
}

// classifyReferences asks the API server about each owner: it is there (solid),
// it is not (dangling), or it waits for its dependents to go.
func (gc *GarbageCollector) classifyReferences(p *sim.Proc, item *node, refs []metav1.OwnerReference) (solid, dangling, waiting []metav1.OwnerReference,
	err error) {
	for _, ref := range refs {
		owner, err := gc.findOwner(p, item, ref)
		switch {
		case err != nil:
			return nil, nil, nil, err
		case owner == nil:
			dangling = append(dangling, ref)
		case beingDeleted(owner) && hasFinalizer(owner, metav1.FinalizerDeleteDependents):
			waiting = append(waiting, ref)
		default:
			solid = append(solid, ref)
		}
	}
	return solid, dangling, waiting, nil
}

// named is a list of references as the log shows it: "[ReplicaSet web-5d9]".
func named(refs []metav1.OwnerReference) string {
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = ref.Kind + " " + ref.Name
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// findOwner returns what a reference means, or nil when that is gone: there is
// nothing of that name, or it has another UID.
// Upstream: garbagecollector.go, isDangling.
func (gc *GarbageCollector) findOwner(p *sim.Proc, item *node, ref metav1.OwnerReference) (api.Object, error) {
	log := p.Logger()
	kind := gc.graph.kindOf(ref.APIVersion, ref.Kind)
	if kind == nil {
		return nil, fmt.Errorf("unable to get REST mapping for %s/%s", ref.APIVersion, ref.Kind)
	}
	identity := objectReference{ref.APIVersion, ref.Kind, ref.Name, ref.UID, item.identity.Namespace}
	if !kind.Namespaced {
		identity.Namespace = ""
	} else if item.identity.Namespace == "" {
		log.V(2).Info("item is cluster-scoped, but refers to a namespaced owner", "item", item.identity, "owner", identity)
		return nil, errNamespacedOwnerOfClusterScopedObject
	}
	if gc.graph.absentOwners.has(identity) {
		log.V(5).Info("according to the absentOwnerCache, item's owner does not exist", "item", item.identity, "owner", identity)
		return nil, nil
	}
	owner, err := gc.getObject(p, identity)
	if apierrors.IsNotFound(err) || err == nil && owner.GetUID() != ref.UID {
		log.V(5).Info("item's owner is not found", "item", item.identity, "owner", identity)
		gc.graph.absentOwners.add(identity)
		return nil, nil
	}
	return owner, err
}

// attemptToOrphanWorker takes an owner off its dependents, then lets it go.
func (gc *GarbageCollector) attemptToOrphanWorker(p *sim.Proc, owner *node) (requeue bool) {
	log := p.Logger()
	if err := gc.orphanDependents(p, owner.identity, owner.getDependents()); err != nil {
		controller.HandleError(log, err, "orphanDependents failed", "item", owner.identity)
		return true
	}
	if err := gc.removeFinalizer(p, owner, metav1.FinalizerOrphanDependents); err != nil {
		controller.HandleError(log, err, "removeOrphanFinalizer failed", "item", owner.identity)
		return true
	}
	return false
}

func (gc *GarbageCollector) orphanDependents(p *sim.Proc, owner objectReference, dependents []*node) error {
	var first error
	p.Fork("orphan", len(dependents), func(p *sim.Proc, i int) {
		dep := dependents[i].identity
		patch, err := controller.GenerateDeleteOwnerRefStrategicMergeBytes(dep.UID, []types.UID{owner.UID})
		if err == nil {
			err = gc.patch(p, dep, types.StrategicMergePatchType, patch)
		}
		if err != nil && !apierrors.IsNotFound(err) && first == nil {
			first = fmt.Errorf("orphaning %s failed, %v", dep, err)
		}
	})
	if first != nil {
		return fmt.Errorf("failed to orphan dependents of owner %s, got errors: %w", owner, first)
	}
	p.Logger().V(5).Info("successfully updated all dependents", "owner", owner)
	return nil
}
