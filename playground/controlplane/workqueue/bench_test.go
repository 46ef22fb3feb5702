package workqueue_test

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// BenchmarkAddGetDone is one item's way through the queue, ten items waiting.
func BenchmarkAddGetDone(b *testing.B) {
	for _, level := range []struct {
		name  string
		level trace.Level
	}{{"off", trace.Off}, {"all", trace.All}} {
		b.Run(level.name, func(b *testing.B) {
			k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(level.level))
			defer k.Close()
			c := k.Start("controller")
			q := newQueue(c)
			var items [10]string
			for i := range items {
				items[i] = fmt.Sprint("default/web-", i)
			}
			b.ReportAllocs()
			c.Go("worker", func(p *sim.Proc) {
				for range b.N {
					for _, item := range items {
						q.Add(item)
					}
					for range items {
						item, _ := q.Get(p)
						q.Done(item)
					}
				}
			})
			b.ResetTimer()
			k.RunUntil(time.Second)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(items)), "ns/item")
		})
	}
}
