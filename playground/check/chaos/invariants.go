package chaos

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

// SettleWithin is how long after the last fault a cluster may take until it is
// as its ReplicaSets want it. The longest waits are the five minutes for which
// a controller believes in Pods that it expects, and for which Pods tolerate
// a node that is away. Nobody touches anything meanwhile: whoever waits has to
// hear of what it waits for.
const SettleWithin = 20 * time.Minute

// arrives is how long after a partition has healed, or a program has become as quick as it was, something may still be
// on its way: TCP sends again later and later what was lost, and a client gives up a silent connection after 45 s.
const arrives = 75 * time.Second

// settles is the name of what settle looks after.
const settles = "the cluster settles"

// traceChecks are invariants that need nothing but a trace.
var traceChecks = []struct {
	name string
	of   func(*trace.Recorder) []string
}{
	{"no Pod is bound twice", BoundTwice}, {"watches get what matches", Watches}, {"every event has a cause", Causes}, {"revisions count by one", Revisions},
	{"caches hold what is stored", Caches}, {"queues lose nothing", Queues},
}

// Invariants lists the names of what is held in every experiment, as reports name it; those of single ingredients are named like these.
func Invariants() []string {
	out := []string{settles}
	for _, c := range traceChecks {
		out = append(out, c.name)
	}
	for _, i := range invariants {
		out = append(out, i.name)
	}
	return out
}

// Run runs an experiment until the cluster has settled, or had its time, and
// returns the closed cluster and everything that does not hold.
func Run(s *scenario.Scenario) (*cluster.Cluster, []string) {
	c, wrong, _ := Measure(s)
	return c, wrong
}

// Measure is Run that also tells what the experiment met, but for its ingredients.
func Measure(s *scenario.Scenario) (*cluster.Cluster, []string, Met) {
	h := &history{}
	c := cluster.NewObserved(s.Cluster, s.Seed, func(t client.Transport) client.Transport { return observer{t, h} })
	defer c.Close()
	wrong, met := named(settles, settle(c, s)), Met{}
	h.attribute(c.Trace())
	for _, check := range traceChecks {
		wrong = append(wrong, named(check.name, check.of(c.Trace()))...)
	}
	for _, i := range ingredients {
		m := &meter{}
		if i.holds != nil {
			i.holds(c.Trace(), m.say)
		}
		if i.typed != nil {
			i.typed(c.Trace(), c.Outcomes(), m.say)
		}
		sort.Strings(m.wrong)
		wrong = append(wrong, named(i.name, m.wrong)...)
	}
	for _, i := range invariants {
		m := &meter{}
		i.holds(h, m)
		sort.Strings(m.wrong)
		wrong = append(wrong, named(i.name, m.wrong)...)
		met["invariant: "+i.name] += m.met
	}
	met.happened(c.Trace())
	return c, wrong, met
}

// named puts the name of what does not hold before each sentence about it.
func named(name string, wrong []string) []string {
	out := make([]string, len(wrong))
	for i, w := range wrong {
		out[i] = name + ": " + w
	}
	return out
}

// settle runs an experiment, and tells what is not as it has to be in the end.
func settle(c *cluster.Cluster, s *scenario.Scenario) (wrong []string) {
	for _, in := range s.Inputs(nil) {
		if err := c.Schedule(in); err != nil {
			return []string{err.Error()}
		}
	}
	if !runUntil(c, FaultsEnd, mostEvents) {
		return []string{fmt.Sprintf("after %v there are more than %d events: something goes on without an end", c.Elapsed(), mostEvents)}
	}
	for _, in := range s.Inputs(nil) {
		if in.Kind == cluster.Partition || in.Kind == cluster.Slow {
			c.RunUntil(FaultsEnd + arrives)
			break
		}
	}
	for end := FaultsEnd + SettleWithin; ; {
		if wrong = unsettled(c.Trace().Now(), nil); len(wrong) > 0 && c.Elapsed() >= end {
			wrong = unsettled(c.Trace().Now(), keptForReplaced(c.Trace()))
			for key := range waitingInVain(c.Trace()) { // order: each takes out its own
				wrong = slices.DeleteFunc(wrong, func(w string) bool { return strings.HasPrefix(w, key+" ") })
			}
			for key := range keptForRemoved(c.Trace()) { // order: each takes out its own
				wrong = slices.DeleteFunc(wrong, func(w string) bool { return w == "claim "+key+keptClaim })
			}
		}
		if len(wrong) == 0 || c.Elapsed() >= end || !runUntil(c, c.Elapsed()+5*time.Second, mostEvents) {
			return wrong
		}
	}
}

// mostEvents is where an experiment ends early, so that controllers that answer each other for ever do not fill the memory. Of 150 that
// settled the largest had 20,000 events.
const mostEvents = 300_000

// runUntil runs an experiment to a moment, a second at a time, and tells whether it came there with that many events at most.
func runUntil(c *cluster.Cluster, end time.Duration, most int) bool {
	for c.Elapsed() < end && c.Trace().Len() <= most {
		c.RunUntil(min(end, c.Elapsed()+time.Second))
	}
	return c.Elapsed() >= end
}

// unsettled says what keeps a state from being what its objects ask for. Pods in kept, by UID, may stay.
func unsettled(s trace.State, kept map[string]bool) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	there := map[string]bool{}     // by uid
	counting := map[string]bool{}  // Jobs that have not ended, by uid
	suspended := map[string]bool{} // Jobs, by uid
	for _, c := range s.Cells(trace.CellObject) {
		if obj, ok := s[c].(api.Object); ok {
			there[string(obj.GetUID())] = true
		}
		if j, ok := s[c].(*batchv1.Job); ok {
			counting[string(j.UID)] = jobEnded(j) == ""
			suspended[string(j.UID)] = j.Spec.Suspend != nil && *j.Spec.Suspend
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		pod, ok := s[c].(*corev1.Pod)
		if !ok || kept[string(pod.UID)] {
			continue
		}
		// A Job that counts failures by index keeps the last Pod of an index until it has made another, which it does not
		// while it is suspended; upstream's too.
		waits := len(pod.Finalizers) > 0 && suspended[controllerOf(pod)]
		if pod.DeletionTimestamp != nil && !waits {
			say("pod %s is still terminating", c.Key)
		}
		if owner := controllerOf(pod); owner != "" && !there[owner] {
			say("pod %s belongs to nobody that is there", c.Key)
		}
		if slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer) && !counting[controllerOf(pod)] {
			say("pod %s keeps the finalizer of a job that does not count it", c.Key)
		}
	}
	for _, i := range ingredients {
		if i.unsettled != nil {
			i.unsettled(s, say)
		}
	}
	sort.Strings(wrong)
	return wrong
}

// BoundTwice finds Pods whose node changed, and Pods whose containers ran on
// more than one node.
func BoundTwice(rec *trace.Recorder) []string {
	var wrong []string
	node := map[string]string{} // by uid
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		for _, d := range e.Deltas {
			pod, ok := d.New.(*corev1.Pod)
			if !ok || d.Cell.Kind != trace.CellObject {
				continue
			}
			id := string(pod.UID)
			if before := node[id]; before != "" && before != pod.Spec.NodeName {
				wrong = append(wrong, fmt.Sprintf("event %d: pod %s was bound to %s and then to %q", e.ID, d.Cell.Key, before, pod.Spec.NodeName))
			}
			if pod.Spec.NodeName != "" {
				node[id] = pod.Spec.NodeName
			}
		}
		if e.Op == trace.SandboxStart {
			runsOn := strings.TrimPrefix(e.Component, "containerd/")
			id := e.Text("uid")
			if id == "" {
				continue // its start was told before
			}
			key := "sandbox " + id
			if before := node[key]; before != "" && before != runsOn {
				wrong = append(wrong, fmt.Sprintf("event %d: pod %s was started on %s and on %s", e.ID, e.Object.Key(), before, runsOn))
			}
			node[key] = runsOn
		}
	}
	return wrong
}

// watch is one watch as it should go: what it is to be sent, and how far it got.
type watch struct {
	id        string
	client    string
	resource  string
	namespace string
	label     labels.Selector
	field     fields.Selector
	from      int64
	due       []sent // what it has to be sent, from the revisions committed
	sent      int    // how much of it was
	received  int
	closed    bool
}

type sent struct {
	kind     string
	revision int64
}

// Watches checks every watch of a run: between its opening and its end it is
// sent exactly what matches, in the order of revisions, once, and receives it
// in that order.
func Watches(rec *trace.Recorder) []string {
	var wrong []string
	byID := map[string]*watch{}
	var open []*watch
	var history []commit
	say := func(e *trace.Event, w *watch, format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("event %d: watch %s of %s on %s: ", e.ID, w.id, w.client, w.resource)+fmt.Sprintf(format, args...))
	}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		switch e.Op {
		case trace.StoreCommit:
			c := commitOf(e)
			history = append(history, c)
			for _, w := range open {
				w.expect(c)
			}
		case trace.WatchOpen:
			w, err := newWatch(e)
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("event %d: %v", e.ID, err))
				continue
			}
			for _, c := range history {
				w.expect(c)
			}
			byID[w.id] = w
			open = append(open, w)
		case trace.WatchSend, trace.WatchReceive:
			w := byID[e.Text("watch")]
			if w == nil {
				wrong = append(wrong, fmt.Sprintf("event %d: a watch that was never opened", e.ID))
				continue
			}
			if kind := e.Text("type"); kind == "BOOKMARK" || kind == "ERROR" {
				continue
			}
			n := &w.sent
			if e.Op == trace.WatchReceive {
				n = &w.received
			}
			if *n >= len(w.due) {
				say(e, w, "%s revision %s was one too many", e.Text("type"), e.Text("revision"))
				continue
			}
			want := w.due[*n]
			if e.Text("type") != want.kind || e.Text("revision") != strconv.FormatInt(want.revision, 10) {
				say(e, w, "%s of %s revision %s where %s revision %d was due", e.Op, e.Text("type"), e.Text("revision"), want.kind, want.revision)
			}
			*n++
			if e.Op == trace.WatchReceive && w.received > w.sent {
				say(e, w, "received what was not sent")
			}
		case trace.WatchClose:
			if w := byID[e.Text("watch")]; w != nil {
				w.closed = true
				for i, o := range open {
					if o == w {
						open = append(open[:i:i], open[i+1:]...)
						break
					}
				}
			}
		}
	}
	// A watch that is still open has been sent everything but what is on its way this very moment.
	last := rec.Event(trace.ID(rec.Len()))
	for _, w := range open {
		if behind := len(w.due) - w.sent; behind > 0 && history[len(history)-1].at < last.At-time.Second {
			say(last, w, "%d events were never sent", behind)
		}
	}
	return wrong
}

type commit struct {
	at       time.Duration
	resource string
	revision int64
	old, new api.Object
}

func commitOf(e *trace.Event) commit {
	c := commit{at: e.At, resource: e.Object.Resource}
	c.revision, _ = strconv.ParseInt(e.Text("revision"), 10, 64)
	for _, d := range e.Deltas {
		if d.Cell.Kind == trace.CellObject {
			c.old, _ = d.Old.(api.Object)
			c.new, _ = d.New.(api.Object)
		}
	}
	return c
}

func newWatch(e *trace.Event) (*watch, error) {
	w := &watch{id: e.Text("watch"), client: e.Text("client"), resource: e.Text("resource"), namespace: e.Text("namespace")}
	var err error
	if w.from, err = strconv.ParseInt(e.Text("revision"), 10, 64); err != nil {
		return nil, fmt.Errorf("watch %s has no revision to start from: %v", w.id, err)
	}
	if w.label, err = labels.Parse(e.Text("labelSelector")); err != nil {
		return nil, err
	}
	if w.field, err = fields.ParseSelector(e.Text("fieldSelector")); err != nil {
		return nil, err
	}
	return w, nil
}

// expect adds what a commit means to the watch, as it sees objects through its
// selectors: what comes into view is added, what leaves it is deleted.
func (w *watch) expect(c commit) {
	if c.resource != w.resource || c.revision <= w.from {
		return
	}
	was, is := w.sees(c.old), w.sees(c.new)
	switch {
	case !was && is:
		w.due = append(w.due, sent{"ADDED", c.revision})
	case was && is:
		w.due = append(w.due, sent{"MODIFIED", c.revision})
	case was && !is:
		w.due = append(w.due, sent{"DELETED", c.revision})
	}
}

func (w *watch) sees(obj api.Object) bool {
	if obj == nil || w.namespace != "" && obj.GetNamespace() != w.namespace {
		return false
	}
	set := fields.Set{"metadata.name": obj.GetName(), "metadata.namespace": obj.GetNamespace()}
	if pod, ok := obj.(*corev1.Pod); ok {
		set["spec.nodeName"] = pod.Spec.NodeName
		set["status.phase"] = string(pod.Status.Phase)
	}
	if secret, ok := obj.(*corev1.Secret); ok {
		set["type"] = string(secret.Type)
	}
	return w.label.Matches(labels.Set(obj.GetLabels())) && w.field.Matches(set)
}
