// Package core is Cluster API's core: what is the same in every cloud. It knows no provider's kinds.
// Upstream: core/reconcilers of sigs.k8s.io/cluster-api v1.14.
package core

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	"kubewalk/playground/operator/clusterapi/kit"
	"kubewalk/playground/operator/controllerruntime/builder"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/reconcile"
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/sim"
)

// Name is the program's component.
const Name = "capi-controller-manager"

// Start brings the program up.
func Start(k *sim.Kernel, t client.Transport) *sim.Component {
	return kit.Start(k, t, Name, func(p *kit.Program, _ *runtime.Scheme) error {
		for _, setup := range []func(*kit.Program) error{setupCluster, setupMachine, setupMachineSet, setupMachineDeployment} {
			if err := setup(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// clusterReconciler says whether Machines can join. Upstream: reconcilers/cluster.
type clusterReconciler struct {
	*kit.Program
	recorder *kit.Recorder
}

func setupCluster(p *kit.Program) error {
	return builder.ControllerManagedBy(p.Manager).For(&clusterv1.Cluster{}).Named("cluster").
		Watches(&clusterv1.Machine{}, func(obj api.Object) []reconcile.Request {
			if _, controlPlane := obj.GetLabels()[clusterv1.MachineControlPlaneLabel]; !controlPlane {
				return nil
			}
			return kit.Requests(kit.Known(p, &clusterv1.Cluster{}, func(c *clusterv1.Cluster) bool {
				return c.Namespace == obj.GetNamespace() && c.Name == obj.GetLabels()[clusterv1.ClusterNameLabel]
			}))
		}).Complete(&clusterReconciler{p, p.Recorder("cluster-controller")})
}

// Reconcile implements reconcile.Reconciler.
func (r *clusterReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	cluster := &clusterv1.Cluster{}
	if err := r.Get(ctx, req.NamespacedName, cluster); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	if cluster.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	patcher := kit.NewPatcher(r.Program, cluster)
	status := &cluster.Status
	// Without a reference to infrastructure there is nothing to wait for.
	if !kit.Deref(status.Initialization.InfrastructureProvisioned) {
		status.Initialization.InfrastructureProvisioned = kit.To(true)
		r.recorder.Eventf(cluster, corev1.EventTypeNormal, "InfrastructureReady", "Cluster %s InfrastructureProvisioned is now True", cluster.Name)
	}
	machines, err := kit.List(ctx, r.Program, &clusterv1.Machine{}, func(m *clusterv1.Machine) bool {
		_, controlPlane := m.Labels[clusterv1.MachineControlPlaneLabel]
		return m.Namespace == cluster.Namespace && m.Spec.ClusterName == cluster.Name && controlPlane && m.Status.NodeRef.Name != ""
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	condition := metav1.Condition{Type: "ControlPlaneInitialized", Status: metav1.ConditionFalse, Reason: "NotInitialized",
		Message: "Waiting for the first control plane machine to have status.nodeRef set"}
	if len(machines) > 0 || kit.Deref(status.Initialization.ControlPlaneInitialized) {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, "Initialized", ""
		if !kit.Deref(status.Initialization.ControlPlaneInitialized) {
			r.recorder.Eventf(cluster, corev1.EventTypeNormal, "ControlPlaneInitialized", "Cluster %s ControlPlaneInitialized is now True", cluster.Name)
		}
		status.Initialization.ControlPlaneInitialized = kit.To(true)
	}
	kit.SetCondition(&status.Conditions, r.Now(), condition)
	phase := "Provisioning"
	if cluster.Spec.ControlPlaneEndpoint.Host != "" {
		phase = "Provisioned"
	}
	if status.Phase != phase {
		r.recorder.Eventf(cluster, corev1.EventTypeNormal, phase, "Cluster %s is %s", cluster.Name, phase)
	}
	status.Phase, status.ObservedGeneration = phase, cluster.Generation
	return reconcile.Result{}, patcher.Patch(ctx, cluster)
}
