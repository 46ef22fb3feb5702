package admission

import (
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// defaultIngressClass gives an Ingress that names no class the default one, if there is one.
// Upstream: plugin/pkg/admission/network/defaultingressclass/admission.go, classDefaulterPlugin.
type defaultIngressClass struct{ store *store.Store }

const (
	isDefaultIngressClass  = "ingressclass.kubernetes.io/is-default-class"
	ingressClassAnnotation = "kubernetes.io/ingress.class"
)

func (*defaultIngressClass) Name() string { return "DefaultIngressClass" }

func (d *defaultIngressClass) Admit(_ *sim.Proc, a *Attributes) error {
	ingress, ok := a.Object.(*networkingv1.Ingress)
	if !ok || a.Operation != Create || a.Subresource != "" {
		return nil
	}
	if _, has := ingress.Annotations[ingressClassAnnotation]; has || ingress.Spec.IngressClassName != nil {
		return nil
	}
	if class := newest(d.store, "ingressclasses", isDefaultIngressClass); class != nil {
		name := class.GetName()
		ingress.Spec.IngressClassName = &name
		a.changed(d)
	}
	return nil
}
