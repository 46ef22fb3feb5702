package v1

import (
	"context"
	"fmt"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	webv1 "example.com/website/api/v1"
)

// SetupWebsiteWebhookWithManager has the manager serve both webhooks.
func SetupWebsiteWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &webv1.Website{}).
		WithDefaulter(&WebsiteDefaulter{}).
		WithValidator(&WebsiteValidator{}).
		Complete()
}

// +kubebuilder:webhook:path=/mutate-web-example-com-v1-website,mutating=true,failurePolicy=fail,sideEffects=None,groups=web.example.com,resources=websites,verbs=create;update,versions=v1,name=mwebsite-v1.kb.io,admissionReviewVersions=v1

// WebsiteDefaulter fills in what a schema cannot: a host that is made of the name.
type WebsiteDefaulter struct{}

// Default is called before a Website is stored, and before its schema is looked at.
func (d *WebsiteDefaulter) Default(
	ctx context.Context, website *webv1.Website,
) error {
	if website.Spec.Host == "" {
		host := website.Name + ".example.com"
		logf.FromContext(ctx).Info("Default host",
			"host", host)
		website.Spec.Host = host
	}
	return nil
}

// +kubebuilder:webhook:path=/validate-web-example-com-v1-website,mutating=false,failurePolicy=fail,sideEffects=None,groups=web.example.com,resources=websites,verbs=create;update,versions=v1,name=vwebsite-v1.kb.io,admissionReviewVersions=v1

// WebsiteValidator refuses what cannot be meant, and warns of what may not be.
type WebsiteValidator struct{}

// ValidateCreate looks at a new Website.
func (v *WebsiteValidator) ValidateCreate(_ context.Context, website *webv1.Website) (admission.Warnings, error) {
	if _, tag, _ := strings.Cut(website.Spec.Image, ":"); tag == "" || tag == "latest" {
		return admission.Warnings{"spec.image: without a fixed tag, Pods may run different versions"}, nil
	}
	return nil, nil
}

// ValidateUpdate compares a Website with what it was.
func (v *WebsiteValidator) ValidateUpdate(ctx context.Context, before, now *webv1.Website) (admission.Warnings, error) {
	if before.Spec.Host != now.Spec.Host {
		return nil, fmt.Errorf("spec.host: is %q for good: links lead there", before.Spec.Host)
	}
	return v.ValidateCreate(ctx, now)
}

// ValidateDelete is called only if the marker's verbs have delete.
func (v *WebsiteValidator) ValidateDelete(context.Context, *webv1.Website) (admission.Warnings, error) {
	return nil, nil
}
