package cluster_test

import (
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// TestDevicesWithRBAC: the roles of Kubernetes suffice for what programs do about devices.
func TestDevicesWithRBAC(t *testing.T) {
	c := newDeviceCluster(t, func(config *cluster.Config) { config.Authorization = "rbac" })
	c.wanting("a", `"deviceclass.resource.kubernetes.io/gpu":"1"`)
	c.run(20 * time.Second)
	if claims := c.claims("a-extended-resources-"); len(claims) != 1 || c.logged("NodePrepareResources succeeded") != 1 {
		t.Fatalf("%s; claims %v", unschedulable(c.get("a")), claims)
	}
	c.delete("pods", "a")
	c.run(40 * time.Second)
	if claims := c.claims("a-extended-resources-"); len(claims) > 0 {
		t.Errorf("left: %+v", claims[0])
	}
	c.pod("b", `"resourceClaimTemplateName":"large"`)
	c.run(20 * time.Second)
	c.taint(2, "NoExecute")
	c.run(10 * time.Second)
	if !c.gone("b") {
		t.Error("a taint evicts nobody")
	}
}
