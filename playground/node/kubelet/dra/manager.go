// Package dra is the part of the kubelet that has the devices of a Pod's ResourceClaims prepared before its sandbox is made, and taken back
// when its containers have ended. A Pod for which a claim is not reserved is not started.
//
// Simplified: the drivers are here. Every driver is registered on every node, prepares what it is asked for after a moment, and is known by the
// log alone: containers see nothing of their devices. What is prepared a kubelet forgets when it is stopped. Absent: the loop that takes
// back what Pods have left that nobody knows any more, health of devices.
//
// It is in the larger build alone. Upstream: pkg/kubelet/cm/dra.
package dra

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resourceclaim"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// Manager knows which claims are prepared on a node. Upstream: manager.go, Manager.
type Manager struct {
	client *client.Clientset
	rand   *sim.Rand
	claims map[string]*claimInfo // by namespace and name
}

// claimInfo is a claim and who uses it here. Upstream: claiminfo.go, ClaimInfo.
type claimInfo struct {
	uid      types.UID
	drivers  []string
	pods     []types.UID
	prepared bool
}

// New makes the manager of a kubelet.
func New(c *sim.Component, cs *client.Clientset) *Manager {
	return &Manager{client: cs, rand: c.Kernel().Rand(c.Name() + "/devices"), claims: map[string]*claimInfo{}}
}

// A driver takes this long, at least and at most.
const (
	fastest = 20 * time.Millisecond
	slowest = 60 * time.Millisecond
)

// PrepareResources has all devices of a Pod's claims prepared. Upstream: the same name.
func (m *Manager) PrepareResources(p *sim.Proc, pod *corev1.Pod) error {
	if err := m.prepare(p, pod); err != nil {
		return fmt.Errorf("prepare dynamic resources: %w", err)
	}
	return nil
}

func (m *Manager) prepare(p *sim.Proc, pod *corev1.Pod) error {
	// First it is seen whether all is well: a Pod that fails here leaves nothing to take back.
	var claims []*resourcev1.ResourceClaim
	for _, c := range claimsOf(pod) {
		name, mustCheckOwner, err := resourceclaim.Name(pod, &c)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		claim, err := m.client.ResourceV1().ResourceClaims(pod.Namespace).Get(p, name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("fetch ResourceClaim %s: %w", name, err)
		}
		if mustCheckOwner {
			if err := resourceclaim.IsForPod(pod, claim); err != nil {
				return err
			}
		}
		if !resourceclaim.IsReservedForPod(pod, claim) {
			return fmt.Errorf("pod %s (%s) is not allowed to use ResourceClaim %s (%s)", pod.Name, pod.UID, name, claim.UID)
		}
		if info := m.claims[key(claim.Namespace, claim.Name)]; info != nil && info.uid != claim.UID {
			return fmt.Errorf("old ResourceClaim with same name %s and different UID %s still exists (previous pod force-deleted?!)", claim.Name, info.uid)
		}
		claims = append(claims, claim)
	}
	for _, claim := range claims {
		at := key(claim.Namespace, claim.Name)
		info := m.claims[at]
		if info == nil {
			info = &claimInfo{uid: claim.UID, drivers: drivers(claim)}
			m.claims[at] = info
		}
		if !slices.Contains(info.pods, pod.UID) {
			info.pods = append(info.pods, pod.UID)
		}
		if info.prepared {
			continue
		}
		m.call(p, "NodePrepareResources", at, info)
		info.prepared = true
	}
	return nil
}

// claimsOf are a Pod's claims, and last the one that the scheduler made for its extended resources.
func claimsOf(pod *corev1.Pod) []corev1.PodResourceClaim {
	if s := pod.Status.ExtendedResourceClaimStatus; s != nil {
		return append(slices.Clone(pod.Spec.ResourceClaims), corev1.PodResourceClaim{ResourceClaimName: &s.ResourceClaimName})
	}
	return pod.Spec.ResourceClaims
}

// UnprepareResources has those devices taken back that no other Pod uses. Upstream: the same name.
func (m *Manager) UnprepareResources(p *sim.Proc, pod *corev1.Pod) error {
	for _, c := range claimsOf(pod) {
		name, _, err := resourceclaim.Name(pod, &c)
		if err != nil {
			return fmt.Errorf("unprepare dynamic resources: %w", err)
		}
		at := key(pod.Namespace, name)
		info := m.claims[at]
		if info == nil || !slices.Contains(info.pods, pod.UID) {
			continue
		}
		if len(info.pods) > 1 {
			info.pods = slices.DeleteFunc(info.pods, func(uid types.UID) bool { return uid == pod.UID })
			continue
		}
		m.call(p, "NodeUnprepareResources", at, info)
		delete(m.claims, at)
	}
	return nil
}

// call is a call of each driver that has devices of a claim.
func (m *Manager) call(p *sim.Proc, method, claim string, info *claimInfo) {
	for _, driver := range info.drivers {
		p.Sleep(m.rand.Between(fastest, slowest))
		p.Logger().V(4).Info(method+" succeeded", "driverName", driver, "claim", claim)
	}
}

// drivers are those of a claim's devices.
func drivers(claim *resourcev1.ResourceClaim) (out []string) {
	if claim.Status.Allocation == nil {
		return nil
	}
	for _, r := range claim.Status.Allocation.Devices.Results {
		if !slices.Contains(out, r.Driver) {
			out = append(out, r.Driver)
		}
	}
	return out
}

func key(namespace, name string) string { return namespace + "/" + name }
