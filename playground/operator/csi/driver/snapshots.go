package driver

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/node/csi"
	"kubewalk/playground/sim"
)

// Snapshot is what was on a disk at a moment.
type Snapshot struct {
	id, name, disk string
	bytes          int64
	at             time.Time     // when it was taken
	uploaded       time.Duration // from when on disks can be made of it
}

// How long the cloud takes to copy a snapshot to where disks can be made of it. The disk can be written to meanwhile.
const minUpload, maxUpload = 4 * time.Second, 6 * time.Second

// Snapshots is how many there are, for who checks that none is left over.
func (c *Cloud) Snapshots() int { return len(c.snapshots) }

func (c *Cloud) snapshot(id string) *Snapshot {
	for _, s := range c.snapshots {
		if s.id == id {
			return s
		}
	}
	return nil
}

func (s *Snapshot) ready(p *sim.Proc) bool { return p.Now() >= s.uploaded }

// take takes a snapshot of a disk, or finds the one that was taken for that name.
func (c *Cloud) take(p *sim.Proc, name, disk string) (*Snapshot, error) {
	for _, s := range c.snapshots {
		if s.name == name {
			p.Logger().Info("Snapshot exists already", "snapshot", s.id, "name", name)
			return s, nil
		}
	}
	d := c.find(disk)
	if d == nil {
		return nil, &csi.Error{Code: csi.NotFound, Desc: "there is no disk " + disk}
	}
	c.taken++
	s := &Snapshot{id: fmt.Sprintf("snap-%d", c.taken), name: name, disk: disk, bytes: d.bytes, at: p.Time()}
	c.files.Copy(d.name, s.id)
	p.Sleep(c.rand.Between(minChange, maxChange))
	s.uploaded = p.Now() + c.rand.Between(minUpload, maxUpload)
	c.snapshots = append(c.snapshots, s)
	p.Logger().Info("Snapshot is made", "snapshot", s.id, "name", name, "disk", disk)
	return s, nil
}

// drop deletes a snapshot, if it is there.
func (c *Cloud) drop(p *sim.Proc, id string) {
	s := c.snapshot(id)
	if s == nil {
		return
	}
	p.Sleep(c.rand.Between(minChange, maxChange))
	c.snapshots = slices.DeleteFunc(c.snapshots, func(o *Snapshot) bool { return o == s })
	c.files.Remove(id)
	p.Logger().Info("Snapshot is deleted", "snapshot", id)
}
