package cri

import (
	"strings"
	"testing"
	"time"
)

func TestParseProgram(t *testing.T) {
	for _, c := range []struct {
		argv string // words split at |
		want Program
	}{
		{"", Program{Forever: true}},
		{"nginx|-g|daemon off;", Program{Forever: true}},
		{"sleep|30", Program{Runs: 30 * time.Second, IgnoresSIGTERM: true}},
		{"/bin/sleep|1.5", Program{Runs: 1500 * time.Millisecond, IgnoresSIGTERM: true}},
		{"sleep|5m", Program{Runs: 5 * time.Minute, IgnoresSIGTERM: true}},
		{"sleep|infinity", Program{Forever: true, IgnoresSIGTERM: true}},
		{"sleep|", Program{Forever: true}},
		{"sleep|soon", Program{Forever: true}},
		{"true", Program{}},
		{"false", Program{ExitCode: 1}},
		{"sh|-c|sleep 5; exit 3", Program{Runs: 5 * time.Second, ExitCode: 3, IgnoresSIGTERM: true}},
		{"sh|-c|echo hello && sleep 2", Program{Runs: 2 * time.Second, IgnoresSIGTERM: true}},
		{"sh|-c|false && sleep 2", Program{ExitCode: 1, IgnoresSIGTERM: true}},
		{"sh|-c|false; sleep 2", Program{Runs: 2 * time.Second, IgnoresSIGTERM: true}},
		{"sh|-ec|false; sleep 2", Program{ExitCode: 1, IgnoresSIGTERM: true}},
		{"sh|-c|sleep 1\nexit 300", Program{Forever: true}},
		{"sh|-c|exec nginx", Program{Forever: true}},
	} {
		var argv []string
		if c.argv != "" {
			argv = strings.Split(c.argv, "|")
		}
		if got := ParseProgram(argv, nil); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.argv, got, c.want)
		}
	}
	got := ParseProgram([]string{"sleep", "60"}, nil).Annotate(map[string]string{
		StopsAfter + "web": "3s", AnswersFrom + "web": "nonsense", BreaksAfter + "other": "1s",
	}, "web")
	if want := (Program{Runs: time.Minute, Stops: 3 * time.Second}); got != want {
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
