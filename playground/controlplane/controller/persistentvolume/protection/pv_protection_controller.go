package protection

import (
	"slices"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// PVController keeps volumes. Upstream: pv_protection_controller.go, Controller.
type PVController struct {
	component *sim.Component
	client    *client.Clientset
	volumes   listers.PersistentVolumeLister
	synced    cache.InformerSynced
	queue     workqueue.TypedRateLimitingInterface[string]
}

// NewPVProtectionController makes a controller of a component and registers its handlers.
func NewPVProtectionController(c *sim.Component, kubeClient *client.Clientset, volumes informers.PersistentVolumeInformer) *PVController {
	pc := &PVController{component: c, client: kubeClient, volumes: volumes.Lister(), synced: volumes.Informer().HasSynced, queue: newQueue(c, "pvprotection")}
	changed := func(obj any) {
		v := obj.(*corev1.PersistentVolume)
		if needToAddFinalizer(v, pvProtectionFinalizer) || isDeletionCandidate(v, pvProtectionFinalizer) {
			pc.queue.Add(v.Name)
		}
	}
	volumes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: changed, UpdateFunc: func(_, obj any) { changed(obj) }})
	return pc
}

// Run starts a worker once the cache holds the cluster.
func (pc *PVController) Run(p *sim.Proc) {
	p.Logger().Info("Starting PV protection controller")
	if cache.WaitForCacheSync(p, pc.synced) {
		pc.component.Go("worker", func(p *sim.Proc) { work(p, pc.queue, pc.processPV) })
	}
}

func (pc *PVController) processPV(p *sim.Proc, name string) error {
	p.Logger().V(4).Info("Processing PV", "PV", name)
	v, err := pc.volumes.Get(name)
	if apierrors.IsNotFound(err) {
		p.Logger().V(4).Info("PV not found, ignoring", "PV", name)
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case isDeletionCandidate(v, pvProtectionFinalizer):
		if v.Status.Phase == corev1.VolumeBound {
			p.Logger().V(4).Info("Keeping PV because it is being used", "PV", name)
			return nil
		}
		return pc.setFinalizers(p, v, without(v.Finalizers, pvProtectionFinalizer), "Removed protection finalizer from PV")
	case needToAddFinalizer(v, pvProtectionFinalizer):
		return pc.setFinalizers(p, v, append(slices.Clone(v.Finalizers), pvProtectionFinalizer), "Added protection finalizer to PV")
	}
	return nil
}

func (pc *PVController) setFinalizers(p *sim.Proc, v *corev1.PersistentVolume, finalizers []string, message string) error {
	next := v.DeepCopy()
	next.Finalizers = finalizers
	if _, err := pc.client.CoreV1().PersistentVolumes().Update(p, next, metav1.UpdateOptions{}); err != nil {
		return err
	}
	p.Logger().V(3).Info(message, "PV", v.Name)
	return nil
}
