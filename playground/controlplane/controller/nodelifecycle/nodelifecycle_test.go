package nodelifecycle

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
)

func TestRateLimitedTimedQueue(t *testing.T) {
	now := time.Duration(0)
	clock := func() time.Duration { return now }
	var got []string
	take := func(name string) (bool, time.Duration) {
		got = append(got, fmt.Sprintf("%s@%v", name, now))
		return true, 0
	}
	q := NewRateLimitedTimedQueue(10 * time.Second)
	for i, name := range []string{"a", "b", "c"} {
		if !q.Add(name, now) {
			t.Errorf("add %d: %s is known", i, name)
		}
	}
	if q.Add("b", now) {
		t.Error("b was added twice")
	}
	for ; now < 25*time.Second; now += time.Second {
		q.Try(clock, take)
	}
	if s := strings.Join(got, " "); s != "a@0s b@10s c@20s" {
		t.Errorf("handed out %s: one at once, then one each 10 s", s)
	}
	if q.Add("a", now) {
		t.Error("a was handled and not removed: there is nothing to add")
	}
	if !q.Remove("a") || !q.Add("a", now) {
		t.Error("a was removed, and can be added again")
	}
	q.SwapLimiter(0, now)
	now += time.Hour
	q.Try(clock, take)
	if len(got) != 3 {
		t.Errorf("handed out %v although the rate is none", got)
	}
	q.SwapLimiter(10*time.Second, now)
	now += 10 * time.Second // the old limiter made one wait, so does the new
	again := 0
	q.Try(clock, func(string) (bool, time.Duration) { again++; return false, 50 * time.Millisecond })
	if again != 1 || q.Len() != 1 {
		t.Errorf("tried %d times, %d wait; want once, and that it waits for another try", again, q.Len())
	}
}

func TestComputeZoneState(t *testing.T) {
	nc := &Controller{Config: DefaultConfig()}
	for _, c := range []struct {
		ready, not int
		state      ZoneState
		interval   time.Duration
	}{
		{0, 0, stateNormal, 10 * time.Second},
		{3, 0, stateNormal, 10 * time.Second},
		{1, 2, stateNormal, 10 * time.Second}, // two may always fail
		{2, 3, statePartialDisruption, 0},     // 60 %, small: evict nobody
		{3, 3, stateNormal, 10 * time.Second}, // 50 %
		{9, 11, statePartialDisruption, 0},    // 55 %
		{40, 60, statePartialDisruption, 100 * time.Second},
		{0, 1, stateFullDisruption, 10 * time.Second},
		{0, 80, stateFullDisruption, 10 * time.Second},
	} {
		var list []*corev1.NodeCondition
		for i := range c.ready + c.not {
			s := corev1.ConditionTrue
			if i >= c.ready {
				s = corev1.ConditionUnknown
			}
			list = append(list, &corev1.NodeCondition{Type: corev1.NodeReady, Status: s})
		}
		not, state := nc.ComputeZoneState(list)
		if not != c.not || state != c.state {
			t.Errorf("%d ready, %d not: %d, %s; want %s", c.ready, c.not, not, state, c.state)
		}
		if got := nc.evictionInterval(len(list), state); got != c.interval {
			t.Errorf("%d ready, %d not: one node each %v, want %v", c.ready, c.not, got, c.interval)
		}
	}
}
