package apiserver

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
)

// failure is a server that answers some requests with an error in place of handling them.
type failure struct {
	code    int32
	percent int
	chance  *sim.Rand
}

// Fail has the server answer that many of a hundred requests with a code: 500 (its handler panics), 503 (it is not there
// for them) or 429 (too many requests: clients try again after a second). A code of 0 ends it.
func (s *Server) Fail(code int32, percent int) {
	s.failure = failure{code: code, percent: percent, chance: s.kernel.Rand("apiserver/failure")}
}

// The headers and bodies of these answers, and what clients make of those that are no Status.
// Upstream: apiserver/pkg/server/filters/wrap.go and priority-and-fairness.go; apimachinery/pkg/api/errors/errors.go,
// NewGenericServerResponse.
const (
	tooManyRetryAfter = time.Second
	tooManyText       = "the server has received too many requests and has asked us to try again later"
	panicBody         = "This request caused apiserver to panic. Look in the logs for details."
)

// strike tells what a request is answered with; nil when it is let through.
func (f *failure) strike(c *call) error {
	if f.code == 0 || f.chance.IntN(100) >= f.percent {
		return nil
	}
	var reason metav1.StatusReason
	var text string
	switch f.code {
	case 429:
		c.RetryAfter = tooManyRetryAfter
		reason, text = metav1.StatusReasonTooManyRequests, tooManyText
	case 503:
		reason, text = metav1.StatusReasonServiceUnavailable, "the server is currently unable to handle the request"
	default:
		reason, text = metav1.StatusReasonInternalError, fmt.Sprintf("an error on the server (%q) has prevented the request from succeeding", panicBody)
	}
	return c.genericError(f.code, reason, text)
}

// genericError is what a client makes of an answer that is no Status.
// Upstream: apimachinery/pkg/api/errors/errors.go, NewGenericServerResponse.
func (c *call) genericError(code int32, reason metav1.StatusReason, text string) error {
	about := []string{strings.ToLower(transport.URLMethod(c.Request)), c.Request.Resource.Resource}
	if group := c.Request.Resource.Group; group != "" {
		about[1] += "." + group
	}
	if c.Request.Name != "" {
		about = append(about, c.Request.Name)
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason,
		Message: fmt.Sprintf("%s (%s)", text, strings.Join(about, " "))}}
}

// How long the server works at a request, if the client does not ask for less.
// Upstream: kube-apiserver --request-timeout; endpoints/handlers/rest.go, requestTimeoutUpperBound.
const (
	readTimeout  = 60 * time.Second
	writeTimeout = 34 * time.Second
)

func (c *call) writes() bool {
	switch c.Request.Verb {
	case client.Get, client.List, client.Watch:
		return false
	}
	return true
}

func (c *call) timeout() time.Duration {
	timeout := readTimeout
	if c.writes() {
		timeout = writeTimeout
	}
	if c.Request.Timeout > 0 {
		timeout = min(timeout, c.Request.Timeout)
	}
	return timeout
}

// timedOut is the answer to a request whose time is over: a write's handler says so itself, a read is answered by a filter
// in front of its handler, in a form that clients do not understand.
// Upstream: endpoints/handlers/finisher/finisher.go, FinishRequest; server/filters/timeout.go, WithTimeoutForNonLongRunningRequests.
func (c *call) timedOut() error {
	if c.writes() {
		return apierrors.NewTimeoutError("request did not complete within requested timeout - "+store.ErrDeadlineExceeded.Error(), 0)
	}
	return c.genericError(504, metav1.StatusReasonTimeout,
		"the server was unable to return a response in the time allotted, but may still be processing the request")
}
