package driver

import (
	"fmt"
	"time"

	"kubewalk/playground/node/csi"
	"kubewalk/playground/sim"
)

// Cloud is where the disks are. It is outside of the cluster, and outlives every program in it.
type Cloud struct {
	rand      *sim.Rand
	files     Files
	disks     []*Disk
	made      int
	snapshots []*Snapshot
	taken     int
	calls     map[string]int // how often each call of the driver has been carried out
}

// Files is where the files of disks and snapshots are, by their names.
type Files interface {
	Copy(from, to string)
	Remove(name string)
}

// Disk is one of them.
type Disk struct {
	id, name string
	bytes    int64
	node     string // that has it; "" for none
}

// How long the cloud takes.
const (
	minCreate, maxCreate = 700 * time.Millisecond, 1100 * time.Millisecond
	minAttach, maxAttach = 1200 * time.Millisecond, 1800 * time.Millisecond
	minChange, maxChange = 300 * time.Millisecond, 600 * time.Millisecond
)

// NewCloud returns one without disks.
func NewCloud(k *sim.Kernel, files Files) *Cloud {
	return &Cloud{rand: k.Rand("disk-cloud"), files: files, calls: map[string]int{}}
}

// Disks are the disks, for who checks that none is left over: how many there are, and how many are attached.
func (c *Cloud) Disks() (all, attached int) {
	for _, d := range c.disks {
		if d.node != "" {
			attached++
		}
	}
	return len(c.disks), attached
}

func (c *Cloud) find(id string) *Disk {
	for _, d := range c.disks {
		if d.id == id {
			return d
		}
	}
	return nil
}

// create makes a disk, with what is in a snapshot if one is named, or finds the one that was made for that name.
func (c *Cloud) create(p *sim.Proc, name string, bytes int64, snapshot string) (*Disk, error) {
	for _, d := range c.disks {
		if d.name == name {
			p.Logger().Info("Disk exists already", "disk", d.id, "name", name)
			return d, nil
		}
	}
	from := c.snapshot(snapshot)
	switch {
	case snapshot == "":
	case from == nil:
		return nil, &csi.Error{Code: csi.NotFound, Desc: "there is no snapshot " + snapshot}
	case !from.ready(p):
		return nil, &csi.Error{Code: csi.Unavailable, Desc: "snapshot " + snapshot + " is not ready"}
	case bytes < from.bytes:
		return nil, &csi.Error{Code: csi.OutOfRange, Desc: fmt.Sprintf("snapshot %s needs a disk of %d bytes", snapshot, from.bytes)}
	}
	c.made++
	d := &Disk{id: fmt.Sprintf("disk-%d", c.made), name: name, bytes: bytes}
	p.Sleep(c.rand.Between(minCreate, maxCreate))
	c.disks = append(c.disks, d)
	if from == nil {
		p.Logger().Info("Disk is made", "disk", d.id, "name", name, "bytes", bytes)
		return d, nil
	}
	c.files.Copy(from.id, name)
	p.Logger().Info("Disk is made", "disk", d.id, "name", name, "bytes", bytes, "snapshot", from.id)
	return d, nil
}

// attach gives a disk to a node. It can be at one only, and a node has room for so many.
func (c *Cloud) attach(p *sim.Proc, id, node string, most int) error {
	d := c.find(id)
	has := 0
	for _, o := range c.disks {
		if o.node == node && o != d {
			has++
		}
	}
	switch {
	case d == nil:
		return &csi.Error{Code: csi.NotFound, Desc: "there is no disk " + id}
	case d.node == node:
		return nil
	case d.node != "":
		return &csi.Error{Code: csi.FailedPrecondition, Desc: "disk " + id + " is attached to " + d.node}
	case has >= most:
		return &csi.Error{Code: csi.ResourceExhausted, Desc: fmt.Sprintf("node %s has %d disks, and takes no more", node, has)}
	}
	d.node = node // from here on, nobody else gets it
	p.Sleep(c.rand.Between(minAttach, maxAttach))
	p.Logger().Info("Disk is attached", "disk", id, "node", node)
	return nil
}

// detach takes it away, whatever the node does with it.
func (c *Cloud) detach(p *sim.Proc, id, node string) {
	d := c.find(id)
	if d == nil || d.node != node {
		return
	}
	p.Sleep(c.rand.Between(minAttach, maxAttach))
	d.node = ""
	p.Logger().Info("Disk is detached", "disk", id, "node", node)
}

// region doubt
// carriedOut is after a call has been carried out, and before the driver answers. It tells whether the driver dies here.
func (c *Cloud) carriedOut(method, dies string) bool {
	c.calls[method]++
	return fmt.Sprintf("%s:%d", method, c.calls[method]) == dies
}

// endregion
