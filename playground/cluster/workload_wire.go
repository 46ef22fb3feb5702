//go:build !js || cel

package cluster

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// dial is the way to the API server that a kubeconfig leads to: it implements kit.Dialer.
func (c *Cluster) dial(kubeconfig string) (client.Transport, error) {
	host, ca := readKubeconfig(kubeconfig)
	return &wire{c, host, ca}, nil
}

// wire leads from a process of this cluster to the API server of a workload cluster: it implements client.Transport. The request is sent there
// by a process of the same component's name, with the credentials of an administrator.
type wire struct {
	cluster  *Cluster
	host, ca string
}

// caller is who sends a request there for a process here.
func (t *wire) caller(p *sim.Proc, r *client.Request) (*workload, *sim.Component, error) {
	w := t.cluster.toys.at(t.host)
	fail := func(err error) (*workload, *sim.Component, error) {
		return nil, nil, fmt.Errorf("%s \"https://%s%s/\": %w", r.Method(), t.host, workloadPort, err)
	}
	if w == nil || w.inner == nil || !w.inner.install.static[APIServer].running() {
		return fail(fmt.Errorf("dial tcp %s%s: connect: connection refused", t.host, workloadPort))
	}
	if w.ca != t.ca {
		return fail(errUnknownAuthority)
	}
	here := p.Component()
	name := here.Name()
	if known := w.callers[name]; known == nil || !known.Running() {
		there := w.inner.kernel.Start(name)
		w.callers[name] = there
		here.OnStop(func() { w.now(func() { there.Stop("gone") }) })
	}
	return w, w.callers[name], nil
}

// Do implements client.Transport.
func (t *wire) Do(p *sim.Proc, r *client.Request) (result client.Result, err error) {
	done := false
	w, caller, err := t.caller(p, r)
	if err != nil {
		return nil, err
	}
	w.do(p, func() {
		caller.Go(r.Method(), func(there *sim.Proc) {
			result, err = t.there(w).Do(there, r)
			done = true
			p.Wake()
		})
	})
	for !done && caller.Running() {
		p.Park()
	}
	return result, err
}

func (t *wire) there(w *workload) client.Transport {
	return client.WithCredentials(w.inner.Transport(), Kubectl)
}

// Watch implements client.Transport.
func (t *wire) Watch(p *sim.Proc, r *client.Request) (client.Stream, error) {
	w, caller, err := t.caller(p, r)
	if err != nil {
		return nil, err
	}
	s := &wireStream{workload: w, caller: caller, reader: p}
	opened := false
	w.do(p, func() {
		caller.Go("WATCH", func(there *sim.Proc) {
			s.stream, err = t.there(w).Watch(there, r)
			opened = true
			p.Wake()
			for err == nil && !s.ended {
				e, ok := s.stream.Next(there)
				if s.ended = s.ended || !ok; ok {
					s.events = append(s.events, e)
				}
				s.reader.Wake()
			}
		})
	})
	for !opened && caller.Running() {
		p.Park()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Kinds implements client.Transport.
func (t *wire) Kinds() api.KindSet {
	if w := t.cluster.toys.at(t.host); w != nil && w.inner != nil {
		return w.inner.Kinds()
	}
	return nil
}

// wireStream is a watch of another cluster: it implements client.Stream.
type wireStream struct {
	workload *workload
	caller   *sim.Component
	reader   *sim.Proc
	stream   client.Stream
	events   []client.Event
	ended    bool
}

// Next implements client.Stream.
func (s *wireStream) Next(p *sim.Proc) (client.Event, bool) {
	s.reader = p
	for len(s.events) == 0 {
		if s.ended || !s.caller.Running() {
			return client.Event{}, false
		}
		p.Park()
	}
	e := s.events[0]
	s.events = s.events[1:]
	if e.Object != nil {
		if seen := s.workload.events[e.Object.GetName()]; seen != 0 {
			p.Due(seen)
		}
	}
	return e, true
}

// Stop implements client.Stream.
func (s *wireStream) Stop() {
	if s.ended {
		return
	}
	s.ended = true
	s.workload.cluster.kernel.After(0, func() {
		s.workload.now(func() { s.caller.Run(s.stream.Stop) })
	})
}
