// Package csi is the kubelet's plugin for storage drivers. It finds them by the sockets of their registrars, tells the cluster of them in the
// node's CSINode, and calls them to stage and publish volumes.
//
// What a driver says of its node is asked once, when it registers: its name there, and how many volumes the node takes. Everything else
// is asked of the driver's own socket, call by call. Whether a volume is attached the plugin does not ask the driver: it reads the node's status
// and the VolumeAttachment, which others write.
//
// Simplified: what a driver is capable of is not asked (upstream calls NodeGetCapabilities before it stages): all drivers here stage and
// expand. A kubelet that was restarted stages and publishes again, which changes nothing; volumes of Pods that went meanwhile stay.
// Absent: ephemeral inline volumes, block devices, secrets, SELinux and fsGroup, statistics, the endpoint that changes limits.
//
// Upstream: pkg/kubelet/pluginmanager, pkg/volume/csi (csi_plugin.go, csi_attacher.go, csi_mounter.go, nodeinfomanager).
package csi

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/volumemanager"
	"kubewalk/playground/sim"
)

const (
	registry = "/var/lib/kubelet/plugins_registry"
	// loopPeriod is how often the directory is looked at. Upstream: pluginmanager, loopSleepDuration.
	loopPeriod = time.Second
	// csiTimeout is upstream's, in csi_plugin.go.
	csiTimeout = 2 * time.Minute
	// nodeIDAnnotation is on the Node: what each driver calls it.
	nodeIDAnnotation = "csi.volume.kubernetes.io/nodeid"
)

// Plugin is the kubelet's.
type Plugin struct {
	client  *client.Clientset
	runtime *cri.Runtime
	host    kubelet.CSIHost
	sockets *csi.Sockets
	drivers map[string]string // where each listens, by its name
	seen    map[string]seen   // by the file of the registrar's socket
}

// seen is a socket that the kubelet has dealt with.
type seen struct {
	driver string
	made   int
}

// New makes one for a kubelet, and has it look for drivers.
func New(c *sim.Component, cs *client.Clientset, runtime *cri.Runtime, host kubelet.CSIHost, sockets *csi.Sockets) *Plugin {
	pl := &Plugin{client: cs, runtime: runtime, host: host, sockets: sockets, drivers: map[string]string{}, seen: map[string]seen{}}
	c.Go("plugin-manager", pl.run)
	return pl
}

// at is the socket of a path of the machine.
func (pl *Plugin) at(path string) csi.Address {
	i := strings.LastIndexByte(path, '/')
	return csi.Address{Volume: pl.runtime.Disk().Volume("host" + path[:max(i, 0)]), Path: path[i+1:]}
}

func (pl *Plugin) dial(path string) *csi.Conn {
	return &csi.Conn{Sockets: pl.sockets, At: pl.at(path), Path: path, From: csi.End{Node: pl.host.Name, IP: pl.host.IP}}
}

// run registers drivers whose registrars have opened a socket, and forgets those whose socket is gone.
// Upstream: pluginmanager/reconciler.
func (pl *Plugin) run(p *sim.Proc) {
	directory := pl.runtime.Disk().Volume("host" + registry)
	for {
		p.Sleep(loopPeriod)
		if _, known := pl.host.Node(); !known {
			continue
		}
		there := pl.sockets.In(directory)
		for _, file := range slices.Sorted(maps.Keys(pl.seen)) {
			if before := pl.seen[file]; pl.sockets.Made(csi.Address{Volume: directory, Path: file}) != before.made {
				pl.deregister(p, before.driver)
				delete(pl.seen, file)
			}
		}
		for _, file := range there {
			at := csi.Address{Volume: directory, Path: file}
			if _, done := pl.seen[file]; done || !pl.sockets.Answers(at) {
				continue
			}
			made := pl.sockets.Made(at)
			name, err := pl.register(p, pl.dial(registry+"/"+file))
			if err != nil {
				p.Logger().Error(err, "RegisterPlugin error", "socket", file)
				continue
			}
			pl.seen[file] = seen{name, made}
		}
	}
}

// register asks who is there, and the driver what this node is to it. Upstream: RegistrationHandler.RegisterPlugin.
func (pl *Plugin) register(p *sim.Proc, registrar *csi.Conn) (string, error) {
	info, err := registrar.Call(p, csi.GetInfo, &csi.Request{}, csiTimeout)
	if err != nil {
		return "", err
	}
	p.Logger().Info("Register new plugin with name", "name", info.Name, "endpoint", info.Endpoint)
	pl.drivers[info.Name] = info.Endpoint
	node, err := pl.dial(info.Endpoint).Call(p, csi.NodeGetInfo, &csi.Request{}, csiTimeout)
	if err == nil {
		err = pl.install(p, info.Name, node)
	}
	status := &csi.Request{PluginRegistered: err == nil}
	if err != nil {
		delete(pl.drivers, info.Name)
		status.Error = err.Error()
	}
	if _, notified := registrar.Call(p, csi.NotifyRegistrationStatus, status, csiTimeout); err == nil {
		err = notified
	}
	return info.Name, err
}

// region install
// install writes what a driver says of this node. Upstream: nodeinfomanager, InstallCSIDriver.
func (pl *Plugin) install(p *sim.Proc, driver string, info *csi.Response) error {
	if err := pl.annotate(p, func(ids map[string]string) { ids[driver] = info.NodeID }); err != nil {
		return err
	}
	own := storagev1.CSINodeDriver{Name: driver, NodeID: info.NodeID}
	if most := int32(min(info.MaxVolumesPerNode, 1<<31-1)); most > 0 {
		own.Allocatable = &storagev1.VolumeNodeResources{Count: &most}
	}
	return pl.updateCSINode(p, func(drivers []storagev1.CSINodeDriver) []storagev1.CSINodeDriver { return append(drivers, own) }, driver)
}

// endregion

func (pl *Plugin) deregister(p *sim.Proc, driver string) {
	p.Logger().Info("DeRegisterPlugin request for plugin", "name", driver)
	delete(pl.drivers, driver)
	err := pl.updateCSINode(p, func(drivers []storagev1.CSINodeDriver) []storagev1.CSINodeDriver { return drivers }, driver)
	if err == nil {
		err = pl.annotate(p, func(ids map[string]string) { delete(ids, driver) })
	}
	if err != nil {
		p.Logger().Error(err, "DeRegisterPlugin failed", "name", driver)
	}
}

// annotate changes what drivers call this node. Upstream: updateNodeIDInNode.
func (pl *Plugin) annotate(p *sim.Proc, change func(map[string]string)) error {
	node, err := pl.client.CoreV1().Nodes().Get(p, pl.host.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	ids := map[string]string{}
	if text := node.Annotations[nodeIDAnnotation]; text != "" {
		if err := json.Unmarshal([]byte(text), &ids); err != nil {
			return fmt.Errorf("failed to parse node's %q annotation: %w", nodeIDAnnotation, err)
		}
	}
	change(ids)
	text, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	var value any = string(text)
	if len(ids) == 0 {
		value = nil
	}
	if node.Annotations[nodeIDAnnotation] == value || value == nil && node.Annotations[nodeIDAnnotation] == "" {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{nodeIDAnnotation: value}}})
	if err != nil {
		return err
	}
	_, err = pl.client.CoreV1().Nodes().Patch(p, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

// updateCSINode replaces what the node's CSINode says of a driver. Upstream: updateCSINode, tryUpdateCSINode.
func (pl *Plugin) updateCSINode(p *sim.Proc, change func([]storagev1.CSINodeDriver) []storagev1.CSINodeDriver, driver string) error {
	nodes := pl.client.StorageV1().CSINodes()
	for range 5 {
		n, err := nodes.Get(p, pl.host.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			n = &storagev1.CSINode{}
			n.Name = pl.host.Name
			if node, ok := pl.host.Node(); ok {
				n.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}
			}
			n, err = nodes.Create(p, n, metav1.CreateOptions{})
		}
		if err != nil {
			return err
		}
		next := n.DeepCopy()
		next.Spec.Drivers = change(slices.DeleteFunc(next.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver }))
		if _, err = nodes.Update(p, next, metav1.UpdateOptions{}); err == nil || !apierrors.IsConflict(err) {
			return err
		}
	}
	return errors.New("error updating CSINode: timed out")
}

// driver is the connection to a volume's.
func (pl *Plugin) driver(v *volumemanager.CSIVolume) (*csi.Conn, error) {
	endpoint, known := pl.drivers[v.Volume.Spec.CSI.Driver]
	if !known {
		return nil, fmt.Errorf("driver name %s not found in the list of registered CSI drivers", v.Volume.Spec.CSI.Driver)
	}
	return pl.dial(endpoint), nil
}

// Attached waits for the node's status and the VolumeAttachment.
// Upstream: GenerateVerifyControllerAttachedVolumeFunc, and csiAttacher.WaitForAttach.
func (pl *Plugin) Attached(p *sim.Proc, v *volumemanager.CSIVolume) error {
	is := func(a corev1.AttachedVolume) bool { return a.Name == v.Name }
	if node, _ := pl.host.Node(); node == nil || !slices.ContainsFunc(node.Status.VolumesAttached, is) {
		return volumemanager.NotYet("volume %s is not yet in node's status", v.Name)
	}
	if !v.ReportedInUse {
		return volumemanager.NotYet("volume %s has not been added to the list of VolumesInUse in the node's volume status", v.Name)
	}
	node, err := pl.client.CoreV1().Nodes().Get(p, pl.host.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(node.Status.VolumesAttached, is) {
		return volumemanager.NotYet("volume not attached according to node status")
	}
	handle, name := v.Volume.Spec.CSI.VolumeHandle, pl.attachmentName(v)
	attachment, err := pl.client.StorageV1().VolumeAttachments().Get(p, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("volume %s has GET error for volume attachment %s: %w", handle, name, err)
	}
	if !attachment.Status.Attached {
		return fmt.Errorf("volume %s is not attached for volume attachment %s", handle, name)
	}
	return nil
}

func (pl *Plugin) attachmentName(v *volumemanager.CSIVolume) string {
	c := v.Volume.Spec.CSI
	return fmt.Sprintf("csi-%x", sha256.Sum256([]byte(c.VolumeHandle+c.Driver+pl.host.Name)))
}

// staging is where a volume lies on the machine. Upstream: makeDeviceMountPath.
func staging(v *volumemanager.CSIVolume) string {
	c := v.Volume.Spec.CSI
	return fmt.Sprintf("/var/lib/kubelet/plugins/kubernetes.io/csi/%s/%x/globalmount", c.Driver, sha256.Sum256([]byte(c.VolumeHandle)))
}

// target is where a Pod has it. Upstream: csiMountMgr.GetPath.
func target(v *volumemanager.CSIVolume) string {
	return "/var/lib/kubelet/pods/" + string(v.PodUID) + "/volumes/kubernetes.io~csi/" + v.Volume.Name + "/mount"
}

// call asks a volume's driver, for csiTimeout at most.
func (pl *Plugin) call(p *sim.Proc, v *volumemanager.CSIVolume, method string, in *csi.Request) (*csi.Response, error) {
	conn, err := pl.driver(v)
	if err != nil {
		return nil, err
	}
	in.VolumeID = v.Volume.Spec.CSI.VolumeHandle
	return conn.Call(p, method, in, csiTimeout)
}

// MountDevice has the driver stage a volume. Upstream: csiAttacher.MountDevice.
func (pl *Plugin) MountDevice(p *sim.Proc, v *volumemanager.CSIVolume) error {
	_, err := pl.call(p, v, csi.NodeStageVolume, &csi.Request{StagingTargetPath: staging(v)})
	return err
}

// SetUp has it published to a Pod. Upstream: csiMountMgr.SetUpAt.
func (pl *Plugin) SetUp(p *sim.Proc, v *volumemanager.CSIVolume) error {
	_, err := pl.call(p, v, csi.NodePublishVolume, &csi.Request{StagingTargetPath: staging(v), TargetPath: target(v)})
	return err
}

// TearDown takes it from the Pod. Upstream: csiMountMgr.TearDownAt.
func (pl *Plugin) TearDown(p *sim.Proc, v *volumemanager.CSIVolume) error {
	_, err := pl.call(p, v, csi.NodeUnpublishVolume, &csi.Request{TargetPath: target(v)})
	return err
}

// UnmountDevice takes it from the machine. Upstream: csiAttacher.UnmountDevice.
func (pl *Plugin) UnmountDevice(p *sim.Proc, v *volumemanager.CSIVolume) error {
	_, err := pl.call(p, v, csi.NodeUnstageVolume, &csi.Request{StagingTargetPath: staging(v)})
	return err
}

// Expand has the file system grow. Upstream: csi/expander.go, NodeExpand.
func (pl *Plugin) Expand(p *sim.Proc, v *volumemanager.CSIVolume, bytes int64) error {
	_, err := pl.call(p, v, csi.NodeExpandVolume, &csi.Request{TargetPath: target(v), StagingTargetPath: staging(v), RequiredBytes: bytes})
	return err
}
