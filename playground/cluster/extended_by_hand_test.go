package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// TestExtendedResourceByHand: a resource that somebody writes into a node's capacity stays there, and may be allocated. Upstream:
// test/e2e/framework/node/resource.go, AddExtendedResource.
func TestExtendedResourceByHand(t *testing.T) {
	c := cluster.New(cluster.DefaultConfig(), 1)
	t.Cleanup(c.Close)
	c.RunUntil(12 * time.Second)
	typed(t, c, `patch node node-1 --subresource=status --type=merge -p '{"status":{"capacity":{"example.com/fakecpu":"1000","kubernetes.io/odd":"1"}}}'`, "")
	c.RunUntil(c.Elapsed() + 10*time.Minute)
	for _, of := range []string{"capacity", "allocatable"} {
		line := strings.ReplaceAll(`get node node-1 -o jsonpath='{.status.OF.example\.com/fakecpu} {.status.OF.kubernetes\.io/odd} {.status.OF.cpu}'`, "OF", of)
		if got := typed(t, c, line, ""); got != "1k  4" {
			t.Errorf("%s: %q", of, got)
		}
	}
}
