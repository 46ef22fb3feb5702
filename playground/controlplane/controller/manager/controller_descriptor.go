// Package manager brings the controllers up, as kube-controller-manager does.
//
// There all controllers are one process, which shares one cache of Pods among
// them, and yet each calls the API under a name of its own: an audit log shows
// replicaset-controller, node-controller, generic-garbage-collector. Here each is
// a component under that name, with its own caches and queues, so that a reader
// sees who knows what, and can stop one and start it again. What it costs is
// that each watches for itself what it needs.
//
// With leader election the manager is a component too: of several, one leads and
// has the controllers, which die with it. Without it there is nothing that a
// manager would do after the start, and no such component.
//
// Absent: health checks, the cloud controllers, and those controllers whose
// kinds are not served.
//
// Upstream: cmd/kube-controller-manager/app.
package manager

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/controller/certificates"
	"kubewalk/playground/controlplane/controller/clusterroleaggregation"
	"kubewalk/playground/controlplane/controller/cronjob"
	"kubewalk/playground/controlplane/controller/daemonset"
	"kubewalk/playground/controlplane/controller/deployment"
	"kubewalk/playground/controlplane/controller/disruption"
	"kubewalk/playground/controlplane/controller/endpoint"
	"kubewalk/playground/controlplane/controller/endpointslice"
	"kubewalk/playground/controlplane/controller/garbagecollector"
	"kubewalk/playground/controlplane/controller/job"
	"kubewalk/playground/controlplane/controller/namespace"
	"kubewalk/playground/controlplane/controller/nodelifecycle"
	"kubewalk/playground/controlplane/controller/persistentvolume"
	"kubewalk/playground/controlplane/controller/persistentvolume/protection"
	"kubewalk/playground/controlplane/controller/persistentvolume/provisioner"
	"kubewalk/playground/controlplane/controller/podautoscaler"
	"kubewalk/playground/controlplane/controller/podautoscaler/metrics"
	"kubewalk/playground/controlplane/controller/podgc"
	"kubewalk/playground/controlplane/controller/replicaset"
	"kubewalk/playground/controlplane/controller/resourcequota"
	"kubewalk/playground/controlplane/controller/rootca"
	"kubewalk/playground/controlplane/controller/serviceaccount"
	"kubewalk/playground/controlplane/controller/statefulset"
	"kubewalk/playground/controlplane/controller/tainteviction"
	"kubewalk/playground/controlplane/controller/ttlafterfinished"
	"kubewalk/playground/controlplane/controller/validatingadmissionpolicystatus"
	"kubewalk/playground/sim"
)

// Options are the flags that matter here.
type Options struct {
	// Name is the component of this manager, with leader election; "" is Component.
	Name string
	// LeaderElect says that managers elect one who runs the controllers.
	// Upstream: --leader-elect, on by default.
	LeaderElect bool
	// Controllers says which run, as --controllers does: "*" is all, "name" one
	// more, "-name" one less. Empty is "*".
	Controllers []string
	// ControllerStartInterval is the least time between two starts; by chance it
	// is up to twice as long. Upstream: --controller-start-interval, 0 by default.
	ControllerStartInterval time.Duration

	// MinResyncPeriod is the least time after which informers tell their handlers of everything again; by chance it is up to twice
	// as long, for each controller. Upstream: --min-resync-period.
	MinResyncPeriod time.Duration
	// ClientLimit is how fast each controller may send requests.
	// Upstream: --kube-api-qps and --kube-api-burst.
	ClientLimit client.Limit

	// UseServiceAccountCredentials has each controller be itself, with a ServiceAccount, and the informers be the manager. Without, nobody
	// asks who they are. Upstream: --use-service-account-credentials.
	UseServiceAccountCredentials bool

	ConcurrentRSSyncs      int
	NodeLifecycle          nodelifecycle.Config
	ConcurrentGCSyncs      int
	GCIgnoredResources     []api.GroupResource
	TerminatedPodThreshold int

	// TypeErrors is what the controller of policies' status asks about expressions.
	TypeErrors validatingadmissionpolicystatus.TypeErrors

	// X509 is what the controller of certificates asks of requests; nil where nobody can look into them.
	X509 certificates.X509

	// Metrics is where autoscalers get their numbers from; nil when nobody serves any.
	Metrics metrics.API
}

// DefaultOptions are those of kube-controller-manager 1.36.
func DefaultOptions() Options {
	return Options{
		Controllers:            []string{"*"},
		MinResyncPeriod:        12 * time.Hour,
		ClientLimit:            client.Limit{QPS: 20, Burst: 30},
		ConcurrentRSSyncs:      replicaset.ConcurrentRSSyncs,
		NodeLifecycle:          nodelifecycle.DefaultConfig(),
		ConcurrentGCSyncs:      garbagecollector.ConcurrentGCSyncs,
		GCIgnoredResources:     garbagecollector.DefaultIgnoredResources,
		TerminatedPodThreshold: podgc.TerminatedPodThreshold,
	}
}

// ControllerContext is what a controller is made from. Upstream: controllermanager.go, ControllerContext.
type ControllerContext struct {
	Component       *sim.Component
	Client          *client.Clientset
	InformerFactory informers.SharedInformerFactory
	Options         *Options
}

// ControllerConstructor makes a controller and returns what runs it. The
// informers that it asked for are started before that is called.
type ControllerConstructor func(ctx ControllerContext) (run func(p *sim.Proc))

// ControllerDescriptor is one controller. Upstream: controller_descriptor.go.
type ControllerDescriptor struct {
	// Name is what --controllers calls it.
	Name string
	// Component is its component, and what the audit log calls it.
	Component   string
	constructor ControllerConstructor
}

// limit is how fast the controller may send requests, where the others have that limit: two delete many objects, one by one.
// Upstream: core.go, newGarbageCollectorController and newModifiedNamespaceController.
func (d *ControllerDescriptor) limit(others client.Limit) client.Limit {
	switch d.Component {
	case garbagecollector.Name:
		others.QPS *= 2
	case namespace.Name:
		others.QPS *= 20
		others.Burst *= 100
	}
	return others
}

// NewControllerDescriptors is the table of all controllers, in the order in
// which they are started.
func NewControllerDescriptors() []*ControllerDescriptor {
	return append([]*ControllerDescriptor{
		{"clusterrole-aggregation-controller", clusterroleaggregation.Name, newClusterRoleAggregationController},
		{"cronjob-controller", cronjob.Name, newCronJobController},
		{"daemonset-controller", daemonset.Name, newDaemonSetController},
		{"deployment-controller", deployment.Name, newDeploymentController},
		{"disruption-controller", disruption.Name, newDisruptionController},
		{"endpoints-controller", endpoint.Name, newEndpointsController},
		{"endpointslice-controller", endpointslice.Name, newEndpointSliceController},
		{"garbage-collector-controller", garbagecollector.Name, newGarbageCollectorController},
		{"hostpath-provisioner", provisioner.Name, newHostPathProvisioner},
		{"horizontal-pod-autoscaler-controller", podautoscaler.Name, newHorizontalPodAutoscalerController},
		{"job-controller", job.Name, newJobController},
		{"namespace-controller", namespace.Name, newNamespaceController},
		{"node-lifecycle-controller", nodelifecycle.Name, newNodeLifecycleController},
		{"persistentvolume-binder-controller", persistentvolume.Name, newPersistentVolumeBinderController},
		{"persistentvolume-protection-controller", protection.PVName, newPersistentVolumeProtectionController},
		{"persistentvolumeclaim-protection-controller", protection.PVCName, newPersistentVolumeClaimProtectionController},
		{"pod-garbage-collector-controller", podgc.Name, newPodGarbageCollectorController},
		{"replicaset-controller", replicaset.Name, newReplicaSetController},
		{"replicationcontroller-controller", replicaset.ReplicationName, newReplicationController},
		{"resourcequota-controller", resourcequota.Name, newResourceQuotaController},
		{"root-ca-certificate-publisher-controller", rootca.Name, newRootCACertificatePublisherController},
		{"serviceaccount-controller", serviceaccount.Name, newServiceAccountController},
		{"statefulset-controller", statefulset.Name, newStatefulSetController},
		{"taint-eviction-controller", tainteviction.Name, newTaintEvictionController},
		{"ttl-after-finished-controller", ttlafterfinished.Name, newTTLAfterFinishedController},
	}, rareControllers...)
}

// rareControllers are about kinds and expressions that not every build has.
var rareControllers []*ControllerDescriptor

// Names of controllers that not every build has: see packages attachdetach, bootstrap, devicetainteviction, endpointslicemirroring and resourceclaim.
const (
	attachDetach, endpointSliceMirroring = "persistentvolume-attach-detach-controller", "endpointslice-mirroring-controller"
	bootstrapSigner                      = "bootstrap-signer-controller" // kubeadm switches it on
	deviceTaintEviction, resourceClaim   = "device-taint-eviction-controller", "resourceclaim-controller"
)

// disabledByDefault are the names that "*" does not mean: volumes are attached where there are CSI drivers, roles matter only where somebody asks
// who may do what, claims and taints of devices where there are devices, Endpoints are mirrored on a port, the status of policies where there is CEL.
// All of rareControllers are here, for otherwise the builds would differ.
// Upstream: controller_descriptor.go, ControllersDisabledByDefault, which has others.
var disabledByDefault = []string{attachDetach, bootstrapSigner, certificates.Name, clusterroleaggregation.Name, deviceTaintEviction,
	endpointSliceMirroring, resourceClaim, validatingadmissionpolicystatus.Name}

// Upstream: cmd/kube-controller-manager/app/rbac.go.
func newClusterRoleAggregationController(ctx ControllerContext) func(p *sim.Proc) {
	c := clusterroleaggregation.NewClusterRoleAggregation(ctx.Component, ctx.InformerFactory.Rbac().V1().ClusterRoles(), ctx.Client)
	return func(p *sim.Proc) { c.Run(p, 5) }
}

// concurrentRCSyncs is upstream's --concurrent-rc-syncs.
const concurrentRCSyncs = 5

func newReplicaSetController(ctx ControllerContext) func(p *sim.Proc) {
	rsc := replicaset.NewReplicaSetController(ctx.Component, ctx.InformerFactory.Apps().V1().ReplicaSets(),
		ctx.InformerFactory.Core().V1().Pods(), ctx.Client, replicaset.BurstReplicas)
	return func(p *sim.Proc) { rsc.Run(p, ctx.Options.ConcurrentRSSyncs) }
}

// Upstream: cmd/kube-controller-manager/app/core.go.
func newReplicationController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	rm, err := replicaset.NewReplicationManager(ctx.Component, core.ReplicationControllers(), core.Pods(), ctx.Client, replicaset.BurstReplicas)
	if err != nil {
		panic("controller manager: " + err.Error()) // the informer has just been made
	}
	return func(p *sim.Proc) { rm.Run(p, concurrentRCSyncs) }
}

func unknownController(name string, all []*ControllerDescriptor) error {
	known := ""
	for i, d := range all {
		if i > 0 {
			known += ", "
		}
		known += d.Component
	}
	return fmt.Errorf("controller manager: unknown controller %q (there are %s)", name, known)
}
