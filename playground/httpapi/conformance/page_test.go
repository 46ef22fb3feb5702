package conformance

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// What the page's kubectl knows by itself, the real one asks the server for: both print the same.
func TestPagesKubectlPrintsTheSame(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 1)
	page := cluster.New(cluster.DefaultConfig(), 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	for _, line := range []string{
		"kubectl api-versions",
		"kubectl api-resources",
		"kubectl api-resources --verbs=list,watch -o name",
		"kubectl api-resources --namespaced=false --no-headers",
		"kubectl api-resources --api-group=authorization.k8s.io",
		"kubectl auth can-i list pods",
		"kubectl auth can-i get /logs/",
		"kubectl auth can-i delete nodes",
		"kubectl auth can-i get nosuch",
		"kubectl auth can-i list pods -q",
		"kubectl auth can-i list",
		"kubectl auth whoami",
		"kubectl get --raw /version",
		"kubectl get --raw /apis",
		"kubectl get --raw /apis/batch/v1",
		"kubectl get --raw /api/v1",
		"kubectl get --raw /apis/nosuch",
		"kubectl get --raw /nosuch",
		"kubectl get --raw /api/v1/nodes?limit=x",
		"kubectl get --raw /api/v1/namespaces/default/configmaps/nosuch",
		"kubectl get --server-print",
		"kubectl describe",
	} {
		stdout, stderr, code := p.kubectl(line, "")
		args, err := cluster.ParseCommand(line)
		if err != nil {
			t.Errorf("$ %s: %v", line, err)
			continue
		}
		n := len(page.Outcomes())
		if err := page.Schedule(cluster.Input{At: page.Elapsed(), Kind: cluster.Command, Args: args}); err != nil {
			t.Fatal(err)
		}
		page.RunUntil(page.Elapsed() + time.Second)
		o := page.Outcomes()[n] // without the newlines at the end
		stdout, stderr = strings.TrimRight(stdout, "\n"), strings.TrimRight(stderr, "\n")
		if o.Output != stdout || o.Warning+o.Error != stderr || (o.Error != "") != (code != 0) {
			t.Errorf("$ %s\nprints   %q %q\nthe real %q %q (%d)", line, o.Output, o.Warning+o.Error, stdout, stderr, code)
		}
	}
}
