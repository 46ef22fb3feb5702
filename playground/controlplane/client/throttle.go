package client

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/sim"
)

// Limit is how fast a client sends requests: Burst at once, and QPS a second
// after that. The zero Limit does not limit.
// Upstream: rest.Config QPS and Burst.
type Limit struct{ QPS, Burst int }

// Or is l, or if that is zero other.
func (l Limit) Or(other Limit) Limit {
	if l == (Limit{}) {
		return other
	}
	return l
}

// Throttled has each request wait its turn before it is sent. All clientsets
// over one throttled transport share the limit.
//
// Upstream: k8s.io/client-go/rest Request.tryThrottle over
// util/flowcontrol NewTokenBucketRateLimiter.
func Throttled(t Transport, k *sim.Kernel, l Limit) Transport {
	if l == (Limit{}) {
		return t
	}
	each := time.Second / time.Duration(l.QPS)
	full := each * time.Duration(l.Burst)
	return &throttled{next: t, each: each, full: full, credit: full, at: k.Elapsed()}
}

// longThrottleLatency is from when on a wait is worth a log line.
const longThrottleLatency = 50 * time.Millisecond

// throttled counts tokens in time, one being worth each.
type throttled struct {
	next       Transport
	each, full time.Duration
	credit     time.Duration // at that time; below 0 for tokens that are still to come
	at         time.Duration
}

func (t *throttled) Kinds() api.KindSet { return t.next.Kinds() }

func (t *throttled) wait(p *sim.Proc, r *Request) {
	t.credit = min(t.full, t.credit+p.Now()-t.at) - t.each
	t.at = p.Now()
	delay := -t.credit
	if delay <= 0 {
		return
	}
	p.Sleep(delay)
	if delay > longThrottleLatency {
		p.Logger().V(3).Info("Waited before sending request", "delay", delay, "reason", "client-side throttling, not priority and fairness", "verb", r.Verb,
			"resource", r.Resource.Resource)
	}
}

func (t *throttled) Do(p *sim.Proc, r *Request) (Result, error) {
	t.wait(p, r)
	return t.next.Do(p, r)
}

func (t *throttled) Watch(p *sim.Proc, r *Request) (Stream, error) {
	t.wait(p, r)
	return t.next.Watch(p, r)
}
