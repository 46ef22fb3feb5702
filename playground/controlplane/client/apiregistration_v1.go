package client

import (
	"kubewalk/playground/api/apiregistrationv1"
)

// ApiregistrationV1Client are the resources of group apiregistration.k8s.io.
// Upstream: the clientset of apiregistration.
type ApiregistrationV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	APIServiceInterface = ResourceClient[*apiregistrationv1.APIService, *apiregistrationv1.APIServiceList]
)

// APIServices are the cluster's APIServices.
func (c ApiregistrationV1Client) APIServices() APIServiceInterface {
	return newResource[*apiregistrationv1.APIService, *apiregistrationv1.APIServiceList](c.transport, apiregistration, "apiservices", "")
}
