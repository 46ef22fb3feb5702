package cluster

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/trace"
)

// Config is what a cluster is made of. It travels as JSON.
type Config struct {
	Epoch time.Time   `json:"epoch"` // what the clock shows at the start
	Nodes []Node      `json:"nodes"`
	Trace trace.Level `json:"trace"` // how much of the run is kept
	// Schedulers is how many schedulers run, none of which knows of the others:
	// upstream's elect a leader, so this is what happens when that goes wrong.
	// They are called kube-scheduler, kube-scheduler-2 … 0 is 1.
	Schedulers int `json:"schedulers,omitempty"`
}

// Node is a machine.
type Node struct {
	Name   string            `json:"name"`
	CPU    string            `json:"cpu"`    // a quantity: "4", "500m"
	Memory string            `json:"memory"` // a quantity: "8Gi"
	Pods   int               `json:"pods"`   // how many Pods it takes
	Labels map[string]string `json:"labels,omitempty"`
}

// DefaultConfig is a cluster of three nodes.
func DefaultConfig() Config {
	return Config{
		Epoch: time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC),
		Nodes: NumberedNodes(3),
		Trace: trace.All,
	}
}

// NumberedNodes makes nodes node-1, node-2 … of 4 CPUs, 8 GiB and 110 Pods each.
func NumberedNodes(n int) []Node {
	nodes := make([]Node, n)
	for i := range nodes {
		nodes[i] = Node{Name: fmt.Sprintf("node-%d", i+1), CPU: "4", Memory: "8Gi", Pods: 110}
	}
	return nodes
}

// Names of the components that every cluster has, beside those of controllers
// and nodes.
const (
	Etcd      = "etcd"
	APIServer = "kube-apiserver"
	Scheduler = "kube-scheduler"
	Kubectl   = "kubectl"
)

func (c Config) schedulers() []string {
	names := []string{Scheduler}
	for i := 2; i <= c.Schedulers; i++ {
		names = append(names, fmt.Sprintf("%s-%d", Scheduler, i))
	}
	return names
}

// ResourceFor finds the plural for what a person calls a resource: "rs",
// "pod", "replicasets.apps". ok is false when it is not served.
func ResourceFor(name string) (plural string, ok bool) {
	k := api.Resolve(name)
	if k == nil {
		return "", false
	}
	return k.Resource, true
}
