package kubectl

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/discovery"
	"kubewalk/playground/sim"
)

// Discovery is what a kubectl remembers of the API from one command to the next, as the real one does in ~/.kube/cache: for
// six hours, or until it is asked for something that it does not know. So it still asks for objects of a kind whose
// definition somebody has just deleted.
// Upstream: cli-runtime/pkg/genericclioptions/config_flags.go, ToDiscoveryClient; client-go restmapper/discovery.go,
// DeferredDiscoveryRESTMapper.
type Discovery struct {
	kinds api.KindSet
	until time.Duration
}

const discoveryTTL = 6 * time.Hour

// fresh asks the server.
func (d *Discovery) fresh(c Command, p *sim.Proc) {
	d.kinds, d.until = c.transport.Kinds(), p.Now()+discoveryTTL
}

// WithDiscovery is a kubectl with a memory.
func (c Command) WithDiscovery(d *Discovery) Command {
	c.discovery = d
	return c
}

// known finds a kind in what is remembered, and asks again if it is not there.
func (s *session) known(find func(api.KindSet) *api.Kind) *api.Kind {
	if k := find(s.kinds()); k != nil {
		return k
	}
	s.discovery.fresh(s.Command, s.p)
	return find(s.discovery.kinds)
}

// kinds are all that is remembered.
func (s *session) kinds() api.KindSet {
	if s.discovery.kinds == nil || s.p.Now() > s.discovery.until {
		s.discovery.fresh(s.Command, s.p)
	}
	return s.discovery.kinds
}

// resolve finds the kind that a person means; nil if there is none.
func (s *session) resolve(name string) *api.Kind {
	return s.known(func(kinds api.KindSet) *api.Kind { return kinds.Resolve(name) })
}

// api is what the server says of itself now.
func (s *session) api() discovery.API {
	s.discovery.fresh(s.Command, s.p)
	return discovery.API{Kinds: s.discovery.kinds}
}
