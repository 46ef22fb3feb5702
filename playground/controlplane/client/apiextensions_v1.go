package client

import (
	"kubewalk/playground/api/apiextensionsv1"
)

// ApiextensionsV1Client are the resources of group apiextensions.k8s.io.
// Upstream: the clientset of apiextensions.
type ApiextensionsV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	CustomResourceDefinitionInterface = ResourceClient[*apiextensionsv1.CustomResourceDefinition, *apiextensionsv1.CustomResourceDefinitionList]
)

// CustomResourceDefinitions are the cluster's CustomResourceDefinitions.
func (c ApiextensionsV1Client) CustomResourceDefinitions() CustomResourceDefinitionInterface {
	return newResource[*apiextensionsv1.CustomResourceDefinition, *apiextensionsv1.CustomResourceDefinitionList](c.transport, apiextensions,
		"customresourcedefinitions", "")
}
