package kwok

import (
	"encoding/json"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// Version is what a hollow node reports as its kubelet's.
const Version = "kwok-0.8.0"

// Annotation marks the nodes that are hollow. Upstream: pkg/apis/v1alpha1, kwok.x-k8s.io/node.
const Annotation = "kwok.x-k8s.io/node"

// ensureNodes reads which of the nodes there are, and makes the others.
func (c *Controller) ensureNodes(p *sim.Proc) {
	for {
		list, err := c.client.CoreV1().Nodes().List(p, metav1.ListOptions{ResourceVersion: "0"})
		if err == nil {
			for i := range list.Items {
				if n := c.nodes[list.Items[i].Name]; n != nil {
					n.uid = string(list.Items[i].UID)
				}
			}
			break
		}
		p.Logger().Error(err, "Failed to list nodes")
		p.Sleep(retryAfter)
	}
	missing := newLine(c.kernel)
	left := 0
	for _, n := range c.order {
		if n.uid == "" {
			missing.put(n.Name)
			left++
		}
	}
	for range min(left, nodeParallelism) {
		c.component.Go("node-create", func(q *sim.Proc) {
			missing.work(q, func(q *sim.Proc, name string) {
				n := c.nodes[name]
				made, err := c.client.CoreV1().Nodes().Create(q, c.newNode(n), metav1.CreateOptions{})
				if err != nil && !apierrors.IsAlreadyExists(err) {
					q.Logger().Error(err, "Failed to create node", "node", name)
					q.Sleep(retryAfter)
					missing.put(name)
					return
				}
				if err == nil {
					n.uid = string(made.UID)
				}
				if left--; left == 0 {
					p.Wake()
				}
			})
		})
	}
	for left > 0 {
		p.Park()
	}
}

// newNode is a Node as kwokctl scale makes it, with the status of KWOK's stage node-initialize.
func (c *Controller) newNode(n *node) *corev1.Node {
	out := &corev1.Node{}
	out.Name = n.Name
	out.Labels = map[string]string{
		"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"kubernetes.io/os": "linux", "kubernetes.io/hostname": n.Name, "type": "kwok",
	}
	for k, v := range n.Labels { // order: they go into a map
		out.Labels[k] = v
	}
	out.Annotations = map[string]string{"node.alpha.kubernetes.io/ttl": "0", Annotation: "fake"}
	out.Spec.PodCIDR, out.Spec.PodCIDRs = n.PodCIDR, []string{n.PodCIDR}
	out.Status = corev1.NodeStatus{
		Capacity: n.Capacity, Allocatable: n.Capacity, Phase: corev1.NodeRunning,
		Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: n.InternalIP}},
		NodeInfo: corev1.NodeSystemInfo{KubeletVersion: Version, KubeProxyVersion: Version, OperatingSystem: "linux", Architecture: "amd64",
			KernelVersion: Version, OSImage: Version, ContainerRuntimeVersion: Version},
		Conditions: conditions(c.kernel.Time(), nil),
	}
	out.Status.DaemonEndpoints.KubeletEndpoint.Port = 10247
	return out
}

// conditions are those of a node that is well. Upstream: kustomize/stage/node/fast/node-initialize.yaml.
func conditions(now time.Time, before []corev1.NodeCondition) []corev1.NodeCondition {
	at := metav1.NewTime(now).Rfc3339Copy()
	out := make([]corev1.NodeCondition, 0, 5)
	for _, c := range []struct {
		t               corev1.NodeConditionType
		status          corev1.ConditionStatus
		reason, message string
	}{
		{corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"},
		{corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
		{corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
		{corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
		{corev1.NodeNetworkUnavailable, corev1.ConditionFalse, "RouteCreated", "RouteController created a route"},
	} {
		since := at
		for i := range before {
			if before[i].Type == c.t && before[i].Status == c.status {
				since = before[i].LastTransitionTime
			}
		}
		out = append(out, corev1.NodeCondition{Type: c.t, Status: c.status, Reason: c.reason, Message: c.message,
			LastHeartbeatTime: at, LastTransitionTime: since})
	}
	return out
}

// reportNode writes a node's conditions, and comes again.
func (c *Controller) reportNode(p *sim.Proc, name string) {
	n := c.nodes[name]
	if n.down {
		return
	}
	c.again(c.reports, name, c.jitter(statusReportInterval))
	now, err := c.client.CoreV1().Nodes().Get(p, name, metav1.GetOptions{ResourceVersion: "0"})
	if err == nil {
		var patch []byte
		patch, err = json.Marshal(map[string]any{"status": map[string]any{"conditions": conditions(p.Time(), now.Status.Conditions)}})
		if err == nil {
			_, err = c.client.CoreV1().Nodes().Patch(p, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		}
	}
	if err != nil && !apierrors.IsNotFound(err) {
		p.Logger().Error(err, "Failed to update node status", "node", name)
	}
}

// leaseState is the Lease as it was written last.
type leaseState = coordinationv1.Lease

// renewLease renews a node's Lease, or makes it, and comes again.
func (c *Controller) renewLease(p *sim.Proc, name string) {
	n := c.nodes[name]
	if n.down {
		return
	}
	c.again(c.renewal, name, c.jitter(leaseRenewInterval))
	leases := c.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	if n.lease == nil {
		found, err := leases.Get(p, name, metav1.GetOptions{ResourceVersion: "0"})
		switch {
		case err == nil:
			n.lease = found
		case apierrors.IsNotFound(err):
			holder, seconds, renew := name, int32(leaseDurationSeconds), metav1.NewMicroTime(p.Time())
			lease := &coordinationv1.Lease{}
			lease.Name, lease.Namespace = name, corev1.NamespaceNodeLease
			lease.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name, UID: types.UID(n.uid)}}
			lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds, lease.Spec.RenewTime = &holder, &seconds, &renew
			if n.lease, err = leases.Create(p, lease, metav1.CreateOptions{}); err != nil {
				n.lease = nil
				p.Logger().Error(err, "Failed to create lease", "lease", name)
			}
			return
		default:
			p.Logger().Error(err, "Failed to get lease", "lease", name)
			return
		}
	}
	renew := metav1.NewMicroTime(p.Time())
	fresh := *n.lease // what it points to stays as it is
	fresh.Spec.RenewTime = &renew
	updated, err := leases.Update(p, &fresh, metav1.UpdateOptions{})
	if err != nil {
		n.lease = nil // somebody else wrote it, or it is gone: look again
		p.Logger().Error(err, "Failed to update lease", "lease", name)
		return
	}
	n.lease = updated
}

// Prefix is what the addresses of a range begin with: "10.244.7." of 10.244.7.0/24.
func Prefix(cidr string) string { return cidr[:strings.LastIndexByte(cidr, '.')+1] }
