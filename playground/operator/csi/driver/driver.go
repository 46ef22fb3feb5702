// Package driver is a storage driver for disks of a cloud that does not exist: disk.csi.example.com. The same program is the controller's
// part, which runs once and speaks to the cloud, and that of each node, which puts a disk where its Pods are to find it.
//
// It does what a driver has to promise: each call can come again, and then nothing is done twice. So disks and snapshots are made by name,
// and what was staged or published already is left as it is. A snapshot is of the moment of the call, and ready some seconds later.
//
//	--endpoint=unix:///csi/csi.sock   listens there
//	--controller | --node             which of both it is
//	--node-id=NAME                    what the cloud calls this machine
//	--max-volumes-per-node=N          disks that a machine takes
//	--die-after=CreateVolume:2        it dies when the cloud has carried out the second CreateVolume, before it answers
//
// Simplified: the cloud is a list, a disk can be read from each node by whom it is attached to or not, and there are no zones.
//
// Upstream: the calls are those of csi.proto; kubernetes-csi/csi-driver-host-path is a driver to read.
package driver

import (
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/operator/csi/program"
	"kubewalk/playground/sim"
)

// Name is what the driver calls itself.
const Name = "disk.csi.example.com"

// The driver's components, with the node behind them.
const (
	ControllerComponent = "disk-controller"
	NodeComponent       = "disk-node"
)

// Driver is the program.
type Driver struct {
	program   *program.Program
	cloud     *Cloud
	nodeID    string
	most      int
	dies      string
	staged    []string // volumes
	published []string // paths
	rand      *sim.Rand
}

// Role is the component that a container's driver is: the part for the cloud, or that of a node.
func Role(c program.Container) string {
	if slices.Contains(c.Command(), "--node") {
		return NodeComponent
	}
	return ControllerComponent
}

// Start brings it up.
func Start(k *sim.Kernel, t client.Transport, sockets *csi.Sockets, c program.Container, cloud *Cloud) *program.Program {
	name := Role(c)
	return program.Start(k, name, t, sockets, c, func(p *sim.Proc, g *program.Program) {
		d := &Driver{program: g, cloud: cloud, nodeID: g.Flag("node-id", ""), dies: g.Flag("die-after", ""), rand: k.Rand(name)}
		d.most, _ = strconv.Atoi(g.Flag("max-volumes-per-node", "8")) // 0 is none, as upstream
		at := g.Socket(strings.TrimPrefix(g.Flag("endpoint", "unix:///csi/csi.sock"), "unix://"))
		p.Logger().Info("Listening for connections", "driver", Name, "address", at.Path)
		serve := d.controller
		if name == NodeComponent {
			serve = d.node
		}
		sockets.Listen(at, g.Component(), g.End(), func(p *sim.Proc, method string, in *csi.Request) (*csi.Response, error) {
			out, err := d.identity(method)
			if out == nil && err == nil {
				out, err = serve(p, method, in)
			}
			if short := method[strings.LastIndexByte(method, '/')+1:]; err == nil && d.cloud.carriedOut(short, d.dies) {
				p.Logger().Error(nil, "panic: runtime error: invalid memory address or nil pointer dereference")
				g.Exit(p, 2)
			}
			return out, err
		})
		g.OnTerm = func() { sockets.Remove(at) }
		p.Park()
	})
}

// identity answers what both parts are asked; nothing if it is about something else.
func (d *Driver) identity(method string) (*csi.Response, error) {
	switch method {
	case csi.Probe:
		return &csi.Response{Ready: true}, nil
	case csi.GetPluginInfo:
		return &csi.Response{Name: Name}, nil
	}
	return nil, nil
}

var errUnknown = &csi.Error{Code: csi.Unimplemented, Desc: "unknown method"}

// controller answers what is asked of the cloud.
func (d *Driver) controller(p *sim.Proc, method string, in *csi.Request) (*csi.Response, error) {
	switch method {
	case csi.CreateVolume:
		disk, err := d.cloud.create(p, in.Name, in.RequiredBytes, in.SnapshotID)
		if err != nil {
			return nil, err
		}
		return &csi.Response{VolumeID: disk.id, CapacityBytes: disk.bytes}, nil
	case csi.DeleteVolume:
		if disk := d.cloud.find(in.VolumeID); disk != nil {
			if disk.node != "" {
				return nil, &csi.Error{Code: csi.FailedPrecondition, Desc: "disk " + disk.id + " is attached to " + disk.node}
			}
			p.Sleep(d.rand.Between(minChange, maxChange))
			d.cloud.disks = slices.DeleteFunc(d.cloud.disks, func(o *Disk) bool { return o == disk })
			p.Logger().Info("Disk is deleted", "disk", disk.id)
		}
		return &csi.Response{}, nil
	case csi.ControllerPublishVolume:
		if err := d.cloud.attach(p, in.VolumeID, in.NodeID, d.most); err != nil {
			return nil, err
		}
		return &csi.Response{PublishContext: map[string]string{"devicePath": "/dev/disk/by-id/" + in.VolumeID}}, nil
	case csi.ControllerUnpublishVolume:
		d.cloud.detach(p, in.VolumeID, in.NodeID)
		return &csi.Response{}, nil
	case csi.ControllerExpandVolume:
		disk := d.cloud.find(in.VolumeID)
		if disk == nil {
			return nil, &csi.Error{Code: csi.NotFound, Desc: "there is no disk " + in.VolumeID}
		}
		p.Sleep(d.rand.Between(minChange, maxChange))
		disk.bytes = max(disk.bytes, in.RequiredBytes)
		return &csi.Response{CapacityBytes: disk.bytes, NodeExpansionRequired: true}, nil
	case csi.CreateSnapshot:
		snapshot, err := d.cloud.take(p, in.Name, in.SourceVolumeID)
		if err != nil {
			return nil, err
		}
		return &csi.Response{SnapshotID: snapshot.id, SizeBytes: snapshot.bytes, CreationTime: snapshot.at, ReadyToUse: snapshot.ready(p)}, nil
	case csi.DeleteSnapshot:
		d.cloud.drop(p, in.SnapshotID)
		return &csi.Response{}, nil
	}
	return nil, errUnknown
}

// node answers what is done on its machine: a disk is formatted and mounted once (staged), and from there into each Pod (published).
func (d *Driver) node(p *sim.Proc, method string, in *csi.Request) (*csi.Response, error) {
	disk := d.cloud.find(in.VolumeID)
	switch method {
	case csi.NodeGetInfo:
		return &csi.Response{NodeID: d.nodeID, MaxVolumesPerNode: int64(d.most)}, nil
	case csi.NodeStageVolume:
		if disk == nil || disk.node != d.nodeID {
			return nil, &csi.Error{Code: csi.NotFound, Desc: "no device of disk " + in.VolumeID + " on this machine"}
		}
		if !slices.Contains(d.staged, in.VolumeID) {
			p.Sleep(d.rand.Between(minChange, maxChange)) // mkfs, mount
			d.staged = append(d.staged, in.VolumeID)
		}
	case csi.NodePublishVolume:
		if !slices.Contains(d.staged, in.VolumeID) && (disk == nil || disk.node != d.nodeID) {
			return nil, &csi.Error{Code: csi.FailedPrecondition, Desc: "disk " + in.VolumeID + " is not staged"}
		}
		if !slices.Contains(d.published, in.TargetPath) {
			p.Sleep(d.rand.Between(minChange/10, maxChange/10)) // mount --bind
			d.published = append(d.published, in.TargetPath)
		}
	case csi.NodeUnpublishVolume:
		p.Sleep(d.rand.Between(minChange/10, maxChange/10))
		d.published = slices.DeleteFunc(d.published, func(path string) bool { return path == in.TargetPath })
	case csi.NodeUnstageVolume:
		p.Sleep(d.rand.Between(minChange/5, maxChange/5))
		d.staged = slices.DeleteFunc(d.staged, func(id string) bool { return id == in.VolumeID })
	case csi.NodeExpandVolume:
		if disk == nil {
			return nil, &csi.Error{Code: csi.NotFound, Desc: "there is no disk " + in.VolumeID}
		}
		p.Sleep(d.rand.Between(minChange/5, maxChange/5)) // resize2fs
		return &csi.Response{CapacityBytes: disk.bytes}, nil
	default:
		return nil, errUnknown
	}
	return &csi.Response{}, nil
}
