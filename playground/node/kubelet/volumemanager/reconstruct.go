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

// volData is what the kubelet writes down of a volume before it has it mounted. Upstream: csi_plugin.go volDataKey.
type volData struct {
	DriverName   string `json:"driverName"`
	NodeName     string `json:"nodeName"`
	SpecVolID    string `json:"specVolID"` // the PersistentVolume's name
	VolumeHandle string `json:"volumeHandle"`
}

func volumeDir(v *CSIVolume) string {
	return podsDir + string(v.PodUID) + pluginDir + v.Volume.Name + "/"
}

func (c *csiVolumes) save(m *Manager, v *CSIVolume) {
	driver := v.Volume.Spec.CSI
	text, err := json.Marshal(volData{driver.Driver, m.host.NodeName(), v.Volume.Name, driver.VolumeHandle})
	if err != nil {
		panic("volumemanager: " + err.Error()) // strings
	}
	m.runtime.Disk().Volume(volumeDir(v)).Write(volDataFile, string(text))
}

// reconstruct reads what save wrote.
func (c *csiVolumes) reconstruct(m *Manager) {
	disk := m.runtime.Disk()
	for _, dir := range disk.Volumes(podsDir) {
		uid, name, of := strings.Cut(strings.TrimPrefix(dir, podsDir), pluginDir)
		text, ok := disk.Volume(dir).Read(volDataFile)
		var data volData
		if !of || !ok || json.Unmarshal([]byte(text), &data) != nil {
			continue
		}
		pv := &corev1.PersistentVolume{}
		pv.Name = strings.TrimSuffix(name, "/")
		pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: data.DriverName, VolumeHandle: data.VolumeHandle}
		v := &CSIVolume{Volume: pv, Name: uniqueName(pv.Spec.CSI), PodUID: types.UID(uid), published: true}
		c.reconstructed = append(c.reconstructed, v)
		c.staged[v.Name] = v
	}
}

// take returns a reconstructed volume for a Pod to which it belongs, nil if there is none, and leaves it to the caller.
func (c *csiVolumes) take(uid types.UID, name corev1.UniqueVolumeName) *CSIVolume {
	for i, v := range c.reconstructed {
		if v.PodUID == uid && (name == "" || v.Name == name) {
			c.reconstructed = append(c.reconstructed[:i:i], c.reconstructed[i+1:]...)
			return v
		}
	}
	return nil
}

// UnmountOrphans takes reconstructed volumes from Pods that are no longer there.
// Upstream: reconciler.go unmountVolumes, for what is not in the desired state of world.
func (m *Manager) UnmountOrphans(there func(types.UID) bool) {
	if m.csi == nil {
		return
	}
	for _, v := range append([]*CSIVolume(nil), m.csi.reconstructed...) {
		if there(v.PodUID) || m.csi.take(v.PodUID, v.Name) == nil {
			continue
		}
		m.csi.component.Go("unmount orphan", func(p *sim.Proc) { m.csi.unpublish(p, m, v) })
	}
}
