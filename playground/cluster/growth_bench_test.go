package cluster

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"kubewalk/playground/trace"
)

// BenchmarkGrowth is what a cluster costs that stands already, with 30 Pods on
// each hollow node, by its size: until all caches are full, a second at rest, and
// a hundred Pods more until they are Ready.
func BenchmarkGrowth(b *testing.B) {
	for _, nodes := range []int{10, 100, 1000, 5000} {
		b.Run(fmt.Sprintf("%dnodes", nodes), func(b *testing.B) {
			config := DefaultConfig()
			config.Nodes, config.Trace = nil, trace.Totals
			config.Controllers = []string{"deployment-controller", "replicaset-controller", "node-lifecycle-controller", "taint-eviction-controller"}
			config.HollowNodes = &HollowNodes{Count: nodes, Zones: 3}
			deployments := min(nodes, 50)
			config.Preload = &Preload{Deployments: deployments, Replicas: nodes * 30 / deployments}
			var synced, rest, scaled time.Duration
			var megabytes, events int
			for range b.N {
				before := cpu()
				c := New(config, 1)
				c.RunUntil(5 * time.Second)
				synced += cpu() - before
				before = cpu()
				c.RunUntil(15 * time.Second)
				rest += cpu() - before
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				megabytes = int(m.HeapAlloc >> 20)
				n := int32(config.Preload.Replicas + 100)
				if err := c.Schedule(Input{At: c.Elapsed(), Kind: Scale, Resource: "deployments", Namespace: "default", Name: "app-1", Replicas: &n}); err != nil {
					b.Fatal(err)
				}
				start := c.Trace().Len()
				before = cpu()
				c.RunUntil(20 * time.Second)
				scaled += cpu() - before
				events = c.Trace().Len() - start
				if got := c.Trace().Event(trace.ID(c.Trace().Len())).Get("ready"); got != int64(deployments*config.Preload.Replicas+100) {
					b.Fatalf("%v Pods are Ready", got)
				}
				c.Close()
			}
			per := func(d time.Duration, n int) float64 { return float64(d.Microseconds()) / float64(b.N*n) / 1000 }
			b.ReportMetric(per(synced, 1), "cpu-ms-synced")
			b.ReportMetric(per(rest, 10), "cpu-ms/virtual-s")
			b.ReportMetric(per(scaled, 100), "cpu-ms/pod")
			b.ReportMetric(float64(megabytes), "MB")
			b.ReportMetric(float64(megabytes<<20)/float64(deployments*config.Preload.Replicas), "B/pod")
			b.ReportMetric(float64(events), "events")
		})
	}
}
