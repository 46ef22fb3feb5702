package client

import (
	"kubewalk/playground/api/policyv1"
)

// PolicyV1Client are the resources of group policy.
// Upstream: k8s.io/client-go/kubernetes/typed/policy/v1
type PolicyV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	PodDisruptionBudgetInterface = ResourceClient[*policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudgetList]
)

// PodDisruptionBudgets are the PodDisruptionBudgets of a namespace.
func (c PolicyV1Client) PodDisruptionBudgets(namespace string) PodDisruptionBudgetInterface {
	return newResource[*policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudgetList](c.transport, policy, "poddisruptionbudgets", namespace)
}
