package conformance

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"

	"kubewalk/playground/cluster"
)

// terminal is client-go's end of a connection, to which a test types.
type terminal struct {
	t     *testing.T
	keys  *io.PipeWriter
	gone  context.CancelFunc
	ended chan error

	mu   sync.Mutex
	text bytes.Buffer
	errs bytes.Buffer // of standard error
}

func (m *terminal) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.Write(p)
}

// sees waits until the terminal shows exactly this, and ends until this is the end of what it shows.
func (m *terminal) sees(want string) {
	m.t.Helper()
	m.wait(want, func(got, want string) bool { return got == want })
}
func (m *terminal) ends(want string) { m.t.Helper(); m.wait(want, strings.HasSuffix) }

func (m *terminal) wait(want string, holds func(got, want string) bool) {
	m.t.Helper()
	got := ""
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		m.mu.Lock()
		got = m.text.String()
		m.mu.Unlock()
		if holds(got, want) {
			return
		}
	}
	m.t.Errorf("the terminal shows %q, want %q", got, want)
}

func (m *terminal) press(keys string) { io.WriteString(m.keys, keys) }

// A shell on the port is one process, to which client-go types as kubectl exec -it and attach -it do: it keeps its directory and variables,
// what is typed is echoed, and keys do what they do on a terminal.
func TestTypeOnThePort(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		t.Run(map[bool]string{false: "direct", true: "recorded"}[recorded], func(t *testing.T) { typeOnThePort(t, recorded) })
	}
}

func typeOnThePort(t *testing.T, recorded bool) {
	var kinds sync.Map
	var record func(int, cluster.Outcome)
	if recorded {
		record = func(_ int, o cluster.Outcome) {
			if o.Input.Connection != "" {
				kinds.Store(string(o.Input.Kind)+" "+o.Input.Connection+" "+o.Input.Value, true)
			}
		}
	}
	p := serveRecorded(t, cluster.DefaultConfig(), 10, record)
	p.settle()
	for _, line := range []string{"kubectl run box --image=busybox --restart=Never -- sleep infinity", "kubectl run own -it --attach=false --image=busybox",
		"kubectl run asks -i --attach=false --image=busybox --restart=Never -- sh -c 'read name; echo hello $name; exit 2'",
		"kubectl wait --for=condition=Ready pod/box pod/own pod/asks"} {
		if _, stderr, code := p.kubectl(line, ""); code != 0 {
			t.Fatalf("$ %s: %s", line, stderr)
		}
	}
	clients := kubernetes.NewForConfigOrDie(p.config())
	open := func(pod, verb string, tty, spdy bool, command ...string) *terminal {
		t.Helper()
		request := clients.CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name(pod).SubResource(verb)
		if verb == "exec" {
			request = request.VersionedParams(&corev1.PodExecOptions{Stdin: true, Stdout: true, Stderr: !tty, TTY: tty, Command: command}, scheme.ParameterCodec)
		} else {
			request = request.VersionedParams(&corev1.PodAttachOptions{Stdin: true, Stdout: true, Stderr: !tty, TTY: tty}, scheme.ParameterCodec)
		}
		e, err := remotecommand.NewWebSocketExecutor(p.config(), "GET", request.URL().String())
		if spdy {
			e, err = remotecommand.NewSPDYExecutor(p.config(), "POST", request.URL())
		}
		if err != nil {
			t.Fatal(err)
		}
		keys, typed := io.Pipe()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		m := &terminal{t: t, keys: typed, gone: cancel, ended: make(chan error, 1)}
		t.Cleanup(cancel)
		go func() {
			o := remotecommand.StreamOptions{Stdin: keys, Stdout: m, Tty: tty}
			if !tty {
				o.Stderr = &m.errs
			}
			m.ended <- e.StreamWithContext(ctx, o)
		}()
		return m
	}
	ends := func(m *terminal, want string) {
		t.Helper()
		select {
		case err := <-m.ended:
			if got := ""; err != nil {
				if got = err.Error(); got != want {
					t.Errorf("ends with %q, want %q", got, want)
				}
			} else if want != "" {
				t.Errorf("ends well, want %q", want)
			}
		case <-time.After(20 * time.Second):
			t.Error("does not end")
		}
	}
	for _, spdy := range []bool{false, true} {
		m := open("box", "exec", true, spdy, "sh")
		m.sees("/ # ")
		m.press("cd /etx\x7fc\r")
		m.sees("/ # cd /etx\b \bc\r\n/etc # ")
		seen := "/ # cd /etx\b \bc\r\n/etc # "
		for _, s := range [][2]string{{"x=3; pwd\r", "x=3; pwd\r\n/etc\r\n/etc # "}, {"\x03", "^C\r\n/etc # "}, {"cat\r", "cat\r\n"},
			{"two\r", "two\r\ntwo\r\n"}, {"\x04", "/etc # "}} {
			m.press(s[0])
			seen += s[1]
			m.sees(seen)
		}
		m.press("exit $x\r")
		ends(m, "command terminated with exit code 3")
		m = open("box", "exec", false, spdy, "sh") // no terminal: no prompt and no echo, and two streams
		m.press("cd /etc\nnosuch\npwd; false\n")
		m.ends("/etc\n")
		m.keys.Close()
		ends(m, "command terminated with exit code 1")
		if got := m.errs.String(); got != "sh: nosuch: not found\n" {
			t.Errorf("standard error has %q", got)
		}

		m = open("own", "attach", true, spdy)
		m.press("cd /tmp\r")
		m.ends("/tmp # ")
		m.gone() // and the shell stays
		m = open("own", "attach", true, spdy)
		m.press("pwd\r")
		m.ends("pwd\r\n/tmp\r\n/tmp # ")
		m.press("exit 5\r")
		ends(m, "command terminated with exit code 5")
		if _, stderr, code := p.kubectl("kubectl wait --for=jsonpath={.status.containerStatuses[0].restartCount}=1 pod/own", ""); code != 0 && !spdy {
			t.Error(stderr)
		}
		p.kubectl("kubectl wait --for=condition=Ready pod/own", "")
	}
	stdout, stderr, code := p.kubectl("kubectl attach -i asks", "Ada\n")
	if stdout != "hello Ada\n" || code != 2 || !strings.Contains(stderr, "command prompt") {
		t.Errorf("attach -i prints %q, says %q, ends with %d", stdout, stderr, code)
	}
	for _, want := range []string{"api-request 1 ", "type 1 cd /etc", "type 1 \x03", "type 2 nosuch"} {
		if _, there := kinds.Load(want); there != recorded {
			t.Errorf("an input %q: %v", want, there)
		}
	}
}
