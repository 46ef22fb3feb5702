package cluster_test

import (
	"testing"
	"time"
)

// Controllers throttle themselves: 20 requests a second, after the first 30.
// Upstream: k8s.io/component-base/config ClientConnectionConfiguration, of kube-controller-manager: --kube-api-qps and --kube-api-burst.
func TestControllersAreThrottled(t *testing.T) {
	c := up(t)
	typed(t, c, "create deployment web --image=nginx --replicas=100", "")
	for _, test := range []struct {
		after    time.Duration
		min, max int
	}{{time.Second, 20, 60}, {2 * time.Second, 50, 90}, {6 * time.Second, 100, 100}} {
		at := c.Elapsed()
		c.RunUntil(at + test.after)
		if n := c.Count("pods"); n < test.min || n > test.max {
			t.Errorf("%v later there are %d Pods, want %d to %d", test.after, n, test.min, test.max)
		}
	}
}
