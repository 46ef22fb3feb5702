package sim_test

import (
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// BenchmarkSwitch is one process that waits and one that goes on, by way of the agenda.
func BenchmarkSwitch(b *testing.B) {
	k := sim.New(1, time.Time{}, trace.NewRecorder(trace.Off))
	defer k.Close()
	c := k.Start("c")
	for range 2 {
		c.Go("p", func(p *sim.Proc) {
			for {
				p.Sleep(time.Millisecond)
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		k.Step()
	}
}

// BenchmarkProcess is a process from its start to its end.
func BenchmarkProcess(b *testing.B) {
	k := sim.New(1, time.Time{}, trace.NewRecorder(trace.Off))
	defer k.Close()
	c := k.Start("c")
	b.ReportAllocs()
	for range b.N {
		c.Go("p", func(p *sim.Proc) {})
		k.Step()
	}
}

// BenchmarkAgenda is a timer set and run, a thousand others waiting.
func BenchmarkAgenda(b *testing.B) {
	k := sim.New(1, time.Time{}, trace.NewRecorder(trace.Off))
	defer k.Close()
	for i := range 1000 {
		var again func()
		again = func() { k.After(time.Duration(i+1)*time.Millisecond, again) }
		again()
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		k.Step()
	}
}
