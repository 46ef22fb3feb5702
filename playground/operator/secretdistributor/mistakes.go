package secretdistributor

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client/cache"
)

// Mistakes are what the program's author may have got wrong. Whoever runs the
// program may switch them while it runs, as if another build had taken its place.
type Mistakes struct {
	// IgnoreCopies: of Secrets, only those that are sources are listened to.
	IgnoreCopies bool
	// Overwrite: nobody looks at the mark before a Secret is written.
	Overwrite bool
}

// carelessHandler hears of sources alone, if the author thought of nothing else.
func carelessHandler(mistakes *Mistakes, handler cache.ResourceEventHandler) cache.ResourceEventHandler {
	return cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = gone.Obj
			}
			secret, ok := obj.(*corev1.Secret)
			return !mistakes.IgnoreCopies || ok && secret.Namespace == SourceNamespace
		},
		Handler: handler,
	}
}
