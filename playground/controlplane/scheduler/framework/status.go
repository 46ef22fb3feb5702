package framework

import (
	"errors"
	"strings"
)

// Code is a plugin's answer. Upstream: kube-scheduler/framework/interface.go, Code.
type Code int

const (
	// Success means that the plugin found nothing against the Pod. A nil *Status is Success too.
	Success Code = iota
	// Error means that something went wrong inside: the Pod is tried again after a backoff.
	Error
	// Unschedulable means that the Pod does not fit now; removing other Pods might help.
	Unschedulable
	// UnschedulableAndUnresolvable means that removing other Pods would not help either.
	UnschedulableAndUnresolvable
	// Wait is for Permit: the Pod waits before it is bound.
	Wait
	// Skip means: at PreFilter and PreScore, do not call this plugin's Filter or Score; at Bind, ask the next binder.
	Skip
	// Pending means that the Pod waits for something outside the scheduler; when it comes, there is no backoff.
	Pending
)

var codes = [...]string{"Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending"}

func (c Code) String() string { return codes[c] }

// Status is what a plugin answers: a code, and why. nil is Success.
// Upstream: kube-scheduler/framework/interface.go, Status.
type Status struct {
	code    Code
	reasons []string
	err     error
	plugin  string
}

// NewStatus makes a status. With code Error the reasons are the error.
func NewStatus(code Code, reasons ...string) *Status {
	if code == Error {
		return AsStatus(errors.New(strings.Join(reasons, ", ")))
	}
	return &Status{code: code, reasons: reasons}
}

// AsStatus wraps an error; nil becomes Success.
func AsStatus(err error) *Status {
	if err == nil {
		return nil
	}
	return &Status{code: Error, err: err}
}

// WithError sets the error, whose message comes before the reasons, and returns s.
func (s *Status) WithError(err error) *Status {
	s.err = err
	return s
}

// Code is Success for nil.
func (s *Status) Code() Code {
	if s == nil {
		return Success
	}
	return s.code
}

// IsSuccess is true for nil.
func (s *Status) IsSuccess() bool { return s.Code() == Success }

// IsWait tells that Permit lets the Pod wait.
func (s *Status) IsWait() bool { return s.Code() == Wait }

// IsSkip tells that the plugin has nothing to do with this Pod.
func (s *Status) IsSkip() bool { return s.Code() == Skip }

// IsRejected tells that the plugin turned the Pod down, as opposed to an error.
func (s *Status) IsRejected() bool {
	c := s.Code()
	return c == Unschedulable || c == UnschedulableAndUnresolvable || c == Pending
}

// Message is the reasons, joined.
func (s *Status) Message() string {
	if s == nil {
		return ""
	}
	return strings.Join(s.Reasons(), ", ")
}

// Reasons says why, one entry for each reason.
func (s *Status) Reasons() []string {
	switch {
	case s == nil:
		return nil
	case s.err != nil:
		return append([]string{s.err.Error()}, s.reasons...)
	}
	return s.reasons
}

// AppendReason adds a reason.
func (s *Status) AppendReason(reason string) { s.reasons = append(s.reasons, reason) }

// AsError is nil for Success; otherwise the error, or one made of the reasons.
func (s *Status) AsError() error {
	switch {
	case s.IsSuccess() || s.IsWait() || s.IsSkip():
		return nil
	case s.err != nil:
		return s.err
	}
	return errors.New(s.Message())
}

// Plugin is who answered.
func (s *Status) Plugin() string {
	if s == nil {
		return ""
	}
	return s.plugin
}

// WithPlugin notes who answered, and returns s.
func (s *Status) WithPlugin(name string) *Status {
	s.plugin = name
	return s
}

func (s *Status) String() string { return s.Message() }
