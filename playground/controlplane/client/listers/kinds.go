package listers

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/controlplane/client/cache"
)

// What the listers of further resources, and those of one namespace, are called.
type (
	ComponentStatusLister                  = ResourceLister[*corev1.ComponentStatus]
	ConfigMapNamespaceLister               = ResourceLister[*corev1.ConfigMap]
	EndpointsNamespaceLister               = ResourceLister[*corev1.Endpoints]
	EventNamespaceLister                   = ResourceLister[*corev1.Event]
	LimitRangeNamespaceLister              = ResourceLister[*corev1.LimitRange]
	PersistentVolumeClaimNamespaceLister   = ResourceLister[*corev1.PersistentVolumeClaim]
	PersistentVolumeLister                 = ResourceLister[*corev1.PersistentVolume]
	PodTemplateNamespaceLister             = ResourceLister[*corev1.PodTemplate]
	ReplicationControllerNamespaceLister   = ResourceLister[*corev1.ReplicationController]
	ResourceQuotaNamespaceLister           = ResourceLister[*corev1.ResourceQuota]
	SecretNamespaceLister                  = ResourceLister[*corev1.Secret]
	ServiceAccountNamespaceLister          = ResourceLister[*corev1.ServiceAccount]
	ServiceNamespaceLister                 = ResourceLister[*corev1.Service]
	MutatingAdmissionPolicyLister          = ResourceLister[*admissionregistrationv1.MutatingAdmissionPolicy]
	MutatingAdmissionPolicyBindingLister   = ResourceLister[*admissionregistrationv1.MutatingAdmissionPolicyBinding]
	MutatingWebhookConfigurationLister     = ResourceLister[*admissionregistrationv1.MutatingWebhookConfiguration]
	ValidatingAdmissionPolicyLister        = ResourceLister[*admissionregistrationv1.ValidatingAdmissionPolicy]
	ValidatingAdmissionPolicyBindingLister = ResourceLister[*admissionregistrationv1.ValidatingAdmissionPolicyBinding]
	ValidatingWebhookConfigurationLister   = ResourceLister[*admissionregistrationv1.ValidatingWebhookConfiguration]
	CustomResourceDefinitionLister         = ResourceLister[*apiextensionsv1.CustomResourceDefinition]
	APIServiceLister                       = ResourceLister[*apiregistrationv1.APIService]
	ControllerRevisionNamespaceLister      = ResourceLister[*appsv1.ControllerRevision]
	DaemonSetNamespaceLister               = ResourceLister[*appsv1.DaemonSet]
	StatefulSetNamespaceLister             = ResourceLister[*appsv1.StatefulSet]
	HorizontalPodAutoscalerNamespaceLister = ResourceLister[*autoscalingv2.HorizontalPodAutoscaler]
	CronJobNamespaceLister                 = ResourceLister[*batchv1.CronJob]
	JobNamespaceLister                     = ResourceLister[*batchv1.Job]
	EndpointSliceNamespaceLister           = ResourceLister[*discoveryv1.EndpointSlice]
	IngressClassLister                     = ResourceLister[*networkingv1.IngressClass]
	IngressNamespaceLister                 = ResourceLister[*networkingv1.Ingress]
	IPAddressLister                        = ResourceLister[*networkingv1.IPAddress]
	NetworkPolicyNamespaceLister           = ResourceLister[*networkingv1.NetworkPolicy]
	ServiceCIDRLister                      = ResourceLister[*networkingv1.ServiceCIDR]
	PodDisruptionBudgetNamespaceLister     = ResourceLister[*policyv1.PodDisruptionBudget]
	ClusterRoleBindingLister               = ResourceLister[*rbacv1.ClusterRoleBinding]
	ClusterRoleLister                      = ResourceLister[*rbacv1.ClusterRole]
	RoleBindingNamespaceLister             = ResourceLister[*rbacv1.RoleBinding]
	RoleNamespaceLister                    = ResourceLister[*rbacv1.Role]
	PriorityClassLister                    = ResourceLister[*schedulingv1.PriorityClass]
	CSIDriverLister                        = ResourceLister[*storagev1.CSIDriver]
	CSINodeLister                          = ResourceLister[*storagev1.CSINode]
	CSIStorageCapacityNamespaceLister      = ResourceLister[*storagev1.CSIStorageCapacity]
	StorageClassLister                     = ResourceLister[*storagev1.StorageClass]
	VolumeAttachmentLister                 = ResourceLister[*storagev1.VolumeAttachment]
	VolumeAttributesClassLister            = ResourceLister[*storagev1.VolumeAttributesClass]
)

// NewComponentStatusLister reads ComponentStatuses.
func NewComponentStatusLister(indexer cache.Indexer) ComponentStatusLister {
	return ComponentStatusLister{indexer: indexer, resource: api.GroupResource{Resource: "componentstatuses"}}
}

// ConfigMapLister reads ConfigMaps.
type ConfigMapLister struct {
	ResourceLister[*corev1.ConfigMap]
}

// NewConfigMapLister reads ConfigMaps.
func NewConfigMapLister(indexer cache.Indexer) ConfigMapLister {
	return ConfigMapLister{ResourceLister[*corev1.ConfigMap]{indexer: indexer, resource: api.GroupResource{Resource: "configmaps"}}}
}

// ConfigMaps are those of one namespace.
func (l ConfigMapLister) ConfigMaps(namespace string) ConfigMapNamespaceLister {
	return l.in(namespace)
}

// EndpointsLister reads Endpoints.
type EndpointsLister struct {
	ResourceLister[*corev1.Endpoints]
}

// NewEndpointsLister reads Endpoints.
func NewEndpointsLister(indexer cache.Indexer) EndpointsLister {
	return EndpointsLister{ResourceLister[*corev1.Endpoints]{indexer: indexer, resource: api.GroupResource{Resource: "endpoints"}}}
}

// Endpoints are those of one namespace.
func (l EndpointsLister) Endpoints(namespace string) EndpointsNamespaceLister { return l.in(namespace) }

// EventLister reads Events.
type EventLister struct{ ResourceLister[*corev1.Event] }

// NewEventLister reads Events.
func NewEventLister(indexer cache.Indexer) EventLister {
	return EventLister{ResourceLister[*corev1.Event]{indexer: indexer, resource: api.GroupResource{Resource: "events"}}}
}

// Events are those of one namespace.
func (l EventLister) Events(namespace string) EventNamespaceLister { return l.in(namespace) }

// LimitRangeLister reads LimitRanges.
type LimitRangeLister struct {
	ResourceLister[*corev1.LimitRange]
}

// NewLimitRangeLister reads LimitRanges.
func NewLimitRangeLister(indexer cache.Indexer) LimitRangeLister {
	return LimitRangeLister{ResourceLister[*corev1.LimitRange]{indexer: indexer, resource: api.GroupResource{Resource: "limitranges"}}}
}

// LimitRanges are those of one namespace.
func (l LimitRangeLister) LimitRanges(namespace string) LimitRangeNamespaceLister {
	return l.in(namespace)
}

// PersistentVolumeClaimLister reads PersistentVolumeClaims.
type PersistentVolumeClaimLister struct {
	ResourceLister[*corev1.PersistentVolumeClaim]
}

// NewPersistentVolumeClaimLister reads PersistentVolumeClaims.
func NewPersistentVolumeClaimLister(indexer cache.Indexer) PersistentVolumeClaimLister {
	return PersistentVolumeClaimLister{ResourceLister[*corev1.PersistentVolumeClaim]{indexer: indexer,
		resource: api.GroupResource{Resource: "persistentvolumeclaims"}}}
}

// PersistentVolumeClaims are those of one namespace.
func (l PersistentVolumeClaimLister) PersistentVolumeClaims(namespace string) PersistentVolumeClaimNamespaceLister {
	return l.in(namespace)
}

// NewPersistentVolumeLister reads PersistentVolumes.
func NewPersistentVolumeLister(indexer cache.Indexer) PersistentVolumeLister {
	return PersistentVolumeLister{indexer: indexer, resource: api.GroupResource{Resource: "persistentvolumes"}}
}

// PodTemplateLister reads PodTemplates.
type PodTemplateLister struct {
	ResourceLister[*corev1.PodTemplate]
}

// NewPodTemplateLister reads PodTemplates.
func NewPodTemplateLister(indexer cache.Indexer) PodTemplateLister {
	return PodTemplateLister{ResourceLister[*corev1.PodTemplate]{indexer: indexer, resource: api.GroupResource{Resource: "podtemplates"}}}
}

// PodTemplates are those of one namespace.
func (l PodTemplateLister) PodTemplates(namespace string) PodTemplateNamespaceLister {
	return l.in(namespace)
}

// ReplicationControllerLister reads ReplicationControllers.
type ReplicationControllerLister struct {
	ResourceLister[*corev1.ReplicationController]
}

// NewReplicationControllerLister reads ReplicationControllers.
func NewReplicationControllerLister(indexer cache.Indexer) ReplicationControllerLister {
	return ReplicationControllerLister{ResourceLister[*corev1.ReplicationController]{indexer: indexer,
		resource: api.GroupResource{Resource: "replicationcontrollers"}}}
}

// ReplicationControllers are those of one namespace.
func (l ReplicationControllerLister) ReplicationControllers(namespace string) ReplicationControllerNamespaceLister {
	return l.in(namespace)
}

// ResourceQuotaLister reads ResourceQuotas.
type ResourceQuotaLister struct {
	ResourceLister[*corev1.ResourceQuota]
}

// NewResourceQuotaLister reads ResourceQuotas.
func NewResourceQuotaLister(indexer cache.Indexer) ResourceQuotaLister {
	return ResourceQuotaLister{ResourceLister[*corev1.ResourceQuota]{indexer: indexer, resource: api.GroupResource{Resource: "resourcequotas"}}}
}

// ResourceQuotas are those of one namespace.
func (l ResourceQuotaLister) ResourceQuotas(namespace string) ResourceQuotaNamespaceLister {
	return l.in(namespace)
}

// SecretLister reads Secrets.
type SecretLister struct{ ResourceLister[*corev1.Secret] }

// NewSecretLister reads Secrets.
func NewSecretLister(indexer cache.Indexer) SecretLister {
	return SecretLister{ResourceLister[*corev1.Secret]{indexer: indexer, resource: api.GroupResource{Resource: "secrets"}}}
}

// Secrets are those of one namespace.
func (l SecretLister) Secrets(namespace string) SecretNamespaceLister { return l.in(namespace) }

// ServiceAccountLister reads ServiceAccounts.
type ServiceAccountLister struct {
	ResourceLister[*corev1.ServiceAccount]
}

// NewServiceAccountLister reads ServiceAccounts.
func NewServiceAccountLister(indexer cache.Indexer) ServiceAccountLister {
	return ServiceAccountLister{ResourceLister[*corev1.ServiceAccount]{indexer: indexer, resource: api.GroupResource{Resource: "serviceaccounts"}}}
}

// ServiceAccounts are those of one namespace.
func (l ServiceAccountLister) ServiceAccounts(namespace string) ServiceAccountNamespaceLister {
	return l.in(namespace)
}

// ServiceLister reads Services.
type ServiceLister struct {
	ResourceLister[*corev1.Service]
}

// NewServiceLister reads Services.
func NewServiceLister(indexer cache.Indexer) ServiceLister {
	return ServiceLister{ResourceLister[*corev1.Service]{indexer: indexer, resource: api.GroupResource{Resource: "services"}}}
}

// Services are those of one namespace.
func (l ServiceLister) Services(namespace string) ServiceNamespaceLister { return l.in(namespace) }

// NewMutatingAdmissionPolicyLister reads MutatingAdmissionPolicies.
func NewMutatingAdmissionPolicyLister(indexer cache.Indexer) MutatingAdmissionPolicyLister {
	return MutatingAdmissionPolicyLister{indexer: indexer, resource: api.GroupResource{Group: "admissionregistration.k8s.io",
		Resource: "mutatingadmissionpolicies"}}
}

// NewMutatingAdmissionPolicyBindingLister reads MutatingAdmissionPolicyBindings.
func NewMutatingAdmissionPolicyBindingLister(indexer cache.Indexer) MutatingAdmissionPolicyBindingLister {
	return MutatingAdmissionPolicyBindingLister{indexer: indexer,
		resource: api.GroupResource{Group: "admissionregistration.k8s.io", Resource: "mutatingadmissionpolicybindings"}}
}

// NewMutatingWebhookConfigurationLister reads MutatingWebhookConfigurations.
func NewMutatingWebhookConfigurationLister(indexer cache.Indexer) MutatingWebhookConfigurationLister {
	return MutatingWebhookConfigurationLister{indexer: indexer,
		resource: api.GroupResource{Group: "admissionregistration.k8s.io", Resource: "mutatingwebhookconfigurations"}}
}

// NewValidatingAdmissionPolicyLister reads ValidatingAdmissionPolicies.
func NewValidatingAdmissionPolicyLister(indexer cache.Indexer) ValidatingAdmissionPolicyLister {
	return ValidatingAdmissionPolicyLister{indexer: indexer,
		resource: api.GroupResource{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicies"}}
}

// NewValidatingAdmissionPolicyBindingLister reads ValidatingAdmissionPolicyBindings.
func NewValidatingAdmissionPolicyBindingLister(indexer cache.Indexer) ValidatingAdmissionPolicyBindingLister {
	return ValidatingAdmissionPolicyBindingLister{indexer: indexer,
		resource: api.GroupResource{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicybindings"}}
}

// NewValidatingWebhookConfigurationLister reads ValidatingWebhookConfigurations.
func NewValidatingWebhookConfigurationLister(indexer cache.Indexer) ValidatingWebhookConfigurationLister {
	return ValidatingWebhookConfigurationLister{indexer: indexer,
		resource: api.GroupResource{Group: "admissionregistration.k8s.io", Resource: "validatingwebhookconfigurations"}}
}

// NewCustomResourceDefinitionLister reads CustomResourceDefinitions.
func NewCustomResourceDefinitionLister(indexer cache.Indexer) CustomResourceDefinitionLister {
	return CustomResourceDefinitionLister{indexer: indexer, resource: api.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}}
}

// NewAPIServiceLister reads APIServices.
func NewAPIServiceLister(indexer cache.Indexer) APIServiceLister {
	return APIServiceLister{indexer: indexer, resource: api.GroupResource{Group: "apiregistration.k8s.io", Resource: "apiservices"}}
}

// ControllerRevisionLister reads ControllerRevisions.
type ControllerRevisionLister struct {
	ResourceLister[*appsv1.ControllerRevision]
}

// NewControllerRevisionLister reads ControllerRevisions.
func NewControllerRevisionLister(indexer cache.Indexer) ControllerRevisionLister {
	return ControllerRevisionLister{ResourceLister[*appsv1.ControllerRevision]{indexer: indexer,
		resource: api.GroupResource{Group: "apps", Resource: "controllerrevisions"}}}
}

// ControllerRevisions are those of one namespace.
func (l ControllerRevisionLister) ControllerRevisions(namespace string) ControllerRevisionNamespaceLister {
	return l.in(namespace)
}

// DaemonSetLister reads DaemonSets.
type DaemonSetLister struct {
	ResourceLister[*appsv1.DaemonSet]
}

// NewDaemonSetLister reads DaemonSets.
func NewDaemonSetLister(indexer cache.Indexer) DaemonSetLister {
	return DaemonSetLister{ResourceLister[*appsv1.DaemonSet]{indexer: indexer, resource: api.GroupResource{Group: "apps", Resource: "daemonsets"}}}
}

// DaemonSets are those of one namespace.
func (l DaemonSetLister) DaemonSets(namespace string) DaemonSetNamespaceLister {
	return l.in(namespace)
}

// StatefulSetLister reads StatefulSets.
type StatefulSetLister struct {
	ResourceLister[*appsv1.StatefulSet]
}

// NewStatefulSetLister reads StatefulSets.
func NewStatefulSetLister(indexer cache.Indexer) StatefulSetLister {
	return StatefulSetLister{ResourceLister[*appsv1.StatefulSet]{indexer: indexer, resource: api.GroupResource{Group: "apps", Resource: "statefulsets"}}}
}

// StatefulSets are those of one namespace.
func (l StatefulSetLister) StatefulSets(namespace string) StatefulSetNamespaceLister {
	return l.in(namespace)
}

// HorizontalPodAutoscalerLister reads HorizontalPodAutoscalers.
type HorizontalPodAutoscalerLister struct {
	ResourceLister[*autoscalingv2.HorizontalPodAutoscaler]
}

// NewHorizontalPodAutoscalerLister reads HorizontalPodAutoscalers.
func NewHorizontalPodAutoscalerLister(indexer cache.Indexer) HorizontalPodAutoscalerLister {
	return HorizontalPodAutoscalerLister{ResourceLister[*autoscalingv2.HorizontalPodAutoscaler]{indexer: indexer,
		resource: api.GroupResource{Group: "autoscaling", Resource: "horizontalpodautoscalers"}}}
}

// HorizontalPodAutoscalers are those of one namespace.
func (l HorizontalPodAutoscalerLister) HorizontalPodAutoscalers(namespace string) HorizontalPodAutoscalerNamespaceLister {
	return l.in(namespace)
}

// CronJobLister reads CronJobs.
type CronJobLister struct {
	ResourceLister[*batchv1.CronJob]
}

// NewCronJobLister reads CronJobs.
func NewCronJobLister(indexer cache.Indexer) CronJobLister {
	return CronJobLister{ResourceLister[*batchv1.CronJob]{indexer: indexer, resource: api.GroupResource{Group: "batch", Resource: "cronjobs"}}}
}

// CronJobs are those of one namespace.
func (l CronJobLister) CronJobs(namespace string) CronJobNamespaceLister { return l.in(namespace) }

// JobLister reads Jobs.
type JobLister struct{ ResourceLister[*batchv1.Job] }

// NewJobLister reads Jobs.
func NewJobLister(indexer cache.Indexer) JobLister {
	return JobLister{ResourceLister[*batchv1.Job]{indexer: indexer, resource: api.GroupResource{Group: "batch", Resource: "jobs"}}}
}

// Jobs are those of one namespace.
func (l JobLister) Jobs(namespace string) JobNamespaceLister { return l.in(namespace) }

// EndpointSliceLister reads EndpointSlices.
type EndpointSliceLister struct {
	ResourceLister[*discoveryv1.EndpointSlice]
}

// NewEndpointSliceLister reads EndpointSlices.
func NewEndpointSliceLister(indexer cache.Indexer) EndpointSliceLister {
	return EndpointSliceLister{ResourceLister[*discoveryv1.EndpointSlice]{indexer: indexer,
		resource: api.GroupResource{Group: "discovery.k8s.io", Resource: "endpointslices"}}}
}

// EndpointSlices are those of one namespace.
func (l EndpointSliceLister) EndpointSlices(namespace string) EndpointSliceNamespaceLister {
	return l.in(namespace)
}

// NewIngressClassLister reads IngressClasses.
func NewIngressClassLister(indexer cache.Indexer) IngressClassLister {
	return IngressClassLister{indexer: indexer, resource: api.GroupResource{Group: "networking.k8s.io", Resource: "ingressclasses"}}
}

// IngressLister reads Ingresses.
type IngressLister struct {
	ResourceLister[*networkingv1.Ingress]
}

// NewIngressLister reads Ingresses.
func NewIngressLister(indexer cache.Indexer) IngressLister {
	return IngressLister{ResourceLister[*networkingv1.Ingress]{indexer: indexer,
		resource: api.GroupResource{Group: "networking.k8s.io", Resource: "ingresses"}}}
}

// Ingresses are those of one namespace.
func (l IngressLister) Ingresses(namespace string) IngressNamespaceLister { return l.in(namespace) }

// NewIPAddressLister reads IPAddresses.
func NewIPAddressLister(indexer cache.Indexer) IPAddressLister {
	return IPAddressLister{indexer: indexer, resource: api.GroupResource{Group: "networking.k8s.io", Resource: "ipaddresses"}}
}

// NetworkPolicyLister reads NetworkPolicies.
type NetworkPolicyLister struct {
	ResourceLister[*networkingv1.NetworkPolicy]
}

// NewNetworkPolicyLister reads NetworkPolicies.
func NewNetworkPolicyLister(indexer cache.Indexer) NetworkPolicyLister {
	return NetworkPolicyLister{ResourceLister[*networkingv1.NetworkPolicy]{indexer: indexer,
		resource: api.GroupResource{Group: "networking.k8s.io", Resource: "networkpolicies"}}}
}

// NetworkPolicies are those of one namespace.
func (l NetworkPolicyLister) NetworkPolicies(namespace string) NetworkPolicyNamespaceLister {
	return l.in(namespace)
}

// NewServiceCIDRLister reads ServiceCIDRs.
func NewServiceCIDRLister(indexer cache.Indexer) ServiceCIDRLister {
	return ServiceCIDRLister{indexer: indexer, resource: api.GroupResource{Group: "networking.k8s.io", Resource: "servicecidrs"}}
}

// PodDisruptionBudgetLister reads PodDisruptionBudgets.
type PodDisruptionBudgetLister struct {
	ResourceLister[*policyv1.PodDisruptionBudget]
}

// NewPodDisruptionBudgetLister reads PodDisruptionBudgets.
func NewPodDisruptionBudgetLister(indexer cache.Indexer) PodDisruptionBudgetLister {
	return PodDisruptionBudgetLister{ResourceLister[*policyv1.PodDisruptionBudget]{indexer: indexer,
		resource: api.GroupResource{Group: "policy", Resource: "poddisruptionbudgets"}}}
}

// PodDisruptionBudgets are those of one namespace.
func (l PodDisruptionBudgetLister) PodDisruptionBudgets(namespace string) PodDisruptionBudgetNamespaceLister {
	return l.in(namespace)
}

// NewClusterRoleBindingLister reads ClusterRoleBindings.
func NewClusterRoleBindingLister(indexer cache.Indexer) ClusterRoleBindingLister {
	return ClusterRoleBindingLister{indexer: indexer, resource: api.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "clusterrolebindings"}}
}

// NewClusterRoleLister reads ClusterRoles.
func NewClusterRoleLister(indexer cache.Indexer) ClusterRoleLister {
	return ClusterRoleLister{indexer: indexer, resource: api.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}}
}

// RoleBindingLister reads RoleBindings.
type RoleBindingLister struct {
	ResourceLister[*rbacv1.RoleBinding]
}

// NewRoleBindingLister reads RoleBindings.
func NewRoleBindingLister(indexer cache.Indexer) RoleBindingLister {
	return RoleBindingLister{ResourceLister[*rbacv1.RoleBinding]{indexer: indexer,
		resource: api.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "rolebindings"}}}
}

// RoleBindings are those of one namespace.
func (l RoleBindingLister) RoleBindings(namespace string) RoleBindingNamespaceLister {
	return l.in(namespace)
}

// RoleLister reads Roles.
type RoleLister struct{ ResourceLister[*rbacv1.Role] }

// NewRoleLister reads Roles.
func NewRoleLister(indexer cache.Indexer) RoleLister {
	return RoleLister{ResourceLister[*rbacv1.Role]{indexer: indexer, resource: api.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "roles"}}}
}

// Roles are those of one namespace.
func (l RoleLister) Roles(namespace string) RoleNamespaceLister { return l.in(namespace) }

// NewPriorityClassLister reads PriorityClasses.
func NewPriorityClassLister(indexer cache.Indexer) PriorityClassLister {
	return PriorityClassLister{indexer: indexer, resource: api.GroupResource{Group: "scheduling.k8s.io", Resource: "priorityclasses"}}
}

// NewCSIDriverLister reads CSIDrivers.
func NewCSIDriverLister(indexer cache.Indexer) CSIDriverLister {
	return CSIDriverLister{indexer: indexer, resource: api.GroupResource{Group: "storage.k8s.io", Resource: "csidrivers"}}
}

// NewCSINodeLister reads CSINodes.
func NewCSINodeLister(indexer cache.Indexer) CSINodeLister {
	return CSINodeLister{indexer: indexer, resource: api.GroupResource{Group: "storage.k8s.io", Resource: "csinodes"}}
}

// CSIStorageCapacityLister reads CSIStorageCapacities.
type CSIStorageCapacityLister struct {
	ResourceLister[*storagev1.CSIStorageCapacity]
}

// NewCSIStorageCapacityLister reads CSIStorageCapacities.
func NewCSIStorageCapacityLister(indexer cache.Indexer) CSIStorageCapacityLister {
	return CSIStorageCapacityLister{ResourceLister[*storagev1.CSIStorageCapacity]{indexer: indexer,
		resource: api.GroupResource{Group: "storage.k8s.io", Resource: "csistoragecapacities"}}}
}

// CSIStorageCapacities are those of one namespace.
func (l CSIStorageCapacityLister) CSIStorageCapacities(namespace string) CSIStorageCapacityNamespaceLister {
	return l.in(namespace)
}

// NewStorageClassLister reads StorageClasses.
func NewStorageClassLister(indexer cache.Indexer) StorageClassLister {
	return StorageClassLister{indexer: indexer, resource: api.GroupResource{Group: "storage.k8s.io", Resource: "storageclasses"}}
}

// NewVolumeAttachmentLister reads VolumeAttachments.
func NewVolumeAttachmentLister(indexer cache.Indexer) VolumeAttachmentLister {
	return VolumeAttachmentLister{indexer: indexer, resource: api.GroupResource{Group: "storage.k8s.io", Resource: "volumeattachments"}}
}

// NewVolumeAttributesClassLister reads VolumeAttributesClasses.
func NewVolumeAttributesClassLister(indexer cache.Indexer) VolumeAttributesClassLister {
	return VolumeAttributesClassLister{indexer: indexer, resource: api.GroupResource{Group: "storage.k8s.io", Resource: "volumeattributesclasses"}}
}
