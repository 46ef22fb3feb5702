package registry

import (
	"maps"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/controlplane/apiserver/validation"
)

type (
	// daemonSetStrategy is upstream's pkg/registry/apps/daemonset/strategy.go.
	daemonSetStrategy       struct{ plain }
	daemonSetStatusStrategy struct{ daemonSetStrategy }
	// statefulSetStrategy is upstream's pkg/registry/apps/statefulset/strategy.go.
	statefulSetStrategy       struct{ plain }
	statefulSetStatusStrategy struct{ statefulSetStrategy }
	// controllerRevisionStrategy is upstream's pkg/registry/apps/controllerrevision/strategy.go.
	controllerRevisionStrategy struct{ plain }
	// rcStrategy is upstream's pkg/registry/core/replicationcontroller/strategy.go.
	rcStrategy       struct{ plain }
	rcStatusStrategy struct{ rcStrategy }
	// podTemplateStrategy is upstream's pkg/registry/core/podtemplate/strategy.go.
	podTemplateStrategy struct{ plain }
)

func init() {
	register("apps/daemonsets", daemonSetStrategy{})
	register("apps/daemonsets/status", daemonSetStatusStrategy{})
	register("apps/statefulsets", statefulSetStrategy{})
	register("apps/statefulsets/status", statefulSetStatusStrategy{})
	register("apps/controllerrevisions", controllerRevisionStrategy{})
	register("/replicationcontrollers", rcStrategy{})
	register("/replicationcontrollers/status", rcStatusStrategy{})
	register("/podtemplates", podTemplateStrategy{})
}

func (daemonSetStrategy) PrepareForCreate(obj api.Object) {
	ds := obj.(*appsv1.DaemonSet)
	ds.Status = appsv1.DaemonSetStatus{}
	ds.Generation = 1
	setTemplateGeneration(ds, 1)
}

// setTemplateGeneration counts templates. The API's first version had a field
// for it; in this one it shows as an annotation.
// Upstream: pkg/apis/apps/v1/conversion.go, Convert_apps_DaemonSet_To_v1_DaemonSet.
func setTemplateGeneration(ds *appsv1.DaemonSet, n int64) {
	if n < 1 {
		return
	}
	ds.Annotations = maps.Clone(ds.Annotations)
	if ds.Annotations == nil {
		ds.Annotations = map[string]string{}
	}
	ds.Annotations[appsv1.DeprecatedTemplateGeneration] = strconv.FormatInt(n, 10)
}

func templateGeneration(ds *appsv1.DaemonSet) int64 {
	n, _ := strconv.ParseInt(ds.Annotations[appsv1.DeprecatedTemplateGeneration], 10, 64)
	return n
}

func (daemonSetStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateDaemonSet(obj.(*appsv1.DaemonSet))
}

func (daemonSetStrategy) PrepareForUpdate(obj, old api.Object) {
	ds, oldDS := obj.(*appsv1.DaemonSet), old.(*appsv1.DaemonSet)
	ds.Status = oldDS.Status
	n := templateGeneration(oldDS)
	if !api.SemanticDeepEqual(&ds.Spec, &oldDS.Spec) {
		ds.Generation = oldDS.Generation + 1
		if !api.SemanticDeepEqual(&ds.Spec.Template, &oldDS.Spec.Template) {
			n++
		}
	}
	setTemplateGeneration(ds, n)
}

func (daemonSetStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateDaemonSetUpdate(obj.(*appsv1.DaemonSet), old.(*appsv1.DaemonSet))
}

func (daemonSetStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*appsv1.DaemonSet).Spec = old.(*appsv1.DaemonSet).Spec
}

func (daemonSetStatusStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateDaemonSetStatusUpdate(obj.(*appsv1.DaemonSet), old.(*appsv1.DaemonSet))
}

func (statefulSetStrategy) PrepareForCreate(obj api.Object) {
	set := obj.(*appsv1.StatefulSet)
	set.Status = appsv1.StatefulSetStatus{}
	set.Generation = 1
}

func (statefulSetStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateStatefulSet(obj.(*appsv1.StatefulSet))
}

func (statefulSetStrategy) PrepareForUpdate(obj, old api.Object) {
	set, oldSet := obj.(*appsv1.StatefulSet), old.(*appsv1.StatefulSet)
	set.Status = oldSet.Status
	if !api.SemanticDeepEqual(&set.Spec, &oldSet.Spec) {
		set.Generation = oldSet.Generation + 1
	}
}

func (statefulSetStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateStatefulSetUpdate(obj.(*appsv1.StatefulSet), old.(*appsv1.StatefulSet))
}

func (statefulSetStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*appsv1.StatefulSet).Spec = old.(*appsv1.StatefulSet).Spec
}

func (statefulSetStatusStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateStatefulSetStatusUpdate(obj.(*appsv1.StatefulSet), old.(*appsv1.StatefulSet))
}

func (controllerRevisionStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateControllerRevision(obj.(*appsv1.ControllerRevision))
}

func (controllerRevisionStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateControllerRevisionUpdate(obj.(*appsv1.ControllerRevision), old.(*appsv1.ControllerRevision))
}

func (rcStrategy) PrepareForCreate(obj api.Object) {
	rc := obj.(*corev1.ReplicationController)
	rc.Status = corev1.ReplicationControllerStatus{}
	rc.Generation = 1
}

func (rcStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateReplicationController(obj.(*corev1.ReplicationController))
}

func (rcStrategy) PrepareForUpdate(obj, old api.Object) {
	rc, oldRC := obj.(*corev1.ReplicationController), old.(*corev1.ReplicationController)
	rc.Status = oldRC.Status
	if !api.SemanticDeepEqual(&rc.Spec, &oldRC.Spec) {
		rc.Generation = oldRC.Generation + 1
	}
}

func (rcStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidateReplicationController(obj.(*corev1.ReplicationController))
}

// SelectableFields lists what upstream's ControllerToSelectableFields does.
func (rcStrategy) SelectableFields(obj api.Object) fields.Set {
	rc, _ := obj.(*corev1.ReplicationController)
	if rc == nil {
		rc = &corev1.ReplicationController{}
	}
	return fields.Set{"status.replicas": strconv.Itoa(int(rc.Status.Replicas))}
}

func (rcStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.ReplicationController).Spec = old.(*corev1.ReplicationController).Spec
}

func (rcStatusStrategy) ValidateUpdate(_, _ api.Object) field.ErrorList { return nil }

func (podTemplateStrategy) PrepareForCreate(obj api.Object) { obj.(*corev1.PodTemplate).Generation = 1 }

func (podTemplateStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidatePodTemplate(obj.(*corev1.PodTemplate))
}

func (podTemplateStrategy) PrepareForUpdate(obj, old api.Object) {
	t, oldT := obj.(*corev1.PodTemplate), old.(*corev1.PodTemplate)
	if !api.SemanticDeepEqual(&t.Template, &oldT.Template) {
		t.Generation = oldT.Generation + 1
	}
}

func (podTemplateStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidatePodTemplate(obj.(*corev1.PodTemplate))
}
