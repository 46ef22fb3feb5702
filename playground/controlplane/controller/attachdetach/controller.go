package attachdetach

import (
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/sim"
)

// place is a volume on a node.
type place struct {
	volume corev1.UniqueVolumeName
	node   string
}

// attachment is what is known of a volume on a node: the actual state of the world.
type attachment struct {
	pv                *corev1.PersistentVolume
	attached          bool // it certainly is; otherwise somebody has tried, and nobody knows
	mountedByNode     bool
	reported          bool          // in the node's status
	detachRequestedAt time.Duration // 0 for not
}

// operation is an attempt to attach or detach; there is one for a volume at a time.
type operation struct {
	running     bool
	wait, retry time.Duration
}

// wish is a volume that Pods on a node use: the desired state of the world.
type wish struct {
	pv   *corev1.PersistentVolume
	pods []*corev1.Pod
}

// Controller attaches and detaches. Upstream: attachDetachController.
type Controller struct {
	component *sim.Component
	client    *client.Clientset
	recorder  record.EventRecorder
	broadcast *record.EventBroadcaster

	pods        listers.PodLister
	claims      listers.PersistentVolumeClaimLister
	volumes     listers.PersistentVolumeLister
	nodes       listers.NodeLister
	drivers     listers.CSIDriverLister
	attachments listers.VolumeAttachmentLister
	synced      []cache.InformerSynced

	actual     map[place]*attachment
	operations map[corev1.UniqueVolumeName]*operation
	told       map[place]bool  // whose Pods were told of a volume that another node has
	unwritten  map[string]bool // nodes whose status may not say what is attached to them. Upstream: nodeToUpdateStatusFor.statusUpdateNeeded
	loop       *sim.Proc
	changed    bool
	parked     bool
}

// NewController makes a controller of a component and registers its handlers.
func NewController(c *sim.Component, kubeClient *client.Clientset, f informers.SharedInformerFactory) *Controller {
	core, storage := f.Core().V1(), f.Storage().V1()
	broadcaster := record.NewBroadcaster(c)
	adc := &Controller{component: c, client: kubeClient, broadcast: broadcaster, recorder: broadcaster.NewRecorder(corev1.EventSource{Component: Name}),
		pods: core.Pods().Lister(), claims: core.PersistentVolumeClaims().Lister(), volumes: core.PersistentVolumes().Lister(), nodes: core.Nodes().Lister(),
		drivers: storage.CSIDrivers().Lister(), attachments: storage.VolumeAttachments().Lister(),
		actual: map[place]*attachment{}, operations: map[corev1.UniqueVolumeName]*operation{}, told: map[place]bool{},
		unwritten: map[string]bool{}}
	wake := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { adc.wake() }, UpdateFunc: func(_, _ any) { adc.wake() }, DeleteFunc: func(any) { adc.wake() }}
	for _, i := range []cache.SharedIndexInformer{core.Pods().Informer(), core.PersistentVolumeClaims().Informer(), core.PersistentVolumes().Informer(),
		storage.CSIDrivers().Informer(), storage.VolumeAttachments().Informer()} {
		i.AddEventHandler(wake)
		adc.synced = append(adc.synced, i.HasSynced)
	}
	nodes := core.Nodes().Informer()
	adc.synced = append(adc.synced, nodes.HasSynced)
	node := func(obj any) {
		if n, ok := obj.(*corev1.Node); ok {
			adc.processVolumesInUse(n)
			adc.wake()
		}
	}
	nodes.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: node, UpdateFunc: func(_, obj any) { node(obj) }, DeleteFunc: func(any) { adc.wake() }})
	return adc
}

func (adc *Controller) wake() {
	adc.changed = true
	if adc.parked {
		adc.parked = false
		adc.loop.Wake()
	}
}

// processVolumesInUse notes what a node's kubelet says it has mounted. Upstream: same name.
func (adc *Controller) processVolumesInUse(node *corev1.Node) {
	for at, a := range adc.actual { // order: each is its own
		if at.node == node.Name {
			a.mountedByNode = slices.Contains(node.Status.VolumesInUse, at.volume)
		}
	}
}

// Run looks at the world whenever it has changed.
func (adc *Controller) Run(p *sim.Proc) {
	adc.broadcast.StartRecordingToSink(adc.client)
	p.Logger().Info("Starting attach detach controller")
	if !cache.WaitForCacheSync(p, adc.synced...) {
		return
	}
	adc.populate()
	adc.loop = p
	for {
		adc.changed = false
		next := adc.reconcile(p)
		if adc.changed {
			continue
		}
		adc.parked = true
		p.ParkFor(max(time.Millisecond, min(next-p.Now(), syncPeriod)))
		adc.parked = false
	}
}

// populate learns from the API what a controller before this one has done.
// Upstream: populateActualStateOfWorld, processVolumeAttachments.
func (adc *Controller) populate() {
	all, _ := adc.attachments.List(labels.Everything()) // a cache does not fail
	for _, va := range all {
		if pv := adc.sourceOf(va); pv != nil {
			node, _ := adc.nodes.Find(va.Spec.NodeName)
			name := uniqueName(pv)
			a := &attachment{pv: pv, attached: va.Status.Attached, reported: va.Status.Attached, mountedByNode: true}
			if node != nil {
				a.mountedByNode = slices.Contains(node.Status.VolumesInUse, name)
			}
			adc.actual[place{name, va.Spec.NodeName}] = a
			adc.unwritten[va.Spec.NodeName] = true // who was before may have had no time for it
		}
	}
}

func (adc *Controller) sourceOf(va *storagev1.VolumeAttachment) *corev1.PersistentVolume {
	if va.Spec.Source.PersistentVolumeName == nil {
		return nil
	}
	if pv, ok := adc.volumes.Find(*va.Spec.Source.PersistentVolumeName); ok && pv.Spec.CSI != nil {
		return pv
	}
	return nil
}

// uniqueName is what a volume is called in a node's status.
// Upstream: pkg/volume/util, GetUniqueVolumeName, and csiPlugin.GetVolumeName.
func uniqueName(pv *corev1.PersistentVolume) corev1.UniqueVolumeName {
	return corev1.UniqueVolumeName("kubernetes.io/csi/" + pv.Spec.CSI.Driver + "^" + pv.Spec.CSI.VolumeHandle)
}

// desired is what Pods want, in order. Upstream: cache/desired_state_of_world.go, and util.ProcessPodVolumes.
func (adc *Controller) desired() (places []place, wishes map[place]*wish) {
	wishes = map[place]*wish{}
	pods, _ := adc.pods.List(labels.Everything())
	for _, pod := range pods {
		if pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		if _, ok := adc.nodes.Find(pod.Spec.NodeName); !ok {
			continue
		}
		for i := range pod.Spec.Volumes {
			name, _ := volume.ClaimName(pod, &pod.Spec.Volumes[i])
			if name == "" {
				continue
			}
			claim, ok := adc.claims.PersistentVolumeClaims(pod.Namespace).Find(name)
			if !ok || claim.Spec.VolumeName == "" || claim.Status.Phase != corev1.ClaimBound {
				continue
			}
			pv, ok := adc.volumes.Find(claim.Spec.VolumeName)
			if !ok || pv.Spec.CSI == nil || pv.Spec.ClaimRef == nil || pv.Spec.ClaimRef.UID != claim.UID || adc.skipAttach(pv.Spec.CSI.Driver) {
				continue
			}
			at := place{uniqueName(pv), pod.Spec.NodeName}
			if wishes[at] == nil {
				wishes[at] = &wish{pv: pv}
				places = append(places, at)
			}
			wishes[at].pods = append(wishes[at].pods, pod)
		}
	}
	return places, wishes
}

// skipAttach tells whether a driver's volumes need not be attached. Upstream: csiPlugin.skipAttach.
func (adc *Controller) skipAttach(driver string) bool {
	d, ok := adc.drivers.Find(driver)
	return ok && d.Spec.AttachRequired != nil && !*d.Spec.AttachRequired
}

// isMultiAttachAllowed tells whether several nodes may have a volume. Upstream: attachdetach/util, IsMultiAttachAllowed.
func isMultiAttachAllowed(pv *corev1.PersistentVolume) bool {
	return slices.Contains(pv.Spec.AccessModes, corev1.ReadWriteMany) || slices.Contains(pv.Spec.AccessModes, corev1.ReadOnlyMany)
}

// places are those of the actual state, in order.
func (adc *Controller) places() (out []place) {
	for at := range adc.actual { // order: sorted below
		out = append(out, at)
	}
	sorting.Func(out, func(a, b place) int {
		if a.node != b.node {
			return strings.Compare(a.node, b.node)
		}
		return strings.Compare(string(a.volume), string(b.volume))
	})
	return out
}
