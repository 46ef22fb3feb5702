package cri

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestPrograms: what an image, a command and arguments (words split at |) make of a container.
func TestPrograms(t *testing.T) {
	server := Program{Forever: true, Serves: true, CPU: milli, Memory: 4 << 20}
	with := func(change func(*Program)) Program {
		p := server
		change(&p)
		return p
	}
	for _, c := range []struct {
		image, argv string
		want        Program
	}{
		{"", "", server},
		{"my/app:1", "/bin/start|--x", server},
		{"", "sleep|30", Program{Runs: 30 * time.Second, IgnoresSIGTERM: true, Memory: 4 << 20}},
		{"", "/bin/sleep|1.5", Program{Runs: 1500 * time.Millisecond, IgnoresSIGTERM: true, Memory: 4 << 20}},
		{"", "sleep|5m", Program{Runs: 5 * time.Minute, IgnoresSIGTERM: true, Memory: 4 << 20}},
		{"", "sleep|infinity", Program{Forever: true, IgnoresSIGTERM: true, Memory: 4 << 20}},
		{"", "true", Program{Memory: 4 << 20}},
		{"", "false", Program{ExitCode: 1, Memory: 4 << 20}},
		{"busybox", "", Program{Memory: 1 << 20}},
		{"registry.k8s.io/e2e-test-images/busybox:1.37.0-1", "", Program{Memory: 1 << 20}},
		{"registry.k8s.io/e2e-test-images/busybox:1.37.0-1", "serve-me", with(func(p *Program) { p.Memory = 1 << 20 })},
		{"busybox", "serve-me", Program{Missing: "serve-me", Memory: 1 << 20}},
		{"my/app:1", "no-such-program", Program{Missing: "no-such-program", Memory: 4 << 20}},
		{"nginx:1.27", "nginy|-g|daemon off;", Program{Missing: "nginy", Memory: nginx.Memory}},
		{"kubewalk.dev/app", "/srv/app2", Program{Missing: "/srv/app2", Memory: 10 << 20}},
		{"traefik/whoami", "sleep|30", Program{Missing: "sleep", Memory: 3 << 20}},
		{"registry.k8s.io/pause:3.10", "", Program{Forever: true, Memory: 512 << 10}},
		{"registry.k8s.io/pause:3.10", "sh|-c|true", Program{Missing: "sh", Memory: 512 << 10}},
		{"nginx:1.27", "", with(func(p *Program) {
			p.LogsRequests, p.Root, p.Says, p.Memory = true, nginx.Root, nginx.Says, nginx.Memory
		})},
		{"polinux/stress", "stress|--vm|1|--vm-bytes|250M|--vm-hang|1", Program{Forever: true, CPU: 1000 * milli, Memory: 1 << 20,
			Leak: 250_000_000, MemoryMax: 250_000_000, Says: []string{"stress: info: [1] dispatching hogs"}}},
		{"vish/stress", "/stress|-cpus|2", Program{Forever: true, CPU: 2000 * milli, Memory: 1 << 20}},
		{"kubewalk.dev/app", "/app|--crash-after=30s|--leak=2Mi|--latency=200ms", Program{Serves: true, Runs: 30 * time.Second, ExitCode: 1,
			CPU: 2 * milli, Memory: 10 << 20, Leak: 2 << 20, Latency: 200 * time.Millisecond, LogsRequests: true, Certificate: "trusted"}},
		{"kubewalk.dev/app", "/app|--nonsense", Program{ExitCode: 2, Memory: 10 << 20, Says: []string{"flag provided but not defined: --nonsense"}}},
	} {
		var argv []string
		if c.argv != "" {
			argv = strings.Split(c.argv, "|")
		}
		if got := NewProgram(c.image, argv, nil); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %q:\n%+v, want\n%+v", c.image, c.argv, got, c.want)
		}
	}
	got := ParseProgram([]string{"sleep", "60"}, nil).Annotate(map[string]string{
		StopsAfter + "web": "3s", AnswersFrom + "web": "nonsense", BreaksAfter + "other": "1s",
	}, "web")
	if want := (Program{Runs: time.Minute, Stops: 3 * time.Second, Memory: 4 << 20}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestNormalizeImage(t *testing.T) {
	for in, want := range map[string]string{
		"nginx":                  "docker.io/library/nginx:latest",
		"nginx:1.27":             "docker.io/library/nginx:1.27",
		"grafana/grafana":        "docker.io/grafana/grafana:latest",
		"ghcr.io/a/b:1":          "ghcr.io/a/b:1",
		"localhost:5000/x":       "localhost:5000/x:latest",
		"registry.k8s.io/pause":  "registry.k8s.io/pause:latest",
		"nginx@sha256:0123456":   "docker.io/library/nginx@sha256:0123456",
		"registry.invalid/web:1": "registry.invalid/web:1",
	} {
		if got := NormalizeImage(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
