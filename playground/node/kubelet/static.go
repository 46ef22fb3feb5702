//go:build !js || cel

package kubelet

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/mailbox"
	"kubewalk/playground/sim"
)

// Annotations of a static Pod and of its mirror. Upstream: pkg/kubelet/types/pod_update.go.
const (
	configHash = "kubernetes.io/config.hash"
	configSeen = "kubernetes.io/config.seen"
)

// fileCheckFrequency is how often the directory is read, whether or not it was heard that something changed.
const fileCheckFrequency = 20 * time.Second

// staticPods are the Pods of a directory: they run whether or not there is an API server, and whoever looks there sees their mirrors.
// Upstream: pkg/kubelet/config/file.go, pod/mirror_client.go, and Kubelet.tryReconcileMirrorPods.
type staticPods struct {
	kubelet *Kubelet
	files   *cri.Volume
	source  *podSource
	uids    map[string]types.UID // of the Pods in the directory, by file and what was in it
}

func init() { newStatics = newStaticPods }

func newStaticPods(kl *Kubelet) statics {
	s := &staticPods{kubelet: kl, files: kl.cri.Disk().Volume("host" + kl.options.StaticPodPath), uids: map[string]types.UID{}}
	s.source = &podSource{known: map[types.UID]*corev1.Pod{}, deliver: func(op podOperation, pod *corev1.Pod) {
		kl.updates.Put(loopEvent{config: &podUpdate{op, pod, "file"}})
	}}
	kl.podManager.mirrors = map[string]*corev1.Pod{}
	return s
}

// watch implements statics. Upstream: sourceFile.run.
func (s *staticPods) watch(p *sim.Proc) {
	p.Logger().V(1).Info("Watching path", "path", s.kubelet.options.StaticPodPath)
	events := mailbox.New[struct{}](p.Kernel())
	s.files.Watch(func() {
		if events.Len() == 0 {
			events.Put(struct{}{})
		}
	})
	s.kubelet.component.OnStop(func() { s.files.Watch(nil) })
	for {
		s.list(p)
		events.GetUntil(p, p.Now()+fileCheckFrequency)
	}
}

// list reads the directory. What is in no file any more is gone. Upstream: sourceFile.listConfig, extractFromDir.
func (s *staticPods) list(p *sim.Proc) {
	names, _ := s.files.List("")
	there := map[string]types.UID{}
	var found []*corev1.Pod
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			continue
		}
		text, ok := s.files.Read(name)
		if !ok {
			continue // a directory
		}
		path := s.kubelet.options.StaticPodPath + "/" + name
		if uid, known := s.uids[name+"\n"+text]; known {
			there[name+"\n"+text] = uid
			continue
		}
		pod, err := s.decode(p, path, text)
		if err != nil {
			p.Logger().Error(err, "Could not process manifest file", "path", path)
			continue
		}
		there[name+"\n"+text] = pod.UID
		found = append(found, pod)
	}
	s.uids = there
	keep := map[types.UID]bool{}
	for _, uid := range there { // order: into a set
		keep[uid] = true
	}
	var gone []*corev1.Pod
	for uid, pod := range s.source.known { // order: sorted below
		if !keep[uid] {
			gone = append(gone, pod)
		}
	}
	slices.SortFunc(gone, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	for _, pod := range gone {
		s.source.remove(pod)
	}
	for _, pod := range found {
		s.source.set(pod)
	}
}

// decode makes a Pod of a manifest: of this node, with a UID of its own. Upstream: config/common.go, tryDecodeSinglePod and applyDefaults.
func (s *staticPods) decode(p *sim.Proc, path, text string) (*corev1.Pod, error) {
	pod, err := s.kubelet.options.DecodePod(text)
	if err != nil {
		return nil, fmt.Errorf("%s: couldn't parse as pod(%w), please check config file", path, err)
	}
	if pod.Name == "" {
		return nil, fmt.Errorf("invalid pod: name is needed for the pod")
	}
	node := s.kubelet.options.Node
	if pod.UID == "" {
		whole, err := json.Marshal(pod)
		if err != nil {
			return nil, err
		}
		hash := fnv.New128a()
		fmt.Fprintf(hash, "%shost:%sfile:%s", whole, node, path)
		pod.UID = types.UID(hex.EncodeToString(hash.Sum(nil)))
	}
	pod.Name += "-" + node
	if pod.Namespace == "" {
		pod.Namespace = metav1.NamespaceDefault
	}
	pod.Spec.NodeName = node
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[configHash], pod.Annotations[configSource] = string(pod.UID), "file"
	pod.Annotations[configSeen] = p.Time().UTC().Format(time.RFC3339Nano)
	// So that no trouble of the node evicts it.
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute})
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return pod, nil
}

// of is the static Pod that a mirror stands for; nil if it is gone.
func (s *staticPods) of(mirror *corev1.Pod) *corev1.Pod {
	uid, ok := s.source.byName[mirror.Namespace+"/"+mirror.Name]
	if !ok {
		return nil
	}
	return s.source.known[uid]
}

// mirror implements statics. Upstream: the wasMirror cases of Kubelet.HandlePodAdditions and its like.
func (s *staticPods) mirror(p *sim.Proc, u *podUpdate) bool {
	if u.source == "file" || u.pod.Annotations[corev1.MirrorPodAnnotationKey] == "" {
		return false
	}
	mirrors, name := s.kubelet.podManager.mirrors, u.pod.Namespace+"/"+u.pod.Name
	if u.op == opRemove {
		if at := mirrors[name]; at != nil && at.UID == u.pod.UID {
			delete(mirrors, name)
		}
	} else {
		mirrors[name] = u.pod
	}
	pod := s.of(u.pod)
	switch {
	case pod == nil:
		p.Logger().V(2).Info("Unable to find pod for mirror pod, skipping", "mirrorPod", container.PodKey(u.pod), "mirrorPodUID", u.pod.UID)
	case u.op != opReconcile:
		s.kubelet.podWorkers.UpdatePod(p, UpdatePodOptions{Pod: pod, UpdateType: syncPodUpdate})
	}
	return true
}

// reconcile implements statics. Upstream: Kubelet.tryReconcileMirrorPods.
func (s *staticPods) reconcile(p *sim.Proc, pod *corev1.Pod) {
	if !isStaticPod(pod) {
		return
	}
	mirror := s.kubelet.podManager.InAPI(pod)
	if mirror != nil {
		if mirror.DeletionTimestamp == nil && mirror.Annotations[corev1.MirrorPodAnnotationKey] == pod.Annotations[configHash] {
			return
		}
		p.Logger().Info("Trying to delete pod", "pod", container.PodKey(mirror), "podUID", mirror.UID)
		if !s.delete(p, mirror) {
			return
		}
		p.Logger().Info("Deleted mirror pod as it didn't match the static Pod", "pod", container.PodKey(mirror))
	}
	node, err := s.kubelet.nodeLister.Get(s.kubelet.options.Node)
	if err != nil {
		p.Logger().Error(err, "No need to create a mirror pod, since failed to get node info from the cluster", "node", s.kubelet.options.Node)
		return
	}
	p.Logger().Info("Creating a mirror pod for static pod", "pod", container.PodKey(pod))
	if err := s.create(p, pod, node); err != nil {
		p.Logger().Error(err, "Failed creating a mirror pod", "pod", container.PodKey(pod))
	}
}

// create is upstream's basicMirrorClient.CreateMirrorPod.
func (s *staticPods) create(p *sim.Proc, pod *corev1.Pod, node *corev1.Node) error {
	mirror, yes := pod.DeepCopy(), true
	mirror.Annotations[corev1.MirrorPodAnnotationKey] = pod.Annotations[configHash]
	mirror.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID, Controller: &yes}}
	_, err := s.kubelet.client.CoreV1().Pods(pod.Namespace).Create(p, mirror, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil // the watch will say of which static Pod that is
	}
	return err
}

// delete is upstream's basicMirrorClient.DeleteMirrorPod.
func (s *staticPods) delete(p *sim.Proc, mirror *corev1.Pod) bool {
	zero := int64(0)
	p.Logger().V(2).Info("Deleting a mirror pod", "pod", container.PodKey(mirror), "podUID", mirror.UID)
	err := s.kubelet.client.CoreV1().Pods(mirror.Namespace).Delete(p, mirror.Name,
		metav1.DeleteOptions{GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &mirror.UID}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		p.Logger().Error(err, "Failed deleting a mirror pod", "pod", container.PodKey(mirror))
	}
	return err == nil
}

// register implements statics. Upstream: Kubelet.fastStaticPodsRegistration.
func (s *staticPods) register(p *sim.Proc) {
	for {
		if _, err := s.kubelet.nodeLister.Get(s.kubelet.options.Node); err == nil {
			break
		}
		p.Sleep(100 * time.Millisecond)
	}
	for _, pod := range s.kubelet.podManager.GetPods() {
		s.reconcile(p, pod)
	}
}

// cleanUp implements statics. A mirror stays until its Pod has ended. Upstream: Kubelet.HandlePodCleanups and deleteOrphanedMirrorPods.
func (s *staticPods) cleanUp(p *sim.Proc) {
	mirrors := s.kubelet.podManager.mirrors
	names := make([]string, 0, len(mirrors))
	for name := range mirrors {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if m := mirrors[name]; m != nil && s.of(m) == nil && !s.kubelet.podWorkers.runsUnderName("", name) {
			s.delete(p, m)
		}
	}
}
