package defaults

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/networkingv1"
)

// setNetworkPolicy is upstream's pkg/apis/networking/v1/defaults.go, SetDefaults_NetworkPolicy and
// SetDefaults_NetworkPolicyPort: a policy speaks of what comes in, and of what goes out if it says anything about that.
func setNetworkPolicy(n *networkingv1.NetworkPolicy) {
	if len(n.Spec.PolicyTypes) == 0 {
		n.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
		if len(n.Spec.Egress) != 0 {
			n.Spec.PolicyTypes = append(n.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
		}
	}
	ports := func(list []networkingv1.NetworkPolicyPort) {
		for i := range list {
			orElse(&list[i].Protocol, corev1.ProtocolTCP)
		}
	}
	for i := range n.Spec.Ingress {
		ports(n.Spec.Ingress[i].Ports)
	}
	for i := range n.Spec.Egress {
		ports(n.Spec.Egress[i].Ports)
	}
}

// setIngressClass is upstream's SetDefaults_IngressClass.
func setIngressClass(c *networkingv1.IngressClass) {
	if c.Spec.Parameters != nil && c.Spec.Parameters.Scope == nil {
		scope := networkingv1.IngressClassParametersReferenceScopeCluster
		c.Spec.Parameters.Scope = &scope
	}
}
