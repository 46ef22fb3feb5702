package defaults

import (
	"strings"

	"kubewalk/playground/api/corev1"
)

func setContainer(c *corev1.Container) {
	// Signals for stopping are not switched on in Kubernetes 1.36 (ContainerStopSignals). Upstream drops them when the object is
	// stored: pkg/api/pod/util.go, dropContainerStopSignals.
	if l := c.Lifecycle; l != nil && l.StopSignal != nil {
		if l.StopSignal = nil; *l == (corev1.Lifecycle{}) {
			c.Lifecycle = nil
		}
	}
	if c.ImagePullPolicy == "" {
		c.ImagePullPolicy = corev1.PullIfNotPresent
		if isLatest(c.Image) {
			c.ImagePullPolicy = corev1.PullAlways
		}
	}
	if c.TerminationMessagePath == "" {
		c.TerminationMessagePath = corev1.TerminationMessagePathDefault
	}
	if c.TerminationMessagePolicy == "" {
		c.TerminationMessagePolicy = corev1.TerminationMessageReadFile
	}
	for i := range c.Ports {
		if c.Ports[i].Protocol == "" {
			c.Ports[i].Protocol = corev1.ProtocolTCP
		}
	}
	for i := range c.Env {
		if from := c.Env[i].ValueFrom; from != nil && from.FieldRef != nil && from.FieldRef.APIVersion == "" {
			from.FieldRef.APIVersion = "v1"
		}
	}
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		setProbe(p)
	}
	if c.Lifecycle != nil {
		for _, h := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
			if h != nil {
				setHTTPGet(h.HTTPGet)
			}
		}
	}
}

// isLatest says that an image names the tag latest, or no tag and no digest. Upstream: util/parsers, ParseImageName.
func isLatest(image string) bool {
	if strings.Contains(image, "@") {
		return false
	}
	name := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, tagged := strings.Cut(name, ":")
	return !tagged || tag == "latest"
}

func setProbe(p *corev1.Probe) {
	if p == nil {
		return
	}
	// order: each sets its own field
	for field, value := range map[*int32]int32{&p.TimeoutSeconds: 1, &p.PeriodSeconds: 10, &p.SuccessThreshold: 1, &p.FailureThreshold: 3} {
		if *field == 0 {
			*field = value
		}
	}
	setHTTPGet(p.HTTPGet)
	if p.GRPC != nil && p.GRPC.Service == nil {
		p.GRPC.Service = new(string)
	}
}

func setHTTPGet(h *corev1.HTTPGetAction) {
	if h == nil {
		return
	}
	if h.Path == "" {
		h.Path = "/"
	}
	if h.Scheme == "" {
		h.Scheme = corev1.URISchemeHTTP
	}
}

func setVolume(v *corev1.Volume) {
	if v.VolumeSource == (corev1.VolumeSource{}) {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	if v.Secret != nil {
		orElse(&v.Secret.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
	}
	if v.ConfigMap != nil {
		orElse(&v.ConfigMap.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
	}
	if v.DownwardAPI != nil {
		orElse(&v.DownwardAPI.DefaultMode, corev1.DownwardAPIVolumeSourceDefaultMode)
	}
	if v.Projected != nil {
		orElse(&v.Projected.DefaultMode, corev1.ProjectedVolumeSourceDefaultMode)
	}
	if v.HostPath != nil {
		orElse(&v.HostPath.Type, corev1.HostPathUnset)
	}
	if setImageVolume != nil {
		setImageVolume(v)
	}
}

// setImageVolume is there in builds that have volumes whose content is an image.
var setImageVolume func(v *corev1.Volume)
