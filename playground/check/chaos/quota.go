package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/quota"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{
		name:        "quotas",
		controllers: []string{"resourcequota-controller", "namespace-controller"},
		act:         (*dice).quotas,
		unsettled:   quotasUnsettled,
	})
}

const quotaNamespace = "limited"

// quotas makes and deletes what a quota counts, in a namespace of its own.
func (d *dice) quotas(at time.Duration) {
	if !d.applied[quotaNamespace] {
		d.applied[quotaNamespace] = true
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": quotaNamespace}})
		d.apply(at+50*time.Millisecond, d.quota())
		return
	}
	name, kind := fmt.Sprintf("counted-%d", d.IntN(5)), []string{"ConfigMap", "Secret"}[d.IntN(2)]
	switch d.IntN(6) {
	case 0:
		d.apply(at, d.quota())
	case 1, 2:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: kind, Namespace: quotaNamespace, Name: name})
	default:
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": quotaNamespace}})
	}
}

func (d *dice) quota() map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "ResourceQuota",
		"metadata": map[string]any{"name": "limits", "namespace": quotaNamespace},
		"spec":     map[string]any{"hard": map[string]any{"count/configmaps": 1 + d.IntN(4), "secrets": 1 + d.IntN(4)}},
	}
}

// quotasUnsettled: a quota's status says what its spec does, and what is there.
func quotasUnsettled(s trace.State, say sayer) {
	there := map[string]counter{} // by namespace
	for _, c := range s.Cells(trace.CellObject) {
		obj, ok := s[c].(api.Object)
		if !ok {
			continue
		}
		if there[obj.GetNamespace()] == nil {
			there[obj.GetNamespace()] = counter{}
		}
		for name, q := range uses(obj) { // order: sums
			there[obj.GetNamespace()].add(name, *q)
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		q, ok := s[c].(*corev1.ResourceQuota)
		if !ok {
			continue
		}
		if !quota.Equals(q.Spec.Hard, q.Status.Hard) {
			say("quota %s limits %s, and its status says %s", c.Key, quota.PrettyPrint(q.Spec.Hard), quota.PrettyPrint(q.Status.Hard))
		}
		for _, name := range quota.ResourceNames(q.Spec.Hard) {
			if used, want := q.Status.Used[name], there[q.Namespace].of(name); used.Cmp(want) != 0 {
				say("quota %s says that %s of %s are used, and there are %s", c.Key, used.String(), name, want.String())
			}
		}
	}
}

// charges is what is known of a quota while a run is looked at.
type charges struct {
	quota   *corev1.ResourceQuota
	since   map[corev1.ResourceName]trace.ID // when it began to limit something
	pending counter                          // charged, and not made yet
}

// quotasHold: whatever the API server admits is charged to each quota of its namespace first, all that it uses of what the quota limits, and is not charged
// when it does not fit. So a charge never leaves more used than there may be, and nothing is made that was not charged, unless it was asked for before the
// quota began to limit it. The quota controller counts by its caches, which may not show yet what has just been made, so how much there is altogether may be
// more than allowed, there and here, by as much as it missed.
func quotasHold(h *history, m *meter) {
	quotas := map[string]*charges{} // by key
	for _, w := range h.writes {
		obj := w.new
		if obj == nil {
			obj = w.old
		}
		q, is := obj.(*corev1.ResourceQuota)
		switch {
		case is && w.new == nil:
			delete(quotas, w.event.Object.Key())
		case is:
			c := quotas[w.event.Object.Key()]
			if c == nil {
				c = &charges{since: map[corev1.ResourceName]trace.ID{}, pending: counter{}}
				quotas[w.event.Object.Key()] = c
			}
			c.written(w, q, m)
		}
		if w.new == nil || w.old != nil || obj.GetNamespace() == "" || w.operation == nil {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(quotas)) {
			if c := quotas[key]; c.quota.Namespace == obj.GetNamespace() && !(is && c.quota.Name == q.Name) {
				c.made(w, m)
			}
		}
	}
}

// written is a write of the quota itself.
func (c *charges) written(w *write, q *corev1.ResourceQuota, m *meter) {
	old, _ := w.old.(*corev1.ResourceQuota)
	c.quota = q
	for name := range c.since { // order: deleting has none
		if _, limited := q.Status.Hard[name]; !limited {
			delete(c.since, name)
			delete(c.pending, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q.Status.Hard)) {
		if _, known := c.since[name]; !known {
			c.since[name] = w.event.ID
		}
		if old == nil || w.component == "resourcequota-controller" || strings.HasPrefix(w.component, "kube-controller-manager") {
			continue // a count
		}
		used, before, hard := q.Status.Used[name], old.Status.Used[name], q.Status.Hard[name]
		if used.Cmp(before) <= 0 {
			continue
		}
		m.met++
		more := used.DeepCopy()
		more.Sub(before)
		c.pending.add(name, more)
		if used.Cmp(hard) > 0 {
			m.say("event %d: %s of %s are used, of %s", w.event.ID, used.String(), name, hard.String())
		}
	}
}

// made is the making of something in the quota's namespace.
func (c *charges) made(w *write, m *meter) {
	used := uses(w.new)
	for _, name := range slices.Sorted(maps.Keys(used)) {
		since, limited := c.since[name]
		if !limited || used[name].IsZero() || w.operation.sent <= since {
			continue
		}
		m.met++
		if charged := c.pending.of(name); charged.Cmp(*used[name]) < 0 {
			m.say("event %d: %s uses %s of %s, and %s were charged to quota %s", w.event.ID, w.event.Object, used[name], name, charged.String(), c.quota.Name)
			continue
		}
		c.pending[name].Sub(*used[name])
	}
}
