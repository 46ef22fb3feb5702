package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/check/conformance/transcript"
	"kubewalk/playground/cluster"
	"kubewalk/playground/httpapi"
	"kubewalk/playground/kubectl"
	"kubewalk/playground/trace"
)

// port is a cluster on a port, with what kubectl needs.
type port struct {
	*testing.T
	*httpapi.Server
	folder string   // the kubeconfig's, and where kubectl runs
	more   []string // of kubectl's environment
}

// serve starts a cluster and waits until it is ready.
func serve(t *testing.T, config cluster.Config, speed float64) *port {
	t.Helper()
	return serveRecorded(t, config, speed, nil)
}

// serveRecorded serves a cluster that tells what clients do to it.
func serveRecorded(t *testing.T, config cluster.Config, speed float64, record func(n int, o cluster.Outcome)) *port {
	t.Helper()
	config.Epoch, config.Trace = time.Now().UTC().Truncate(time.Second), trace.Off
	s, err := httpapi.Start(httpapi.Options{Config: config, Seed: 1, Speed: speed, Listen: "127.0.0.1:0", Record: record})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &port{T: t, Server: s, folder: t.TempDir()}
	if err := os.WriteFile(p.kubeconfig(), s.Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	return p
}

// settle waits for what controllers make in a new cluster after it is ready: the recorded one had it long since.
func (p *port) settle() {
	p.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		_, stderr, code := p.kubectl("kubectl get configmap/kube-root-ca.crt serviceaccount/default", "")
		if code == 0 {
			return
		}
		if time.Now().After(end) {
			p.Fatal(stderr)
		}
	}
}

func (p *port) kubeconfig() string { return filepath.Join(p.folder, "kubeconfig") }

// kubectl runs the real kubectl with a command line as a shell would.
func (p *port) kubectl(line, stdin string) (stdout, stderr string, code int) {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	words, err := kubectl.Split(line)
	if err != nil {
		p.Fatalf("$ %s: %v", line, err)
	}
	var args []string
	for _, w := range words[1:] {
		args = append(args, w.Text)
	}
	cmd := exec.CommandContext(ctx, p.self(), args...)
	cmd.Dir, cmd.Stdin, cmd.Env = p.folder, strings.NewReader(stdin), p.env()
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.Fatalf("$ %s: %v", line, err)
	}
	return out.String(), complaints.String(), cmd.ProcessState.ExitCode()
}

// self is the program that is kubectl in the environment env.
func (p *port) self() string {
	p.Helper()
	program, err := os.Executable()
	if err != nil {
		p.Fatal(err)
	}
	return program
}

func (p *port) env() []string {
	return append([]string{asKubectl + "=yes", "KUBECONFIG=" + p.kubeconfig(), "HOME=" + p.folder, "PATH=" + os.Getenv("PATH")}, p.more...)
}

// transcripts are the recordings, and how many of their commands are played at least.
var transcripts = map[string]int{"01-replicaset-life": 10, "02-deployment-rollout": 24, "03-service-endpoints": 12, "04-bad-input": 29, "05-scheduling": 20,
	"06-custom-resource": 15, "07-ownership": 14, "08-config-and-apply": 20}

// recordedNode is a node of the recordings, whose nodes were hollow: ours are called otherwise.
var recordedNode = regexp.MustCompile(`\bnode-(\d)\b`)

// Between two commands of a recording that create something more than a second passed, so that what they created is in the order of its
// creation times. A second is a quarter of one here.
var writes = regexp.MustCompile(`^kubectl (apply|create|set|rollout (undo|restart)) `)

const sinceRecorded = 1100 * time.Millisecond / recordedSpeed

// recordedSpeed is how fast time passes for a cluster to which a recording is played.
const recordedSpeed = 4

// TestTranscripts plays every recording with the real kubectl to hollow nodes, as it was recorded.
func TestTranscripts(t *testing.T) {
	for name, atLeast := range transcripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded, err := transcript.Read("../../check/conformance/testdata/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			config := cluster.DefaultConfig()
			config.Nodes, config.HollowNodes = nil, &cluster.HollowNodes{Count: 3, CPU: "4", Memory: "8Gi"}
			p := serve(t, config, recordedSpeed)
			p.settle()
			for file, text := range recorded.Manifests {
				if err := os.WriteFile(filepath.Join(p.folder, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			played := 0
			for _, s := range recorded.Steps {
				if s.Until != nil {
					p.wait(s)
					continue
				}
				played++
				if writes.MatchString(s.Command) {
					time.Sleep(sinceRecorded)
				}
				p.compare(s)
			}
			if played < atLeast {
				t.Errorf("only %d commands were played, of at least %d", played, atLeast)
			}
		})
	}
}

func (p *port) run(s transcript.Step) (stdout, stderr string, code int) {
	p.Helper()
	line := strings.Replace(s.Command, "spec.nodeName=node-1", "spec.nodeName="+p.fullest(s.Command), 1)
	return p.kubectl(recordedNode.ReplaceAllString(line, "hollow-$1"), "")
}

// fullest is the node that has most Pods. Eight are spread as 3, 3 and 2; node-1 had three when that was recorded.
func (p *port) fullest(command string) string {
	if !strings.Contains(command, "spec.nodeName=node-1") {
		return ""
	}
	out, _, _ := p.kubectl("kubectl get pods -o jsonpath={.items[*].spec.nodeName}", "")
	pods := map[string]int{}
	best := ""
	for _, node := range strings.Fields(out) {
		if pods[node]++; pods[node] > pods[best] {
			best = node
		}
	}
	return best
}

func (p *port) compare(s transcript.Step) {
	p.Helper()
	stdout, stderr, code := p.run(s)
	if code != s.Exit {
		p.Errorf("line %d: $ %s\nends with the code %d, recorded %d", s.Line, s.Command, code, s.Exit)
	}
	if got, want := transcript.Same(stdout), transcript.Same(strings.Join(s.Stdout, "\n")); got != want {
		p.Errorf("line %d: $ %s\nprints   %s\nrecorded %s", s.Line, s.Command, got, want)
	}
	if got, want := transcript.Same(stderr), transcript.Same(strings.Join(s.Stderr, "\n")); got != want {
		p.Errorf("line %d: $ %s\nsays     %s\nrecorded %s", s.Line, s.Command, got, want)
	}
}

// wait runs a command until it prints what the recorder waited for.
func (p *port) wait(s transcript.Step) {
	p.Helper()
	out := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if out, _, _ = p.run(s); strings.TrimSuffix(out, "\n") == *s.Until || out == *s.Until {
			return
		}
	}
	p.Fatalf("line %d: until `%s` prints %q: it prints %q after a minute", s.Line, s.Command, *s.Until, out)
}
