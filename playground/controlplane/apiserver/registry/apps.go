package registry

import (
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// rsStrategy is upstream's pkg/registry/apps/replicaset/strategy.go.
type rsStrategy struct{ plain }

type rsStatusStrategy struct{ rsStrategy }

// deploymentStrategy is upstream's pkg/registry/apps/deployment/strategy.go.
type deploymentStrategy struct{ plain }

type deploymentStatusStrategy struct{ deploymentStrategy }

func init() {
	register("apps/replicasets", rsStrategy{})
	register("apps/replicasets/status", rsStatusStrategy{})
	register("apps/deployments", deploymentStrategy{})
	register("apps/deployments/status", deploymentStatusStrategy{})
}

func (rsStrategy) PrepareForCreate(obj api.Object) {
	rs := obj.(*appsv1.ReplicaSet)
	rs.Status = appsv1.ReplicaSetStatus{}
	rs.Generation = 1
}

func (rsStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateReplicaSet(obj.(*appsv1.ReplicaSet))
}

func (rsStrategy) PrepareForUpdate(obj, old api.Object) {
	rs, oldRS := obj.(*appsv1.ReplicaSet), old.(*appsv1.ReplicaSet)
	rs.Status = oldRS.Status
	if !api.SemanticDeepEqual(rs.Spec, oldRS.Spec) {
		rs.Generation = oldRS.Generation + 1
	}
}

func (rsStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateReplicaSetUpdate(obj.(*appsv1.ReplicaSet), old.(*appsv1.ReplicaSet))
}

// SelectableFields lists what upstream's ToSelectableFields does.
func (rsStrategy) SelectableFields(obj api.Object) fields.Set {
	rs, _ := obj.(*appsv1.ReplicaSet)
	if rs == nil {
		rs = &appsv1.ReplicaSet{}
	}
	return fields.Set{"status.replicas": strconv.Itoa(int(rs.Status.Replicas))}
}

func (rsStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*appsv1.ReplicaSet).Spec = old.(*appsv1.ReplicaSet).Spec
}

func (rsStatusStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateReplicaSetStatusUpdate(obj.(*appsv1.ReplicaSet), old.(*appsv1.ReplicaSet))
}

func (deploymentStrategy) PrepareForCreate(obj api.Object) {
	d := obj.(*appsv1.Deployment)
	d.Status = appsv1.DeploymentStatus{}
	d.Generation = 1
}

func (deploymentStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateDeployment(obj.(*appsv1.Deployment))
}

// PrepareForUpdate counts a change of annotations too: the controller copies them to the ReplicaSet.
func (deploymentStrategy) PrepareForUpdate(obj, old api.Object) {
	d, oldD := obj.(*appsv1.Deployment), old.(*appsv1.Deployment)
	d.Status = oldD.Status
	if !api.SemanticDeepEqual(d.Spec, oldD.Spec) || !api.SemanticDeepEqual(d.Annotations, oldD.Annotations) {
		d.Generation = oldD.Generation + 1
	}
}

func (deploymentStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateDeploymentUpdate(obj.(*appsv1.Deployment), old.(*appsv1.Deployment))
}

func (deploymentStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	d, oldD := obj.(*appsv1.Deployment), old.(*appsv1.Deployment)
	d.Spec, d.Labels = oldD.Spec, oldD.Labels
}

func (deploymentStatusStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateDeploymentStatusUpdate(obj.(*appsv1.Deployment), old.(*appsv1.Deployment))
}
