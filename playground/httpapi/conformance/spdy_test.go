package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kubewalk/playground/cluster"
)

// Clients without WebSockets open connections of SPDY alone.
func TestSPDY(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Network = true
	p := serve(t, config, 10)
	p.settle()
	p.more = []string{"KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false", "KUBECTL_PORT_FORWARD_WEBSOCKETS=false"}
	if err := os.WriteFile(filepath.Join(p.folder, "file"), []byte(strings.Repeat("0123456789\n", 20_000)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, stdin, stdout, stderr string // regular expressions
		exit                        int
	}{
		{line: "kubectl create deployment web --image=nginx", stdout: `created`},
		{line: "kubectl rollout status deployment/web", stdout: `successfully rolled out`},
		{line: "kubectl exec deployment/web -- hostname", stdout: `^web-[a-z0-9-]+\n$`},
		{line: "kubectl exec deployment/web -- sh -c 'echo out; echo no >&2; exit 3'", stdout: `^out\n$`,
			stderr: `^no\ncommand terminated with exit code 3\n$`, exit: 3},
		{line: "kubectl exec -i deployment/web -- sh", stdin: "echo one\nexit 4\n", stdout: `^one\n$`, stderr: `^command terminated with exit code 4\n$`, exit: 4},
		{line: "kubectl exec -i deployment/web -- cat", stdin: "some\ninput", stdout: `^some\ninput$`},
		{line: "kubectl exec deployment/web -- nosuch", stderr: `^error: Internal error occurred: .*executable file not found in \$PATH`, exit: 1},
		{line: "kubectl exec nosuch -- ls", stderr: `^Error from server \(NotFound\): pods "nosuch" not found\n$`, exit: 1},
		{line: "kubectl run box --image=busybox --stdin --attach=false -- sh -c 'read word; echo $word'", stdout: `created`},
		{line: "kubectl wait --for=condition=Ready pod/box", stdout: `condition met`},
		{line: "kubectl cp file box:/tmp/there"},
		{line: "kubectl cp box:/tmp/there back", stdout: `^(tar: removing leading '/' from member names\n)?$`},
		{line: "kubectl exec box -- wc -c /tmp/there", stdout: `.`},
		{line: "kubectl attach -i box", stdin: "bye\n", stdout: `^bye\n$`, stderr: `.`},
	} {
		stdout, stderr, code := p.kubectl(c.line, c.stdin)
		if c.stdout == "" {
			c.stdout = "^$"
		}
		if c.stderr == "" {
			c.stderr = "^$"
		}
		if code != c.exit || !regexp.MustCompile(c.stdout).MatchString(stdout) || !regexp.MustCompile(c.stderr).MatchString(stderr) {
			t.Errorf("$ %s\nends with %d, prints\n%s\nand says\n%s", c.line, code, stdout, stderr)
		}
	}
	if text, err := os.ReadFile(filepath.Join(p.folder, "back")); err != nil || len(text) != 220_000 {
		t.Errorf("%d bytes came back: %v", len(text), err)
	}
	forward(t, p)
}
