package cri

import (
	"sort"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// PullImage downloads an image. The pull is given up when the caller dies, as
// its connection then breaks. Upstream: containerd images/image_pull.go.
func (r *Runtime) PullImage(p *sim.Proc, image string) (ref string, sizeBytes int64, err error) {
	name := NormalizeImage(image)
	caller := p.Component()
	err = r.call(p, "PullImage", 0, func(s *sim.Proc) error {
		present := r.disk.image(name) != nil
		began := s.Now()
		state := "pulling"
		if present {
			state = "present"
		}
		s.Due(s.Emit(trace.ImagePullStart, trace.Ref{}, trace.Attrs("image", name), trace.Set(r.imageCell(name), state)))
		r.pulling[name]++
		size, takes, err := r.registry.Pull(name, present, r.rand)
		s.Sleep(takes)
		took := s.Now() - began
		if err == nil && !caller.Running() {
			err = &Error{"Canceled", "failed to pull and unpack image \"" + name + "\": context canceled"}
		}
		r.pulling[name]--
		if err != nil {
			var deltas []trace.Delta
			if r.pulling[name] == 0 && r.disk.image(name) == nil {
				deltas = append(deltas, trace.Unset(r.imageCell(name)))
			}
			s.Due(s.Emit(trace.ImagePulled, trace.Ref{}, trace.Attrs("image", name, "took", took, "error", err), deltas...))
			return err
		}
		ref, sizeBytes = imageRef(name), size
		if r.disk.image(name) == nil {
			r.disk.images = append(r.disk.images, &Image{Name: name, Ref: ref, SizeBytes: size, lastUsed: s.Time()})
		}
		s.Due(s.Emit(trace.ImagePulled, trace.Ref{}, trace.Attrs("image", name, "took", took, "bytes", size), trace.Set(r.imageCell(name), "present")))
		return nil
	})
	return ref, sizeBytes, err
}

// ImageStatus tells whether the node has an image.
func (r *Runtime) ImageStatus(image string) (Image, bool, error) {
	if err := r.Status(); err != nil {
		return Image{}, false, err
	}
	if i := r.disk.image(NormalizeImage(image)); i != nil {
		return *i, true, nil
	}
	return Image{}, false, nil
}

// ListImages returns the node's images in the order in which they came.
func (r *Runtime) ListImages() []Image {
	out := make([]Image, len(r.disk.images))
	for i, image := range r.disk.images {
		out[i] = *image
	}
	return out
}

// Preload puts an image on the disk without a pull, as a machine's own image
// may bring it along. Call it before the runtime starts.
func (d *Disk) Preload(image string, sizeBytes int64) {
	name := NormalizeImage(image)
	if d.image(name) == nil {
		d.images = append(d.images, &Image{Name: name, Ref: imageRef(name), SizeBytes: sizeBytes})
	}
}

// RemoveImage deletes an image from the disk. Containers that were made of it go on.
func (r *Runtime) RemoveImage(p *sim.Proc, image string) error {
	name := NormalizeImage(image)
	return r.call(p, "RemoveImage", callTimeout, func(s *sim.Proc) error {
		if i := r.disk.image(name); i != nil {
			r.disk.images = without(r.disk.images, i)
			s.Due(s.Emit(trace.ImagePulled, trace.Ref{}, trace.Attrs("image", name, "state", "removed"), trace.Unset(r.imageCell(name))))
		}
		return nil
	})
}

// UnusedImages lists the images that no container is made of or mounts, the one that was used
// longest ago first. Upstream: pkg/kubelet/images/image_gc_manager.go.
func (r *Runtime) UnusedImages() []Image {
	var out []Image
	for _, i := range r.disk.images {
		used := false
		for _, c := range r.disk.containers {
			used = used || NormalizeImage(c.Config.Image) == i.Name || mountsImage != nil && mountsImage(c, i.Name)
		}
		if !used {
			out = append(out, *i)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].lastUsed.Before(out[j].lastUsed) })
	return out
}

// DiskUsage is what is on the node's disk: images, logs, what containers wrote,
// and what a fault has put there.
func (r *Runtime) DiskUsage() int64 {
	total := r.disk.filled
	for _, i := range r.disk.images {
		total += i.SizeBytes
	}
	for _, c := range r.disk.containers {
		total += c.root.Bytes() + c.log.bytes()
	}
	return total
}

// FillDisk puts so many bytes on the node's disk that belong to no Pod; 0 takes them away.
func (r *Runtime) FillDisk(bytes int64) { r.disk.filled = bytes }

// SystemMemory is what the node's own programs use, besides its Pods.
func (r *Runtime) SystemMemory() int64 { return r.disk.system }

// UseMemory makes the node's own programs use so many bytes more than they do by themselves.
func (r *Runtime) UseMemory(bytes int64) { r.disk.system = bytes }
