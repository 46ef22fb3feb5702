//go:build !js || cel

package apiserver

import (
	"kubewalk/playground/sim"
)

// ServeRare has the server serve rare kinds from now on that it was not asked for when it was made: see Options.AllKinds and Options.Devices.
// A real server is started with them. Nothing of them is stored yet, so that their watch caches begin empty. The objects that every cluster
// has of them are stored at once, or when etcd is there again.
func (s *Server) ServeRare(others, devices bool) {
	before := s.opts
	s.opts.AllKinds, s.opts.Devices = before.AllKinds || others, before.Devices || devices
	if s.opts.AllKinds == before.AllKinds && s.opts.Devices == before.Devices {
		return
	}
	s.addRegistries()
	if !s.Running() {
		return // it does the rest when it starts
	}
	s.component.Run(func() {
		s.addCaches(s.revision)
		s.kindsChanged()
		if !before.AllKinds {
			s.startFairness()
		}
		s.component.Go("rare-kinds", func(p *sim.Proc) {
			for !s.store.Running() {
				p.Sleep(etcdDialPeriod)
			}
			s.createAPIServices()
			s.createRareSystemObjects()
		})
	})
}
