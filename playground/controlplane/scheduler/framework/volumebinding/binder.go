// Package volumebinding finds volumes for the claims of a Pod, together with its
// node, and has them bound.
//
// In a scheduling cycle it looks for volumes on each node (FindPodVolumes) and
// assumes those of the node that was chosen (AssumePodVolumes), so that the next
// Pod does not choose them too. In the binding cycle it writes the claim's name
// into the volume, or the node's name into the claim for which a volume is to be
// made, and waits until the volume controller has bound them (BindPodVolumes).
//
// Upstream: pkg/scheduler/framework/plugins/volumebinding, volumeBinder.
package volumebinding

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/nodeaffinity"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/assumecache"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// Reasons of nodes that a Pod's volumes exclude.
const (
	ErrReasonBindConflict = "node(s) didn't find available persistent volumes to bind"
	ErrReasonNodeConflict = "node(s) didn't match PersistentVolume's node affinity"
	ErrReasonPVNotExist   = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
)

// BindingInfo is a volume chosen for a claim.
type BindingInfo struct {
	Claim  *corev1.PersistentVolumeClaim
	Volume *corev1.PersistentVolume
}

// PodVolumes is what is to be done for a Pod's volumes on one node.
type PodVolumes struct {
	StaticBindings []*BindingInfo
	// DynamicProvisions are claims for which a volume has to be made.
	DynamicProvisions []*corev1.PersistentVolumeClaim
}

// PodVolumeClaims are a Pod's claims by how far they are.
type PodVolumeClaims struct {
	Bound []*corev1.PersistentVolumeClaim
	// UnboundDelayBinding wait for the scheduler.
	UnboundDelayBinding []*corev1.PersistentVolumeClaim
	// UnboundImmediate wait for the volume controller.
	UnboundImmediate []*corev1.PersistentVolumeClaim
	// volumes are those of the classes of UnboundDelayBinding.
	volumes map[string][]*corev1.PersistentVolume
}

// Binder chooses and binds. Upstream: binder.go, volumeBinder.
type Binder struct {
	handle  framework.Handle
	claims  *assumecache.Cache[*corev1.PersistentVolumeClaim]
	volumes *assumecache.Cache[*corev1.PersistentVolume]
	classes listers.StorageClassLister
	nodes   listers.NodeLister
	pods    listers.PodLister
	timeout time.Duration
}

func newCache[T api.Object](informer cache.SharedIndexInformer, resource string) *assumecache.Cache[T] {
	return assumecache.New[T](informer.GetIndexer(), resource, func(_, name string) error {
		return apierrors.NewNotFound(api.GroupResource{Resource: resource}, name)
	})
}

// NewBinder waits for bindings until timeout is over.
func NewBinder(h framework.Handle, timeout time.Duration) *Binder {
	core := h.SharedInformerFactory().Core().V1()
	return &Binder{
		handle:  h,
		claims:  newCache[*corev1.PersistentVolumeClaim](core.PersistentVolumeClaims().Informer(), "persistentvolumeclaims"),
		volumes: newCache[*corev1.PersistentVolume](core.PersistentVolumes().Informer(), "persistentvolumes"),
		classes: h.SharedInformerFactory().Storage().V1().StorageClasses().Lister(),
		nodes:   core.Nodes().Lister(),
		pods:    core.Pods().Lister(),
		timeout: timeout,
	}
}

// Claim is what the watch said of a claim.
func (b *Binder) Claim(namespace, name string) (*corev1.PersistentVolumeClaim, error) {
	return b.claims.GetAPIObj(namespace+"/"+name, name)
}

func key(claim *corev1.PersistentVolumeClaim) string { return claim.Namespace + "/" + claim.Name }

func isFullyBound(claim *corev1.PersistentVolumeClaim) bool {
	_, completed := claim.Annotations[volume.AnnBindCompleted]
	return claim.Spec.VolumeName != "" && completed
}

// GetPodVolumeClaims parts a Pod's claims.
func (b *Binder) GetPodVolumeClaims(pod *corev1.Pod) (*PodVolumeClaims, error) {
	out := &PodVolumeClaims{volumes: map[string][]*corev1.PersistentVolume{}}
	for i := range pod.Spec.Volumes {
		name, _ := volume.ClaimName(pod, &pod.Spec.Volumes[i])
		if name == "" {
			continue
		}
		claim, err := b.claims.Get(pod.Namespace+"/"+name, name)
		if err != nil {
			return nil, fmt.Errorf("error getting PVC %q: %v", pod.Namespace+"/"+name, err)
		}
		if isFullyBound(claim) {
			out.Bound = append(out.Bound, claim)
			continue
		}
		delay, err := b.isDelayBinding(claim)
		if err != nil {
			return nil, err
		}
		// A claim that names its volume is the controller's business.
		if !delay || claim.Spec.VolumeName != "" {
			out.UnboundImmediate = append(out.UnboundImmediate, claim)
			continue
		}
		out.UnboundDelayBinding = append(out.UnboundDelayBinding, claim)
		class := volume.GetPersistentVolumeClaimClass(claim)
		if _, ok := out.volumes[class]; !ok {
			out.volumes[class] = nil
			for _, v := range b.volumes.List() {
				if volume.GetPersistentVolumeClass(v) == class {
					out.volumes[class] = append(out.volumes[class], v)
				}
			}
		}
	}
	return out, nil
}

func (b *Binder) isDelayBinding(claim *corev1.PersistentVolumeClaim) (bool, error) {
	name := volume.GetPersistentVolumeClaimClass(claim)
	if name == "" {
		return false, nil
	}
	class, err := b.class(name)
	if err != nil {
		return false, err
	}
	return volume.IsDelayBindingMode(class)
}

// class is nil when there is none by that name.
func (b *Binder) class(name string) (*storagev1.StorageClass, error) {
	class, err := b.classes.Get(name)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return class, err
}

// FindPodVolumes finds volumes for a Pod's claims on a node, or says why there are none.
func (b *Binder) FindPodVolumes(p *sim.Proc, pod *corev1.Pod, claims *PodVolumeClaims, node *corev1.Node) (*PodVolumes, []string, error) {
	out := &PodVolumes{}
	var reasons []string
	for _, claim := range claims.Bound {
		v, err := b.volumes.Get(claim.Spec.VolumeName, claim.Spec.VolumeName)
		if apierrors.IsNotFound(err) {
			reasons = append(reasons, ErrReasonPVNotExist)
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if err := volume.CheckNodeAffinity(v, node); err != nil {
			p.Logger().V(5).Info("PersistentVolume and node mismatch for pod", "PV", v.Name, "node", node.Name, "pod", framework.Key(pod), "err", err)
			reasons = append(reasons, ErrReasonNodeConflict)
			break
		}
	}
	ok, err := b.findUnbound(p, pod, claims, node, out)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		// Upstream's order of reasons: node affinity, then binding, then what is missing.
		i := 0
		if len(reasons) > 0 && reasons[0] == ErrReasonNodeConflict {
			i = 1
		}
		reasons = slices.Insert(reasons, i, ErrReasonBindConflict)
	}
	return out, reasons, nil
}

func (b *Binder) findUnbound(p *sim.Proc, pod *corev1.Pod, claims *PodVolumeClaims, node *corev1.Node, out *PodVolumes) (bool, error) {
	var match, provision []*corev1.PersistentVolumeClaim
	for _, claim := range claims.UnboundDelayBinding {
		selected, has := claim.Annotations[volume.AnnSelectedNode]
		switch {
		case has && selected != node.Name:
			return false, nil // a volume is being made for another node
		case has:
			provision = append(provision, claim)
		default:
			match = append(match, claim)
		}
	}
	// The smallest first, so that each gets the smallest volume that is large enough.
	slices.SortStableFunc(match, func(x, y *corev1.PersistentVolumeClaim) int {
		a, b := x.Spec.Resources.Requests[corev1.ResourceStorage], y.Spec.Resources.Requests[corev1.ResourceStorage]
		return a.Cmp(b)
	})
	chosen := map[string]*corev1.PersistentVolume{}
	for _, claim := range match {
		v, err := volume.FindMatchingVolume(claim, claims.volumes[volume.GetPersistentVolumeClaimClass(claim)], node, chosen, true)
		if err != nil {
			return false, err
		}
		if v == nil {
			provision = append(provision, claim)
			continue
		}
		chosen[v.Name] = v
		out.StaticBindings = append(out.StaticBindings, &BindingInfo{claim, v})
		p.Logger().V(5).Info("Found matching PV for PVC for pod", "PV", v.Name, "PVC", key(claim), "node", node.Name, "pod", framework.Key(pod))
	}
	return b.checkVolumeProvisions(p, provision, node, out)
}

// checkVolumeProvisions tells whether volumes can be made for the claims on the node.
func (b *Binder) checkVolumeProvisions(p *sim.Proc, claims []*corev1.PersistentVolumeClaim, node *corev1.Node, out *PodVolumes) (bool, error) {
	for _, claim := range claims {
		name := volume.GetPersistentVolumeClaimClass(claim)
		if name == "" {
			return false, fmt.Errorf("no class for claim %q", key(claim))
		}
		class, err := b.classes.Get(name)
		if err != nil {
			return false, fmt.Errorf("failed to find storage class %q", name)
		}
		if class.Provisioner == "" || class.Provisioner == volume.NotSupportedProvisioner {
			p.Logger().V(5).Info("Storage class of claim does not support dynamic provisioning", "storageClassName", name, "PVC", key(claim))
			return false, nil
		}
		if !nodeaffinity.MatchTopologyTerms(class.AllowedTopologies, node) {
			p.Logger().V(5).Info("Node cannot satisfy provisioning topology requirements of claim", "node", node.Name, "PVC", key(claim))
			return false, nil
		}
		out.DynamicProvisions = append(out.DynamicProvisions, claim)
	}
	return true, nil
}

// AssumePodVolumes acts as if the volumes were bound, in memory. It is true when
// they are, and nothing is left to do.
func (b *Binder) AssumePodVolumes(p *sim.Proc, assumed *corev1.Pod, nodeName string, volumes *PodVolumes) (allFullyBound bool, err error) {
	p.Logger().V(4).Info("AssumePodVolumes", "pod", framework.Key(assumed), "node", nodeName)
	if len(volumes.StaticBindings)+len(volumes.DynamicProvisions) == 0 {
		p.Logger().V(4).Info("AssumePodVolumes: all PVCs bound and nothing to do", "pod", framework.Key(assumed), "node", nodeName)
		return true, nil
	}
	done := &PodVolumes{}
	for _, binding := range volumes.StaticBindings {
		v, dirty := volume.GetBindVolumeToClaim(binding.Volume, binding.Claim)
		if dirty {
			if err := b.volumes.Assume(v.Name, v); err != nil {
				b.RevertAssumedPodVolumes(done)
				return false, err
			}
		}
		done.StaticBindings = append(done.StaticBindings, &BindingInfo{binding.Claim, v})
	}
	for _, claim := range volumes.DynamicProvisions {
		claim = claim.DeepCopy()
		volume.SetAnnotation(&claim.Annotations, volume.AnnSelectedNode, nodeName)
		if err := b.claims.Assume(key(claim), claim); err != nil {
			b.RevertAssumedPodVolumes(done)
			return false, err
		}
		done.DynamicProvisions = append(done.DynamicProvisions, claim)
	}
	*volumes = *done
	return false, nil
}

// RevertAssumedPodVolumes takes that back.
func (b *Binder) RevertAssumedPodVolumes(volumes *PodVolumes) {
	for _, binding := range volumes.StaticBindings {
		b.volumes.Restore(binding.Volume.Name)
	}
	for _, claim := range volumes.DynamicProvisions {
		b.claims.Restore(key(claim))
	}
}

// BindPodVolumes writes the bindings and waits until the volume controller has
// completed them, looking once a second.
func (b *Binder) BindPodVolumes(p *sim.Proc, assumed *corev1.Pod, volumes *PodVolumes) error {
	p.Logger().V(4).Info("BindPodVolumes", "pod", framework.Key(assumed), "node", assumed.Spec.NodeName)
	if err := b.bindAPIUpdate(p, assumed, volumes); err != nil {
		return err
	}
	deadline := p.Now() + b.timeout
	for {
		p.Sleep(time.Second)
		if in := b.handle.GetPodInPreBind(assumed.UID); in != nil && in.Canceled() != nil {
			return fmt.Errorf("binding volumes: %w", in.Canceled())
		}
		bound, err := b.checkBindings(p, assumed, volumes)
		switch {
		case err != nil:
			return fmt.Errorf("binding volumes: %w", err)
		case bound:
			return nil
		case p.Now() >= deadline:
			return fmt.Errorf("binding volumes: %w", errDeadline)
		}
	}
}

var errDeadline = errors.New("context deadline exceeded")

// bindAPIUpdate sends the requests. What was not written is no longer assumed.
func (b *Binder) bindAPIUpdate(p *sim.Proc, pod *corev1.Pod, volumes *PodVolumes) error {
	core := b.handle.ClientSet().CoreV1()
	for i, binding := range volumes.StaticBindings {
		v, err := core.PersistentVolumes().Update(p, binding.Volume, metav1.UpdateOptions{})
		if err != nil {
			p.Logger().V(4).Info("Updating PersistentVolume: binding to claim failed", "pod", framework.Key(pod), "PV", binding.Volume.Name, "PVC",
				key(binding.Claim), "err", err)
			b.RevertAssumedPodVolumes(&PodVolumes{volumes.StaticBindings[i:], volumes.DynamicProvisions})
			return err
		}
		p.Logger().V(2).Info("Updated PersistentVolume with claim. Waiting for binding to complete", "pod", framework.Key(pod), "PV", v.Name, "PVC",
			key(binding.Claim))
		volumes.StaticBindings[i] = &BindingInfo{binding.Claim, v}
	}
	for i, claim := range volumes.DynamicProvisions {
		p.Logger().V(5).Info("Updating claims objects to trigger volume provisioning", "pod", framework.Key(pod), "PVC", key(claim))
		updated, err := core.PersistentVolumeClaims(claim.Namespace).Update(p, claim, metav1.UpdateOptions{})
		if err != nil {
			p.Logger().V(4).Info("Updating PersistentVolumeClaim: binding to volume failed", "PVC", key(claim), "err", err)
			b.RevertAssumedPodVolumes(&PodVolumes{nil, volumes.DynamicProvisions[i:]})
			return err
		}
		volumes.DynamicProvisions[i] = updated
	}
	return nil
}

// checkBindings tells whether all is bound. It is an error when that will not
// happen, and the Pod has to be scheduled again.
func (b *Binder) checkBindings(p *sim.Proc, pod *corev1.Pod, volumes *PodVolumes) (bool, error) {
	node, err := b.nodes.Get(pod.Spec.NodeName)
	if err != nil {
		return false, fmt.Errorf("failed to get node %q: %w", pod.Spec.NodeName, err)
	}
	if _, err := b.pods.Pods(pod.Namespace).Get(pod.Name); apierrors.IsNotFound(err) {
		return false, fmt.Errorf("pod does not exist any more: %w", err)
	}
	for _, binding := range volumes.StaticBindings {
		v, err := b.volumes.GetAPIObj(binding.Volume.Name, binding.Volume.Name)
		if err != nil {
			return false, fmt.Errorf("failed to check binding: %w", err)
		}
		claim, err := b.claims.GetAPIObj(key(binding.Claim), binding.Claim.Name)
		if err != nil {
			return false, fmt.Errorf("failed to check binding: %w", err)
		}
		if assumecache.Version(binding.Volume) > assumecache.Version(v) {
			return false, nil // the watch is behind
		}
		if err := volume.CheckNodeAffinity(v, node); err != nil {
			return false, fmt.Errorf("pv %q node affinity doesn't match node %q: %w", v.Name, node.Name, err)
		}
		if v.Spec.ClaimRef == nil || v.Spec.ClaimRef.UID == "" {
			return false, fmt.Errorf("ClaimRef got reset for pv %q", v.Name)
		}
		if !isFullyBound(claim) {
			return false, nil
		}
	}
	for _, provisioned := range volumes.DynamicProvisions {
		bound, err := b.checkProvisioned(provisioned, pod, node)
		if err != nil || !bound {
			return false, err
		}
	}
	p.Logger().V(2).Info("All PVCs for pod are bound", "pod", framework.Key(pod))
	return true, nil
}

func (b *Binder) checkProvisioned(provisioned *corev1.PersistentVolumeClaim, pod *corev1.Pod, node *corev1.Node) (bool, error) {
	claim, err := b.claims.GetAPIObj(key(provisioned), provisioned.Name)
	if err != nil {
		return false, fmt.Errorf("failed to check provisioning pvc: %w", err)
	}
	if assumecache.Version(provisioned) > assumecache.Version(claim) {
		return false, nil
	}
	if claim.Annotations == nil {
		return false, fmt.Errorf("selectedNode annotation reset for PVC %q", claim.Name)
	}
	if claim.Annotations[volume.AnnSelectedNode] != pod.Spec.NodeName {
		// Who makes volumes says so that it cannot on that node.
		return false, fmt.Errorf("provisioning failed for PVC %q", claim.Name)
	}
	if name := claim.Spec.VolumeName; name != "" {
		v, err := b.volumes.GetAPIObj(name, name)
		if apierrors.IsNotFound(err) {
			return false, nil // it is on its way
		}
		if err != nil {
			return false, fmt.Errorf("failed to get pv %q from cache: %w", name, err)
		}
		if err := volume.CheckNodeAffinity(v, node); err != nil {
			return false, fmt.Errorf("pv %q node affinity doesn't match node %q: %w", v.Name, node.Name, err)
		}
	}
	return isFullyBound(claim), nil
}
