package volumemanager

import (
	"encoding/json"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// A kubelet that starts reads from its disk which volumes of drivers its predecessor has mounted, or had begun to, for which Pods. It says
// that they are in use, mounts them again for Pods that go on, and takes them from all others: those that end, and those
// that the API no longer has. Upstream: reconciler/reconstruct.go reconstructVolumes, and csi_mounter.go.

// podsDir is where the disk has what belongs to Pods, and pluginDir where those have volumes of drivers.
const podsDir, pluginDir, volDataFile = "pods/", "/volumes/kubernetes.io~csi/", "vol_data.json"

func volumeDir(v *CSIVolume) string {
	return podsDir + string(v.PodUID) + pluginDir + v.Volume.Name + "/"
}

// save writes down a volume before it is mounted. Upstream: csi_util.go saveVolumeData, with the keys of csi_plugin.go volDataKey.
func (c *csiVolumes) save(m *Manager, v *CSIVolume) {
	driver := v.Volume.Spec.CSI
	text, err := json.Marshal(map[string]string{
		"driverName": driver.Driver, "nodeName": m.host.NodeName(), "specVolID": v.Volume.Name, "volumeHandle": driver.VolumeHandle})
	if err == nil { // they are strings
		m.runtime.Disk().Volume(volumeDir(v)).Write(volDataFile, string(text))
	}
}

// reconstruct reads what save wrote.
func (c *csiVolumes) reconstruct(m *Manager) {
	disk := m.runtime.Disk()
	for _, dir := range disk.Volumes(podsDir) {
		uid, _, of := strings.Cut(strings.TrimPrefix(dir, podsDir), pluginDir)
		text, _ := disk.Volume(dir).Read(volDataFile)
		var data map[string]string
		if !of || json.Unmarshal([]byte(text), &data) != nil {
			continue
		}
		pv := &corev1.PersistentVolume{}
		pv.Name = data["specVolID"]
		pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: data["driverName"], VolumeHandle: data["volumeHandle"]}
		v := &CSIVolume{Volume: pv, Name: uniqueName(pv.Spec.CSI), PodUID: types.UID(uid), published: true}
		c.reconstructed = append(c.reconstructed, v)
		c.staged[v.Name] = v
	}
}

// find returns a reconstructed volume, and where it is: of a Pod, of a name, or of both; nil if there is none.
func (c *csiVolumes) find(uid types.UID, name corev1.UniqueVolumeName) (*CSIVolume, int) {
	for i, v := range c.reconstructed {
		if (uid == "" || v.PodUID == uid) && (name == "" || v.Name == name) {
			return v, i
		}
	}
	return nil, 0
}

// take leaves one to the caller.
func (c *csiVolumes) take(uid types.UID, name corev1.UniqueVolumeName) *CSIVolume {
	v, i := c.find(uid, name)
	if v != nil {
		c.reconstructed = append(c.reconstructed[:i:i], c.reconstructed[i+1:]...)
	}
	return v
}

// left tells whether the kubelet before has left volumes of a Pod.
func (m *Manager) left(uid types.UID) bool {
	if m.csi == nil {
		return false
	}
	v, _ := m.csi.find(uid, "")
	return v != nil
}

// UnmountOrphans takes reconstructed volumes from Pods that are no longer there.
// Upstream: reconciler.go unmountVolumes, for what is not in the desired state of world.
func (m *Manager) UnmountOrphans(there func(types.UID) bool) {
	if m.csi == nil {
		return
	}
	for i := 0; i < len(m.csi.reconstructed); {
		v := m.csi.reconstructed[i]
		if there(v.PodUID) {
			i++
			continue
		}
		m.csi.take(v.PodUID, v.Name)
		m.csi.component.Go("unmount orphan", func(p *sim.Proc) { m.csi.unpublish(p, m, v) })
	}
}
