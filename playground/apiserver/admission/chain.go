// Package admission is what may change or refuse a request after it was decoded and before it is validated and stored.
//
// The plugins are those that every cluster runs and that a reader meets: NamespaceLifecycle, ServiceAccount (the name
// only: no token is mounted), DefaultTolerationSeconds and Priority (system classes only). Absent: LimitRanger,
// ResourceQuota, PodSecurity, webhooks.
// Upstream: apiserver/pkg/admission and plugin/pkg/admission.
package admission

import (
	"kubewalk/playground/api"
	"kubewalk/playground/sim"
	"kubewalk/playground/store"
)

// Operation is what a request does to its object.
type Operation string

// Upstream: apiserver/pkg/admission/interfaces.go.
const (
	Create Operation = "CREATE"
	Update Operation = "UPDATE"
	Delete Operation = "DELETE"
)

// Attributes are what a plugin knows of a request.
type Attributes struct {
	Kind        *api.Kind
	Namespace   string
	Name        string
	Subresource string
	Operation   Operation
	User        string
	Object      api.Object // may be changed by Admit; nil for Delete
	OldObject   api.Object // nil for Create
}

// Plugin is one part of admission. Either method may be a no-op.
type Plugin interface {
	Name() string
	// Admit may change the object, or refuse the request.
	Admit(p *sim.Proc, a *Attributes) error
	// Validate may refuse the object as it is going to be stored.
	Validate(p *sim.Proc, a *Attributes) error
}

// Chain asks plugins one after the other. Upstream: apiserver/pkg/admission/chain.go, chainAdmissionHandler.
type Chain struct{ plugins []Plugin }

// NewChain makes the chain of a server, in upstream's order (pkg/kubeapiserver/options/plugins.go, AllOrderedPlugins).
func NewChain(st *store.Store) *Chain {
	return &Chain{[]Plugin{
		&namespaceLifecycle{st},
		serviceAccount{},
		priority{},
		defaultTolerationSeconds{},
	}}
}

// Admit lets each plugin change the object; the first that refuses ends it.
func (c *Chain) Admit(p *sim.Proc, a *Attributes) error {
	for _, plugin := range c.plugins {
		if err := plugin.Admit(p, a); err != nil {
			return err
		}
	}
	return nil
}

// Validate asks each plugin for its consent.
func (c *Chain) Validate(p *sim.Proc, a *Attributes) error {
	for _, plugin := range c.plugins {
		if err := plugin.Validate(p, a); err != nil {
			return err
		}
	}
	return nil
}
