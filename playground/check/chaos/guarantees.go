package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// invariant is what has to hold at every moment of every experiment.
type invariant struct {
	name  string
	holds func(h *history, m *meter)
}

// meter is where an invariant says what does not hold, and counts what it had to check.
type meter struct {
	wrong []string
	met   int
}

func (m *meter) say(format string, args ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

var invariants = []invariant{
	{"answers are linearizable", linearizable},
	{"lists are snapshots", snapshots},
	{"caches apply each event once", applied},
	{"roll-outs keep to maxSurge", surge},
	{"roll-outs keep to maxUnavailable", unavailable},
	{"one container for an ordinal", ordinals},
	{"what is bound fits its node", fits},
	{"quotas are not exceeded", quotasHold},
	{"nothing goes with finalizers", finalizers},
	{"the collector takes no owned object", owned},
}

// desiredReplicas says on a ReplicaSet how many its Deployment wanted when it was sized.
const desiredReplicas = "deployment.kubernetes.io/desired-replicas"

// rollout is what a worker of the Deployment controller saw when it took a Deployment up, and what it has written since.
type rollout struct {
	deployment *appsv1.Deployment
	sets       map[string]*appsv1.ReplicaSet // by key
}

func (r *rollout) total() (n int32) {
	for _, rs := range r.sets { // order: a sum
		n += *rs.Spec.Replicas
	}
	return n
}

// available is how many available Pods are left if each ReplicaSet deletes those first that are not: what upstream's do.
func (r *rollout) available() (n int32) {
	for _, rs := range r.sets { // order: a sum
		n += min(*rs.Spec.Replicas, rs.Status.AvailableReplicas)
	}
	return n
}

// scaled tells whether the Deployment's size was changed since its ReplicaSets were sized: then they are sized in proportion, whoever is available.
func (r *rollout) scaled() bool {
	for _, rs := range r.sets { // order: any
		if *rs.Spec.Replicas > 0 && rs.Annotations[desiredReplicas] != fmt.Sprint(*r.deployment.Spec.Replicas) {
			return true
		}
	}
	return false
}

func (r *rollout) fenceposts() (surge, unavailable int32) {
	u := r.deployment.Spec.Strategy.RollingUpdate
	want := int(*r.deployment.Spec.Replicas)
	if r.deployment.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType || u == nil {
		return 0, 0
	}
	zero := intstr.FromInt32(0)
	s, _ := intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(u.MaxSurge, zero), want, true)
	n, _ := intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(u.MaxUnavailable, zero), want, false)
	if s == 0 && n == 0 {
		n = 1
	}
	return int32(s), min(int32(n), int32(want))
}

// rollouts calls decided for each write by which a Deployment controller changed the size of a ReplicaSet, with what it saw before and after.
//
// A bound on Pods would not be true of the real thing: Pods die by themselves, and a controller knows the cluster as its caches show it. What it
// promises is that it decides within the bounds by what it sees; so what it saw, its informers' caches at the time when it took up the key, is what
// decisions are held to.
func rollouts(h *history, decided func(w *write, before, after *rollout)) {
	objects := map[string]any{} // ReplicaSets and Deployments by resource and version
	caches := map[string]map[string]string{}
	views := map[string]*rollout{} // by component and process
	next := 0
	for i := range h.rec.Len() {
		e := h.rec.Event(trace.ID(i + 1))
		for _, d := range e.Deltas {
			if d.Cell.Kind != trace.CellCache || !strings.HasSuffix(d.Cell.Owner, "/replicasets") && !strings.HasSuffix(d.Cell.Owner, "/deployments") {
				continue
			}
			if caches[d.Cell.Owner] == nil {
				caches[d.Cell.Owner] = map[string]string{}
			}
			if d.New == nil {
				delete(caches[d.Cell.Owner], d.Cell.Key)
			} else {
				caches[d.Cell.Owner][d.Cell.Key], _ = d.New.(string)
			}
		}
		switch {
		case e.Op == trace.QueueGet && e.Text("queue") == "deployment":
			views[e.Component+" "+e.Process] = nil
			d, ok := objects["deployments "+caches[e.Component+"/deployments"][e.Text("key")]].(*appsv1.Deployment)
			if !ok {
				continue
			}
			r := &rollout{deployment: d, sets: map[string]*appsv1.ReplicaSet{}}
			for key, version := range caches[e.Component+"/replicasets"] { // order: into a map
				rs, ok := objects["replicasets "+version].(*appsv1.ReplicaSet)
				if ref := metav1.GetControllerOfNoCopy(rs); ok && ref != nil && ref.UID == d.UID {
					r.sets[key] = rs
				}
			}
			views[e.Component+" "+e.Process] = r
		case e.Op == trace.StoreCommit:
			w := h.writes[next]
			next++
			if w.new == nil || w.resource != "replicasets" && w.resource != "deployments" {
				continue
			}
			objects[w.resource+" "+w.new.GetResourceVersion()] = w.new
			rs, ok := w.new.(*appsv1.ReplicaSet)
			before := views[w.component+" "+w.process]
			if !ok || before == nil {
				continue
			}
			ref := metav1.GetControllerOfNoCopy(rs)
			if ref == nil || ref.UID != before.deployment.UID {
				continue
			}
			after := &rollout{deployment: before.deployment, sets: map[string]*appsv1.ReplicaSet{}}
			for key, set := range before.sets { // order: a copy
				after.sets[key] = set
			}
			after.sets[e.Object.Key()] = rs
			views[w.component+" "+w.process] = after
			decided(w, before, after)
		}
	}
}

// surge: no ReplicaSet is made larger, or made, so that all of them ask for more Pods than the Deployment wants and maxSurge allows.
func surge(h *history, m *meter) {
	rollouts(h, func(w *write, before, after *rollout) {
		if after.total() <= before.total() {
			return
		}
		m.met++
		more, _ := after.fenceposts()
		if limit := *after.deployment.Spec.Replicas + more; after.total() > limit {
			m.say("event %d: %s has %s ask for more, and now for %d Pods of deployment %s, which wants %d and at most %d more",
				w.event.ID, w.component, w.event.Object, after.total(), after.deployment.Name, *after.deployment.Spec.Replicas, more)
		}
	})
}

// unavailable: no ReplicaSet is made smaller in a rolling update, so that fewer Pods are available than the Deployment wants without maxUnavailable; if
// that many are not there anyway, only those go that are not available.
func unavailable(h *history, m *meter) {
	rollouts(h, func(w *write, before, after *rollout) {
		d := after.deployment
		if after.total() >= before.total() || d.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType || d.Spec.Paused || before.scaled() {
			return
		}
		m.met++
		_, less := after.fenceposts()
		if least := min(before.available(), *d.Spec.Replicas-less); after.available() < least {
			m.say("event %d: %s leaves %d available Pods of deployment %s, which wants %d and at most %d less (%d were available)",
				w.event.ID, w.component, after.available(), d.Name, *d.Spec.Replicas, less, before.available())
		}
	})
}

// ordinals: no two containers run for one ordinal of a StatefulSet at the same time, whatever happens to nodes, unless somebody other than its kubelet
// has taken a Pod away: by that they say that it does not run any more.
func ordinals(h *history, m *meter) {
	stateful := map[string]bool{} // Pods, by uid
	forced := map[string]bool{}
	uids := map[string]string{} // of sandboxes, by runtime and number; of containers the same
	type running struct{ runtime, uid string }
	runs := map[string]map[running]bool{} // by Pod's and container's name
	next := 0
	for i := range h.rec.Len() {
		e := h.rec.Event(trace.ID(i + 1))
		switch e.Op {
		case trace.StoreCommit:
			w := h.writes[next]
			next++
			if pod, ok := w.new.(*corev1.Pod); ok {
				ref := metav1.GetControllerOfNoCopy(pod)
				stateful[string(pod.UID)] = stateful[string(pod.UID)] || ref != nil && ref.Kind == "StatefulSet"
			} else if pod, ok := w.old.(*corev1.Pod); ok && w.new == nil && !strings.HasPrefix(w.component, "kubelet/") {
				forced[string(pod.UID)] = true
			}
		case trace.SandboxStart:
			if e.Text("uid") != "" {
				uids[e.Component+" "+e.Text("sandbox")] = e.Text("uid")
			}
		case trace.ContainerMade:
			uids[e.Component+"/"+e.Text("id")] = uids[e.Component+" "+e.Text("sandbox")]
		case trace.ContainerStart:
			uid, name := uids[e.Component+"/"+e.Text("id")], e.Object.Key()+"/"+e.Text("container")
			if !stateful[uid] {
				continue
			}
			m.met++
			for o := range runs[name] { // order: each by itself
				if o.uid != uid && !forced[o.uid] && !forced[uid] || o.runtime != e.Component && o.uid == uid {
					m.say("event %d: %s starts on %s, and another one runs on %s", e.ID, name, e.Component, o.runtime)
				}
			}
			if runs[name] == nil {
				runs[name] = map[running]bool{}
			}
			runs[name][running{e.Component, uid}] = true
		case trace.ContainerExit:
			delete(runs[e.Object.Key()+"/"+e.Text("container")], running{e.Component, uids[e.Component+"/"+e.Text("id")]})
		case trace.ComponentStop:
			if strings.HasPrefix(e.Component, "containerd/") {
				for _, of := range runs { // order: deleting has none
					for o := range of { // order: deleting has none
						if o.runtime == e.Component {
							delete(of, o)
						}
					}
				}
			}
		}
	}
}

// fits: when a Pod is bound, all that is bound to its node and has not ended fits what the node has. With two schedulers that do not know of each other
// that is not so, there or here: then the kubelet refuses what is too much. A scheduler that has just started, or leads anew, knows bindings of its
// predecessor by a list that may be a moment old; so a binding of the last second before it was there is not counted. Judged is all that the node has: what
// it has none of may be an extender's or a driver's business.
func fits(h *history, m *meter) {
	pods, nodes := map[string]*corev1.Pod{}, map[string]*corev1.Node{}
	binder := map[string]string{} // who bound it, by uid
	binders := map[string]bool{}
	for _, w := range h.writes {
		switch now := w.new.(type) {
		case *corev1.Node:
			nodes[now.Name] = now
		case *corev1.Pod:
			key := w.event.Object.Key()
			before := pods[key]
			pods[key] = now
			if before == nil || before.UID != now.UID || before.Spec.NodeName != "" || now.Spec.NodeName == "" {
				continue
			}
			binder[string(now.UID)] = w.component
			binders[w.component] = true
			n := nodes[now.Spec.NodeName]
			if n == nil || len(binders) > 1 {
				continue
			}
			m.met++
			sum := counter{}
			for _, o := range pods { // order: a sum
				if o.Spec.NodeName == n.Name && !ended(o) && binder[string(o.UID)] == w.component {
					for name, q := range demand(o) { // order: sums
						sum.add(name, *q)
					}
				}
			}
			for _, name := range slices.Sorted(maps.Keys(n.Status.Allocatable)) {
				if has, asked := n.Status.Allocatable[name], sum.of(name); asked.Cmp(has) > 0 {
					m.say("event %d: with %s, Pods on %s ask for %s of %s; it has %s", w.event.ID, w.event.Object, n.Name, asked.String(), name, has.String())
				}
			}
		default:
			if w.new == nil && w.resource == "pods" {
				delete(pods, w.event.Object.Key())
			}
		}
	}
}

// finalizers: an object goes when no finalizer holds it. Whoever deletes it only marks it; it is gone with the write that takes its last one away.
// Only the garbage collector's two are replaced by a later deletion with another policy.
func finalizers(h *history, m *meter) {
	for _, w := range h.writes {
		if w.new != nil || w.old == nil || len(w.old.GetFinalizers()) == 0 {
			continue
		}
		m.met++
		if w.verb == "update" || w.verb == "patch" { // and that write's answer has none
			if op := w.operation; op == nil || op.err != nil || op.done == 0 {
				continue
			}
			if left, ok := w.operation.result.(interface{ GetFinalizers() []string }); ok && len(left.GetFinalizers()) == 0 {
				continue
			}
		}
		if w.verb == "delete" && collectors(w.old.GetFinalizers()) && w.operation != nil && w.operation.request.Delete.PropagationPolicy != nil {
			continue // whoever deletes says anew what becomes of dependents: upstream's deletionFinalizersForGarbageCollection
		}
		if w.verb == "delete" && w.operation != nil && finalizedSince(h, w) {
			continue // upstream's Store.Delete looks first, and removes without a condition
		}
		m.say("event %d: %s of %s takes %s away, which has the finalizers %v", w.event.ID, w.verb, w.component, w.event.Object, w.old.GetFinalizers())
	}
}

// finalizedSince tells whether an object that a request deletes has got its first finalizer while the request was under way.
func finalizedSince(h *history, w *write) bool {
	for _, v := range h.versions[keyOf(w.event.Object.Resource, w.old)] {
		if v.new != nil && len(v.new.GetFinalizers()) > 0 && (v.old == nil || len(v.old.GetFinalizers()) == 0) && v.new.GetUID() == w.old.GetUID() &&
			v.event.ID > w.operation.sent {
			return true
		}
	}
	return false
}

// collectors tells whether all finalizers are those of the garbage collector.
func collectors(finalizers []string) bool {
	for _, f := range finalizers {
		if f != metav1.FinalizerDeleteDependents && f != metav1.FinalizerOrphanDependents {
			return false
		}
	}
	return true
}

// owned: what the garbage collector deletes has no owner left but those that wait for their dependents to go, or did so: a dependent that does not block
// its owner's deletion may be deleted while the owner stops waiting.
func owned(h *history, m *meter) {
	type owner struct{ waits bool }
	there := map[string]owner{} // by uid
	for _, w := range h.writes {
		if w.old != nil && w.component == "generic-garbage-collector" && w.verb == "delete" && w.operation != nil && w.operation.about(w) &&
			(w.new == nil || w.old.GetDeletionTimestamp() == nil) {
			m.met++
			for _, ref := range w.old.GetOwnerReferences() {
				if o, alive := there[string(ref.UID)]; alive && !o.waits {
					m.say("event %d: the garbage collector deletes %s, whose owner %s %s is there", w.event.ID, w.event.Object, ref.Kind, ref.Name)
				}
			}
		}
		switch {
		case w.new != nil:
			waits := there[string(w.new.GetUID())].waits
			for _, f := range w.new.GetFinalizers() {
				waits = waits || f == metav1.FinalizerDeleteDependents && w.new.GetDeletionTimestamp() != nil
			}
			there[string(w.new.GetUID())] = owner{waits}
		case w.old != nil:
			delete(there, string(w.old.GetUID()))
		}
	}
}
