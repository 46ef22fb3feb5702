package client

import (
	"kubewalk/playground/api/networkingv1"
)

// NetworkingV1Client are the resources of group networking.k8s.io.
// Upstream: k8s.io/client-go/kubernetes/typed/networking/v1
type NetworkingV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	IngressClassInterface  = ResourceClient[*networkingv1.IngressClass, *networkingv1.IngressClassList]
	IngressInterface       = ResourceClient[*networkingv1.Ingress, *networkingv1.IngressList]
	IPAddressInterface     = ResourceClient[*networkingv1.IPAddress, *networkingv1.IPAddressList]
	NetworkPolicyInterface = ResourceClient[*networkingv1.NetworkPolicy, *networkingv1.NetworkPolicyList]
	ServiceCIDRInterface   = ResourceClient[*networkingv1.ServiceCIDR, *networkingv1.ServiceCIDRList]
)

// IngressClasses are the cluster's IngressClasses.
func (c NetworkingV1Client) IngressClasses() IngressClassInterface {
	return newResource[*networkingv1.IngressClass, *networkingv1.IngressClassList](c.transport, networking, "ingressclasses", "")
}

// Ingresses are the Ingresses of a namespace.
func (c NetworkingV1Client) Ingresses(namespace string) IngressInterface {
	return newResource[*networkingv1.Ingress, *networkingv1.IngressList](c.transport, networking, "ingresses", namespace)
}

// IPAddresses are the cluster's IPAddresses.
func (c NetworkingV1Client) IPAddresses() IPAddressInterface {
	return newResource[*networkingv1.IPAddress, *networkingv1.IPAddressList](c.transport, networking, "ipaddresses", "")
}

// NetworkPolicies are the NetworkPolicies of a namespace.
func (c NetworkingV1Client) NetworkPolicies(namespace string) NetworkPolicyInterface {
	return newResource[*networkingv1.NetworkPolicy, *networkingv1.NetworkPolicyList](c.transport, networking, "networkpolicies", namespace)
}

// ServiceCIDRs are the cluster's ServiceCIDRs.
func (c NetworkingV1Client) ServiceCIDRs() ServiceCIDRInterface {
	return newResource[*networkingv1.ServiceCIDR, *networkingv1.ServiceCIDRList](c.transport, networking, "servicecidrs", "")
}
