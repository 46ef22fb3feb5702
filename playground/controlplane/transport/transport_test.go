package transport

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var pods = api.GroupVersionResource{Version: "v1", Resource: "pods"}

// server answers a request after a second, by its name; a watch gets ten numbered events, each a millisecond after the one before.
type server struct {
	network *Network
	handled []string
}

func (s *server) Handle(p *sim.Proc, c *Call) {
	s.handled = append(s.handled, c.Request.Verb+" "+c.Request.Name)
	if c.Request.Verb == client.Watch {
		stream := s.network.Open(p, c, trace.Ref{Resource: "pods"}, nil)
		stream.Serve(func() {
			for i := range 10 {
				s.network.server.After(time.Duration(i)*time.Millisecond, func() {
					if !stream.Closed() {
						stream.Send(client.Event{Type: client.Added, Object: pod(fmt.Sprint(i))}, trace.Ref{Resource: "pods", Name: fmt.Sprint(i)}, fmt.Sprint(i))
					}
				})
			}
		}, nil)
		c.Reply(p, Answer{Code: 200, Stream: stream})
		return
	}
	p.Sleep(time.Second)
	if c.Request.Name == "missing" {
		c.Reply(p, Answer{Failed: &metav1.Status{Status: metav1.StatusFailure, Code: 404, Message: "not here"}})
		return
	}
	c.Warn("old")
	c.Warn("old")
	c.Reply(p, Answer{Code: 200, Result: pod(c.Request.Name)})
}

func pod(name string) *corev1.Pod { return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}} }

type world struct {
	k       *sim.Kernel
	server  *server
	network *Network
	tester  *sim.Component
}

func newWorld(t *testing.T) *world {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	w := &world{k: k, server: &server{}, tester: k.Start("tester")}
	delays := k.Rand("delays")
	w.network = New(k, "kube-apiserver", w.server, func() time.Duration { return delays.Between(time.Millisecond, 20*time.Millisecond) })
	w.server.network = w.network
	return w
}

// serve starts the server's program.
func (w *world) serve() *sim.Component {
	c := w.k.Start("kube-apiserver")
	w.network.Listen(c)
	c.OnStop(w.network.Disconnect)
	return c
}

// run executes body as the tester.
func (w *world) run(t *testing.T, body func(p *sim.Proc)) {
	t.Helper()
	done := false
	w.tester.Go("main", func(p *sim.Proc) { body(p); done = true })
	w.k.RunUntil(w.k.Elapsed() + 10*time.Minute)
	if !done {
		t.Fatal("nothing woke the tester within ten minutes")
	}
	now := w.k.Trace().Now()
	if cells := append(now.Cells(trace.CellMessage), now.Cells(trace.CellWatch)...); len(cells) > 0 {
		t.Errorf("left on the wire: %v", cells)
	}
}

func get(name string) *client.Request {
	return &client.Request{Verb: client.Get, Resource: pods, Namespace: "default", Name: name}
}

func TestAnswers(t *testing.T) {
	w := newWorld(t)
	w.run(t, func(p *sim.Proc) {
		if _, err := w.network.Do(p, get("a")); !errors.Is(err, client.ErrConnectionRefused) {
			t.Errorf("nobody listens: %v", err)
		}
		w.serve()
		r := get("a")
		var warnings []string
		var code int32
		r.Warn, r.Answered = func(text string) { warnings = append(warnings, text) }, func(c int32) { code = c }
		sent := p.Now()
		got, err := w.network.Do(p, r)
		if err != nil || got.(*corev1.Pod).Name != "a" || code != 200 || len(warnings) != 1 {
			t.Errorf("answer %v, %v; code %d, warnings %q", got, err, code, warnings)
		}
		if took := p.Now() - sent; took < time.Second+2*time.Millisecond || took > time.Second+40*time.Millisecond {
			t.Errorf("it took %v: one second, and the way there and back", took)
		}
		if _, err := w.network.Do(p, get("missing")); err == nil || err.Error() != "not here" {
			t.Errorf("a refusal: %v", err)
		}
		r = get("b")
		r.Timeout = 300 * time.Millisecond
		if _, err := w.network.Do(p, r); !errors.Is(err, client.ErrDeadlineExceeded) {
			t.Errorf("the client gives up: %v", err)
		}
		p.Sleep(2 * time.Second)
		if got := strings.Join(w.server.handled, ", "); got != "get a, get missing, get b" {
			t.Errorf("handled: %s", got)
		}
	})
}

func TestTheServerDies(t *testing.T) {
	w := newWorld(t)
	w.run(t, func(p *sim.Proc) {
		c := w.serve()
		w.k.After(500*time.Millisecond, func() { c.Stop("killed") })
		if _, err := w.network.Do(p, get("a")); !errors.Is(err, client.ErrConnectionLost) {
			t.Errorf("the server died at work: %v", err)
		}
		c = w.serve()
		stream, err := w.network.Watch(p, &client.Request{Verb: client.Watch, Resource: pods})
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := stream.Next(p); !ok || e.Object.GetName() != "0" {
			t.Errorf("first event: %v, %v", e, ok)
		}
		c.Stop("killed")
		if e, ok := stream.Next(p); ok {
			t.Errorf("after the server's death: %v", e)
		}
	})
}

// However long each message takes, those of one watch arrive in their order.
func TestWatchKeepsOrder(t *testing.T) {
	w := newWorld(t)
	w.run(t, func(p *sim.Proc) {
		w.serve()
		stream, err := w.network.Watch(p, &client.Request{Verb: client.Watch, Resource: pods})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for range 10 {
			e, _ := stream.Next(p)
			got.WriteString(e.Object.GetName())
		}
		if got.String() != "0123456789" {
			t.Errorf("events came as %s", got.String())
		}
		stream.Stop()
	})
}

// A partition that heals in time delays everything and loses nothing; one that lasts ends the connection.
func TestPartition(t *testing.T) {
	for _, c := range []struct {
		lasts time.Duration
		want  error
	}{{10 * time.Second, nil}, {2 * time.Minute, client.ErrHTTP2ConnectionLost}} {
		w := newWorld(t)
		w.run(t, func(p *sim.Proc) {
			w.serve()
			stream, err := w.network.Watch(p, &client.Request{Verb: client.Watch, Resource: pods})
			if err != nil {
				t.Fatal(err)
			}
			w.network.Cut("tester")
			w.k.After(c.lasts, func() { w.network.Heal("tester") })
			cut := p.Now()
			_, err = w.network.Do(p, get("a"))
			if !errors.Is(err, c.want) {
				t.Errorf("a cut of %v: %v", c.lasts, err)
			}
			if waited := p.Now() - cut; c.want == nil && waited < c.lasts || c.want != nil && waited != connectionLostAfter {
				t.Errorf("a cut of %v: the client waited %v", c.lasts, waited)
			}
			n := 0
			for {
				e, ok := stream.Next(p)
				if !ok || e.Type == client.Error {
					break
				}
				if n++; n == 10 && c.want == nil {
					stream.Stop()
					break
				}
			}
			if c.want == nil && n != 10 {
				t.Errorf("%d events came through", n)
			}
		})
	}
}

// A partition may come when nothing but an answer, or the end of the server's connections, is on its way to a client: that is held like all else, and whoever
// waits for it hears of it, or of the connection's end.
func TestPartitionHoldsWhatIsOnItsWay(t *testing.T) {
	const way = 10 * time.Millisecond
	for _, c := range []struct {
		name      string
		dies, cut time.Duration
		heals     time.Duration
		want      error
		after     time.Duration
	}{
		{"an answer", 0, time.Second + 3*way/2, 10 * time.Second, nil, 10 * time.Second},
		{"an answer, for too long", 0, time.Second + 3*way/2, time.Hour, client.ErrHTTP2ConnectionLost, time.Second + 3*way/2 + connectionLostAfter},
		{"a death", 500 * time.Millisecond, 500*time.Millisecond + way/2, 10 * time.Second, client.ErrConnectionLost, 10 * time.Second},
		{"a death, for too long", 500 * time.Millisecond, 500*time.Millisecond + way/2, time.Hour, client.ErrHTTP2ConnectionLost,
			500*time.Millisecond + way/2 + connectionLostAfter},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.network.latency = func() time.Duration { return way }
			w.run(t, func(p *sim.Proc) {
				server := w.serve()
				if c.dies > 0 {
					w.k.After(c.dies, func() { server.Stop("killed") })
				}
				w.k.After(c.cut, func() { w.network.Cut("tester") })
				w.k.After(c.heals, func() { w.network.Heal("tester") })
				_, err := w.network.Do(p, get("a"))
				if !errors.Is(err, c.want) || p.Now() < c.after || c.want == client.ErrHTTP2ConnectionLost && p.Now() != c.after {
					t.Errorf("after %v: %v, want %v", p.Now(), err, c.want)
				}
			})
		})
	}
}
