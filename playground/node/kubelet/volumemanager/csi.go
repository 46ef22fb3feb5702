package volumemanager

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/sim"
)

// CSI is the plugin that calls drivers. A volume is staged on the node once, and published to each Pod that uses it.
// Upstream: volume.DeviceMounter, DeviceUnmounter, Mounter and Unmounter, in pkg/volume/csi.
type CSI interface {
	// Attached returns nil once a volume can be used on this node: the node's status says that it is attached.
	Attached(p *sim.Proc, v *CSIVolume) error
	MountDevice(p *sim.Proc, v *CSIVolume) error
	SetUp(p *sim.Proc, v *CSIVolume) error
	TearDown(p *sim.Proc, v *CSIVolume) error
	UnmountDevice(p *sim.Proc, v *CSIVolume) error
	// Expand has a file system grow with its volume. It returns the volume's size.
	Expand(p *sim.Proc, v *CSIVolume, bytes int64) error
}

// CSIVolume is a volume of a driver, for a Pod.
type CSIVolume struct {
	Volume                 *corev1.PersistentVolume
	Claim                  *corev1.PersistentVolumeClaim
	Name                   corev1.UniqueVolumeName
	PodUID                 types.UID
	ReportedInUse          bool // the node's status says that this kubelet uses it
	staged                 bool // for this Pod; if it failed, it may be there nevertheless
	published, isPublished bool // it was asked for; it is there
}

// csiVolumes are the volumes of drivers on this node.
type csiVolumes struct {
	component *sim.Component
	plugin    CSI
	reported  []corev1.UniqueVolumeName
	staged    map[corev1.UniqueVolumeName]*CSIVolume // with a Pod, for whom it was staged
	busy      map[corev1.UniqueVolumeName]bool       // somebody stages it, or takes it away
	// reconstructed are those of the kubelet before, for Pods that this one has not come to.
	reconstructed []*CSIVolume
}

// preconditionError is what a volume waits for that others do: nothing has failed.
// Upstream: operationexecutor.MountPreConditionFailed.
type preconditionError struct{ text string }

func (e *preconditionError) Error() string { return e.text }

// UseCSI has volumes of drivers mounted by a plugin, beginning with those that are.
func (m *Manager) UseCSI(c *sim.Component, plugin CSI) {
	m.csi = &csiVolumes{component: c, plugin: plugin, staged: map[corev1.UniqueVolumeName]*CSIVolume{}, busy: map[corev1.UniqueVolumeName]bool{}}
	m.csi.reconstruct(m)
}

// uniqueName is what the node's status calls a volume. Upstream: GetUniqueVolumeName.
func uniqueName(source *corev1.CSIPersistentVolumeSource) corev1.UniqueVolumeName {
	return corev1.UniqueVolumeName("kubernetes.io/csi/" + source.Driver + "^" + source.VolumeHandle)
}

// NotYet is an error of a plugin for what the kubelet has to wait for.
func NotYet(format string, args ...any) error {
	return &preconditionError{fmt.Sprintf(format, args...)}
}

// MarkVolumesAsReportedInUse notes what the node's status says. Upstream: volume_manager.go, same name.
func (m *Manager) MarkVolumesAsReportedInUse(names []corev1.UniqueVolumeName) {
	if m.csi != nil {
		m.csi.reported = names
	}
}

// setUp makes a volume be there for a Pod: it waits until it is attached, stages it if nobody has, and publishes it.
// Upstream: operation_generator.go, GenerateVerifyControllerAttachedVolumeFunc and GenerateMountVolumeFunc.
func (c *csiVolumes) setUp(p *sim.Proc, m *Manager, pod *corev1.Pod, claim *corev1.PersistentVolumeClaim, pv *corev1.PersistentVolume, state *mounted) error {
	if state.csi == nil {
		if state.csi = c.take(pod.UID, state.unique); state.csi == nil {
			state.csi = &CSIVolume{Name: state.unique, PodUID: pod.UID}
		}
	}
	v := state.csi
	v.Volume, v.Claim, v.ReportedInUse = pv, claim, slices.Contains(c.reported, state.unique)
	if v.isPublished {
		return c.expand(p, m, pod, v)
	}
	if c.busy[v.Name] {
		return NotYet("operation is under way for volume %s", v.Name)
	}
	if before := c.staged[v.Name]; before == nil || !before.staged {
		if err := c.plugin.Attached(p, v); err != nil {
			return err
		}
		c.busy[v.Name], c.staged[v.Name] = true, v
		err := c.plugin.MountDevice(p, v)
		delete(c.busy, v.Name)
		if err != nil {
			return &deviceError{err}
		}
		v.staged = true
		p.Logger().Info("MountVolume.MountDevice succeeded for volume "+pv.Name, "pod", container.PodKey(pod))
	}
	v.published = true
	c.save(m, v)
	if err := c.plugin.SetUp(p, v); err != nil {
		return err
	}
	v.isPublished = true
	return nil
}

// deviceError is a volume that could not be staged.
type deviceError struct{ error }

func (e *deviceError) Unwrap() error { return e.error }

// tearDown takes a Pod's volumes from it, and waits for that; what nobody else uses is taken from the node behind its back.
// Upstream: operation_generator.go, GenerateUnmountVolumeFunc and GenerateUnmountDeviceFunc.
func (c *csiVolumes) tearDown(p *sim.Proc, m *Manager, uid types.UID) {
	for _, name := range m.GetVolumesInUse() {
		for _, state := range m.pods[uid] { // order: one of them has the name
			v := state.csi
			if v == nil || v.Name != name {
				continue
			}
			state.csi = nil
			state.unique = ""
			c.unpublish(p, m, v)
		}
	}
	for v := c.take(uid, ""); v != nil; v = c.take(uid, "") {
		c.unpublish(p, m, v)
	}
}

// unpublish takes a volume from a Pod, and from the node when nobody else uses it.
func (c *csiVolumes) unpublish(p *sim.Proc, m *Manager, v *CSIVolume) {
	if v.published {
		again(p, "UnmountVolume.TearDown", v, c.plugin.TearDown)
		v.published, v.isPublished = false, false
		m.runtime.Disk().RemoveVolumes(volumeDir(v))
	}
	c.unstage(m, v)
}

// unstage takes a volume from the node that no Pod uses.
func (c *csiVolumes) unstage(m *Manager, v *CSIVolume) {
	for _, volumes := range m.pods { // order: whether there is one
		for _, o := range volumes { // order: whether there is one
			if o.unique == v.Name {
				return
			}
		}
	}
	if left, _ := c.find("", v.Name); left != nil || c.staged[v.Name] == nil || c.busy[v.Name] {
		return
	}
	c.busy[v.Name] = true
	c.component.Go("unmount device", func(p *sim.Proc) {
		again(p, "UnmountDevice", v, c.plugin.UnmountDevice)
		delete(c.busy, v.Name)
		delete(c.staged, v.Name)
	})
}

// again tries until it succeeds, later each time.
func again(p *sim.Proc, what string, v *CSIVolume, do func(*sim.Proc, *CSIVolume) error) {
	for wait := initialDurationBeforeRetry; ; wait = min(2*wait, maxDurationBeforeRetry) {
		err := do(p, v)
		if err == nil {
			p.Logger().Info(what+" succeeded for volume "+v.Volume.Name, "volumeName", string(v.Name))
			return
		}
		p.Logger().Error(err, what+" failed for volume "+v.Volume.Name, "volumeName", string(v.Name), "durationBeforeRetry", wait)
		p.Sleep(wait)
	}
}

// expand has the file system of a volume grow that has grown. Upstream: GenerateExpandInUseVolumeFunc, and node_expander.go.
func (c *csiVolumes) expand(p *sim.Proc, m *Manager, pod *corev1.Pod, v *CSIVolume) error {
	size, has := v.Volume.Spec.Capacity[corev1.ResourceStorage], v.Claim.Status.Capacity[corev1.ResourceStorage]
	if size.Cmp(has) <= 0 {
		return nil
	}
	if err := c.plugin.Expand(p, v, size.Value()); err != nil {
		return err
	}
	next := v.Claim.DeepCopy()
	next.Status.Capacity[corev1.ResourceStorage] = size
	next.Status.Conditions, next.Status.AllocatedResourceStatuses = nil, nil
	if _, err := m.client.CoreV1().PersistentVolumeClaims(next.Namespace).UpdateStatus(p, next, metav1.UpdateOptions{}); err != nil {
		return err
	}
	for _, about := range []*corev1.ObjectReference{container.PodReference(pod),
		{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: next.Namespace, Name: next.Name, UID: next.UID}} {
		m.recorder.Eventf(about, corev1.EventTypeNormal, "FileSystemResizeSuccessful", "MountVolume.NodeExpandVolume succeeded for volume %q %s",
			v.Volume.Name, m.host.NodeName())
	}
	return nil
}
