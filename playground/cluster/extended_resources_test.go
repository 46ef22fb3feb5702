package cluster_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/cluster"
)

// wanting makes a Pod that requests extended resources.
func (c deviceCluster) wanting(name, resources string) {
	c.t.Helper()
	c.apply(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"default"},"spec":{"terminationGracePeriodSeconds":1,
		"containers":[{"name":"c0","image":"nginx:1.27","resources":{"limits":{%s}}}]}}`, name, resources))
}

// TestExtendedResourceOfClass: a Pod that requests what a DeviceClass stands for gets a claim of its own from the scheduler, which its status
// names, and which its kubelet has prepared; the claim goes with the Pod.
func TestExtendedResourceOfClass(t *testing.T) {
	c := newDeviceCluster(t)
	c.wanting("a", `"example.com/gpu":"1"`)
	c.run(10 * time.Second)
	if got, want := unschedulable(c.get("a")), "0/2 nodes are available: 2 Insufficient example.com/gpu. no new claims to deallocate, "+
		"preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."; got != want {
		t.Errorf("without a class: %s\nwant %s", got, want)
	}
	now(t, c.Cluster, cluster.Input{Kind: cluster.Command, Args: []string{"patch", "deviceclass", "gpu", "--type=merge", "-p",
		`{"spec":{"extendedResourceName":"example.com/gpu"}}`}})
	c.run(20 * time.Second)
	pod, made := c.get("a"), c.claims("a-extended-resources-")
	if len(made) != 1 || pod.Spec.NodeName == "" || pod.Status.Phase != corev1.PodRunning {
		t.Fatalf("%s on %q: %s; claims %v", pod.Status.Phase, pod.Spec.NodeName, unschedulable(pod), made)
	}
	claim := made[0]
	if r := claim.Spec.Devices.Requests; len(r) != 1 || r[0].Name != "container-0-request-0" || r[0].Exactly.DeviceClassName != "gpu" || r[0].Exactly.Count != 1 ||
		claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] != "true" || claim.OwnerReferences[0].UID != pod.UID ||
		!slices.Contains(claim.Finalizers, resourcev1.Finalizer) {
		t.Errorf("%+v", claim)
	}
	if s := claim.Status; s.Allocation == nil || s.Allocation.Devices.Results[0].Pool != pod.Spec.NodeName || len(s.ReservedFor) != 1 ||
		s.ReservedFor[0].UID != pod.UID {
		t.Errorf("%+v", s)
	}
	if s := pod.Status.ExtendedResourceClaimStatus; s == nil || s.ResourceClaimName != claim.Name || !slices.Equal(s.RequestMappings,
		[]corev1.ContainerExtendedResourceRequest{{ContainerName: "c0", ResourceName: "example.com/gpu", RequestName: "container-0-request-0"}}) {
		t.Errorf("%+v", s)
	}
	if n := c.logged("NodePrepareResources succeeded"); n != 1 {
		t.Errorf("prepared %d times", n)
	}

	// The name that every class has by itself. One node's device is taken, and the other's is, then, too.
	c.wanting("b", `"deviceclass.resource.kubernetes.io/gpu":"1"`)
	c.wanting("late", `"example.com/gpu":"1"`)
	c.run(20 * time.Second)
	b, late := c.get("b"), c.get("late")
	if late.Spec.NodeName != "" {
		b, late = late, b
	}
	if b.Spec.NodeName == "" || b.Spec.NodeName == pod.Spec.NodeName || late.Spec.NodeName != "" {
		t.Fatalf("on %q and %q: %s", b.Spec.NodeName, late.Spec.NodeName, unschedulable(b))
	}
	if got, want := unschedulable(late), "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, "+
		"preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	c.delete("pods", "a")
	c.run(40 * time.Second)
	if p := c.get(late.Name); p.Spec.NodeName != pod.Spec.NodeName || len(c.claims("a-extended")) != 0 || c.logged("NodeUnprepareResources succeeded") != 1 {
		t.Errorf("after the first is gone: on %q: %s; claims %v", p.Spec.NodeName, unschedulable(p), c.claims("a-extended"))
	}
}

// TestExtendedResourceOfNode: a node that has the resource by itself gives it, without a claim.
func TestExtendedResourceOfNode(t *testing.T) {
	c := newDeviceCluster(t)
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"fpga"},"spec":{"extendedResourceName":"example.com/fpga"}}`)
	now(t, c.Cluster, cluster.Input{Kind: cluster.Command, Args: []string{"patch", "node", "node-2", "--subresource=status", "--type=merge", "-p",
		`{"status":{"capacity":{"example.com/fpga":"3"},"allocatable":{"example.com/fpga":"3"}}}`}})
	c.wanting("a", `"example.com/fpga":"3"`)
	c.run(20 * time.Second)
	if pod := c.get("a"); pod.Spec.NodeName != "node-2" || pod.Status.ExtendedResourceClaimStatus != nil || len(c.claims("a-")) > 0 {
		t.Errorf("on %q: %s; %v", pod.Spec.NodeName, unschedulable(pod), c.claims("a-"))
	}
}

// TestExtendedResourceIsDone: what a Pod had that has ended is free again.
func TestExtendedResourceIsDone(t *testing.T) {
	c := newDeviceCluster(t)
	c.apply(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default"},"spec":{"restartPolicy":"Never","containers":[{"name":"c",
		"image":"busybox","command":["sleep","5"],"resources":{"limits":{"deviceclass.resource.kubernetes.io/gpu":"1"}}}]}}`)
	c.run(3 * time.Second)
	if n := len(c.claims("a-extended-resources-")); n != 1 {
		t.Fatalf("%d claims: %s", n, unschedulable(c.get("a")))
	}
	c.run(60 * time.Second)
	if p := c.get("a"); p.Status.Phase != corev1.PodSucceeded || len(c.claims("a-")) > 0 {
		t.Errorf("%s: %+v", p.Status.Phase, c.claims("a-"))
	}
}

// TestStaleExtendedClaim: a claim that an earlier attempt has left is deleted, and the Pod gets another one.
func TestStaleExtendedClaim(t *testing.T) {
	c := newDeviceCluster(t)
	now(t, c.Cluster, cluster.Input{Kind: cluster.Stop, Component: "kube-scheduler"})
	c.wanting("a", `"deviceclass.resource.kubernetes.io/gpu":"1"`)
	c.run(time.Second)
	c.apply(fmt.Sprintf(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"a-extended-resources-old","namespace":"default",
		"annotations":{"resource.kubernetes.io/extended-resource-claim":"true"},"finalizers":["resource.kubernetes.io/delete-protection"],
		"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":%q,"controller":true}]},
		"spec":{"devices":{"requests":[{"name":"container-0-request-0","exactly":{"deviceClassName":"gpu"}}]}}}`, c.get("a").UID))
	now(t, c.Cluster, cluster.Input{Kind: cluster.Start, Component: "kube-scheduler"})
	c.run(10 * time.Second)
	if got, want := unschedulable(c.get("a")), "0/2 nodes are available: 2 cannot schedule extended resource claim. deletion of ResourceClaim completed, "+
		"preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."; got != want || len(c.claims("a-extended")) > 0 {
		t.Errorf("%s\nwant %s; claims %v", got, want, c.claims("a-extended"))
	}
	c.run(6 * time.Minute) // nothing tells the scheduler to try again
	if claims := c.claims("a-extended"); c.get("a").Spec.NodeName == "" || len(claims) != 1 || claims[0].Name == "a-extended-resources-old" {
		t.Errorf("%s; claims %v", unschedulable(c.get("a")), claims)
	}
}
