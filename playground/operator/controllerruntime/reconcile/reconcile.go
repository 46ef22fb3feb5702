// Package reconcile is what the author of a controller writes, and what that is given.
// Upstream: controller-runtime/pkg/reconcile.
package reconcile

import (
	"time"

	"kubewalk/playground/api/types"
	"kubewalk/playground/operator/controllerruntime/context"
)

// Request names an object. It doesn't say what has happened to it.
type Request struct{ types.NamespacedName }

// Result says whether the request should come again although nothing has failed.
type Result struct {
	// RequeueAfter is after how long; 0 is never.
	RequeueAfter time.Duration
}

// Reconciler makes what one object asks for true. With an error, the request comes again, later and later.
type Reconciler interface {
	Reconcile(ctx context.Context, req Request) (Result, error)
}
