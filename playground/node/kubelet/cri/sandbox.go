package cri

import (
	"slices"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// RunPodSandbox makes a sandbox: a network namespace with an address, and the
// pause container that holds it. Upstream: containerd sandbox_run.go.
func (r *Runtime) RunPodSandbox(p *sim.Proc, config PodSandboxConfig) (id string, err error) {
	err = r.call(p, "RunPodSandbox", 2*callTimeout, func(s *sim.Proc) error {
		id = hexDigits(r.rand)
		s.Due(s.Emit(trace.SandboxStart, podRef(&config), trace.Attrs("sandbox", short(id), "state", "starting", "uid", config.UID),
			r.show(&config, id, "starting")...))
		r.took(s, 120*time.Millisecond, 350*time.Millisecond)
		if err := gone(p.Component()); err != nil {
			s.Due(s.Emit(trace.SandboxStop, podRef(&config), trace.Attrs("sandbox", short(id), "state", "failed"), r.show(&config, id, "")...))
			return err
		}
		sandbox := &PodSandbox{ID: id, Config: config, CreatedAt: s.Time()}
		if !config.HostNetwork {
			ip, err := r.disk.addresses.allocate(id)
			if err != nil {
				s.Due(s.Emit(trace.SandboxStop, podRef(&config), trace.Attrs("sandbox", short(id), "state", "failed"), r.show(&config, id, "")...))
				return &Error{"Unknown", "failed to setup network for sandbox \"" + id + "\": plugin type=\"ptp\" failed (add): " + err.Error()}
			}
			sandbox.IP = ip
		}
		r.disk.sandboxes = append(r.disk.sandboxes, sandbox)
		r.disk.touch(config.UID)
		sandbox.Cause = s.Emit(trace.SandboxStart, podRef(&config),
			trace.Attrs("sandbox", short(id), "state", "ready", "ip", sandbox.IP), r.show(&config, id, "ready")...)
		s.Due(sandbox.Cause)
		return nil
	})
	return id, err
}

// StopPodSandbox kills what still runs in a sandbox and gives its address
// back. Upstream: containerd sandbox_stop.go.
func (r *Runtime) StopPodSandbox(p *sim.Proc, id string) error {
	return r.call(p, "StopPodSandbox", callTimeout, func(s *sim.Proc) error {
		sandbox := r.disk.sandbox(id)
		if sandbox == nil || (sandbox.State == SandboxNotReady && sandbox.IP == "") {
			return nil
		}
		ref := podRef(&sandbox.Config)
		if sandbox.State == SandboxReady {
			s.Due(s.Emit(trace.SandboxStop, ref, trace.Attrs("sandbox", short(id), "state", "stopping"), r.show(&sandbox.Config, id, "stopping")...))
			for _, c := range r.containersOf(id) {
				r.signal(s, c, sigkill)
			}
			r.took(s, 20*time.Millisecond, 80*time.Millisecond)
		}
		r.disk.addresses.release(sandbox.IP)
		sandbox.State, sandbox.IP = SandboxNotReady, ""
		r.disk.touch(sandbox.Config.UID)
		sandbox.Cause = s.Emit(trace.SandboxStop, ref, trace.Attrs("sandbox", short(id), "state", "stopped"), r.show(&sandbox.Config, id, "")...)
		s.Due(sandbox.Cause)
		return nil
	})
}

// show is the delta that shows a sandbox as being in a state, "" for gone. A
// Pod's cell is its newest sandbox's: what happens to an older one isn't shown.
func (r *Runtime) show(config *PodSandboxConfig, id, state string) []trace.Delta {
	switch {
	case state == "starting":
		r.newest[config.key()] = id
	case r.newest[config.key()] != id:
		return nil
	}
	if state == "" {
		delete(r.newest, config.key())
		return []trace.Delta{trace.Unset(r.sandboxCell(config))}
	}
	return []trace.Delta{trace.Set(r.sandboxCell(config), state)}
}

// RemovePodSandbox forgets a sandbox and its containers; it stops it first when
// it has to. Upstream: containerd sandbox_remove.go.
func (r *Runtime) RemovePodSandbox(p *sim.Proc, id string) error {
	if err := r.StopPodSandbox(p, id); err != nil {
		return err
	}
	return r.call(p, "RemovePodSandbox", callTimeout, func(s *sim.Proc) error {
		sandbox := r.disk.sandbox(id)
		if sandbox == nil {
			return nil
		}
		deltas := r.show(&sandbox.Config, id, "")
		for _, c := range r.containersOf(id) {
			deltas = append(deltas, r.forgetContainer(sandbox, c)...)
		}
		r.disk.sandboxes = without(r.disk.sandboxes, sandbox)
		r.disk.touch(sandbox.Config.UID)
		if !slices.ContainsFunc(r.disk.sandboxes, func(s *PodSandbox) bool { return s.Config.UID == sandbox.Config.UID }) {
			delete(r.disk.changed, sandbox.Config.UID)
		}
		s.Due(s.Emit(trace.SandboxStop, podRef(&sandbox.Config), trace.Attrs("sandbox", short(id), "state", "removed"), deltas...))
		return nil
	})
}

// Changes grows with every change of a sandbox or a container, so that who
// has listed them need not list them again while it stays the same. A runtime
// that is down gives -1.
func (r *Runtime) Changes() int64 {
	if !r.component.Running() {
		return -1
	}
	return r.disk.changes
}

// ChangedAt is what Changes was after the last change of one of the Pod's sandboxes or containers, 0 if it has none.
func (r *Runtime) ChangedAt(uid string) int64 { return r.disk.changed[uid] }

// PodsChangedSince lists the Pods that have changed after Changes was that number, in the order of their first sandbox.
func (r *Runtime) PodsChangedSince(changes int64) ([]string, error) {
	if err := r.Status(); err != nil {
		return nil, err
	}
	var out []string
	for _, s := range r.disk.sandboxes {
		if uid := s.Config.UID; r.disk.changed[uid] > changes && !slices.Contains(out, uid) {
			out = append(out, uid)
		}
	}
	return out, nil
}

// ListPodSandbox returns all sandboxes, the oldest first.
func (r *Runtime) ListPodSandbox() ([]PodSandbox, error) {
	if err := r.Status(); err != nil {
		return nil, err
	}
	out := make([]PodSandbox, len(r.disk.sandboxes))
	for i, s := range r.disk.sandboxes {
		out[i] = *s
	}
	return out, nil
}

// ListPodSandboxOf returns the sandboxes of one Pod, the oldest first.
// Upstream: CRI's PodSandboxFilter, by the label io.kubernetes.pod.uid.
func (r *Runtime) ListPodSandboxOf(uid string) ([]PodSandbox, error) {
	if err := r.Status(); err != nil {
		return nil, err
	}
	var out []PodSandbox
	for _, s := range r.disk.sandboxes {
		if s.Config.UID == uid {
			out = append(out, *s)
		}
	}
	return out, nil
}

// PodSandboxStatus returns one sandbox.
func (r *Runtime) PodSandboxStatus(id string) (PodSandbox, error) {
	if err := r.Status(); err != nil {
		return PodSandbox{}, err
	}
	if s := r.disk.sandbox(id); s != nil {
		return *s, nil
	}
	return PodSandbox{}, &Error{"NotFound", "an error occurred when try to find sandbox: sandbox \"" + id + "\": not found"}
}

func without[T comparable](list []T, gone T) []T {
	out := make([]T, 0, len(list))
	for _, v := range list {
		if v != gone {
			out = append(out, v)
		}
	}
	return out
}
