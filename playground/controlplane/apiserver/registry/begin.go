package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/sim"
)

// finishFunc ends what a begin hook began: the object was stored, or it was not and what was taken is given back.
// Upstream: generic/registry/store.go, FinishFunc.
type finishFunc func(p *sim.Proc, success bool)

func finishNothing(*sim.Proc, bool) {}

// allocating is implemented by strategies of kinds whose objects hold something besides themselves: a Service its
// addresses and ports. The hooks run before anybody else looks at the object.
// Upstream: generic/registry/store.go, Store.BeginCreate, BeginUpdate and AfterDelete.
type allocating interface {
	BeginCreate(p *sim.Proc, e *Store, obj api.Object, dryRun bool) (finishFunc, error)
	BeginUpdate(p *sim.Proc, e *Store, obj, old api.Object, dryRun bool) (finishFunc, error)
	AfterDelete(p *sim.Proc, e *Store, obj api.Object)
}

func (e *Store) beginCreate(p *sim.Proc, obj api.Object, dryRun bool) (finishFunc, error) {
	if s, ok := e.Strategy.(allocating); ok {
		return s.BeginCreate(p, e, obj, dryRun)
	}
	return finishNothing, nil
}

// beginUpdate's function is never nil, even with an error.
func (e *Store) beginUpdate(p *sim.Proc, obj, old api.Object, dryRun bool) (finishFunc, error) {
	if s, ok := e.Strategy.(allocating); ok {
		finish, err := s.BeginUpdate(p, e, obj, old, dryRun)
		if finish == nil {
			finish = finishNothing
		}
		return finish, err
	}
	return finishNothing, nil
}

func (e *Store) afterDelete(p *sim.Proc, obj api.Object) {
	if s, ok := e.Strategy.(allocating); ok {
		s.AfterDelete(p, e, obj)
	}
}

// sibling is the registry of another kind over the same storage: with it the server writes what only it may.
func (e *Store) sibling(gvr api.GroupVersionResource) *Store {
	s := *e
	s.Kind = api.KindForResource(gvr)
	s.resource = s.Kind.StorageName()
	s.Strategy = strategyFor(s.Kind, "")
	s.fields = [2]objectFields{}
	return &s
}
