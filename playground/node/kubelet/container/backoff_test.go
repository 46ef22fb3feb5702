package container

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/node/kubelet/mailbox"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func TestCrashLoopBackOffDoubles(t *testing.T) {
	b := NewCrashLoopBackOff(sim.New(1, time.Time{}, trace.NewRecorder(trace.Off)).Start("kubelet"))
	var waits []time.Duration
	now := time.Duration(0)
	for range 8 {
		b.Next("web", now, now)
		w := b.Get("web")
		waits = append(waits, w)
		if !b.IsInBackOffSince("web", now, now+w-1) || b.IsInBackOffSince("web", now, now+w) {
			t.Errorf("the wait of %v doesn't last %v", w, w)
		}
		now += w + time.Second
	}
	if got := fmt.Sprint(waits); got != "[10s 20s 40s 1m20s 2m40s 5m0s 5m0s 5m0s]" {
		t.Error(got)
	}
	// It ran for more than ten minutes: counting starts anew.
	now += 11 * time.Minute
	if b.IsInBackOffSince("web", now, now) {
		t.Error("a container that ran for long has to wait")
	}
	b.Next("web", now, now)
	if b.Get("web") != 10*time.Second {
		t.Errorf("after a long run the wait is %v", b.Get("web"))
	}
}

func TestMinBackoffExpiration(t *testing.T) {
	r := &PodSyncResult{}
	r.Add(StartContainer, "a").Fail(&BackoffError{ErrCrashLoopBackOff, 40 * time.Second}, "back-off")
	r.Add(StartContainer, "b").Fail(&BackoffError{ErrImagePullBackOff, 20 * time.Second}, "back-off")
	r.Add(StartContainer, "c")
	err := r.Error()
	if at, ok := MinBackoffExpiration(err); !ok || at != 20*time.Second {
		t.Errorf("%v %v", at, ok)
	}
	if !errors.Is(err, ErrCrashLoopBackOff) {
		t.Errorf("%v is no crash loop", err)
	}
	if _, ok := MinBackoffExpiration(errors.New("other")); ok {
		t.Error("an ordinary error has an expiry")
	}
	if want := `[failed to "StartContainer" for "a" with CrashLoopBackOff: "back-off", failed to "StartContainer" for "b" with ImagePullBackOff: "back-off"]`; err.Error() != want {
		t.Errorf("%s\nwant %s", err, want)
	}
}

// TestGetNewerThan: a worker that has just acted must not be shown what was
// seen before it did.
func TestGetNewerThan(t *testing.T) {
	k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
	defer k.Close()
	cache := NewCache(k)
	var got []string
	k.Start("kubelet").Go("worker", func(p *sim.Proc) {
		var last Stamp
		for range 3 {
			s, _ := cache.GetNewerThan(p, "uid", last)
			got = append(got, fmt.Sprint(p.Now(), " ", s.Name))
			last = cache.Stamp()
		}
	})
	k.After(1*time.Second, cache.UpdateTime) // nothing is known of the Pod: that is an answer
	k.After(2*time.Second, func() { cache.Set("other", &PodStatus{Name: "other"}, nil) })
	k.After(3*time.Second, func() { cache.Set("uid", &PodStatus{Name: "seen"}, nil) })
	k.After(4*time.Second, cache.UpdateTime)
	k.RunUntil(time.Minute)
	if text := fmt.Sprint(got); text != "[1s  3s seen 4s seen]" {
		t.Error(text)
	}
}

func TestMailboxHandsOverTheCause(t *testing.T) {
	k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.All))
	defer k.Close()
	box := mailbox.New[string](k)
	var causes []trace.ID
	c := k.Start("c")
	c.Go("reader", func(p *sim.Proc) {
		for range 2 {
			box.Get(p)
			causes = append(causes, k.Cause())
		}
		_, ok := box.GetUntil(p, p.Now()+time.Second)
		if ok || p.Now() != 2*time.Second {
			t.Errorf("an empty box gave something at %v", p.Now())
		}
	})
	var sent []trace.ID
	k.After(time.Second, func() {
		for _, text := range []string{"a", "b"} {
			id := k.Emit(trace.Input, trace.Ref{}, trace.Attrs("kind", text))
			sent = append(sent, id)
			k.Because(id, func() { box.Put(text) })
		}
	})
	k.RunUntil(time.Minute)
	if fmt.Sprint(causes) != fmt.Sprint(sent) || len(sent) != 2 {
		t.Errorf("causes %v, sent %v", causes, sent)
	}
}
