package flowcontrol

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// of is a dispatcher of so many seats for what everybody does, with queues or without.
func of(seats int32, q *flowcontrolv1.QueuingConfiguration) ([]*flowcontrolv1.FlowSchema, []*flowcontrolv1.PriorityLevelConfiguration) {
	level := &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "own"}}
	level.Spec.Type = flowcontrolv1.PriorityLevelEnablementLimited
	level.Spec.Limited = &flowcontrolv1.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: &seats}
	level.Spec.Limited.LimitResponse.Queuing = q
	schema := &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: "own"}}
	schema.Spec.PriorityLevelConfiguration.Name = "own"
	schema.Spec.MatchingPrecedence = 2
	schema.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType}
	schema.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{{
		Subjects:      []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: "*"}}},
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, ClusterScope: true}},
	}}
	return []*flowcontrolv1.FlowSchema{schema}, []*flowcontrolv1.PriorityLevelConfiguration{level}
}

// run has a process for each arrival, which takes a second once it is let in, and returns what became of each.
func run(t *testing.T, d *Dispatcher, wait time.Duration, arrivals int, during func(k *sim.Kernel, c *sim.Component)) (out []string) {
	t.Helper()
	k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
	t.Cleanup(k.Close)
	c := k.Start("server")
	out = make([]string, arrivals)
	for i := range arrivals {
		c.Go(fmt.Sprint(i), func(p *sim.Proc) {
			leave, refused := d.Enter(p, &Request{User: &authenticationv1.UserInfo{Username: fmt.Sprint(i)}, Verb: "get", Resource: "nodes"}, wait)
			if out[i] = refused; refused == "" {
				out[i] = fmt.Sprint(p.Now())
				defer leave()
				p.Sleep(time.Second)
			}
		})
	}
	if during != nil {
		during(k, c)
	}
	for k.Elapsed() < time.Minute && k.Step() {
	}
	return out
}

func TestEnter(t *testing.T) {
	queues := func(n, hand, length int32) *flowcontrolv1.QueuingConfiguration {
		return &flowcontrolv1.QueuingConfiguration{Queues: n, HandSize: hand, QueueLengthLimit: length}
	}
	for _, test := range []struct {
		name string
		q    *flowcontrolv1.QueuingConfiguration
		wait time.Duration
		want string
	}{
		{"no queues", nil, time.Minute, "[0s 0s concurrency-limit concurrency-limit concurrency-limit]"},
		{"a queue of two", queues(1, 1, 2), time.Minute, "[0s 0s 1s 1s queue-full]"},
		{"a long queue", queues(1, 1, 9), time.Minute, "[0s 0s 1s 1s 2s]"},
		{"no patience", queues(1, 1, 9), 1500 * time.Millisecond, "[0s 0s 1s 1s time-out]"},
		{"the shortest of a hand", queues(2, 2, 2), time.Minute, "[0s 0s 1s 1s 2s]"},
	} {
		d := NewDispatcher(7) // catch-all has the other 5 shares
		d.Configure(of(2, test.q))
		if got := fmt.Sprint(run(t, d, test.wait, 5, nil)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if l := d.levels["own"]; l.used != 0 || l.waiting() {
			t.Errorf("%s: %d seats are taken at the end", test.name, l.used)
		}
	}
}

// Who is waiting when a level changes goes on by what it is then, and a process that ends gives back its place.
func TestConfigureWhileSomebodyWaits(t *testing.T) {
	d := NewDispatcher(7)
	d.Configure(of(2, &flowcontrolv1.QueuingConfiguration{Queues: 8, HandSize: 2, QueueLengthLimit: 9}))
	got := run(t, d, time.Minute, 6, func(k *sim.Kernel, c *sim.Component) {
		k.Start("other").After(500*time.Millisecond, func() {
			schemas, levels := of(2, nil) // its queues go, not who is in them
			d.Configure(schemas, levels)
			d.Configure(nil, nil) // and then the level itself
		})
	})
	slices.Sort(got)
	if fmt.Sprint(got) != "[0s 0s 1s 1s 2s 2s]" {
		t.Errorf("%v", got)
	}
	if got := run(t, d, time.Minute, 8, nil); fmt.Sprint(got) != "[0s 0s 0s 0s 0s 0s 0s concurrency-limit]" {
		t.Errorf("catch-all, which has all seats now, and no queues: %v", got)
	}
}
