//go:build !js || cel

package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// The kinds of flowcontrol.apiserver.k8s.io. Upstream: pkg/registry/flowcontrol/flowschema/strategy.go,
// pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go.

// flowSchemaStrategy is for FlowSchemas, flowSchemaStatusStrategy for their status; likewise for the other kind.
type (
	flowSchemaStrategy          struct{ plain }
	flowSchemaStatusStrategy    struct{ plain }
	priorityLevelStrategy       struct{ plain }
	priorityLevelStatusStrategy struct{ plain }
)

func init() {
	register("flowcontrol.apiserver.k8s.io/flowschemas", flowSchemaStrategy{})
	register("flowcontrol.apiserver.k8s.io/flowschemas/status", flowSchemaStatusStrategy{})
	register("flowcontrol.apiserver.k8s.io/prioritylevelconfigurations", priorityLevelStrategy{})
	register("flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/status", priorityLevelStatusStrategy{})
}

func (flowSchemaStrategy) PrepareForCreate(obj api.Object) {
	fs := obj.(*flowcontrolv1.FlowSchema)
	fs.Status, fs.Generation = flowcontrolv1.FlowSchemaStatus{}, 1
}

func (flowSchemaStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateFlowSchema(obj.(*flowcontrolv1.FlowSchema))
}

func (flowSchemaStrategy) PrepareForUpdate(obj, old api.Object) {
	fs, was := obj.(*flowcontrolv1.FlowSchema), old.(*flowcontrolv1.FlowSchema)
	if !api.SemanticDeepEqual(fs.Spec, was.Spec) {
		fs.Generation = was.Generation + 1
	}
	fs.Status = was.Status
}

func (s flowSchemaStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList { return s.Validate(obj) }

func (flowSchemaStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	fs, was := obj.(*flowcontrolv1.FlowSchema), old.(*flowcontrolv1.FlowSchema)
	fs.Spec = was.Spec
	resetMetadata(obj, old)
}

func (flowSchemaStatusStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidateFlowSchemaStatus(obj.(*flowcontrolv1.FlowSchema))
}

// resetMetadata leaves all of the metadata as it was: a change of status changes nothing else.
// Upstream: apimachinery/pkg/apis/meta/v1/helpers.go, ResetObjectMetaForStatus.
func resetMetadata(obj, old api.Object) {
	is, was := obj.GetObjectMeta(), old.DeepCopyObject().GetObjectMeta()
	is.DeletionTimestamp, is.Generation, is.SelfLink = was.DeletionTimestamp, was.Generation, was.SelfLink
	is.Labels, is.Annotations, is.Finalizers, is.OwnerReferences = was.Labels, was.Annotations, was.Finalizers, was.OwnerReferences
}

func (priorityLevelStrategy) PrepareForCreate(obj api.Object) {
	pl := obj.(*flowcontrolv1.PriorityLevelConfiguration)
	pl.Status, pl.Generation = flowcontrolv1.PriorityLevelConfigurationStatus{}, 1
}

func (priorityLevelStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidatePriorityLevelConfiguration(obj.(*flowcontrolv1.PriorityLevelConfiguration))
}

func (priorityLevelStrategy) PrepareForUpdate(obj, old api.Object) {
	pl, was := obj.(*flowcontrolv1.PriorityLevelConfiguration), old.(*flowcontrolv1.PriorityLevelConfiguration)
	if !api.SemanticDeepEqual(pl.Spec, was.Spec) {
		pl.Generation = was.Generation + 1
	}
	pl.Status = was.Status
}

func (s priorityLevelStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return s.Validate(obj)
}

func (priorityLevelStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	pl, was := obj.(*flowcontrolv1.PriorityLevelConfiguration), old.(*flowcontrolv1.PriorityLevelConfiguration)
	pl.Spec = was.Spec
	resetMetadata(obj, old)
}

func (priorityLevelStatusStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidatePriorityLevelConfigurationStatus(obj.(*flowcontrolv1.PriorityLevelConfiguration))
}
