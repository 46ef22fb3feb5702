package registry

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/apiserver/customresource"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// OptimisticLockErrorMsg is what a client hears whose copy of an object was not the newest.
const OptimisticLockErrorMsg = "the object has been modified; please apply your changes to the latest version and try again"

// Store is the registry of one kind: the rules of the API over the store. Its methods return objects that the store
// holds too, and must not be changed.
// Upstream: apiserver/pkg/registry/generic/registry/store.go, Store.
type Store struct {
	Kind     *api.Kind
	Storage  *store.Store
	Strategy Strategy
	// Custom is what a definition says of the resource; nil for built-in kinds.
	Custom *customresource.Resource
	// Converter converts between versions; nil where there is nothing to convert.
	Converter Converter
	// Evaluator compiles what objects have in CEL. Without it, they are refused.
	Evaluator cel.Evaluator
	// Certificates looks into certificates. Without it, what is in them is not checked.
	Certificates validation.Certificates

	resource string // as the store names it

	// names and uids are chance for generated names and for identities.
	names, uids *sim.Rand

	fields [2]objectFields // see StoredFields

	forceAllowCreate bool     // see AllowingCreate
	ports            *portSet // node ports of Services that are being stored
}

// NewStore makes the registry of a kind.
func NewStore(kind *api.Kind, storage *store.Store, k *sim.Kernel) *Store {
	return &Store{
		Kind: kind, Storage: storage, Strategy: strategyFor(kind, ""), resource: kind.StorageName(),
		names: k.Rand("apiserver/names"), uids: k.Rand("apiserver/uids"),
		ports: &portSet{},
	}
}

// Look has the registry look into certificates.
func (e *Store) Look(look validation.Certificates) {
	e.Certificates = look
	if s, ok := e.Strategy.(looking); ok && look != nil {
		e.Strategy = s.Looking(look)
	}
}

// For returns the registry of a subresource that is a view of the same objects: the same storage, another strategy.
func (e *Store) For(subresource string) *Store {
	s := *e
	switch {
	case e.Custom == nil:
		s.Strategy = strategyFor(e.Kind, subresource)
		s.Look(e.Certificates)
	case subresource == "status":
		s.Strategy = customStatusStrategy{customStrategy{resource: e.Custom}}
	}
	return &s
}

// AllowingCreate returns the registry as an apply needs it: an update of what is not there creates it.
// Upstream: rest.Updater.Update, forceAllowCreate.
func (e *Store) AllowingCreate() *Store {
	s := *e
	s.forceAllowCreate = true
	return &s
}

// Resource is how the store, and with it the trace, names the resource.
func (e *Store) Resource() string { return e.resource }

// Key is where an object is stored.
func (e *Store) Key(namespace, name string) store.Key {
	return store.Key{Resource: e.resource, Namespace: namespace, Name: name}
}

// KeyOf is where obj is stored.
func (e *Store) KeyOf(obj api.Object) store.Key { return e.Key(obj.GetNamespace(), obj.GetName()) }

// Get reads one object.
func (e *Store) Get(p *sim.Proc, namespace, name string) (api.Object, error) {
	obj, err := e.get(p, e.Key(namespace, name))
	return obj, e.interpret(err, name)
}

// ValidateFunc is what admission still has to say about an object that is about to be stored or deleted.
type ValidateFunc func(p *sim.Proc, obj, old api.Object) error

// maxNameGenerationCreateAttempts is how often a generated name is tried.
// Upstream: generic/registry/store.go, the constant of that name.
const maxNameGenerationCreateAttempts = 8

// Create stores a new object; obj is given away. A name that generateName led to and that is taken is drawn again.
// Upstream: generic/registry/store.go, Store.Create.
func (e *Store) Create(p *sim.Proc, obj api.Object, validate ValidateFunc, dryRun bool) (api.Object, error) {
	generated := obj.GetGenerateName() != "" && obj.GetName() == ""
	if !generated {
		return e.create(p, obj, validate, dryRun)
	}
	for attempt := 1; ; attempt++ {
		try := obj
		if _, isPod := obj.(*corev1.Pod); isPod {
			obj.SetName("") // what else an attempt sets, the next one sets again
		} else {
			try = obj.DeepCopyObject()
		}
		created, err := e.create(p, try, validate, dryRun)
		if !apierrors.IsAlreadyExists(err) {
			return created, err
		}
		if attempt == maxNameGenerationCreateAttempts {
			return nil, apierrors.NewGenerateNameConflict(e.Kind.GroupResource(), obj.GetGenerateName(), 1)
		}
	}
}

func (e *Store) create(p *sim.Proc, obj api.Object, validate ValidateFunc, dryRun bool) (api.Object, error) {
	e.fillObjectMetaSystemFields(p, obj)
	if name := obj.GetGenerateName(); name != "" && obj.GetName() == "" {
		obj.SetName(e.generateName(name))
	}
	finish, err := e.beginCreate(p, obj, dryRun)
	if err != nil {
		return nil, err
	}
	created, err := e.createStored(p, obj, validate, dryRun)
	finish(p, err == nil)
	return created, err
}

func (e *Store) createStored(p *sim.Proc, obj api.Object, validate ValidateFunc, dryRun bool) (api.Object, error) {
	if err := e.beforeCreate(obj); err != nil {
		return nil, err
	}
	if validate != nil {
		if err := validate(p, obj, nil); err != nil {
			return nil, err
		}
	}
	if obj.GetResourceVersion() != "" && obj.GetResourceVersion() != "0" {
		return nil, errors.New("resourceVersion should not be set on objects to be created")
	}
	obj.SetResourceVersion("")
	if dryRun {
		if e.Storage.Current(e.KeyOf(obj)) != nil {
			return nil, apierrors.NewAlreadyExists(e.Kind.GroupResource(), obj.GetName())
		}
		return obj, nil
	}
	created, err := e.put(p, e.KeyOf(obj), obj)
	return created, e.interpret(err, obj.GetName())
}

// maxGeneratedNameLength keeps room for the suffix in a label.
// Upstream: apiserver/pkg/storage/names/generate.go, simpleNameGenerator.GenerateName.
const maxGeneratedNameLength = 63 - 5

func (e *Store) generateName(base string) string {
	if len(base) > maxGeneratedNameLength {
		base = base[:maxGeneratedNameLength]
	}
	return base + e.names.Suffix(5)
}

// UpdatedObject makes the new object of the current one, which it must not change. It may be called several times. old is
// nil when a PUT finds nothing.
type UpdatedObject func(p *sim.Proc, old api.Object) (api.Object, error)

// errEmptiedFinalizers ends an update that takes the last finalizer from an object that waits to be deleted.
var errEmptiedFinalizers = errors.New("emptied finalizers")

// Update changes an object, or creates it where the kind's strategy allows. created says that it did.
// Upstream: generic/registry/store.go, Store.Update.
func (e *Store) Update(p *sim.Proc, namespace, name string, updated UpdatedObject, validate ValidateFunc, dryRun bool) (obj api.Object, created bool,
	err error) {
	key := e.Key(namespace, name)
	var last api.Object
	finish := finishNothing
	try := func(current api.Object) (api.Object, error) {
		last = current
		finish(p, false) // of the attempt before
		finish = finishNothing
		next, err := updated(p, current)
		if err != nil {
			return nil, err
		}
		if err := e.checkResourceVersion(next, current); err != nil {
			return nil, err
		}
		if uid := next.GetUID(); uid != "" {
			if err := (store.Preconditions{UID: string(uid)}).Check(key, current); err != nil {
				return nil, err
			}
		}
		if finish, err = e.beginUpdate(p, next, current, dryRun); err != nil {
			return nil, err
		}
		if err := e.beforeUpdate(next, current); err != nil {
			return nil, err
		}
		if validate != nil {
			if err := validate(p, next, current); err != nil {
				return nil, err
			}
		}
		if shouldDeleteDuringUpdate(next, current) {
			last = next
			return nil, errEmptiedFinalizers
		}
		return next, nil
	}
	if dryRun {
		current, err := e.get(p, key)
		if err == store.ErrNotFound && e.forceAllowCreate {
			next, err := updated(p, nil)
			if err != nil {
				return nil, false, err
			}
			obj, err = e.Create(p, next, validate, true)
			return obj, true, err
		}
		if err == nil {
			if obj, err = try(current); err == nil {
				obj.SetResourceVersion(current.GetResourceVersion())
			}
		}
		finish(p, err == nil)
		return obj, false, e.interpret(err, name)
	}
	obj, err = e.guaranteedUpdate(p, key, try)
	finish(p, err == nil)
	switch {
	case err == errEmptiedFinalizers:
		obj, err = e.deleteWithoutFinalizers(p, key, last)
		return obj, false, err
	case err == store.ErrNotFound && (e.forceAllowCreate || e.Strategy.AllowCreateOnUpdate()):
		next, err := updated(p, nil)
		if err != nil {
			return nil, false, err
		}
		obj, err = e.Create(p, next, validate, dryRun)
		return obj, true, err
	}
	return obj, false, e.interpret(err, name)
}

// checkResourceVersion compares what the client saw with what there is.
func (e *Store) checkResourceVersion(next, current api.Object) error {
	revision, err := store.ParseRevision(next.GetResourceVersion())
	if err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("metadata.resourceVersion: Invalid value: %q: %v", next.GetResourceVersion(), err))
	}
	if revision == 0 {
		if !e.Strategy.AllowUnconditionalUpdate() {
			return e.invalidResourceVersion(next)
		}
		next.SetResourceVersion(current.GetResourceVersion())
		return nil
	}
	if next.GetResourceVersion() != current.GetResourceVersion() {
		return apierrors.NewConflict(e.Kind.GroupResource(), current.GetName(), errors.New(OptimisticLockErrorMsg))
	}
	return nil
}

// interpret makes an answer of an error of the storage.
// Upstream: apiserver/pkg/storage/errors/storage.go, InterpretGetError and its like.
func (e *Store) interpret(err error, name string) error {
	var precondition *store.PreconditionError
	switch {
	case err == nil:
		return nil
	case err == store.ErrNotFound:
		return apierrors.NewNotFound(e.Kind.GroupResource(), name)
	case err == store.ErrExists:
		return apierrors.NewAlreadyExists(e.Kind.GroupResource(), name)
	case errors.As(err, &precondition):
		return apierrors.NewConflict(e.Kind.GroupResource(), name, err)
	}
	return err
}

// SelectableFields returns the values by which a field selector can pick obj.
func (e *Store) SelectableFields(obj api.Object) fields.Set {
	set := fields.Set{}
	if s, ok := e.Strategy.(fieldSelection); ok {
		set = s.SelectableFields(obj)
	}
	set["metadata.name"] = obj.GetName()
	if e.Kind.Namespaced {
		set["metadata.namespace"] = obj.GetNamespace()
	}
	return set
}

// StoredFields is SelectableFields of an object that does not change any more. The last two are remembered, since each
// event is matched against many watches. Upstream: storage/cacher/watch_cache.go, watchCacheEvent.ObjFields and PrevObjFields.
func (e *Store) StoredFields(obj api.Object) fields.Fields {
	if pod, ok := obj.(*corev1.Pod); ok {
		return podFields{pod}
	}
	for _, f := range e.fields {
		if f.of == obj {
			return f.set
		}
	}
	e.fields[0], e.fields[1] = e.fields[1], objectFields{obj, e.SelectableFields(obj)}
	return e.fields[1].set
}

type objectFields struct {
	of  api.Object
	set fields.Set
}

// ParseFieldSelector reads a field selector and refuses fields that the kind does not offer.
func (e *Store) ParseFieldSelector(text string) (fields.Selector, error) {
	known := fields.Set{}
	if s, ok := e.Strategy.(fieldSelection); ok {
		known = s.SelectableFields(nil)
	}
	return fields.ParseAndTransformSelector(text, func(name, value string) (string, string, error) {
		name = e.fieldLabel(name)
		if name == "metadata.name" || name == "metadata.namespace" || known.Has(name) {
			return name, value, nil
		}
		if _, special := e.Strategy.(fieldSelection); !special {
			return "", "", fmt.Errorf("%q is not a known field selector: only %q, %q", name, "metadata.name", "metadata.namespace")
		}
		return "", "", fmt.Errorf("field label not supported: %s", name)
	})
}

// shouldDeleteDuringUpdate says that an update leaves nothing for which the deleted object has to stay.
// Upstream: generic/registry/store.go, ShouldDeleteDuringUpdate.
func shouldDeleteDuringUpdate(obj, existing api.Object) bool {
	if len(obj.GetFinalizers()) > 0 {
		return false
	}
	// Upstream: core/namespace/storage/storage.go, ShouldDeleteNamespaceDuringUpdate.
	if ns, ok := obj.(*corev1.Namespace); ok && len(ns.Spec.Finalizers) > 0 {
		return false
	}
	if grace := obj.GetDeletionGracePeriodSeconds(); grace != nil && *grace > 0 {
		return false
	}
	return existing.GetDeletionTimestamp() != nil &&
		(existing.GetDeletionGracePeriodSeconds() == nil || *existing.GetDeletionGracePeriodSeconds() == 0)
}

// deleteWithoutFinalizers removes the object, and returns it as the update would have left it: who updates expects an updated object.
// Upstream: generic/registry/store.go, Store.deleteWithoutFinalizers.
func (e *Store) deleteWithoutFinalizers(p *sim.Proc, key store.Key, last api.Object) (api.Object, error) {
	p.Logger().V(6).Info("Going to delete object from registry", "object", strings.TrimPrefix(key.String(), "/registry/"))
	obj, err := e.remove(p, key, store.Preconditions{UID: string(last.GetUID())})
	if err == store.ErrNotFound {
		return last, nil
	}
	if err != nil {
		return nil, e.interpret(err, key.Name)
	}
	e.afterDelete(p, obj)
	return last, nil
}

// hasFinalizer says that one of the object's finalizers has that name.
func hasFinalizer(obj api.Object, name string) bool {
	return slices.Contains(obj.GetFinalizers(), name)
}

func now(p *sim.Proc) metav1.Time { return metav1.NewTime(p.Time()).Rfc3339Copy() }
