package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/sim"
)

func init() {
	register("/nodes", nodeStrategy{})
	register("/nodes/status", nodeStatusStrategy{})
	register("/namespaces", namespaceStrategy{})
	register("/namespaces/status", namespaceStatusStrategy{})
	register("/namespaces/finalize", namespaceFinalizeStrategy{})
	register("/configmaps", configMapStrategy{})
	register("/secrets", secretStrategy{})
	register("/events", eventStrategy{})
	register("events.k8s.io/events", eventStrategy{})
	register("coordination.k8s.io/leases", leaseStrategy{})
}

// nodeStrategy is upstream's pkg/registry/core/node/strategy.go.
type nodeStrategy struct{ plain }

type nodeStatusStrategy struct{ nodeStrategy }

func (nodeStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateNode(obj.(*corev1.Node))
}

func (nodeStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.Node).Status = old.(*corev1.Node).Status
}

func (nodeStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateNodeUpdate(obj.(*corev1.Node), old.(*corev1.Node))
}

// SelectableFields lists what upstream's NodeToSelectableFields does.
func (nodeStrategy) SelectableFields(obj api.Object) fields.Set {
	node, _ := obj.(*corev1.Node)
	if node == nil || !node.Spec.Unschedulable {
		return fields.Set{"spec.unschedulable": "false"}
	}
	return fields.Set{"spec.unschedulable": "true"}
}

func (nodeStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.Node).Spec = old.(*corev1.Node).Spec
}

// namespaceStrategy is upstream's pkg/registry/core/namespace/strategy.go.
type namespaceStrategy struct{ plain }

type namespaceStatusStrategy struct{ namespaceStrategy }

// namespaceFinalizeStrategy is for namespaces/finalize: it takes spec.finalizers and leaves the rest.
type namespaceFinalizeStrategy struct{ namespaceStrategy }

func (namespaceStrategy) ValidateName() validation.NameFunc { return objectmeta.NameIsDNSLabel }

func (namespaceStrategy) PrepareForCreate(obj api.Object) {
	ns := obj.(*corev1.Namespace)
	ns.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
	ns.Spec.Finalizers = []corev1.FinalizerName{corev1.FinalizerKubernetes}
	// The name may have been generated after defaults were filled in.
	if ns.Name != "" {
		if ns.Labels == nil {
			ns.Labels = map[string]string{}
		}
		ns.Labels[corev1.LabelMetadataName] = ns.Name
	}
}

func (namespaceStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateNamespace(obj.(*corev1.Namespace))
}

func (namespaceStrategy) PrepareForUpdate(obj, old api.Object) {
	ns, oldNS := obj.(*corev1.Namespace), old.(*corev1.Namespace)
	ns.Spec.Finalizers, ns.Status = oldNS.Spec.Finalizers, oldNS.Status
}

// SelectableFields lists what upstream's SelectableFields does.
func (namespaceStrategy) SelectableFields(obj api.Object) fields.Set {
	ns, _ := obj.(*corev1.Namespace)
	if ns == nil {
		return fields.Set{"status.phase": ""}
	}
	return fields.Set{"status.phase": string(ns.Status.Phase)}
}

func (namespaceStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.Namespace).Spec = old.(*corev1.Namespace).Spec
}

func (namespaceStatusStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidateNamespaceStatusUpdate(obj.(*corev1.Namespace))
}

func (namespaceFinalizeStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidateNamespace(obj.(*corev1.Namespace))
}

func (namespaceFinalizeStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.Namespace).Status = old.(*corev1.Namespace).Status
}

// deleteNamespace marks a namespace as terminating: it goes when its finalizers are gone.
// Upstream: pkg/registry/core/namespace/storage/storage.go, REST.Delete.
func (e *Store) deleteNamespace(p *sim.Proc, name string, options *metav1.DeleteOptions, validate ValidateFunc, dryRun bool) (api.Object, bool, error) {
	current, err := e.Get(p, "", name)
	if err != nil {
		return nil, false, err
	}
	if len(current.(*corev1.Namespace).Spec.Finalizers) == 0 {
		return e.Delete(p, "", name, options, validate, dryRun)
	}
	if err := e.checkDeletePreconditions(current, options); err != nil || dryRun {
		return current, false, err
	}
	obj, err := e.Storage.GuaranteedUpdate(p, e.Key("", name), func(current api.Object) (api.Object, error) {
		if err := e.checkDeletePreconditions(current, options); err != nil {
			return nil, err
		}
		ns := current.DeepCopyObject().(*corev1.Namespace)
		if ns.DeletionTimestamp == nil {
			ns.DeletionTimestamp = ptr(now(p))
		}
		ns.Status.Phase = corev1.NamespaceTerminating
		return ns, nil
	})
	return obj, false, e.interpret(err, name)
}

// DeleteObject is Delete, or what a kind has instead.
func (e *Store) DeleteObject(p *sim.Proc, namespace, name string, options *metav1.DeleteOptions, validate ValidateFunc, dryRun bool) (api.Object, bool, error) {
	if e.resource == "namespaces" {
		return e.deleteNamespace(p, name, options, validate, dryRun)
	}
	if e.resource == "customresourcedefinitions" {
		return e.deleteDefinition(p, name, options, validate, dryRun)
	}
	return e.Delete(p, namespace, name, options, validate, dryRun)
}

// ReturnsDeletedObject says that a delete answers with the object instead of a Status.
// Upstream: Store.ReturnDeletedObject, set in each kind's storage.go.
func (e *Store) ReturnsDeletedObject() bool {
	switch e.resource {
	case "pods", "serviceaccounts", "services":
		return true
	}
	return false
}

// configMapStrategy is upstream's pkg/registry/core/configmap/strategy.go.
type configMapStrategy struct{ plain }

func (configMapStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateConfigMap(obj.(*corev1.ConfigMap))
}

func (configMapStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateConfigMapUpdate(obj.(*corev1.ConfigMap), old.(*corev1.ConfigMap))
}

// secretStrategy is upstream's pkg/registry/core/secret/strategy.go.
type secretStrategy struct{ plain }

// PrepareForCreate moves stringData to where it belongs. Upstream: pkg/apis/core/v1/conversion.go, Convert_v1_Secret_To_core_Secret.
func (secretStrategy) PrepareForCreate(obj api.Object) {
	secret := obj.(*corev1.Secret)
	for k, v := range secret.StringData { // order: each fills its own key
		if secret.Data == nil {
			secret.Data = map[string][]byte{}
		}
		secret.Data[k] = []byte(v)
	}
	secret.StringData = nil
}

func (s secretStrategy) PrepareForUpdate(obj, _ api.Object) { s.PrepareForCreate(obj) }

func (secretStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateSecret(obj.(*corev1.Secret))
}

func (secretStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateSecretUpdate(obj.(*corev1.Secret), old.(*corev1.Secret))
}

// SelectableFields lists what upstream's SelectableFields does.
func (secretStrategy) SelectableFields(obj api.Object) fields.Set {
	secret, _ := obj.(*corev1.Secret)
	if secret == nil {
		return fields.Set{"type": ""}
	}
	return fields.Set{"type": string(secret.Type)}
}

// leaseStrategy is upstream's pkg/registry/coordination/lease/strategy.go.
type leaseStrategy struct{ plain }

func (leaseStrategy) AllowCreateOnUpdate() bool      { return true }
func (leaseStrategy) AllowUnconditionalUpdate() bool { return false }

func (leaseStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateLease(obj.(*coordinationv1.Lease))
}

func (s leaseStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList { return s.Validate(obj) }

// eventStrategy is upstream's pkg/registry/core/event/strategy.go.
type eventStrategy struct{ plain }

func (eventStrategy) AllowCreateOnUpdate() bool { return true }

func (eventStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateEvent(obj.(*corev1.Event))
}

func (s eventStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList { return s.Validate(obj) }

// SelectableFields lists what upstream's ToSelectableFields does.
func (eventStrategy) SelectableFields(obj api.Object) fields.Set {
	event, _ := obj.(*corev1.Event)
	if event == nil {
		event = &corev1.Event{}
	}
	source := event.Source.Component
	if source == "" {
		source = event.ReportingController
	}
	o := &event.InvolvedObject
	return fields.Set{
		"involvedObject.kind": o.Kind, "involvedObject.namespace": o.Namespace, "involvedObject.name": o.Name,
		"involvedObject.uid": string(o.UID), "involvedObject.apiVersion": o.APIVersion,
		"involvedObject.resourceVersion": o.ResourceVersion, "involvedObject.fieldPath": o.FieldPath,
		"reason": event.Reason, "reportingComponent": event.ReportingController, "source": source, "type": event.Type,
	}
}
