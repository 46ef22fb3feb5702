package runtime

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// maxPermitTimeout bounds how long a plugin may hold a Pod back.
const maxPermitTimeout = 15 * time.Minute

// waitingPod is a Pod that Permit plugins hold back.
// Upstream: pkg/scheduler/framework/runtime/waiting_pods_map.go, waitingPod.
type waitingPod struct {
	pod     *corev1.Pod
	pending map[string]time.Duration // plugin → when its patience ends
	verdict *framework.Status        // a rejection
	waiter  *sim.Proc
}

func (w *waitingPod) wait(p *sim.Proc) *framework.Status {
	w.waiter = p
	for {
		if w.verdict != nil {
			return w.verdict
		}
		if len(w.pending) == 0 {
			return nil
		}
		first, deadline := "", time.Duration(0)
		// order: the earliest, and the first by name of those.
		for name, d := range w.pending {
			if first == "" || d < deadline || d == deadline && name < first {
				first, deadline = name, d
			}
		}
		if p.Now() >= deadline {
			return framework.NewStatus(framework.Unschedulable,
				fmt.Sprintf("rejected due to timeout after waiting at plugin %v", first)).WithPlugin(first)
		}
		p.ParkFor(deadline - p.Now())
	}
}

func (w *waitingPod) wake() {
	if w.waiter != nil {
		w.waiter.Wake()
	}
}

// AllowWaitingPod withdraws one plugin's wish to wait.
func (f *Framework) AllowWaitingPod(uid types.UID, plugin string) {
	if w := f.waiting[uid]; w != nil {
		w.Allow(plugin)
	}
}

// RejectWaitingPod turns a waiting Pod down. It returns false when it does not wait.
func (f *Framework) RejectWaitingPod(uid types.UID) bool {
	w := f.waiting[uid]
	if w == nil {
		return false
	}
	w.verdict = framework.NewStatus(framework.Unschedulable, "removed")
	w.wake()
	return true
}

// GetWaitingPod implements framework.Handle.
func (f *Framework) GetWaitingPod(uid types.UID) framework.WaitingPod {
	if w := f.waiting[uid]; w != nil {
		return w
	}
	return nil
}

// IterateOverWaitingPods implements framework.Handle.
func (f *Framework) IterateOverWaitingPods(callback func(framework.WaitingPod)) {
	for _, uid := range slices.Clone(f.waitingInOrder) {
		if w := f.waiting[uid]; w != nil {
			callback(w)
		}
	}
}

// GetPod implements framework.WaitingPod.
func (w *waitingPod) GetPod() *corev1.Pod { return w.pod }

// Allow implements framework.WaitingPod.
func (w *waitingPod) Allow(pluginName string) {
	delete(w.pending, pluginName)
	w.wake()
}

// Reject implements framework.WaitingPod.
func (w *waitingPod) Reject(pluginName, msg string) { w.Preempt(pluginName, msg) }

// Preempt implements framework.WaitingPod.
func (w *waitingPod) Preempt(pluginName, msg string) bool {
	if w.verdict != nil {
		return false
	}
	w.verdict = framework.NewStatus(framework.Unschedulable, msg).WithPlugin(pluginName)
	w.wake()
	return true
}
