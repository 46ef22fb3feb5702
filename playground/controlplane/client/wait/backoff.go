// Package wait says how long to wait before trying again, and repeats what has
// to be repeated. It mirrors upstream's k8s.io/apimachinery/pkg/util/wait as
// far as clients need it, in whole numbers: factors are integers, jitter is in
// percent, and chance comes from the kernel.
package wait

import (
	"time"

	"kubewalk/playground/sim"
)

// Backoff is how long to wait between tries. Upstream: wait/backoff.go Backoff.
type Backoff struct {
	// Duration is the first wait.
	Duration time.Duration
	// Factor is what each wait is multiplied with for the next, if not 0.
	Factor int
	// Jitter is how many percent a wait may be longer, by chance.
	Jitter int
	// Steps is how many waits are left. When there are none, the last one stays.
	Steps int
	// Cap is what a wait does not grow beyond, before jitter, if not 0.
	Cap time.Duration
}

// Step returns the next wait and moves on.
func (b *Backoff) Step(r *sim.Rand) time.Duration {
	d := b.Duration
	if b.Steps > 0 {
		b.Steps--
		if b.Factor != 0 {
			b.Duration *= time.Duration(b.Factor)
			if b.Cap > 0 && b.Duration > b.Cap {
				b.Duration = b.Cap
				b.Steps = 0
			}
		}
	}
	return Jitter(r, d, b.Jitter)
}

// Jitter returns a duration from d up to that many percent more.
// Upstream: wait/wait.go Jitter.
func Jitter(r *sim.Rand, d time.Duration, percent int) time.Duration {
	if percent <= 0 {
		return d
	}
	return r.Between(d, d+d*time.Duration(percent)/100)
}

// BackoffManager is a Backoff that starts again when nothing was tried for a while.
// Upstream: wait/backoff.go NewExponentialBackoffManager.
type BackoffManager struct {
	initial Backoff
	now     Backoff
	reset   time.Duration
	last    time.Duration
	rand    *sim.Rand
}

// NewExponentialBackoffManager waits initial, then factor times as long each
// time up to max, plus jitter percent; and initial again after a pause of reset.
func NewExponentialBackoffManager(initial, max, reset time.Duration, factor, jitter int, r *sim.Rand) *BackoffManager {
	b := Backoff{Duration: initial, Factor: factor, Jitter: jitter, Steps: 1 << 30, Cap: max}
	return &BackoffManager{initial: b, now: b, reset: reset, rand: r}
}

// Sleep waits as long as it is due.
func (m *BackoffManager) Sleep(p *sim.Proc) {
	if p.Now()-m.last > m.reset {
		m.now = m.initial
	}
	m.last = p.Now()
	p.Sleep(m.now.Step(m.rand))
}

// Until runs f again and again, with a pause of period after each run, until
// the component ends. Upstream: wait/backoff.go UntilWithContext.
func Until(p *sim.Proc, f func(p *sim.Proc), period time.Duration) {
	for {
		f(p)
		p.Sleep(period)
	}
}
