package cache_test

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// BenchmarkChange is one change of an object on its way from the server through
// the reflector, the FIFO, the cache and a handler; a thousand objects are cached.
func BenchmarkChange(b *testing.B) {
	for _, level := range []struct {
		name  string
		level trace.Level
	}{{"off", trace.Off}, {"all", trace.All}} {
		b.Run(level.name, func(b *testing.B) {
			k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(level.level))
			defer k.Close()
			s := fake.NewServer(k)
			for i := range 1000 {
				s.Put("pods", pod("default", fmt.Sprint("p", i), "n1"))
			}
			s.Compact()
			informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0,
				cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
			told := 0
			informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { told++ }})
			run(k.Start("controller"), informer)
			k.RunUntil(time.Second)
			changed := make([]*corev1.Pod, b.N)
			for i := range changed {
				changed[i] = pod("default", fmt.Sprint("p", i%1000), "n1")
			}
			b.ReportAllocs()
			b.ResetTimer()
			for _, p := range changed {
				s.Put("pods", p)
				k.RunUntil(k.Elapsed() + 20*time.Millisecond)
			}
			if told != b.N {
				b.Fatalf("the handler was told of %d of %d changes", told, b.N)
			}
		})
	}
}
