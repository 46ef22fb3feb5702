package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func TestDebugKubeadm(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(2)
	config.Authorization, config.LeaderElect, config.AllKinds, config.Kubeadm = cluster.RBAC, true, true, true
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	c.RunUntil(time.Second)
	if err := c.Schedule(cluster.Input{At: time.Second, Kind: cluster.Start, Component: "kubeadm/node-1"}); err != nil {
		t.Fatal(err)
	}
	c.RunUntil(40 * time.Second)
	if err := c.Schedule(cluster.Input{At: 40 * time.Second, Kind: cluster.Start, Component: "kubeadm/node-2"}); err != nil {
		t.Fatal(err)
	}
	c.RunUntil(70 * time.Second)
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.Log && (strings.HasPrefix(e.Component, "kubeadm") || strings.HasPrefix(e.Component, "kubelet")) || e.Op == trace.ContainerStart || e.Op == trace.ComponentStart || e.Op == trace.ComponentStop || e.Op == trace.ContainerExit {
			t.Log(e.At, e.Component, e.Op, e.Object, e.Attrs)
		}
	}
	for _, line := range []string{"get nodes", "get pods -A -o wide", "get csr"} {
		t.Log(typed(t, c, line, ""))
	}
}
