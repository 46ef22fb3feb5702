package apiserver

import (
	"fmt"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// BenchmarkCreatePod is one Pod: the request, everything that the server does, and the event to one watch.
func BenchmarkCreatePod(b *testing.B) {
	for name, level := range map[string]trace.Level{"off": trace.Off, "all": trace.All} {
		b.Run(name, func(b *testing.B) {
			k := sim.New(1, epoch, trace.NewRecorder(level))
			defer k.Close()
			s := New(k.Start("kube-apiserver"), store.New(k.Start("etcd"), store.DefaultOptions()), DefaultOptions())
			c := k.Start("client")
			c.Go("watcher", func(p *sim.Proc) {
				stream, _ := s.Watch(p, watchPods(metav1.ListOptions{}))
				for ok := true; ok; {
					_, ok = stream.Next(p)
				}
			})
			done := false
			c.Go("main", func(p *sim.Proc) {
				for i := range b.N {
					if _, err := s.Do(p, create(podsResource, newPod(fmt.Sprint("p-", i)))); err != nil {
						b.Error(err)
					}
				}
				done = true
			})
			b.ReportAllocs()
			b.ResetTimer()
			for !done {
				k.Step()
			}
		})
	}
}

// BenchmarkFanOut is one change of an object that a hundred clients watch, until the last of them has it.
func BenchmarkFanOut(b *testing.B) {
	const clients = 100
	for name, level := range map[string]trace.Level{"off": trace.Off, "all": trace.All} {
		b.Run(name, func(b *testing.B) {
			k := sim.New(1, epoch, trace.NewRecorder(level))
			defer k.Close()
			st := store.New(k.Start("etcd"), store.DefaultOptions())
			s := New(k.Start("kube-apiserver"), st, DefaultOptions())
			received := 0
			for i := range clients {
				k.Start(fmt.Sprint("client-", i)).Go("watcher", func(p *sim.Proc) {
					stream, err := s.Watch(p, watchPods(metav1.ListOptions{}))
					if err != nil {
						b.Error(err)
						return
					}
					for ok := true; ok; received++ {
						_, ok = stream.Next(p)
					}
				})
			}
			writer := k.Start("writer")
			writer.Go("main", func(p *sim.Proc) {
				pod := newPod("web")
				if _, err := s.Do(p, create(podsResource, pod)); err != nil {
					b.Error(err)
				}
			})
			for received < clients {
				k.Step()
			}
			key := store.Key{Resource: "pods", Namespace: "default", Name: "web"}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				received = 0
				writer.Go("main", func(p *sim.Proc) {
					_, err := st.GuaranteedUpdate(p, key, func(current api.Object) (api.Object, error) {
						next := current.DeepCopyObject()
						next.SetLabels(map[string]string{"n": fmt.Sprint(i)})
						return next, nil
					})
					if err != nil {
						b.Error(err)
					}
				})
				for received < clients {
					k.Step()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*clients), "ns/watcher")
		})
	}
}

// TestSameSeedSameTrace runs busy worlds twice and compares their traces, stacks included.
func TestSameSeedSameTrace(t *testing.T) {
	run := func() string {
		w := newWorld(t, trace.All)
		w.run(func(p *sim.Proc) {
			p.Fork("worker", 5, func(p *sim.Proc, i int) {
				pod := newPod("")
				pod.GenerateName = "web-"
				for range 3 {
					obj := w.must(p, create(podsResource, pod)).(api.Object)
					w.do(p, bind(obj.GetName(), fmt.Sprint("node-", i)))
					w.do(p, remove(podsResource, obj.GetName(), metav1.DeleteOptions{}))
				}
				w.must(p, &client.Request{Verb: client.List, Resource: podsResource})
			})
		})
		var text string
		for _, e := range w.k.Trace().Events(1) {
			text += fmt.Sprintln(e.ID, e.Cause, e.At, e.Component, e.Process, e.Op, e.Object, e.Attrs, e.Stack, len(e.Deltas))
		}
		return text
	}
	if a, b := run(), run(); a != b || len(a) < 10000 {
		t.Error("the same seed gave two traces")
	}
}
