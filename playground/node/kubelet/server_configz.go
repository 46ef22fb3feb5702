//go:build !js || cel

package kubelet

import (
	"encoding/json"
	"strconv"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/node/kubelet/eviction"
	"kubewalk/playground/node/kubelet/kuberuntime"
)

// configuration is a KubeletConfiguration with what this kubelet does, in the real one's order.
// Upstream: k8s.io/kubelet/config/v1beta1, KubeletConfiguration.
type configuration struct {
	metav1.TypeMeta
	EnableServer                              bool                    `json:"enableServer"`
	StaticPodPath                             string                  `json:"staticPodPath,omitempty"`
	SyncFrequency                             metav1.Duration         `json:"syncFrequency"`
	Port                                      int32                   `json:"port"`
	Authorization                             authorizationConfigured `json:"authorization"`
	ClusterDomain                             string                  `json:"clusterDomain"`
	NodeStatusUpdateFrequency                 metav1.Duration         `json:"nodeStatusUpdateFrequency"`
	NodeStatusReportFrequency                 metav1.Duration         `json:"nodeStatusReportFrequency"`
	NodeLeaseDurationSeconds                  int32                   `json:"nodeLeaseDurationSeconds"`
	MaxPods                                   int64                   `json:"maxPods"`
	PodCIDR                                   string                  `json:"podCIDR,omitempty"`
	NodeStatusMaxImages                       int32                   `json:"nodeStatusMaxImages"`
	KubeAPIQPS                                int                     `json:"kubeAPIQPS"`
	KubeAPIBurst                              int                     `json:"kubeAPIBurst"`
	SerializeImagePulls                       bool                    `json:"serializeImagePulls"`
	EvictionHard                              map[string]string       `json:"evictionHard"`
	EvictionPressureTransitionPeriod          metav1.Duration         `json:"evictionPressureTransitionPeriod"`
	EnableControllerAttachDetach              bool                    `json:"enableControllerAttachDetach"`
	ConfigMapAndSecretChangeDetectionStrategy string                  `json:"configMapAndSecretChangeDetectionStrategy"`
	ProviderID                                string                  `json:"providerID,omitempty"`
	RegisterWithTaints                        []corev1.Taint          `json:"registerWithTaints,omitempty"`
	RegisterNode                              bool                    `json:"registerNode"`
}

type authorizationConfigured struct {
	Mode    string `json:"mode"`
	Webhook struct {
		CacheAuthorizedTTL   metav1.Duration `json:"cacheAuthorizedTTL"`
		CacheUnauthorizedTTL metav1.Duration `json:"cacheUnauthorizedTTL"`
	} `json:"webhook"`
}

// configz is what /configz says: the configuration with which the kubelet runs. Fields about what is absent here are left out.
// Upstream: cmd/kubelet/app/server.go, setConfigz; component-base/configz/configz.go.
func (kl *Kubelet) configz(time.Time) (int, string) {
	duration := func(d time.Duration) metav1.Duration { return metav1.Duration{Duration: d} }
	o, limit := kl.options, kl.options.ClientLimit.Or(defaultClientLimit)
	pods := o.Capacity[corev1.ResourcePods]
	c := configuration{
		TypeMeta:     metav1.TypeMeta{Kind: "KubeletConfiguration", APIVersion: "kubelet.config.k8s.io/v1beta1"},
		EnableServer: true, StaticPodPath: o.StaticPodPath, SyncFrequency: duration(syncFrequency), Port: Port,
		Authorization: authorizationConfigured{Mode: "Webhook"}, ClusterDomain: kuberuntime.ClusterDomain,
		NodeStatusUpdateFrequency: duration(nodeStatusUpdateFrequency), NodeStatusReportFrequency: duration(nodeStatusReportFrequency),
		NodeLeaseDurationSeconds: nodeLeaseDurationSeconds, MaxPods: pods.Value(), PodCIDR: o.PodCIDR, NodeStatusMaxImages: nodeStatusMaxImages,
		KubeAPIQPS: limit.QPS, KubeAPIBurst: limit.Burst, SerializeImagePulls: true,
		EvictionHard: map[string]string{"memory.available": strconv.Itoa(eviction.HardMemory>>20) + "Mi",
			"nodefs.available": strconv.Itoa(eviction.HardNodeFsPercent) + "%", "imagefs.available": strconv.Itoa(eviction.HardImageFsPercent) + "%"},
		EvictionPressureTransitionPeriod: duration(eviction.PressureTransitionPeriod), EnableControllerAttachDetach: o.CSI != nil,
		ConfigMapAndSecretChangeDetectionStrategy: "Watch", ProviderID: o.ProviderID, RegisterWithTaints: o.RegisterWithTaints, RegisterNode: true,
	}
	c.Authorization.Webhook.CacheAuthorizedTTL, c.Authorization.Webhook.CacheUnauthorizedTTL = duration(authorizedTTL), duration(unauthorizedTTL)
	text, err := json.Marshal(map[string]any{"kubeletconfig": c})
	if err != nil {
		return 500, err.Error()
	}
	return 200, string(text)
}
