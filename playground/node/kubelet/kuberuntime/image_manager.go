package kuberuntime

import (
	"fmt"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/mailbox"
	"kubewalk/playground/sim"
)

// Reasons of the Events about images. Upstream: pkg/kubelet/events/event.go.
const (
	pullingImage          = "Pulling"
	pulledImage           = "Pulled"
	failedToPullImage     = "Failed"
	backOffPullImage      = "BackOff"
	errImageNeverPull     = "ErrImageNeverPull"
	maxImageBackOff       = 300 * time.Second
	imageBackOffPeriod    = 10 * time.Second
	imagePullQueueProcess = "image-puller"
)

// imageManager sees to it that an image is on the node before a container of
// it is created. Upstream: pkg/kubelet/images/image_manager.go.
type imageManager struct {
	kernel   *sim.Kernel
	recorder container.EventRecorder
	runtime  *cri.Runtime
	backOff  *container.Backoff
	// prevPullErr is the last failure by back-off key, for the waiting message.
	prevPullErr map[string]string
	pulls       *mailbox.Box[*pullRequest]
}

// pullRequest waits for its turn: a kubelet pulls one image at a time
// (serializeImagePulls). Upstream: images/puller.go serialImagePuller.
type pullRequest struct {
	image string
	done  *mailbox.Box[pullResult]
}

type pullResult struct {
	ref   string
	bytes int64
	took  time.Duration // without the wait for its turn
	err   error
}

func newImageManager(c *sim.Component, recorder container.EventRecorder, runtime *cri.Runtime) *imageManager {
	m := &imageManager{
		kernel: c.Kernel(), recorder: recorder, runtime: runtime,
		backOff:     container.NewBackOff(c, imageBackOffPeriod, maxImageBackOff, nil),
		prevPullErr: map[string]string{},
		pulls:       mailbox.New[*pullRequest](c.Kernel()),
	}
	c.Go(imagePullQueueProcess, m.processImagePullRequests)
	return m
}

func (m *imageManager) processImagePullRequests(p *sim.Proc) {
	for {
		request := m.pulls.Get(p)
		began := p.Now()
		ref, bytes, err := m.runtime.PullImage(p, request.image)
		request.done.Put(pullResult{ref, bytes, p.Now() - began, err})
	}
}

// EnsureImageExists returns the image's reference by digest, or a message for
// the container's status and one of the errors ErrImage….
func (m *imageManager) EnsureImageExists(p *sim.Proc, pod *corev1.Pod, regarding *corev1.ObjectReference, name string, policy corev1.PullPolicy) (
	ref, message string, err error) {
	if wrong := cri.ValidImage(name); wrong != "" {
		message = fmt.Sprintf("Failed to apply default image tag %q: couldn't parse image name %q: %s", name, name, wrong)
		m.recorder.Eventf(regarding, corev1.EventTypeWarning, "InspectFailed", "%s", message)
		return "", message, container.ErrInvalidImageName
	}
	image, present, err := m.runtime.ImageStatus(name)
	if err != nil {
		message = fmt.Sprintf("Failed to inspect image %q: %v", name, err)
		m.recorder.Eventf(regarding, corev1.EventTypeWarning, "InspectFailed", "%s", message)
		return "", message, container.ErrImageInspect
	}
	if present && policy != corev1.PullAlways {
		m.recorder.Eventf(regarding, corev1.EventTypeNormal, pulledImage,
			"Container image %q already present on machine and can be accessed by the pod", name)
		return image.Ref, "", nil
	}
	if policy == corev1.PullNever {
		message = fmt.Sprintf("Container image %q is not present with pull policy of Never", name)
		m.recorder.Eventf(regarding, corev1.EventTypeWarning, errImageNeverPull, "%s", message)
		return "", message, container.ErrImageNeverPull
	}
	return m.pullImage(p, pod, regarding, name)
}

func (m *imageManager) pullImage(p *sim.Proc, pod *corev1.Pod, regarding *corev1.ObjectReference, name string) (ref, message string, err error) {
	key := string(pod.UID) + "_" + name
	if m.backOff.IsInBackOffSinceUpdate(key, p.Now()) {
		message = fmt.Sprintf("Back-off pulling image %q", name)
		m.recorder.Eventf(regarding, corev1.EventTypeNormal, backOffPullImage, "%s", message)
		if previous, ok := m.prevPullErr[key]; ok {
			message += ": " + previous
		}
		return "", message, container.ErrImagePullBackOff
	}
	delete(m.prevPullErr, key)
	m.recorder.Eventf(regarding, corev1.EventTypeNormal, pullingImage, "Pulling image %q", name)
	began := p.Now()
	request := &pullRequest{name, mailbox.New[pullResult](m.kernel)}
	m.pulls.Put(request)
	result := request.done.Get(p)
	if result.err != nil {
		m.recorder.Eventf(regarding, corev1.EventTypeWarning, failedToPullImage, "Failed to pull image %q: %v", name, result.err)
		m.backOff.Next(key, p.Now(), p.Now())
		m.prevPullErr[key] = fmt.Sprintf("%s: %s", container.ErrImagePull, result.err)
		return "", result.err.Error(), container.ErrImagePull
	}
	m.recorder.Eventf(regarding, corev1.EventTypeNormal, pulledImage, "Successfully pulled image %q in %v (%v including waiting). Image size: %v bytes.",
		name, result.took.Truncate(time.Millisecond), (p.Now() - began).Truncate(time.Millisecond), result.bytes)
	return result.ref, "", nil
}

// until is when a Pod's back-off for an image is over.
func (m *imageManager) until(pod *corev1.Pod, name string) (time.Duration, bool) {
	return m.backOff.Until(string(pod.UID) + "_" + name)
}
