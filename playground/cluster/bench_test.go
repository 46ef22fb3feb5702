package cluster

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/trace"
)

// levels are what a run costs depends on most: how much of it is kept.
var levels = []struct {
	name  string
	level trace.Level
}{{"off", trace.Off}, {"objects", trace.Objects}, {"all", trace.All}}

// BenchmarkReady is the way of a Deployment's Pods from kubectl apply until the
// last of them is Ready, in a cluster that has come to rest. generator/dev/bench has
// the same done by a peer.
func BenchmarkReady(b *testing.B) {
	for _, size := range []struct{ nodes, pods int }{{3, 300}, {10, 1000}, {30, 3000}} {
		for _, l := range levels {
			b.Run(fmt.Sprintf("%dpods/%s", size.pods, l.name), func(b *testing.B) {
				b.ReportAllocs()
				var took time.Duration
				var events, revisions int
				var used time.Duration
				for range b.N {
					b.StopTimer()
					c := settled(size.nodes, l.level)
					start, revision := c.Trace().Len(), c.store.Revision()
					b.StartTimer()
					before := cpu()
					took = c.replicasReady(b, size.pods)
					used += cpu() - before
					b.StopTimer()
					events = c.Trace().Len() - start
					revisions = int(c.store.Revision() - revision)
					c.Close()
					b.StartTimer()
				}
				if used > 0 {
					b.ReportMetric(float64(used.Milliseconds())/float64(b.N), "cpu-ms/op")
				}
				b.ReportMetric(float64(events), "events")
				b.ReportMetric(float64(revisions), "revisions")
				b.ReportMetric(took.Seconds(), "virtual-s")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size.pods), "ns/pod")
			})
		}
	}
}

// BenchmarkIdle is a minute in which nobody does anything, with 300 Pods Ready:
// heartbeats, resyncs and relists.
func BenchmarkIdle(b *testing.B) {
	for _, l := range levels {
		b.Run("300pods/"+l.name, func(b *testing.B) {
			b.ReportAllocs()
			c := settled(3, l.level)
			defer c.Close()
			c.replicasReady(b, 300)
			b.ResetTimer()
			for range b.N {
				c.RunUntil(c.Elapsed() + time.Minute)
			}
		})
	}
}

// BenchmarkBoot is a cluster from nothing to rest.
func BenchmarkBoot(b *testing.B) {
	for _, l := range levels {
		b.Run("3nodes/"+l.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				settled(3, l.level).Close()
			}
		})
	}
}

// settled is a cluster whose programs are all up, 12 s after its start.
func settled(nodes int, level trace.Level) *Cluster {
	config := DefaultConfig()
	config.Nodes, config.Trace = NumberedNodes(nodes), level
	config.KubeAPIQPS = 2000 // what is measured is the work for Pods, and not minutes in which clients hold back
	c := New(config, 1)
	c.RunUntil(12 * time.Second)
	return c
}

// replicasReady applies a Deployment and lets time pass until its Pods are
// Ready. It returns how long that took, to the tenth of a second.
func (c *Cluster) replicasReady(b testing.TB, pods int) time.Duration {
	b.Helper()
	start := c.Elapsed()
	manifest := fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":%d,
		"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
		"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`, pods)
	if err := c.Schedule(Input{At: start, Kind: Apply, Manifest: []byte(manifest)}); err != nil {
		b.Fatal(err)
	}
	ready := 0
	w, err := c.store.Watch(c.store.Revision(), func(e store.Event) {
		if is, was := isReady(e.Object), isReady(e.Previous); is && !was {
			ready++
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Stop()
	for ready < pods {
		if c.Elapsed()-start > 10*time.Minute {
			b.Fatalf("after %v, %d of %d Pods are Ready", c.Elapsed()-start, ready, pods)
		}
		c.RunUntil(c.Elapsed() + 100*time.Millisecond)
	}
	return c.Elapsed() - start
}

func isReady(obj api.Object) bool {
	pod, _ := obj.(*corev1.Pod)
	return pod != nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
