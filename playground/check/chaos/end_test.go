package chaos

import (
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// TestExperimentsEnd: one with more events than it may have stops on its way, and another one is at its end.
func TestExperimentsEnd(t *testing.T) {
	c := cluster.New(cluster.DefaultConfig(), 1)
	defer c.Close()
	if runUntil(c, time.Minute, 100) || c.Elapsed() >= time.Minute || c.Trace().Len() <= 100 {
		t.Errorf("with 100 events at most it stops after %v, with %d", c.Elapsed(), c.Trace().Len())
	}
	if !runUntil(c, time.Minute, mostEvents) || c.Elapsed() != time.Minute {
		t.Errorf("with more of them it stops after %v, with %d", c.Elapsed(), c.Trace().Len())
	}
}
