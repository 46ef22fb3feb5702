package plugins

import (
	"math/bits"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// imageLocality prefers nodes that have the Pod's images already; the larger the
// images, the more. Upstream: plugins/imagelocality/image_locality.go.
//
// Upstream multiplies an image's size by the fraction of nodes that have it, in
// float64; here that is one division of whole numbers, rounded down.
type imageLocality struct{ handle framework.Handle }

// Below and above these sizes the score does not change, bytes.
const (
	minImageThreshold          int64 = 23 << 20
	maxImageContainerThreshold int64 = 1000 << 20
)

func newImageLocality(_ config.Args, h framework.Handle) (framework.Plugin, error) {
	return imageLocality{h}, nil
}

func (imageLocality) Name() string { return ImageLocality }

func (pl imageLocality) Score(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) (int64, *framework.Status) {
	total := int64(len(pl.handle.SnapshotSharedLister().List()))
	var sum int64
	add := func(image string) {
		if state, ok := node.ImageStates[normalizedImageName(image)]; ok && total > 0 {
			hi, lo := bits.Mul64(uint64(state.Size), uint64(state.NumNodes))
			q, _ := bits.Div64(hi, lo, uint64(total))
			sum += int64(q)
		}
	}
	n := int64(0)
	for i := range pod.Spec.InitContainers {
		add(pod.Spec.InitContainers[i].Image)
		n++
	}
	for i := range pod.Spec.Containers {
		add(pod.Spec.Containers[i].Image)
		n++
	}
	if volumeImages != nil {
		volumeImages(pod, add)
	}
	most := maxImageContainerThreshold * n
	sum = min(max(sum, minImageThreshold), most)
	return framework.MaxNodeScore * (sum - minImageThreshold) / (most - minImageThreshold), nil
}

// volumeImages names the images that a Pod's volumes show, in builds that have such volumes.
var volumeImages func(pod *corev1.Pod, add func(image string))

// ScoreExtensions: scores are between 0 and 100 already.
func (imageLocality) ScoreExtensions() framework.ScoreExtensions { return nil }

// normalizedImageName adds the tag that is meant when there is none.
func normalizedImageName(name string) string {
	if strings.LastIndex(name, ":") <= strings.LastIndex(name, "/") {
		name += ":latest"
	}
	return name
}
