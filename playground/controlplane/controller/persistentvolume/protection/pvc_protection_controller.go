package protection

import (
	"slices"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/persistentvolume"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// PVCController keeps claims. Upstream: pvc_protection_controller.go, Controller.
type PVCController struct {
	component  *sim.Component
	client     *client.Clientset
	claims     listers.PersistentVolumeClaimLister
	podIndexer cache.Indexer
	synced     []cache.InformerSynced
	queue      workqueue.TypedRateLimitingInterface[string]
}

// NewPVCProtectionController makes a controller of a component and registers its handlers.
func NewPVCProtectionController(c *sim.Component, kubeClient *client.Clientset, claims informers.PersistentVolumeClaimInformer,
	pods informers.PodInformer) *PVCController {
	pc := &PVCController{
		component: c, client: kubeClient, claims: claims.Lister(), podIndexer: pods.Informer().GetIndexer(),
		synced: []cache.InformerSynced{claims.Informer().HasSynced, pods.Informer().HasSynced},
		queue:  newQueue(c, "pvcprotection"),
	}
	persistentvolume.AddPodPVCIndexer(pods.Informer())
	claimChanged := func(obj any) {
		claim := obj.(*corev1.PersistentVolumeClaim)
		if needToAddFinalizer(claim, pvcProtectionFinalizer) || isDeletionCandidate(claim, pvcProtectionFinalizer) {
			pc.queue.Add(controller.KObj(claim))
		}
	}
	claims.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    claimChanged,
		UpdateFunc: func(_, obj any) { claimChanged(obj) },
	})
	pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { pc.enqueuePVCs(obj.(*corev1.Pod), false) },
		UpdateFunc: func(oldObj, newObj any) {
			pc.enqueuePVCs(newObj.(*corev1.Pod), false)
			if old := oldObj.(*corev1.Pod); old.UID != newObj.(*corev1.Pod).UID {
				pc.enqueuePVCs(old, true) // it went while the watch was broken
			}
		},
		DeleteFunc: func(obj any) {
			if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = d.Obj
			}
			if pod, ok := obj.(*corev1.Pod); ok {
				pc.enqueuePVCs(pod, true)
			}
		},
	})
	return pc
}

// Run starts a worker once the caches hold the cluster.
func (pc *PVCController) Run(p *sim.Proc) {
	p.Logger().Info("Starting PVC protection controller")
	if cache.WaitForCacheSync(p, pc.synced...) {
		pc.component.Go("worker", func(p *sim.Proc) { work(p, pc.queue, pc.processPVC) })
	}
}

// enqueuePVCs looks again at the claims of a Pod that may use them no longer.
func (pc *PVCController) enqueuePVCs(pod *corev1.Pod, deleted bool) {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if !deleted && !ended && pod.Spec.NodeName != "" {
		return
	}
	for i := range pod.Spec.Volumes {
		if name, _ := volume.ClaimName(pod, &pod.Spec.Volumes[i]); name != "" {
			pc.queue.Add(pod.Namespace + "/" + name)
		}
	}
}

func (pc *PVCController) processPVC(p *sim.Proc, key string) error {
	p.Logger().V(4).Info("Processing PVC", "PVC", key)
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil
	}
	claim, err := pc.claims.PersistentVolumeClaims(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		p.Logger().V(4).Info("PVC not found, ignoring", "PVC", key)
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case isDeletionCandidate(claim, pvcProtectionFinalizer):
		used, err := pc.isBeingUsed(p, claim)
		if err != nil {
			return err
		}
		if used {
			p.Logger().V(2).Info("Keeping PVC because it is being used", "PVC", key)
			return nil
		}
		return pc.setFinalizers(p, claim, without(claim.Finalizers, pvcProtectionFinalizer), "Removed protection finalizer from PVC")
	case needToAddFinalizer(claim, pvcProtectionFinalizer):
		return pc.setFinalizers(p, claim, append(slices.Clone(claim.Finalizers), pvcProtectionFinalizer), "Added protection finalizer to PVC")
	}
	return nil
}

func (pc *PVCController) setFinalizers(p *sim.Proc, claim *corev1.PersistentVolumeClaim, finalizers []string, message string) error {
	next := claim.DeepCopy()
	next.Finalizers = finalizers
	if _, err := pc.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Update(p, next, metav1.UpdateOptions{}); err != nil {
		return err
	}
	p.Logger().V(3).Info(message, "PVC", controller.KObj(claim))
	return nil
}

func (pc *PVCController) isBeingUsed(p *sim.Proc, claim *corev1.PersistentVolumeClaim) (bool, error) {
	for _, pod := range persistentvolume.PodsUsing(pc.podIndexer, controller.KObj(claim)) {
		if podUses(p, pod, claim) {
			return true, nil
		}
	}
	p.Logger().V(4).Info("Looking for Pods using PVC with a live list", "PVC", controller.KObj(claim))
	live, err := pc.client.CoreV1().Pods(claim.Namespace).List(p, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	for i := range live.Items {
		if podUses(p, &live.Items[i], claim) {
			return true, nil
		}
	}
	return false, nil
}

func podUses(p *sim.Proc, pod *corev1.Pod, claim *corev1.PersistentVolumeClaim) bool {
	if pod.Spec.NodeName == "" {
		return false
	}
	for i := range pod.Spec.Volumes {
		name, ephemeral := volume.ClaimName(pod, &pod.Spec.Volumes[i])
		if name != claim.Name || ephemeral && (isShutDown(pod) || volume.EphemeralClaimIsForPod(pod, claim) != nil) {
			continue
		}
		p.Logger().V(2).Info("Pod uses PVC", "pod", controller.KObj(pod), "PVC", controller.KObj(claim))
		return true
	}
	return false
}

// isShutDown: the kubelet is done with the Pod.
func isShutDown(pod *corev1.Pod) bool {
	grace := pod.DeletionGracePeriodSeconds
	return pod.DeletionTimestamp != nil && grace != nil && *grace == 0
}
