package core

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"
	"strconv"

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

// The strategy: upstream's defaults.
const (
	maxSurge       = 1
	maxUnavailable = 0
)

// machineDeploymentReconciler moves Machines from one MachineSet to the next. Upstream: reconcilers/machinedeployment.
type machineDeploymentReconciler struct {
	*kit.Program
	recorder *kit.Recorder
	awaited  map[string]string // the MachineSet that was made last for a MachineDeployment, until the cache has it
}

func setupMachineDeployment(p *kit.Program) error {
	return builder.ControllerManagedBy(p.Manager).For(&clusterv1.MachineDeployment{}).Owns(&clusterv1.MachineSet{}).Named("machinedeployment").
		Complete(&machineDeploymentReconciler{p, p.Recorder("machinedeployment-controller"), map[string]string{}})
}

// Reconcile implements reconcile.Reconciler.
func (r *machineDeploymentReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	md := &clusterv1.MachineDeployment{}
	if err := r.Get(ctx, req.NamespacedName, md); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	if md.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	sets, err := kit.List(ctx, r.Program, &clusterv1.MachineSet{}, func(ms *clusterv1.MachineSet) bool {
		owner := metav1.GetControllerOf(ms)
		return ms.Namespace == md.Namespace && owner != nil && owner.UID == md.UID && ms.DeletionTimestamp == nil
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	if name := r.awaited[string(md.UID)]; name != "" && !slices.ContainsFunc(sets, func(ms *clusterv1.MachineSet) bool { return ms.Name == name }) {
		return reconcile.Result{}, nil // the event that is missing leads here again
	}
	delete(r.awaited, string(md.UID))
	slices.SortStableFunc(sets, func(a, b *clusterv1.MachineSet) int {
		return a.CreationTimestamp.Time.Compare(b.CreationTimestamp.Time)
	})
	i := slices.IndexFunc(sets, func(ms *clusterv1.MachineSet) bool {
		return reflect.DeepEqual(ms.Spec.Template.Spec, md.Spec.Template.Spec)
	})
	var current *clusterv1.MachineSet
	old := sets
	if i >= 0 {
		current, old = sets[i], slices.Delete(slices.Clone(sets), i, i+1)
	}
	patcher := kit.NewPatcher(r.Program, md)
	syncErr := r.rollingUpdate(ctx, md, current, old)
	if err := r.status(md, current, sets); err != nil {
		return reconcile.Result{}, err
	}
	if err := patcher.Patch(ctx, md); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, syncErr
}

// region rolling

// rollingUpdate scales the MachineSet of the present template up as
// far as maxSurge lets it, and the others down as far as
// maxUnavailable does.
func (r *machineDeploymentReconciler) rollingUpdate(
	ctx context.Context, md *clusterv1.MachineDeployment,
	current *clusterv1.MachineSet, old []*clusterv1.MachineSet,
) error {
	desired := *md.Spec.Replicas
	var total, there int32 // that old sets should have, and that there are, while they go
	for _, ms := range old {
		total += *ms.Spec.Replicas
		there += max(*ms.Spec.Replicas, kit.Deref(ms.Status.Replicas))
	}
	if current == nil {
		return r.create(ctx, md, max(min(desired, desired+maxSurge-there), 0))
	}
	now := *current.Spec.Replicas
	target := desired
	if now < desired {
		target = now + max(min(desired+maxSurge-there-max(now, kit.Deref(current.Status.Replicas)), desired-now), 0)
	}
	if err := r.scale(ctx, md, current, target); err != nil {
		return err
	}
	// What is on its way down already, or not available in the new set.
	pending := int32(0)
	for _, ms := range append(slices.Clone(old), current) {
		pending += max(kit.Deref(ms.Status.Replicas)-*ms.Spec.Replicas, 0)
	}
	unavailable := max(now-kit.Deref(current.Status.AvailableReplicas), 0)
	down := total + now - pending - (desired - maxUnavailable) - unavailable
	for _, ms := range old {
		n := min(max(down, 0), *ms.Spec.Replicas)
		if err := r.scale(ctx, md, ms, *ms.Spec.Replicas-n); err != nil {
			return err
		}
		down -= n
	}
	return r.cleanup(ctx, md, current, old)
}

// endregion

// create makes the MachineSet of the present template.
func (r *machineDeploymentReconciler) create(ctx context.Context, md *clusterv1.MachineDeployment, replicas int32) error {
	text, err := json.Marshal(md.Spec.Template.Spec)
	if err != nil {
		return err
	}
	hash := fnv.New32a()
	_, _ = hash.Write(text)
	suffix := r.Rand.Suffix(5)
	unique := strconv.Itoa(int(hash.Sum32())) + "-" + suffix
	ms := &clusterv1.MachineSet{}
	ms.Namespace, ms.Name = md.Namespace, md.Name+"-"+suffix
	ms.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(md, clusterv1.GroupVersion.WithKind("MachineDeployment"))}
	ms.Spec = clusterv1.MachineSetSpec{ClusterName: md.Spec.ClusterName, Replicas: &replicas, Template: md.Spec.Template}
	ms.Spec.Template.ObjectMeta.Labels = kit.With(md.Spec.Template.ObjectMeta.Labels, clusterv1.MachineDeploymentUniqueLabel, unique)
	ms.Spec.Selector.MatchLabels = kit.With(md.Spec.Selector.MatchLabels, clusterv1.MachineDeploymentUniqueLabel, unique)
	ms.Labels = maps.Clone(ms.Spec.Template.ObjectMeta.Labels)
	ms.Labels[clusterv1.MachineDeploymentNameLabel] = md.Name
	ms.Labels[clusterv1.ClusterNameLabel] = md.Spec.ClusterName
	if err := r.Create(ctx, ms); err != nil {
		r.recorder.Eventf(md, corev1.EventTypeWarning, "FailedCreate", "Failed to create MachineSet %s/%s: %v", ms.Namespace, ms.Name, err)
		return err
	}
	r.awaited[string(md.UID)] = ms.Name
	r.recorder.Eventf(md, corev1.EventTypeNormal, "SuccessfulCreate", "Created MachineSet %s/%s with %d replicas", ms.Namespace, ms.Name, replicas)
	return nil
}

// scale writes another number of replicas.
func (r *machineDeploymentReconciler) scale(ctx context.Context, md *clusterv1.MachineDeployment, ms *clusterv1.MachineSet, replicas int32) error {
	before := *ms.Spec.Replicas
	if before == replicas {
		return nil
	}
	patcher := kit.NewPatcher(r.Program, ms)
	ms.Spec.Replicas = &replicas
	if err := patcher.Patch(ctx, ms); err != nil {
		r.recorder.Eventf(md, corev1.EventTypeWarning, "FailedUpdate", "Failed to update MachineSet %s/%s: %v", ms.Namespace, ms.Name, err)
		return err
	}
	direction := "up"
	if replicas < before {
		direction = "down"
	}
	r.recorder.Eventf(md, corev1.EventTypeNormal, "SuccessfulScale", "Scaled %s MachineSet %v: %d -> %d", direction, ms.Name, before, replicas)
	return nil
}

// cleanup deletes the MachineSets that have no Machines any more, once all is done. Upstream: cleanupDeployment.
func (r *machineDeploymentReconciler) cleanup(ctx context.Context, md *clusterv1.MachineDeployment, current *clusterv1.MachineSet,
	old []*clusterv1.MachineSet) error {
	if kit.Deref(current.Status.AvailableReplicas) != *md.Spec.Replicas {
		return nil
	}
	for _, ms := range old {
		if kit.Deref(ms.Status.Replicas) != 0 || *ms.Spec.Replicas != 0 || ms.Generation > ms.Status.ObservedGeneration {
			continue
		}
		if err := crclient.IgnoreNotFound(r.Delete(ctx, ms)); err != nil {
			return err
		}
		r.recorder.Eventf(md, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted MachineSet %q", ms.Name)
	}
	return nil
}

// status adds the MachineSets up.
func (r *machineDeploymentReconciler) status(md *clusterv1.MachineDeployment, current *clusterv1.MachineSet, sets []*clusterv1.MachineSet) error {
	selector, err := labels.LabelSelectorAsSelector(&md.Spec.Selector)
	if err != nil {
		return err
	}
	var replicas, ready, available, upToDate int32
	for _, ms := range sets {
		replicas += kit.Deref(ms.Status.Replicas)
		ready += kit.Deref(ms.Status.ReadyReplicas)
		available += kit.Deref(ms.Status.AvailableReplicas)
	}
	if current != nil {
		upToDate = kit.Deref(current.Status.Replicas)
	}
	phase := "Running"
	switch desired := *md.Spec.Replicas; {
	case replicas < desired:
		phase = "ScalingUp"
	case replicas > desired:
		phase = "ScalingDown"
	}
	md.Status = clusterv1.MachineDeploymentStatus{Selector: selector.String(), Replicas: &replicas, ReadyReplicas: &ready, AvailableReplicas: &available,
		UpToDateReplicas: &upToDate, Phase: phase, ObservedGeneration: md.Generation}
	return nil
}
