// Package retry does again what failed because somebody else was quicker.
// Upstream: k8s.io/client-go/util/retry.
package retry

import (
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/sim"
)

// DefaultRetry is for a conflict with a client that seldom writes: 5 tries, 10 ms apart.
var DefaultRetry = wait.Backoff{Steps: 5, Duration: 10 * time.Millisecond, Factor: 1, Jitter: 10}

// DefaultBackoff is for a conflict with a client that writes all the time:
// 4 tries, 10 ms, 50 ms and 250 ms apart.
var DefaultBackoff = wait.Backoff{Steps: 4, Duration: 10 * time.Millisecond, Factor: 5, Jitter: 10}

// OnError runs fn until it succeeds, fails with an error that is not retriable,
// or has been run backoff.Steps times; it returns the last error.
func OnError(p *sim.Proc, backoff wait.Backoff, retriable func(error) bool, fn func() error) error {
	r := p.Kernel().Rand("retry/" + p.Component().Name())
	for steps := backoff.Steps; ; steps-- {
		err := fn()
		if err == nil || !retriable(err) || steps <= 1 {
			return err
		}
		p.Sleep(backoff.Step(r))
	}
}

// RetryOnConflict runs fn again when it ends in a conflict. fn has to read the
// object anew each time, change a copy, and return the error of Update as it is.
func RetryOnConflict(p *sim.Proc, backoff wait.Backoff, fn func() error) error {
	return OnError(p, backoff, apierrors.IsConflict, fn)
}
