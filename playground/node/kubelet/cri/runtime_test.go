package cri_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

const seed = 4

func world(t *testing.T) *sim.Kernel {
	k := sim.New(seed, time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(func() {
		k.Close()
		if t.Failed() {
			t.Logf("reproduce with seed=%d", seed)
		}
	})
	return k
}

// start makes a sandbox with one container in it, and returns their IDs.
func start(t *testing.T, p *sim.Proc, r *cri.Runtime, name string, program cri.Program) (sandbox, container string) {
	sandbox, err := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: name, Namespace: "default", UID: "uid-" + name})
	if err != nil {
		t.Error(err)
		return
	}
	container, err = r.CreateContainer(p, sandbox, cri.ContainerConfig{Name: "app", Image: "nginx", Program: program})
	if err != nil {
		t.Error(err)
	}
	if err := r.StartContainer(p, container); err != nil {
		t.Error(err)
	}
	return sandbox, container
}

func TestStopWaitsForTheGracePeriod(t *testing.T) {
	for _, c := range []struct {
		name      string
		program   cri.Program
		code      int32
		min, max  time.Duration
		killLines int
	}{
		{"server", cri.Program{Forever: true}, 0, 20 * time.Millisecond, 400 * time.Millisecond, 1},
		{"slow", cri.Program{Forever: true, Stops: 3 * time.Second}, 0, 3 * time.Second, 3 * time.Second, 1},
		{"too-slow", cri.Program{Forever: true, Stops: time.Hour}, 137, 5 * time.Second, 5 * time.Second, 2},
		{"deaf", cri.Program{Runs: time.Hour, IgnoresSIGTERM: true}, 137, 5 * time.Second, 5 * time.Second, 2},
		{"ends-meanwhile", cri.Program{Runs: 2 * time.Second, ExitCode: 3, IgnoresSIGTERM: true}, 3, time.Second, 2 * time.Second, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := world(t)
			r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
			done := false
			k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
				_, id := start(t, p, r, c.name, c.program)
				began := p.Now()
				if err := r.StopContainer(p, id, 5*time.Second); err != nil {
					t.Error(err)
				}
				if took := p.Now() - began; took < c.min || took > c.max {
					t.Errorf("stopping took %v, want %v to %v", took, c.min, c.max)
				}
				s, _ := r.ContainerStatus(id)
				if s.State != cri.ContainerExited || s.ExitCode != c.code {
					t.Errorf("state %v, code %d, want code %d", s.State, s.ExitCode, c.code)
				}
				done = true
			})
			k.RunUntil(time.Minute)
			if !done {
				t.Fatal("the call never returned")
			}
			kills := 0
			for _, e := range k.Trace().Events(1) {
				if e.Op == trace.ContainerKill {
					kills++
				}
			}
			if kills != c.killLines {
				t.Errorf("%d signals in the trace, want %d", kills, c.killLines)
			}
		})
	}
}

func TestAPowerCutKeepsOnlyTheDisk(t *testing.T) {
	k := world(t)
	disk := cri.NewDisk()
	o := cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24", Disk: disk}
	r := cri.Start(k, o)
	caller := k.Start("kubelet/node-1")
	var id string
	caller.Go("test", func(p *sim.Proc) {
		_, id = start(t, p, r, "web", cri.Program{Forever: true})
		if _, _, err := r.PullImage(p, "nginx:1.27"); err != nil {
			t.Error(err)
		}
	})
	k.RunUntil(10 * time.Second)
	r.Component().Stop("power cut")
	for _, kind := range []trace.CellKind{trace.CellContainer, trace.CellSandbox, trace.CellImage} {
		if cells := k.Trace().Now().Cells(kind); len(cells) > 0 {
			t.Errorf("a dead node still shows %v", cells)
		}
	}
	if _, err := r.ListContainers(); err == nil || !strings.Contains(err.Error(), "code = Unavailable") {
		t.Errorf("the dead runtime answers %v", err)
	}
	k.RunUntil(20 * time.Second)
	r = cri.Start(k, o)
	c, err := r.ContainerStatus(id)
	if err != nil || c.State != cri.ContainerExited || c.ExitCode != 255 || c.Reason != "Unknown" {
		t.Errorf("after the boot: %+v, %v", c, err)
	}
	if s, _ := r.ListPodSandbox(); len(s) != 1 || s[0].State != cri.SandboxNotReady {
		t.Errorf("after the boot: %+v", s)
	}
	if _, present, _ := r.ImageStatus("nginx:1.27"); !present {
		t.Error("the image is gone from the disk")
	}
}

// Of a sandbox that is removed nothing is left, and of another of the Pod everything.
func TestRemovePodSandbox(t *testing.T) {
	k := world(t)
	r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
	k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
		old, _ := start(t, p, r, "web", cri.Program{Forever: true})
		cur, kept := start(t, p, r, "web", cri.Program{Forever: true})
		if err := r.RemovePodSandbox(p, old); err != nil {
			t.Error(err)
		}
		if left, err := r.ListPodSandbox(); err != nil || len(left) != 1 || left[0].ID != cur {
			t.Errorf("%d sandboxes are left, %v", len(left), err)
		}
		if left, err := r.ListContainers(); err != nil || len(left) != 1 || left[0].ID != kept || left[0].State != cri.ContainerRunning {
			t.Errorf("containers that are left: %+v, %v", left, err)
		}
		if r.ChangedAt("uid-web") == 0 {
			t.Error("the Pod's changes are forgotten")
		}
		if err := r.RemovePodSandbox(p, cur); err != nil {
			t.Error(err)
		}
		if left, err := r.ListPodSandbox(); err != nil || len(left) != 0 || r.ChangedAt("uid-web") != 0 {
			t.Errorf("%d sandboxes are left, %v; changed at %d", len(left), err, r.ChangedAt("uid-web"))
		}
	})
	k.RunUntil(time.Minute)
}

func TestCallsFailWhenTheRuntimeDies(t *testing.T) {
	k := world(t)
	r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
	var got error
	var at time.Duration
	k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
		_, id := start(t, p, r, "web", cri.Program{Runs: time.Hour, IgnoresSIGTERM: true})
		got = r.StopContainer(p, id, time.Minute)
		at = p.Now()
	})
	k.After(5*time.Second, func() { r.Component().Stop("crash") })
	k.RunUntil(3 * time.Minute)
	if got == nil || at > 16*time.Second {
		t.Errorf("the call ended at %v with %v", at, got)
	}
}

func TestAPullDiesWithItsCaller(t *testing.T) {
	k := world(t)
	r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
	caller := k.Start("kubelet/node-1")
	caller.Go("test", func(p *sim.Proc) { r.PullImage(p, "nginx:1.27") })
	k.RunUntil(100 * time.Millisecond)
	caller.Stop("restart")
	k.RunUntil(time.Minute)
	if _, present, _ := r.ImageStatus("nginx:1.27"); present {
		t.Error("the image came although nobody waited for it")
	}
	if cells := k.Trace().Now().Cells(trace.CellImage); len(cells) > 0 {
		t.Errorf("the trace shows %v", cells)
	}
}

func TestAddressesGoRound(t *testing.T) {
	k := world(t)
	r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/29"})
	var got []string
	k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
		run := func(i int) (string, string) {
			id, err := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: fmt.Sprint("p", i), Namespace: "default", UID: fmt.Sprint(i)})
			if err != nil {
				got = append(got, "full")
				return "", ""
			}
			s, _ := r.PodSandboxStatus(id)
			got = append(got, s.IP)
			return id, s.IP
		}
		ids := map[int]string{}
		for i := range 6 {
			ids[i], _ = run(i)
		}
		r.StopPodSandbox(p, ids[1])
		run(6)
	})
	k.RunUntil(time.Minute)
	want := "[10.244.1.2 10.244.1.3 10.244.1.4 10.244.1.5 10.244.1.6 full 10.244.1.3]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}
