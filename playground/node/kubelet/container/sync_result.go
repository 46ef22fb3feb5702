package container

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Why a container does not run: these become its waiting reason.
// Upstream: sync_result.go, and images/types.go for those about images.
var (
	ErrCrashLoopBackOff = errors.New("CrashLoopBackOff")
	ErrImagePullBackOff = errors.New("ImagePullBackOff")
	ErrImagePull        = errors.New("ErrImagePull")
	ErrImageNeverPull   = errors.New("ErrImageNeverPull")
	ErrCreateContainer  = errors.New("CreateContainerError")
	ErrRunContainer     = errors.New("RunContainerError")
	ErrCreatePodSandbox = errors.New("CreatePodSandboxError")
	ErrKillContainer    = errors.New("KillContainerError")
	ErrKillPodSandbox   = errors.New("KillPodSandboxError")
	ErrImageInspect     = errors.New("ImageInspectError")
	ErrInvalidImageName = errors.New("InvalidImageName")

	ErrCreateContainerConfig = errors.New("CreateContainerConfigError")
	ErrPostStartHook         = errors.New("PostStartHookError")
)

// SyncAction is what a sync did.
type SyncAction string

// Upstream: sync_result.go.
const (
	StartContainer   SyncAction = "StartContainer"
	KillContainer    SyncAction = "KillContainer"
	CreatePodSandbox SyncAction = "CreatePodSandbox"
	KillPodSandbox   SyncAction = "KillPodSandbox"
	ResizePod        SyncAction = "ResizePodInPlace"
	RestartAll       SyncAction = "RestartAllContainers"
)

// SyncResult is what came of one action.
type SyncResult struct {
	Action  SyncAction
	Target  string // the container, or the Pod
	Error   error
	Message string
}

// Fail records why the action failed. Only an error is a failure; the message explains it.
func (r *SyncResult) Fail(err error, message string) { r.Error, r.Message = err, message }

// PodSyncResult is what came of a sync of a Pod.
type PodSyncResult struct {
	SyncResults []*SyncResult
	SyncError   error
}

// Add begins to record an action.
func (r *PodSyncResult) Add(action SyncAction, target string) *SyncResult {
	one := &SyncResult{Action: action, Target: target}
	r.SyncResults = append(r.SyncResults, one)
	return one
}

// Error joins all failures in one error, nil if there was none.
func (r *PodSyncResult) Error() error {
	var failures aggregate
	if r.SyncError != nil {
		failures = append(failures, fmt.Errorf("failed to SyncPod: %w", r.SyncError))
	}
	for _, one := range r.SyncResults {
		if one.Error != nil {
			failures = append(failures, fmt.Errorf("failed to %q for %q with %w: %q", one.Action, one.Target, one.Error, one.Message))
		}
	}
	if len(failures) == 0 {
		return nil
	}
	return failures
}

// aggregate prints as upstream's errors.NewAggregate: one error as it is,
// several in brackets.
type aggregate []error

func (a aggregate) Error() string {
	if len(a) == 1 {
		return a[0].Error()
	}
	texts := make([]string, len(a))
	for i, err := range a {
		texts[i] = err.Error()
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func (a aggregate) Unwrap() []error { return a }

// BackoffError is a failure that is over at a known time.
// Upstream: sync_result.go BackoffError.
type BackoffError struct {
	Err   error
	Until time.Duration // since the epoch
}

func (e *BackoffError) Error() string { return e.Err.Error() }
func (e *BackoffError) Unwrap() error { return e.Err }

// MinBackoffExpiration is when the first of the back-offs in an error is over.
func MinBackoffExpiration(err error) (at time.Duration, ok bool) {
	if b, is := err.(*BackoffError); is {
		return b.Until, true
	}
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			if t, found := MinBackoffExpiration(e); found && (!ok || t < at) {
				at, ok = t, true
			}
		}
	case interface{ Unwrap() error }:
		return MinBackoffExpiration(err.Unwrap())
	}
	return at, ok
}
