package cri_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// TestScripts: what a shell writes, how long it takes and what it ends with.
func TestScripts(t *testing.T) {
	for _, c := range []struct {
		name, script string
		log          string // lines split at |
		takes        time.Duration
		code         int32
	}{
		{"sleep and exit", "sleep 5; exit 3", "", 5 * time.Second, 3},
		{"and", "echo hello && sleep 2", "hello", 2 * time.Second, 0},
		{"and after a failure", "false && sleep 2", "", 0, 1},
		{"or", "false || echo anyway", "anyway", 0, 0},
		{"next after a failure", "false; sleep 2", "", 2 * time.Second, 0},
		{"lines", "echo a\n# a comment\necho b # another\n\necho c", "a|b|c", 0, 0},
		{"loop", "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); sleep 1; done", "0|1|2", 3 * time.Second, 0},
		{"until", "until [ -f /tmp/ready ]; do sleep 2; touch /tmp/ready; done; echo ready", "ready", 2 * time.Second, 0},
		{"for", "for x in a 'b c'; do echo \"<$x>\"; done", "<a>|<b c>", 0, 0},
		{"break", "while true; do sleep 1; break; done; echo out", "out", time.Second, 0},
		{"if", "if [ $COLOR = red ]; then echo warm; elif test -n \"$COLOR\"; then echo other; else echo none; fi", "other", 0, 0},
		{"not", "if ! [ -d /data ]; then exit 4; fi", "", 0, 4},
		{"quotes", `echo "$COLOR" '$COLOR' \$COLOR "a  b" a  b`, "blue $COLOR $COLOR a  b a b", 0, 0},
		{"default", "echo ${SIZE:-small} ${COLOR:-none}", "small blue", 0, 0},
		{"substitution", "echo on $(hostname), $(echo a; echo b)", "on p, a b", 0, 0},
		{"arithmetic", "echo $((2+3)) $((10 / 3)) $((10 % 3))", "5 3 1", 0, 0},
		{"files", "mkdir -p /data; echo one > /data/f; echo two >> /data/f; cat /data/f; ls /data; rm /data/f; cat /data/f",
			"one|two|f|cat: can't open '/data/f': No such file or directory", 0, 1},
		{"to nowhere", "echo x > /dev/null; cat /nowhere 2> /dev/null; echo $?", "1", 0, 0},
		{"pipe", "printf 'a\\nb\\n' | grep b", "b", 0, 0},
		{"stderr to stdout", "ls /nowhere 2>&1 | wc -l", "1", 0, 0},
		{"unknown command", "frobnicate; echo $?", "sh: frobnicate: not found|127", 0, 0},
		{"unknown command last", "frobnicate", "sh: frobnicate: not found", 0, 127},
		{"syntax", "if true; echo", "sh: syntax error: unexpected end of file", 0, 2},
		{"quote", "echo 'x", "sh: syntax error: unterminated quoted string", 0, 2},
		{"errexit", "set -e; true; false; echo no", "", 0, 1},
		{"errexit spares conditions", "set -e; false || true; if false; then :; fi; echo yes", "yes", 0, 0},
		{"group", "(echo a; exit 0) ", "a", 0, 0},
		{"subshell", "sh -c 'exit 7'; echo $?", "7", 0, 0},
		{"exit code wraps", "exit 300", "", 0, 44},
		{"nobody answers", "wget -qO- http://web", "wget: bad address 'web'", 0, 1},
		{"itself refuses", "curl -s http://localhost:80 ; echo $?", "7", 0, 0},
		{"environment", "export A=1; env | grep A=", "A=1", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := world(t)
			r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
			var id string
			k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
				sandbox, err := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: "p", Namespace: "default", UID: "1"})
				if err == nil {
					id, err = r.CreateContainer(p, sandbox, cri.ContainerConfig{Name: "app", Image: "busybox",
						Env:     []cri.Variable{{Name: "COLOR", Value: "blue"}},
						Program: cri.NewProgram("busybox", []string{"sh", "-c", c.script}, nil)})
				}
				if err == nil {
					err = r.StartContainer(p, id)
				}
				if err != nil {
					t.Error(err)
				}
			})
			k.RunUntil(time.Minute)
			s, err := r.ContainerStatus(id)
			if err != nil {
				t.Fatal(err)
			}
			lines, _ := r.Logs(id)
			var texts []string
			for _, l := range lines {
				texts = append(texts, l.Text)
			}
			if log := strings.Join(texts, "|"); log != c.log {
				t.Errorf("log %q, want %q", log, c.log)
			}
			if s.State != cri.ContainerExited || s.ExitCode != c.code {
				t.Errorf("state %v, code %d, want %d", s.State, s.ExitCode, c.code)
			}
			if took := s.FinishedAt.Sub(s.StartedAt); took != c.takes {
				t.Errorf("took %v, want %v", took, c.takes)
			}
		})
	}
}

// TestSignals: a shell hears SIGTERM only through a trap, after the command that
// runs; a program that it execs hears it itself.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		script   string
		code     int32
		min, max time.Duration
	}{
		{"while true; do sleep 1; done", 137, 10 * time.Second, 10 * time.Second},
		{"trap 'exit 5' TERM; while true; do sleep 1; done", 5, 0, time.Second},
		{"trap 'echo bye; exit 0' SIGTERM; sleep 4; sleep 60", 0, 0, 4 * time.Second},
		{"exec nginx", 0, 20 * time.Millisecond, 400 * time.Millisecond},
		{"echo starting; nginx", 137, 10 * time.Second, 10 * time.Second},
		{"nginx", 0, 20 * time.Millisecond, 400 * time.Millisecond},
		{"tail -f /dev/null", 137, 10 * time.Second, 10 * time.Second},
	} {
		k := world(t)
		r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
		k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
			_, id := start(t, p, r, "p", cri.NewProgram("busybox", []string{"sh", "-c", c.script}, nil))
			p.Sleep(1500 * time.Millisecond)
			began := p.Now()
			if err := r.StopContainer(p, id, 10*time.Second); err != nil {
				t.Error(err)
			}
			s, _ := r.ContainerStatus(id)
			if took := p.Now() - began; s.ExitCode != c.code || took < c.min || took > c.max {
				t.Errorf("%q: code %d after %v, want %d after %v to %v", c.script, s.ExitCode, took, c.code, c.min, c.max)
			}
		})
		k.RunUntil(5 * time.Minute)
	}
}
