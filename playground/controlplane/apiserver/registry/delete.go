package registry

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

var (
	errDeleteNow       = errors.New("delete now")
	errAlreadyDeleting = errors.New("object is already being deleted")
)

// Delete deletes an object, or marks it as being deleted: a Pod on a node gets its grace period, an object with
// finalizers waits until the last one is taken away. deleted says that it is gone. options is changed.
// Upstream: generic/registry/store.go, Store.Delete.
func (e *Store) Delete(p *sim.Proc, namespace, name string, options *metav1.DeleteOptions, validate ValidateFunc, dryRun bool) (obj api.Object, deleted bool,
	err error) {
	key := e.Key(namespace, name)
	current, err := e.get(p, key)
	if err != nil {
		return nil, false, e.interpret(err, name)
	}
	var preconditions store.Preconditions
	if c := options.Preconditions; c != nil {
		if c.UID != nil {
			preconditions.UID = string(*c.UID)
		}
		if c.ResourceVersion != nil {
			preconditions.ResourceVersion = *c.ResourceVersion
		}
	}
	probe := current.DeepCopyObject()
	graceful, pending, err := e.beforeDelete(p, probe, options)
	if err != nil {
		return nil, false, err
	}
	if pending {
		return current, false, nil
	}
	if validate != nil {
		if err := validate(p, nil, current); err != nil {
			return nil, false, err
		}
	}
	if dryRun {
		return probe, true, nil
	}
	update := graceful || len(current.GetFinalizers()) > 0
	if !update {
		update, _ = e.deletionFinalizersForGarbageCollection(current, options)
	}
	var last api.Object
	if update {
		obj, last, err = e.updateForGracefulDeletionAndFinalizers(p, key, options, preconditions)
		if err != errDeleteNow {
			return obj, false, e.interpret(err, name)
		}
		preconditions.ResourceVersion = "" // it has changed: by us
	}
	obj, err = e.remove(p, key, preconditions)
	if err == store.ErrNotFound && last != nil {
		return last, true, nil // somebody else was faster, and meant the same
	}
	if err == nil {
		e.afterDelete(p, obj)
	}
	return obj, err == nil, e.interpret(err, name)
}

// beforeDelete decides how an object goes, and marks obj, a copy of it. graceful: it stays marked until its time is up
// or somebody confirms. pending: it was deleted before, and this request changes nothing. Neither: it goes at once.
// Upstream: rest/delete.go, BeforeDelete.
func (e *Store) beforeDelete(p *sim.Proc, obj api.Object, options *metav1.DeleteOptions) (graceful, pending bool, err error) {
	if err := e.checkDeletePreconditions(obj, options); err != nil {
		return false, false, err
	}
	if g := options.GracePeriodSeconds; g != nil && *g < 0 {
		options.GracePeriodSeconds = ptr(int64(1))
	}
	strategy, ok := e.Strategy.(GracefulDeleteStrategy)
	if !ok {
		return false, false, nil
	}
	if at := obj.GetDeletionTimestamp(); at != nil {
		before := obj.GetDeletionGracePeriodSeconds()
		if before == nil || *before == 0 {
			return false, false, nil
		}
		if options.GracePeriodSeconds == nil {
			options.GracePeriodSeconds = before
			return false, true, nil
		}
		period := *options.GracePeriodSeconds
		if period >= *before {
			return false, true, nil // only less time may be asked for
		}
		moved := metav1.NewTime(at.Add(time.Duration(period-*before) * time.Second))
		obj.SetDeletionTimestamp(&moved)
		obj.SetDeletionGracePeriodSeconds(&period)
		return true, false, nil
	}
	if !strategy.CheckGracefulDelete(obj, options) {
		return false, false, nil
	}
	at := metav1.NewTime(now(p).Add(time.Duration(*options.GracePeriodSeconds) * time.Second))
	obj.SetDeletionTimestamp(&at)
	obj.SetDeletionGracePeriodSeconds(ptr(*options.GracePeriodSeconds))
	if obj.GetGeneration() > 0 {
		obj.SetGeneration(obj.GetGeneration() + 1)
	}
	return true, false, nil
}

func (e *Store) checkDeletePreconditions(obj api.Object, options *metav1.DeleteOptions) error {
	c := options.Preconditions
	if c == nil {
		return nil
	}
	resource := api.GroupResource{Group: e.Kind.Group, Resource: e.Kind.Kind}
	if c.UID != nil && *c.UID != obj.GetUID() {
		return apierrors.NewConflict(resource, obj.GetName(),
			fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *c.UID,
				obj.GetUID()))
	}
	if c.ResourceVersion != nil && *c.ResourceVersion != obj.GetResourceVersion() {
		return apierrors.NewConflict(resource, obj.GetName(),
			fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified",
				*c.ResourceVersion, obj.GetResourceVersion()))
	}
	return nil
}

// updateForGracefulDeletionAndFinalizers marks the object in the store. The error is errDeleteNow if it can go at once.
// Upstream: generic/registry/store.go, Store.updateForGracefulDeletionAndFinalizers.
func (e *Store) updateForGracefulDeletionAndFinalizers(p *sim.Proc, key store.Key, options *metav1.DeleteOptions, preconditions store.Preconditions) (obj,
	last api.Object, err error) {
	graceful, pendingFinalizers := false, false
	obj, err = e.guaranteedUpdate(p, key, func(current api.Object) (api.Object, error) {
		if err := preconditions.Check(key, current); err != nil {
			return nil, err
		}
		marked := current.DeepCopyObject()
		last = current
		var pending bool
		var err error
		graceful, pending, err = e.beforeDelete(p, marked, options)
		if err != nil {
			return nil, err
		}
		if pending {
			return nil, errAlreadyDeleting
		}
		if needed, finalizers := e.deletionFinalizersForGarbageCollection(marked, options); needed {
			marked.SetFinalizers(finalizers)
		}
		pendingFinalizers = len(marked.GetFinalizers()) > 0
		if !graceful {
			if !pendingFinalizers {
				return nil, errDeleteNow
			}
			markAsDeleting(marked, now(p))
		}
		return marked, nil
	})
	switch {
	case err == errAlreadyDeleting:
		return last, last, nil
	case err != nil:
		return nil, last, err
	case pendingFinalizers, graceful && *options.GracePeriodSeconds > 0:
		return obj, obj, nil
	}
	return obj, obj, errDeleteNow
}

// markAsDeleting marks an object that only finalizers keep. Upstream: generic/registry/store.go, markAsDeleting.
func markAsDeleting(obj api.Object, now metav1.Time) {
	if obj.GetDeletionTimestamp() == nil && obj.GetGeneration() > 0 {
		obj.SetGeneration(obj.GetGeneration() + 1)
	}
	if at := obj.GetDeletionTimestamp(); at == nil || now.Before(at) {
		obj.SetDeletionTimestamp(&now)
	}
	obj.SetDeletionGracePeriodSeconds(ptr(int64(0)))
}

// deletionFinalizersForGarbageCollection returns the finalizers with which the object waits for the garbage collector,
// and whether they are others than now. Upstream: generic/registry/store.go, the function of that name.
func (e *Store) deletionFinalizersForGarbageCollection(obj api.Object, options *metav1.DeleteOptions) (needed bool, finalizers []string) {
	var list []string
	for _, f := range obj.GetFinalizers() {
		if f != metav1.FinalizerOrphanDependents && f != metav1.FinalizerDeleteDependents {
			list = append(list, f)
		}
	}
	if e.shouldOrphanDependents(obj, options) {
		list = append(list, metav1.FinalizerOrphanDependents)
	}
	if shouldDeleteDependents(obj, options) {
		list = append(list, metav1.FinalizerDeleteDependents)
	}
	same := len(list) == len(obj.GetFinalizers())
	for _, f := range list {
		same = same && slices.Contains(obj.GetFinalizers(), f)
	}
	return !same, list
}

func (e *Store) shouldOrphanDependents(obj api.Object, options *metav1.DeleteOptions) bool {
	switch {
	case e.Kind.Resource == "events": // nothing is ever owned by one
		return false
	case options.OrphanDependents != nil:
		return *options.OrphanDependents
	case options.PropagationPolicy != nil:
		return *options.PropagationPolicy == metav1.DeletePropagationOrphan
	case hasFinalizer(obj, metav1.FinalizerOrphanDependents):
		return true
	case hasFinalizer(obj, metav1.FinalizerDeleteDependents):
		return false
	}
	return e.OrphansByDefault()
}

// OrphansByDefault says that a delete that says nothing of it leaves the object's dependents alone: so it is for the kinds
// that are older than the garbage collector.
// Upstream: DefaultGarbageCollectionPolicy of pkg/registry/batch/job/strategy.go and core/replicationcontroller/strategy.go.
func (e *Store) OrphansByDefault() bool {
	return e.Kind.Group == "batch" && e.Kind.Resource == "jobs" || e.Kind.Group == "" && e.Kind.Resource == "replicationcontrollers"
}

func shouldDeleteDependents(obj api.Object, options *metav1.DeleteOptions) bool {
	switch {
	case options.OrphanDependents != nil:
		return false
	case options.PropagationPolicy != nil:
		return *options.PropagationPolicy == metav1.DeletePropagationForeground
	}
	return hasFinalizer(obj, metav1.FinalizerDeleteDependents) && !hasFinalizer(obj, metav1.FinalizerOrphanDependents)
}

func ptr[T any](v T) *T { return &v }
