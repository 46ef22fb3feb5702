// Package clock tells a reconciler the time. Upstream: k8s.io/utils/clock.
package clock

import "time"

// PassiveClock can be read. A kernel of sim has the method that Now needs; see Func.
type PassiveClock interface{ Now() time.Time }

// Func is a function as a clock.
type Func func() time.Time

// Now calls it.
func (f Func) Now() time.Time { return f() }
