package httpapi

import (
	"context"
	"errors"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
)

// loop runs a cluster in real time. Its goroutine is the only one that touches the cluster.
type loop struct {
	cluster *cluster.Cluster
	speed   float64
	record  func(n int, o cluster.Outcome) // see Options.Record
	inputs  int                            // how many there were
	work    chan func()
	stopped chan struct{} // closed when the loop has ended
}

func newLoop(c *cluster.Cluster, o Options) *loop {
	return &loop{cluster: c, speed: o.Speed, record: o.Record, work: make(chan func()), stopped: make(chan struct{})}
}

// errStopped is what those get who ask for something while the server shuts down.
var errStopped = errors.New("the server is shutting down")

const (
	// batch is how many things happen before the loop looks whether somebody asks for something.
	batch = 500
	// maxLag is how far the cluster's clock may be behind; when it falls back more, it goes slower instead of catching up.
	maxLag = time.Second
)

// run lets the cluster's time pass until ctx is done.
func (l *loop) run(ctx context.Context) {
	defer close(l.stopped)
	defer l.cluster.Close()
	began, from := time.Now(), l.cluster.Elapsed() // in real time, and the cluster's
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := from + time.Duration(float64(time.Since(began))*l.speed)
		caughtUp := l.cluster.RunFor(now, batch)
		if lag := now - l.cluster.Elapsed(); lag > time.Duration(float64(maxLag)*l.speed) {
			began, from = time.Now(), l.cluster.Elapsed()
		}
		if caughtUp {
			timer.Reset(l.untilNext(now))
		} else {
			timer.Reset(0)
		}
		select {
		case do := <-l.work:
			do()
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// untilNext is how long nothing happens in the cluster by itself, in real time.
func (l *loop) untilNext(now time.Duration) time.Duration {
	next, ok := l.cluster.Next()
	if !ok {
		return time.Second
	}
	return min(max(time.Duration(float64(next-now)/l.speed), 0), time.Second)
}

// do has the loop run a function, and returns when it has.
func (l *loop) do(f func(c *cluster.Cluster)) error {
	done := make(chan struct{})
	select {
	case l.work <- func() { defer close(done); f(l.cluster) }:
	case <-l.stopped:
		return errStopped
	}
	<-done
	return nil
}

// await has the loop ask for something that comes later, and waits for it, for the client to give up, or for the loop to end.
func await[T any](ctx context.Context, l *loop, ask func(c *cluster.Cluster, done func(T))) (answer T, err error) {
	got := make(chan T, 1)
	if err := l.do(func(c *cluster.Cluster) { ask(c, func(answer T) { got <- answer }) }); err != nil {
		return answer, err
	}
	select {
	case answer = <-got:
		return answer, nil
	case <-ctx.Done():
		return answer, ctx.Err()
	case <-l.stopped:
		return answer, errStopped
	}
}

// submit sends a request to the cluster: one that writes as the input in, where a host keeps those. The loop calls it.
func (l *loop) submit(r *client.Request, in cluster.Input, answered func(cluster.Answer)) {
	if reads := r.Verb == client.Get || r.Verb == client.List; reads || l.record == nil {
		l.cluster.Send(r, answered)
		return
	}
	l.give(in, answered)
}

// give does something to the cluster now. The loop calls it.
func (l *loop) give(in cluster.Input, answered func(cluster.Answer)) {
	if _, err := l.giveBy(in, answered, l.cluster.Give); err != nil {
		answered(cluster.Answer{Err: err})
	}
}

// giveBy has give make something an input.
func (l *loop) giveBy(in cluster.Input, answered func(cluster.Answer),
	give func(cluster.Input, func(cluster.Outcome, cluster.Answer)) (cluster.Input, error)) (cluster.Input, error) {
	n := l.inputs
	in, err := give(in, func(o cluster.Outcome, a cluster.Answer) {
		if l.record != nil {
			l.record(n, o)
		}
		answered(a)
	})
	if err != nil {
		return in, err
	}
	if l.inputs++; l.record != nil {
		l.record(n, cluster.Outcome{Input: in})
	}
	return in, nil
}

// ask sends a request to the cluster and waits for its answer, or for the reason why there is none.
func (l *loop) ask(ctx context.Context, r *client.Request) (client.Result, error) {
	a, err := await(ctx, l, func(c *cluster.Cluster, done func(cluster.Answer)) { c.Send(r, done) })
	if err == nil {
		err = a.Err
	}
	return a.Result, err
}
