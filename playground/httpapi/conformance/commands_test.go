package conformance

import (
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// What the recordings lack, because their nodes were hollow: logs, commands in containers, ports.
func TestContainers(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Network, config.Metrics = true, true
	p := serve(t, config, 10)
	// want: what kubectl prints, as a regular expression; exit is its code.
	for _, c := range []struct {
		line, stdin, want string
		exit              int
	}{
		{line: "kubectl create deployment web --image=nginx --replicas=2", want: `^deployment.apps/web created\n$`},
		{line: "kubectl rollout status deployment/web", want: `deployment "web" successfully rolled out\n$`},
		{line: "kubectl logs deployment/web", want: `Found 2 pods, using pod/web-[a-z0-9-]+\n$|ready for start up`},
		{line: "kubectl exec deployment/web -- hostname", want: `^web-[a-z0-9-]+\n$`},
		{line: "kubectl exec deployment/web -- sh -c 'exit 3'", want: `^command terminated with exit code 3\n$`, exit: 3},
		{line: "kubectl exec -i deployment/web -- sh", stdin: "echo one\nhostname\nexit 4\n",
			want: `^one\nweb-[a-z0-9-]+\ncommand terminated with exit code 4\n$`, exit: 4},
		{line: "kubectl run hi --image=busybox --restart=Never --attach --rm -q -- echo hi", want: `hi`},
		// 6 s of the clock on the wall, so that kubectl sees it run on a slow machine.
		{line: "kubectl create job once --image=busybox -- sh -c 'echo one; sleep 60; echo two'", want: `^job.batch/once created\n$`},
		{line: "kubectl wait --for=condition=Ready pod -l job-name=once", want: `condition met`},
		{line: "kubectl logs -f job/once", want: `^one\ntwo\n$`},
		{line: "kubectl wait --for=condition=Complete job/once", want: `^job.batch/once condition met\n$`},
		{line: "kubectl auth can-i delete pods", want: `^yes\n$`},
		{line: "kubectl get --raw /version", want: `"gitVersion":"v1.36.3"`},
		{line: "kubectl get --raw /readyz", want: `^ok$`},
		{line: "kubectl get pods -o wide --watch --request-timeout=1s", want: `(?s)^NAME .*web-`},
		{line: "kubectl explain deployment.spec.replicas", want: `FIELD: replicas <integer>`},
		{line: "kubectl diff -f -", stdin: `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}}`, want: `(?m)^\+kind: ConfigMap$`, exit: 1},
		{line: "kubectl label namespace default a=b --dry-run=server", want: `labeled \(server dry run\)`},
		{line: "kubectl drain node-2 --ignore-daemonsets --force", want: `node/node-2 drained\n$`},
		{line: "kubectl get nodes node-2", want: `Ready,SchedulingDisabled`},
		{line: "kubectl exec nosuch -- ls", want: `^Error from server \(NotFound\): pods "nosuch" not found\n$`, exit: 1},
	} {
		stdout, stderr, code := p.kubectl(c.line, c.stdin)
		if out := stdout + stderr; code != c.exit || !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("$ %s\nends with %d and prints\n%s%s\nwant %d and %s", c.line, code, stdout, stderr, c.exit, c.want)
		}
	}
	eventually(t, "metrics-server has measured the nodes", func() bool {
		out, _, code := p.kubectl("kubectl top nodes", "")
		return code == 0 && strings.Contains(out, "node-3")
	})
	forward(t, p)
}

// forward opens a port with kubectl and asks a Pod through it, twice on one connection.
func forward(t *testing.T, p *port) {
	cmd := exec.Command(p.self(), "port-forward", "deployment/web", ":80")
	cmd.Dir, cmd.Env = p.folder, p.env()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	var address []string
	seen := ""
	buffer := make([]byte, 1000)
	for address == nil {
		n, err := out.Read(buffer)
		if seen += string(buffer[:n]); err != nil {
			t.Fatalf("port-forward: %v: %s", err, seen)
		}
		address = regexp.MustCompile(`127\.0\.0\.1:\d+`).FindStringSubmatch(seen)
	}
	client := &http.Client{Timeout: 10 * time.Second}
	for range 2 {
		answer, err := client.Get("http://" + address[0] + "/")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK || !strings.HasPrefix(string(body), "web-") {
			t.Errorf("through the port: %d %q", answer.StatusCode, body)
		}
	}
}
