// Package duration writes spans of time as people say them: two figures are
// enough. Upstream: k8s.io/apimachinery/pkg/util/duration.
package duration

import (
	"fmt"
	"time"
)

// HumanDuration is a span to two or three figures: "45s", "3m20s", "5h10m", "2d3h", "1y".
func HumanDuration(d time.Duration) string {
	const day, year = 24, 24 * 365 // in hours
	// Clocks of two machines may differ by a second.
	seconds, minutes, hours := int(d/time.Second), int(d/time.Minute), int(d/time.Hour)
	switch {
	case seconds < -1:
		return "<invalid>"
	case seconds < 0:
		return "0s"
	case seconds < 2*60:
		return fmt.Sprintf("%ds", seconds)
	case minutes < 10:
		return two(minutes, "m", seconds%60, "s")
	case minutes < 3*60:
		return fmt.Sprintf("%dm", minutes)
	case hours < 8:
		return two(hours, "h", minutes%60, "m")
	case hours < 2*day:
		return fmt.Sprintf("%dh", hours)
	case hours < 8*day:
		return two(hours/day, "d", hours%day, "h")
	case hours < 2*year:
		return fmt.Sprintf("%dd", hours/day)
	case hours < 8*year:
		return two(hours/year, "y", hours/day%365, "d")
	}
	return fmt.Sprintf("%dy", hours/year)
}

// two is a number of the larger unit, and of the smaller one unless that is 0.
func two(n int, unit string, rest int, smaller string) string {
	if rest == 0 {
		return fmt.Sprintf("%d%s", n, unit)
	}
	return fmt.Sprintf("%d%s%d%s", n, unit, rest, smaller)
}
