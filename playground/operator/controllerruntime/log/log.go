// Package log gives a reconciler the logger of its request.
// Upstream: controller-runtime/pkg/log.
package log

import (
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/sim"
)

// FromContext is the logger that the controller has put there.
func FromContext(ctx context.Context) sim.Logger { return ctx.Logger }
