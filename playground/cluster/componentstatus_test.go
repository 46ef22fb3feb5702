package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// Who asks for componentstatuses hears which programs of the control plane do not answer.
func TestComponentStatuses(t *testing.T) {
	config := cluster.DefaultConfig()
	c := cluster.New(config, 1)
	defer c.Close()
	schedule := func(in cluster.Input) {
		t.Helper()
		if err := c.Schedule(in); err != nil {
			t.Fatal(err)
		}
	}
	look := cluster.Input{Kind: cluster.Command, Args: []string{"get", "componentstatuses", "--no-headers"}}
	for i, in := range []cluster.Input{look, {Kind: cluster.Stop, Component: cluster.Scheduler}, look, {Kind: cluster.Stop, Component: cluster.Etcd}, look} {
		in.At = time.Duration(10+i) * time.Second
		schedule(in)
	}
	c.RunFor(16*time.Second, 1_000_000)
	results := c.Outcomes()
	for i, want := range map[int]string{
		0: "scheduler Healthy ok\ncontroller-manager Healthy ok\netcd-0 Healthy ok",
		2: "scheduler Unhealthy Get \"https://127.0.0.1:10259/healthz\": dial tcp 127.0.0.1:10259: connect: connection refused\n" +
			"controller-manager Healthy ok\netcd-0 Healthy ok",
		4: "etcd-0 Unhealthy context deadline exceeded",
	} {
		var lines []string
		for line := range strings.Lines(results[i].Output) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		if got := strings.Join(lines, "\n"); !strings.Contains(got, want) {
			t.Errorf("look %d: %s%s", i, results[i].Output, results[i].Error)
		}
	}
}
