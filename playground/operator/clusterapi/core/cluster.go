package core

import (
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	"kubewalk/playground/operator/clusterapi/kit"
	"kubewalk/playground/operator/controllerruntime/builder"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/controller"
	"kubewalk/playground/operator/controllerruntime/controllerutil"
	"kubewalk/playground/operator/controllerruntime/reconcile"
)

// deleteRequeueAfter is how often a Cluster looks whether what belongs to it is gone. Upstream: cluster_controller.go.
const deleteRequeueAfter = 5 * time.Second

// clusterReconciler says whether Machines can join. Upstream: reconcilers/cluster.
type clusterReconciler struct {
	*kit.Program
	recorder   *kit.Recorder
	controller *controller.Controller
	watched    []api.GroupVersionKind
}

func setupCluster(p *kit.Program) (err error) {
	r := &clusterReconciler{Program: p, recorder: p.Recorder("cluster-controller")}
	r.controller, err = builder.ControllerManagedBy(p.Manager).For(&clusterv1.Cluster{}).Named("cluster").
		Watches(&clusterv1.Machine{}, func(obj api.Object) []reconcile.Request {
			if _, controlPlane := obj.GetLabels()[clusterv1.MachineControlPlaneLabel]; !controlPlane {
				return nil
			}
			return kit.Requests(kit.Known(p, &clusterv1.Cluster{}, func(c *clusterv1.Cluster) bool {
				return c.Namespace == obj.GetNamespace() && c.Name == obj.GetLabels()[clusterv1.ClusterNameLabel]
			}))
		}).Build(r)
	return err
}

// Reconcile implements reconcile.Reconciler.
func (r *clusterReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	cluster := &clusterv1.Cluster{}
	if err := r.Get(ctx, req.NamespacedName, cluster); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	refs := []clusterv1.ContractVersionedObjectReference{cluster.Spec.InfrastructureRef, cluster.Spec.ControlPlaneRef}
	isMade := refs[0].IsDefined() || refs[1].IsDefined() // simplified: upstream, every Cluster has the finalizer
	if cluster.DeletionTimestamp != nil && !isMade {
		return reconcile.Result{}, nil
	}
	patcher := kit.NewPatcher(r.Program, cluster)
	if isMade && cluster.DeletionTimestamp == nil && controllerutil.AddFinalizer(cluster, clusterv1.ClusterFinalizer) {
		return reconcile.Result{}, patcher.Patch(ctx, cluster)
	}
	var external [2]*api.Unstructured // as refs; nil for none
	for i, ref := range refs {
		if ref.IsDefined() {
			obj, err := r.reconcileExternal(ctx, cluster, ref)
			if crclient.IgnoreNotFound(err) != nil {
				return reconcile.Result{}, err
			}
			external[i] = obj
		}
	}
	if cluster.DeletionTimestamp != nil {
		result, err := r.reconcileDelete(ctx, cluster, external[0], external[1])
		if writeErr := patcher.Patch(ctx, cluster); err == nil {
			err = writeErr
		}
		return result, err
	}
	status := &cluster.Status
	r.reconcileInfrastructure(ctx, cluster, external[0])
	if err := r.reconcileControlPlane(ctx, cluster, external[1]); err != nil {
		return reconcile.Result{}, err
	}
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

// reconcileExternal reads an object of a provider, has its events lead to the Cluster, and makes the Cluster its owner.
func (r *clusterReconciler) reconcileExternal(ctx context.Context, cluster *clusterv1.Cluster, ref clusterv1.ContractVersionedObjectReference) (
	*api.Unstructured, error) {
	obj, err := r.GetExternal(ctx, ref, cluster.Namespace)
	if err != nil {
		return nil, err
	}
	owner := clusterv1.GroupVersion.WithKind("Cluster")
	if gvk := api.KindOf(obj).GroupVersionKind; !slices.Contains(r.watched, gvk) {
		r.watched = append(r.watched, gvk)
		r.controller.Watch(ctx.Proc, &controller.Watch{Type: obj, Owner: owner})
	}
	if was := metav1.GetControllerOf(obj); was != nil && was.UID == cluster.UID {
		return obj, nil
	}
	patcher := kit.NewPatcher(r.Program, obj)
	obj.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(cluster, owner)}
	obj.Labels = kit.With(obj.Labels, clusterv1.ClusterNameLabel, cluster.Name)
	return obj, patcher.Patch(ctx, obj)
}

// region infrastructure

// reconcileInfrastructure copies where the API server will be. Without
// a reference to infrastructure there is nothing to wait for.
func (r *clusterReconciler) reconcileInfrastructure(ctx context.Context, cluster *clusterv1.Cluster, infra *api.Unstructured) {
	status, ref := &cluster.Status, cluster.Spec.InfrastructureRef
	if kit.Deref(status.Initialization.InfrastructureProvisioned) {
		return
	}
	if ref.IsDefined() {
		var provisioned bool
		if infra != nil {
			provisioned, _ = kit.Field[bool](infra, "status", "initialization", "provisioned")
		}
		if !provisioned {
			ctx.Logger.Info("Waiting for infrastructure provider to set status.initialization.provisioned on " + ref.Kind)
			return
		}
		host, _ := kit.Field[string](infra, "spec", "controlPlaneEndpoint", "host")
		port, _ := kit.Number(infra, "spec", "controlPlaneEndpoint", "port")
		if cluster.Spec.ControlPlaneEndpoint.Host == "" {
			cluster.Spec.ControlPlaneEndpoint = clusterv1.APIEndpoint{Host: host, Port: int32(port)}
		}
	}
	status.Initialization.InfrastructureProvisioned = kit.To(true)
	r.recorder.Eventf(cluster, corev1.EventTypeNormal, "InfrastructureReady", "Cluster %s InfrastructureProvisioned is now True", cluster.Name)
}

// endregion

// region initialized

// reconcileControlPlane says whether the control plane has been there:
// its provider says so, or without one, a Machine that has a Node.
func (r *clusterReconciler) reconcileControlPlane(ctx context.Context, cluster *clusterv1.Cluster, controlPlane *api.Unstructured) error {
	status := &cluster.Status
	condition := metav1.Condition{Type: "ControlPlaneInitialized", Status: metav1.ConditionFalse, Reason: "NotInitialized",
		Message: "Waiting for the first control plane machine to have status.nodeRef set"}
	initialized := false
	if cluster.Spec.ControlPlaneRef.IsDefined() {
		condition.Message = "Control plane not yet initialized"
		if controlPlane != nil {
			initialized, _ = kit.Field[bool](controlPlane, "status", "initialization", "controlPlaneInitialized")
		}
	} else {
		machines, err := kit.List(ctx, r.Program, &clusterv1.Machine{}, func(m *clusterv1.Machine) bool {
			_, controlPlane := m.Labels[clusterv1.MachineControlPlaneLabel]
			return m.Namespace == cluster.Namespace && m.Spec.ClusterName == cluster.Name && controlPlane && m.Status.NodeRef.Name != ""
		})
		if err != nil {
			return err
		}
		initialized = len(machines) > 0
	}
	if initialized || kit.Deref(status.Initialization.ControlPlaneInitialized) {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, "Initialized", ""
		if !kit.Deref(status.Initialization.ControlPlaneInitialized) {
			r.recorder.Eventf(cluster, corev1.EventTypeNormal, "ControlPlaneInitialized", "Cluster %s ControlPlaneInitialized is now True", cluster.Name)
		}
		status.Initialization.ControlPlaneInitialized = kit.To(true)
	}
	kit.SetCondition(&status.Conditions, r.Now(), condition)
	return nil
}

// endregion

// reconcileDelete deletes what belongs to a Cluster: the workers, the control plane, the infrastructure, in this order.
func (r *clusterReconciler) reconcileDelete(ctx context.Context, cluster *clusterv1.Cluster, infra, controlPlane *api.Unstructured) (reconcile.Result, error) {
	cluster.Status.Phase = "Deleting"
	wait := reconcile.Result{RequeueAfter: deleteRequeueAfter}
	left, err := r.deleteWorkers(ctx, cluster)
	if err != nil || left > 0 {
		ctx.Logger.Info("Cluster still has descendants - need to requeue", "descendants", left)
		return wait, err
	}
	for _, obj := range []*api.Unstructured{controlPlane, infra} {
		if obj == nil {
			continue
		}
		if obj.DeletionTimestamp == nil {
			err = crclient.IgnoreNotFound(r.Delete(ctx, obj))
		}
		return wait, err
	}
	controllerutil.RemoveFinalizer(cluster, clusterv1.ClusterFinalizer)
	r.recorder.Eventf(cluster, corev1.EventTypeNormal, "Deleted", "Cluster %s has been deleted", cluster.Name)
	return reconcile.Result{}, nil
}

// deleteWorkers deletes MachineDeployments, MachineSets and Machines that are not the control plane's, and says how many there still are.
func (r *clusterReconciler) deleteWorkers(ctx context.Context, cluster *clusterv1.Cluster) (left int, err error) {
	var found []api.Object
	deployments, err := kit.List(ctx, r.Program, &clusterv1.MachineDeployment{}, func(d *clusterv1.MachineDeployment) bool {
		return d.Namespace == cluster.Namespace && d.Spec.ClusterName == cluster.Name
	})
	if err != nil {
		return 0, err
	}
	sets, err := kit.List(ctx, r.Program, &clusterv1.MachineSet{}, func(ms *clusterv1.MachineSet) bool {
		return ms.Namespace == cluster.Namespace && ms.Spec.ClusterName == cluster.Name
	})
	if err != nil {
		return 0, err
	}
	machines, err := kit.List(ctx, r.Program, &clusterv1.Machine{}, func(m *clusterv1.Machine) bool {
		_, controlPlane := m.Labels[clusterv1.MachineControlPlaneLabel]
		return m.Namespace == cluster.Namespace && m.Spec.ClusterName == cluster.Name && !controlPlane
	})
	if err != nil {
		return 0, err
	}
	for _, d := range deployments {
		found = append(found, d)
	}
	for _, ms := range sets {
		found = append(found, ms)
	}
	for _, m := range machines {
		found = append(found, m)
	}
	for _, obj := range found {
		if obj.GetDeletionTimestamp() == nil && metav1.GetControllerOf(obj) == nil { // the others go with their owners
			if err := crclient.IgnoreNotFound(r.Delete(ctx, obj)); err != nil {
				return len(found), err
			}
		}
	}
	return len(found), nil
}
