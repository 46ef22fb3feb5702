package registry

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// BindingREST is pods/binding: the scheduler's word on where a Pod runs.
// Upstream: pkg/registry/core/pod/storage/storage.go, BindingREST.
type BindingREST struct{ pods *Store }

// NewBindingREST makes the subresource of the Pods' registry.
func NewBindingREST(pods *Store) *BindingREST { return &BindingREST{pods} }

// Create binds the Pod.
func (r *BindingREST) Create(p *sim.Proc, name string, obj api.Object, validate ValidateFunc, dryRun bool) (client.Result, error) {
	binding := obj.(*corev1.Binding)
	if binding.Name == "" {
		binding.Name = name
	}
	if name != binding.Name {
		return nil, apierrors.NewBadRequest("name in URL does not match name in Binding object")
	}
	if errs := validation.ValidatePodBinding(binding); len(errs) > 0 {
		return nil, apierrors.NewInvalid(api.GroupKind{Kind: "Binding"}, binding.Name, errs)
	}
	if validate != nil {
		if err := validate(p, binding, nil); err != nil {
			return nil, err
		}
	}
	if err := r.assignPod(p, binding, dryRun); err != nil {
		return nil, err
	}
	return &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess, Code: 201}, nil
}

// assignPod makes a conflict of whatever speaks against the binding. Upstream: BindingREST.assignPod.
func (r *BindingREST) assignPod(p *sim.Proc, binding *corev1.Binding, dryRun bool) error {
	err := r.setPodNodeAndMetadata(p, binding, dryRun)
	if err == nil {
		return nil
	}
	err = r.pods.interpret(err, binding.Name)
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		return err
	}
	return apierrors.NewConflict(api.GroupResource{Resource: "pods/binding"}, binding.Name, err)
}

// setPodNodeAndMetadata writes the node's name into a Pod that has none yet. Upstream: BindingREST.setPodNodeAndMetadata.
func (r *BindingREST) setPodNodeAndMetadata(p *sim.Proc, binding *corev1.Binding, dryRun bool) error {
	key := r.pods.Key(binding.Namespace, binding.Name)
	preconditions := store.Preconditions{UID: string(binding.UID), ResourceVersion: binding.ResourceVersion}
	assign := func(current api.Object) (api.Object, error) {
		if err := preconditions.Check(key, current); err != nil {
			return nil, err
		}
		pod := current.(*corev1.Pod)
		switch {
		case pod.DeletionTimestamp != nil:
			return nil, fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", pod.Name)
		case pod.Spec.NodeName != "":
			return nil, fmt.Errorf("pod %v is already assigned to node %q", pod.Name, pod.Spec.NodeName)
		case len(pod.Spec.SchedulingGates) > 0:
			return nil, fmt.Errorf("pod %v has non-empty .spec.schedulingGates", pod.Name)
		}
		bound := *pod // all that stays is shared
		pod = &bound
		pod.Spec.NodeName = binding.Target.Name
		pod.Status.NominatedNodeName = "" // the place that it was promised is its own now
		pod.Status.Conditions = slices.Clone(pod.Status.Conditions)
		if len(binding.Annotations) > 0 {
			pod.Annotations = maps.Clone(pod.Annotations)
		}
		for k, v := range binding.Annotations { // order: each fills its own key
			if pod.Annotations == nil {
				pod.Annotations = map[string]string{}
			}
			pod.Annotations[k] = v
		}
		setPodScheduled(p, pod)
		return pod, nil
	}
	if dryRun {
		current, err := r.pods.Storage.Get(p, key)
		if err == nil {
			_, err = assign(current)
		}
		return err
	}
	_, err := r.pods.Storage.GuaranteedUpdate(p, key, assign)
	return err
}

// setPodScheduled sets the condition that a binding makes true.
func setPodScheduled(p *sim.Proc, pod *corev1.Pod) {
	setPodCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: now(p),
		ObservedGeneration: pod.Generation})
}

// ScaleREST is the scale of what has replicas: the same few fields, whatever the kind.
// Upstream: pkg/registry/apps/replicaset/storage/storage.go, ScaleREST; the same for Deployments.
type ScaleREST struct{ store *Store }

// NewScaleREST makes the subresource of a registry.
func NewScaleREST(e *Store) *ScaleREST { return &ScaleREST{e} }

// Scale is the scale of an object.
func (e *Store) Scale(obj api.Object) (*autoscalingv1.Scale, error) {
	if u, ok := obj.(*api.Unstructured); ok {
		scale, err := e.Custom.Scale(u)
		if err == nil {
			api.SetKind(scale)
		}
		return scale, err
	}
	meta := obj.GetObjectMeta()
	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{
		Name: meta.Name, Namespace: meta.Namespace, UID: meta.UID,
		ResourceVersion: meta.ResourceVersion, CreationTimestamp: meta.CreationTimestamp,
	}}
	api.SetKind(scale)
	var selector *metav1.LabelSelector
	switch o := obj.(type) {
	case *appsv1.ReplicaSet:
		scale.Spec.Replicas, scale.Status.Replicas, selector = *o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector
	case *appsv1.Deployment:
		scale.Spec.Replicas, scale.Status.Replicas, selector = *o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector
	case *appsv1.StatefulSet:
		scale.Spec.Replicas, scale.Status.Replicas, selector = *o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector
	case *corev1.ReplicationController:
		scale.Spec.Replicas, scale.Status.Replicas = *o.Spec.Replicas, o.Status.Replicas
		scale.Status.Selector = labels.SelectorFromSet(o.Spec.Selector).String()
		return scale, nil
	default:
		return nil, apierrors.NewInternalError(fmt.Errorf("%T has no scale", obj))
	}
	s, err := labels.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	scale.Status.Selector = s.String()
	return scale, nil
}

// Update changes the replicas. updated is given the scale that there is. The object is returned too, as it was and as it is.
func (r *ScaleREST) Update(p *sim.Proc, namespace, name string, updated UpdatedObject, dryRun bool) (scale *autoscalingv1.Scale, before, obj api.Object,
	err error) {
	obj, _, err = r.store.Update(p, namespace, name, func(p *sim.Proc, old api.Object) (api.Object, error) {
		if old == nil {
			return nil, apierrors.NewNotFound(r.store.Kind.GroupResource(), name)
		}
		before = old
		current, err := r.store.Scale(old)
		if err != nil {
			return nil, err
		}
		changed, err := updated(p, current)
		if err != nil {
			return nil, err
		}
		scale, ok := changed.(*autoscalingv1.Scale)
		if !ok {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("expected input object type to be Scale, but %T", changed))
		}
		if scale.Spec.Replicas < 0 {
			return nil, apierrors.NewInvalid(api.GroupKind{Group: "autoscaling", Kind: "Scale"}, scale.Name, field.ErrorList{
				field.Invalid(field.NewPath("spec", "replicas"), scale.Spec.Replicas, "must be greater than or equal to 0")})
		}
		return r.store.withScale(old, scale), nil
	}, nil, dryRun)
	if err != nil {
		return nil, nil, nil, err
	}
	scale, err = r.store.Scale(obj)
	return scale, before, obj, err
}

// withScale is a copy of an object with the scale's replicas, as of the version that the scale was read from.
func (e *Store) withScale(old api.Object, scale *autoscalingv1.Scale) api.Object {
	obj := old.DeepCopyObject()
	obj.SetResourceVersion(scale.ResourceVersion)
	if scale.UID != "" {
		obj.SetUID(scale.UID)
	}
	switch o := obj.(type) {
	case *appsv1.ReplicaSet:
		o.Spec.Replicas = ptr(scale.Spec.Replicas)
	case *appsv1.Deployment:
		o.Spec.Replicas = ptr(scale.Spec.Replicas)
	case *appsv1.StatefulSet:
		o.Spec.Replicas = ptr(scale.Spec.Replicas)
	case *corev1.ReplicationController:
		o.Spec.Replicas = ptr(scale.Spec.Replicas)
	case *api.Unstructured:
		e.Custom.SetReplicas(o, scale.Spec.Replicas)
	}
	return obj
}
