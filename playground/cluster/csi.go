//go:build !js || cel

package cluster

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
	kubeletcsi "kubewalk/playground/node/kubelet/csi"
	"kubewalk/playground/node/kubelet/volumemanager"
	"kubewalk/playground/operator/csi/attacher"
	"kubewalk/playground/operator/csi/driver"
	"kubewalk/playground/operator/csi/livenessprobe"
	"kubewalk/playground/operator/csi/noderegistrar"
	storage "kubewalk/playground/operator/csi/program"
	"kubewalk/playground/operator/csi/provisioner"
	"kubewalk/playground/operator/csi/resizer"
	"kubewalk/playground/operator/csi/snapshotcontroller"
	"kubewalk/playground/operator/csi/snapshotter"
	"kubewalk/playground/sim"
)

// storageDriver is the driver's part that speaks to the cloud: it is what faults name. A Pod starts it, as its sidecars.
func storageDriver() []operator { return []operator{{driver.ControllerComponent, nil, nil}} }

// storageDrivers is what CSI drivers have outside of their programs: the sockets on the machines, and the disks in the cloud.
type storageDrivers struct {
	sockets    *csi.Sockets
	cloud      *driver.Cloud
	running    map[string]*sim.Component // by program and node
	controller *storage.Program          // the driver's; nil before the first
}

func (c *Cluster) volumes() *storageDrivers {
	d := &c.drivers
	if d.sockets == nil {
		d.sockets, d.cloud, d.running = csi.NewSockets(c.kernel), driver.NewCloud(c.kernel, cloudFiles{c.storage}), map[string]*sim.Component{}
	}
	return d
}

// kubeletCSI is the plugin of kubelets; nil where there are no drivers.
func (c *Cluster) kubeletCSI() func(*sim.Component, *client.Clientset, *cri.Runtime, kubelet.CSIHost) volumemanager.CSI {
	if !c.config.usesCSI() {
		return nil
	}
	sockets := c.volumes().sockets
	return func(component *sim.Component, cs *client.Clientset, runtime *cri.Runtime, host kubelet.CSIHost) volumemanager.CSI {
		return kubeletcsi.New(component, cs, runtime, host, sockets)
	}
}

// storageProgram starts what a container of a driver's Pod runs; nil if the node has one of the kind.
func (c *Cluster) storageProgram(name string, in *cri.Inside) cri.Guest {
	if !c.config.usesCSI() {
		return nil
	}
	d, inside := c.volumes(), inStorage{in}
	t, _ := c.accountOf(in)
	role := name
	if name == "disk-driver" {
		role = driver.Role(inside)
	}
	if now := d.running[role+"/"+in.Node()]; now != nil && now.Running() {
		return nil
	}
	var guest interface {
		cri.Guest
		Component() *sim.Component
	}
	switch name {
	case provisioner.Name:
		guest = provisioner.Start(c.kernel, t, d.sockets, inside)
	case attacher.Name:
		guest = attacher.Start(c.kernel, t, d.sockets, inside)
	case resizer.Name:
		guest = resizer.Start(c.kernel, t, d.sockets, inside)
	case snapshotter.Name:
		guest = snapshotter.Start(c.kernel, t, d.sockets, inside)
	case snapshotcontroller.Name:
		guest = snapshotcontroller.Start(c.kernel, t, d.sockets, inside)
	case noderegistrar.Name:
		guest = noderegistrar.Start(c.kernel, t, d.sockets, inside)
	case livenessprobe.Name:
		guest = probing{livenessprobe.Start(c.kernel, t, d.sockets, inside)}
	default:
		p := driver.Start(c.kernel, t, d.sockets, inside, d.cloud)
		if role == driver.ControllerComponent {
			d.controller = p
		}
		guest = p
	}
	d.running[role+"/"+in.Node()] = guest.Component()
	return guest
}

// cloudFiles are the files of the cloud's disks, which are those of the PersistentVolumes of the same names, and of its snapshots:
// it implements driver.Files.
type cloudFiles struct{ disk *cri.Disk }

// Copy makes one name have the files that another has now.
func (f cloudFiles) Copy(from, to string) {
	f.disk.Volume("pv/" + to).CopyFrom(f.disk.Volume("pv/" + from))
}

// Remove deletes a name's files.
func (f cloudFiles) Remove(name string) { f.disk.Volume("pv/"+name).Replace(nil, nil) }

// inStorage is what such a program sees of its container: it implements storage.Container.
type inStorage struct{ *cri.Inside }

func (i inStorage) End() csi.End { return csi.End{Node: i.Node(), IP: i.IP()} }

func (i inStorage) Socket(path string) csi.Address {
	v, inside := i.File(path)
	return csi.Address{Volume: v, Path: inside}
}

// storagePart is the driver's controller, as a part that can be killed.
func (c *Cluster) storagePart(name string) *part {
	running := func() bool { return c.drivers.controller != nil && c.drivers.controller.Component().Running() }
	return &part{name: name, running: running, stop: func(reason string) { c.drivers.controller.Kill(reason) }, start: func() error { return errStartedByPod }}
}

// probing is livenessprobe in its container, which answers requests.
type probing struct{ *livenessprobe.Probe }

// Serve answers a request.
func (g probing) Serve(_ cri.Request, done func(status int, body string)) { g.Probe.Serve(done) }
