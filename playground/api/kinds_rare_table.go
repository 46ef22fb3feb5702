//go:build !js || cel

package api

import (
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/api/nodev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/schema"
)

// The groups and versions of the rare kinds.
var (
	certificates = schema.GroupVersion{Group: "certificates.k8s.io", Version: "v1"}
	flowcontrol  = schema.GroupVersion{Group: "flowcontrol.apiserver.k8s.io", Version: "v1"}
	node         = schema.GroupVersion{Group: "node.k8s.io", Version: "v1"}
	devices      = schema.GroupVersion{Group: "resource.k8s.io", Version: "v1"}
)

func init() {
	rareKinds = []*Kind{
		{GroupVersionKind: autoscaling.WithKind("HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Singular: "horizontalpodautoscaler",
			ShortNames: []string{"hpa"}, Categories: inAll, Namespaced: true,
			Subresources: []Subresource{{Name: "status"}},
			New:          func() Object { return new(autoscalingv1.HorizontalPodAutoscaler) },
			NewList:      func() List { return new(autoscalingv1.HorizontalPodAutoscalerList) }},
		{GroupVersionKind: certificates.WithKind("CertificateSigningRequest"), Resource: "certificatesigningrequests", Singular: "certificatesigningrequest",
			ShortNames: []string{"csr"}, Subresources: []Subresource{{Name: "approval"}, {Name: "status"}},
			New:     func() Object { return new(certificatesv1.CertificateSigningRequest) },
			NewList: func() List { return new(certificatesv1.CertificateSigningRequestList) }},
		{GroupVersionKind: flowcontrol.WithKind("FlowSchema"), Resource: "flowschemas", Singular: "flowschema",
			Subresources: []Subresource{{Name: "status"}},
			New:          func() Object { return new(flowcontrolv1.FlowSchema) }, NewList: func() List { return new(flowcontrolv1.FlowSchemaList) }},
		{GroupVersionKind: flowcontrol.WithKind("PriorityLevelConfiguration"), Resource: "prioritylevelconfigurations", Singular: "prioritylevelconfiguration",
			Subresources: []Subresource{{Name: "status"}},
			New:          func() Object { return new(flowcontrolv1.PriorityLevelConfiguration) },
			NewList:      func() List { return new(flowcontrolv1.PriorityLevelConfigurationList) }},
		{GroupVersionKind: node.WithKind("RuntimeClass"), Resource: "runtimeclasses", Singular: "runtimeclass",
			New: func() Object { return new(nodev1.RuntimeClass) }, NewList: func() List { return new(nodev1.RuntimeClassList) }},
		{GroupVersionKind: devices.WithKind("DeviceClass"), Resource: "deviceclasses", Singular: "deviceclass",
			New: func() Object { return new(resourcev1.DeviceClass) }, NewList: func() List { return new(resourcev1.DeviceClassList) }},
		{GroupVersionKind: devices.WithKind("ResourceClaim"), Resource: "resourceclaims", Singular: "resourceclaim", Namespaced: true,
			Subresources: []Subresource{{Name: "status"}},
			New:          func() Object { return new(resourcev1.ResourceClaim) }, NewList: func() List { return new(resourcev1.ResourceClaimList) }},
		{GroupVersionKind: devices.WithKind("ResourceClaimTemplate"), Resource: "resourceclaimtemplates", Singular: "resourceclaimtemplate", Namespaced: true,
			New: func() Object { return new(resourcev1.ResourceClaimTemplate) }, NewList: func() List { return new(resourcev1.ResourceClaimTemplateList) }},
		{GroupVersionKind: devices.WithKind("ResourceSlice"), Resource: "resourceslices", Singular: "resourceslice",
			New: func() Object { return new(resourcev1.ResourceSlice) }, NewList: func() List { return new(resourcev1.ResourceSliceList) }},
	}
	for _, k := range rareKinds {
		k.rare = true
	}
	byType, byKind, byResource = index()
}
