package kuberuntime

import (
	"testing"
	"time"

	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Of the containers of one name that have ended, the newest stays, unless all are to go. One that runs stays, and those before it go.
func TestDeleteContainersInPod(t *testing.T) {
	for _, c := range []struct {
		all   bool
		again bool // one more runs
		want  int
	}{{false, false, 1}, {true, false, 0}, {false, true, 1}, {true, true, 1}} {
		k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
		defer k.Close()
		r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
		kubelet := k.Start("kubelet/node-1")
		m := New(kubelet, r, nil, verdicts{})
		done := false
		kubelet.Go("test", func(p *sim.Proc) {
			sandbox, err := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: "web", Namespace: "default", UID: "1"})
			if err != nil {
				t.Fatal(err)
			}
			last := ""
			run := func(program cri.Program) {
				if last, err = r.CreateContainer(p, sandbox, cri.ContainerConfig{Name: "app", Image: "nginx", Program: program}); err != nil {
					t.Fatal(err)
				}
				if err := r.StartContainer(p, last); err != nil {
					t.Fatal(err)
				}
				p.Sleep(2 * time.Second)
			}
			for range 3 {
				run(cri.Program{Runs: time.Second})
			}
			if c.again {
				run(cri.Program{Forever: true})
			}
			m.DeleteContainersInPod(p, "1", c.all)
			left, err := r.ListContainers()
			if err != nil || len(left) != c.want || c.want == 1 && left[0].ID != last {
				t.Errorf("all %v, again %v: %d are left, %v; want %d", c.all, c.again, len(left), err, c.want)
			}
			done = true
		})
		if k.RunUntil(time.Minute); !done {
			t.Fatal("it never returned")
		}
	}
}
