package kubelet

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/pleg"
	"kubewalk/playground/sim"
)

// SyncPod brings a Pod closer to its spec, once. It reports the status that
// was seen, and then acts. Upstream: Kubelet.SyncPod.
func (kl *Kubelet) SyncPod(p *sim.Proc, updateType syncPodType, pod *corev1.Pod, podStatus *container.PodStatus) (isTerminal bool, postSync func(), err error) {
	log := p.Logger().WithValues("pod", container.PodKey(pod))
	log.V(4).Info("SyncPod enter", "updateType", string(updateType))
	p.Work()
	pod = kl.handlePodResources(p, pod)
	apiStatus := kl.generateAPIPodStatus(pod, podStatus, false)
	kl.statusManager.SetPodStatus(pod, apiStatus)
	if isPodPhaseTerminal(apiStatus.Phase) {
		return true, nil, nil
	}
	kl.slowness(p)
	if err := kl.cri.Status(); err != nil {
		kl.recorder.Eventf(container.PodReference(pod), corev1.EventTypeWarning, "NetworkNotReady", "network is not ready: %v", err)
		return false, nil, fmt.Errorf("network is not ready: %w", err)
	}
	if err := kl.networkError(); err != nil && !pod.Spec.HostNetwork {
		err = fmt.Errorf("network is not ready: container runtime network not ready: %w", err)
		kl.recorder.Eventf(container.PodReference(pod), corev1.EventTypeWarning, "NetworkNotReady", "%v", err)
		return false, nil, err
	}
	if kl.statics != nil {
		kl.statics.reconcile(p, pod)
	}
	kl.secrets.RegisterPod(pod)
	kl.configMaps.RegisterPod(pod)
	if err := kl.volumeManager.WaitForAttachAndMount(p, pod); err != nil {
		if !kl.podWorkers.IsPodTerminationRequested(pod.UID) {
			kl.recorder.Eventf(container.PodReference(pod), corev1.EventTypeWarning, "FailedMount", "Unable to attach or mount volumes: %v", err)
			log.Error(err, "Unable to attach or mount volumes for pod; skipping pod")
		}
		return false, nil, err
	}
	kl.getPullSecrets(p, pod)
	kl.probeManager.AddPod(pod)
	result := kl.containerRuntime.SyncPod(p, pod, podStatus, kl.crashLoopBackOff)
	kl.reasonCache.Update(pod.UID, result)
	err = result.Error()
	if len(result.SyncResults) > 0 && err == nil {
		resized := slices.ContainsFunc(result.SyncResults, func(r *container.SyncResult) bool {
			return r.Action == container.ResizePod || r.Action == container.RestartAll
		})
		postSync = func() {
			kl.pleg.RequestRelist(pod.UID)
			if resized { // no container changes its state for that: nobody else would have the status written
				kl.updates.Put(loopEvent{pleg: &pleg.Event{ID: pod.UID, Type: pleg.ConditionMet}})
			}
		}
	}
	return false, postSync, err
}

// getPullSecrets tells which Secrets for pulling images are not there. Simplified: nobody needs those that are.
// Upstream: kubelet_pods.go, getPullSecretsForPod.
func (kl *Kubelet) getPullSecrets(p *sim.Proc, pod *corev1.Pod) {
	var failed []string
	for _, ref := range pod.Spec.ImagePullSecrets {
		if ref.Name == "" {
			continue
		}
		if _, err := kl.secrets.Get(p, pod.Namespace, ref.Name); err != nil {
			p.Logger().Info("Unable to retrieve pull secret, the image pull may not succeed.", "pod", container.PodKey(pod), "secret", ref.Name, "err", err)
			failed = append(failed, ref.Name)
		}
	}
	if len(failed) > 0 {
		kl.recorder.Eventf(container.PodReference(pod), corev1.EventTypeWarning, "FailedToRetrieveImagePullSecret",
			"Unable to retrieve some image pull secrets (%s); attempting to pull the image may not succeed.", strings.Join(failed, ", "))
	}
}

// PrepareDynamicResources implements kuberuntime.RuntimeHelper. Upstream: Kubelet.PrepareDynamicResources.
func (kl *Kubelet) PrepareDynamicResources(p *sim.Proc, pod *corev1.Pod) error {
	if kl.devices == nil {
		return nil
	}
	return kl.devices.PrepareResources(p, pod)
}

// SyncTerminatingPod stops all of a Pod's containers. Once it has returned
// without an error, none runs. Upstream: Kubelet.SyncTerminatingPod.
func (kl *Kubelet) SyncTerminatingPod(p *sim.Proc, pod *corev1.Pod, podStatus *container.PodStatus, grace *int64, statusFuncs []func(*corev1.PodStatus)) error {
	log := p.Logger().WithValues("pod", container.PodKey(pod))
	apiStatus := kl.generateAPIPodStatus(pod, podStatus, false)
	for _, change := range statusFuncs {
		change(&apiStatus)
	}
	kl.statusManager.SetPodStatus(pod, apiStatus)
	seconds := int64(-1)
	if grace != nil {
		seconds = *grace
	}
	log.V(4).Info("Pod terminating with grace period", "gracePeriod", seconds)
	kl.probeManager.StopLivenessAndStartup(pod)
	if err := kl.containerRuntime.KillPod(p, pod, podStatus, grace); err != nil {
		kl.recorder.Eventf(container.PodReference(pod), corev1.EventTypeWarning, "FailedKillPod", "error killing pod: %v", err)
		return fmt.Errorf("error killing terminating pod: %w", err)
	}
	kl.probeManager.RemovePod(pod)
	stopped, err := kl.containerRuntime.GetPodStatus(p, pod.UID)
	if err != nil {
		return fmt.Errorf("unable to read pod status prior to final pod termination: %w", err)
	}
	if running := stopped.Running(); len(running) > 0 {
		return fmt.Errorf("detected running containers after a successful KillPod, CRI violation: %d", len(running))
	}
	if kl.devices != nil { // before anybody hears that the Pod has ended, and gives the devices to another
		if err := kl.devices.UnprepareResources(p, pod); err != nil {
			return err
		}
	}
	if len(stopped.IPs) == 0 {
		stopped.IPs = podStatus.IPs
	}
	// What the containers ended with decides between Succeeded and Failed.
	kl.statusManager.SetPodStatus(pod, kl.generateAPIPodStatus(pod, stopped, true))
	log.V(4).Info("Pod termination stopped all running containers")
	return nil
}

// SyncTerminatingRuntimePod stops the containers of a Pod that only the
// runtime knows: with the shortest grace period, as its own is unknown.
// Upstream: Kubelet.SyncTerminatingRuntimePod.
func (kl *Kubelet) SyncTerminatingRuntimePod(p *sim.Proc, running *container.Pod) error {
	podStatus, err := kl.containerRuntime.GetPodStatus(p, running.ID)
	if err != nil {
		return err
	}
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace, pod.UID = running.Name, running.Namespace, running.ID
	grace := int64(1)
	return kl.containerRuntime.KillPod(p, pod, podStatus, &grace)
}

// SyncTerminatedPod gives up what a Pod held besides containers: its volumes. After it the Pod may be removed from the API.
// Upstream: Kubelet.SyncTerminatedPod.
func (kl *Kubelet) SyncTerminatedPod(p *sim.Proc, pod *corev1.Pod, podStatus *container.PodStatus) error {
	kl.statusManager.SetPodStatus(pod, kl.generateAPIPodStatus(pod, podStatus, true))
	kl.volumeManager.WaitForUnmount(p, pod)
	kl.secrets.UnregisterPod(pod)
	kl.configMaps.UnregisterPod(pod)
	kl.probeManager.RemovePod(pod)
	kl.statusManager.TerminatePod(p.Logger(), pod)
	p.Logger().V(4).Info("Pod is terminated and will need no more status updates", "pod", container.PodKey(pod))
	return nil
}
