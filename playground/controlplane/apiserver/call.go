package apiserver

import (
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/admission"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// call is one request that the server works at.
type call struct {
	*transport.Call
	phase  string // of a write: the one of trace.Phases that it has come to
	report admission.Report
	user   *authorization.User // who asks, or whom he acts as
}

// passage is what the trace tells of a write.
func (c *call) passage(failed *metav1.Status) transport.Passage {
	w := transport.Passage{Changed: c.report.Changed, Audit: c.report.Audit}
	if failed == nil || c.phase == "" || failed.Code >= 500 && c.report.Refused == "" {
		return w
	}
	w.Phase, w.Plugin = c.phase, c.report.Refused
	switch failed.Reason {
	case metav1.StatusReasonAlreadyExists:
		w.Phase = trace.PhaseStore
	case metav1.StatusReasonConflict: // of versions; one of field managers comes up while a patch is merged
		if c.phase != trace.PhaseDecoding {
			w.Phase = trace.PhaseStore
		}
	case metav1.StatusReasonNotFound: // the object; admission may miss others
		if c.phase == trace.PhaseDecoding {
			w.Phase = trace.PhaseStore
		}
	}
	return w
}

// asks tells the trace of a webhook that is asked.
func (c *call) asks(p *sim.Proc, webhook string) { c.Asks(p, webhook, c.phase) }

// Handle implements transport.Handler.
func (s *Server) Handle(p *sim.Proc, t *transport.Call) {
	c := &call{Call: t}
	if c.writes() {
		c.phase = trace.PhaseDecoding
	}
	processing := s.work.Between(s.opts.Processing.Min, s.opts.Processing.Max)
	p.Sleep(processing / 2)
	if err := s.failure.strike(c); err != nil {
		c.Reply(p, transport.Answer{Failed: errorToAPIStatus(err)})
		return
	}
	if err := s.authorize(c); err != nil {
		c.Reply(p, transport.Answer{Failed: errorToAPIStatus(err), Passage: transport.Passage{Phase: trace.PhaseAuthorization}})
		return
	}
	if s.fairness != nil {
		leave, err := s.fairness.enter(p, c)
		if err != nil {
			c.Reply(p, transport.Answer{Failed: errorToAPIStatus(err)})
			return
		}
		defer leave()
	}
	p.SetDeadline(p.Now() + c.timeout())
	result, stream, code, err := s.serve(p, c)
	p.Sleep(processing - processing/2)
	if err != nil && p.Now() >= p.Deadline() {
		err = c.timedOut()
	}
	if err != nil {
		failed := errorToAPIStatus(err)
		c.Reply(p, transport.Answer{Failed: failed, Passage: c.passage(failed)})
		return
	}
	c.Reply(p, transport.Answer{Code: code, Result: result, Stream: stream, Passage: c.passage(nil)})
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
