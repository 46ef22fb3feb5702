package session_test

import (
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
)

const web = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"replicas":2,
	"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
	"spec":{"terminationGracePeriodSeconds":2,"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`

// small is a small scenario: a ReplicaSet is applied and scaled on two nodes.
func small() *scenario.Scenario {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(2)
	config.Controllers = []string{"replicaset-controller", "garbage-collector-controller", "pod-garbage-collector-controller"}
	return &scenario.Scenario{
		Name: "demo", Title: map[string]string{"en": "Demo"}, Seed: 3, Cluster: config,
		Setup: 8 * time.Second, End: 24 * time.Second,
		Steps: []scenario.Step{
			{ID: "apply", Input: cluster.Input{At: 9 * time.Second, Kind: cluster.Apply, Manifest: []byte(web)}},
			{ID: "up", Input: scale(15*time.Second, 4)},
		},
		Claims: []scenario.Claim{{
			After: "up", Within: 9 * time.Second, Count: "4",
			Objects: &scenario.Objects{Resource: "pods", Labels: "app=web", Fields: map[string]string{"status.conditions[Ready].status": "True"}},
		}},
		Marks: []scenario.Mark{
			{ID: "too-few", After: "apply", When: &scenario.Match{Op: "log", Attrs: map[string]string{"message": "Too few replicas"}},
				Caption: map[string]string{"en": "Too few"}},
			{ID: "again", After: "up", When: &scenario.Match{Op: "log", Attrs: map[string]string{"message": "Too few replicas"}},
				Caption: map[string]string{"en": "Again"}},
			{ID: "later", After: "up", At: time.Second, Caption: map[string]string{"en": "Later"}},
		},
	}
}

func scale(at time.Duration, replicas int32) cluster.Input {
	return cluster.Input{At: at, Kind: cluster.Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &replicas}
}
