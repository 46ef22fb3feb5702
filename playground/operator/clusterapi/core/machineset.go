package core

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	"kubewalk/playground/operator/clusterapi/kit"
	"kubewalk/playground/operator/controllerruntime/builder"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/reconcile"
)

// machineSetReconciler keeps the number of Machines. Upstream: reconcilers/machineset.
type machineSetReconciler struct {
	*kit.Program
	recorder *kit.Recorder
	awaited  map[string]string // the last Machine that was made or deleted for a MachineSet, until the cache has it so
}

func setupMachineSet(p *kit.Program) error {
	return builder.ControllerManagedBy(p.Manager).For(&clusterv1.MachineSet{}).Owns(&clusterv1.Machine{}).Named("machineset").
		Watches(&clusterv1.Cluster{}, func(obj api.Object) []reconcile.Request {
			return kit.Requests(kit.Known(p, &clusterv1.MachineSet{}, func(ms *clusterv1.MachineSet) bool {
				return ms.Namespace == obj.GetNamespace() && ms.Spec.ClusterName == obj.GetName()
			}))
		}).
		Complete(&machineSetReconciler{p, p.Recorder("machineset-controller"), map[string]string{}})
}

// Reconcile implements reconcile.Reconciler.
func (r *machineSetReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	ms := &clusterv1.MachineSet{}
	if err := r.Get(ctx, req.NamespacedName, ms); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	if ms.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	selector, err := labels.LabelSelectorAsSelector(&ms.Spec.Selector)
	if err != nil {
		return reconcile.Result{}, err
	}
	// Machines that are being deleted count: they are replaced when they are gone.
	machines, err := kit.List(ctx, r.Program, &clusterv1.Machine{}, func(m *clusterv1.Machine) bool {
		owner := metav1.GetControllerOf(m)
		return m.Namespace == ms.Namespace && owner != nil && owner.UID == ms.UID && selector.Matches(labels.Set(m.Labels))
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	if r.behind(ms, machines) {
		return reconcile.Result{}, nil // the event that is missing leads here again
	}
	patcher := kit.NewPatcher(r.Program, ms)
	syncErr := r.syncReplicas(ctx, ms, machines)
	status := &ms.Status
	status.Selector = selector.String()
	status.Replicas = kit.To(int32(len(machines)))
	status.ReadyReplicas, status.AvailableReplicas = count(machines, "Ready"), count(machines, "Available")
	status.ObservedGeneration = ms.Generation
	if err := patcher.Patch(ctx, ms); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, syncErr
}

func count(machines []*clusterv1.Machine, condition string) *int32 {
	var n int32
	for _, m := range machines {
		if kit.IsTrue(m.Status.Conditions, condition) {
			n++
		}
	}
	return &n
}

// behind tells whether the cache does not have yet what was written last. Upstream: DeferNextReconcileUntilCacheUpToDate.
func (r *machineSetReconciler) behind(ms *clusterv1.MachineSet, machines []*clusterv1.Machine) bool {
	last := r.awaited[string(ms.UID)]
	name, deleted := strings.CutPrefix(last, "-")
	i := slices.IndexFunc(machines, func(m *clusterv1.Machine) bool { return m.Name == name })
	switch {
	case last == "":
	case !deleted && i < 0, deleted && i >= 0 && machines[i].DeletionTimestamp == nil:
		return true
	}
	delete(r.awaited, string(ms.UID))
	return false
}

// region sync

// syncReplicas makes Machines that are missing, or deletes those
// that are too many.
func (r *machineSetReconciler) syncReplicas(ctx context.Context, ms *clusterv1.MachineSet, machines []*clusterv1.Machine) error {
	if err := r.deleteOrphans(ctx, ms, machines); err != nil {
		return err
	}
	diff := len(machines) - int(*ms.Spec.Replicas)
	for i := range max(-diff, 0) {
		if err := r.createMachine(ctx, ms); err != nil {
			return err
		}
		ctx.Logger.Info(fmt.Sprintf("Machine created (scale up, creating %d of %d)", i+1, -diff))
	}
	if diff <= 0 {
		return nil
	}
	slices.SortStableFunc(machines, func(a, b *clusterv1.Machine) int {
		return priority(b) - priority(a)
	})
	for _, m := range machines[:diff] {
		if m.DeletionTimestamp != nil {
			continue // it is on its way already
		}
		if err := crclient.IgnoreNotFound(r.Delete(ctx, m)); err != nil {
			return err
		}
		r.awaited[string(ms.UID)] = "-" + m.Name
		r.recorder.Eventf(ms, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted Machine %q", m.Name)
	}
	return nil
}

// endregion

// priority says which Machines go first. Upstream: machineset_deletion_order.go, randomDeletionOrder.
func priority(m *clusterv1.Machine) int {
	_, marked := m.Annotations[clusterv1.DeleteMachineAnnotation]
	healthy := m.Status.NodeRef.Name != "" && !kit.IsFalse(m.Status.Conditions, "NodeHealthy")
	switch {
	case m.DeletionTimestamp != nil:
		return 100
	case marked:
		return 75
	case !healthy:
		return 50
	}
	return 20
}

// region create

// createMachine clones both templates, and then makes a Machine
// that points to the clones. The clones belong to the MachineSet
// until the Machine is there. If one step fails, what the steps
// before have made is deleted.
func (r *machineSetReconciler) createMachine(ctx context.Context, ms *clusterv1.MachineSet) error {
	m := desiredMachine(ms, ms.Name+"-"+r.Rand.Suffix(5))
	owner := metav1.OwnerReference{APIVersion: clusterv1.GroupVersion.String(),
		Kind: "MachineSet", Name: ms.Name, UID: ms.UID}
	var config, infra *api.Unstructured
	var err error
	if ref := ms.Spec.Template.Spec.Bootstrap.ConfigRef; ref.IsDefined() {
		config, m.Spec.Bootstrap.ConfigRef, err = r.CloneTemplate(ctx, ref, m, owner)
		if err != nil {
			return fmt.Errorf("failed to clone bootstrap configuration from %s %s/%s while creating a Machine: %w", ref.Kind, ms.Namespace, ref.Name, err)
		}
	}
	ref := ms.Spec.Template.Spec.InfrastructureRef
	infra, m.Spec.InfrastructureRef, err = r.CloneTemplate(ctx, ref, m, owner)
	if err != nil {
		return kit.Aggregate(
			fmt.Errorf("failed to clone infrastructure machine from %s %s/%s while creating a Machine: %w", ref.Kind, ms.Namespace, ref.Name, err),
			r.deleteClone(ctx, config, "failed to cleanup %s %s/%s after "+ref.Kind+" creation failed"))
	}
	if err := r.Create(ctx, m); err != nil {
		const failed = "failed to cleanup %s %s/%s after Machine creation failed"
		return kit.Aggregate(err, r.deleteClone(ctx, infra, failed), r.deleteClone(ctx, config, failed))
	}
	r.awaited[string(ms.UID)] = m.Name
	r.recorder.Eventf(ms, corev1.EventTypeNormal, "SuccessfulCreate", "Created Machine %q", m.Name)
	return nil
}

// endregion

// desiredMachine is a Machine of a MachineSet, without the clones. Upstream: computeDesiredMachine.
func desiredMachine(ms *clusterv1.MachineSet, name string) *clusterv1.Machine {
	m := &clusterv1.Machine{Spec: ms.Spec.Template.Spec}
	m.Namespace, m.Name = ms.Namespace, name
	m.Finalizers = []string{clusterv1.MachineFinalizer}
	m.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(ms, clusterv1.GroupVersion.WithKind("MachineSet"))}
	m.Annotations = ms.Spec.Template.ObjectMeta.Annotations
	m.Labels = machineLabels(ms)
	m.Spec.ClusterName = ms.Spec.ClusterName
	return m
}

// deleteClone deletes an object if there is one. The format says, with its kind and name, what could not be done.
func (r *machineSetReconciler) deleteClone(ctx context.Context, clone *api.Unstructured, format string) error {
	if clone == nil {
		return nil
	}
	if err := crclient.IgnoreNotFound(r.Delete(ctx, clone)); err != nil {
		return fmt.Errorf(format+": %w", clone.Kind, clone.Namespace, clone.Name, err)
	}
	return nil
}

// deleteOrphans deletes clones that still belong to the MachineSet, and that none of its Machines points to: the program or the server has died in
// the middle of createMachine. Upstream: cleanupOrphanedBootstrapConfigsInfraMachines.
func (r *machineSetReconciler) deleteOrphans(ctx context.Context, ms *clusterv1.MachineSet, machines []*clusterv1.Machine) error {
	selector, err := labels.LabelSelectorAsSelector(&ms.Spec.Selector)
	if err != nil {
		return err
	}
	orphaned := func(ref func(m *clusterv1.Machine) clusterv1.ContractVersionedObjectReference) func(o *api.Unstructured) bool {
		return func(o *api.Unstructured) bool {
			return o.Namespace == ms.Namespace && o.DeletionTimestamp == nil && selector.Matches(labels.Set(o.Labels)) &&
				slices.ContainsFunc(o.OwnerReferences, func(owner metav1.OwnerReference) bool { return owner.UID == ms.UID }) &&
				!slices.ContainsFunc(machines, func(m *clusterv1.Machine) bool { return ref(m).Name == o.Name })
		}
	}
	spec := &ms.Spec.Template.Spec
	orphans, err := r.ListClones(ctx, spec.InfrastructureRef, orphaned(func(m *clusterv1.Machine) clusterv1.ContractVersionedObjectReference {
		return m.Spec.InfrastructureRef
	}))
	if err == nil && spec.Bootstrap.ConfigRef.IsDefined() {
		var configs []*api.Unstructured
		configs, err = r.ListClones(ctx, spec.Bootstrap.ConfigRef, orphaned(func(m *clusterv1.Machine) clusterv1.ContractVersionedObjectReference {
			return m.Spec.Bootstrap.ConfigRef
		}))
		orphans = append(orphans, configs...)
	}
	errs := []error{err}
	if err == nil {
		for _, o := range orphans {
			errs = append(errs, r.deleteClone(ctx, o, "failed to delete %s %s/%s"))
		}
	}
	if err := kit.Aggregate(errs...); err != nil {
		return fmt.Errorf("failed to cleanup orphaned objects: %w", err)
	}
	return nil
}

// machineLabels are those of the template, and those that say what a Machine belongs to.
func machineLabels(ms *clusterv1.MachineSet) map[string]string {
	out := kit.With(ms.Spec.Template.ObjectMeta.Labels, clusterv1.ClusterNameLabel, ms.Spec.ClusterName)
	out[clusterv1.MachineSetNameLabel] = ms.Name
	if name := ms.Labels[clusterv1.MachineDeploymentNameLabel]; name != "" {
		out[clusterv1.MachineDeploymentNameLabel] = name
	}
	return out
}
