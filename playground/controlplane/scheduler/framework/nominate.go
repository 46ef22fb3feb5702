package framework

import "kubewalk/playground/api/corev1"

// NominatingMode says what to do with a Pod's status.nominatedNodeName.
type NominatingMode int

// The modes. Upstream: kube-scheduler/framework/interface.go, NominatingMode.
const (
	ModeNoop NominatingMode = iota
	ModeOverride
)

// NominatingInfo is the node that a Pod may hope for: others are to leave it room
// there. nil changes nothing.
type NominatingInfo struct {
	NominatedNodeName string // "" takes the nomination back
	NominatingMode    NominatingMode
}

// Mode is ModeNoop for nil.
func (n *NominatingInfo) Mode() NominatingMode {
	if n == nil {
		return ModeNoop
	}
	return n.NominatingMode
}

// PostFilterResult is what a PostFilter plugin achieved.
type PostFilterResult struct{ *NominatingInfo }

// NewPostFilterResultWithNominatedNode nominates a node; "" takes the Pod's nomination back.
func NewPostFilterResultWithNominatedNode(name string) *PostFilterResult {
	return &PostFilterResult{&NominatingInfo{NominatedNodeName: name, NominatingMode: ModeOverride}}
}

// PodNominator knows which Pods have been promised a place on which node.
// Upstream: kube-scheduler/framework/interface.go, PodNominator.
type PodNominator interface {
	// AddNominatedPod notes a nomination; nil info is what the Pod's status says.
	AddNominatedPod(pi *PodInfo, info *NominatingInfo)
	DeleteNominatedPodIfExists(pod *corev1.Pod)
	UpdateNominatedPod(oldPod *corev1.Pod, newPodInfo *PodInfo)
	// NominatedPodsForNode lists them in the order in which they were nominated.
	NominatedPodsForNode(node string) []*PodInfo
}
