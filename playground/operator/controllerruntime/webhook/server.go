// Package webhook is the part of a manager that answers the API server's reviews.
// Upstream: controller-runtime/pkg/webhook.
package webhook

import (
	"encoding/json"
	"errors"
	"time"

	"kubewalk/playground/operator/controllerruntime/admission"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Address is where it listens, as kubebuilder's projects do. Simplified: it has no certificate of its own; the cluster shows one for it.
const Address = ":9443"

// Server answers what is posted to its paths.
type Server struct {
	component *sim.Component
	handlers  map[string]admission.Handler
}

// Start has the server be a program's.
func (s *Server) Start(component *sim.Component) {
	*s = Server{component, map[string]admission.Handler{}}
}

// Register has a path lead to a handler.
func (s *Server) Register(path string, handler admission.Handler) {
	s.handlers[path] = handler
	s.component.Kernel().Logger().Info("Registering webhook", "path", path)
}

// way is how long a request is on its way, and its answer, too.
const way = 500 * time.Microsecond

var errRefused = errors.New("connect: connection refused")

// Listens tells whether the program is there.
func (s *Server) Listens() bool { return s.component != nil && s.component.Running() }

// Post sends a review to the server, from a process of another program, and waits for the answer.
func (s *Server) Post(p *sim.Proc, path string, body []byte, timeout time.Duration) (status int, answer []byte, err error) {
	deadline := p.Now() + timeout
	p.Sleep(way)
	if !s.Listens() {
		return 0, nil, errRefused
	}
	var cause trace.ID
	s.component.Go("webhook", func(q *sim.Proc) {
		status, answer = s.serve(q, path, body)
		cause = q.Kernel().Cause()
		p.Wake()
	})
	for status == 0 {
		if p.Now() >= deadline {
			return 0, nil, errors.New("context deadline exceeded")
		}
		p.ParkFor(deadline - p.Now())
	}
	p.Due(cause)
	p.Sleep(way)
	return status, answer, nil
}

// review is an AdmissionReview. Upstream: k8s.io/api/admission/v1.
type review struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Request    *admission.Request  `json:"request,omitempty"`
	Response   *admission.Response `json:"response,omitempty"`
}

// serve answers with a code of HTTP and a body.
func (s *Server) serve(p *sim.Proc, path string, body []byte) (int, []byte) {
	handler := s.handlers[path]
	if handler == nil {
		return 404, nil
	}
	var in review
	if err := json.Unmarshal(body, &in); err != nil || in.Request == nil {
		return 400, nil
	}
	answer := handler(context.Context{Proc: p, Logger: p.Logger()}, in.Request)
	answer.UID = in.Request.UID
	text, err := json.Marshal(review{APIVersion: in.APIVersion, Kind: in.Kind, Response: &answer})
	if err != nil {
		return 500, nil
	}
	return 200, text
}
