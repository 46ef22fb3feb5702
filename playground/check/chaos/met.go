package chaos

import (
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// Met counts what an experiment really met, by name: each ingredient and fault that came about, what happened of what
// invariants are about, and of each invariant how often it had something to check.
type Met map[string]int

// faultKinds are the inputs that spoil something.
var faultKinds = []cluster.Kind{cluster.KillNode, cluster.DropWatch, cluster.Stop, cluster.Partition, cluster.Slow, cluster.Fail, cluster.CrashContainer,
	cluster.RegistryDown, cluster.SlowKubelet}

// happenings are what faults are for, as events of a trace tell it.
var happenings = map[string]func(e *trace.Event) bool{
	"an answer 409": func(e *trace.Event) bool { return e.Op == trace.RequestDone && e.Text("code") == "409" },
	"an answer 5xx": func(e *trace.Event) bool {
		return e.Op == trace.RequestDone && len(e.Text("code")) == 3 && e.Text("code")[0] == '5'
	},
	"a request without answer":    func(e *trace.Event) bool { return e.Op == trace.RequestDone && e.Text("code") == "0" },
	"a compaction":                func(e *trace.Event) bool { return e.Op == trace.StoreCompact },
	"a watch from a lost past":    func(e *trace.Event) bool { return e.Op == trace.WatchReceive && e.Text("type") == "ERROR" },
	"a list after the first":      func(e *trace.Event) bool { return e.Op == trace.CacheReplace && e.At > FirstFault },
	"a watch that was cut":        func(e *trace.Event) bool { return e.Op == trace.WatchClose },
	"an item back in its queue":   func(e *trace.Event) bool { return e.Op == trace.QueueDone && e.Text("again") == "true" },
	"an object with finalizers":   func(e *trace.Event) bool { return finalizing(e) },
	"a disk that was attached":    func(e *trace.Event) bool { return e.Op == trace.Log && e.Text("message") == "Disk is attached" },
	"a disk that was deleted":     func(e *trace.Event) bool { return e.Op == trace.Log && e.Text("message") == "Disk is deleted" },
	"a snapshot that was taken":   func(e *trace.Event) bool { return e.Op == trace.Log && e.Text("message") == "Snapshot is made" },
	"a snapshot that was deleted": func(e *trace.Event) bool { return e.Op == trace.Log && e.Text("message") == "Snapshot is deleted" },
	"a snapshot that was asked for again": func(e *trace.Event) bool {
		return e.Op == trace.Log && e.Text("message") == "Snapshot exists already"
	},
	"a disk made of a snapshot": func(e *trace.Event) bool {
		return e.Op == trace.Log && e.Text("message") == "Disk is made" && e.Text("snapshot") != ""
	},
	"an instance that was terminated": func(e *trace.Event) bool {
		return e.Op == trace.Log && e.Text("message") == "Instance is shutting down"
	},
	"a route that was made":    func(e *trace.Event) bool { return e.Op == trace.Log && e.Text("message") == "Route is made" },
	"a route that was deleted": func(e *trace.Event) bool { return e.Op == trace.Log && e.Text("message") == "Route is deleted" },
	"a copy that was propagated": func(e *trace.Event) bool {
		return e.Op == trace.Log && e.Component == tree && (e.Text("message") == "created a resource" || e.Text("message") == "applied a resource")
	},
	"a group that waited": func(e *trace.Event) bool { return e.Op == trace.Log && e.Text("message") == "Permit allows" },
	"metrics that became ready": func(e *trace.Event) bool {
		return e.Op == trace.Log && e.Text("message") == "Metric storage is ready"
	},
	"a machine that has joined": func(e *trace.Event) bool {
		return e.Op == trace.Log && e.Text("message") == "This node has joined the cluster:"
	},
	"a mirror of a static Pod": func(e *trace.Event) bool {
		return e.Op == trace.Log && e.Text("message") == "Creating a mirror pod for static pod"
	},
	"a claim that got devices": func(e *trace.Event) bool {
		return claimed(e, func(was, now *resourcev1.ResourceClaim) bool {
			return len(devicesOf(was)) == 0 && len(devicesOf(now)) > 0
		})
	},
	"a claim that gave its devices back": func(e *trace.Event) bool {
		return claimed(e, func(was, now *resourcev1.ResourceClaim) bool {
			return len(devicesOf(was)) > 0 && len(devicesOf(now)) == 0
		})
	},
	"a claim of two Pods": func(e *trace.Event) bool {
		return claimed(e, func(_, now *resourcev1.ResourceClaim) bool {
			return now != nil && len(now.Status.ReservedFor) > 1
		})
	},
	"a claim in use that is to go": func(e *trace.Event) bool {
		return claimed(e, func(_, now *resourcev1.ResourceClaim) bool {
			return now != nil && now.DeletionTimestamp != nil && len(now.Status.ReservedFor) > 0
		})
	},
	"a Pod that waits for devices": func(e *trace.Event) bool {
		return e.Op == trace.StoreCommit && e.Object.Resource == "pods" && wantsDevices(commitOf(e).new)
	},
	"a Pod that was pushed away": func(e *trace.Event) bool {
		return e.Op == trace.Log && e.Text("message") == "Preemptor Pod preempted victim Pod"
	},
}

// claimed tells whether a commit is to a ResourceClaim, and such a one.
func claimed(e *trace.Event, such func(was, now *resourcev1.ResourceClaim) bool) bool {
	if e.Op != trace.StoreCommit || e.Object.Resource != "resourceclaims.resource.k8s.io" {
		return false
	}
	c := commitOf(e)
	was, _ := c.old.(*resourcev1.ResourceClaim)
	now, _ := c.new.(*resourcev1.ResourceClaim)
	return such(was, now)
}

// wantsDevices tells whether an object is a Pod of which the scheduler says that no node has devices for it.
func wantsDevices(obj api.Object) bool {
	pod, ok := obj.(*corev1.Pod)
	return ok && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && strings.Contains(c.Message, "cannot allocate all claims")
	})
}

func finalizing(e *trace.Event) bool {
	if e.Op != trace.StoreCommit {
		return false
	}
	c := commitOf(e)
	return c.new != nil && c.new.GetDeletionTimestamp() != nil && len(c.new.GetFinalizers()) > 0
}

// Known lists everything that experiments are to meet, in order.
func Known() []string {
	var out []string
	for _, i := range ingredients {
		out = append(out, "ingredient "+i.name)
	}
	for _, k := range faultKinds {
		out = append(out, "fault "+string(k))
	}
	for name := range happenings { // order: sorted below
		out = append(out, "happened: "+name)
	}
	for _, i := range invariants {
		out = append(out, "invariant: "+i.name)
	}
	slices.Sort(out)
	return out
}

// happened counts faults and what came of them.
func (m Met) happened(rec *trace.Recorder) {
	kinds := map[string]bool{}
	for _, k := range faultKinds {
		kinds[string(k)] = true
	}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		switch e.Op {
		case trace.Input:
			if kind := e.Text("kind"); kinds[kind] {
				m["fault "+kind]++
			}
		case trace.RequestDone, trace.StoreCompact, trace.CacheReplace, trace.WatchReceive, trace.WatchClose, trace.QueueDone, trace.StoreCommit, trace.Log:
			for name, is := range happenings { // order: counts
				if is(e) {
					m["happened: "+name]++
				}
			}
		}
	}
}
