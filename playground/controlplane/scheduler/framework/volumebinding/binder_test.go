package volumebinding

import (
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/scheduler/assumecache"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// A claim for which a volume is to be made says from now on, in memory, on which node; the claim that was given stays as it was.
// Upstream: volume_binder_test.go, TestAssumePodVolumes.
func TestAssumePodVolumesSelectsTheNode(t *testing.T) {
	k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
	defer k.Close()
	indexer := cache.NewIndexer(cache.Indexers{})
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default", ResourceVersion: "5"}}
	if err := indexer.Add(claim); err != nil {
		t.Fatal(err)
	}
	b := &Binder{claims: assumecache.New[*corev1.PersistentVolumeClaim](indexer, "persistentvolumeclaims", func(_, name string) error { return nil })}
	ran := false
	k.Start("kube-scheduler").Go("test", func(p *sim.Proc) {
		volumes := &PodVolumes{DynamicProvisions: []*corev1.PersistentVolumeClaim{claim}}
		bound, err := b.AssumePodVolumes(p, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "db-0", Namespace: "default"}}, "node-2", volumes)
		if bound || err != nil {
			t.Errorf("bound %v, %v", bound, err)
		}
		assumed, err := b.claims.Get("default/data", "data")
		if err != nil || assumed.Annotations[volume.AnnSelectedNode] != "node-2" {
			t.Errorf("assumed: %v, %v", assumed.Annotations, err)
		}
		if got := volumes.DynamicProvisions[0].Annotations[volume.AnnSelectedNode]; got != "node-2" {
			t.Errorf("the claim that will be written selects %q", got)
		}
		if claim.Annotations != nil {
			t.Errorf("the cache's own claim has changed: %v", claim.Annotations)
		}
		b.RevertAssumedPodVolumes(volumes)
		if reverted, _ := b.claims.Get("default/data", "data"); reverted != claim {
			t.Error("the claim is still assumed")
		}
		ran = true
	})
	if k.RunUntil(time.Minute); !ran {
		t.Fatal("it never returned")
	}
}
