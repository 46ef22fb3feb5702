package metrics

import (
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
)

const answer = `# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the container in core-seconds
# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="a",namespace="n",pod="p"} 4.5 1000000015000
container_cpu_usage_seconds_total{container="idle",namespace="n",pod="q"} 0 1000000015000
container_memory_working_set_bytes{container="a",namespace="n",pod="p"} 1.048576e+06 1000000015000
container_memory_working_set_bytes{container="idle",namespace="n",pod="q"} 4096 1000000015000
container_start_time_seconds{container="a",namespace="n",pod="p"} 1e+09
node_cpu_usage_seconds_total 7 1000000015000
node_memory_working_set_bytes 2e+06 1000000015000
resource_scrape_error 0
`

func TestDecode(t *testing.T) {
	b := newBatch()
	if err := decode(answer, time.Time{}, "node", b); err != nil {
		t.Fatal(err)
	}
	start := time.Unix(1e9, 0).UTC()
	if got, want := b.pods[podRef{"n", "p"}]["a"], (point{start, start.Add(15 * time.Second), 4500 * time.Millisecond, 1 << 20}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(b.pods) != 1 || b.nodes["node"].cpu != 7*time.Second || b.nodes["node"].memory != 2e6 {
		t.Errorf("%v: who has used nothing is left out", b)
	}
	if err := decode("no metrics\n", time.Time{}, "node", b); err == nil {
		t.Error("that is no number")
	}
}

// TestStorage: two readings make a rate; a container that has run for ten seconds is read from its start; a restart begins anew.
func TestStorage(t *testing.T) {
	s := newStorage(15 * time.Second)
	epoch := time.Unix(1e9, 0)
	ref := podRef{"n", "p"}
	at := func(seconds, started int, cpu time.Duration) {
		b := newBatch()
		b.pods[ref] = map[string]point{"a": {epoch.Add(time.Duration(started) * time.Second), epoch.Add(time.Duration(seconds) * time.Second), cpu, 100}}
		s.store(b)
	}
	rate := func() int64 {
		prev, found := s.prev.pods[ref]["a"]
		if !found {
			return -1
		}
		used, _, err := usage(s.last.pods[ref]["a"], prev)
		if err != nil {
			t.Fatal(err)
		}
		cpu := used[corev1.ResourceCPU]
		return cpu.MilliValue()
	}
	for _, c := range []struct {
		at, started int
		cpu         time.Duration
		want        int64
		why         string
	}{
		{105, 100, time.Second, -1, "five seconds old, and the first reading"},
		{120, 100, 7 * time.Second, 400, "six seconds in fifteen"},
		{135, 100, 7 * time.Second, 0, "idle"},
		{150, 138, 3 * time.Second, 250, "restarted twelve seconds ago: three seconds since"},
		{165, 160, time.Second, -1, "restarted five seconds ago"},
	} {
		if at(c.at, c.started, c.cpu); rate() != c.want {
			t.Errorf("%s: %d, want %d", c.why, rate(), c.want)
		}
	}
}
