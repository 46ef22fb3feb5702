//go:build !js || cel

package cri_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// TestAwk: fields of lines, as scripts of upstream's end-to-end tests use them. Upstream: test/e2e/common/node/runtime.go.
func TestAwk(t *testing.T) {
	for _, c := range []struct{ script, log string }{
		{"echo a >> /f; echo b >> /f; count=$(wc -l /f | awk {'print $1'}); echo $count", "2"},
		{"printf 'a b c\\nd e\\n' | awk '{print $NF, NR}'", "c 1|e 2"},
		{"printf 'a:b\\nc:d\\n' > /f; awk -F: '/c/ {print $2 , \"x\"}' /f", "d x"},
		{"printf 'a b\\n' | awk '{print}'", "a b"},
		{"printf 'a b\\n' | awk '{print $0, $9}'", "a b "},
		{"echo a | awk '{for (;;) x++}'", "awk: cmd. line:1: only '{print FIELDS}' is known here"},
		{"awk '{print}' /nowhere", "awk: /nowhere: No such file or directory"},
	} {
		k := world(t)
		r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
		k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
			sandbox, _ := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: "p", Namespace: "default", UID: "p"})
			id, _ := r.CreateContainer(p, sandbox, cri.ContainerConfig{Name: "app", Image: "busybox:1.36",
				Program: cri.NewProgram("busybox:1.36", []string{"sh", "-c", c.script}, nil)})
			if err := r.StartContainer(p, id); err != nil {
				t.Error(err)
			}
			p.Sleep(time.Second)
			var got []string
			lines, _ := r.Logs(id)
			for _, l := range lines {
				got = append(got, l.Text)
			}
			if text := strings.Join(got, "|"); text != c.log {
				t.Errorf("%s: %q, want %q", c.script, text, c.log)
			}
		})
		k.RunUntil(time.Minute)
	}
}
