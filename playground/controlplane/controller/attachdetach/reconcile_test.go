package attachdetach

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// controllerOn returns a controller whose API server is a fake one, and what they run on.
func controllerOn(t *testing.T) (*sim.Kernel, *sim.Component, *fake.Server, informers.SharedInformerFactory, *Controller) {
	k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
	t.Cleanup(k.Close)
	server, c := fake.NewServer(k), k.Start(Name)
	cs := client.New(server)
	f := informers.NewSharedInformerFactory(cs, 0)
	return k, c, server, f, NewController(c, cs, f)
}

// TestDetachAsksForTheNode: the cache does not say that a node has a volume mounted. The API server does, and then it is not detached,
// unless the node is out of service.
func TestDetachAsksForTheNode(t *testing.T) {
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}
	pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "disk.csi.example.com", VolumeHandle: "disk-1"}
	at := place{uniqueName(pv), "node-1"}
	for _, test := range []struct {
		inUse, outOfService, deleted bool
	}{{false, false, true}, {true, false, false}, {true, true, true}} {
		k, c, server, f, adc := controllerOn(t)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: at.node}}
		if test.outOfService {
			node.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeOutOfService}}
		}
		server.Put("nodes", node)
		c.Go("test", func(p *sim.Proc) {
			f.Start(p)
			p.Sleep(time.Second) // the caches have the node
			server.Down = true
			server.DropWatches(0)
			if node = node.DeepCopy(); test.inUse {
				node.Status.VolumesInUse = []corev1.UniqueVolumeName{at.volume}
			}
			server.Put("nodes", node)
			server.Down = false
			a := &attachment{pv: pv, attached: true}
			adc.actual[at] = a
			adc.detachUnwanted(p, at, a, func(time.Duration) {})
		})
		k.RunUntil(1100 * time.Millisecond)
		deleted := slices.ContainsFunc(server.Requests, func(r string) bool { return strings.HasPrefix(r, "delete volumeattachments ") })
		if deleted != test.deleted {
			t.Errorf("in use %v, out of service %v: deleted %v, requests %q", test.inUse, test.outOfService, deleted, server.Requests)
		}
	}
}

// TestForceDetachWaits: of a node that is not healthy, a volume is taken away that it may still have mounted, but not before it has had time to unmount it.
// Upstream: attachdetach/reconciler/reconciler.go, reconcile, maxWaitForUnmountDuration.
func TestForceDetachWaits(t *testing.T) {
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}
	pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "disk.csi.example.com", VolumeHandle: "disk-1"}
	at := place{uniqueName(pv), "node-1"}
	for _, test := range []struct {
		ready   corev1.ConditionStatus
		after   time.Duration
		deleted bool
	}{
		{corev1.ConditionUnknown, 0, false}, {corev1.ConditionUnknown, MaxWaitForUnmountDuration + time.Second, true},
		{corev1.ConditionTrue, MaxWaitForUnmountDuration + time.Second, false},
	} {
		k, c, server, f, adc := controllerOn(t)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: at.node}}
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: test.ready}}
		server.Put("nodes", node)
		c.Go("test", func(p *sim.Proc) {
			f.Start(p)
			p.Sleep(time.Second) // the caches have the node
			a := &attachment{pv: pv, attached: true, mountedByNode: true}
			adc.actual[at] = a
			adc.detachUnwanted(p, at, a, func(time.Duration) {})
			p.Sleep(test.after)
			adc.detachUnwanted(p, at, a, func(time.Duration) {})
		})
		k.RunUntil(MaxWaitForUnmountDuration + 3*time.Second)
		deleted := slices.ContainsFunc(server.Requests, func(r string) bool { return strings.HasPrefix(r, "delete volumeattachments ") })
		if deleted != test.deleted {
			t.Errorf("ready %s, after %s: deleted %v, requests %q", test.ready, test.after, deleted, server.Requests)
		}
	}
}
