package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "CSI", controllers: []string{"persistentvolume-attach-detach-controller", "daemonset-controller", "deployment-controller",
		"persistentvolume-binder-controller", "persistentvolume-protection-controller", "persistentvolumeclaim-protection-controller"},
		prepare: (*dice).csiDriver, act: (*dice).csi, unsettled: csiUnsettled, holds: csiHolds})
}

// The driver of operator/csi/driver, its classes, and how many disks a node takes.
const (
	diskDriver   = "disk.csi.example.com"
	disksPerNode = 3
	provisioners = "csi-provisioner/" // how their components begin: a node follows
)

// csiDriver installs the driver, and has it die now and then in the middle of a call.
func (d *dice) csiDriver(cfg *cluster.Config) {
	cfg.Operators = append(cfg.Operators, cluster.DiskDriver)
	dies := ""
	if d.IntN(2) == 0 {
		call := []string{"CreateVolume", "DeleteVolume", "ControllerPublishVolume", "ControllerUnpublishVolume"}[d.IntN(4)]
		dies = fmt.Sprintf("--die-after=%s:%d", call, 1+d.IntN(3))
	}
	sidecar := ""
	if d.IntN(3) > 0 {
		sidecar, d.applied[snapshotContents] = snapshotSidecar, true
		if d.IntN(3) == 0 {
			dies = fmt.Sprintf("--die-after=%s:%d", []string{"CreateSnapshot", "DeleteSnapshot"}[d.IntN(2)], 1+d.IntN(2))
		}
		d.installSnapshots()
	}
	d.install(installAt, fmt.Sprintf(`
apiVersion: v1
kind: List
items:
- {apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: %[1]s}, spec: {attachRequired: true}}
- apiVersion: storage.k8s.io/v1
  kind: StorageClass
  metadata: {name: disk}
  provisioner: %[1]s
  volumeBindingMode: WaitForFirstConsumer
  allowVolumeExpansion: true
- apiVersion: storage.k8s.io/v1
  kind: StorageClass
  metadata: {name: disk-now}
  provisioner: %[1]s
  volumeBindingMode: Immediate
  allowVolumeExpansion: true
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: disk-controller}
  spec:
    replicas: 1
    selector: {matchLabels: {app: disk-controller}}
    template:
      metadata: {labels: {app: disk-controller}}
      spec:
        nodeSelector: {kubernetes.io/hostname: node-1}
        terminationGracePeriodSeconds: 1
        volumes: [{name: socket, emptyDir: {}}]
        containers:
        - {name: driver, image: "kubewalk.dev/disk-driver:v1", args: [--controller, "%[2]s"], volumeMounts: [{name: socket, mountPath: /csi}]}
        - name: provisioner
          image: registry.k8s.io/sig-storage/csi-provisioner:v6.1.0
          args: [--csi-address=/csi/csi.sock]
          volumeMounts: [{name: socket, mountPath: /csi}]
        - name: attacher
          image: registry.k8s.io/sig-storage/csi-attacher:v4.13.0
          args: [--csi-address=/csi/csi.sock]
          volumeMounts: [{name: socket, mountPath: /csi}]
        - name: resizer
          image: registry.k8s.io/sig-storage/csi-resizer:v2.1.0
          args: [--csi-address=/csi/csi.sock]
          volumeMounts: [{name: socket, mountPath: /csi}]%[4]s
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: disk-node}
  spec:
    selector: {matchLabels: {app: disk-node}}
    template:
      metadata: {labels: {app: disk-node}}
      spec:
        tolerations: [{operator: Exists}]
        terminationGracePeriodSeconds: 1
        volumes:
        - {name: plugin, hostPath: {path: /var/lib/kubelet/plugins/%[1]s}}
        - {name: registration, hostPath: {path: /var/lib/kubelet/plugins_registry}}
        containers:
        - name: driver
          image: kubewalk.dev/disk-driver:v1
          args: [--node, --node-id=$(NODE), --max-volumes-per-node=%[3]d]
          env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
          volumeMounts: [{name: plugin, mountPath: /csi}]
        - name: registrar
          image: registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.16.0
          args: [--csi-address=/csi/csi.sock, --kubelet-registration-path=/var/lib/kubelet/plugins/%[1]s/csi.sock]
          volumeMounts: [{name: plugin, mountPath: /csi}, {name: registration, mountPath: /registration}]
`, diskDriver, dies, disksPerNode, sidecar))
}

// csi makes claims and Pods that use them, has claims grow, and takes all of it away; and it has the driver's containers, Pods and machines fail.
func (d *dice) csi(at time.Duration) {
	if d.applied[snapshotContents] && d.IntN(5) < 2 {
		d.snapshot(at)
		return
	}
	n := d.IntN(6)
	claim, pod := fmt.Sprintf("disk-%d", n), fmt.Sprintf("disk-user-%d", n)
	remove := func(resource, name string) {
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: resource, Namespace: "default", Name: name})
		d.applied[resource+"/"+name] = false
	}
	switch d.IntN(14) {
	case 12, 13:
		if d.applied["pods/"+pod] {
			d.force(at, pod)
			return
		}
	case 0, 1:
		if d.applied["pods/"+pod] {
			remove("pods", pod)
			return
		}
	case 2, 3:
		for range 6 { // the first that is there
			if d.applied["persistentvolumeclaims/"+claim] {
				remove("persistentvolumeclaims", claim)
				remove("pods", pod)
				return
			}
			n = (n + 1) % 6
			claim, pod = fmt.Sprintf("disk-%d", n), fmt.Sprintf("disk-user-%d", n)
		}
	case 4:
		if d.applied["persistentvolumeclaims/"+claim] {
			d.kubectl(at, "patch", "pvc", claim, "-p", fmt.Sprintf(`{"spec":{"resources":{"requests":{"storage":"%dGi"}}}}`, 2+d.IntN(3)))
			return
		}
	case 5:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: []string{"disk-controller-*", "disk-node-*"}[d.IntN(2)]})
		return
	case 6, 7:
		d.add(cluster.Input{At: at, Kind: cluster.CrashContainer, Name: []string{"disk-controller-*", "disk-node-*"}[d.IntN(2)]})
		return
	case 8:
		// A machine without power, of which somebody says so at once.
		node := d.scenario.Cluster.Nodes[d.IntN(len(d.scenario.Cluster.Nodes))].Name
		if _, down := d.down[node]; !down {
			const taint = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"
			d.toggle(at, node, cluster.Input{Kind: cluster.KillNode, Node: node}, cluster.Input{Kind: cluster.StartNode, Node: node})
			d.kubectl(at, "taint", "nodes", node, taint)
			// The API server may be away, and then even the first command may come later than some.
			for _, later := range []time.Duration{0, time.Second, 20 * time.Second, 2 * time.Minute} {
				d.kubectl(FaultsEnd-time.Second+later, "taint", "nodes", node, taint+"-")
			}
			return
		}
	}
	d.claim(at, claim, n, "1Gi", nil)
	if d.IntN(4) > 0 {
		d.user(at, pod, claim)
	}
}

// claim makes a claim, if there is none: each other one waits for a Pod. source is what its volume is to be made of; nil for nothing.
func (d *dice) claim(at time.Duration, name string, n int, size string, source map[string]any) {
	if !d.once("persistentvolumeclaims/" + name) {
		return
	}
	spec := map[string]any{"accessModes": []any{"ReadWriteOnce"}, "storageClassName": []string{"disk", "disk-now"}[n%2],
		"resources": map[string]any{"requests": map[string]any{"storage": size}}}
	if source != nil {
		spec["dataSource"] = source
	}
	d.apply(at, map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": map[string]any{"name": name}, "spec": spec})
}

// user makes a Pod that has a claim's volume, if there is none.
func (d *dice) user(at time.Duration, name, claim string) {
	if !d.once("pods/" + name) {
		return
	}
	spec := map[string]any{
		"terminationGracePeriodSeconds": d.IntN(3), "volumes": []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": claim}}},
		"containers": []any{map[string]any{"name": "c", "image": "nginx:1.27", "volumeMounts": []any{map[string]any{"name": "data", "mountPath": "/data"}}}}}
	if d.IntN(2) == 0 { // a program that does not stop, with which somebody loses patience: its disk is mounted for that much longer than there is a Pod
		deaf(spec)
		spec["terminationGracePeriodSeconds"] = 5 + d.IntN(20)
		if later := at + d.Between(4*time.Second, 20*time.Second); later < FaultsEnd-5*time.Second {
			d.force(later, name)
		}
	}
	d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name}, "spec": spec})
}

// force has somebody delete a Pod at once, whatever still runs of it.
func (d *dice) force(at time.Duration, pod string) {
	d.kubectl(at, "delete", "pod", pod, "--force")
	d.applied["pods/"+pod] = false
}

// csiUnsettled: what has a node has its disk there and runs, nothing is attached that nobody uses, and no claim waits for a disk that could be made.
func csiUnsettled(s trace.State, say sayer) {
	classes, volumes, claims := map[string]*storagev1.StorageClass{}, map[string]*corev1.PersistentVolume{}, map[string]*corev1.PersistentVolumeClaim{}
	var attachments []*storagev1.VolumeAttachment
	var pods []*corev1.Pod
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *storagev1.StorageClass:
			classes[o.Name] = o
		case *corev1.PersistentVolume:
			volumes[o.Name] = o
		case *corev1.PersistentVolumeClaim:
			claims[o.Namespace+"/"+o.Name] = o
		case *storagev1.VolumeAttachment:
			attachments = append(attachments, o)
		case *corev1.Pod:
			pods = append(pods, o)
		}
	}
	snapshotsUnsettled(s, claims, say)
	used := map[string]bool{} // by volume and node
	for _, pod := range pods {
		for _, v := range pod.Spec.Volumes {
			if v.PersistentVolumeClaim == nil || pod.Spec.NodeName == "" {
				continue
			}
			claim := claims[pod.Namespace+"/"+v.PersistentVolumeClaim.ClaimName]
			if claim == nil || volumes[claim.Spec.VolumeName] == nil || volumes[claim.Spec.VolumeName].Spec.CSI == nil {
				continue
			}
			used[claim.Spec.VolumeName+" "+pod.Spec.NodeName] = true
			if pod.Status.Phase == corev1.PodPending {
				say("pod %s has a node and a disk, and does not run", pod.Name)
			}
		}
	}
	for _, claim := range claims { // order: the sentences are sorted
		if claim.Status.Phase != corev1.ClaimPending || claim.Spec.StorageClassName == nil || classes[*claim.Spec.StorageClassName] == nil {
			continue
		}
		class := classes[*claim.Spec.StorageClassName]
		chosen := claim.Annotations["volume.kubernetes.io/selected-node"] != "" || *class.VolumeBindingMode == storagev1.VolumeBindingImmediate
		if class.Provisioner == diskDriver && chosen && claim.DeletionTimestamp == nil && restorable(s, claim) {
			say("claim %s waits for a disk", claim.Name)
		}
	}
	for _, a := range attachments {
		name := *a.Spec.Source.PersistentVolumeName
		switch {
		case volumes[name] == nil:
			say("attachment %s is of volume %s, which is not there", a.Name, name)
		case !used[name+" "+a.Spec.NodeName]:
			say("attachment %s is of a volume that no pod uses on %s", a.Name, a.Spec.NodeName)
		case !a.Status.Attached:
			say("attachment %s waits", a.Name)
		}
	}
}

// csiHolds: a disk is at one node at a time, and is not taken from a node that has it mounted, unless somebody said that the node is off, or it has been
// away for as long as the controller waits; and in the end each disk has its volume, and each volume its disk.
//
// The provisioner remembers only in its memory for which claims it has asked for a disk. When it stops before it has made the volume, and the claim is
// deleted before it is there again, nobody knows of the disk, in upstream's clusters as in ours (kubernetes-csi/external-provisioner issue 486).
func csiHolds(rec *trace.Recorder, say sayer) {
	snapshotsHold(rec, say)
	at, staged := map[string]string{}, map[string]time.Duration{} // by disk; by node and disk
	off := map[string]bool{}                                      // nodes that have been down or out of service since a disk was staged there
	made := map[string]time.Duration{}
	volume := map[string]string{} // the name of the volume that a disk is made for
	asked := map[string]bool{}    // volumes that are not there yet, and for which a disk was asked
	lost := map[string]bool{}     // those of them whose provisioner has stopped since
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		for _, delta := range e.Deltas {
			if delta.Cell.Kind != trace.CellObject {
				continue
			}
			switch o := delta.New.(type) {
			case *corev1.Node:
				if slices.ContainsFunc(o.Spec.Taints, func(t corev1.Taint) bool { return t.Key == "node.kubernetes.io/out-of-service" }) {
					off[o.Name] = true
				}
			case *corev1.PersistentVolume:
				delete(asked, o.Name)
				delete(lost, o.Name)
			}
		}
		if strings.HasPrefix(e.Component, provisioners) && e.Op == trace.ComponentStop {
			maps.Copy(lost, asked)
		}
		if node, is := strings.CutPrefix(e.Component, "containerd/"); is && e.Op == trace.ComponentStop {
			off[node] = true
		}
		if e.Op != trace.Log {
			continue
		}
		disk, node := e.Text("disk"), e.Text("node")
		switch e.Text("message") {
		case "Disk is made":
			made[disk], volume[disk] = e.At, e.Text("name")
		case "Disk is deleted":
			delete(made, disk)
		case "Disk is attached":
			if was := at[disk]; was != "" && was != node {
				say("event %d: %s is attached to %s and to %s", e.ID, disk, was, node)
			}
			at[disk] = node
		case "Disk is detached":
			delete(at, disk)
			if since, is := staged[node+" "+disk]; is && !off[node] && e.At-since < 6*time.Minute {
				say("event %d: %s is detached from %s, where it is mounted", e.ID, disk, node)
			}
			delete(staged, node+" "+disk)
		case "GRPC call":
			node, is := strings.CutPrefix(e.Component, "kubelet/")
			switch key := node + " " + e.Text("volumeID"); {
			case is && strings.HasSuffix(e.Text("method"), "/NodeStageVolume"):
				staged[key] = e.At
			case is && strings.HasSuffix(e.Text("method"), "/NodeUnstageVolume"):
				delete(staged, key)
			case strings.HasPrefix(e.Component, provisioners) && strings.HasSuffix(e.Text("method"), "/CreateVolume"):
				asked[e.Text("name")] = true
			}
		}
	}
	state := rec.Now()
	last := rec.Event(trace.ID(rec.Len())).At
	has := map[string]bool{}
	for _, c := range state.Cells(trace.CellObject) {
		if v, ok := state[c].(*corev1.PersistentVolume); ok && v.Spec.CSI != nil {
			has[v.Spec.CSI.VolumeHandle] = true
			if _, there := made[v.Spec.CSI.VolumeHandle]; !there {
				say("volume %s is of %s, which is not there", v.Name, v.Spec.CSI.VolumeHandle)
			}
		} else if claim, ok := state[c].(*corev1.PersistentVolumeClaim); ok {
			delete(lost, "pvc-"+string(claim.UID)) // as long as there is a claim it is asked again
		}
	}
	for disk, since := range made { // order: the sentences are sorted
		if !has[disk] && last-since > 5*time.Second && !lost[volume[disk]] {
			say("no volume is of %s, which was made at %v", disk, since)
		}
	}
}
