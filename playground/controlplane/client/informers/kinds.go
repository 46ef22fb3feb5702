package informers

import (
	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/client/listers"
)

// What the accessors return, under upstream's names.
type (
	ComponentStatusInformer                  = ResourceInformer[listers.ComponentStatusLister]
	ConfigMapInformer                        = ResourceInformer[listers.ConfigMapLister]
	EndpointsInformer                        = ResourceInformer[listers.EndpointsLister]
	EventInformer                            = ResourceInformer[listers.EventLister]
	LimitRangeInformer                       = ResourceInformer[listers.LimitRangeLister]
	PersistentVolumeClaimInformer            = ResourceInformer[listers.PersistentVolumeClaimLister]
	PersistentVolumeInformer                 = ResourceInformer[listers.PersistentVolumeLister]
	PodTemplateInformer                      = ResourceInformer[listers.PodTemplateLister]
	ReplicationControllerInformer            = ResourceInformer[listers.ReplicationControllerLister]
	ResourceQuotaInformer                    = ResourceInformer[listers.ResourceQuotaLister]
	SecretInformer                           = ResourceInformer[listers.SecretLister]
	ServiceAccountInformer                   = ResourceInformer[listers.ServiceAccountLister]
	ServiceInformer                          = ResourceInformer[listers.ServiceLister]
	MutatingAdmissionPolicyInformer          = ResourceInformer[listers.MutatingAdmissionPolicyLister]
	MutatingAdmissionPolicyBindingInformer   = ResourceInformer[listers.MutatingAdmissionPolicyBindingLister]
	MutatingWebhookConfigurationInformer     = ResourceInformer[listers.MutatingWebhookConfigurationLister]
	ValidatingAdmissionPolicyInformer        = ResourceInformer[listers.ValidatingAdmissionPolicyLister]
	ValidatingAdmissionPolicyBindingInformer = ResourceInformer[listers.ValidatingAdmissionPolicyBindingLister]
	ValidatingWebhookConfigurationInformer   = ResourceInformer[listers.ValidatingWebhookConfigurationLister]
	CustomResourceDefinitionInformer         = ResourceInformer[listers.CustomResourceDefinitionLister]
	APIServiceInformer                       = ResourceInformer[listers.APIServiceLister]
	ControllerRevisionInformer               = ResourceInformer[listers.ControllerRevisionLister]
	DaemonSetInformer                        = ResourceInformer[listers.DaemonSetLister]
	StatefulSetInformer                      = ResourceInformer[listers.StatefulSetLister]
	HorizontalPodAutoscalerInformer          = ResourceInformer[listers.HorizontalPodAutoscalerLister]
	CronJobInformer                          = ResourceInformer[listers.CronJobLister]
	JobInformer                              = ResourceInformer[listers.JobLister]
	EndpointSliceInformer                    = ResourceInformer[listers.EndpointSliceLister]
	IngressClassInformer                     = ResourceInformer[listers.IngressClassLister]
	IngressInformer                          = ResourceInformer[listers.IngressLister]
	IPAddressInformer                        = ResourceInformer[listers.IPAddressLister]
	NetworkPolicyInformer                    = ResourceInformer[listers.NetworkPolicyLister]
	ServiceCIDRInformer                      = ResourceInformer[listers.ServiceCIDRLister]
	PodDisruptionBudgetInformer              = ResourceInformer[listers.PodDisruptionBudgetLister]
	ClusterRoleBindingInformer               = ResourceInformer[listers.ClusterRoleBindingLister]
	ClusterRoleInformer                      = ResourceInformer[listers.ClusterRoleLister]
	RoleBindingInformer                      = ResourceInformer[listers.RoleBindingLister]
	RoleInformer                             = ResourceInformer[listers.RoleLister]
	PriorityClassInformer                    = ResourceInformer[listers.PriorityClassLister]
	CSIDriverInformer                        = ResourceInformer[listers.CSIDriverLister]
	CSINodeInformer                          = ResourceInformer[listers.CSINodeLister]
	CSIStorageCapacityInformer               = ResourceInformer[listers.CSIStorageCapacityLister]
	StorageClassInformer                     = ResourceInformer[listers.StorageClassLister]
	VolumeAttachmentInformer                 = ResourceInformer[listers.VolumeAttachmentLister]
	VolumeAttributesClassInformer            = ResourceInformer[listers.VolumeAttributesClassLister]
)

// Further groups, and their versions.
type (
	AdmissionregistrationGroup       struct{ f *sharedInformerFactory }
	ApiextensionsGroup               struct{ f *sharedInformerFactory }
	ApiregistrationGroup             struct{ f *sharedInformerFactory }
	AutoscalingGroup                 struct{ f *sharedInformerFactory }
	BatchGroup                       struct{ f *sharedInformerFactory }
	DiscoveryGroup                   struct{ f *sharedInformerFactory }
	NetworkingGroup                  struct{ f *sharedInformerFactory }
	PolicyGroup                      struct{ f *sharedInformerFactory }
	RbacGroup                        struct{ f *sharedInformerFactory }
	SchedulingGroup                  struct{ f *sharedInformerFactory }
	StorageGroup                     struct{ f *sharedInformerFactory }
	AdmissionregistrationV1Informers struct{ f *sharedInformerFactory }
	ApiextensionsV1Informers         struct{ f *sharedInformerFactory }
	ApiregistrationV1Informers       struct{ f *sharedInformerFactory }
	AutoscalingV2Informers           struct{ f *sharedInformerFactory }
	BatchV1Informers                 struct{ f *sharedInformerFactory }
	DiscoveryV1Informers             struct{ f *sharedInformerFactory }
	NetworkingV1Informers            struct{ f *sharedInformerFactory }
	PolicyV1Informers                struct{ f *sharedInformerFactory }
	RbacV1Informers                  struct{ f *sharedInformerFactory }
	SchedulingV1Informers            struct{ f *sharedInformerFactory }
	StorageV1Informers               struct{ f *sharedInformerFactory }
)

func (f *sharedInformerFactory) Admissionregistration() AdmissionregistrationGroup {
	return AdmissionregistrationGroup{f}
}
func (f *sharedInformerFactory) Apiextensions() ApiextensionsGroup { return ApiextensionsGroup{f} }
func (f *sharedInformerFactory) Apiregistration() ApiregistrationGroup {
	return ApiregistrationGroup{f}
}
func (f *sharedInformerFactory) Autoscaling() AutoscalingGroup { return AutoscalingGroup{f} }
func (f *sharedInformerFactory) Batch() BatchGroup             { return BatchGroup{f} }
func (f *sharedInformerFactory) Discovery() DiscoveryGroup     { return DiscoveryGroup{f} }
func (f *sharedInformerFactory) Networking() NetworkingGroup   { return NetworkingGroup{f} }
func (f *sharedInformerFactory) Policy() PolicyGroup           { return PolicyGroup{f} }
func (f *sharedInformerFactory) Rbac() RbacGroup               { return RbacGroup{f} }
func (f *sharedInformerFactory) Scheduling() SchedulingGroup   { return SchedulingGroup{f} }
func (f *sharedInformerFactory) Storage() StorageGroup         { return StorageGroup{f} }

// V1 is the only version.
func (g AdmissionregistrationGroup) V1() AdmissionregistrationV1Informers {
	return AdmissionregistrationV1Informers(g)
}

// V1 is the only version.
func (g ApiextensionsGroup) V1() ApiextensionsV1Informers { return ApiextensionsV1Informers(g) }

// V1 is the only version.
func (g ApiregistrationGroup) V1() ApiregistrationV1Informers { return ApiregistrationV1Informers(g) }

// V2 is the only version.
func (g AutoscalingGroup) V2() AutoscalingV2Informers { return AutoscalingV2Informers(g) }

// V1 is the only version.
func (g BatchGroup) V1() BatchV1Informers { return BatchV1Informers(g) }

// V1 is the only version.
func (g DiscoveryGroup) V1() DiscoveryV1Informers { return DiscoveryV1Informers(g) }

// V1 is the only version.
func (g NetworkingGroup) V1() NetworkingV1Informers { return NetworkingV1Informers(g) }

// V1 is the only version.
func (g PolicyGroup) V1() PolicyV1Informers { return PolicyV1Informers(g) }

// V1 is the only version.
func (g RbacGroup) V1() RbacV1Informers { return RbacV1Informers(g) }

// V1 is the only version.
func (g SchedulingGroup) V1() SchedulingV1Informers { return SchedulingV1Informers(g) }

// V1 is the only version.
func (g StorageGroup) V1() StorageV1Informers { return StorageV1Informers(g) }

// ComponentStatuses, with Informer() and Lister().
func (v CoreV1Informers) ComponentStatuses() ComponentStatusInformer {
	return ComponentStatusInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "componentstatuses"}, listers.NewComponentStatusLister}
}

// ConfigMaps, with Informer() and Lister().
func (v CoreV1Informers) ConfigMaps() ConfigMapInformer {
	return ConfigMapInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "configmaps"}, listers.NewConfigMapLister}
}

// Endpoints, with Informer() and Lister().
func (v CoreV1Informers) Endpoints() EndpointsInformer {
	return EndpointsInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "endpoints"}, listers.NewEndpointsLister}
}

// Events, with Informer() and Lister().
func (v CoreV1Informers) Events() EventInformer {
	return EventInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "events"}, listers.NewEventLister}
}

// LimitRanges, with Informer() and Lister().
func (v CoreV1Informers) LimitRanges() LimitRangeInformer {
	return LimitRangeInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "limitranges"}, listers.NewLimitRangeLister}
}

// PersistentVolumeClaims, with Informer() and Lister().
func (v CoreV1Informers) PersistentVolumeClaims() PersistentVolumeClaimInformer {
	return PersistentVolumeClaimInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"},
		listers.NewPersistentVolumeClaimLister}
}

// PersistentVolumes, with Informer() and Lister().
func (v CoreV1Informers) PersistentVolumes() PersistentVolumeInformer {
	return PersistentVolumeInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "persistentvolumes"}, listers.NewPersistentVolumeLister}
}

// PodTemplates, with Informer() and Lister().
func (v CoreV1Informers) PodTemplates() PodTemplateInformer {
	return PodTemplateInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "podtemplates"}, listers.NewPodTemplateLister}
}

// ReplicationControllers, with Informer() and Lister().
func (v CoreV1Informers) ReplicationControllers() ReplicationControllerInformer {
	return ReplicationControllerInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "replicationcontrollers"},
		listers.NewReplicationControllerLister}
}

// ResourceQuotas, with Informer() and Lister().
func (v CoreV1Informers) ResourceQuotas() ResourceQuotaInformer {
	return ResourceQuotaInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}, listers.NewResourceQuotaLister}
}

// Secrets, with Informer() and Lister().
func (v CoreV1Informers) Secrets() SecretInformer {
	return SecretInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "secrets"}, listers.NewSecretLister}
}

// ServiceAccounts, with Informer() and Lister().
func (v CoreV1Informers) ServiceAccounts() ServiceAccountInformer {
	return ServiceAccountInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}, listers.NewServiceAccountLister}
}

// Services, with Informer() and Lister().
func (v CoreV1Informers) Services() ServiceInformer {
	return ServiceInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "services"}, listers.NewServiceLister}
}

// MutatingAdmissionPolicies, with Informer() and Lister().
func (v AdmissionregistrationV1Informers) MutatingAdmissionPolicies() MutatingAdmissionPolicyInformer {
	return MutatingAdmissionPolicyInformer{v.f, api.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "mutatingadmissionpolicies"}, listers.NewMutatingAdmissionPolicyLister}
}

// MutatingAdmissionPolicyBindings, with Informer() and Lister().
func (v AdmissionregistrationV1Informers) MutatingAdmissionPolicyBindings() MutatingAdmissionPolicyBindingInformer {
	return MutatingAdmissionPolicyBindingInformer{v.f, api.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "mutatingadmissionpolicybindings"}, listers.NewMutatingAdmissionPolicyBindingLister}
}

// MutatingWebhookConfigurations, with Informer() and Lister().
func (v AdmissionregistrationV1Informers) MutatingWebhookConfigurations() MutatingWebhookConfigurationInformer {
	return MutatingWebhookConfigurationInformer{v.f, api.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "mutatingwebhookconfigurations"}, listers.NewMutatingWebhookConfigurationLister}
}

// ValidatingAdmissionPolicies, with Informer() and Lister().
func (v AdmissionregistrationV1Informers) ValidatingAdmissionPolicies() ValidatingAdmissionPolicyInformer {
	return ValidatingAdmissionPolicyInformer{v.f, api.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "validatingadmissionpolicies"}, listers.NewValidatingAdmissionPolicyLister}
}

// ValidatingAdmissionPolicyBindings, with Informer() and Lister().
func (v AdmissionregistrationV1Informers) ValidatingAdmissionPolicyBindings() ValidatingAdmissionPolicyBindingInformer {
	return ValidatingAdmissionPolicyBindingInformer{v.f, api.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "validatingadmissionpolicybindings"}, listers.NewValidatingAdmissionPolicyBindingLister}
}

// ValidatingWebhookConfigurations, with Informer() and Lister().
func (v AdmissionregistrationV1Informers) ValidatingWebhookConfigurations() ValidatingWebhookConfigurationInformer {
	return ValidatingWebhookConfigurationInformer{v.f, api.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "validatingwebhookconfigurations"}, listers.NewValidatingWebhookConfigurationLister}
}

// CustomResourceDefinitions, with Informer() and Lister().
func (v ApiextensionsV1Informers) CustomResourceDefinitions() CustomResourceDefinitionInformer {
	return CustomResourceDefinitionInformer{v.f, api.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
		listers.NewCustomResourceDefinitionLister}
}

// APIServices, with Informer() and Lister().
func (v ApiregistrationV1Informers) APIServices() APIServiceInformer {
	return APIServiceInformer{v.f, api.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"},
		listers.NewAPIServiceLister}
}

// ControllerRevisions, with Informer() and Lister().
func (v AppsV1Informers) ControllerRevisions() ControllerRevisionInformer {
	return ControllerRevisionInformer{v.f, api.GroupVersionResource{Group: "apps", Version: "v1", Resource: "controllerrevisions"},
		listers.NewControllerRevisionLister}
}

// DaemonSets, with Informer() and Lister().
func (v AppsV1Informers) DaemonSets() DaemonSetInformer {
	return DaemonSetInformer{v.f, api.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"}, listers.NewDaemonSetLister}
}

// StatefulSets, with Informer() and Lister().
func (v AppsV1Informers) StatefulSets() StatefulSetInformer {
	return StatefulSetInformer{v.f, api.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}, listers.NewStatefulSetLister}
}

// HorizontalPodAutoscalers, with Informer() and Lister().
func (v AutoscalingV2Informers) HorizontalPodAutoscalers() HorizontalPodAutoscalerInformer {
	return HorizontalPodAutoscalerInformer{v.f, api.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
		listers.NewHorizontalPodAutoscalerLister}
}

// CronJobs, with Informer() and Lister().
func (v BatchV1Informers) CronJobs() CronJobInformer {
	return CronJobInformer{v.f, api.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}, listers.NewCronJobLister}
}

// Jobs, with Informer() and Lister().
func (v BatchV1Informers) Jobs() JobInformer {
	return JobInformer{v.f, api.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}, listers.NewJobLister}
}

// EndpointSlices, with Informer() and Lister().
func (v DiscoveryV1Informers) EndpointSlices() EndpointSliceInformer {
	return EndpointSliceInformer{v.f, api.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"},
		listers.NewEndpointSliceLister}
}

// IngressClasses, with Informer() and Lister().
func (v NetworkingV1Informers) IngressClasses() IngressClassInformer {
	return IngressClassInformer{v.f, api.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ingressclasses"},
		listers.NewIngressClassLister}
}

// Ingresses, with Informer() and Lister().
func (v NetworkingV1Informers) Ingresses() IngressInformer {
	return IngressInformer{v.f, api.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"}, listers.NewIngressLister}
}

// IPAddresses, with Informer() and Lister().
func (v NetworkingV1Informers) IPAddresses() IPAddressInformer {
	return IPAddressInformer{v.f, api.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses"}, listers.NewIPAddressLister}
}

// NetworkPolicies, with Informer() and Lister().
func (v NetworkingV1Informers) NetworkPolicies() NetworkPolicyInformer {
	return NetworkPolicyInformer{v.f, api.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
		listers.NewNetworkPolicyLister}
}

// ServiceCIDRs, with Informer() and Lister().
func (v NetworkingV1Informers) ServiceCIDRs() ServiceCIDRInformer {
	return ServiceCIDRInformer{v.f, api.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs"}, listers.NewServiceCIDRLister}
}

// PodDisruptionBudgets, with Informer() and Lister().
func (v PolicyV1Informers) PodDisruptionBudgets() PodDisruptionBudgetInformer {
	return PodDisruptionBudgetInformer{v.f, api.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
		listers.NewPodDisruptionBudgetLister}
}

// ClusterRoleBindings, with Informer() and Lister().
func (v RbacV1Informers) ClusterRoleBindings() ClusterRoleBindingInformer {
	return ClusterRoleBindingInformer{v.f, api.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
		listers.NewClusterRoleBindingLister}
}

// ClusterRoles, with Informer() and Lister().
func (v RbacV1Informers) ClusterRoles() ClusterRoleInformer {
	return ClusterRoleInformer{v.f, api.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
		listers.NewClusterRoleLister}
}

// RoleBindings, with Informer() and Lister().
func (v RbacV1Informers) RoleBindings() RoleBindingInformer {
	return RoleBindingInformer{v.f, api.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
		listers.NewRoleBindingLister}
}

// Roles, with Informer() and Lister().
func (v RbacV1Informers) Roles() RoleInformer {
	return RoleInformer{v.f, api.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}, listers.NewRoleLister}
}

// PriorityClasses, with Informer() and Lister().
func (v SchedulingV1Informers) PriorityClasses() PriorityClassInformer {
	return PriorityClassInformer{v.f, api.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"},
		listers.NewPriorityClassLister}
}

// CSIDrivers, with Informer() and Lister().
func (v StorageV1Informers) CSIDrivers() CSIDriverInformer {
	return CSIDriverInformer{v.f, api.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "csidrivers"}, listers.NewCSIDriverLister}
}

// CSINodes, with Informer() and Lister().
func (v StorageV1Informers) CSINodes() CSINodeInformer {
	return CSINodeInformer{v.f, api.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "csinodes"}, listers.NewCSINodeLister}
}

// CSIStorageCapacities, with Informer() and Lister().
func (v StorageV1Informers) CSIStorageCapacities() CSIStorageCapacityInformer {
	return CSIStorageCapacityInformer{v.f, api.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "csistoragecapacities"},
		listers.NewCSIStorageCapacityLister}
}

// StorageClasses, with Informer() and Lister().
func (v StorageV1Informers) StorageClasses() StorageClassInformer {
	return StorageClassInformer{v.f, api.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"},
		listers.NewStorageClassLister}
}

// VolumeAttachments, with Informer() and Lister().
func (v StorageV1Informers) VolumeAttachments() VolumeAttachmentInformer {
	return VolumeAttachmentInformer{v.f, api.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments"},
		listers.NewVolumeAttachmentLister}
}

// VolumeAttributesClasses, with Informer() and Lister().
func (v StorageV1Informers) VolumeAttributesClasses() VolumeAttributesClassInformer {
	return VolumeAttributesClassInformer{v.f, api.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattributesclasses"},
		listers.NewVolumeAttributesClassLister}
}
