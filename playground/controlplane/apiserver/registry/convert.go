package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/apiserver/customresource"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// Converter makes objects of one version of a definition those of another, which takes time, and may fail. It is nil where versions differ
// in their names alone. As upstream's codec of the storage, it stands between the registry of a version and the store: all else sees
// objects in the version in which they are served.
// Upstream: apiextensions-apiserver/pkg/apiserver/customresource_handler.go, crdConversionRESTOptionsGetter.
type Converter interface {
	// Convert makes objects of any versions those of one, as one request.
	Convert(p *sim.Proc, objs []api.Object, to *customresource.Resource) ([]api.Object, error)
}

// converted is a stored object as it is served.
func (e *Store) converted(p *sim.Proc, obj api.Object, err error) (api.Object, error) {
	if e.Converter == nil || err != nil || obj == nil {
		return obj, err
	}
	return convertOne(p, e.Converter, obj, e.Custom)
}

// toStore is an object as it is stored.
func (e *Store) toStore(p *sim.Proc, obj api.Object, err error) (api.Object, error) {
	if e.Converter == nil || err != nil || obj == nil {
		return obj, err
	}
	return convertOne(p, e.Converter, obj, e.Custom.Storage)
}

func convertOne(p *sim.Proc, c Converter, obj api.Object, to *customresource.Resource) (api.Object, error) {
	out, err := c.Convert(p, []api.Object{obj}, to)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// The store's methods, with conversion.

func (e *Store) get(p *sim.Proc, key store.Key) (api.Object, error) {
	obj, err := e.Storage.Get(p, key)
	return e.converted(p, obj, err)
}

func (e *Store) put(p *sim.Proc, key store.Key, obj api.Object) (api.Object, error) {
	obj, err := e.toStore(p, obj, nil)
	if err != nil {
		return nil, err
	}
	obj, err = e.Storage.Create(p, key, obj)
	return e.converted(p, obj, err)
}

func (e *Store) guaranteedUpdate(p *sim.Proc, key store.Key, try func(current api.Object) (api.Object, error)) (api.Object, error) {
	if e.Converter == nil {
		return e.Storage.GuaranteedUpdate(p, key, try)
	}
	obj, err := e.Storage.GuaranteedUpdate(p, key, func(current api.Object) (api.Object, error) {
		current, err := e.converted(p, current, nil)
		if err != nil {
			return nil, err
		}
		next, err := try(current)
		return e.toStore(p, next, err)
	})
	return e.converted(p, obj, err)
}

func (e *Store) remove(p *sim.Proc, key store.Key, preconditions store.Preconditions) (api.Object, error) {
	obj, err := e.Storage.Delete(p, key, preconditions, nil)
	return e.converted(p, obj, err)
}
