package chaos

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/operator/csi/snapshotv1"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "volumes", controllers: []string{"persistentvolume-binder-controller", "persistentvolume-protection-controller",
		"persistentvolumeclaim-protection-controller", "hostpath-provisioner"}, act: (*dice).volumes, unsettled: volumesUnsettled, holds: volumesHold})
}

func (d *dice) volumes(at time.Duration) {
	if d.once("storageclasses") {
		d.storageClass(at, "at-once", "Immediate")
		d.storageClass(at, "for-a-pod", "WaitForFirstConsumer")
		return
	}
	n := d.IntN(6)
	claim, pod, class := fmt.Sprintf("data-%d", n), fmt.Sprintf("user-%d", n), []string{"at-once", "for-a-pod"}[n%2]
	switch d.IntN(4) {
	case 0:
		if d.once("persistentvolumes/" + claim) {
			d.apply(at, map[string]any{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": map[string]any{"name": "disk-" + claim}, "spec": map[string]any{
				"capacity": map[string]any{"storage": []string{"1Gi", "5Gi"}[d.IntN(2)]}, "accessModes": []any{"ReadWriteOnce"}, "storageClassName": class,
				"hostPath": map[string]any{"path": "/tmp/" + claim}}})
			return
		}
	case 1:
		if d.applied["pods/"+pod] {
			d.applied["pods/"+pod] = false
			d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: pod})
			return
		}
	case 2:
		if d.applied["persistentvolumeclaims/"+claim] {
			// Its Pods go too: one whose claim is gone would wait for ever.
			d.applied["persistentvolumeclaims/"+claim], d.applied["pods/"+pod] = false, false
			d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "persistentvolumeclaims", Namespace: "default", Name: claim})
			d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: pod})
			return
		}
	}
	if d.once("persistentvolumeclaims/" + claim) {
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": map[string]any{"name": claim}, "spec": map[string]any{
			"accessModes": []any{"ReadWriteOnce"}, "storageClassName": class,
			"resources": map[string]any{"requests": map[string]any{"storage": []string{"1Gi", "2Gi"}[d.IntN(2)]}}}})
	}
	if d.once("pods/" + pod) {
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": pod}, "spec": map[string]any{
			"terminationGracePeriodSeconds": d.IntN(3), "volumes": []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": claim}}},
			"containers": []any{map[string]any{"name": "c", "image": "nginx:1.27", "volumeMounts": []any{map[string]any{"name": "data", "mountPath": "/data"}}}}}})
	}
}

func (d *dice) storageClass(at time.Duration, name, mode string) {
	d.apply(at, map[string]any{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": map[string]any{"name": name},
		"provisioner": "kubewalk.dev/hostpath", "volumeBindingMode": mode})
}

// Pointers go both ways, phases say so, nothing that is to go is still there, and
// no claim waits for a volume that could have been made.
func volumesUnsettled(s trace.State, say sayer) {
	claims, volumes := map[string]*corev1.PersistentVolumeClaim{}, map[string]*corev1.PersistentVolume{}
	classes := map[string]*storagev1.StorageClass{}
	used := map[string]bool{} // claims that a Pod with a node, or one that could have one, needs
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.PersistentVolumeClaim:
			claims[o.Namespace+"/"+o.Name] = o
		case *corev1.PersistentVolume:
			volumes[o.Name] = o
		case *storagev1.StorageClass:
			classes[o.Name] = o
		case *corev1.Pod:
			for _, v := range o.Spec.Volumes {
				if v.PersistentVolumeClaim != nil && o.DeletionTimestamp == nil {
					used[o.Namespace+"/"+v.PersistentVolumeClaim.ClaimName] = true
				}
			}
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.PersistentVolumeClaim:
			claimUnsettled(o, volumes, classes, used[o.Namespace+"/"+o.Name], say)
		case *corev1.PersistentVolume:
			volumeUnsettled(o, claims, say)
		}
	}
}

func claimUnsettled(c *corev1.PersistentVolumeClaim, volumes map[string]*corev1.PersistentVolume, classes map[string]*storagev1.StorageClass, used bool,
	say sayer) {
	switch c.Status.Phase {
	case corev1.ClaimBound:
		v := volumes[c.Spec.VolumeName]
		if v == nil || v.Spec.ClaimRef == nil || v.Spec.ClaimRef.UID != c.UID || v.Status.Phase != corev1.VolumeBound {
			say("claim %s is bound to volume %q, which does not say so", c.Name, c.Spec.VolumeName)
		}
	case corev1.ClaimPending:
		if c.Spec.StorageClassName == nil {
			return
		}
		class := classes[*c.Spec.StorageClassName]
		if class != nil && class.Provisioner == "kubewalk.dev/hostpath" && *class.VolumeBindingMode == storagev1.VolumeBindingImmediate {
			say("claim %s waits, and its class has volumes made at once", c.Name)
		}
	}
	if c.DeletionTimestamp != nil && !used && !slices.Contains(c.Finalizers, snapshotv1.PVCFinalizer) { // of which snapshotsUnsettled says more
		say("claim %s is to go, and no pod uses it", c.Name)
	}
}

func volumeUnsettled(v *corev1.PersistentVolume, claims map[string]*corev1.PersistentVolumeClaim, say sayer) {
	ref := v.Spec.ClaimRef
	switch {
	case v.Status.Phase == corev1.VolumePending:
		say("volume %s is pending", v.Name)
	case v.Status.Phase == corev1.VolumeBound:
		if c := claims[ref.Namespace+"/"+ref.Name]; c == nil || c.UID != ref.UID {
			say("volume %s is bound to claim %s, which is not there", v.Name, ref.Name)
		}
	case v.Status.Phase == corev1.VolumeReleased && v.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete:
		say("volume %s is released, and was to be deleted", v.Name)
	}
	if v.DeletionTimestamp != nil && v.Status.Phase != corev1.VolumeBound {
		say("volume %s is to go, and no claim is bound to it", v.Name)
	}
}

// volumesHold: a volume does not go from one claim to another, and a claim keeps its volume.
func volumesHold(rec *trace.Recorder, say sayer) {
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit {
			continue
		}
		for _, d := range e.Deltas {
			if d.Cell.Kind != trace.CellObject {
				continue
			}
			switch now := d.New.(type) {
			case *corev1.PersistentVolume:
				was, ok := d.Old.(*corev1.PersistentVolume)
				if ok && was.UID == now.UID && was.Spec.ClaimRef != nil && now.Spec.ClaimRef != nil && was.Spec.ClaimRef.UID != "" &&
					was.Spec.ClaimRef.UID != now.Spec.ClaimRef.UID {
					say("event %d: volume %s went from claim %s to %s", e.ID, now.Name, was.Spec.ClaimRef.Name, now.Spec.ClaimRef.Name)
				}
			case *corev1.PersistentVolumeClaim:
				was, ok := d.Old.(*corev1.PersistentVolumeClaim)
				if ok && was.UID == now.UID && was.Spec.VolumeName != "" && was.Spec.VolumeName != now.Spec.VolumeName {
					say("event %d: claim %s went from volume %s to %s", e.ID, now.Name, was.Spec.VolumeName, now.Spec.VolumeName)
				}
			}
		}
	}
}
