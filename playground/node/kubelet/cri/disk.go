package cri

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Disk is what a node keeps while it is switched off: its images, containerd's
// records of sandboxes and containers, and which addresses were given out.
// Start a runtime on the same Disk after a power cut, on a new one for a new
// machine.
type Disk struct {
	sandboxes  []*PodSandbox // in the order of their creation
	containers []*Container
	images     []*Image
	addresses  addresses
	used       bool
	filled     int64 // bytes that a fault has put there
	system     int64 // bytes of memory that a fault has the node's programs use
	volumes    map[string]*Volume
	changes    int64            // how often a sandbox or a container has changed
	changed    map[string]int64 // the number of the last change, by Pod, while it has a sandbox
}

// Volume returns a directory on the node's disk by its path, and makes it if
// it isn't there: what a hostPath, an emptyDir or a mounted ConfigMap is.
func (d *Disk) Volume(path string) *Volume {
	if d.volumes == nil {
		d.volumes = map[string]*Volume{}
	}
	v := d.volumes[path]
	if v == nil {
		v = NewVolume()
		if path == "host/etc/hosts" { // of the node's own files, the one that a Pod may mount
			v.Write("", usualHosts)
		}
		d.volumes[path] = v
	}
	return v
}

// Volumes are the paths of the directories below one, in order.
func (d *Disk) Volumes(prefix string) (paths []string) {
	for path := range d.volumes { // order: sorted below
		if strings.HasPrefix(path, prefix) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// RemoveVolumes deletes the directories below a path.
func (d *Disk) RemoveVolumes(prefix string) {
	for path := range d.volumes { // order: deleting has none
		if strings.HasPrefix(path, prefix) {
			delete(d.volumes, path)
		}
	}
}

// NewDisk is an empty one.
func NewDisk() *Disk { return &Disk{changed: map[string]int64{}} }

// touch counts a change of one of the Pod's sandboxes or containers.
func (d *Disk) touch(uid string) {
	d.changes++
	d.changed[uid] = d.changes
}

// recover does what containerd does at its start: what was running when the
// power went is recorded as ended, for an unknown reason.
// Upstream: containerd internal/cri/server/restart.go, loadContainer and loadSandbox.
func (d *Disk) recover(now time.Time) {
	d.changes++
	for _, s := range d.sandboxes {
		d.touch(s.Config.UID)
		s.State = SandboxNotReady
	}
	for _, c := range d.containers {
		// What was made and not started is lost as well.
		if c.State == ContainerRunning || c.State == ContainerCreated {
			c.State, c.ExitCode, c.Reason, c.FinishedAt = ContainerExited, 255, "Unknown", now
		}
	}
}

func (d *Disk) sandbox(id string) *PodSandbox {
	for _, s := range d.sandboxes {
		if s.ID == id {
			return s
		}
	}
	return nil
}

func (d *Disk) container(id string) *Container {
	for _, c := range d.containers {
		if c.ID == id {
			return c
		}
	}
	return nil
}

func (d *Disk) image(name string) *Image {
	for _, i := range d.images {
		if i.Name == name || i.Ref == name {
			return i
		}
	}
	return nil
}

// addresses gives out a range's addresses one after the other and starts again
// at the end, as CNI's host-local plugin does; the first is the gateway's.
type addresses struct {
	prefix netip.Prefix
	last   netip.Addr
	taken  map[netip.Addr]string // sandbox
}

func (a *addresses) allocate(sandbox string) (string, error) {
	gateway := a.prefix.Masked().Addr().Next()
	next := a.last
	for range 1 << (32 - a.prefix.Bits()) {
		if !next.IsValid() || !a.prefix.Contains(next.Next()) {
			next = gateway
		}
		next = next.Next()
		last := !a.prefix.Contains(next.Next()) // the broadcast address
		if _, busy := a.taken[next]; busy || last {
			continue
		}
		a.last = next
		a.taken[next] = sandbox
		return next.String(), nil
	}
	return "", fmt.Errorf("failed to allocate for range 0: no IP addresses available in range set: %s-%s", gateway, a.last)
}

func (a *addresses) release(ip string) {
	if addr, err := netip.ParseAddr(ip); err == nil {
		delete(a.taken, addr)
	}
}
