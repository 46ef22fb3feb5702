package workqueue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func world(t *testing.T, seed uint64) (*sim.Kernel, *sim.Component) {
	k := sim.New(seed, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	return k, k.Start("controller")
}

func newQueue(c *sim.Component) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: "q"})
}

// transcript prints the queue's events, one to a line, with what is seen after each.
func transcript(k *sim.Kernel) string {
	var b strings.Builder
	state := trace.State{}
	for i := range k.Trace().Len() {
		e := k.Trace().Event(trace.ID(i + 1))
		state.Apply(e)
		if !strings.HasPrefix(string(e.Op), "queue.") {
			continue
		}
		fmt.Fprintf(&b, "%v %s", e.At, strings.TrimPrefix(string(e.Op), "queue."))
		for _, a := range e.Attrs {
			switch a.Key {
			case "queue":
			case "key":
				fmt.Fprintf(&b, " %v", a.Value)
			default:
				fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
			}
		}
		b.WriteString(" |")
		for _, c := range state.Cells(trace.CellQueue) {
			v := state[c].(trace.QueueItem)
			fmt.Fprintf(&b, " %s:", c.Key)
			if v.Position >= 0 {
				fmt.Fprint(&b, v.Position)
			}
			if v.Dirty {
				b.WriteByte('d')
			}
			if v.Processing {
				b.WriteByte('p')
			}
			if v.Delayed > 0 {
				fmt.Fprintf(&b, "@%v", v.Delayed)
			}
			if v.Failures > 0 {
				fmt.Fprintf(&b, "!%d", v.Failures)
			}
		}
		for _, c := range state.Cells(trace.CellWorker) {
			fmt.Fprintf(&b, " %s=[%v]", c.Key, state[c])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func expect(t *testing.T, k *sim.Kernel, want string) {
	t.Helper()
	got := transcript(k)
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The semantics of client-go/util/workqueue/queue_test.go: TestDeduplication,
// TestAddWhileProcessing, TestReinsert, as one transcript.
func TestThreeSets(t *testing.T) {
	k, c := world(t, 1)
	q := newQueue(c)
	c.Run(func() {
		q.Add("a")
		q.Add("b")
		q.Add("a") // merged
	})
	c.Go("worker", func(p *sim.Proc) {
		a, _ := q.Get(p)
		q.Add(a) // dirty: processed again, and not meanwhile
		q.Add(a) // merged
		if q.Len() != 1 {
			t.Errorf("an item that is being processed counts as waiting: %d wait", q.Len())
		}
		b, _ := q.Get(p)
		q.Done(a)
		q.Done(b)
		q.Done(b) // nobody has it: nothing happens
		a, _ = q.Get(p)
		q.Done(a)
	})
	k.RunUntil(time.Second)
	expect(t, k, `
0s add a outcome=queued | a:0d
0s add b outcome=queued | a:0d b:1d
0s add a outcome=merged | a:0d b:1d
0s get a | a:p b:0d worker=[a]
0s add a outcome=dirty | a:dp b:0d worker=[a]
0s add a outcome=merged | a:dp b:0d worker=[a]
0s get b | a:dp b:p worker=[b]
0s done a again=true | a:0d b:p worker=[]
0s done b again=false | a:0d worker=[]
0s get a | a:p worker=[a]
0s done a again=false | worker=[]
`)
}

func TestDelays(t *testing.T) {
	k, c := world(t, 1)
	q := newQueue(c)
	c.Run(func() {
		q.AddAfter("late", 3*time.Second)
		q.AddAfter("early", time.Second)
		q.AddAfter("late", 2*time.Second)  // the earlier time wins
		q.AddAfter("late", 10*time.Second) // merged
		q.AddAfter("now", 0)
	})
	k.RunUntil(time.Minute)
	expect(t, k, `
0s delay late after=3s | late:@3s
0s delay early after=1s | early:@1s late:@3s
0s delay late after=2s | early:@1s late:@2s
0s delay late after=10s outcome=merged | early:@1s late:@2s
0s add now outcome=queued | early:@1s late:@2s now:0d
1s add early outcome=queued | early:1d late:@2s now:0d
2s add late outcome=queued | early:1d late:2d now:0d
`)
}

func TestRateLimitedRetries(t *testing.T) {
	k, c := world(t, 1)
	q := newQueue(c)
	c.Run(func() { q.Add("a") })
	c.Go("worker", func(p *sim.Proc) {
		for tries := 0; ; tries++ {
			a, _ := q.Get(p)
			if tries < 2 {
				q.AddRateLimited(a)
			} else {
				q.Forget(a)
			}
			q.Done(a)
		}
	})
	k.RunUntil(time.Minute)
	expect(t, k, `
0s add a outcome=queued | a:0d
0s get a | a:p worker=[a]
0s delay a after=5ms failures=1 | a:p@5ms!1 worker=[a]
0s done a again=false | a:@5ms!1 worker=[]
5ms add a outcome=queued | a:0d!1 worker=[]
5ms get a failures=1 | a:p!1 worker=[a]
5ms delay a after=10ms failures=2 | a:p@15ms!2 worker=[a]
5ms done a again=false | a:@15ms!2 worker=[]
15ms add a outcome=queued | a:0d!2 worker=[]
15ms get a failures=2 | a:p!2 worker=[a]
15ms done a again=false | worker=[]
`)
}

// Who is forgotten begins anew: the next failure is its first.
func TestForget(t *testing.T) {
	_, c := world(t, 1)
	q := newQueue(c)
	c.Run(func() {
		for range 3 {
			q.AddRateLimited("a")
		}
		if n := q.NumRequeues("a"); n != 3 {
			t.Errorf("after three failures: %d", n)
		}
		q.Forget("a")
		if n := q.NumRequeues("a"); n != 0 {
			t.Errorf("after Forget: %d", n)
		}
	})
}

func TestRateLimiters(t *testing.T) {
	k, c := world(t, 1)
	exponential := workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second)
	var got []string
	for range 20 {
		got = append(got, exponential.When("x").String())
	}
	want := "5ms 10ms 20ms 40ms 80ms 160ms 320ms 640ms 1.28s 2.56s 5.12s 10.24s 20.48s 40.96s 1m21.92s 2m43.84s 5m27.68s 10m55.36s 16m40s 16m40s"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("one item waits\n%s, want\n%s", s, want)
	}
	if n := exponential.NumRequeues("x"); n != 20 {
		t.Errorf("%d requeues, want 20", n)
	}
	exponential.Forget("x")
	if d := exponential.When("x"); d != 5*time.Millisecond {
		t.Errorf("a forgotten item waits %v", d)
	}

	both := workqueue.DefaultTypedControllerRateLimiter[int](c)
	for i := range 100 {
		if d := both.When(i); d != 5*time.Millisecond {
			t.Fatalf("item %d of the burst waits %v", i, d)
		}
	}
	for i := range 3 {
		if d, want := both.When(100+i), time.Duration(i+1)*100*time.Millisecond; d != want {
			t.Errorf("item %d after the burst waits %v, want %v", i, d, want)
		}
	}
	k.RunUntil(time.Second) // ten more tokens, three of them spoken for
	for i := range 8 {
		want := 5 * time.Millisecond
		if i == 7 {
			want = 100 * time.Millisecond
		}
		if d := both.When(200 + i); d != want {
			t.Errorf("a second later item %d waits %v, want %v", i, d, want)
		}
	}
	k.RunUntil(time.Hour)
	if d := both.When(300); d != 5*time.Millisecond {
		t.Errorf("an hour later an item waits %v", d)
	}
}

func TestWorkersAreServedInTheOrderInWhichTheyCame(t *testing.T) {
	k, c := world(t, 1)
	q := newQueue(c)
	var served []string
	for i := range 3 {
		name := fmt.Sprint("worker-", i)
		c.Go(name, func(p *sim.Proc) {
			for {
				item, shutdown := q.Get(p)
				if shutdown {
					served = append(served, name+" ends")
					return
				}
				served = append(served, name+" "+item)
				p.Sleep(time.Second)
				q.Done(item)
			}
		})
	}
	k.After(time.Millisecond, func() {
		c.Run(func() {
			for _, item := range []string{"a", "b", "c", "d"} {
				q.Add(item)
			}
		})
	})
	k.After(time.Minute, func() { c.Run(q.ShutDown) })
	k.RunUntil(time.Hour)
	want := "worker-0 a, worker-1 b, worker-2 c, worker-0 d, worker-1 ends, worker-2 ends, worker-0 ends"
	if got := strings.Join(served, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if q.Add("late"); q.Len() != 0 {
		t.Error("a queue that is shut down took an item")
	}
}

func TestGetIsWokenOnce(t *testing.T) {
	k, c := world(t, 1)
	q := newQueue(c)
	var slept time.Duration
	c.Go("worker", func(p *sim.Proc) {
		q.Get(p)
		start := p.Now()
		p.ParkFor(time.Second) // as a request that waits for its answer does
		slept = p.Now() - start
	})
	k.After(time.Millisecond, func() {
		c.Run(func() {
			q.Add("a")
			q.Add("b")
		})
	})
	k.RunUntil(time.Minute)
	if slept != time.Second {
		t.Errorf("what the worker waits for next was cut short after %v", slept)
	}
}

func TestShutDownWithDrain(t *testing.T) {
	k, c := world(t, 1)
	q := newQueue(c)
	c.Run(func() {
		q.Add("a")
		q.Add("b")
		q.AddAfter("c", time.Second) // forgotten
	})
	c.Go("worker", func(p *sim.Proc) {
		for {
			item, shutdown := q.Get(p)
			if shutdown {
				return
			}
			if item == "c" {
				t.Error("what was put off came after the shutdown")
			}
			p.Sleep(2 * time.Second)
			q.Done(item)
		}
	})
	var drained time.Duration
	c.Go("main", func(p *sim.Proc) {
		q.ShutDownWithDrain(p)
		drained = p.Now()
	})
	k.RunUntil(time.Minute)
	if drained != 4*time.Second {
		t.Errorf("drained after %v, want 4s", drained)
	}
}

func TestWhyAnItemIsProcessed(t *testing.T) {
	k, c := world(t, 1)
	q := newQueue(c)
	c.Run(func() {
		for _, why := range []string{"first", "second"} {
			id := k.Emit(trace.Input, trace.Ref{}, trace.Attrs("kind", why))
			k.Because(id, func() { q.Add("a") })
		}
	})
	c.Go("worker", func(p *sim.Proc) {
		for {
			a, _ := q.Get(p)
			p.Logger().Info("working")
			q.AddRateLimited(a)
			q.Done(a)
			p.Sleep(time.Second)
		}
	})
	k.RunUntil(1100 * time.Millisecond)
	rec := k.Trace()
	var chains []string
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.Log {
			continue
		}
		var chain []string
		for e.Op != trace.Input {
			e = rec.Event(e.Cause)
			chain = append(chain, string(e.Op))
		}
		chains = append(chains, strings.Join(chain, " < ")+" "+e.Text("kind"))
	}
	if len(chains) != 2 || chains[0] != "queue.get < queue.add < input first" ||
		chains[1] != "queue.get < queue.add < queue.delay < log < queue.get < queue.add < input first" {
		t.Errorf("causes:\n%s", strings.Join(chains, "\n"))
	}
}

func TestADeadComponentsQueueIsSilent(t *testing.T) {
	k, c := world(t, 1)
	q := newQueue(c)
	c.Run(func() { q.Add("a") })
	c.Go("worker", func(p *sim.Proc) {
		a, _ := q.Get(p)
		defer q.Done(a)
		p.Sleep(time.Hour)
	})
	k.RunUntil(time.Second)
	c.Stop("killed")
	n := k.Trace().Len()
	q.Add("b")
	q.AddAfter("c", time.Second)
	k.RunUntil(time.Minute)
	if k.Trace().Len() != n {
		t.Errorf("after the component's end: %+v", k.Trace().Events(trace.ID(n+1)))
	}
	if cells := k.Trace().Now().Cells(trace.CellQueue); len(cells) != 0 {
		t.Errorf("cells left: %v", cells)
	}
}

type key struct{ name string }

// A queue is called what its maker says, in the trace too, and like its component without a name.
func TestNames(t *testing.T) {
	for given, want := range map[string]string{"q": "q", "": "controller"} {
		k, c := world(t, 1)
		for _, q := range []workqueue.TypedInterface[string]{
			workqueue.NewTypedWithConfig[string](c, workqueue.TypedQueueConfig{Name: given}),
			workqueue.NewTypedDelayingQueueWithConfig[string](c, workqueue.TypedDelayingQueueConfig{Name: given}),
			workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
				workqueue.TypedRateLimitingQueueConfig[string]{Name: given}),
		} {
			q.Add("a")
			e := k.Trace().Event(trace.ID(k.Trace().Len()))
			if e.Op != trace.QueueAdd || e.Text("queue") != want {
				t.Errorf("%T named %q is called %q in %s", q, given, e.Text("queue"), e.Op)
			}
		}
	}
}

func TestItemsNeedAText(t *testing.T) {
	k, c := world(t, 1)
	q := workqueue.NewTypedWithConfig[key](c, workqueue.TypedQueueConfig{Name: "q"})
	c.Run(func() { q.Add(key{"a"}) })
	expect(t, k, "0s add {a} outcome=queued | {a}:0d\n")
	defer func() {
		if recover() == nil {
			t.Error("a queue of addresses was made: its trace would differ from run to run")
		}
	}()
	workqueue.NewTypedWithConfig[*key](c, workqueue.TypedQueueConfig{Name: "q"})
}

// TestWithoutATrace: at a level that keeps no queue events, an item is still
// processed because of what added it.
func TestWithoutATrace(t *testing.T) {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.Objects))
	defer k.Close()
	c := k.Start("controller")
	q := newQueue(c)
	input := k.Emit(trace.Input, trace.Ref{}, nil)
	k.Because(input, func() { c.Run(func() { q.AddAfter("a", time.Second) }) })
	var because trace.ID
	c.Go("worker", func(p *sim.Proc) {
		item, _ := q.Get(p)
		because = k.Cause()
		q.Done(item)
	})
	k.RunUntil(time.Minute)
	if because != input {
		t.Errorf("it was processed because of event %d, want %d", because, input)
	}
}

// TestRandomSequences: whatever is added when, no item has two workers, every
// Add is followed by a Get of the item, and the cells say what the queue holds.
func TestRandomSequences(t *testing.T) {
	for seed := uint64(1); seed <= 40; seed++ {
		k, c := world(t, seed)
		q := newQueue(c)
		chance := k.Rand("test")
		working := map[string]bool{}
		added, taken := map[string]time.Duration{}, map[string]time.Duration{}
		for i := range 3 {
			c.Go(fmt.Sprint("worker-", i), func(p *sim.Proc) {
				for {
					item, shutdown := q.Get(p)
					if shutdown {
						return
					}
					if working[item] {
						t.Fatalf("seed=%d: %s has two workers", seed, item)
					}
					working[item] = true
					taken[item] = p.Now()
					p.Sleep(chance.Between(0, 5*time.Millisecond))
					if chance.IntN(4) == 0 {
						q.AddRateLimited(item)
					} else {
						q.Forget(item)
					}
					working[item] = false
					q.Done(item)
				}
			})
		}
		c.Go("handler", func(p *sim.Proc) {
			for range 200 {
				item := string(rune('a' + chance.IntN(6)))
				if chance.IntN(3) == 0 {
					q.AddAfter(item, chance.Between(0, 20*time.Millisecond))
				} else {
					q.Add(item)
				}
				added[item] = p.Now()
				p.Sleep(chance.Between(0, 3*time.Millisecond))
			}
		})
		k.RunUntil(time.Hour)
		for item, at := range added {
			if taken[item] < at {
				t.Errorf("seed=%d: %s was added at %v and last taken at %v", seed, item, at, taken[item])
			}
		}
		if cells := k.Trace().Now().Cells(trace.CellQueue); len(cells) != 0 || q.Len() != 0 {
			t.Errorf("seed=%d: at rest there is %v", seed, cells)
		}
		positions(t, seed, k)
	}
}

// positions: at every moment the items that wait stand at 0, 1, 2 …
func positions(t *testing.T, seed uint64, k *sim.Kernel) {
	state := trace.State{}
	for i := range k.Trace().Len() {
		e := k.Trace().Event(trace.ID(i + 1))
		state.Apply(e)
		var at []int
		for _, c := range state.Cells(trace.CellQueue) {
			if p := state[c].(trace.QueueItem).Position; p >= 0 {
				at = append(at, p)
			}
		}
		slices.Sort(at)
		for want, got := range at {
			if want != got {
				t.Fatalf("seed=%d: after event %d (%s %s) the positions are %v", seed, e.ID, e.Op, e.Text("key"), at)
			}
		}
	}
}

// A queue that was long gives back its memory once it is empty, and is a queue as before.
func TestAQueueThatWasLong(t *testing.T) {
	k, c := world(t, 1)
	q := newQueue(c)
	const items = 1100 // more than what is kept
	for i := range items {
		q.Add(fmt.Sprint("item-", i))
	}
	var got []string
	c.Go("worker", func(p *sim.Proc) {
		for {
			item, shutdown := q.Get(p)
			if shutdown {
				return
			}
			if item == "again" && len(got) == items {
				q.Add(item) // while it is processed
			}
			got = append(got, item)
			q.Done(item)
		}
	})
	k.RunUntil(time.Minute)
	if len(got) != items || got[0] != "item-0" || got[items-1] != fmt.Sprint("item-", items-1) || q.Len() != 0 {
		t.Fatalf("%d items were handed out, %d are left", len(got), q.Len())
	}
	k.At(2*time.Minute, func() {
		q.Add("again")
		q.Add("again")
	})
	k.RunUntil(3 * time.Minute)
	if tail := got[items:]; !slices.Equal(tail, []string{"again", "again"}) {
		t.Errorf("after it was emptied, it hands out %v", tail)
	}
}
