package infrastructure

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	"kubewalk/playground/operator/clusterapi/kit"
	"kubewalk/playground/operator/controllerruntime/builder"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/controllerutil"
	"kubewalk/playground/operator/controllerruntime/reconcile"
)

// ClusterFinalizer keeps a ToyCluster until its load balancer is gone.
const ClusterFinalizer = "toycluster.infrastructure.cluster.x-k8s.io"

// apiServerPort is where the load balancer listens.
const apiServerPort = 6443

// ToyCluster is what a cluster has of the cloud beside its machines: an address. It keeps the contract of InfraClusters.
// Upstream: docs/book/src/developer/providers/contracts/infra-cluster.md.
type ToyCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   ToyClusterSpec   `json:"spec,omitzero"`
	Status ToyClusterStatus `json:"status,omitzero"`
}

// ToyClusterSpec has what the contract asks for: where the API server will be.
type ToyClusterSpec struct {
	ControlPlaneEndpoint clusterv1.APIEndpoint `json:"controlPlaneEndpoint,omitzero"`
}

// ToyClusterStatus is what the contract asks for.
type ToyClusterStatus struct {
	Initialization Initialization     `json:"initialization,omitzero"`
	Conditions     []metav1.Condition `json:"conditions,omitempty"`
}

// DeepCopyObject implements api.Object.
func (c *ToyCluster) DeepCopyObject() api.Object {
	out := *c
	c.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = append([]metav1.Condition(nil), c.Status.Conditions...)
	if c.Status.Initialization.Provisioned != nil {
		out.Status.Initialization.Provisioned = kit.To(*c.Status.Initialization.Provisioned)
	}
	return &out
}

type clusterReconciler struct {
	*kit.Program
	cloud Cloud
}

func setupCluster(p *kit.Program, cloud Cloud) error {
	return builder.ControllerManagedBy(p.Manager).For(&ToyCluster{}).Named("toycluster").Complete(&clusterReconciler{p, cloud})
}

// Reconcile implements reconcile.Reconciler.
func (r *clusterReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	toy := &ToyCluster{}
	if err := r.Get(ctx, req.NamespacedName, toy); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	if len(toy.OwnerReferences) == 0 {
		ctx.Logger.Info("Waiting for Cluster Controller to set OwnerRef on ToyCluster")
		return reconcile.Result{}, nil
	}
	patcher := kit.NewPatcher(r.Program, toy)
	switch {
	case toy.DeletionTimestamp != nil:
		r.cloud.Unbalance(ctx.Proc, string(toy.UID))
		controllerutil.RemoveFinalizer(toy, ClusterFinalizer)
	case controllerutil.AddFinalizer(toy, ClusterFinalizer):
	case toy.Spec.ControlPlaneEndpoint.Host == "":
		toy.Spec.ControlPlaneEndpoint = clusterv1.APIEndpoint{Host: r.cloud.Balance(ctx.Proc, string(toy.UID)), Port: apiServerPort}
		toy.Status.Initialization.Provisioned = kit.To(true)
		kit.SetCondition(&toy.Status.Conditions, r.Now(), metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Ready",
			ObservedGeneration: toy.Generation})
	}
	return reconcile.Result{}, patcher.Patch(ctx, toy)
}
