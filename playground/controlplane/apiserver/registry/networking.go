package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/controlplane/apiserver/validation"
)

func init() {
	register("networking.k8s.io/ingresses", ingressStrategy{})
	register("networking.k8s.io/ingresses/status", ingressStatusStrategy{})
	register("networking.k8s.io/ingressclasses", ingressClassStrategy{})
	register("networking.k8s.io/networkpolicies", networkPolicyStrategy{})
	register("networking.k8s.io/ipaddresses", ipAddressStrategy{})
	register("networking.k8s.io/servicecidrs", serviceCIDRStrategy{})
	register("networking.k8s.io/servicecidrs/status", serviceCIDRStatusStrategy{})
}

// ingressStrategy is upstream's pkg/registry/networking/ingress/strategy.go.
type ingressStrategy struct{ plain }

type ingressStatusStrategy struct{ ingressStrategy }

func (ingressStrategy) PrepareForCreate(obj api.Object) {
	ing := obj.(*networkingv1.Ingress)
	ing.Status = networkingv1.IngressStatus{}
	ing.Generation = 1
}

func (ingressStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateIngress(obj.(*networkingv1.Ingress))
}

func (ingressStrategy) PrepareForUpdate(obj, old api.Object) {
	ing, was := obj.(*networkingv1.Ingress), old.(*networkingv1.Ingress)
	ing.Status = was.Status
	if !api.SemanticDeepEqual(ing.Spec, was.Spec) {
		ing.Generation = was.Generation + 1
	}
}

func (s ingressStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList { return s.Validate(obj) }

func (ingressStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*networkingv1.Ingress).Spec = old.(*networkingv1.Ingress).Spec
}

func (ingressStatusStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	var errs field.ErrorList
	for i, at := range obj.(*networkingv1.Ingress).Status.LoadBalancer.Ingress {
		if at.IP != "" {
			errs = append(errs, validation.IsValidIP(field.NewPath("status", "loadBalancer", "ingress").Index(i).Child("ip"), at.IP)...)
		}
	}
	return errs
}

// ingressClassStrategy is upstream's pkg/registry/networking/ingressclass/strategy.go.
type ingressClassStrategy struct{ plain }

func (ingressClassStrategy) PrepareForCreate(obj api.Object) {
	obj.(*networkingv1.IngressClass).Generation = 1
}

func (ingressClassStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateIngressClass(obj.(*networkingv1.IngressClass))
}

func (ingressClassStrategy) PrepareForUpdate(obj, old api.Object) {
	c, was := obj.(*networkingv1.IngressClass), old.(*networkingv1.IngressClass)
	if !api.SemanticDeepEqual(c.Spec, was.Spec) {
		c.Generation = was.Generation + 1
	}
}

func (ingressClassStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateIngressClassUpdate(obj.(*networkingv1.IngressClass), old.(*networkingv1.IngressClass))
}

// networkPolicyStrategy is upstream's pkg/registry/networking/networkpolicy/strategy.go.
type networkPolicyStrategy struct{ plain }

func (networkPolicyStrategy) PrepareForCreate(obj api.Object) {
	obj.(*networkingv1.NetworkPolicy).Generation = 1
}

func (networkPolicyStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateNetworkPolicy(obj.(*networkingv1.NetworkPolicy))
}

func (networkPolicyStrategy) PrepareForUpdate(obj, old api.Object) {
	n, was := obj.(*networkingv1.NetworkPolicy), old.(*networkingv1.NetworkPolicy)
	if !api.SemanticDeepEqual(n.Spec, was.Spec) {
		n.Generation = was.Generation + 1
	}
}

func (s networkPolicyStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return s.Validate(obj)
}

// ipAddressStrategy is upstream's pkg/registry/networking/ipaddress/strategy.go.
type ipAddressStrategy struct{ plain }

func (ipAddressStrategy) ValidateName() validation.NameFunc { return validation.NameIsCanonicalIP }

func (ipAddressStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateIPAddress(obj.(*networkingv1.IPAddress))
}

func (ipAddressStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateIPAddressUpdate(obj.(*networkingv1.IPAddress), old.(*networkingv1.IPAddress))
}

// serviceCIDRStrategy is upstream's pkg/registry/networking/servicecidr/strategy.go.
type serviceCIDRStrategy struct{ plain }

type serviceCIDRStatusStrategy struct{ serviceCIDRStrategy }

func (serviceCIDRStrategy) PrepareForCreate(obj api.Object) {
	obj.(*networkingv1.ServiceCIDR).Status = networkingv1.ServiceCIDRStatus{}
}

func (serviceCIDRStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateServiceCIDR(obj.(*networkingv1.ServiceCIDR))
}

func (serviceCIDRStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*networkingv1.ServiceCIDR).Status = old.(*networkingv1.ServiceCIDR).Status
}

func (serviceCIDRStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateServiceCIDRUpdate(obj.(*networkingv1.ServiceCIDR), old.(*networkingv1.ServiceCIDR))
}

func (serviceCIDRStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*networkingv1.ServiceCIDR).Spec = old.(*networkingv1.ServiceCIDR).Spec
}
