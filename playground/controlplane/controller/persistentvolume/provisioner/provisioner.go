// Package provisioner makes volumes for claims, as a storage vendor's program
// does in a real cluster: it is no part of Kubernetes, and meets the others
// through annotations alone.
//
// Its name, in a StorageClass, is kubewalk.dev/hostpath. What it makes are
// directories of a node, so with volumeBindingMode WaitForFirstConsumer a volume
// can be reached from the node that the scheduler chose only; with Immediate
// nobody has chosen a node, and the volume claims to be reachable from all.
//
// Guarantees: one volume for a claim, whose name is made of the claim's UID, so
// that making it twice fails; a volume is deleted when its claim is gone and the
// class said so.
//
// A class's parameter "failOnNodes" (names, with commas) has it fail on those
// nodes, so that one can see how the scheduler takes another.
//
// Upstream: sigs.k8s.io/sig-storage-lib-external-provisioner, controller.
package provisioner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

const (
	// Name is the provisioner's component.
	Name = "hostpath-provisioner"
	// ProvisionerName is what a StorageClass calls it.
	ProvisionerName = "kubewalk.dev/hostpath"
	failOnNodes     = "failOnNodes"
)

// ProvisionController makes and deletes volumes. Upstream: controller.go, same name.
type ProvisionController struct {
	component *sim.Component
	client    *client.Clientset
	recorder  record.EventRecorder
	broadcast *record.EventBroadcaster
	claims    listers.PersistentVolumeClaimLister
	volumes   listers.PersistentVolumeLister
	classes   listers.StorageClassLister
	synced    []cache.InformerSynced

	claimQueue, volumeQueue workqueue.TypedRateLimitingInterface[string]
}

// NewProvisionController makes a provisioner of a component and registers its handlers.
func NewProvisionController(c *sim.Component, kubeClient *client.Clientset, claims informers.PersistentVolumeClaimInformer,
	volumes informers.PersistentVolumeInformer, classes informers.StorageClassInformer) *ProvisionController {
	broadcaster := record.NewBroadcaster(c)
	queue := func(name string) workqueue.TypedRateLimitingInterface[string] {
		return workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: name})
	}
	pc := &ProvisionController{
		component: c, client: kubeClient, broadcast: broadcaster,
		recorder: broadcaster.NewRecorder(corev1.EventSource{Component: ProvisionerName}),
		claims:   claims.Lister(), volumes: volumes.Lister(), classes: classes.Lister(),
		synced:     []cache.InformerSynced{claims.Informer().HasSynced, volumes.Informer().HasSynced, classes.Informer().HasSynced},
		claimQueue: queue("claims"), volumeQueue: queue("volumes"),
	}
	claimChanged := func(obj any) {
		if claim := obj.(*corev1.PersistentVolumeClaim); shouldProvision(claim) {
			pc.claimQueue.Add(controller.KObj(claim))
		}
	}
	claims.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: claimChanged, UpdateFunc: func(_, obj any) { claimChanged(obj) }})
	volumeChanged := func(obj any) {
		if v := obj.(*corev1.PersistentVolume); shouldDelete(v) {
			pc.volumeQueue.Add(v.Name)
		}
	}
	volumes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: volumeChanged, UpdateFunc: func(_, obj any) { volumeChanged(obj) }})
	return pc
}

// Run starts the workers once the caches hold the cluster.
func (pc *ProvisionController) Run(p *sim.Proc) {
	pc.broadcast.StartRecordingToSink(pc.client)
	p.Logger().Info("Starting provisioner controller", "component", ProvisionerName)
	if !cache.WaitForCacheSync(p, pc.synced...) {
		return
	}
	pc.component.Go("claims", func(p *sim.Proc) { pc.work(p, pc.claimQueue, pc.syncClaim) })
	pc.component.Go("volumes", func(p *sim.Proc) { pc.work(p, pc.volumeQueue, pc.syncVolume) })
}

func (pc *ProvisionController) work(p *sim.Proc, q workqueue.TypedRateLimitingInterface[string], sync func(*sim.Proc, string) error) {
	for {
		key, quit := q.Get(p)
		if quit {
			return
		}
		if err := sync(p, key); err == nil {
			q.Forget(key)
		} else {
			p.Logger().Info("Retrying syncing", "key", key, "failures", q.NumRequeues(key), "err", err)
			q.AddRateLimited(key)
		}
		q.Done(key)
	}
}

// shouldProvision: the binder has asked for this provisioner, and nobody else was faster.
func shouldProvision(claim *corev1.PersistentVolumeClaim) bool {
	return claim.Spec.VolumeName == "" && claim.DeletionTimestamp == nil && claim.Annotations[volume.AnnStorageProvisioner] == ProvisionerName
}

func (pc *ProvisionController) syncClaim(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil
	}
	claim, err := pc.claims.PersistentVolumeClaims(namespace).Get(name)
	if apierrors.IsNotFound(err) || err == nil && !shouldProvision(claim) {
		return nil
	}
	if err != nil {
		return err
	}
	class, err := pc.classes.Get(volume.GetPersistentVolumeClaimClass(claim))
	if err != nil {
		return err
	}
	node, selected := claim.Annotations[volume.AnnSelectedNode]
	if delay, err := volume.IsDelayBindingMode(class); err != nil || delay && !selected {
		return err // the scheduler has not chosen yet
	}
	if _, err := pc.volumes.Get(volumeName(claim)); err == nil {
		p.Logger().V(4).Info("PersistentVolume already exists, skipping", "PV", volumeName(claim))
		return nil
	}
	return pc.provision(p, claim, class, node)
}

func volumeName(claim *corev1.PersistentVolumeClaim) string { return "pvc-" + string(claim.UID) }

func (pc *ProvisionController) provision(p *sim.Proc, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node string) error {
	p.Logger().Info("Started", "PVC", controller.KObj(claim), "StorageClass", class.Name, "selectedNode", node)
	pc.recorder.Eventf(claim, corev1.EventTypeNormal, "Provisioning", "External provisioner is provisioning volume for claim %q", controller.KObj(claim))
	if node != "" && slices.Contains(strings.Split(class.Parameters[failOnNodes], ","), node) {
		return pc.reschedule(p, claim, class, fmt.Errorf("no room for a directory on node %q", node))
	}
	v := newVolume(claim, class, node)
	if _, err := pc.client.CoreV1().PersistentVolumes().Create(p, v, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	p.Logger().Info("Volume is provisioned", "PV", v.Name, "PVC", controller.KObj(claim))
	pc.recorder.Eventf(claim, corev1.EventTypeNormal, "ProvisioningSucceeded", "Successfully provisioned volume %s", v.Name)
	return nil
}

// reschedule takes the scheduler's choice back, which is how it learns that it
// has to choose again. Without a choice there is nothing but to try again.
func (pc *ProvisionController) reschedule(p *sim.Proc, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, problem error) error {
	pc.recorder.Eventf(claim, corev1.EventTypeWarning, "ProvisioningFailed", "failed to provision volume with StorageClass %q: %v", class.Name, problem)
	next := claim.DeepCopy()
	delete(next.Annotations, volume.AnnSelectedNode)
	if _, err := pc.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Update(p, next, metav1.UpdateOptions{}); err != nil {
		return errors.Join(problem, err)
	}
	p.Logger().Info("Rescheduling because of a failed provisioning", "PVC", controller.KObj(claim), "err", problem)
	return nil
}

func newVolume(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{}
	v.Name = volumeName(claim)
	v.Annotations = map[string]string{volume.AnnDynamicallyProvisioned: ProvisionerName}
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]}
	v.Spec.AccessModes = claim.Spec.AccessModes
	v.Spec.VolumeMode = claim.Spec.VolumeMode
	v.Spec.HostPath = &corev1.HostPathVolumeSource{Path: "/var/lib/kubewalk/volumes/" + v.Name}
	v.Spec.ClaimRef = volume.ClaimReference(claim)
	v.Spec.StorageClassName = class.Name
	v.Spec.MountOptions = class.MountOptions
	if class.ReclaimPolicy != nil {
		v.Spec.PersistentVolumeReclaimPolicy = *class.ReclaimPolicy
	}
	if node != "" {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}}
	}
	return v
}

func shouldDelete(v *corev1.PersistentVolume) bool {
	return v.Status.Phase == corev1.VolumeReleased && v.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete &&
		v.Annotations[volume.AnnDynamicallyProvisioned] == ProvisionerName && v.DeletionTimestamp == nil
}

func (pc *ProvisionController) syncVolume(p *sim.Proc, name string) error {
	v, err := pc.volumes.Get(name)
	if apierrors.IsNotFound(err) || err == nil && !shouldDelete(v) {
		return nil
	}
	if err != nil {
		return err
	}
	p.Logger().Info("Volume deleted", "PV", name)
	err = pc.client.CoreV1().PersistentVolumes().Delete(p, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		p.Logger().Info("PersistentVolume deleted succeeded", "PV", name)
	}
	return err
}
