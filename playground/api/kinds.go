package api

import (
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/authorizationv1"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/storagev1"
)

// The groups and versions served.
var (
	core                  = schema.GroupVersion{Version: "v1"}
	admissionregistration = schema.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1"}
	apiextensions         = schema.GroupVersion{Group: "apiextensions.k8s.io", Version: "v1"}
	apiregistration       = schema.GroupVersion{Group: "apiregistration.k8s.io", Version: "v1"}
	apps                  = schema.GroupVersion{Group: "apps", Version: "v1"}
	authentication        = schema.GroupVersion{Group: "authentication.k8s.io", Version: "v1"}
	authorization         = schema.GroupVersion{Group: "authorization.k8s.io", Version: "v1"}
	autoscaling           = schema.GroupVersion{Group: "autoscaling", Version: "v1"}
	autoscaling2          = schema.GroupVersion{Group: "autoscaling", Version: "v2"}
	batch                 = schema.GroupVersion{Group: "batch", Version: "v1"}
	coordination          = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	discovery             = schema.GroupVersion{Group: "discovery.k8s.io", Version: "v1"}
	events                = schema.GroupVersion{Group: "events.k8s.io", Version: "v1"}
	networking            = schema.GroupVersion{Group: "networking.k8s.io", Version: "v1"}
	policy                = schema.GroupVersion{Group: "policy", Version: "v1"}
	rbac                  = schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	scheduling            = schema.GroupVersion{Group: "scheduling.k8s.io", Version: "v1"}
	storage               = schema.GroupVersion{Group: "storage.k8s.io", Version: "v1"}
)

// inAll is the category of what `kubectl get all` shows; inExtensions that of what changes the API itself.
var (
	inAll        = []string{"all"}
	inExtensions = []string{"api-extensions"}
)

// kinds is every kind served, in the order in which an ambiguous name is resolved ("events" is the core group's).
// To serve another, add its types to gen/packages.go and a line here.
var kinds = []*Kind{
	{GroupVersionKind: core.WithKind("Binding"), Resource: "bindings", Singular: "binding", Namespaced: true,
		New: func() Object { return new(corev1.Binding) }},
	{GroupVersionKind: core.WithKind("ComponentStatus"), Resource: "componentstatuses", Singular: "componentstatus", ShortNames: []string{"cs"},
		New: func() Object { return new(corev1.ComponentStatus) }, NewList: func() List { return new(corev1.ComponentStatusList) }},
	{GroupVersionKind: core.WithKind("ConfigMap"), Resource: "configmaps", Singular: "configmap", ShortNames: []string{"cm"}, Namespaced: true,
		New: func() Object { return new(corev1.ConfigMap) }, NewList: func() List { return new(corev1.ConfigMapList) }},
	{GroupVersionKind: core.WithKind("Endpoints"), Resource: "endpoints", Singular: "endpoints", ShortNames: []string{"ep"}, Namespaced: true,
		New: func() Object { return new(corev1.Endpoints) }, NewList: func() List { return new(corev1.EndpointsList) }},
	{GroupVersionKind: core.WithKind("Event"), Resource: "events", Singular: "event", ShortNames: []string{"ev"}, Namespaced: true,
		New: func() Object { return new(corev1.Event) }, NewList: func() List { return new(corev1.EventList) }},
	{GroupVersionKind: core.WithKind("LimitRange"), Resource: "limitranges", Singular: "limitrange", ShortNames: []string{"limits"}, Namespaced: true,
		New: func() Object { return new(corev1.LimitRange) }, NewList: func() List { return new(corev1.LimitRangeList) }},
	{GroupVersionKind: core.WithKind("Namespace"), Resource: "namespaces", Singular: "namespace", ShortNames: []string{"ns"},
		Subresources: []Subresource{{Name: "finalize"}, {Name: "status"}},
		New:          func() Object { return new(corev1.Namespace) }, NewList: func() List { return new(corev1.NamespaceList) }},
	{GroupVersionKind: core.WithKind("Node"), Resource: "nodes", Singular: "node", ShortNames: []string{"no"},
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(corev1.Node) }, NewList: func() List { return new(corev1.NodeList) }},
	{GroupVersionKind: core.WithKind("PersistentVolumeClaim"), Resource: "persistentvolumeclaims", Singular: "persistentvolumeclaim",
		ShortNames: []string{"pvc"}, Namespaced: true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(corev1.PersistentVolumeClaim) }, NewList: func() List { return new(corev1.PersistentVolumeClaimList) }},
	{GroupVersionKind: core.WithKind("PersistentVolume"), Resource: "persistentvolumes", Singular: "persistentvolume", ShortNames: []string{"pv"},
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(corev1.PersistentVolume) }, NewList: func() List { return new(corev1.PersistentVolumeList) }},
	{GroupVersionKind: core.WithKind("Pod"), Resource: "pods", Singular: "pod", ShortNames: []string{"po"}, Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "attach"}, {Name: "binding", Kind: core.WithKind("Binding")}, {Name: "ephemeralcontainers"},
			{Name: "eviction", Kind: policy.WithKind("Eviction")}, {Name: "exec"}, {Name: "log"}, {Name: "portforward"}, {Name: "resize"}, {Name: "status"}},
		New: func() Object { return new(corev1.Pod) }, NewList: func() List { return new(corev1.PodList) }},
	{GroupVersionKind: core.WithKind("PodTemplate"), Resource: "podtemplates", Singular: "podtemplate", Namespaced: true,
		New: func() Object { return new(corev1.PodTemplate) }, NewList: func() List { return new(corev1.PodTemplateList) }},
	{GroupVersionKind: core.WithKind("ReplicationController"), Resource: "replicationcontrollers", Singular: "replicationcontroller",
		ShortNames: []string{"rc"}, Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "scale", Kind: autoscaling.WithKind("Scale")}, {Name: "status"}},
		New:          func() Object { return new(corev1.ReplicationController) }, NewList: func() List { return new(corev1.ReplicationControllerList) }},
	{GroupVersionKind: core.WithKind("ResourceQuota"), Resource: "resourcequotas", Singular: "resourcequota", ShortNames: []string{"quota"}, Namespaced: true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(corev1.ResourceQuota) }, NewList: func() List { return new(corev1.ResourceQuotaList) }},
	{GroupVersionKind: core.WithKind("Secret"), Resource: "secrets", Singular: "secret", Namespaced: true,
		New: func() Object { return new(corev1.Secret) }, NewList: func() List { return new(corev1.SecretList) }},
	{GroupVersionKind: core.WithKind("ServiceAccount"), Resource: "serviceaccounts", Singular: "serviceaccount", ShortNames: []string{"sa"}, Namespaced: true,
		Subresources: []Subresource{{Name: "token", Kind: authentication.WithKind("TokenRequest")}},
		New:          func() Object { return new(corev1.ServiceAccount) }, NewList: func() List { return new(corev1.ServiceAccountList) }},
	{GroupVersionKind: core.WithKind("Service"), Resource: "services", Singular: "service", ShortNames: []string{"svc"}, Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(corev1.Service) }, NewList: func() List { return new(corev1.ServiceList) }},
	{GroupVersionKind: admissionregistration.WithKind("MutatingAdmissionPolicy"), Resource: "mutatingadmissionpolicies", Singular: "mutatingadmissionpolicy",
		Categories: inExtensions,
		New:        func() Object { return new(admissionregistrationv1.MutatingAdmissionPolicy) },
		NewList:    func() List { return new(admissionregistrationv1.MutatingAdmissionPolicyList) }},
	{GroupVersionKind: admissionregistration.WithKind("MutatingAdmissionPolicyBinding"), Resource: "mutatingadmissionpolicybindings",
		Singular: "mutatingadmissionpolicybinding", Categories: inExtensions,
		New:     func() Object { return new(admissionregistrationv1.MutatingAdmissionPolicyBinding) },
		NewList: func() List { return new(admissionregistrationv1.MutatingAdmissionPolicyBindingList) }},
	{GroupVersionKind: admissionregistration.WithKind("MutatingWebhookConfiguration"), Resource: "mutatingwebhookconfigurations",
		Singular: "mutatingwebhookconfiguration", Categories: inExtensions,
		New:     func() Object { return new(admissionregistrationv1.MutatingWebhookConfiguration) },
		NewList: func() List { return new(admissionregistrationv1.MutatingWebhookConfigurationList) }},
	{GroupVersionKind: admissionregistration.WithKind("ValidatingAdmissionPolicy"), Resource: "validatingadmissionpolicies",
		Singular: "validatingadmissionpolicy", Categories: inExtensions,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(admissionregistrationv1.ValidatingAdmissionPolicy) },
		NewList:      func() List { return new(admissionregistrationv1.ValidatingAdmissionPolicyList) }},
	{GroupVersionKind: admissionregistration.WithKind("ValidatingAdmissionPolicyBinding"), Resource: "validatingadmissionpolicybindings",
		Singular: "validatingadmissionpolicybinding", Categories: inExtensions,
		New:     func() Object { return new(admissionregistrationv1.ValidatingAdmissionPolicyBinding) },
		NewList: func() List { return new(admissionregistrationv1.ValidatingAdmissionPolicyBindingList) }},
	{GroupVersionKind: admissionregistration.WithKind("ValidatingWebhookConfiguration"), Resource: "validatingwebhookconfigurations",
		Singular: "validatingwebhookconfiguration", Categories: inExtensions,
		New:     func() Object { return new(admissionregistrationv1.ValidatingWebhookConfiguration) },
		NewList: func() List { return new(admissionregistrationv1.ValidatingWebhookConfigurationList) }},
	{GroupVersionKind: apiextensions.WithKind("CustomResourceDefinition"), Resource: "customresourcedefinitions", Singular: "customresourcedefinition",
		ShortNames: []string{"crd", "crds"}, Categories: inExtensions,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(apiextensionsv1.CustomResourceDefinition) },
		NewList:      func() List { return new(apiextensionsv1.CustomResourceDefinitionList) }},
	{GroupVersionKind: apiregistration.WithKind("APIService"), Resource: "apiservices", Singular: "apiservice", Categories: inExtensions,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(apiregistrationv1.APIService) }, NewList: func() List { return new(apiregistrationv1.APIServiceList) }},
	{GroupVersionKind: apps.WithKind("ControllerRevision"), Resource: "controllerrevisions", Singular: "controllerrevision", Namespaced: true,
		New: func() Object { return new(appsv1.ControllerRevision) }, NewList: func() List { return new(appsv1.ControllerRevisionList) }},
	{GroupVersionKind: apps.WithKind("DaemonSet"), Resource: "daemonsets", Singular: "daemonset", ShortNames: []string{"ds"}, Categories: inAll,
		Namespaced:   true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(appsv1.DaemonSet) }, NewList: func() List { return new(appsv1.DaemonSetList) }},
	{GroupVersionKind: apps.WithKind("Deployment"), Resource: "deployments", Singular: "deployment", ShortNames: []string{"deploy"}, Categories: inAll,
		Namespaced:   true,
		Subresources: []Subresource{{Name: "scale", Kind: autoscaling.WithKind("Scale")}, {Name: "status"}},
		New:          func() Object { return new(appsv1.Deployment) }, NewList: func() List { return new(appsv1.DeploymentList) }},
	{GroupVersionKind: apps.WithKind("ReplicaSet"), Resource: "replicasets", Singular: "replicaset", ShortNames: []string{"rs"}, Categories: inAll,
		Namespaced:   true,
		Subresources: []Subresource{{Name: "scale", Kind: autoscaling.WithKind("Scale")}, {Name: "status"}},
		New:          func() Object { return new(appsv1.ReplicaSet) }, NewList: func() List { return new(appsv1.ReplicaSetList) }},
	{GroupVersionKind: apps.WithKind("StatefulSet"), Resource: "statefulsets", Singular: "statefulset", ShortNames: []string{"sts"}, Categories: inAll,
		Namespaced:   true,
		Subresources: []Subresource{{Name: "scale", Kind: autoscaling.WithKind("Scale")}, {Name: "status"}},
		New:          func() Object { return new(appsv1.StatefulSet) }, NewList: func() List { return new(appsv1.StatefulSetList) }},
	{GroupVersionKind: authentication.WithKind("SelfSubjectReview"), Resource: "selfsubjectreviews", Singular: "selfsubjectreview",
		New: func() Object { return new(authenticationv1.SelfSubjectReview) }},
	{GroupVersionKind: authentication.WithKind("TokenRequest"), Namespaced: true,
		New: func() Object { return new(authenticationv1.TokenRequest) }},
	{GroupVersionKind: authentication.WithKind("TokenReview"), Resource: "tokenreviews", Singular: "tokenreview",
		New: func() Object { return new(authenticationv1.TokenReview) }},
	{GroupVersionKind: authorization.WithKind("LocalSubjectAccessReview"), Resource: "localsubjectaccessreviews", Singular: "localsubjectaccessreview",
		Namespaced: true,
		New:        func() Object { return new(authorizationv1.LocalSubjectAccessReview) }},
	{GroupVersionKind: authorization.WithKind("SelfSubjectAccessReview"), Resource: "selfsubjectaccessreviews", Singular: "selfsubjectaccessreview",
		New: func() Object { return new(authorizationv1.SelfSubjectAccessReview) }},
	{GroupVersionKind: authorization.WithKind("SelfSubjectRulesReview"), Resource: "selfsubjectrulesreviews", Singular: "selfsubjectrulesreview",
		New: func() Object { return new(authorizationv1.SelfSubjectRulesReview) }},
	{GroupVersionKind: authorization.WithKind("SubjectAccessReview"), Resource: "subjectaccessreviews", Singular: "subjectaccessreview",
		New: func() Object { return new(authorizationv1.SubjectAccessReview) }},
	{GroupVersionKind: autoscaling.WithKind("Scale"), Namespaced: true,
		New: func() Object { return new(autoscalingv1.Scale) }},
	{GroupVersionKind: autoscaling2.WithKind("HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Singular: "horizontalpodautoscaler",
		ShortNames: []string{"hpa"}, Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(autoscalingv2.HorizontalPodAutoscaler) },
		NewList:      func() List { return new(autoscalingv2.HorizontalPodAutoscalerList) }},
	{GroupVersionKind: batch.WithKind("CronJob"), Resource: "cronjobs", Singular: "cronjob", ShortNames: []string{"cj"}, Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(batchv1.CronJob) }, NewList: func() List { return new(batchv1.CronJobList) }},
	{GroupVersionKind: batch.WithKind("Job"), Resource: "jobs", Singular: "job", Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(batchv1.Job) }, NewList: func() List { return new(batchv1.JobList) }},
	{GroupVersionKind: coordination.WithKind("Lease"), Resource: "leases", Singular: "lease", Namespaced: true,
		New: func() Object { return new(coordinationv1.Lease) }, NewList: func() List { return new(coordinationv1.LeaseList) }},
	{GroupVersionKind: discovery.WithKind("EndpointSlice"), Resource: "endpointslices", Singular: "endpointslice", Namespaced: true,
		New: func() Object { return new(discoveryv1.EndpointSlice) }, NewList: func() List { return new(discoveryv1.EndpointSliceList) }},
	{GroupVersionKind: events.WithKind("Event"), Resource: "events", Singular: "event", ShortNames: []string{"ev"}, Namespaced: true,
		New: func() Object { return new(eventsv1.Event) }, NewList: func() List { return new(eventsv1.EventList) }},
	{GroupVersionKind: networking.WithKind("IngressClass"), Resource: "ingressclasses", Singular: "ingressclass",
		New: func() Object { return new(networkingv1.IngressClass) }, NewList: func() List { return new(networkingv1.IngressClassList) }},
	{GroupVersionKind: networking.WithKind("Ingress"), Resource: "ingresses", Singular: "ingress", ShortNames: []string{"ing"}, Namespaced: true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(networkingv1.Ingress) }, NewList: func() List { return new(networkingv1.IngressList) }},
	{GroupVersionKind: networking.WithKind("IPAddress"), Resource: "ipaddresses", Singular: "ipaddress", ShortNames: []string{"ip"},
		New: func() Object { return new(networkingv1.IPAddress) }, NewList: func() List { return new(networkingv1.IPAddressList) }},
	{GroupVersionKind: networking.WithKind("NetworkPolicy"), Resource: "networkpolicies", Singular: "networkpolicy", ShortNames: []string{"netpol"},
		Namespaced: true,
		New:        func() Object { return new(networkingv1.NetworkPolicy) }, NewList: func() List { return new(networkingv1.NetworkPolicyList) }},
	{GroupVersionKind: networking.WithKind("ServiceCIDR"), Resource: "servicecidrs", Singular: "servicecidr",
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(networkingv1.ServiceCIDR) }, NewList: func() List { return new(networkingv1.ServiceCIDRList) }},
	{GroupVersionKind: policy.WithKind("Eviction"), Namespaced: true,
		New: func() Object { return new(policyv1.Eviction) }},
	{GroupVersionKind: policy.WithKind("PodDisruptionBudget"), Resource: "poddisruptionbudgets", Singular: "poddisruptionbudget", ShortNames: []string{"pdb"},
		Namespaced:   true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(policyv1.PodDisruptionBudget) }, NewList: func() List { return new(policyv1.PodDisruptionBudgetList) }},
	{GroupVersionKind: rbac.WithKind("ClusterRoleBinding"), Resource: "clusterrolebindings", Singular: "clusterrolebinding",
		New: func() Object { return new(rbacv1.ClusterRoleBinding) }, NewList: func() List { return new(rbacv1.ClusterRoleBindingList) }},
	{GroupVersionKind: rbac.WithKind("ClusterRole"), Resource: "clusterroles", Singular: "clusterrole",
		New: func() Object { return new(rbacv1.ClusterRole) }, NewList: func() List { return new(rbacv1.ClusterRoleList) }},
	{GroupVersionKind: rbac.WithKind("RoleBinding"), Resource: "rolebindings", Singular: "rolebinding", Namespaced: true,
		New: func() Object { return new(rbacv1.RoleBinding) }, NewList: func() List { return new(rbacv1.RoleBindingList) }},
	{GroupVersionKind: rbac.WithKind("Role"), Resource: "roles", Singular: "role", Namespaced: true,
		New: func() Object { return new(rbacv1.Role) }, NewList: func() List { return new(rbacv1.RoleList) }},
	{GroupVersionKind: scheduling.WithKind("PriorityClass"), Resource: "priorityclasses", Singular: "priorityclass", ShortNames: []string{"pc"},
		New: func() Object { return new(schedulingv1.PriorityClass) }, NewList: func() List { return new(schedulingv1.PriorityClassList) }},
	{GroupVersionKind: storage.WithKind("CSIDriver"), Resource: "csidrivers", Singular: "csidriver",
		New: func() Object { return new(storagev1.CSIDriver) }, NewList: func() List { return new(storagev1.CSIDriverList) }},
	{GroupVersionKind: storage.WithKind("CSINode"), Resource: "csinodes", Singular: "csinode",
		New: func() Object { return new(storagev1.CSINode) }, NewList: func() List { return new(storagev1.CSINodeList) }},
	{GroupVersionKind: storage.WithKind("CSIStorageCapacity"), Resource: "csistoragecapacities", Singular: "csistoragecapacity", Namespaced: true,
		New: func() Object { return new(storagev1.CSIStorageCapacity) }, NewList: func() List { return new(storagev1.CSIStorageCapacityList) }},
	{GroupVersionKind: storage.WithKind("StorageClass"), Resource: "storageclasses", Singular: "storageclass", ShortNames: []string{"sc"},
		New: func() Object { return new(storagev1.StorageClass) }, NewList: func() List { return new(storagev1.StorageClassList) }},
	{GroupVersionKind: storage.WithKind("VolumeAttachment"), Resource: "volumeattachments", Singular: "volumeattachment",
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(storagev1.VolumeAttachment) }, NewList: func() List { return new(storagev1.VolumeAttachmentList) }},
	{GroupVersionKind: storage.WithKind("VolumeAttributesClass"), Resource: "volumeattributesclasses", Singular: "volumeattributesclass",
		ShortNames: []string{"vac"},
		New:        func() Object { return new(storagev1.VolumeAttributesClass) }, NewList: func() List { return new(storagev1.VolumeAttributesClassList) }},
}
