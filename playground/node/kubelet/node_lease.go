package kubelet

import (
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/sim"
)

// The Lease is the node's heartbeat: small, and renewed often. A node whose
// Lease has run out is given up by the node lifecycle controller.
const (
	nodeLeaseDurationSeconds = 40
	leaseRenewInterval       = nodeLeaseDurationSeconds * time.Second / 4
	maxLeaseUpdateRetries    = 5
	// heartbeatTimeout is how long a heartbeat may take: Leases and the Node's status have a client of their own.
	// Upstream: cmd/kubelet/app/server.go, run: HeartbeatClient.
	heartbeatTimeout = nodeStatusUpdateFrequency
)

// nodeLeaseLoop renews the Lease in kube-node-lease that has the node's name.
// Upstream: k8s.io/component-helpers/apimachinery/lease/controller.go.
func (kl *Kubelet) nodeLeaseLoop(p *sim.Proc) {
	var latest *coordinationv1.Lease
	k, start := p.Kernel(), p.Kernel().Cause()
	for {
		k.Because(start, func() { latest = kl.syncLease(p, latest) })
		p.Sleep(wait.Jitter(kl.rand, leaseRenewInterval, 4))
	}
}

func (kl *Kubelet) syncLease(p *sim.Proc, latest *coordinationv1.Lease) *coordinationv1.Lease {
	leases := kl.heartbeats.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	if latest == nil {
		lease, created := kl.backoffEnsureLease(p)
		if created {
			return lease
		}
		latest = lease
	}
	for range maxLeaseUpdateRetries {
		updated, err := leases.Update(p, kl.newLease(p, latest), metav1.UpdateOptions{})
		if err == nil {
			return updated
		}
		p.Logger().Error(err, "Failed to update lease")
		if apierrors.IsConflict(err) {
			latest, _ = kl.backoffEnsureLease(p)
		}
	}
	p.Logger().Error(nil, "Failed 5 attempts to update lease")
	return nil
}

// backoffEnsureLease reads the Lease or creates it, until that works.
func (kl *Kubelet) backoffEnsureLease(p *sim.Proc) (lease *coordinationv1.Lease, created bool) {
	leases := kl.heartbeats.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	sleep := 100 * time.Millisecond
	for {
		lease, err := leases.Get(p, kl.options.Node, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			fresh := kl.newLease(p, nil)
			// Without the Node to own it the Lease would outlive it; try again later then.
			if len(fresh.OwnerReferences) > 0 {
				if lease, err = leases.Create(p, fresh, metav1.CreateOptions{}); err == nil {
					return lease, true
				}
			}
		} else if err == nil {
			return lease, false
		}
		sleep = min(2*sleep, 7*time.Second)
		p.Logger().V(0).Info("Failed to ensure lease exists, will retry", "err", err, "interval", sleep)
		p.Sleep(sleep)
	}
}

func (kl *Kubelet) newLease(p *sim.Proc, base *coordinationv1.Lease) *coordinationv1.Lease {
	lease := &coordinationv1.Lease{}
	if base != nil {
		lease = base.DeepCopy()
	} else {
		holder, seconds := kl.options.Node, int32(nodeLeaseDurationSeconds)
		lease.Name, lease.Namespace = kl.options.Node, corev1.NamespaceNodeLease
		lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = &holder, &seconds
	}
	renew := metav1.NewMicroTime(p.Time())
	lease.Spec.RenewTime = &renew
	if len(lease.OwnerReferences) == 0 {
		if node, err := kl.nodeLister.Get(kl.options.Node); err == nil {
			lease.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}
		}
	}
	return lease
}
