package kubelet

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/eviction"
	"kubewalk/playground/node/kubelet/kuberuntime"
	"kubewalk/playground/node/kubelet/mailbox"
	"kubewalk/playground/node/kubelet/manager"
	"kubewalk/playground/node/kubelet/pleg"
	"kubewalk/playground/node/kubelet/prober"
	"kubewalk/playground/node/kubelet/status"
	"kubewalk/playground/node/kubelet/volumemanager"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Version is what the node reports as its kubelet's.
const Version = api.Version

// Periods of the loops. Upstream: kubelet.go and the defaults of KubeletConfiguration.
const (
	syncTickerPeriod   = time.Second
	housekeepingPeriod = 2 * time.Second
	gcPeriod           = time.Minute // ContainerGCPeriod
	runtimeUpPeriod    = 5 * time.Second
	syncFrequency      = time.Minute
	backOffPeriod      = 10 * time.Second
)

// defaultClientLimit is how fast a kubelet sends requests. Upstream: KubeletConfiguration kubeAPIQPS and kubeAPIBurst.
var defaultClientLimit = client.Limit{QPS: 50, Burst: 100}

// Options of a kubelet.
type Options struct {
	Node string
	// Capacity and Allocatable are the node's resources: cpu, memory, pods,
	// ephemeral-storage. Allocatable defaults to Capacity, and what Capacity lacks
	// to 4 CPUs, 8Gi, 110 Pods and 100Gi.
	Capacity, Allocatable corev1.ResourceList
	Labels                map[string]string // besides hostname, os and arch
	InternalIP            string            // the node's address; "" is 10.0.0.N of node-N, or 10.0.0.10
	PodCIDR               string            // for spec.podCIDR; "" leaves that to others
	// ClientLimit is how fast it may send requests, but for heartbeats, and how fast Events, each for itself; zero is 50, and 100
	// in a burst. Upstream: KubeletConfiguration kubeAPIQPS and kubeAPIBurst.
	ClientLimit client.Limit
	// ExternalCloudProvider has a cloud-controller-manager complete the Node. Upstream: --cloud-provider=external.
	ExternalCloudProvider bool
	// ProviderID is what a cloud knows the machine by. Upstream: --provider-id.
	ProviderID string
	// CSI makes the kubelet's plugin for drivers; nil is a kubelet without one, to which volumes of drivers are there at once.
	CSI func(c *sim.Component, cs *client.Clientset, runtime *cri.Runtime, host CSIHost) volumemanager.CSI
	// Devices makes what prepares devices; nil is a kubelet whose Pods have none. Upstream: pkg/kubelet/cm/dra.
	Devices func(c *sim.Component, cs *client.Clientset) DynamicResources
	// Tokens makes what asks for the tokens of service accounts; nil is a kubelet that makes some up. Upstream: pkg/kubelet/token.
	Tokens func(transport client.Transport, rand *sim.Rand) volumemanager.Tokens
	// RegisterWithTaints are on the Node from the beginning. Upstream: KubeletConfiguration registerWithTaints.
	RegisterWithTaints []corev1.Taint
	// StaticPodPath is a directory of the node whose manifests are Pods. Upstream: KubeletConfiguration staticPodPath.
	StaticPodPath string
	// DecodePod reads a manifest as the API server would, with the defaults of a Pod.
	DecodePod func(manifest string) (*corev1.Pod, error)
	// Bootstrap gets the kubelet its credentials before it does anything else; nil if it has some. Upstream: cmd/kubelet/app/server.go,
	// buildKubeletClientConfig.
	Bootstrap func(p *sim.Proc)
	// NetworkReady says what Pods' network lacks; nil for a network that is always there. Upstream: the runtime's condition NetworkReady.
	NetworkReady func() error
}

// CSIHost is what such a plugin knows of its kubelet.
type CSIHost struct {
	Name, IP string
	Node     func() (*corev1.Node, bool) // as the kubelet's cache has it
}

// DynamicResources prepares the devices of Pods' ResourceClaims: package dra, in builds that have it.
type DynamicResources interface {
	PrepareResources(p *sim.Proc, pod *corev1.Pod) error
	UnprepareResources(p *sim.Proc, pod *corev1.Pod) error
}

// statics is what a kubelet does about static Pods: static.go, in builds that have it.
type statics interface {
	// watch delivers what changes in the directory.
	watch(p *sim.Proc)
	// mirror takes in a change of the API's that is about a mirror Pod; false for any other Pod.
	mirror(p *sim.Proc, u *podUpdate) bool
	// reconcile has a static Pod's mirror be in the API.
	reconcile(p *sim.Proc, pod *corev1.Pod)
	// register is reconcile for all, as soon as there is a Node.
	register(p *sim.Proc)
	// cleanUp deletes mirrors whose Pods are gone.
	cleanUp(p *sim.Proc)
}

var newStatics func(kl *Kubelet) statics

// Kubelet is a running kubelet. All of its memory dies with its component.
type Kubelet struct {
	options   Options
	kernel    *sim.Kernel
	component *sim.Component
	client    *client.Clientset
	// heartbeats is the client for the Lease and the Node's status.
	heartbeats *client.Clientset
	recorder   container.EventRecorder
	rand       *sim.Rand

	cri              *cri.Runtime
	containerRuntime *kuberuntime.Manager
	podCache         *container.Cache
	pleg             *pleg.Generic
	podManager       *podManager
	podWorkers       *podWorkers
	statusManager    *status.Manager
	probeManager     *prober.Manager
	reasonCache      *reasonCache
	allocations      *allocations
	configMaps       *manager.Manager
	secrets          *manager.Manager
	volumeManager    *volumemanager.Manager
	evictionManager  *eviction.Manager
	crashLoopBackOff *container.Backoff
	workQueue        *workQueue
	updates          *mailbox.Box[loopEvent]
	deletions        *mailbox.Box[types.UID] // Pods whose dead containers are to be removed

	podInformer  cache.SharedIndexInformer
	nodeInformer cache.SharedIndexInformer
	nodeLister   listers.NodeLister

	serviceInformer cache.SharedIndexInformer
	serviceLister   listers.ServiceLister

	started         time.Time
	runtimeUp       bool // updateRuntimeUp has seen the runtime
	runtimeError    error
	lastStatusPatch time.Duration // of the node
	delayAfter      time.Duration
	slow            time.Duration      // a fault: see SetSlow
	verdicts        map[string]verdict // on who may ask: see mayRead
	orphansAt       [2]int64           // the changes, of the runtime and the API, after which orphans were looked for
	reported        map[corev1.NodeConditionType]corev1.ConditionStatus
	statics         statics // nil for none
	devices         DynamicResources
}

// Start brings a kubelet up on a node whose runtime runs. transport is its way
// to the API server. Stop it with Component().Stop; containers go on. Start
// another one with the same runtime, and it takes them over.
func Start(k *sim.Kernel, transport client.Transport, runtime *cri.Runtime, o Options) *Kubelet {
	name := "kubelet/" + o.Node
	c := k.Start(name)
	limit := o.ClientLimit.Or(defaultClientLimit)
	throttled := client.Throttled(transport, k, limit)
	kl := &Kubelet{
		options: o.withDefaults(), kernel: k, component: c, client: client.New(throttled),
		heartbeats: client.New(client.WithTimeout(transport, heartbeatTimeout)), rand: k.Rand(name), cri: runtime,
		podCache: container.NewCache(k), podManager: newPodManager(), reasonCache: newReasonCache(), allocations: newAllocations(),
		crashLoopBackOff: container.NewCrashLoopBackOff(c), workQueue: newWorkQueue(k), started: k.Time(),
		updates: mailbox.New[loopEvent](k), deletions: mailbox.New[types.UID](k),
		reported: map[corev1.NodeConditionType]corev1.ConditionStatus{},
	}
	c.Run(func() {
		broadcaster := record.NewBroadcaster(c)
		broadcaster.StartRecordingToSink(client.New(client.Throttled(transport, k, limit)))
		kl.recorder = recorder{broadcaster.NewRecorder(corev1.EventSource{Component: "kubelet", Host: o.Node})}
		kl.statusManager = status.New(k, kl.client, kl.podManager, kl)
		kl.configMaps = manager.New(c, throttled, "configmaps", manager.ConfigMapNames)
		kl.secrets = manager.New(c, throttled, "secrets", manager.SecretNames)
		kl.volumeManager = volumemanager.New(kl.client, kl.recorder, runtime, k.Rand(name+"/volumes"), kl, kl.configMaps, kl.secrets)
		if o.Tokens != nil {
			kl.volumeManager.UseTokens(o.Tokens(throttled, k.Rand(name+"/tokens")))
		}
		if o.CSI != nil {
			kl.volumeManager.UseCSI(c, o.CSI(c, kl.client, runtime, CSIHost{Name: o.Node, IP: kl.options.InternalIP, Node: func() (*corev1.Node, bool) {
				return kl.nodeLister.Find(o.Node)
			}}))
		}
		kl.PrepareDevices(o.Devices)
		kl.evictionManager = eviction.New(kl, kl.recorder)
		kl.containerRuntime = kuberuntime.New(c, runtime, kl.recorder, kl)
		kl.podWorkers = newPodWorkers(c, kl, kl.podCache, kl.workQueue, kl.recorder, kl.rand)
		kl.probeManager = prober.New(c, runtime, kl.statusManager, kl.recorder, func(u prober.Update) {
			kl.updates.Put(loopEvent{probe: &u})
		})
		kl.pleg = pleg.New(k, kl.containerRuntime, kl.podCache, func(e pleg.Event) { kl.updates.Put(loopEvent{pleg: &e}) })
		if o.StaticPodPath != "" && newStatics != nil {
			kl.statics = newStatics(kl)
		}
		c.Go("main", kl.run)
	})
	return kl
}

// PrepareDevices has the kubelet prepare devices from now on, unless it does already; nil does not.
func (kl *Kubelet) PrepareDevices(with func(*sim.Component, *client.Clientset) DynamicResources) {
	if with != nil && kl.devices == nil {
		kl.devices = with(kl.component, kl.client)
	}
}

// Component is the kubelet's program.
func (kl *Kubelet) Component() *sim.Component { return kl.component }

// Runtime is the runtime that the kubelet speaks to.
func (kl *Kubelet) Runtime() *cri.Runtime { return kl.cri }

// recorder adapts the client's recorder, which takes objects.
type recorder struct{ record.EventRecorder }

func (r recorder) Eventf(regarding *corev1.ObjectReference, eventtype, reason, format string, args ...any) {
	r.EventRecorder.Eventf(record.Ref(regarding), eventtype, reason, format, args...)
}

// run is the kubelet's main process. Upstream: Kubelet.Run.
func (kl *Kubelet) run(p *sim.Proc) {
	if kl.options.Bootstrap != nil {
		kl.options.Bootstrap(p)
	}
	kl.nodeInformer, kl.podInformer = kl.newNodeInformer(), kl.newPodInformer()
	kl.serviceInformer = informers.NewFilteredInformer(kl.client, api.GroupVersionResource{Version: "v1", Resource: "services"}, metav1.NamespaceAll, 0, nil)
	kl.serviceLister = listers.NewServiceLister(kl.serviceInformer.GetIndexer())
	kl.component.Go("informer/nodes", kl.nodeInformer.Run)
	kl.component.Go("informer/pods", kl.podInformer.Run)
	kl.component.Go("informer/services", kl.serviceInformer.Run)
	kl.component.Go("status-manager", kl.statusManager.Run)
	kl.component.Go("runtime-up", kl.runtimeUpLoop)
	kl.component.Go("node-status", kl.nodeStatusLoop)
	kl.component.Go("node-lease", kl.nodeLeaseLoop)
	kl.component.Go("pleg", kl.pleg.Run)
	kl.component.Go("container-deletor", kl.containerDeletor)
	kl.component.Go("gc", kl.garbageCollection)
	kl.component.Go("eviction", kl.evictionManager.Run)
	if kl.statics != nil {
		kl.component.Go("config/file", kl.statics.watch)
		kl.component.Go("static-pods-registration", kl.statics.register)
	}
	kl.recorder.Eventf(kl.nodeRef(), corev1.EventTypeNormal, "Starting", "Starting kubelet.") // BirthCry
	kl.syncLoop(p)
}

// loopEvent is one thing that the loop has to look at: one field is set.
type loopEvent struct {
	config *podUpdate
	pleg   *pleg.Event
	probe  *prober.Update
}

// syncLoop is where everything comes together that may make a Pod be worked
// on: changes in the API, events of the runtime, probes, and time.
// Upstream: Kubelet.syncLoop.
func (kl *Kubelet) syncLoop(p *sim.Proc) {
	p.Logger().V(2).Info("Starting kubelet main sync loop")
	start := kl.kernel.Cause()
	syncAt, housekeepingAt := p.Now()+syncTickerPeriod, p.Now()+housekeepingPeriod
	for {
		e, ok := kl.updates.GetUntil(p, min(syncAt, housekeepingAt))
		if ok {
			kl.syncLoopIteration(p, e)
			continue
		}
		if p.Now() >= syncAt {
			syncAt += syncTickerPeriod
			kl.syncOverdue(p, start)
			for _, due := range kl.workQueue.getWork(p.Now()) {
				if pod, ok := kl.podManager.GetPodByUID(due.uid); ok {
					kl.kernel.Because(due.cause, func() { kl.HandlePodSyncs(p, pod) })
				}
			}
		}
		if p.Now() >= housekeepingAt {
			housekeepingAt += housekeepingPeriod
			if kl.podInformer.HasSynced() {
				kl.kernel.Because(start, func() { kl.HandlePodCleanups(p) })
			}
		}
	}
}

// syncOverdue has Pods looked at whose deadline has passed.
// Upstream: Kubelet.getPodsToSync, and activeDeadlineHandler.ShouldSync.
func (kl *Kubelet) syncOverdue(p *sim.Proc, start trace.ID) {
	for _, pod := range kl.podManager.GetPods() {
		if pod.Spec.ActiveDeadlineSeconds == nil || kl.podWorkers.IsPodTerminationRequested(pod.UID) {
			continue
		}
		if _, _, over := kl.deadlineExceeded(pod); over {
			kl.kernel.Because(start, func() { kl.HandlePodSyncs(p, pod) })
		}
	}
}

// SetSlow has every sync of a Pod take so much longer: a fault.
func (kl *Kubelet) SetSlow(by time.Duration) { kl.slow = by }

func (kl *Kubelet) slowness(p *sim.Proc) {
	if kl.slow > 0 {
		p.Sleep(kl.slow)
	}
}

// syncLoopIteration dispatches one event. Upstream: Kubelet.syncLoopIteration.
func (kl *Kubelet) syncLoopIteration(p *sim.Proc, e loopEvent) {
	switch {
	case e.config != nil:
		u := e.config
		v := 2
		if u.op == opReconcile {
			v = 4
		}
		p.Logger().V(v).Info("SyncLoop "+string(u.op), "source", u.source, "pod", container.PodKey(u.pod))
		if kl.statics != nil && kl.statics.mirror(p, u) {
			return
		}
		switch u.op {
		case opAdd:
			kl.HandlePodAdditions(p, u.pod)
		case opUpdate, opDelete: // DELETE is graceful deletion: an update
			kl.HandlePodUpdates(p, u.pod)
		case opRemove:
			kl.HandlePodRemoves(p, u.pod)
		case opReconcile:
			kl.HandlePodReconcile(p, u.pod)
		}
	case e.pleg != nil:
		if e.pleg.Type != pleg.ContainerRemoved {
			if pod, ok := kl.podManager.GetPodByUID(e.pleg.ID); ok {
				p.Logger().V(2).Info("SyncLoop (PLEG): event for pod", "pod", container.PodKey(pod), "event", string(e.pleg.Type), "data", shortID(e.pleg.Data))
				kl.HandlePodSyncs(p, pod)
			} else {
				p.Logger().V(4).Info("SyncLoop (PLEG): pod does not exist, ignore irrelevant event", "event", string(e.pleg.Type), "podUID", e.pleg.ID)
			}
		}
		if e.pleg.Type == pleg.ContainerDied {
			kl.deletions.Put(e.pleg.ID)
		}
	case e.probe != nil:
		kl.handleProbe(p, e.probe)
	}
}

// handleProbe acts on a probe's new result. Upstream: the probe cases of
// syncLoopIteration, and handleProbeSync.
func (kl *Kubelet) handleProbe(p *sim.Proc, u *prober.Update) {
	success := u.Result == kuberuntime.Success
	switch u.Type {
	case prober.Readiness:
		kl.statusManager.SetContainerReadiness(p.Logger(), u.UID, u.ContainerID, success)
	case prober.Startup:
		kl.statusManager.SetContainerStartup(p.Logger(), u.UID, u.ContainerID, success)
	case prober.Liveness:
		if success {
			return
		}
	}
	pod, ok := kl.podManager.GetPodByUID(u.UID)
	if !ok {
		p.Logger().V(4).Info("SyncLoop (probe): ignore irrelevant update", "update", string(u.Type))
		return
	}
	p.Logger().V(1).Info("SyncLoop (probe)", "probe", string(u.Type), "status", map[bool]string{true: "healthy", false: "unhealthy"}[success], "pod",
		container.PodKey(pod))
	kl.HandlePodSyncs(p, pod)
}

// containerDeletor removes dead containers. Upstream: pod_container_deletor.go,
// and Kubelet.cleanUpContainersInPod.
func (kl *Kubelet) containerDeletor(p *sim.Proc) {
	for {
		uid := kl.deletions.Get(p)
		kl.containerRuntime.DeleteContainersInPod(p, uid, kl.podWorkers.ShouldPodContentBeRemoved(uid))
	}
}

func (kl *Kubelet) garbageCollection(p *sim.Proc) {
	for {
		p.Sleep(gcPeriod)
		kl.containerRuntime.GarbageCollect(p, func(uid types.UID) bool {
			_, known := kl.podManager.GetPodByUID(uid)
			return !known || kl.podWorkers.ShouldPodContentBeRemoved(uid)
		})
	}
}

// IsPodTerminationRequested implements kuberuntime.RuntimeHelper.
func (kl *Kubelet) IsPodTerminationRequested(uid types.UID) bool {
	return kl.podWorkers.IsPodTerminationRequested(uid)
}

// NodeName implements volumemanager.Host.
func (kl *Kubelet) NodeName() string { return kl.options.Node }

// NodeAllocatable implements volumemanager.Host.
func (kl *Kubelet) NodeAllocatable() corev1.ResourceList { return kl.options.Allocatable }

// OnPodSandboxReady implements kuberuntime.RuntimeHelper.
func (kl *Kubelet) OnPodSandboxReady(p *sim.Proc, pod *corev1.Pod) {
	p.Logger().V(3).Info("OnPodSandboxReady callback invoked", "pod", container.PodKey(pod), "podUID", pod.UID)
	kl.statusManager.SetSandboxReady(pod)
}

// Liveness implements kuberuntime.RuntimeHelper.
func (kl *Kubelet) Liveness(id string) kuberuntime.Verdict {
	return kl.probeManager.Result(prober.Liveness, id)
}

// Startup implements kuberuntime.RuntimeHelper.
func (kl *Kubelet) Startup(id string) kuberuntime.Verdict {
	return kl.probeManager.Result(prober.Startup, id)
}

// PodCouldHaveRunningContainers implements status.PodDeletionSafetyProvider.
func (kl *Kubelet) PodCouldHaveRunningContainers(pod *corev1.Pod) bool {
	return kl.podWorkers.CouldHaveRunningContainers(pod.UID)
}

func shortID(id string) string {
	if len(id) > 13 {
		return id[:13]
	}
	return id
}
