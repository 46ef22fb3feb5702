package workqueue

import (
	"time"

	"kubewalk/playground/sim"
)

// TypedRateLimiter says how long an item has to wait.
// Upstream: client-go/util/workqueue/default_rate_limiters.go TypedRateLimiter.
type TypedRateLimiter[T comparable] interface {
	// When counts one more failure of the item and returns how long it has to wait.
	When(item T) time.Duration
	// Forget starts counting from 0.
	Forget(item T)
	// NumRequeues is how many failures were counted.
	NumRequeues(item T) int
}

// DefaultTypedControllerRateLimiter is what controllers use: an item waits
// 5 ms, 10 ms, 20 ms … 1000 s, and all items together are retried 10 times a
// second, 100 times at first.
// It takes the component for its clock, which upstream takes from the machine.
func DefaultTypedControllerRateLimiter[T comparable](c *sim.Component) TypedRateLimiter[T] {
	if isString[T]() {
		return any(defaultLimiter[string](c)).(TypedRateLimiter[T])
	}
	return limiterOf[T]{defaultLimiter[any](c)}
}

func defaultLimiter[T comparable](c *sim.Component) TypedRateLimiter[T] {
	return NewTypedMaxOfRateLimiter[T](exponential[T](5*time.Millisecond, 1000*time.Second), NewTypedBucketRateLimiter[T](c, 10, 100))
}

// NewTypedItemExponentialFailureRateLimiter makes an item wait base, then twice
// that with each failure, up to max.
func NewTypedItemExponentialFailureRateLimiter[T comparable](base, max time.Duration) TypedRateLimiter[T] {
	if isString[T]() {
		return any(exponential[string](base, max)).(TypedRateLimiter[T])
	}
	return limiterOf[T]{exponential[any](base, max)}
}

func exponential[T comparable](base, max time.Duration) TypedRateLimiter[T] {
	return &typedItemExponentialFailureRateLimiter[T]{failures: map[T]int{}, baseDelay: base, maxDelay: max}
}

type typedItemExponentialFailureRateLimiter[T comparable] struct {
	failures            map[T]int
	baseDelay, maxDelay time.Duration
}

func (r *typedItemExponentialFailureRateLimiter[T]) When(item T) time.Duration {
	exponent := r.failures[item]
	r.failures[item]++
	delay := r.baseDelay
	for range exponent {
		if delay > r.maxDelay/2 {
			return r.maxDelay
		}
		delay *= 2
	}
	return min(delay, r.maxDelay)
}

func (r *typedItemExponentialFailureRateLimiter[T]) Forget(item T) { delete(r.failures, item) }

func (r *typedItemExponentialFailureRateLimiter[T]) NumRequeues(item T) int { return r.failures[item] }

// NewTypedBucketRateLimiter lets through burst items at once and qps items a
// second after that, whichever they are. It forgets nothing.
func NewTypedBucketRateLimiter[T comparable](c *sim.Component, qps, burst int) TypedRateLimiter[T] {
	each := time.Second / time.Duration(qps)
	full := each * time.Duration(burst)
	return &typedBucketRateLimiter[T]{kernel: c.Kernel(), each: each, full: full, credit: full, at: c.Kernel().Elapsed()}
}

// typedBucketRateLimiter counts its tokens in time: one token is worth each.
// So it needs no fractions. Upstream: golang.org/x/time/rate Limiter.Reserve.
type typedBucketRateLimiter[T comparable] struct {
	kernel     *sim.Kernel
	each, full time.Duration
	credit     time.Duration // what was in the bucket at that time; below 0 for tokens that are still to come
	at         time.Duration
}

func (r *typedBucketRateLimiter[T]) When(item T) time.Duration {
	now := r.kernel.Elapsed()
	r.credit = min(r.full, r.credit+now-r.at) - r.each
	r.at = now
	return max(0, -r.credit)
}

func (r *typedBucketRateLimiter[T]) Forget(item T)          {}
func (r *typedBucketRateLimiter[T]) NumRequeues(item T) int { return 0 }

// NewTypedMaxOfRateLimiter makes an item wait as long as the strictest of some limiters says.
func NewTypedMaxOfRateLimiter[T comparable](limiters ...TypedRateLimiter[T]) TypedRateLimiter[T] {
	return typedMaxOfRateLimiter[T](limiters)
}

type typedMaxOfRateLimiter[T comparable] []TypedRateLimiter[T]

func (r typedMaxOfRateLimiter[T]) When(item T) time.Duration {
	var longest time.Duration
	for _, limiter := range r {
		longest = max(longest, limiter.When(item))
	}
	return longest
}

func (r typedMaxOfRateLimiter[T]) Forget(item T) {
	for _, limiter := range r {
		limiter.Forget(item)
	}
}

func (r typedMaxOfRateLimiter[T]) NumRequeues(item T) int {
	n := 0
	for _, limiter := range r {
		n = max(n, limiter.NumRequeues(item))
	}
	return n
}
