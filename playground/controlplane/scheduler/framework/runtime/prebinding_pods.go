package runtime

import (
	"errors"

	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// podInPreBind is a Pod whose PreBind plugins are at work. Until they are done
// it can still be turned back without a request.
// Upstream: framework/runtime/pods_in_prebind_map.go, podInPreBind.
type podInPreBind struct {
	bound    bool
	canceled error
}

// CancelPod implements framework.PodInPreBind.
func (b *podInPreBind) CancelPod(reason string) bool {
	if b.bound {
		return false
	}
	if b.canceled == nil {
		b.canceled = errors.New(reason)
	}
	return true
}

// Canceled implements framework.PodInPreBind.
func (b *podInPreBind) Canceled() error { return b.canceled }

// AddPodInPreBind notes that the Pod's PreBind plugins are about to work.
func (f *Framework) AddPodInPreBind(uid types.UID) { f.preBinding[uid] = &podInPreBind{} }

// RemovePodInPreBind ends that.
func (f *Framework) RemovePodInPreBind(uid types.UID) { delete(f.preBinding, uid) }

// MarkPrebound ends the time in which the Pod can be turned back. The error is
// that it was.
func (f *Framework) MarkPrebound(uid types.UID) error {
	b := f.preBinding[uid]
	if b == nil {
		return nil
	}
	if b.canceled != nil {
		return b.canceled
	}
	b.bound = true
	return nil
}

// GetPodInPreBind implements framework.Handle.
func (f *Framework) GetPodInPreBind(uid types.UID) framework.PodInPreBind {
	if b := f.preBinding[uid]; b != nil {
		return b
	}
	return nil
}
