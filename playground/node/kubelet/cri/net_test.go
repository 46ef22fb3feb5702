package cri_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// wire is a network that knows one name, and takes 10 ms each way.
type wire struct {
	k       *sim.Kernel
	runtime *cri.Runtime
	ip      string
	seen    []string
}

func (w *wire) Dial(from cri.Caller, request cri.Request, done func(cri.Response)) {
	w.seen = append(w.seen, from.Pod+"/"+from.Container+" "+request.URL)
	if !strings.Contains(request.URL, "//web") {
		w.k.After(10*time.Millisecond, func() { done(cri.Response{Failure: cri.NotResolved}) })
		return
	}
	request.From = from.IP
	w.k.After(10*time.Millisecond, func() {
		w.runtime.Serve(w.ip, 80, request, func(r cri.Response) { w.k.After(10*time.Millisecond, func() { done(r) }) })
	})
}

func (w *wire) Resolve(from cri.Caller, name string, done func([]string)) {
	if name == "web" {
		done([]string{w.ip})
	} else {
		done(nil)
	}
}

func TestRequestsBetweenPods(t *testing.T) {
	k := world(t)
	w := &wire{k: k}
	r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24", Dialer: w})
	w.runtime = r
	var got []string
	k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
		run := func(name, image string, args ...string) (string, string) {
			sandbox, err := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: name, Namespace: "default", UID: name})
			if err != nil {
				t.Fatal(err)
			}
			id, _ := r.CreateContainer(p, sandbox, cri.ContainerConfig{Name: "app", Image: image, Program: cri.NewProgram(image, nil, args)})
			if err := r.StartContainer(p, id); err != nil {
				t.Error(err)
			}
			s, _ := r.PodSandboxStatus(sandbox)
			return id, s.IP
		}
		server, ip := run("server", "kubewalk.dev/app", "--latency=200ms", "--ready-after=2s")
		client, _ := run("client", "busybox", "sleep", "infinity")
		w.ip = ip
		ask := func(command string) {
			began := p.Now()
			result, err := r.ExecSync(p, client, []string{"sh", "-c", command}, 0)
			if err != nil {
				t.Error(err)
			}
			got = append(got, fmt.Sprintf("%s%s %d %v", result.Stdout, strings.TrimSpace(result.Stderr), result.ExitCode,
				(p.Now()-began).Round(10*time.Millisecond)))
		}
		ask("curl -s http://web")
		p.Sleep(2 * time.Second)
		ask("curl -s http://web")
		ask("curl -s http://web/clientip")
		ask("wget -qO- -T 1 http://web/healthz")
		ask("curl -sS -m 0.1 http://web")
		ask("wget -qO- http://nobody")
		ask("curl -sS http://nobody")
		ask("nslookup web")
		ask("nslookup nobody")
		ask("nc -z web 80 && echo open")
		ask("echo hello | nc web 80 | head -n 1; printf 'GET /healthz HTTP/1.0\\n\\n' | nc web 80 | tail -n 1")
		ask("curl -s -o /dev/null -w '%{http_code}' http://web/exit?code=4")
		p.Sleep(time.Second)
		s, _ := r.ContainerStatus(server)
		got = append(got, fmt.Sprint(s.State == cri.ContainerExited, " ", s.ExitCode))
		ask("curl -sS http://web")
		lines, _ := r.Logs(server)
		for _, l := range lines {
			got = append(got, l.Text)
		}
	})
	k.RunUntil(time.Minute)
	want := ` 7 20ms
server
 0 220ms
10.244.1.3
 0 220ms
ok
 0 220ms
curl: (28) Connection timed out after 100 milliseconds 28 100ms
wget: bad address 'nobody' 1 10ms
curl: (6) Could not resolve host: nobody 6 10ms
Name:	web
Address: 10.244.1.2
 0 0s
** server can't find nobody: NXDOMAIN
 1 0s
open
 0 20ms
HTTP/1.1 400 Bad Request
ok
 0 260ms
200
 0 220ms
true 4
curl: (7) Failed to connect to web port 80 after 20 ms: Could not connect to server 7 20ms
10.244.1.3 - "GET /" 200
10.244.1.3 - "GET /clientip" 200
10.244.1.3 - "GET /healthz" 200
10.244.1.3 - "GET /" 200
10.244.1.3 - "GET /healthz" 200
10.244.1.3 - "GET /exit?code=4" 200`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if w.seen[0] != "client/app http://web" {
		t.Errorf("the network saw %q", w.seen[0])
	}
}

func TestUsage(t *testing.T) {
	k := world(t)
	r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
	k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
		run := func(name string, limits cri.Resources, image string, args ...string) string {
			sandbox, _ := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: name, Namespace: "default", UID: name})
			id, _ := r.CreateContainer(p, sandbox, cri.ContainerConfig{Name: "app", Image: image, Program: cri.NewProgram(image, nil, args), Resources: limits})
			if err := r.StartContainer(p, id); err != nil {
				t.Error(err)
			}
			return id
		}
		run("cpu", cri.Resources{}, "vish/stress", "-cpus", "2")
		run("throttled", cri.Resources{CPULimit: 500_000_000}, "vish/stress", "-cpus", "2")
		run("loop", cri.Resources{}, "busybox", "sh", "-c", "while true; do :; done")
		run("leak", cri.Resources{}, "kubewalk.dev/app", "--leak=1Mi")
		leak := run("killed", cri.Resources{MemoryLimit: 20 << 20}, "kubewalk.dev/app", "--leak=1Mi")
		hpa := run("hpa", cri.Resources{}, "registry.k8s.io/hpa-example")
		began, _ := r.ContainerStatus(leak)
		s, _ := r.ContainerStatus(hpa)
		p.Sleep(began.StartedAt.Add(5 * time.Second).Sub(p.Time()))
		usage := func() map[string]cri.ContainerStats {
			out := map[string]cri.ContainerStats{}
			stats, err := r.ListContainerStats()
			if err != nil {
				t.Error(err)
			}
			for _, one := range stats {
				out[one.Pod] = one
			}
			return out
		}
		u := usage()
		for name, want := range map[string]int64{"cpu": 2_000_000_000, "throttled": 500_000_000, "loop": 1_000_000_000, "hpa": 1_000_000} {
			if got := u[name].CPUNanoCores; got != want {
				t.Errorf("%s uses %d nanocores, want %d", name, got, want)
			}
		}
		if got := u["killed"].MemoryWorkingSet; got != 15<<20 {
			t.Errorf("after 5 s of 1Mi/s from 10Mi on it uses %d", got)
		}
		// Two requests a second of 100 ms of CPU time each are 200m, on an average of 15 s.
		p.Sleep(15*time.Second - p.Now()%(15*time.Second))
		for range 30 {
			if response := r.Ask(p, s.SandboxID, 80, cri.Request{URL: "http://hpa"}, time.Second); response.Status != 200 {
				t.Errorf("%+v", response)
			}
			p.Sleep(500*time.Millisecond - p.Now()%(500*time.Millisecond))
		}
		if got := usage()["hpa"].CPUNanoCores; got < 195_000_000 || got > 205_000_000 {
			t.Errorf("hpa-example uses %d nanocores under load", got)
		}
		ended, _ := r.ContainerStatus(leak)
		if took := ended.FinishedAt.Sub(ended.StartedAt); ended.Reason != "OOMKilled" || ended.ExitCode != 137 || took < 10*time.Second ||
			took > 10*time.Second+10*time.Millisecond {
			t.Errorf("%s %d after %v", ended.Reason, ended.ExitCode, took)
		}
	})
	k.RunUntil(2 * time.Minute)
}

func TestHub(t *testing.T) {
	k := world(t)
	hub := cri.NewHub(nil)
	r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24", Registry: hub})
	k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
		pull := func(want string) {
			t.Helper()
			_, _, err := r.PullImage(p, "nginx:1.27")
			if got := fmt.Sprint(err); !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		hub.SetDown(true)
		pull(`code = Unknown desc = failed to pull and unpack image "docker.io/library/nginx:1.27": failed to resolve reference "docker.io/library/nginx:1.27": ` +
			`failed to do request: Head "https://registry-1.docker.io/v2/library/nginx/manifests/1.27": dial tcp: connect: connection refused`)
		hub.SetDown(false)
		hub.Lose("nginx:1.27")
		pull("code = NotFound")
		if !hub.Restore("docker.io/library/nginx:1.27") || hub.Restore("nginx:1.27") {
			t.Error("an image is restored once, under any of its names")
		}
		pull("<nil>")
		if unused := r.UnusedImages(); len(unused) != 1 {
			t.Errorf("unused: %v", unused)
		}
		if err := r.RemoveImage(p, "nginx:1.27"); err != nil || len(r.ListImages()) != 0 {
			t.Errorf("%v, %v", err, r.ListImages())
		}
	})
	k.RunUntil(time.Minute)
}

func TestValidImage(t *testing.T) {
	for image, want := range map[string]string{
		"nginx": "", "nginx:1.27": "", "localhost:5000/a/b:x": "", "ghcr.io/a/b@sha256:0123": "", "a_b/c.d-e": "",
		"Nginx":  "invalid reference format: repository name (library/Nginx) must be lowercase",
		"me/Web": "invalid reference format: repository name (me/Web) must be lowercase",
		"nginx:": "invalid reference format", "": "invalid reference format", "a//b": "invalid reference format", "nginx:a b": "invalid reference format",
		"-a": "invalid reference format",
	} {
		if got := cri.ValidImage(image); got != want {
			t.Errorf("%q: %q, want %q", image, got, want)
		}
	}
}
