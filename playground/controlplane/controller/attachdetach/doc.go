// Package attachdetach is the attach-detach controller: it attaches the volumes of Pods to the nodes that they were given, and detaches what
// no Pod on a node uses any more.
//
// For a volume of a CSI driver it does neither itself. It writes a VolumeAttachment, for the driver's external-attacher, and waits until
// that says that it is attached; to detach it deletes the object, and waits until it is gone. What it has found out it writes into the
// node's status (volumesAttached), where the kubelet waits for it; what the kubelet has mounted it reads there (volumesInUse).
//
// Guarantees: a volume that only one node may have (ReadWriteOnce) is attached to another one when it is detached from the first; and it is
// not taken away from a node that has it mounted. After six minutes it is, if the node is not ready, or at once, if somebody has
// said with a taint that the node is out of service.
//
// Simplified: upstream looks every 100 ms, this one when something has changed or a time has come. What Pods want is worked
// out anew each time, from the caches; upstream has a cache of its own for it. Absent: in-tree plugins and migration, inline volumes,
// nodes that attach for themselves, the check whether what is attached still is (every minute, upstream), metrics, and --disable-force-detach-on-timeout.
//
// Upstream: pkg/controller/volume/attachdetach (attach_detach_controller.go, reconciler/reconciler.go, statusupdater), and the
// attacher of pkg/volume/csi/csi_attacher.go, which runs in it.
package attachdetach

import "time"

// Name is the controller's component, the user agent of its requests, and the source of its events.
// Upstream: cmd/kube-controller-manager/app/core.go, newPersistentVolumeAttachDetachController.
const Name = "attachdetach-controller"

const (
	// MaxWaitForUnmountDuration is how long a volume that should go waits for a node to unmount it, before it is taken away from one that
	// is not ready. Upstream: attach_detach_controller.go, DefaultTimerConfig.
	MaxWaitForUnmountDuration = 6 * time.Minute
	// syncPeriod is how often it looks at least. Upstream: DesiredStateOfWorldPopulatorLoopSleepPeriod.
	syncPeriod = time.Minute
	// csiTimeout is how long an attempt waits for a VolumeAttachment. Upstream: pkg/volume/csi/csi_plugin.go, csiTimeout.
	csiTimeout = 2 * time.Minute
	// An attempt that fails is made again later, each time.
	// Upstream: pkg/util/goroutinemap/exponentialbackoff.
	initialDurationBeforeRetry = 500 * time.Millisecond
	maxDurationBeforeRetry     = 2*time.Minute + 2*time.Second
)
