package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	webv1 "example.com/website/api/v1"
)

const (
	// Finalizer keeps a Website until its line in the directory is gone.
	Finalizer = "web.example.com/directory"
	// directoryName is the ConfigMap with the hosts of a namespace.
	directoryName = "websites"
	// label is on the Pods of a Website.
	label = "website"
	// conditionAvailable says whether anybody answers.
	conditionAvailable = "Available"
)

// WebsiteReconciler makes Websites real.
type WebsiteReconciler struct {
	client.Client
	Scheme   *runtime.Scheme
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
}

// +kubebuilder:rbac:groups=web.example.com,resources=websites,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=web.example.com,resources=websites/status,verbs=update
// +kubebuilder:rbac:groups=web.example.com,resources=websites/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=services;configmaps,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconcile makes what one Website asks for true.
func (r *WebsiteReconciler) Reconcile(
	ctx context.Context, req ctrl.Request,
) (ctrl.Result, error) {
	// region read
	website := &webv1.Website{}
	err := r.Get(ctx, req.NamespacedName, website)
	if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	// endregion
	// region finalizer
	if !website.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finalize(ctx, website)
	}
	if controllerutil.AddFinalizer(website, Finalizer) {
		if err := r.Update(ctx, website); err != nil {
			return ctrl.Result{}, err
		}
	}
	// endregion
	// region desired
	deployment, err := r.reconcileDeployment(ctx, website)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.reconcileService(ctx, website); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.reconcileDirectory(ctx, website); err != nil {
		return ctrl.Result{}, err
	}
	// endregion
	return ctrl.Result{}, r.updateStatus(ctx, website, deployment)
}

func (r *WebsiteReconciler) reconcileDeployment(
	ctx context.Context, website *webv1.Website,
) (*appsv1.Deployment, error) {
	// region deployment
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: website.Namespace,
			Name:      website.Name,
		},
	}
	mutate := func() error {
		labels := map[string]string{label: website.Name}
		spec := &deployment.Spec
		spec.Replicas = website.Spec.Replicas
		spec.Selector = &metav1.LabelSelector{
			MatchLabels: labels,
		}
		spec.Template.Labels = labels
		if len(spec.Template.Spec.Containers) == 0 {
			spec.Template.Spec.Containers =
				[]corev1.Container{{Name: "web"}}
		}
		container := &spec.Template.Spec.Containers[0]
		container.Image = website.Spec.Image
		return controllerutil.SetControllerReference(
			website, deployment, r.Scheme)
	}
	result, err := controllerutil.CreateOrUpdate(
		ctx, r.Client, deployment, mutate)
	// endregion
	r.report(ctx, website, "Deployment", result)
	return deployment, err
}

func (r *WebsiteReconciler) reconcileService(
	ctx context.Context, website *webv1.Website,
) error {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: website.Namespace,
			Name:      website.Name,
		},
	}
	mutate := func() error {
		service.Spec.Selector =
			map[string]string{label: website.Name}
		if len(service.Spec.Ports) == 0 {
			service.Spec.Ports = []corev1.ServicePort{{Port: 80}}
		}
		return controllerutil.SetControllerReference(
			website, service, r.Scheme)
	}
	result, err := controllerutil.CreateOrUpdate(
		ctx, r.Client, service, mutate)
	r.report(ctx, website, "Service", result)
	return err
}

// reconcileDirectory writes a Website's line. All Websites of a
// namespace share the directory, so none of them can own it.
func (r *WebsiteReconciler) reconcileDirectory(
	ctx context.Context, website *webv1.Website,
) error {
	// region directory
	directory := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: website.Namespace,
			Name:      directoryName,
		},
	}
	mutate := func() error {
		if directory.Data == nil {
			directory.Data = map[string]string{}
		}
		directory.Data[website.Name] = website.Spec.Host
		return nil
	}
	_, err := controllerutil.CreateOrUpdate(
		ctx, r.Client, directory, mutate)
	return err
	// endregion
}

// report tells of what was written, in the log and as an Event.
// Events of one reason become one, with a count.
func (r *WebsiteReconciler) report(
	ctx context.Context, website *webv1.Website,
	kind string, result controllerutil.OperationResult,
) {
	if result == controllerutil.OperationResultNone {
		return
	}
	logf.FromContext(ctx).Info("Object written",
		"kind", kind, "result", result)
	r.Recorder.Eventf(website, nil, corev1.EventTypeNormal,
		kind+"Written", "Reconcile", "%s %s", kind, result)
}

func (r *WebsiteReconciler) updateStatus(
	ctx context.Context, website *webv1.Website,
	deployment *appsv1.Deployment,
) error {
	// region status
	available := deployment.Status.AvailableReplicas
	website.Status.AvailableReplicas = available
	condition := metav1.Condition{
		Type:               conditionAvailable,
		Status:             metav1.ConditionFalse,
		Reason:             "NoPods",
		Message:            fmt.Sprint("Pods: ", available),
		ObservedGeneration: website.Generation,
		LastTransitionTime: metav1.NewTime(r.Clock.Now()),
	}
	if available > 0 {
		condition.Status = metav1.ConditionTrue
		condition.Reason = "Answering"
	}
	conditions := &website.Status.Conditions
	meta.SetStatusCondition(conditions, condition)
	return r.Status().Update(ctx, website)
	// endregion
}

// finalize removes a Website's line from the directory, and then
// what keeps the Website.
func (r *WebsiteReconciler) finalize(
	ctx context.Context, website *webv1.Website,
) error {
	// region finalize
	if !controllerutil.ContainsFinalizer(
		website, Finalizer) {
		return nil
	}
	directory := &corev1.ConfigMap{}
	err := r.Get(ctx, client.ObjectKey{
		Namespace: website.Namespace,
		Name:      directoryName,
	}, directory)
	if err == nil {
		delete(directory.Data, website.Name)
		err = r.Update(ctx, directory)
	}
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	logf.FromContext(ctx).Info("Line removed")
	controllerutil.RemoveFinalizer(website, Finalizer)
	return r.Update(ctx, website)
	// endregion
}

// SetupWithManager says what leads to which Website.
func (r *WebsiteReconciler) SetupWithManager(mgr ctrl.Manager) error {
	// region setup
	return ctrl.NewControllerManagedBy(mgr).
		For(&webv1.Website{}, builder.WithPredicates(
			predicate.GenerationChangedPredicate{})).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		Named("website").
		Complete(r)
	// endregion
}
