package sim_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func world(seed uint64) *sim.Kernel {
	return sim.New(seed, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
}

func TestTiesAreFirstInFirstOut(t *testing.T) {
	k := world(1)
	defer k.Close()
	var got []int
	for i := range 5 {
		k.After(time.Second, func() { got = append(got, i) })
	}
	k.RunUntil(time.Second)
	if fmt.Sprint(got) != "[0 1 2 3 4]" {
		t.Errorf("things at the same time ran in the order %v", got)
	}
}

// What comes from outside comes before all else of its time, and in the order of the calls, whenever they were.
func TestFromOutsideInTheOrderOfTheCalls(t *testing.T) {
	k := world(1)
	defer k.Close()
	var got, want []int
	note := func(i int) func() { return func() { got = append(got, i) } }
	k.After(time.Second, note(100))
	for i := range 40 {
		k.At(time.Second, note(i))
		want = append(want, i)
	}
	k.After(500*time.Millisecond, func() { k.At(time.Second, note(40)) })
	k.After(time.Second, note(101))
	want = append(want, 40, 100, 101)
	k.RunUntil(time.Second)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("in the order %v, want %v", got, want)
	}
}

// Who is woken while he does not wait does not wait the next time, once.
// What nobody stops comes in the order of everything else, is due to what was the cause when it was said, and ends with its component;
// that entries of the agenda are used again changes nothing.
func TestLater(t *testing.T) {
	k := world(1)
	defer k.Close()
	var got []string
	says := func(text string) func() {
		return func() { got = append(got, fmt.Sprint(text, " ", k.Elapsed(), " #", k.Cause())) }
	}
	c, gone := k.Start("a"), k.Start("gone")
	k.Because(5, func() {
		k.Later(time.Second, func() {
			says("first")()
			k.Later(0, says("nested")) // in the entry that has just been taken off
			c.Later(0, says("of a"))
		})
		stopped := k.After(time.Second, says("stopped"))
		gone.Later(time.Second, says("of gone"))
		k.Because(7, func() { k.Later(time.Second, says("second")) })
		stopped.Stop()
	})
	gone.Stop("crash")
	k.At(time.Second, says("from outside"))
	k.RunUntil(time.Minute)
	want := []string{"from outside 1s #0", "first 1s #5", "second 1s #7", "nested 1s #5", "of a 1s #5"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWakeBeforePark(t *testing.T) {
	k := world(1)
	defer k.Close()
	var log []string
	p := k.Start("c").Go("p", func(p *sim.Proc) {
		p.Sleep(time.Second)
		p.Park()
		log = append(log, fmt.Sprint("parked until ", p.Now()))
		log = append(log, fmt.Sprint(p.ParkFor(time.Second), " after ", p.Now()))
	})
	k.After(500*time.Millisecond, func() {
		p.Wake()
		p.Wake()
	})
	k.RunUntil(10 * time.Second)
	if got := strings.Join(log, ", "); got != "parked until 1s, false after 2s" {
		t.Error(got)
	}
}

func TestParkForToldApart(t *testing.T) {
	k := world(1)
	defer k.Close()
	c := k.Start("c")
	var log []string
	p := c.Go("p", func(p *sim.Proc) {
		log = append(log, fmt.Sprint(p.ParkFor(time.Second), p.Now()))
		log = append(log, fmt.Sprint(p.ParkFor(time.Second), p.Now()))
		log = append(log, fmt.Sprint(p.ParkFor(time.Second), p.Now()))
	})
	k.After(1500*time.Millisecond, p.Wake)
	k.RunUntil(10 * time.Second)
	if got := strings.Join(log, ", "); got != "false 1s, true 1.5s, false 2.5s" {
		t.Error(got)
	}
}

func TestStopUnwindsAndForgets(t *testing.T) {
	k := world(1)
	defer k.Close()
	c := k.Start("c")
	unwound := 0
	cell := trace.Cell{Kind: trace.CellWorker, Owner: "c", Key: "p"}
	for range 3 {
		c.Go("p", func(p *sim.Proc) {
			defer func() { unwound++ }()
			p.Emit(trace.Log, trace.Ref{}, nil, trace.Set(cell, "busy"))
			p.Sleep(time.Hour)
			t.Error("a stopped process went on")
		})
	}
	k.RunUntil(time.Second)
	if k.Trace().Now()[cell] == nil {
		t.Fatal("the cell was never set")
	}
	c.Stop("killed")
	k.RunUntil(2 * time.Hour)
	if unwound != 3 {
		t.Errorf("%d of 3 processes unwound", unwound)
	}
	if v := k.Trace().Now()[cell]; v != nil {
		t.Errorf("a dead component's cell is still %v", v)
	}
}

func TestAProcessThatStopsItsOwnComponent(t *testing.T) {
	k := world(1)
	defer k.Close()
	c := k.Start("c")
	c.Go("p", func(p *sim.Proc) {
		p.Component().Stop("panic")
		p.Sleep(time.Second)
		t.Error("it went on")
	})
	k.RunUntil(time.Minute)
}

func TestLogLinesAreTheCauseOfWhatFollows(t *testing.T) {
	k := world(1)
	defer k.Close()
	k.Start("c").Go("p", func(p *sim.Proc) {
		p.Logger().V(2).Info("Too few replicas", "need", 3, "creating", 2)
		p.Fork("batch", 2, func(p *sim.Proc, i int) {
			p.Emit(trace.RequestSend, trace.Ref{}, trace.Attrs("i", i))
		})
	})
	k.RunUntil(time.Second)
	events := k.Trace().Events(1)
	if len(events) != 4 {
		t.Fatalf("%d events", len(events))
	}
	if log := events[1]; log.Text("need") != "3" || events[2].Cause != log.ID || events[3].Cause != log.ID {
		t.Errorf("%+v", events[1:])
	}
	if f := k.Trace().Stacks().Frames(events[1].Stack); len(f) != 0 {
		t.Errorf("the kernel's own frames are in the stack: %v", f)
	}
}

// What is known of a process is in each of its lines, before what the line says itself.
func TestLogLinesBearTheirLoggersValues(t *testing.T) {
	k := world(1)
	defer k.Close()
	k.Start("c").Go("p", func(p *sim.Proc) {
		log := p.Logger().WithValues("pod", "a")
		log.WithValues("container", "c").V(3).Info("Started", "id", 7)
		log.Error(errors.New("no room"), "Failed")
		p.Logger().Error(nil, "Nothing is known")
	})
	k.RunUntil(time.Second)
	var lines []string
	for _, e := range k.Trace().Events(1) {
		if e.Op == trace.Log {
			lines = append(lines, fmt.Sprint(e.Attrs))
		}
	}
	want := "[{message Started} {v 3} {pod a} {container c} {id 7}]\n[{message Failed} {v 0} {error no room} {pod a}]\n[{message Nothing is known} {v 0} {error }]"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSameSeedSameChance(t *testing.T) {
	a, b := world(7).Rand("x"), world(7).Rand("x")
	first := map[uint64]bool{}
	for _, r := range []*sim.Rand{world(7).Rand("x"), world(7).Rand("y"), world(7).Rand("yx"), world(8).Rand("x")} {
		first[r.Uint64()] = true
	}
	if len(first) != 4 {
		t.Error("streams of different names or seeds are the same")
	}
	if a.UUID() != b.UUID() || a.Suffix(5) != b.Suffix(5) {
		t.Error("the same stream of the same seed differs")
	}
	if u := a.UUID(); len(u) != 36 || u[14] != '4' || !strings.ContainsRune("89ab", rune(u[19])) {
		t.Errorf("%q is no version 4 UUID", u)
	}
}

func TestStepsBackAreExact(t *testing.T) {
	k := world(3)
	defer k.Close()
	c := k.Start("c")
	c.Go("p", func(p *sim.Proc) {
		r := k.Rand("cells")
		for range 2000 {
			cell := trace.Cell{Kind: trace.CellCache, Owner: "c", Key: fmt.Sprint(r.IntN(20))}
			if r.IntN(3) == 0 {
				p.Emit(trace.CacheDelete, trace.Ref{}, nil, trace.Unset(cell))
			} else {
				p.Emit(trace.CacheSet, trace.Ref{}, nil, trace.Set(cell, fmt.Sprint(r.IntN(5))))
			}
		}
	})
	k.RunUntil(time.Second)
	rec := k.Trace()
	state := rec.At(trace.ID(rec.Len()))
	for id := trace.ID(rec.Len()); id > 0; id-- {
		if id%97 == 0 && fmt.Sprint(state) != fmt.Sprint(rec.At(id)) {
			t.Fatalf("going back to event %d differs from folding up to it", id)
		}
		state.Undo(rec.Event(id))
	}
	if len(state) != 0 {
		t.Errorf("before the first event there is %v", state)
	}
}

// TestTimersAfterClose: a process that ends with its world still stops the timers that it has set.
func TestTimersAfterClose(t *testing.T) {
	k := world(1)
	stopped := false
	c := k.Start("c")
	c.Go("p", func(p *sim.Proc) {
		for i := range 20 {
			timer := c.After(time.Duration(i+1)*time.Hour, func() { t.Error("a timer of a closed world went off") })
			defer func() { timer.Stop(); stopped = true }()
		}
		p.Sleep(time.Hour / 2)
	})
	k.RunUntil(time.Minute)
	k.Close()
	if !stopped {
		t.Error("the process ended without its deferred calls")
	}
}
