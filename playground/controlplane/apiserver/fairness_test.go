package apiserver

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// narrow is a server with a priority level of one seat, for what anybody does to ConfigMaps.
func narrow(t *testing.T, p *sim.Proc, w *world, response string) {
	t.Helper()
	w.must(p, postRare("prioritylevelconfigurations", `{"metadata":{"name":"narrow"},"spec":{"type":"Limited",
		"limited":{"nominalConcurrencyShares":1,"limitResponse":`+response+`}}}`))
	w.must(p, postRare("flowschemas", `{"metadata":{"name":"narrow"},"spec":{"priorityLevelConfiguration":{"name":"narrow"},"matchingPrecedence":50,
		"distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[{"kind":"Group","group":{"name":"*"}}],
		"resourceRules":[{"verbs":["create"],"apiGroups":[""],"resources":["configmaps"],"namespaces":["default"]}]}]}}`))
	p.Sleep(100 * time.Millisecond) // until the server has heard of them
}

// queues is a limit response of a priority level.
func queues(n, hand, length int) string {
	return fmt.Sprintf(`{"type":"Queue","queuing":{"queues":%d,"handSize":%d,"queueLengthLimit":%d}}`, n, hand, length)
}

// burst sends so many requests at once and returns when each was answered.
func burst(w *world, from *sim.Component, n int) *[]time.Duration {
	answers := new([]time.Duration)
	for i := range n {
		from.Go("burst", func(p *sim.Proc) {
			w.must(p, post("configmaps", fmt.Sprintf(`{"metadata":{"name":"%s-%d"}}`, from.Name(), i)))
			*answers = append(*answers, p.Now())
		})
	}
	return answers
}

// What has no seat waits in a queue, or is refused and comes again after a second.
func TestPriorityLevelsLimitRequests(t *testing.T) {
	for _, test := range []struct {
		name, response string
		soon           int
	}{
		{"one seat", `{"type":"Reject"}`, 1},
		{"a queue of three", queues(1, 1, 3), 4},
		{"room for all", queues(1, 1, 50), 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := withAllKinds()
			opts.MaxRequestsInFlight = 20
			w := newWorldWith(t, trace.Off, opts)
			w.run(func(p *sim.Proc) {
				narrow(t, p, w, test.response)
				answers := burst(w, w.client, 5)
				p.Sleep(900 * time.Millisecond)
				if len(*answers) != test.soon {
					t.Errorf("answers before anybody comes again: %v, want %d", *answers, test.soon)
				}
				p.Sleep(10 * time.Second)
				if len(*answers) != 5 {
					t.Errorf("answers: %v", *answers)
				}
			})
		})
	}
}

// Somebody who sends much has his own requests wait, not those of others.
func TestFlowsTakeTurns(t *testing.T) {
	opts := withAllKinds()
	opts.MaxRequestsInFlight = 20
	w := newWorldWith(t, trace.Off, opts)
	other := w.k.Start("other")
	w.run(func(p *sim.Proc) {
		narrow(t, p, w, queues(8, 1, 50))
		many := burst(w, w.client, 30)
		p.Sleep(2 * time.Millisecond)
		one := burst(w, other, 1)
		p.Sleep(time.Second)
		if len(*many) != 30 || len(*one) != 1 {
			t.Fatalf("answers: %v, %v", *many, *one)
		}
		before := 0
		for _, at := range *many {
			if at < (*one)[0] {
				before++
			}
		}
		if before > 5 {
			t.Errorf("%d of 30 requests of a flood were answered before the one of somebody else", before)
		}
	})
}

// What somebody outside only reads takes no turn from what is a part of the run.
func TestLookingTakesNoSeat(t *testing.T) {
	opts := withAllKinds()
	opts.MaxRequestsInFlight = 20
	w := newWorldWith(t, trace.Off, opts)
	w.run(func(p *sim.Proc) {
		narrow(t, p, w, `{"type":"Reject"}`)
		before := w.k.SetAside(true)
		looks := burst(w, w.client, 5) // as many as have no seat
		w.k.SetAside(before)
		acts := burst(w, w.k.Start("other"), 1)
		p.Sleep(900 * time.Millisecond)
		if len(*looks) != 1 || len(*acts) != 1 {
			t.Errorf("answers: %v, %v", *looks, *acts)
		}
	})
}

func TestFlowSchemasDangle(t *testing.T) {
	w := newWorldWith(t, trace.Off, withAllKinds())
	schemas := api.AllKinds().Resolve("flowschemas").GroupVersionResource()
	condition := func(p *sim.Proc, name string) string {
		p.Sleep(100 * time.Millisecond)
		s := w.must(p, &client.Request{Verb: client.Get, Resource: schemas, Name: name}).(*flowcontrolv1.FlowSchema)
		if len(s.Status.Conditions) != 1 {
			t.Fatalf("%s has the conditions %v", name, s.Status.Conditions)
		}
		c := s.Status.Conditions[0]
		return fmt.Sprintf("%s %s %s %s", c.Type, c.Status, c.Reason, c.Message)
	}
	w.run(func(p *sim.Proc) {
		if got := condition(p, "probes"); got != `Dangling False Found This FlowSchema references the PriorityLevelConfiguration object named "exempt" and it exists` {
			t.Error(got)
		}
		w.must(p, postRare("flowschemas", `{"metadata":{"name":"mine"},"spec":{"priorityLevelConfiguration":{"name":"mine"},"rules":[]}}`))
		if got := condition(p, "mine"); got != `Dangling True NotFound This FlowSchema references the PriorityLevelConfiguration object named "mine" but there is no such object` {
			t.Error(got)
		}
		w.must(p, postRare("prioritylevelconfigurations", `{"metadata":{"name":"mine"},"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}}}`))
		if got := condition(p, "mine"); got != `Dangling False Found This FlowSchema references the PriorityLevelConfiguration object named "mine" and it exists` {
			t.Error(got)
		}
	})
}

// What every cluster has is restored, unless somebody said that it is to stay as it is.
func TestSuggestedLevelsAreRestored(t *testing.T) {
	w := newWorldWith(t, trace.Off, withAllKinds())
	levels := api.AllKinds().Resolve("prioritylevelconfigurations").GroupVersionResource()
	w.run(func(p *sim.Proc) {
		patch := func(name, text string) {
			w.must(p, &client.Request{Verb: client.Patch, Resource: levels, Name: name, PatchType: types.MergePatchType, Patch: []byte(text)})
		}
		patch("workload-low", `{"spec":{"limited":{"nominalConcurrencyShares":7}}}`)
		patch("workload-high", `{"metadata":{"annotations":{"apf.kubernetes.io/autoupdate-spec":"false"}},"spec":{"limited":{"nominalConcurrencyShares":7}}}`)
		w.must(p, &client.Request{Verb: client.Delete, Resource: levels, Name: "global-default"})
		p.Sleep(2 * time.Minute)
		for name, want := range map[string]int32{"workload-low": 100, "workload-high": 7, "global-default": 20} {
			l := w.must(p, &client.Request{Verb: client.Get, Resource: levels, Name: name}).(*flowcontrolv1.PriorityLevelConfiguration)
			if got := *l.Spec.Limited.NominalConcurrencyShares; got != want {
				t.Errorf("%s has %d shares, want %d", name, got, want)
			}
		}
	})
}
