package teams

import (
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	ctrl "kubewalk/playground/operator/controllerruntime"
	"kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/controllerutil"
	"kubewalk/playground/operator/controllerruntime/runtime"
)

// later is when it looks again for what somebody else has to make.
const later = 2 * time.Second

// Reconciler prepares the namespaces of teams.
type Reconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// Reconcile gives one namespace what it lacks.
func (r *Reconciler) Reconcile(
	ctx context.Context, req ctrl.Request,
) (ctrl.Result, error) {
	// region reconcile
	team := &corev1.Namespace{}
	err := r.Get(ctx, req.NamespacedName, team)
	if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if team.Labels["kind"] != "team" ||
		!team.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if err := r.reconcileQuota(ctx, team); err != nil {
		return ctrl.Result{}, err
	}
	err = r.Get(ctx, client.ObjectKey{
		Namespace: team.Name,
		Name:      "default",
	}, &corev1.ServiceAccount{})
	if apierrors.IsNotFound(err) {
		return ctrl.Result{RequeueAfter: later}, nil
	}
	if err != nil || team.Labels["ready"] == "yes" {
		return ctrl.Result{}, err
	}
	team.Labels["ready"] = "yes"
	return ctrl.Result{}, r.Update(ctx, team)
	// endregion
}

// reconcileQuota allows a team five Pods, whatever else the quota says.
func (r *Reconciler) reconcileQuota(
	ctx context.Context, team *corev1.Namespace,
) error {
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: team.Name,
			Name:      "team",
		},
	}
	// region quota
	five := resource.MustParse("5")
	mutate := func() error {
		if quota.Spec.Hard == nil {
			quota.Spec.Hard = corev1.ResourceList{}
		}
		quota.Spec.Hard[corev1.ResourcePods] = five
		return controllerutil.SetControllerReference(
			team, quota, r.Scheme)
	}
	_, err := controllerutil.CreateOrUpdate(
		ctx, r.Client, quota, mutate)
	return err
	// endregion
}

// SetupWithManager says what leads to which namespace.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	// region setup
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.Namespace{}).
		Owns(&corev1.ResourceQuota{}).
		Named("teams").
		Complete(r)
	// endregion
}
