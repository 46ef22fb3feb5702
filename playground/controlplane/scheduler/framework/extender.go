package framework

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
)

// ExtenderName stands for extenders among the plugins that turned a Pod down. No plugin has it, so any event wakes such a Pod.
// Upstream: pkg/scheduler/framework/types.go, ExtenderName.
const ExtenderName = "Extender"

// MaxExtenderPriority is the most that an extender may give a node. Upstream: kube-scheduler/extender/v1, types.go.
const MaxExtenderPriority int64 = 10

// HostPriority is what an extender gives a node. Upstream: kube-scheduler/extender/v1, types.go.
type HostPriority struct {
	Host  string
	Score int64
}

// Extender is a program outside of the scheduler that is asked after the plugins.
// Upstream: kube-scheduler/framework/extender.go, Extender. Absent: what is for preemption.
type Extender interface {
	// Name is where it is.
	Name() string
	// Filter returns the nodes that remain, and why others don't: those where preemption might help, and those where it would not.
	Filter(p *sim.Proc, pod *corev1.Pod, nodes []*NodeInfo) (filtered []*NodeInfo, failed, failedAndUnresolvable map[string]string, err error)
	// Prioritize returns scores from 0 to MaxExtenderPriority, and how much they count.
	Prioritize(p *sim.Proc, pod *corev1.Pod, nodes []*NodeInfo) ([]HostPriority, int64, error)
	// Bind binds a Pod in the scheduler's place.
	Bind(p *sim.Proc, pod *corev1.Pod, node string) error
	IsBinder() bool
	IsPrioritizer() bool
	IsFilter() bool
	// IsInterested tells whether the Pod is any business of its.
	IsInterested(pod *corev1.Pod) bool
	// IsIgnorable tells whether scheduling goes on without it.
	IsIgnorable() bool
}
