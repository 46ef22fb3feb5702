// Package controllerruntime is as much of sigs.k8s.io/controller-runtime as a reconciler needs that works in the simulated cluster: its source
// is one that the real library compiles as well, but for the paths of imports (see operator/kubebuilder).
//
// Below it: manager (what the controllers of a program share), builder (which watches lead to which requests), controller (queue, worker,
// retries), cache (an informer for each kind that is read), client (reads from the cache, writes to the API server), predicate, controllerutil,
// webhook and admission (the server and its methods), and, for paths of Go and apimachinery, context, runtime, meta, log and clock. Names,
// shapes and lines of the log are upstream's.
//
// Simplified: the queue has no priorities (upstream sends what it lists at the start through the queue behind what changes); a line of the log has
// no reconcileID; there is no leader election, no metrics; the webhook
// server has no certificates; a kind that isn't served is
// waited for without end, where upstream's manager ends after two minutes; a program that is told to stop ends at once.
//
// Upstream: sigs.k8s.io/controller-runtime v0.24.
package controllerruntime

import (
	"kubewalk/playground/api"
	"kubewalk/playground/operator/controllerruntime/builder"
	"kubewalk/playground/operator/controllerruntime/manager"
	"kubewalk/playground/operator/controllerruntime/reconcile"
)

// What most files of a controller need, under one name.
type (
	Request = reconcile.Request
	Result  = reconcile.Result
	Manager = manager.Manager
)

// NewControllerManagedBy begins a controller of a manager.
func NewControllerManagedBy(m Manager) *builder.Builder { return builder.ControllerManagedBy(m) }

// NewWebhookManagedBy begins the webhooks of an object's kind.
func NewWebhookManagedBy[T api.Object](m Manager, obj T) *builder.WebhookBuilder[T] {
	return builder.WebhookManagedBy(m, obj)
}
