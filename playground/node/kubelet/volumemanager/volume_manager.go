// Package volumemanager makes a Pod's volumes be there before its containers
// are started, and keeps those up to date that come from the API.
//
// A mount that fails is tried again, later each time, and recorded as an Event;
// the Pod's worker waits, for two minutes and three seconds at most, before it
// says so and begins again. Once all are there, each sync of the Pod writes what
// has changed in ConfigMaps, Secrets and the Pod's own fields into the volumes
// that show them: so a change reaches a running container within a sync period
// and what the watch takes. What a volume had as an environment variable, or by
// subPath, stays as it was.
//
// Kinds: configMap, secret, downwardAPI, projected, emptyDir, hostPath,
// persistentVolumeClaim, ephemeral; an image is here an empty directory, because the runtime mounts it. No other kind can be mounted.
// Volumes of CSI drivers are there at once, unless the kubelet has a plugin for them: see csi.go,
// and reconstruct.go for those that a kubelet finds when it starts.
// Simplified: a service account's token is made up here, unless the kubelet asks for it (UseTokens), and modes and owners of files don't exist.
//
// Upstream: pkg/kubelet/volumemanager, pkg/volume/*.
package volumemanager

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/fieldpath"
	"kubewalk/playground/sim"
)

const (
	podAttachAndMountTimeout       = 2*time.Minute + 3*time.Second
	podAttachAndMountRetryInterval = 300 * time.Millisecond
	initialDurationBeforeRetry     = 500 * time.Millisecond
	maxDurationBeforeRetry         = 2*time.Minute + 2*time.Second
)

// Getter reads ConfigMaps or Secrets; see package manager.
type Getter interface {
	Get(p *sim.Proc, namespace, name string) (api.Object, error)
}

// Host is what the manager needs from the kubelet.
type Host interface {
	IsPodTerminationRequested(uid types.UID) bool
	NodeName() string
	NodeAllocatable() corev1.ResourceList
}

// Manager is the volume manager of a node.
type Manager struct {
	client     *client.Clientset
	recorder   container.EventRecorder
	runtime    *cri.Runtime
	rand       *sim.Rand
	host       Host
	configMaps Getter
	secrets    Getter
	pods       map[types.UID]map[string]*mounted
	csi        *csiVolumes // nil where no driver can register
	tokens     Tokens      // nil where they are made up
}

// mounted is a volume of a Pod.
type mounted struct {
	volume *cri.Volume
	err    error
	// retryAt is when a failed mount is tried again, and wait how long that was put off.
	retryAt, wait time.Duration
	path          string                  // on the node's disk; "" when it is elsewhere, or not the Pod's own
	unique        corev1.UniqueVolumeName // of what had to be attached; "" for the rest
	csi           *CSIVolume              // what a driver has mounted, or has begun to
}

// Tokens asks for the tokens of service accounts. Upstream: pkg/kubelet/token.
type Tokens interface {
	// Get returns a token that is good for a while.
	Get(p *sim.Proc, pod *corev1.Pod, source *corev1.ServiceAccountTokenProjection) (string, error)
}

// UseTokens has the manager ask for tokens.
func (m *Manager) UseTokens(t Tokens) { m.tokens = t }

// New returns a manager without volumes.
func New(cs *client.Clientset, recorder container.EventRecorder, runtime *cri.Runtime, rand *sim.Rand, host Host, configMaps, secrets Getter) *Manager {
	return &Manager{client: cs, recorder: recorder, runtime: runtime, rand: rand, host: host, configMaps: configMaps, secrets: secrets,
		pods: map[types.UID]map[string]*mounted{}}
}

// Volume returns a Pod's volume once it is mounted.
func (m *Manager) Volume(uid types.UID, name string) (*cri.Volume, bool) {
	if v := m.pods[uid][name]; v != nil && v.volume != nil {
		return v.volume, true
	}
	return nil, false
}

// WaitForAttachAndMount returns when all of a Pod's volumes are there and up to
// date, or an error when it took too long. Upstream: volume_manager.go WaitForAttachAndMount.
func (m *Manager) WaitForAttachAndMount(p *sim.Proc, pod *corev1.Pod) error {
	if len(pod.Spec.Volumes) == 0 {
		return nil
	}
	log := p.Logger().WithValues("pod", container.PodKey(pod))
	volumes := m.pods[pod.UID]
	first := volumes == nil
	if first {
		volumes = map[string]*mounted{}
		m.pods[pod.UID] = volumes
		log.V(3).Info("Waiting for volumes to attach and mount for pod")
	}
	deadline := p.Now() + podAttachAndMountTimeout
	for {
		var unmounted, failed []string
		for i := range pod.Spec.Volumes {
			v := &pod.Spec.Volumes[i]
			state := volumes[v.Name]
			if state == nil {
				state = &mounted{}
				volumes[v.Name] = state
			}
			if (state.volume == nil || fromAPI(v) || state.csi != nil) && p.Now() >= state.retryAt {
				m.mount(p, pod, v, state)
			}
			if state.volume == nil {
				unmounted = append(unmounted, v.Name)
				if _, processing := state.err.(*claimError); processing {
					failed = append(failed, v.Name)
				}
			}
		}
		if len(unmounted) == 0 {
			if first {
				log.V(3).Info("All volumes are attached and mounted for pod")
			}
			return nil
		}
		if m.host.IsPodTerminationRequested(pod.UID) || m.pods[pod.UID] == nil {
			return fmt.Errorf("unmounted volumes=[%s]: context canceled", strings.Join(unmounted, " "))
		}
		if p.Now() >= deadline {
			err := fmt.Errorf("unmounted volumes=[%s], unattached volumes=[], failed to process volumes=[%s]: context deadline exceeded",
				strings.Join(unmounted, " "), strings.Join(failed, " "))
			if len(failed) > 0 {
				err = fmt.Errorf("unmounted volumes=[%s], unattached volumes=[], failed to process volumes=[%s]: %w",
					strings.Join(unmounted, " "), strings.Join(failed, " "), volumes[failed[0]].err)
			}
			return err
		}
		p.Sleep(podAttachAndMountRetryInterval)
	}
}

// fromAPI tells whether what a volume shows may change. Upstream: Plugin.RequiresRemount.
func fromAPI(v *corev1.Volume) bool {
	return v.ConfigMap != nil || v.Secret != nil || v.DownwardAPI != nil || v.Projected != nil
}

// mount makes a volume be there, or brings it up to date.
func (m *Manager) mount(p *sim.Proc, pod *corev1.Pod, v *corev1.Volume, state *mounted) {
	fresh := state.volume == nil
	volume, path, err := m.setUp(p, pod, v, state)
	if err == nil {
		if fresh {
			p.Sleep(m.rand.Between(2*time.Millisecond, 12*time.Millisecond))
			p.Logger().V(3).Info("MountVolume.SetUp succeeded for volume", "volumeName", v.Name, "pod", container.PodKey(pod))
		}
		*state = mounted{volume: volume, path: path, unique: state.unique, csi: state.csi}
		return
	}
	state.err = err
	if _, early := err.(*preconditionError); early {
		return // it is looked at again soon
	}
	state.wait = min(max(2*state.wait, initialDurationBeforeRetry), maxDurationBeforeRetry)
	state.retryAt = p.Now() + state.wait
	if _, claim := err.(*claimError); claim {
		p.Logger().Error(err, "Failed to process volume", "pod", container.PodKey(pod), "volumeName", v.Name)
		return // that is told when the time is up
	}
	what, name := "MountVolume.SetUp", v.Name
	if state.csi != nil {
		name = state.csi.Volume.Name
	}
	if _, device := err.(*deviceError); device {
		what = "MountVolume.MountDevice"
	}
	p.Logger().Error(err, what+" failed for volume", "volumeName", name, "pod", container.PodKey(pod), "durationBeforeRetry", state.wait)
	m.recorder.Eventf(container.PodReference(pod), corev1.EventTypeWarning, "FailedMount", "%s failed for volume %q : %v", what, name, err)
}

// claimError is a claim that can't be used yet: it never gets as far as to be mounted.
type claimError struct{ text string }

func (e *claimError) Error() string { return e.text }

func (m *Manager) setUp(p *sim.Proc, pod *corev1.Pod, v *corev1.Volume, state *mounted) (volume *cri.Volume, path string, err error) {
	disk := m.runtime.Disk()
	path = "pods/" + string(pod.UID) + "/volumes/" + v.Name
	var files map[string]string
	switch {
	case v.ConfigMap != nil:
		s := v.ConfigMap
		files, err = m.configMapFiles(p, pod.Namespace, s.Name, s.Items, s.Optional)
	case v.Secret != nil:
		s := v.Secret
		files, err = m.secretFiles(p, pod.Namespace, s.SecretName, s.Items, s.Optional)
	case v.DownwardAPI != nil:
		files, err = m.downwardFiles(pod, v.DownwardAPI.Items)
	case v.Projected != nil:
		files, err = m.projectedFiles(p, pod, v.Projected)
	case v.HostPath != nil:
		return disk.Volume("host" + v.HostPath.Path), "", nil
	case v.PersistentVolumeClaim != nil:
		volume, err = m.claim(p, pod, v.PersistentVolumeClaim.ClaimName, state)
		return volume, "", err
	case v.Ephemeral != nil:
		volume, err = m.claim(p, pod, pod.Name+"-"+v.Name, state)
		return volume, "", err
	case v.EmptyDir == nil && v.Image == nil:
		return nil, "", errors.New("mount failed: exit status 32") // nothing serves NFS, iSCSI and the like here
	default:
		volume = disk.Volume(path)
		volume.InMemory = v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory
		if v.Image != nil {
			volume.Image = v.Image.Reference
		}
		return volume, path, nil
	}
	if err != nil {
		return nil, "", err
	}
	volume = disk.Volume(path)
	volume.Atomic = true
	if volume.Replace(files, modesOf(v)) {
		p.Logger().V(4).Info("Volume written", "pod", container.PodKey(pod), "volumeName", v.Name, "files", len(files))
	}
	return volume, path, nil
}

// modesOf are the permissions of a volume's files that were given one of their own, by path, and at "" those of all others.
func modesOf(v *corev1.Volume) map[string]int32 {
	modes := map[string]int32{}
	keys := func(items []corev1.KeyToPath) {
		for _, item := range items {
			if item.Mode != nil {
				modes[item.Path] = *item.Mode
			}
		}
	}
	downward := func(items []corev1.DownwardAPIVolumeFile) {
		for _, item := range items {
			if item.Mode != nil {
				modes[item.Path] = *item.Mode
			}
		}
	}
	var others *int32
	switch {
	case v.ConfigMap != nil:
		others = v.ConfigMap.DefaultMode
		keys(v.ConfigMap.Items)
	case v.Secret != nil:
		others = v.Secret.DefaultMode
		keys(v.Secret.Items)
	case v.DownwardAPI != nil:
		others = v.DownwardAPI.DefaultMode
		downward(v.DownwardAPI.Items)
	case v.Projected != nil:
		others = v.Projected.DefaultMode
		for i := range v.Projected.Sources {
			switch s := &v.Projected.Sources[i]; {
			case s.ConfigMap != nil:
				keys(s.ConfigMap.Items)
			case s.Secret != nil:
				keys(s.Secret.Items)
			case s.DownwardAPI != nil:
				downward(s.DownwardAPI.Items)
			}
		}
	}
	if others != nil {
		modes[""] = *others
	}
	return modes
}

func (m *Manager) configMapFiles(p *sim.Proc, namespace, name string, items []corev1.KeyToPath, optional *bool) (map[string]string, error) {
	obj, err := m.configMaps.Get(p, namespace, name)
	if err != nil {
		if isTrue(optional) && apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, err
	}
	cm := obj.(*corev1.ConfigMap)
	payload := map[string]string{}
	for k, v := range cm.Data { // order: a copy
		payload[k] = v
	}
	for k, v := range cm.BinaryData { // order: a copy
		payload[k] = string(v)
	}
	return pick(payload, items, isTrue(optional), "configmap references non-existent config key: ")
}

func (m *Manager) secretFiles(p *sim.Proc, namespace, name string, items []corev1.KeyToPath, optional *bool) (map[string]string, error) {
	obj, err := m.secrets.Get(p, namespace, name)
	if err != nil {
		if isTrue(optional) && apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, err
	}
	payload := map[string]string{}
	for k, v := range obj.(*corev1.Secret).Data { // order: a copy
		payload[k] = string(v)
	}
	return pick(payload, items, isTrue(optional), "references non-existent secret key: ")
}

// pick makes files of keys: all of them, or those that items name.
// Upstream: pkg/volume/configmap MakePayload.
func pick(payload map[string]string, items []corev1.KeyToPath, optional bool, failure string) (map[string]string, error) {
	if len(items) == 0 {
		return payload, nil
	}
	files := map[string]string{}
	for _, item := range items {
		data, ok := payload[item.Key]
		if !ok {
			if optional {
				continue
			}
			return nil, fmt.Errorf("%s%s", failure, item.Key)
		}
		files[item.Path] = data
	}
	return files, nil
}

func (m *Manager) downwardFiles(pod *corev1.Pod, items []corev1.DownwardAPIVolumeFile) (map[string]string, error) {
	files := map[string]string{}
	for _, item := range items {
		var text string
		var err error
		switch {
		case item.FieldRef != nil:
			text, err = fieldpath.ExtractFieldPathAsString(pod, item.FieldRef.FieldPath)
		case item.ResourceFieldRef != nil:
			var c *corev1.Container
			if c, err = fieldpath.FindContainer(pod, item.ResourceFieldRef.ContainerName); err == nil {
				text, err = fieldpath.ExtractContainerResourceValue(item.ResourceFieldRef, c, m.host.NodeAllocatable())
			}
		}
		if err != nil {
			return nil, err
		}
		files[item.Path] = text
	}
	return files, nil
}

func (m *Manager) projectedFiles(p *sim.Proc, pod *corev1.Pod, source *corev1.ProjectedVolumeSource) (map[string]string, error) {
	files := map[string]string{}
	for i := range source.Sources {
		var part map[string]string
		var err error
		switch s := &source.Sources[i]; {
		case s.ConfigMap != nil:
			part, err = m.configMapFiles(p, pod.Namespace, s.ConfigMap.Name, s.ConfigMap.Items, s.ConfigMap.Optional)
		case s.Secret != nil:
			part, err = m.secretFiles(p, pod.Namespace, s.Secret.Name, s.Secret.Items, s.Secret.Optional)
		case s.DownwardAPI != nil:
			part, err = m.downwardFiles(pod, s.DownwardAPI.Items)
		case s.ServiceAccountToken != nil:
			text := token(pod, s.ServiceAccountToken.Audience)
			if m.tokens != nil {
				text, err = m.tokens.Get(p, pod, s.ServiceAccountToken)
			}
			part = map[string]string{s.ServiceAccountToken.Path: text}
		}
		if err != nil {
			return nil, err
		}
		for name, data := range part { // order: a copy
			files[name] = data
		}
	}
	return files, nil
}

// token stands for what Tokens would get: it has the form of one and names
// the account, but nobody signed it, and nobody checks it.
func token(pod *corev1.Pod, audience string) string {
	account := pod.Spec.ServiceAccountName
	if account == "" {
		account = "default"
	}
	if audience == "" {
		audience = "https://kubernetes.default.svc.cluster.local"
	}
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return encode(`{"alg":"none"}`) + "." + encode(`{"aud":[`+strconv.Quote(audience)+`],"sub":`+
		strconv.Quote("system:serviceaccount:"+pod.Namespace+":"+account)+`}`) + "." + encode(string(pod.UID))
}

// claim finds the files of the PersistentVolume that a claim is bound to.
// Upstream: desired_state_of_world_populator.go getPVCExtractPV and getPVSpec.
func (m *Manager) claim(p *sim.Proc, pod *corev1.Pod, name string, state *mounted) (*cri.Volume, error) {
	failed := func(format string, args ...any) error {
		return &claimError{"error processing PVC " + pod.Namespace + "/" + name + ": " + fmt.Sprintf(format, args...)}
	}
	pvc, err := m.client.CoreV1().PersistentVolumeClaims(pod.Namespace).Get(p, name, metav1.GetOptions{})
	switch {
	case err != nil:
		return nil, failed("failed to fetch PVC from API server: %v", err)
	case pvc.DeletionTimestamp != nil:
		return nil, failed("PVC is being deleted")
	case pvc.Status.Phase != corev1.ClaimBound || pvc.Spec.VolumeName == "":
		return nil, failed("PVC is not bound")
	}
	pv, err := m.client.CoreV1().PersistentVolumes().Get(p, pvc.Spec.VolumeName, metav1.GetOptions{})
	switch {
	case err != nil:
		return nil, failed("failed to fetch PV %s from API server: %v", pvc.Spec.VolumeName, err)
	case pv.Spec.ClaimRef == nil || pv.Spec.ClaimRef.UID != pvc.UID:
		return nil, failed("PVC is bound to PV %s, but the PV is not bound to it", pv.Name)
	}
	switch {
	case pv.Spec.HostPath != nil:
		return m.runtime.Disk().Volume("host" + pv.Spec.HostPath.Path), nil
	case pv.Spec.Local != nil:
		return m.runtime.Disk().Volume("host" + pv.Spec.Local.Path), nil
	}
	if csi := pv.Spec.CSI; csi != nil {
		state.unique = uniqueName(csi)
		if m.csi != nil {
			if err := m.csi.setUp(p, m, pod, pvc, pv, state); err != nil {
				return nil, err
			}
		}
	}
	return m.runtime.Storage().Volume("pv/" + pv.Name), nil
}

// GetVolumesInUse names what Pods of this node use of what is attached to it,
// in order. Upstream: volume_manager.go GetVolumesInUse.
func (m *Manager) GetVolumesInUse() []corev1.UniqueVolumeName {
	var out []corev1.UniqueVolumeName
	add := func(name corev1.UniqueVolumeName) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, volumes := range m.pods { // order: sorted below
		for _, v := range volumes { // order: sorted below
			add(v.unique)
		}
	}
	if m.csi != nil {
		for name := range m.csi.staged { // order: sorted below
			add(name)
		}
	}
	slices.Sort(out)
	return out
}

// WaitForUnmount gives up a Pod's volumes; those that were the Pod's own are deleted.
func (m *Manager) WaitForUnmount(p *sim.Proc, pod *corev1.Pod) {
	if m.pods[pod.UID] == nil && !m.left(pod.UID) {
		return
	}
	if m.csi != nil {
		m.csi.tearDown(p, m, pod.UID)
	}
	delete(m.pods, pod.UID)
	m.runtime.Disk().RemoveVolumes("pods/" + string(pod.UID) + "/")
	p.Logger().V(3).Info("All volumes are unmounted for pod", "pod", container.PodKey(pod))
}

// EmptyDirBytes is what is in a Pod's emptyDir volumes, by volume in the spec's order.
func (m *Manager) EmptyDirBytes(pod *corev1.Pod) (names []string, bytes []int64) {
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if v.EmptyDir == nil {
			continue
		}
		n := int64(0)
		if volume, ok := m.Volume(pod.UID, v.Name); ok {
			n = volume.Bytes()
		}
		names, bytes = append(names, v.Name), append(bytes, n)
	}
	return names, bytes
}

func isTrue(b *bool) bool { return b != nil && *b }
