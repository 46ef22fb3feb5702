package persistentvolume

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
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

// resyncPeriod is how often all volumes and claims are looked at again.
// Upstream: --pvclaimbinder-sync-period.
const resyncPeriod = 15 * time.Second

// PersistentVolumeController binds. Upstream: pv_controller.go, same name.
type PersistentVolumeController struct {
	component  *sim.Component
	kubeClient *client.Clientset
	recorder   record.EventRecorder
	broadcast  *record.EventBroadcaster

	volumeLister listers.PersistentVolumeLister
	claimLister  listers.PersistentVolumeClaimLister
	classLister  listers.StorageClassLister
	podIndexer   cache.Indexer
	synced       []cache.InformerSynced

	// volumes and claims are the newest versions known: of the watch, or of an
	// answer to a request, which may be newer. What was just bound must not be
	// bound again because the watch is behind.
	volumes cache.Indexer
	claims  cache.Indexer

	volumeQueue workqueue.TypedRateLimitingInterface[string]
	claimQueue  workqueue.TypedRateLimitingInterface[string]
}

// podPVCIndex finds the Pods that use a claim. Upstream: pkg/controller/volume/common, PodPVCIndex.
const podPVCIndex = "pod-pvc-index"

// accessModesIndex finds volumes by what they offer.
const accessModesIndex = "accessmodes"

// NewController makes a controller of a component and registers its handlers.
func NewController(c *sim.Component, kubeClient *client.Clientset, volumes informers.PersistentVolumeInformer, claims informers.PersistentVolumeClaimInformer,
	classes informers.StorageClassInformer, pods informers.PodInformer) *PersistentVolumeController {
	broadcaster := record.NewBroadcaster(c)
	queue := func(name string) workqueue.TypedRateLimitingInterface[string] {
		return workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: name})
	}
	ctrl := &PersistentVolumeController{
		component:    c,
		kubeClient:   kubeClient,
		broadcast:    broadcaster,
		recorder:     broadcaster.NewRecorder(corev1.EventSource{Component: "persistentvolume-controller"}),
		volumeLister: volumes.Lister(),
		claimLister:  claims.Lister(),
		classLister:  classes.Lister(),
		podIndexer:   pods.Informer().GetIndexer(),
		volumes:      cache.NewIndexer(cache.Indexers{accessModesIndex: accessModesIndexFunc}),
		claims:       cache.NewIndexer(cache.Indexers{}),
		volumeQueue:  queue(volumeQueueName),
		claimQueue:   queue(claimQueueName),
		synced: []cache.InformerSynced{volumes.Informer().HasSynced, claims.Informer().HasSynced,
			classes.Informer().HasSynced, pods.Informer().HasSynced},
	}
	AddPodPVCIndexer(pods.Informer())
	volumes.Informer().AddEventHandler(enqueuer(ctrl.volumeQueue))
	claims.Informer().AddEventHandler(enqueuer(ctrl.claimQueue))
	return ctrl
}

func enqueuer(q workqueue.TypedRateLimitingInterface[string]) cache.ResourceEventHandlerFuncs {
	add := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			q.Add(key)
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) }, DeleteFunc: add}
}

// AddPodPVCIndexer has an informer of Pods find them by the claims that they use.
func AddPodPVCIndexer(informer cache.SharedIndexInformer) {
	if informer.GetIndexer().GetIndexers()[podPVCIndex] != nil {
		return
	}
	informer.AddIndexers(cache.Indexers{podPVCIndex: func(obj any) ([]string, error) {
		pod := obj.(*corev1.Pod)
		var keys []string
		for i := range pod.Spec.Volumes {
			if name, _ := volume.ClaimName(pod, &pod.Spec.Volumes[i]); name != "" && !slices.Contains(keys, pod.Namespace+"/"+name) {
				keys = append(keys, pod.Namespace+"/"+name)
			}
		}
		return keys, nil
	}})
}

// PodsUsing lists the Pods that name a claim.
func PodsUsing(indexer cache.Indexer, claimKey string) []*corev1.Pod {
	objs, err := indexer.ByIndex(podPVCIndex, claimKey)
	if err != nil {
		return nil
	}
	pods := make([]*corev1.Pod, len(objs))
	for i, obj := range objs {
		pods[i] = obj.(*corev1.Pod)
	}
	return pods
}

// Run starts the workers once the caches hold the cluster.
func (ctrl *PersistentVolumeController) Run(p *sim.Proc) {
	ctrl.broadcast.StartRecordingToSink(ctrl.kubeClient)
	p.Logger().Info("Starting persistent volume controller")
	if !cache.WaitForCacheSync(p, ctrl.synced...) {
		return
	}
	// What exists is known before the first sync: a claim must not be taken for
	// deleted because it was not looked at yet.
	for _, v := range ctrl.listVolumes() {
		ctrl.store(ctrl.volumes, v)
	}
	for _, c := range ctrl.listClaims() {
		ctrl.store(ctrl.claims, c)
	}
	ctrl.component.Go("volumes", func(p *sim.Proc) { ctrl.work(p, ctrl.volumeQueue, ctrl.syncVolumeByKey) })
	ctrl.component.Go("claims", func(p *sim.Proc) { ctrl.work(p, ctrl.claimQueue, ctrl.syncClaimByKey) })
	for {
		p.Sleep(resyncPeriod)
		ctrl.resync()
	}
}

func (ctrl *PersistentVolumeController) resync() {
	for _, c := range ctrl.listClaims() {
		ctrl.claimQueue.Add(controller.KObj(c))
	}
	for _, v := range ctrl.listVolumes() {
		ctrl.volumeQueue.Add(v.Name)
	}
}

func (ctrl *PersistentVolumeController) listVolumes() []*corev1.PersistentVolume {
	list, err := ctrl.volumeLister.List(nil)
	if err != nil {
		return nil // a cache does not fail
	}
	return list
}

func (ctrl *PersistentVolumeController) listClaims() []*corev1.PersistentVolumeClaim {
	list, err := ctrl.claimLister.List(nil)
	if err != nil {
		return nil
	}
	return list
}

func (ctrl *PersistentVolumeController) work(p *sim.Proc, q workqueue.TypedRateLimitingInterface[string], sync func(*sim.Proc, string) error) {
	for {
		key, quit := q.Get(p)
		if quit {
			return
		}
		if err := sync(p, key); err == nil {
			q.Forget(key)
		} else {
			q.AddRateLimited(key)
		}
		q.Done(key)
	}
}

func (ctrl *PersistentVolumeController) syncVolumeByKey(p *sim.Proc, key string) error {
	p.Logger().V(5).Info("syncVolumeByKey", "volumeKey", key)
	v, err := ctrl.volumeLister.Get(key)
	if apierrors.IsNotFound(err) {
		if old, found, _ := ctrl.volumes.GetByKey(key); found {
			ctrl.deleteVolume(p, old.(*corev1.PersistentVolume))
		} else {
			p.Logger().V(2).Info("Deletion of volume was already processed", "volumeKey", key)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !ctrl.store(ctrl.volumes, v) {
		return nil // a newer version is known
	}
	if err := ctrl.syncVolume(p, v); err != nil {
		if apierrors.IsConflict(err) {
			p.Logger().V(3).Info("Could not sync volume", "volumeName", v.Name, "err", err)
		} else {
			p.Logger().Error(err, "Could not sync volume", "volumeName", v.Name)
		}
		return err
	}
	return nil
}

func (ctrl *PersistentVolumeController) syncClaimByKey(p *sim.Proc, key string) error {
	p.Logger().V(5).Info("syncClaimByKey", "claimKey", key)
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil
	}
	claim, err := ctrl.claimLister.PersistentVolumeClaims(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		if old, found, _ := ctrl.claims.GetByKey(key); found {
			ctrl.deleteClaim(p, old.(*corev1.PersistentVolumeClaim))
		} else {
			p.Logger().V(2).Info("Deletion of claim was already processed", "claimKey", key)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !ctrl.store(ctrl.claims, claim) {
		return nil
	}
	if err := ctrl.syncClaim(p, claim); err != nil {
		if apierrors.IsConflict(err) {
			p.Logger().V(3).Info("Could not sync claim", "PVC", key, "err", err)
		} else {
			p.Logger().Error(err, "Could not sync PVC", "PVC", key)
		}
		return err
	}
	return nil
}

// deleteVolume has the claim looked at that lost its volume.
func (ctrl *PersistentVolumeController) deleteVolume(p *sim.Proc, v *corev1.PersistentVolume) {
	ctrl.forget(ctrl.volumes, v)
	p.Logger().V(4).Info("Volume deleted", "volumeName", v.Name)
	if v.Spec.ClaimRef == nil {
		return
	}
	ctrl.claimQueue.Add(claimRefKey(v.Spec.ClaimRef))
}

// deleteClaim has the volume looked at that lost its claim.
func (ctrl *PersistentVolumeController) deleteClaim(p *sim.Proc, claim *corev1.PersistentVolumeClaim) {
	ctrl.forget(ctrl.claims, claim)
	p.Logger().V(4).Info("Claim deleted", "PVC", controller.KObj(claim))
	if claim.Spec.VolumeName == "" {
		return
	}
	p.Logger().V(5).Info("deleteClaim: scheduling sync of volume", "PVC", controller.KObj(claim), "volumeName", claim.Spec.VolumeName)
	ctrl.volumeQueue.Add(claim.Spec.VolumeName)
}

// store keeps an object unless a newer version is known. Upstream: storeObjectUpdate.
func (ctrl *PersistentVolumeController) store(indexer cache.Indexer, obj api.Object) bool {
	if old, found, _ := indexer.Get(obj); found && version(old.(api.Object)) > version(obj) {
		return false
	}
	if err := indexer.Add(obj); err != nil {
		panic(errors.New("persistentvolume: an object without a key: " + err.Error()))
	}
	return true
}

func (ctrl *PersistentVolumeController) forget(indexer cache.Indexer, obj api.Object) {
	if err := indexer.Delete(obj); err != nil {
		panic(errors.New("persistentvolume: an object without a key: " + err.Error()))
	}
}

func version(o api.Object) int64 {
	n, err := strconv.ParseInt(o.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func claimRefKey(ref *corev1.ObjectReference) string { return ref.Namespace + "/" + ref.Name }

func accessModesIndexFunc(obj any) ([]string, error) {
	return []string{accessModes(obj.(*corev1.PersistentVolume).Spec.AccessModes)}, nil
}

// accessModes writes a set of modes in one order. Upstream: core/v1/helper, GetAccessModesAsString.
func accessModes(modes []corev1.PersistentVolumeAccessMode) string {
	var out []string
	for _, m := range [...]corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOncePod} {
		if slices.Contains(modes, m) {
			out = append(out, string(m))
		}
	}
	return strings.Join(out, ",")
}

// findBestMatchForClaim looks through volumes with as few access modes beyond
// what the claim asks for as possible. Upstream: index.go.
func (ctrl *PersistentVolumeController) findBestMatchForClaim(claim *corev1.PersistentVolumeClaim, delayBinding bool) (*corev1.PersistentVolume, error) {
	var sets []string
	for _, set := range ctrl.volumes.ListIndexFuncValues(accessModesIndex) {
		has := strings.Split(set, ",")
		all := true
		for _, want := range claim.Spec.AccessModes {
			all = all && slices.Contains(has, string(want))
		}
		if all {
			sets = append(sets, set)
		}
	}
	slices.SortStableFunc(sets, func(a, b string) int { return strings.Count(a, ",") - strings.Count(b, ",") })
	for _, set := range sets {
		objs, err := ctrl.volumes.ByIndex(accessModesIndex, set)
		if err != nil {
			return nil, err
		}
		list := make([]*corev1.PersistentVolume, len(objs))
		for i, obj := range objs {
			list[i] = obj.(*corev1.PersistentVolume)
		}
		if best, err := volume.FindMatchingVolume(claim, list, nil, nil, delayBinding); best != nil || err != nil {
			return best, err
		}
	}
	return nil, nil
}
