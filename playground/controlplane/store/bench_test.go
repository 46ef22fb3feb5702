package store

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// BenchmarkWrite is one update of an object among a thousand: read, write,
// commit, and the event to one watcher.
func BenchmarkWrite(b *testing.B) {
	for name, level := range map[string]trace.Level{"off": trace.Off, "all": trace.All} {
		b.Run(name, func(b *testing.B) {
			k := sim.New(1, time.Time{}, trace.NewRecorder(level))
			defer k.Close()
			s := New(k.Start("etcd"), DefaultOptions())
			seen := 0
			if _, err := s.Watch(s.Revision(), func(Event) { seen++ }); err != nil {
				b.Fatal(err)
			}
			done := false
			k.Start("writer").Go("main", func(p *sim.Proc) {
				for i := range 1000 {
					name := fmt.Sprintf("c-%03d", i)
					if _, err := s.Create(p, at("default", name), cm("default", name, "")); err != nil {
						b.Error(err)
					}
				}
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					if _, err := s.GuaranteedUpdate(p, at("default", "c-500"), set(fmt.Sprint(i))); err != nil {
						b.Error(err)
					}
				}
				done = true
			})
			for !done {
				k.Step()
			}
			if seen != 1000+b.N {
				b.Errorf("the watcher saw %d of %d commits", seen, 1000+b.N)
			}
		})
	}
}
