package kubelet

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// taintExternalCloudProvider keeps Pods off until a cloud-controller-manager has completed the Node.
// Upstream: k8s.io/cloud-provider/api/well_known_taints.go.
const taintExternalCloudProvider = "node.cloudprovider.kubernetes.io/uninitialized"

const (
	nodeStatusUpdateFrequency = 10 * time.Second
	nodeStatusReportFrequency = 5 * time.Minute
	nodeStatusUpdateRetry     = 5
)

func (o Options) withDefaults() Options {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi"),
		corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
	}
	for name, q := range o.Capacity {
		capacity[name] = q
	}
	o.Capacity = capacity
	if o.Allocatable == nil {
		o.Allocatable = capacity
	}
	if o.InternalIP == "" {
		n, err := strconv.Atoi(o.Node[strings.LastIndexByte(o.Node, '-')+1:])
		if err != nil || n < 1 || n > 200 {
			n = 0
		}
		o.InternalIP = fmt.Sprintf("10.0.0.%d", 10+n)
	}
	return o
}

func (kl *Kubelet) labels() map[string]string {
	labels := map[string]string{
		"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux",
		"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "kubernetes.io/hostname": kl.options.Node,
	}
	for k, v := range kl.options.Labels {
		labels[k] = v
	}
	return labels
}

func (kl *Kubelet) nodeRef() *corev1.ObjectReference {
	// The UID of a Node in Events is its name. Upstream: kubelet.go nodeRef.
	return &corev1.ObjectReference{Kind: "Node", Name: kl.options.Node, UID: types.UID(kl.options.Node)}
}

// newNodeInformer watches this node's own Node, so that the status loop need
// not ask the API server.
func (kl *Kubelet) newNodeInformer() cache.SharedIndexInformer {
	informer := informers.NewFilteredInformer(kl.client, api.GroupVersionResource{Version: "v1", Resource: "nodes"}, "", 0,
		func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name=" + kl.options.Node })
	kl.nodeLister = listers.NewNodeLister(informer.GetIndexer())
	return informer
}

// runtimeUpLoop asks every five seconds whether the runtime is there.
// Upstream: Kubelet.updateRuntimeUp.
func (kl *Kubelet) runtimeUpLoop(p *sim.Proc) {
	p.Sleep(kl.rand.Between(200*time.Millisecond, 600*time.Millisecond)) // initializeRuntimeDependentModules
	for {
		kl.runtimeError = kl.cri.Status()
		kl.runtimeUp = true
		p.Sleep(runtimeUpPeriod)
	}
}

// nodeStatusLoop registers the node, reports readiness as soon as there is
// any, and then keeps the status up to date.
// Upstream: Kubelet.syncNodeStatus and fastStatusUpdateOnce.
func (kl *Kubelet) nodeStatusLoop(p *sim.Proc) {
	kl.registerWithAPIServer(p)
	for !kl.ready() || !kl.nodeInformer.HasSynced() {
		p.Sleep(100 * time.Millisecond)
	}
	k, start := p.Kernel(), p.Kernel().Cause()
	for {
		k.Because(start, func() { kl.updateNodeStatus(p) })
		p.Sleep(wait.Jitter(kl.rand, nodeStatusUpdateFrequency, 4))
	}
}

func (kl *Kubelet) ready() bool {
	ready, _ := kl.readiness()
	return ready
}

// readiness is what the Ready condition is made of. Upstream:
// pkg/kubelet/nodestatus/setters.go ReadyCondition.
func (kl *Kubelet) readiness() (bool, string) {
	switch {
	case !kl.runtimeUp:
		return false, "container runtime status check may not have completed yet"
	case kl.runtimeError != nil:
		return false, "container runtime is down"
	case kl.networkError() != nil:
		return false, "container runtime network not ready: " + kl.networkError().Error()
	case !kl.pleg.Healthy():
		return false, "PLEG is not healthy: pleg has yet to be successful"
	}
	return true, ""
}

// networkError is what Pods' network lacks. Upstream: runtimeState.networkErrors.
func (kl *Kubelet) networkError() error {
	if kl.options.NetworkReady == nil {
		return nil
	}
	return kl.options.NetworkReady()
}

// registerWithAPIServer creates the Node, or takes over the one that is there.
// Upstream: Kubelet.registerWithAPIServer and tryRegisterWithAPIServer.
func (kl *Kubelet) registerWithAPIServer(p *sim.Proc) {
	step := 100 * time.Millisecond
	for {
		p.Sleep(step)
		step = min(2*step, 7*time.Second)
		node := kl.initialNode()
		p.Logger().V(0).Info("Attempting to register node", "node", node.Name)
		_, err := kl.client.CoreV1().Nodes().Create(p, node, metav1.CreateOptions{})
		if err == nil {
			p.Logger().V(0).Info("Successfully registered node", "node", node.Name)
			kl.lastStatusPatch = p.Now()
			return
		}
		if !apierrors.IsAlreadyExists(err) {
			p.Logger().Error(err, "Unable to register node with API server", "node", node.Name)
			continue
		}
		if err := kl.reconcileExistingNode(p, node); err != nil {
			p.Logger().Error(err, "Unable to register node with API server, error reconciling the node", "node", node.Name)
			continue
		}
		p.Logger().V(0).Info("Node was previously registered", "node", node.Name)
		return
	}
}

// reconcileExistingNode puts the labels right of a Node that was there before.
func (kl *Kubelet) reconcileExistingNode(p *sim.Proc, initial *corev1.Node) error {
	existing, err := kl.client.CoreV1().Nodes().Get(p, initial.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	missing := map[string]string{}
	for k, v := range initial.Labels {
		if existing.Labels[k] != v {
			missing[k] = v
		}
	}
	if len(missing) == 0 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": missing}})
	if err != nil {
		return err
	}
	_, err = kl.client.CoreV1().Nodes().Patch(p, initial.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

func (kl *Kubelet) initialNode() *corev1.Node {
	node := &corev1.Node{}
	node.Name, node.Labels = kl.options.Node, kl.labels()
	node.Annotations = map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
	node.Spec.ProviderID, node.Spec.Taints = kl.options.ProviderID, slices.Clone(kl.options.RegisterWithTaints)
	if kl.options.ExternalCloudProvider {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: taintExternalCloudProvider, Value: "true", Effect: corev1.TaintEffectNoSchedule})
	}
	if kl.options.PodCIDR != "" {
		node.Spec.PodCIDR, node.Spec.PodCIDRs = kl.options.PodCIDR, []string{kl.options.PodCIDR}
	}
	kl.setNodeStatus(node)
	return node
}

// setNodeStatus fills in a Node's status. Upstream: Kubelet.setNodeStatus and
// pkg/kubelet/nodestatus.
func (kl *Kubelet) setNodeStatus(node *corev1.Node) {
	r := sim.NewRand(0)
	for _, b := range []byte(kl.options.Node) {
		r = sim.NewRand(r.Uint64() ^ uint64(b))
	}
	s := &node.Status
	switch hostname := (corev1.NodeAddress{Type: corev1.NodeHostName, Address: kl.options.Node}); {
	case !kl.options.ExternalCloudProvider:
		s.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: kl.options.InternalIP}, hostname}
	case len(s.Addresses) == 0: // the rest is the cloud's to say
		s.Addresses = []corev1.NodeAddress{hostname}
	}
	s.Capacity, s.Allocatable = withExtended(kl.options.Capacity, s.Capacity), withExtended(kl.options.Allocatable, s.Capacity)
	s.DaemonEndpoints.KubeletEndpoint.Port = 10250
	s.NodeInfo = corev1.NodeSystemInfo{
		MachineID: strings.ReplaceAll(r.UUID(), "-", ""), SystemUUID: r.UUID(), BootID: r.UUID(),
		KernelVersion: "6.12.0", OSImage: "Kubewalk", ContainerRuntimeVersion: cri.RuntimeName + "://" + cri.RuntimeVersion,
		KubeletVersion: Version, OperatingSystem: "linux", Architecture: "amd64",
	}
	s.Images = nil
	for _, i := range kl.cri.ListImages() {
		s.Images = append(s.Images, corev1.ContainerImage{Names: []string{i.Ref, i.Name}, SizeBytes: i.SizeBytes})
	}
	// The largest first, and no more than fifty, so that a Node stays small.
	sort.SliceStable(s.Images, func(i, j int) bool { return s.Images[i].SizeBytes > s.Images[j].SizeBytes })
	s.Images = s.Images[:min(len(s.Images), nodeStatusMaxImages)]
	s.VolumesInUse = kl.volumeManager.GetVolumesInUse()
	now := metav1.NewTime(kl.kernel.Time()).Rfc3339Copy()
	set := func(t corev1.NodeConditionType, ok bool, reason, message string, events [2]string) {
		value := corev1.ConditionFalse
		if ok {
			value = corev1.ConditionTrue
		}
		c := corev1.NodeCondition{Type: t, Status: value, Reason: reason, Message: message, LastHeartbeatTime: now, LastTransitionTime: now}
		found := false
		for i := range s.Conditions {
			if old := &s.Conditions[i]; old.Type == t {
				if old.Status == value {
					c.LastTransitionTime = old.LastTransitionTime
				}
				*old, found = c, true
			}
		}
		if !found {
			s.Conditions = append(s.Conditions, c)
		}
		if kl.reported[t] != value {
			event := events[0]
			if !ok {
				event = events[1]
			}
			// A node that was never ready has not become unready.
			if kl.reported[t] != "" || t != corev1.NodeReady || ok {
				kl.recorder.Eventf(kl.nodeRef(), corev1.EventTypeNormal, event, "Node %s status is now: %s", kl.options.Node, event)
			}
			kl.reported[t] = value
		}
	}
	if kl.evictionManager.IsUnder(corev1.NodeMemoryPressure) {
		set(corev1.NodeMemoryPressure, true, "KubeletHasInsufficientMemory", "kubelet has insufficient memory available",
			[2]string{"NodeHasInsufficientMemory", "NodeHasSufficientMemory"})
	} else {
		set(corev1.NodeMemoryPressure, false, "KubeletHasSufficientMemory", "kubelet has sufficient memory available",
			[2]string{"NodeHasInsufficientMemory", "NodeHasSufficientMemory"})
	}
	if kl.evictionManager.IsUnder(corev1.NodeDiskPressure) {
		set(corev1.NodeDiskPressure, true, "KubeletHasDiskPressure", "kubelet has disk pressure", [2]string{"NodeHasDiskPressure", "NodeHasNoDiskPressure"})
	} else {
		set(corev1.NodeDiskPressure, false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure",
			[2]string{"NodeHasDiskPressure", "NodeHasNoDiskPressure"})
	}
	set(corev1.NodePIDPressure, false, "KubeletHasSufficientPID", "kubelet has sufficient PID available",
		[2]string{"NodeHasInsufficientPID", "NodeHasSufficientPID"})
	reason, message := "KubeletReady", "kubelet is posting ready status"
	ok, why := kl.readiness()
	if !ok {
		reason, message = "KubeletNotReady", why
	}
	set(corev1.NodeReady, ok, reason, message, [2]string{"NodeReady", "NodeNotReady"})
}

// nodeStatusMaxImages: see setNodeStatus. Upstream: nodeStatusMaxImages of KubeletConfiguration.
const nodeStatusMaxImages = 50

// updateNodeStatus tries a few times. Upstream: Kubelet.updateNodeStatus.
func (kl *Kubelet) updateNodeStatus(p *sim.Proc) {
	for try := range nodeStatusUpdateRetry {
		if err := kl.tryUpdateNodeStatus(p, try); err != nil {
			p.Logger().Error(err, "Error updating node status, will retry")
			continue
		}
		return
	}
	p.Logger().Error(nil, "Unable to update node status", "error", "update node status exceeds retry count")
}

// tryUpdateNodeStatus patches the Node's status if it changed, or if it was
// not reported for five minutes. The first time it starts from the cache.
func (kl *Kubelet) tryUpdateNodeStatus(p *sim.Proc, try int) error {
	original, err := kl.nodeLister.Get(kl.options.Node)
	if try > 0 || err != nil {
		if original, err = kl.heartbeats.CoreV1().Nodes().Get(p, kl.options.Node, metav1.GetOptions{}); err != nil {
			return fmt.Errorf("error getting node %q: %w", kl.options.Node, err)
		}
	}
	node := original.DeepCopy()
	kl.setNodeStatus(node)
	changed := nodeStatusHasChanged(&original.Status, &node.Status)
	if !changed && p.Now()-kl.lastStatusPatch < nodeStatusReportFrequency+kl.delayAfter {
		kl.volumeManager.MarkVolumesAsReportedInUse(node.Status.VolumesInUse)
		return nil
	}
	patch := strategicpatch.NewStatus(original, &node.Status, "")
	if patch == nil {
		return nil
	}
	if _, err := kl.heartbeats.CoreV1().Nodes().PatchStatus(p, node.Name, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	kl.lastStatusPatch, kl.delayAfter = p.Now(), 0
	kl.volumeManager.MarkVolumesAsReportedInUse(node.Status.VolumesInUse)
	if changed {
		// So that nodes that were started together don't report together for ever.
		kl.delayAfter = kl.rand.Between(-nodeStatusReportFrequency/2, nodeStatusReportFrequency/2)
	}
	return nil
}

// nodeStatusHasChanged leaves the heartbeats' times out.
func nodeStatusHasChanged(old, now *corev1.NodeStatus) bool {
	strip := func(s *corev1.NodeStatus) *corev1.NodeStatus {
		out := s.DeepCopy()
		for i := range out.Conditions {
			out.Conditions[i].LastHeartbeatTime = metav1.Time{}
		}
		return out
	}
	return !api.SemanticDeepEqual(strip(old), strip(now))
}

// withExtended is what the kubelet knows of, and what somebody else wrote: resources that are none of Kubernetes' own, all of which may be allocated.
// Upstream: pkg/kubelet/nodestatus/setters.go, MachineInfo.
func withExtended(own, written corev1.ResourceList) corev1.ResourceList {
	out := copyOf(own)
	for name, q := range written { // order: a map into a map
		if _, is := own[name]; !is && strings.Contains(string(name), "/") && !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix) {
			out[name] = q
		}
	}
	return out
}
