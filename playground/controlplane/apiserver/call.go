package apiserver

import (
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
)

// call is one request that the server works at.
type call struct{ *transport.Call }

// Handle implements transport.Handler.
func (s *Server) Handle(p *sim.Proc, t *transport.Call) {
	c := &call{t}
	processing := s.work.Between(s.opts.Processing.Min, s.opts.Processing.Max)
	p.Sleep(processing / 2)
	if err := s.failure.strike(c); err != nil {
		c.Reply(p, transport.Answer{Failed: errorToAPIStatus(err)})
		return
	}
	p.SetDeadline(p.Now() + c.timeout())
	result, stream, code, err := s.serve(p, c)
	p.Sleep(processing - processing/2)
	if err != nil && p.Now() >= p.Deadline() {
		err = c.timedOut()
	}
	if err != nil {
		c.Reply(p, transport.Answer{Failed: errorToAPIStatus(err)})
		return
	}
	c.Reply(p, transport.Answer{Code: code, Result: result, Stream: stream})
}

// errorToAPIStatus makes an answer of any error.
// Upstream: endpoints/handlers/responsewriters/status.go, ErrorToAPIStatus.
func errorToAPIStatus(err error) *metav1.Status {
	if e, ok := err.(apierrors.APIStatus); ok {
		status := e.Status()
		status.Kind, status.APIVersion = "Status", "v1"
		return &status
	}
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: 500, Message: err.Error(),
	}
}
