package cluster_test

import (
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

const webRC = `{"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"web"},"spec":{"replicas":2,
	"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`

// TestReplicationController: the controller of ReplicaSets does for the older kind what it does for its own.
func TestReplicationController(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	c.RunUntil(12 * time.Second)
	const active = "get pods -l app=web --field-selector status.phase=Running -o jsonpath='{.items[*].metadata.ownerReferences[0].kind}'"
	const status = "get rc web -o jsonpath='{.status.replicas} {.status.readyReplicas} {.status.availableReplicas} {.status.observedGeneration}'"
	for _, step := range []typedStep{
		{"apply -f rc", "replicationcontroller/web created", 10 * time.Second},
		{active, "ReplicationController ReplicationController", 0},
		{status, "2 2 2 1", 0},
		{"get events --field-selector reason=SuccessfulCreate -o jsonpath='{.items[*].source.component}'", "replication-controller replication-controller", 0},
		{"scale rc web --replicas=3", "replicationcontroller/web scaled", 10 * time.Second},
		{status, "3 3 3 2", 0},
		{"run stray --image=nginx:1.27 --labels=app=web", "pod/stray created", 40 * time.Second}, // is adopted, and one Pod is too many
		{status, "3 3 3 2", 0},
		{"delete rc web --cascade=orphan", `replicationcontroller "web" deleted from default namespace`, 5 * time.Second},
		{active, "", 0},
		{"apply -f rc", "replicationcontroller/web created", 40 * time.Second}, // adopts three, and deletes one
		{active, "ReplicationController ReplicationController", 0},
		{"delete rc web", `replicationcontroller "web" deleted from default namespace`, 40 * time.Second},
		{"get pods -l app=web -o name", "", 0},
	} {
		if got := typed(t, c, step.line, webRC); got != step.want {
			t.Errorf("$ %s\ngot  %q\nwant %q", step.line, got, step.want)
		}
		c.RunUntil(c.Elapsed() + step.pass)
	}
}
