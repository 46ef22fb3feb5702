package session_test

import (
	"encoding/json"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/trace"
)

// thousand is a ReplicaSet of 1,000 Pods on ten nodes, of which the trace keeps
// what happens to objects.
func thousand() *scenario.Scenario {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(10)
	for i := range config.Nodes {
		config.Nodes[i].Pods = 200
	}
	config.Controllers = []string{"replicaset-controller"}
	config.Trace = trace.Objects
	return &scenario.Scenario{Name: "thousand", Seed: 1, Cluster: config, Setup: time.Second, End: 90 * time.Second,
		Steps: []scenario.Step{{Input: cluster.Input{At: 2 * time.Second, Kind: cluster.Apply, Manifest: json.RawMessage(
			`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"replicas":1000,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`)}}}}
}

// BenchmarkBranch is what a reader waits for after doing something when 1,000
// Pods run: in a world that is parked there, to the first frames as JSON.
func BenchmarkBranch(b *testing.B) {
	const at = 60 * time.Second
	for range b.N {
		b.StopTimer()
		var bridge session.Bridge
		start := time.Now()
		call := func(name string, in map[string]any) []byte { return bridge.Call(name, packed(b, in)) }
		call("open", map[string]any{"scenario": thousand(), "layout": "wide"})
		var ran struct{ Events int }
		if err := json.Unmarshal(call("run", map[string]any{"until": (at - time.Millisecond).Microseconds(), "pass": true}), &ran); err != nil ||
			ran.Events < 3000 {
			b.Fatal(ran, err)
		}
		replay := time.Since(start)
		b.StartTimer()
		if got := string(call("give", map[string]any{"input": scale(at, 900)})); got != "{}" {
			b.Fatal(got)
		}
		call("run", map[string]any{"until": (at + 100*time.Millisecond).Microseconds()})
		frames := call("frames", map[string]any{"from": ran.Events + 1})
		b.StopTimer()
		b.ReportMetric(float64(replay.Milliseconds()), "ms-replay")
		b.ReportMetric(float64(len(frames))/1000, "kB")
		call("close", nil)
		b.StartTimer()
	}
}
