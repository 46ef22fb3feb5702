//go:build !js || cel

package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/nodev1"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// runtimeClassStrategy is upstream's pkg/registry/node/runtimeclass/strategy.go, without its warnings.
type runtimeClassStrategy struct{ plain }

func init() { register("node.k8s.io/runtimeclasses", runtimeClassStrategy{}) }

func (runtimeClassStrategy) AllowCreateOnUpdate() bool      { return true }
func (runtimeClassStrategy) AllowUnconditionalUpdate() bool { return false }

func (runtimeClassStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateRuntimeClass(obj.(*nodev1.RuntimeClass))
}

func (runtimeClassStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateRuntimeClassUpdate(obj.(*nodev1.RuntimeClass), old.(*nodev1.RuntimeClass))
}
