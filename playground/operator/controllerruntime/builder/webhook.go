package builder

import (
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/operator/controllerruntime/admission"
	"kubewalk/playground/operator/controllerruntime/manager"
)

// WebhookBuilder collects the webhooks of one kind.
type WebhookBuilder[T api.Object] struct {
	manager   manager.Manager
	kind      api.GroupVersionKind
	defaulter admission.Defaulter[T]
	validator admission.Validator[T]
}

// WebhookManagedBy begins the webhooks of an object's kind.
func WebhookManagedBy[T api.Object](m manager.Manager, obj T) *WebhookBuilder[T] {
	return &WebhookBuilder[T]{manager: m, kind: m.GetScheme().KindFor(obj)}
}

// WithDefaulter adds a mutating webhook.
func (b *WebhookBuilder[T]) WithDefaulter(d admission.Defaulter[T]) *WebhookBuilder[T] {
	b.defaulter = d
	return b
}

// WithValidator adds a validating webhook.
func (b *WebhookBuilder[T]) WithValidator(v admission.Validator[T]) *WebhookBuilder[T] {
	b.validator = v
	return b
}

// Complete has the manager's server answer at the paths that the markers say, too.
func (b *WebhookBuilder[T]) Complete() error {
	path := "-" + strings.ReplaceAll(b.kind.Group, ".", "-") + "-" + b.kind.Version + "-" + strings.ToLower(b.kind.Kind)
	server := b.manager.GetWebhookServer()
	if b.defaulter != nil {
		server.Register("/mutate"+path, admission.WithDefaulter(b.defaulter))
	}
	if b.validator != nil {
		server.Register("/validate"+path, admission.WithValidator(b.validator))
	}
	return nil
}
