package controller

import (
	"errors"
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/sim"
)

// Reasons of the events that tell of Pods created and deleted.
// Upstream: pkg/controller/controller_utils.go.
const (
	FailedCreatePodReason     = "FailedCreate"
	SuccessfulCreatePodReason = "SuccessfulCreate"
	FailedDeletePodReason     = "FailedDelete"
	SuccessfulDeletePodReason = "SuccessfulDelete"
)

// SlowStartInitialBatchSize is the size of the first batch of Pods to create;
// each batch that succeeds doubles the next.
const SlowStartInitialBatchSize = 1

// NamespaceTerminatingCause is in the refusal to create something in a
// namespace that is being deleted. Upstream: k8s.io/api/core/v1.
const NamespaceTerminatingCause metav1.CauseType = "NamespaceTerminating"

// PodControlInterface creates, deletes and patches Pods on behalf of a
// controller. It is an interface so that a controller's decisions can be tested
// without an API server.
type PodControlInterface interface {
	// CreatePods creates one Pod of the template, which the owner reference
	// makes the controller's. Upstream's name, plural for one Pod.
	CreatePods(p *sim.Proc, namespace string, template *corev1.PodTemplateSpec, owner api.Object, ref *metav1.OwnerReference) error
	// CreatePodsWithGenerateName is CreatePods with a prefix for the name of
	// the caller's choice.
	CreatePodsWithGenerateName(p *sim.Proc, namespace string, template *corev1.PodTemplateSpec, owner api.Object, ref *metav1.OwnerReference,
		generateName string) error
	// DeletePod deletes a Pod. That it is gone already is an error that
	// apierrors.IsNotFound recognises.
	DeletePod(p *sim.Proc, namespace, name string, owner api.Object) error
	// PatchPod applies a strategic merge patch.
	PatchPod(p *sim.Proc, namespace, name string, patch []byte) error
}

// RealPodControl does it through the API and tells of it in events.
type RealPodControl struct {
	KubeClient *client.Clientset
	Recorder   record.EventRecorder
	// OnWrite, when set, is told of each Pod that was created or patched, and
	// for which controller.
	OnWrite func(pod *corev1.Pod, ref *metav1.OwnerReference)
}

var _ PodControlInterface = RealPodControl{}

// CreatePods implements PodControlInterface.
func (r RealPodControl) CreatePods(p *sim.Proc, namespace string, template *corev1.PodTemplateSpec, owner api.Object, ref *metav1.OwnerReference) error {
	return r.CreatePodsWithGenerateName(p, namespace, template, owner, ref, "")
}

// CreatePodsWithGenerateName implements PodControlInterface.
func (r RealPodControl) CreatePodsWithGenerateName(p *sim.Proc, namespace string, template *corev1.PodTemplateSpec, owner api.Object,
	ref *metav1.OwnerReference, generateName string) error {
	if err := validateControllerRef(ref); err != nil {
		return err
	}
	pod := GetPodFromTemplate(template, owner, ref)
	if generateName != "" {
		pod.GenerateName = generateName
	}
	return r.createPods(p, namespace, pod, owner, ref)
}

func (r RealPodControl) createPods(p *sim.Proc, namespace string, pod *corev1.Pod, owner api.Object, ref *metav1.OwnerReference) error {
	if len(pod.Labels) == 0 {
		return errors.New("unable to create pods, no labels")
	}
	created, err := r.KubeClient.CoreV1().Pods(namespace).Create(p, pod, metav1.CreateOptions{})
	if err != nil {
		// In a namespace that is going away every creation fails, and so would
		// the event.
		if !apierrors.HasStatusCause(err, NamespaceTerminatingCause) {
			r.Recorder.Eventf(owner, corev1.EventTypeWarning, FailedCreatePodReason, "Error creating: %v", err)
		}
		return err
	}
	p.Logger().V(4).Info("Controller created pod", "controller", owner.GetName(), "pod", KObj(created))
	r.Recorder.Eventf(owner, corev1.EventTypeNormal, SuccessfulCreatePodReason, "Created pod: %v", created.Name)
	r.wrote(created, ref)
	return nil
}

// DeletePod implements PodControlInterface.
func (r RealPodControl) DeletePod(p *sim.Proc, namespace, name string, owner api.Object) error {
	log := p.Logger()
	log.V(2).Info("Deleting pod", "controller", owner.GetName(), "pod", namespace+"/"+name)
	if err := r.KubeClient.CoreV1().Pods(namespace).Delete(p, name, metav1.DeleteOptions{}); err != nil {
		if apierrors.IsNotFound(err) {
			log.V(4).Info("Pod has already been deleted.", "pod", namespace+"/"+name)
			return err
		}
		r.Recorder.Eventf(owner, corev1.EventTypeWarning, FailedDeletePodReason, "Error deleting: %v", err)
		return fmt.Errorf("unable to delete pods: %w", err)
	}
	r.Recorder.Eventf(owner, corev1.EventTypeNormal, SuccessfulDeletePodReason, "Deleted pod: %v", name)
	return nil
}

// PatchPod implements PodControlInterface.
func (r RealPodControl) PatchPod(p *sim.Proc, namespace, name string, patch []byte) error {
	pod, err := r.KubeClient.CoreV1().Pods(namespace).Patch(p, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	r.wrote(pod, metav1.GetControllerOf(pod))
	return nil
}

func (r RealPodControl) wrote(pod *corev1.Pod, ref *metav1.OwnerReference) {
	if r.OnWrite != nil && ref != nil {
		r.OnWrite(pod, ref)
	}
}

// GetPodFromTemplate makes the Pod that a template describes, owned by ref, and
// named after its parent once the API server adds a suffix.
func GetPodFromTemplate(template *corev1.PodTemplateSpec, parent api.Object, ref *metav1.OwnerReference) *corev1.Pod {
	clone := template.DeepCopy()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Labels:       clone.Labels,
			Annotations:  clone.Annotations,
			GenerateName: getPodsPrefix(parent.GetName()),
			Finalizers:   slices.Clone(clone.Finalizers),
		},
		Spec: clone.Spec,
	}
	if ref != nil {
		pod.OwnerReferences = append(pod.OwnerReferences, *ref)
	}
	return pod
}

// getPodsPrefix adds a dash, unless the name would be too long for a Pod's.
func getPodsPrefix(controllerName string) string {
	const longest = 253
	if len(controllerName) >= longest {
		return controllerName
	}
	return controllerName + "-"
}

func validateControllerRef(ref *metav1.OwnerReference) error {
	switch {
	case ref == nil:
		return errors.New("controllerRef is nil")
	case ref.APIVersion == "":
		return errors.New("controllerRef has empty APIVersion")
	case ref.Kind == "":
		return errors.New("controllerRef has empty Kind")
	case ref.Controller == nil || !*ref.Controller:
		return errors.New("controllerRef.Controller is not set to true")
	case ref.BlockOwnerDeletion == nil || !*ref.BlockOwnerDeletion:
		return errors.New("controllerRef.BlockOwnerDeletion is not set")
	}
	return nil
}

// LogBatch says how many of what is left a controller asks for at once. Upstream
// does not log it; the batches of a slow start are seen in its requests only.
func LogBatch(log sim.Logger, batch, remaining int) {
	log.V(5).Info("Slow-start batch", "batchSize", batch, "remaining", remaining)
}
