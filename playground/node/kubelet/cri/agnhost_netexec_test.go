//go:build !js || cel

package cri_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

const agnhostImage = "registry.k8s.io/e2e-test-images/agnhost:2.63.0"

// netexecs are three Pods on a node without a network, which reach each other by address: one with agnhost's servers on ports of their own,
// one that asks, and one that serves no packets.
type netexecs struct {
	*testing.T
	k      *sim.Kernel
	r      *cri.Runtime
	p      *sim.Proc
	ids    map[string]string
	server string // its address
}

func withNetexecs(t *testing.T, do func(w *netexecs)) {
	k := world(t)
	w := &netexecs{T: t, k: k, r: cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"}), ids: map[string]string{}}
	done := false
	k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
		w.p = p
		w.server = w.run("server", "--http-port=8083 --udp-port=8081 --sctp-port=8082")
		w.run("client", "")
		w.run("silent", "--udp-port -1 --http-override=/echo?msg=always")
		p.Sleep(time.Second)
		do(w)
		done = true
	})
	k.RunUntil(10 * time.Minute)
	if !done {
		t.Error("the test waits without end")
	}
}

func (w *netexecs) run(name, options string) (ip string) {
	sandbox, err := w.r.RunPodSandbox(w.p, cri.PodSandboxConfig{Name: name, Namespace: "default", UID: name})
	if err != nil {
		w.Fatal(err)
	}
	id, _ := w.r.CreateContainer(w.p, sandbox, cri.ContainerConfig{Name: "app", Image: agnhostImage,
		Program: cri.NewProgram(agnhostImage, nil, append([]string{"netexec"}, strings.Fields(options)...))})
	if err := w.r.StartContainer(w.p, id); err != nil {
		w.Error(err)
	}
	w.ids[name] = id
	s, _ := w.r.PodSandboxStatus(sandbox)
	return s.IP
}

// in runs a command in a Pod, and returns what it prints, its code if that is not 0, and how many seconds it took if it took some.
func (w *netexecs) in(pod, command string) string {
	began := w.p.Now()
	result, err := w.r.ExecSync(w.p, w.ids[pod], []string{"sh", "-c", command}, 0)
	if err != nil {
		w.Error(err)
	}
	out := strings.TrimSuffix(result.Stdout+result.Stderr, "\n")
	if result.ExitCode != 0 {
		out += fmt.Sprintf(" (%d)", result.ExitCode)
	}
	if took := (w.p.Now() - began).Truncate(time.Second); took > 0 {
		out += " " + took.String()
	}
	return strings.TrimPrefix(out, " ")
}

// TestNetexecDial: what /dial comes to, as Kubernetes' own tests read it.
func TestNetexecDial(t *testing.T) {
	withNetexecs(t, func(w *netexecs) {
		for _, c := range []struct{ query, want string }{
			{"request=hostname&protocol=http&host=SERVER&port=8083&tries=1", `{"responses":["server"]}`},
			{"request=hostName&protocol=udp&host=SERVER&port=8081&tries=2", `{"responses":["server","server"]}`},
			{"request=hostname&protocol=SCTP&host=SERVER&port=8082", `{"responses":["server"]}`},
			{"request=echo%20Hello&protocol=udp&host=SERVER&port=8081", `{"responses":["hello"]}`},
			{"request=echo%3Fmsg%3Dhello&host=SERVER&port=8083", `{"responses":["hello"]}`},
			{"request=serverport&protocol=udp&host=SERVER&port=8081", `{"responses":["8081"]}`},
			{"request=hostname&protocol=udp&host=localhost&port=8081", `{"responses":["client"]}`},
			{"request=nonsense&protocol=sctp&host=SERVER&port=8082", `{"errors":["reading from sctp connection failed. err:'EOF'"]}`},
			{"request=nonsense&protocol=udp&host=SERVER&port=8081",
				`{"errors":["reading from udp connection failed. err:'read udp 10.244.1.3:32773-\u003eSERVER:8081: i/o timeout'"]} 5s`},
			{"request=hostname&protocol=udp&host=SERVER&port=8080",
				`{"errors":["reading from udp connection failed. err:'read udp 10.244.1.3:32774-\u003eSERVER:8080: read: connection refused'"]}`},
			{"request=hostname&protocol=sctp&host=SERVER&port=8083", `{"errors":["sctp dial failed. err:connection refused"]}`},
			{"request=hostname&host=SERVER&port=80", `{"errors":["Get \"http://SERVER:80/hostname\": dial tcp SERVER:80: connect: connection refused"]}`},
			{"request=hostname&host=10.244.1.99&port=80&tries=2", `{"errors":[` + strings.Repeat(`,"Get \"http://10.244.1.99:80/hostname\": `+
				`context deadline exceeded (Client.Timeout exceeded while awaiting headers)"`, 2)[1:] + `]}`},
			{"request=exit&host=SERVER&port=8083&tries=none", `tries parameter is invalid. strconv.Atoi: parsing "none": invalid syntax`},
			{"host=SERVER&port=8083", `request parameter not specified. <nil>`},
			{"request=hostname&protocol=icmp&host=SERVER&port=8083", `unsupported protocol. icmp`},
			{"request=hostname&host=SERVER&port=http2", `host and/or port param are invalid. lookup tcp/http2: unknown port`},
			{"request=hostname&host=SERVER&port=70000", `host and/or port param are invalid. address 70000: invalid port`},
			{"request=hostname&host=nobody&port=80", `host and/or port param are invalid. lookup nobody: no such host`},
		} {
			got := w.in("client", "curl -g -q -s 'http://localhost:8080/dial?"+strings.ReplaceAll(c.query, "SERVER", w.server)+"'")
			if want := strings.ReplaceAll(c.want, "SERVER", w.server); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", c.query, got, want)
			}
		}
	})
}

// TestNetexecEndpoints: agnhost's other paths, and packets that a shell sends.
func TestNetexecEndpoints(t *testing.T) {
	withNetexecs(t, func(w *netexecs) {
		for _, c := range []struct{ command, want string }{
			{"curl -s SERVER:8083/hostName", "server"},
			{"curl -s SERVER:8083/serverport", "8083"},
			{"curl -s SERVER:8083/clientip", "10.244.1.3:32768"},
			{"curl -s SERVER:8083/", "NOW: 2026-01-15 09:00:0"},
			{"curl -s 'SERVER:8083/echo?msg=a%20b&code=404' -w ' %{http_code}'", "a b\n 404"},
			{"curl -s 'SERVER:8083/echo?msg=a&code=x'", `argument 'code' must be an integer or empty, got "x"`},
			{"curl -s -w '%{http_code}' SERVER:8083/healthz", "200"},
			{"curl -s SERVER:8083/readyz", "ok"},
			{"curl -s SERVER:8083/header", "{}"},
			{"curl -s 'SERVER:8083/redirect?location=/echo' -w '%{http_code}'", "<a href=\"/echo\">Found</a>.\n\n302"},
			{"curl -s 'SERVER:8083/shell?cmd=hostname%3Bfalse'", `{"error":"exit status 1","output":"server\n"}`},
			{"curl -s 'SERVER:8083/exit?wait=x'", `argument 'wait' must be a valid golang duration or empty, got "x"`},
			{"echo hostName | nc -w 1 -u SERVER 8081", "server 1s"},
			{"echo echo HELLO | nc -w 1 -u SERVER 8081", "hello 1s"},
			{"echo clientip | nc -w 1 -u SERVER 8081", "10.244.1.3:32770 1s"},
			{"echo nonsense | nc -w 2 -u SERVER 8081", "2s"},
			{"echo hostname | nc -w 1 -u SERVER 8083", ""},
			{"nc -z -u -w 1 SERVER 8083", "(1)"},
			{"nc -z -u -w 1 SERVER 8081", "1s"},
			{"echo hostname | nc -w 1 -u nobody 8081", `nc: getaddrinfo for host "nobody" port 8081: Name does not resolve (1)`},
			{"curl -s -w '%{http_code}' SILENT:8080/healthz", "always\n200"},
			{"curl -s 'SERVER:8083/exit?code=3&wait=2s&timeout=1s' && echo answered", "answered 2s"},
			{"curl -s SERVER:8083/", "(7)"},
			{"curl -sS CLIENT:8080/shutdown; true", "curl: (56) Recv failure: Connection reset by peer"},
		} {
			command := strings.NewReplacer("SERVER", w.server, "SILENT", "10.244.1.4", "CLIENT", "10.244.1.3").Replace(c.command)
			if got := w.in("client", command); got != c.want && !(strings.HasPrefix(c.want, "NOW") && strings.HasPrefix(got, c.want)) {
				t.Errorf("%s: %q, want %q", c.command, got, c.want)
			}
		}
		w.p.Sleep(time.Second)
		for pod, code := range map[string]int32{"server": 3, "client": 0} { // order: each is looked at alone
			if s, _ := w.r.ContainerStatus(w.ids[pod]); s.State != cri.ContainerExited || s.ExitCode != code {
				t.Errorf("%s: state %v, code %d, want %d", pod, s.State, s.ExitCode, code)
			}
		}
		var log []string
		lines, _ := w.r.Logs(w.ids["server"])
		for _, l := range lines {
			if _, text, ok := strings.Cut(l.Text, "2026/01/15 09:00:"); ok {
				log = append(log, text[3:])
			}
		}
		for _, want := range []string{"GET /echo?msg=a b&code=404", "GET /hostName", "Sending udp hostName response", "Echoing hello to UDP client 10.244.1.3:32769",
			"Unknown UDP command received from 10.244.1.3:32771: nonsense", "Will begin shutdown in 2s, allowing 1s for connections to close, then will exit with 3",
			"Graceful shutdown completed with: <nil>"} {
			if !strings.Contains("\n"+strings.Join(log, "\n")+"\n", "\n"+want+"\n") {
				t.Errorf("%q is not in the log:\n%s", want, strings.Join(log, "\n"))
			}
		}
	})
}

// TestNetexecWithoutPackets: whoever serves no packets is never ready.
func TestNetexecWithoutPackets(t *testing.T) {
	withNetexecs(t, func(w *netexecs) {
		ip := w.run("http-only", "--udp-port=-1")
		w.p.Sleep(time.Second)
		for _, path := range []string{"/healthz", "/readyz"} {
			if got := w.in("client", "curl -s -w '%{http_code}' "+ip+":8080"+path); got != "412" {
				t.Errorf("%s: %s", path, got)
			}
		}
	})
}

// TestNetexecTries: whoever is to ask itself without end stops when nobody would read what it found.
func TestNetexecTries(t *testing.T) {
	withNetexecs(t, func(w *netexecs) {
		for _, request := range []string{"hostname", "echo"} { // the second has an empty answer
			got := w.in("client", "curl -s -m 300 -o /tmp/out -w '%{http_code}' "+
				"'http://localhost:8080/dial?request="+request+"&host=localhost&port=8080&tries=1000000000'")
			if !strings.HasPrefix(got, "200") {
				t.Errorf("%s: %s", request, got)
			}
		}
	})
}
