// Package apiserver is the Kubernetes API: everybody speaks to it, and to nobody else. It decodes, fills in defaults,
// admits, validates, stores, and tells those who watch.
//
// Requests arrive through package transport, each in a process of the server's own.
//
// Guarantees: those of the store (see package store), and that objects given out are immutable.
//
// Simplified: nobody is authenticated: a component's name is its user, or what Authorization.Users makes of it. Unless there is an
// Authorization, everybody may do everything. Priority and fairness is there with the kinds that hardly any cluster needs. Managed fields are
// worked out when somebody applies or asks for them (see owners).
//
// Upstream: apiserver/pkg/endpoints/handlers and apiserver/pkg/registry.
package apiserver

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/apiserver/admission"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/apiserver/cacher"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
)

// Server is an API server at its address. It implements client.Transport. The program behind the address comes and goes
// with Start and its component's Stop; what it remembers goes with it, what it stored stays.
type Server struct {
	*transport.Network // the way to it

	opts   Options
	store  *store.Store
	kernel *sim.Kernel

	component  *sim.Component // the program that serves, or served last
	work       *sim.Rand
	latency    func() time.Duration // one way between a client and the server
	admission  *admission.Chain
	authorizer *authorization.Authorizer // nil: everybody may do everything
	evaluator  cel.Evaluator             // nil: there is no CEL
	tokens     registry.TokenSigner      // signs those of service accounts
	merger     *api.Merger

	owners   *owners
	kubelets Kubelets
	// components tells which programs of the control plane answer; nil is all of them.
	components func(component string) bool
	dialer     Dialer
	outside    Outside

	registries map[api.GroupVersionResource]*registry.Store
	caches     map[string]*cacher.Cacher  // by resource
	custom     map[string]*customResource // likewise, of those that definitions added
	aggregated map[string]*aggregated     // by the names of APIServices, of those behind which another server is
	kinds      api.KindSet
	revision   int64 // the newest that came from etcd
	feed       *store.Watcher
	feedAt     time.Duration // when the last event of etcd arrives

	written struct { // see textOf
		revision int64
		text     string
	}
	failure  failure  // a fault
	fairness fairness // nil: nobody waits for his turn
}

// New makes a server and starts it in a component.
func New(c *sim.Component, st *store.Store, opts Options) *Server {
	k := c.Kernel()
	s := &Server{
		opts: opts, store: st, kernel: k,
		work:       k.Rand("apiserver/processing"),
		registries: map[api.GroupVersionResource]*registry.Store{},
		merger:     api.NewMerger(),
		owners:     newOwners(),
		kinds:      opts.kinds(),
		tokens:     opts.Tokens,
	}
	delays := k.Rand("apiserver/network")
	s.latency = func() time.Duration { return delays.Between(opts.Network.Min, opts.Network.Max) }
	s.Network = transport.New(k, c.Name(), s, s.latency)
	if a := opts.Authorization; a != nil {
		s.Network.Username = func(component string) string { return a.Users(component).Username }
	}
	if s.tokens == nil {
		s.tokens = registry.HashSigner(k.Rand("apiserver/tokens").UUID())
	}
	if opts.CEL {
		s.evaluator = cel.Installed()
	}
	s.addRegistries()
	s.Start(c)
	return s
}

// addRegistries makes those that are missing of the built-in kinds.
func (s *Server) addRegistries() {
	for _, kind := range s.opts.kinds() {
		if kind.Resource != "" && kind.NewList != nil && s.registries[kind.GroupVersionResource()] == nil {
			e := registry.NewStore(kind, s.store, s.kernel)
			e.Evaluator = s.evaluator
			e.Look(s.opts.Certificates)
			s.registries[kind.GroupVersionResource()] = e
		}
	}
}

// Start runs the server in another component, after the one before has stopped: the same address, store and options,
// an empty memory. It listens once it has reached etcd; a program that cannot for 20 seconds ends.
// Upstream: cmd/kube-apiserver/app/server.go, Run; storage/storagebackend/factory/etcd3.go, dialTimeout.
func (s *Server) Start(c *sim.Component) {
	if s.store.Running() {
		s.serving(c)
		return
	}
	c.Go("main", func(p *sim.Proc) {
		for until := p.Now() + etcdDialTimeout; !s.store.Running(); p.Sleep(etcdDialPeriod) {
			if p.Now() >= until {
				p.Logger().Error(store.ErrDeadlineExceeded, "Error creating leases: error creating storage factory")
				c.Stop(store.ErrDeadlineExceeded.Error())
				return
			}
		}
		s.serving(c)
	})
}

// How long a server that starts waits for etcd, and how often it looks.
const (
	etcdDialTimeout = 20 * time.Second
	etcdDialPeriod  = time.Second
)

func (s *Server) serving(c *sim.Component) {
	s.component = c
	s.Listen(c)
	c.OnStop(func() { s.stopped(c) })
	s.store.Dial()
	c.Run(s.start)
}

// Component is the program that serves, or served last.
func (s *Server) Component() *sim.Component { return s.component }

// Running says that somebody serves at the address.
func (s *Server) Running() bool { return s.component != nil && s.component.Running() }

// Store is where the server keeps everything: for checkers, which read it and take no time.
func (s *Server) Store() *store.Store { return s.store }

// start runs as code of the component, when it comes up.
func (s *Server) start() {
	s.admission = admission.NewChain(s.kernel, s.store, admission.Options{DisablePlugins: s.opts.DisableAdmissionPlugins, Host: webhooks{s}, Evaluator: s.evaluator})
	s.createSystemNamespaces()
	s.createSystemPriorityClasses()
	s.createAPIServices()
	s.createRareSystemObjects()
	s.createPolicy()
	s.createKubernetesService()
	s.registries[api.GroupVersionResource{Version: "v1", Resource: "services"}].ForgetNodePorts()
	s.startCaches()
	s.startFairness()
	if s.opts.CompactionInterval > 0 {
		s.component.Go("compactor", s.compact)
	}
	if s.opts.EventTTL > 0 {
		s.component.Go("event-ttl", s.expireEvents)
	}
	s.component.Go("repair-ip", s.repairIPs)
}

// startCaches lists every resource and watches etcd from there.
func (s *Server) startCaches() {
	s.caches = map[string]*cacher.Cacher{}
	revision := s.store.Revision()
	s.revision = revision
	s.addCaches(revision)
	c := s.component
	s.startDefinitions(c)
	s.startAggregation(c)
	s.feedAt = 0
	feed, err := s.store.Watch(revision, func(e store.Event) { s.receive(c, e) })
	if err != nil {
		panic(err) // it begins at the newest revision
	}
	s.feed = feed
}

// addCaches lists at a revision what is missing of the built-in kinds' resources.
func (s *Server) addCaches(revision int64) {
	for _, kind := range s.opts.kinds() {
		resource := kind.StorageName()
		if kind.Resource == "" || kind.NewList == nil || s.caches[resource] != nil {
			continue
		}
		key := func(obj api.Object) store.Key {
			return store.Key{Resource: resource, Namespace: obj.GetNamespace(), Name: obj.GetName()}
		}
		s.caches[resource] = cacher.New(s.store.At(resource, "", revision), key, revision)
	}
}

// receive takes an event from etcd, which is on its way for a moment, and hands it to the watch cache.
func (s *Server) receive(c *sim.Component, e store.Event) {
	now := s.kernel.Elapsed()
	s.feedAt = max(s.feedAt, now+s.work.Between(s.opts.EtcdWatch.Min, s.opts.EtcdWatch.Max))
	s.kernel.Because(e.Cause, func() {
		c.Later(s.feedAt-now, func() {
			if cache := s.caches[e.Key.Resource]; cache != nil { // else its definition is gone
				cache.Process(e)
			}
			s.revision = e.Revision
			s.owners.gone(e)
			s.definitionChanged(c, e)
			s.aggregationChanged(c, e)
			if s.fairness != nil {
				s.fairness.changed(c, e)
			}
		})
	})
}

// stopped is what the other ends of the connections notice.
func (s *Server) stopped(c *sim.Component) {
	if s.component != c {
		return
	}
	if s.feed != nil {
		s.feed.Stop()
		s.feed = nil
	}
	s.Disconnect()
}
