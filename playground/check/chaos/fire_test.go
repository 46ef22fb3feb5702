package chaos

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/types"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/trace"
)

// recorded runs an experiment and returns it as the invariants see it.
func recorded(t *testing.T, seed uint64) *history {
	t.Helper()
	s, h := Random(seed), &history{}
	s.Cluster.Trace = trace.Unstacked
	c := cluster.NewObserved(s.Cluster, s.Seed, func(t client.Transport) client.Transport { return observer{t, h} })
	defer c.Close()
	if wrong := settle(c, s); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	h.attribute(c.Trace())
	return h
}

// way breaks a history as a broken control plane would have left it. It returns false where there is nothing to break; then the next experiment is tried.
type way struct {
	invariant, name string
	breaks          func(h *history) bool
}

var ways = []way{
	{"answers are linearizable", "a stale read", func(h *history) bool {
		return h.anyOperation(func(op *operation) bool {
			obj, ok := op.result.(api.Object)
			if !ok || op.request.Verb != client.Get {
				return false
			}
			for _, w := range h.versions[keyOf(op.request.Resource.Resource, obj)] {
				if w.new != nil && w.new.GetResourceVersion() == obj.GetResourceVersion() && w.old != nil && w.event.ID < op.sent {
					op.result = w.old
					return true
				}
			}
			return false
		})
	}},
	{"answers are linearizable", "an update of what was not seen", func(h *history) bool {
		return h.anyUpdate(func(op *operation) bool {
			if seen := op.request.Object.GetResourceVersion(); seen == "" {
				return false
			}
			w := op.commits[0]
			w.old = w.old.DeepCopyObject()
			w.old.SetResourceVersion(w.old.GetResourceVersion() + "1")
			return true
		})
	}},
	{"answers are linearizable", "a refusal that is carried out", func(h *history) bool {
		return h.anyUpdate(func(op *operation) bool {
			op.result, op.err = nil, apierrors.NewConflict(api.GroupResource{Resource: op.request.Resource.Resource}, "x", fmt.Errorf("changed"))
			return true
		})
	}},
	{"answers are linearizable", "a lost request that is carried out twice", func(h *history) bool {
		return h.anyUpdate(func(op *operation) bool {
			op.result, op.err, op.commits = nil, client.ErrConnectionLost, append(op.commits, op.commits[0])
			return true
		})
	}},
	{"answers are linearizable", "a deletion that does nothing", func(h *history) bool {
		return h.anyOperation(func(op *operation) bool {
			if op.request.Verb != client.Delete || len(op.commits) == 0 {
				return false
			}
			key := objectKey(op.request.Resource.Resource, op.request.Namespace, op.request.Name)
			i := slices.Index(h.versions[key], op.commits[0])
			if i < 1 || h.versions[key][i-1].new == nil || h.versions[key][i-1].new.GetDeletionTimestamp() != nil {
				return false
			}
			h.versions[key] = h.versions[key][:i]
			return true
		})
	}},
	{"lists are snapshots", "an object is missing", func(h *history) bool {
		return h.changeList(func(items []api.Object) []api.Object { return items[1:] })
	}},
	{"lists are snapshots", "an object as it was before", func(h *history) bool {
		return h.changeList(func(items []api.Object) []api.Object {
			for i, obj := range items {
				for _, w := range h.writes {
					if w.new != nil && w.old != nil && w.new.GetUID() == obj.GetUID() && w.new.GetResourceVersion() == obj.GetResourceVersion() {
						items[i] = w.old
						return items
					}
				}
			}
			return nil
		})
	}},
	{"lists are snapshots", "a list that is older than it may be", func(h *history) bool {
		return h.anyOperation(func(op *operation) bool {
			list, ok := op.result.(api.List)
			if !ok || op.request.List.ResourceVersion != "" || op.request.List.Continue != "" || op.sent < 500 {
				return false
			}
			list = list.DeepCopyList()
			list.GetListMeta().SetResourceVersion("2")
			op.result = list
			return true
		})
	}},
	{"caches apply each event once", "one is lost", func(h *history) bool {
		return h.changeEvent(trace.CacheSet, func(e *trace.Event) { e.Op = trace.Log })
	}},
	{"caches apply each event once", "one comes twice", func(h *history) bool {
		return h.changeEvent(trace.WatchReceive, func(e *trace.Event) { e.Op = trace.Log })
	}},
	{"caches apply each event once", "another one comes", func(h *history) bool {
		return h.changeEvent(trace.CacheSet, func(e *trace.Event) {
			e.Attrs = trace.Attrs("resource", e.Text("resource"), "revision", "1")
		})
	}},
	{"roll-outs keep to maxSurge", "a ReplicaSet too large", func(h *history) bool {
		for i, w := range h.writes {
			now, ok := w.new.(*appsv1.ReplicaSet)
			if was, is := w.old.(*appsv1.ReplicaSet); ok && is && w.component == "deployment-controller" && *now.Spec.Replicas > *was.Spec.Replicas {
				now, many := now.DeepCopy(), int32(50)
				now.Spec.Replicas = &many
				h.writes[i].new = now
				return true
			}
		}
		return false
	}},
	{"roll-outs keep to maxUnavailable", "an old version is taken away while nothing of the new one is there", func(h *history) bool {
		var found *write
		rollouts(h, func(w *write, before, after *rollout) {
			d := after.deployment
			if found != nil || after.total() >= before.total() || d.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType || d.Spec.Paused ||
				before.scaled() {
				return
			}
			rs := w.new.(*appsv1.ReplicaSet)
			if _, less := after.fenceposts(); min(*rs.Spec.Replicas, rs.Status.AvailableReplicas) < min(before.available()-(after.available()-min(*rs.Spec.Replicas,
				rs.Status.AvailableReplicas)), *d.Spec.Replicas-less) {
				found = w
			}
		})
		if found == nil {
			return false
		}
		for _, w := range h.writes {
			if rs, ok := w.new.(*appsv1.ReplicaSet); ok && w.event.Object != found.event.Object {
				rs = rs.DeepCopy()
				rs.Status.AvailableReplicas = 0
				w.new = rs
			}
		}
		return true
	}},
	{"one container for an ordinal", "its predecessor still runs", func(h *history) bool {
		n := 0
		for i := range h.rec.Len() {
			if e := h.rec.Event(trace.ID(i + 1)); e.Op == trace.ContainerExit &&
				(strings.HasPrefix(e.Object.Name, "queue-") || strings.HasPrefix(e.Object.Name, "vault-")) {
				e.Op = trace.Log
				n++
			}
		}
		return n > 1
	}},
	{"what is bound fits its node", "nodes that are too small", func(h *history) bool {
		for _, w := range h.writes {
			if n, ok := w.new.(*corev1.Node); ok {
				n = n.DeepCopy()
				n.Status.Allocatable[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
				w.new = n
			}
		}
		return true
	}},
	{"quotas are not exceeded", "nothing is charged", func(h *history) bool {
		n := 0
		var before *corev1.ResourceQuota
		for _, w := range h.writes {
			q, ok := w.new.(*corev1.ResourceQuota)
			if !ok {
				continue
			}
			if before != nil && w.old != nil && w.component == "kubectl" {
				q = q.DeepCopy()
				q.Status.Used = before.Status.Used
				w.old, w.new = before, q
				n++
			}
			if before == nil && len(q.Status.Used) > 0 {
				before = q
			}
		}
		return n > 0
	}},
	{"quotas are not exceeded", "more is charged than there may be", func(h *history) bool {
		for _, w := range h.writes {
			q, ok := w.new.(*corev1.ResourceQuota)
			if _, is := w.old.(*corev1.ResourceQuota); ok && is && w.component == "kubectl" && len(q.Status.Used) > 0 {
				q = q.DeepCopy()
				for name := range q.Status.Used { // order: all alike
					q.Status.Used[name] = *resource.NewQuantity(99, resource.DecimalSI)
				}
				w.new = q
				return true
			}
		}
		return false
	}},
	{"nothing goes with finalizers", "one is taken away that is held", func(h *history) bool {
		for _, w := range h.writes {
			if w.new == nil && w.old != nil && w.verb == "delete" {
				w.old = w.old.DeepCopyObject()
				w.old.SetFinalizers([]string{"example.com/keep"})
				return true
			}
		}
		return false
	}},
	{"the collector takes no owned object", "its owner is there", func(h *history) bool {
		var node types.UID
		for _, w := range h.writes {
			if n, ok := w.new.(*corev1.Node); ok {
				node = n.UID
			}
			if w.component == "generic-garbage-collector" && w.verb == "delete" && w.old != nil && w.old.GetDeletionTimestamp() == nil {
				w.old = w.old.DeepCopyObject()
				w.old.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "node-1", UID: node}})
				return true
			}
		}
		return false
	}},
}

// TestInvariantsFire changes runs in which all holds into what a broken control plane would have left behind, in one way at a time.
// The invariant that is about it has to say so.
func TestInvariantsFire(t *testing.T) {
	for _, i := range invariants {
		if !slices.ContainsFunc(ways, func(w way) bool { return w.invariant == i.name }) {
			t.Errorf("%s: nothing shows that it ever says anything", i.name)
		}
	}
	// What the invariant is about is met in experiments with this ingredient.
	needs := map[string]string{"roll-outs keep to maxSurge": "deployments", "roll-outs keep to maxUnavailable": "deployments",
		"one container for an ordinal": "statefulsets",
		"quotas are not exceeded":      "quotas", "the collector takes no owned object": "ownership"}
	for _, w := range ways {
		t.Run(w.invariant+"/"+w.name, func(t *testing.T) {
			i := invariants[slices.IndexFunc(invariants, func(i invariant) bool { return i.name == w.invariant })]
			for seed := uint64(1); seed <= 400; seed++ {
				if n := needs[i.name]; n != "" && !slices.Contains(Ingredients(seed), n) {
					continue
				}
				h, m := recorded(t, seed), &meter{}
				if i.holds(h, m); len(m.wrong) > 0 {
					t.Fatal(m.wrong)
				}
				if !w.breaks(h) {
					continue
				}
				if i.holds(h, m); len(m.wrong) > 0 {
					t.Logf("seed %d: %s", seed, m.wrong[0])
					return
				}
			}
			t.Error("nobody says anything")
		})
	}
}

// anyOperation tries operations that succeeded, from the beginning, until one can be changed.
func (h *history) anyOperation(change func(op *operation) bool) bool {
	for _, op := range h.operations {
		if op.done != 0 && op.err == nil && !op.request.Table && !op.request.DryRun && op.request.Subresource == "" && change(op) {
			return true
		}
	}
	return false
}

func (h *history) anyUpdate(change func(op *operation) bool) bool {
	return h.anyOperation(func(op *operation) bool {
		return op.request.Verb == client.Update && op.request.Object != nil && len(op.commits) == 1 && op.commits[0].old != nil && op.commits[0].new != nil &&
			change(op)
	})
}

// changeEvent changes an event of an informer in the middle of a run.
func (h *history) changeEvent(op trace.Op, change func(e *trace.Event)) bool {
	for i := range h.rec.Len() {
		e := h.rec.Event(trace.ID(i + 1))
		if e.At > FirstFault && e.Op == op && e.Component == "replicaset-controller" && e.Text("type") != "BOOKMARK" {
			change(e)
			return true
		}
	}
	return false
}

// changeList changes what somebody was told.
func (h *history) changeList(change func(items []api.Object) []api.Object) bool {
	return h.anyOperation(func(op *operation) bool {
		list, ok := op.result.(api.List)
		if !ok || op.request.Verb != client.List || len(list.GetItems()) < 2 {
			return false
		}
		items := change(slices.Clone(list.GetItems()))
		if items == nil {
			return false
		}
		other := &metav1.ObjectList{Items: items}
		other.ResourceVersion = list.GetListMeta().GetResourceVersion()
		op.result = other
		return true
	})
}
