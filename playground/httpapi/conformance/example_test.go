package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kubewalk/playground/cluster"
)

// TestExample runs the project of examples/website, as somebody would on their machine: its program, its definition, its sample.
func TestExample(t *testing.T) {
	example, err := filepath.Abs("../../examples/website")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "manager")
	build := exec.Command("go", "build", "-o", program, "./cmd")
	build.Dir = example
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := serve(t, cluster.DefaultConfig(), 10)
	kubectl := func(line string) string {
		t.Helper()
		stdout, stderr, code := p.kubectl("kubectl "+line, "")
		if code != 0 {
			return stderr
		}
		return stdout
	}
	kubectl("apply -f " + filepath.Join(example, "config/crd/bases"))
	kubectl("wait --for=condition=Established crd/websites.web.example.com")

	var log bytes.Buffer
	manager := exec.Command(program, "--health-probe-bind-address=0")
	manager.Env = append(os.Environ(), "KUBECONFIG="+p.kubeconfig(), "ENABLE_WEBHOOKS=false")
	manager.Stderr = &log
	if err := manager.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Wait() }()
	t.Cleanup(func() {
		_ = manager.Process.Signal(os.Interrupt)
		if err := <-ended; err != nil || t.Failed() {
			t.Errorf("the manager: %v\n%s", err, log.String())
		}
	})

	is := func(what, line, want string) {
		t.Helper()
		got := ""
		eventually(t, what, func() bool {
			got = kubectl(line)
			return got == want
		})
	}
	kubectl("apply -f " + filepath.Join(example, "config/samples"))
	is("a Pod answers", `get website blog -o jsonpath={.status.conditions[0].status}/{.status.availableReplicas}`, "True/1")
	is("the directory has the site", `get cm websites -o jsonpath={.data.blog}`, "blog.example.com")
	is("two Events", `get events.v1.events.k8s.io --field-selector regarding.kind=Website -o jsonpath={.items[*].reason}`, "DeploymentWritten ServiceWritten")
	kubectl("scale deployment blog --replicas=3")
	is("the Deployment is put back", `get deployment blog -o jsonpath={.spec.replicas}/{.metadata.generation}`, "1/3")
	kubectl("delete service blog")
	is("the Service is there again", `get service blog -o jsonpath={.spec.ports[0].port}`, "80")
	kubectl(`patch website blog --type=merge -p '{"spec":{"replicas":2}}'`)
	is("two Pods answer", `get website blog -o jsonpath={.status.availableReplicas}`, "2")
	kubectl("delete website blog")
	is("the directory is empty", `get cm websites -o jsonpath={.data}`, "")
	is("the Deployment is collected", `get deployment blog --ignore-not-found -o name`, "")
}
