package sim_test

import (
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func TestASlowProgramGetsToItsWorkLater(t *testing.T) {
	k := sim.New(1, time.Time{}, trace.NewRecorder(trace.All))
	defer k.Close()
	k.SetLag("slow", time.Second)
	var woken, begun, slept time.Duration
	run := func() {
		c := k.Start("slow")
		p := c.Go("main", func(p *sim.Proc) {
			begun = p.Now()
			p.Park()
			woken = p.Now()
			p.Sleep(time.Minute)
			slept = p.Now()
		})
		c.After(10*time.Second, p.Wake)
	}
	run()
	k.RunUntil(2 * time.Minute)
	if begun != time.Second || woken != 11*time.Second || slept != 71*time.Second {
		t.Errorf("begun at %v, woken at %v, slept until %v", begun, woken, slept)
	}
	k.SetLag("slow", 0)
	run()
	k.RunUntil(4 * time.Minute)
	if begun != 2*time.Minute || woken != 2*time.Minute+10*time.Second {
		t.Errorf("when it is over: begun at %v, woken at %v", begun, woken)
	}
}

func TestATrapStopsTheProgramWhereItWorks(t *testing.T) {
	k := sim.New(1, time.Time{}, trace.NewRecorder(trace.All))
	defer k.Close()
	reached := 0
	start := func() *sim.Component {
		c := k.Start("frail")
		c.Go("worker", func(p *sim.Proc) {
			p.Work()
			reached++
		})
		return c
	}
	first := start()
	traps := 0
	k.SetTrap("frail", func() { traps++; first.Stop("panic") })
	k.RunUntil(time.Second)
	if reached != 0 || traps != 1 || first.Running() {
		t.Errorf("reached %d, traps %d, running %v", reached, traps, first.Running())
	}
	first = start() // it has the same mistake
	k.RunUntil(2 * time.Second)
	if reached != 0 || traps != 2 {
		t.Errorf("after a restart: reached %d, traps %d", reached, traps)
	}
	k.SetTrap("frail", nil)
	start()
	k.RunUntil(3 * time.Second)
	if reached != 1 || traps != 2 {
		t.Errorf("mended: reached %d, traps %d", reached, traps)
	}
}
