package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/controlplane/apiserver/validation"
)

func init() {
	register("discovery.k8s.io/endpointslices", endpointSliceStrategy{})
}

// endpointSliceStrategy is upstream's pkg/registry/discovery/endpointslice/strategy.go.
type endpointSliceStrategy struct{ plain }

func (endpointSliceStrategy) PrepareForCreate(obj api.Object) {
	obj.(*discoveryv1.EndpointSlice).Generation = 1
}

func (endpointSliceStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateEndpointSlice(obj.(*discoveryv1.EndpointSlice))
}

// PrepareForUpdate counts what is not metadata, and labels.
func (endpointSliceStrategy) PrepareForUpdate(obj, old api.Object) {
	s, was := obj.(*discoveryv1.EndpointSlice), old.(*discoveryv1.EndpointSlice)
	if !api.SemanticDeepEqual(s.Endpoints, was.Endpoints) || !api.SemanticDeepEqual(s.Ports, was.Ports) ||
		s.AddressType != was.AddressType || !api.SemanticDeepEqual(s.Labels, was.Labels) {
		s.Generation = was.Generation + 1
	}
}

func (endpointSliceStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateEndpointSliceUpdate(obj.(*discoveryv1.EndpointSlice), old.(*discoveryv1.EndpointSlice))
}
