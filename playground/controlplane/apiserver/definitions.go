package apiserver

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/controlplane/apiserver/cacher"
	"kubewalk/playground/controlplane/apiserver/customresource"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// The server looks after definitions of custom resources itself: whether their names are free, the APIServices of their
// versions, and what is left of them when they are deleted. As soon as one is established, its resources are served.
// Upstream: apiextensions-apiserver/pkg/controller/status/naming_controller.go, establish/establishing_controller.go and
// finalizer/crd_finalizer.go, pkg/apiserver/customresource_handler.go; pkg/controlplane/controller/crdregistration.

const definitions = "customresourcedefinitions"

// definedPriority is that of the groups that definitions add. Upstream: crdregistration_controller.go.
const definedPriority = 1000

// customResource is a definition that is served.
type customResource struct {
	definition *apiextensionsv1.CustomResourceDefinition
	resources  []*customresource.Resource
	watches    []*watch
}

// opened notes a watch, which ends when the definition changes.
func (r *customResource) opened(w *watch) {
	r.watches = slices.DeleteFunc(r.watches, func(w *watch) bool { return w.stream.Closed() })
	r.watches = append(r.watches, w)
}

// Kinds implements client.Transport.
func (s *Server) Kinds() api.KindSet { return s.kinds }

// kindsChanged works out what is served: custom kinds come in the order of their groups and names, the newest version first. Before and
// behind them come those of other servers, by the priorities of their APIServices.
func (s *Server) kindsChanged() {
	s.kinds = s.opts.kinds()
	others := s.byPriority()
	for ; len(others) > 0 && others[0].service.Spec.GroupPriorityMinimum > definedPriority; others = others[1:] {
		s.kinds = append(s.kinds, others[0].kinds...)
	}
	for _, obj := range s.store.At(definitions, "", s.store.Revision()) {
		if r := s.custom[storageName(obj.(*apiextensionsv1.CustomResourceDefinition))]; r != nil {
			versions := slices.Clone(r.resources)
			slices.SortStableFunc(versions, func(a, b *customresource.Resource) int {
				return schema.CompareVersions(b.Kind.Version, a.Kind.Version)
			})
			for _, version := range versions {
				s.kinds = append(s.kinds, version.Kind)
			}
		}
	}
	for _, a := range others {
		s.kinds = append(s.kinds, a.kinds...)
	}
}

// storageName is under which name a definition's objects are stored, which is its own.
func storageName(crd *apiextensionsv1.CustomResourceDefinition) string { return crd.Name }

// install serves what a definition defines, from now on as it defines it now.
func (s *Server) install(crd *apiextensionsv1.CustomResourceDefinition) {
	name := storageName(crd)
	s.uninstall(name)
	r := &customResource{definition: crd, resources: customresource.New(crd, s.evaluator)}
	s.custom[name] = r
	converter := s.conversionOf(crd)
	for _, version := range r.resources {
		e := registry.NewCustomStore(version, s.store, s.kernel)
		e.Converter = converter
		s.registries[version.Kind.GroupVersionResource()] = e
	}
	key := func(obj api.Object) store.Key {
		return store.Key{Resource: name, Namespace: obj.GetNamespace(), Name: obj.GetName()}
	}
	s.caches[name] = cacher.New(s.store.At(name, "", s.revision), key, s.revision)
	s.kindsChanged()
}

// uninstall ends what is served of a definition, and the watches of it.
func (s *Server) uninstall(name string) {
	r := s.custom[name]
	if r == nil {
		return
	}
	for _, version := range r.resources {
		delete(s.registries, version.Kind.GroupVersionResource())
	}
	delete(s.caches, name)
	delete(s.custom, name)
	for _, w := range r.watches {
		w.stream.Close("the definition of the resource has changed")
	}
	s.kindsChanged()
}

// startDefinitions serves what was defined before the server started, and goes on with what it had not finished.
func (s *Server) startDefinitions(c *sim.Component) {
	for _, r := range s.custom { // order: each removes its own
		for _, version := range r.resources {
			delete(s.registries, version.Kind.GroupVersionResource())
		}
	}
	s.custom = map[string]*customResource{}
	s.kindsChanged()
	for _, obj := range s.store.At(definitions, "", s.revision) {
		crd := obj.(*apiextensionsv1.CustomResourceDefinition)
		if customresource.Is(crd, apiextensionsv1.Established) {
			s.install(crd)
		}
		s.lookAfter(c, store.Key{Resource: definitions, Name: crd.Name}, crd)
	}
}

// definitionChanged is called with every event of etcd.
func (s *Server) definitionChanged(c *sim.Component, e store.Event) {
	if e.Key.Resource != definitions {
		return
	}
	crd := e.Object.(*apiextensionsv1.CustomResourceDefinition)
	served := s.custom[storageName(crd)]
	switch {
	case e.Type == store.Deleted:
		s.uninstall(storageName(crd))
		c.Go("crd-registration", func(p *sim.Proc) { s.removeAPIServices(p, crd) })
		return
	case !customresource.Is(crd, apiextensionsv1.Established):
	case served == nil || !api.SemanticDeepEqual(served.definition.Spec, crd.Spec) ||
		!api.SemanticDeepEqual(served.definition.Status.AcceptedNames, crd.Status.AcceptedNames):
		s.install(crd)
	default:
		served.definition = crd
	}
	s.lookAfter(c, e.Key, crd)
}

// lookAfter does what a definition still needs.
func (s *Server) lookAfter(c *sim.Component, key store.Key, crd *apiextensionsv1.CustomResourceDefinition) {
	if crd.DeletionTimestamp != nil {
		if slices.Contains(crd.Finalizers, registry.CustomResourceCleanup) && !deletionInProgress(crd) {
			c.Go("crd-finalizer", func(p *sim.Proc) { s.finalizeDefinition(p, key) })
		}
		return
	}
	c.Go("naming-condition", func(p *sim.Proc) {
		s.createDefinedAPIServices(p, crd)
		s.syncDefinition(p, key)
	})
}

// terminating is why nothing is created any more whose definition is being deleted.
// Upstream: pkg/apiserver/customresource_handler.go, crdHandler.ServeHTTP.
func (s *Server) terminating(e *registry.Store, r *client.Request) error {
	if e.Custom == nil || r.Verb != client.Create {
		return nil
	}
	if served := s.custom[e.Resource()]; served == nil || !customresource.Is(served.definition, apiextensionsv1.Terminating) {
		return nil
	}
	err := apierrors.NewMethodNotSupported(e.Kind.GroupResource(), r.Verb)
	err.ErrStatus.Message = r.Verb + " not allowed while custom resource definition is terminating"
	return err
}

// createDefinedAPIServices stores an APIService for each version that a definition serves.
// Upstream: pkg/controlplane/controller/crdregistration/crdregistration_controller.go, handleVersionUpdate.
func (s *Server) createDefinedAPIServices(p *sim.Proc, crd *apiextensionsv1.CustomResourceDefinition) {
	for _, v := range crd.Spec.Versions {
		if v.Served {
			s.createAPIService(p, apiService{crd.Spec.Group, v.Name, definedPriority, 100}, "true")
		}
	}
}

// removeAPIServices deletes those that no other definition needs.
func (s *Server) removeAPIServices(p *sim.Proc, crd *apiextensionsv1.CustomResourceDefinition) {
	needed := map[string]bool{}
	for _, obj := range s.store.At(definitions, "", s.store.Revision()) {
		o := obj.(*apiextensionsv1.CustomResourceDefinition)
		for _, v := range o.Spec.Versions {
			needed[v.Name+"."+o.Spec.Group] = needed[v.Name+"."+o.Spec.Group] || v.Served
		}
	}
	for _, v := range crd.Spec.Versions {
		name := v.Name + "." + crd.Spec.Group
		key := store.Key{Resource: "apiservices", Name: name}
		service, _ := s.store.Current(key).(*apiregistrationv1.APIService)
		if needed[name] || service == nil || service.Labels[autoManaged] != "true" {
			continue
		}
		if _, err := s.store.Delete(p, key, store.Preconditions{UID: string(service.UID)}, nil); err != nil && err != store.ErrNotFound {
			p.Logger().Error(err, "Unable to delete an APIService", "apiService", name)
		}
	}
}

// updateDefinition changes a definition as it is now.
func (s *Server) updateDefinition(p *sim.Proc, key store.Key, change func(*apiextensionsv1.CustomResourceDefinition)) error {
	_, err := s.store.GuaranteedUpdate(p, key, func(current api.Object) (api.Object, error) {
		next := current.DeepCopyObject().(*apiextensionsv1.CustomResourceDefinition)
		change(next)
		return next, nil // the same is not written
	})
	return err
}

// syncDefinition brings the status of one definition up to date, in upstream's two steps.
func (s *Server) syncDefinition(p *sim.Proc, key store.Key) {
	for _, step := range []func(*sim.Proc, *apiextensionsv1.CustomResourceDefinition){s.acceptNames, establish} {
		if err := s.updateDefinition(p, key, func(crd *apiextensionsv1.CustomResourceDefinition) { step(p, crd) }); err != nil {
			p.Logger().V(4).Info("Could not update the status of a definition", "customResourceDefinition", key.Name, "err", err.Error())
			return
		}
	}
}

// How long a definition that is deleted waits for its objects to be gone, and how often it looks.
// Upstream: crd_finalizer.go, deleteInstances.
const (
	instancesPeriod  = 5 * time.Second
	instancesTimeout = time.Minute
)

func deletionInProgress(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return slices.ContainsFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Terminating && c.Reason != "InstanceDeletionPending"
	})
}

// finalizeDefinition deletes all objects of a definition that is being deleted, and then lets it go.
// Upstream: crd_finalizer.go, CRDFinalizer.sync.
func (s *Server) finalizeDefinition(p *sim.Proc, key store.Key) {
	condition := apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.Terminating, Status: apiextensionsv1.ConditionTrue,
		Reason: "InstanceDeletionInProgress", Message: "CustomResource deletion is in progress"}
	set := func(crd *apiextensionsv1.CustomResourceDefinition) {
		customresource.SetCondition(crd, metav1.NewTime(p.Time()).Rfc3339Copy(), condition)
	}
	if err := s.updateDefinition(p, key, set); err != nil {
		return // it is gone
	}
	for {
		left := s.deleteInstances(p, key.Name)
		if left == 0 {
			break
		}
		condition.Reason, condition.Message = "InstanceDeletionCheck", "could not confirm zero CustomResources remaining: timed out waiting for the condition"
		if err := s.updateDefinition(p, key, set); err != nil {
			return
		}
	}
	condition.Status, condition.Reason, condition.Message = apiextensionsv1.ConditionFalse, "InstanceDeletionCompleted", "removed all instances"
	err := s.updateDefinition(p, key, func(crd *apiextensionsv1.CustomResourceDefinition) {
		set(crd)
		crd.Finalizers = slices.DeleteFunc(crd.Finalizers, func(f string) bool { return f == registry.CustomResourceCleanup })
	})
	if crd, _ := s.store.Current(key).(*apiextensionsv1.CustomResourceDefinition); err == nil && crd != nil && len(crd.Finalizers) == 0 {
		if _, err := s.store.Delete(p, key, store.Preconditions{UID: string(crd.UID)}, nil); err != nil && err != store.ErrNotFound {
			p.Logger().Error(err, "Unable to delete a definition", "customResourceDefinition", key.Name)
		}
	}
}

// deleteInstances deletes a definition's objects, waits until they are gone, and returns how many still are there.
func (s *Server) deleteInstances(p *sim.Proc, name string) (left int) {
	served := s.custom[name]
	if served == nil || len(served.resources) == 0 {
		return 0 // nobody could create any
	}
	// what is stored need not be converted to be deleted
	e := registry.NewCustomStore(served.resources[0].Storage, s.store, s.kernel)
	for _, obj := range s.store.At(name, "", s.store.Revision()) {
		if obj.GetDeletionTimestamp() != nil {
			continue
		}
		if _, _, err := e.Delete(p, obj.GetNamespace(), obj.GetName(), &metav1.DeleteOptions{}, nil, false); err != nil && !apierrors.IsNotFound(err) {
			p.Logger().Error(err, "Unable to delete a custom resource", "customResourceDefinition", name, "name", obj.GetName())
		}
	}
	for until := p.Now() + instancesTimeout; ; p.Sleep(instancesPeriod) {
		left = len(s.store.At(name, "", s.store.Revision()))
		if left == 0 || p.Now() >= until {
			return left
		}
	}
}

// acceptNames checks that nobody in the group has the names. Upstream: NamingConditionController.calculateNamesAndConditions.
func (s *Server) acceptNames(p *sim.Proc, crd *apiextensionsv1.CustomResourceDefinition) {
	plural := map[string]bool{}
	kinds := map[string]bool{}
	for _, k := range s.opts.kinds() {
		if k.Group == crd.Spec.Group {
			plural[k.Resource], plural[k.Singular], kinds[k.Kind] = true, true, true
		}
	}
	for _, obj := range s.store.At(definitions, "", s.store.Revision()) {
		o := obj.(*apiextensionsv1.CustomResourceDefinition)
		if o.Name == crd.Name || o.Spec.Group != crd.Spec.Group {
			continue
		}
		n := &o.Status.AcceptedNames
		for _, name := range append([]string{n.Plural, n.Singular}, n.ShortNames...) {
			plural[name] = true
		}
		kinds[n.Kind], kinds[n.ListKind] = true, true
	}
	n, accepted := &crd.Spec.Names, &crd.Status.AcceptedNames
	condition := apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue,
		Reason: "NoConflicts", Message: "no conflicts found"}
	refuse := func(reason, name string) {
		condition.Status, condition.Reason, condition.Message = apiextensionsv1.ConditionFalse, reason, fmt.Sprintf("%q is already in use", name)
	}
	*accepted = apiextensionsv1.CustomResourceDefinitionNames{Categories: slices.Clone(n.Categories)}
	take := func(used map[string]bool, name, reason string, into *string) {
		if name != "" && used[name] {
			refuse(reason, name)
		} else {
			*into = name
		}
	}
	take(plural, n.Plural, "PluralConflict", &accepted.Plural)
	take(plural, n.Singular, "SingularConflict", &accepted.Singular)
	shortNames := true
	for _, name := range n.ShortNames {
		if plural[name] {
			refuse("ShortNamesConflict", name)
			shortNames = false
		}
	}
	if shortNames {
		accepted.ShortNames = slices.Clone(n.ShortNames)
	}
	take(kinds, n.Kind, "KindConflict", &accepted.Kind)
	take(kinds, n.ListKind, "ListKindConflict", &accepted.ListKind)
	now := metav1.NewTime(p.Time()).Rfc3339Copy()
	before := customresource.Is(crd, apiextensionsv1.NamesAccepted)
	customresource.SetCondition(crd, now, condition)
	if condition.Status == apiextensionsv1.ConditionTrue && !before && !customresource.Is(crd, apiextensionsv1.Established) {
		customresource.SetCondition(crd, now, apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.Established,
			Status: apiextensionsv1.ConditionFalse, Reason: "Installing", Message: "the initial names have been accepted"})
	} else if condition.Status == apiextensionsv1.ConditionFalse && !customresource.Is(crd, apiextensionsv1.Established) {
		customresource.SetCondition(crd, now, apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.Established,
			Status: apiextensionsv1.ConditionFalse, Reason: "NotAccepted", Message: "not all names are accepted"})
	}
}

// establish is upstream's EstablishingController.sync.
func establish(p *sim.Proc, crd *apiextensionsv1.CustomResourceDefinition) {
	if !customresource.Is(crd, apiextensionsv1.NamesAccepted) || customresource.Is(crd, apiextensionsv1.Established) {
		return
	}
	if validation.InvalidBundle(crd) {
		customresource.SetCondition(crd, metav1.NewTime(p.Time()).Rfc3339Copy(), apiextensionsv1.CustomResourceDefinitionCondition{
			Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionFalse, Reason: "InvalidCABundle",
			Message: "The conversion webhook CABundle is invalid"})
	} else {
		customresource.SetCondition(crd, metav1.NewTime(p.Time()).Rfc3339Copy(), apiextensionsv1.CustomResourceDefinitionCondition{
			Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue, Reason: "InitialNamesAccepted",
			Message: "the initial names have been accepted"})
	}
}
