package main

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// modulePath is where the generated packages stand.
const modulePath = "kubewalk/playground/api/"

// pkg is one generated package. Everything that its roots reach is generated too, into the package of its own name.
type pkg struct {
	name     string
	upstream string
	roots    []any
}

// packages says what is generated. To serve another kind, add it (and its list) here, run go generate, and register it
// in playground/api/kinds.go.
var packages = []pkg{
	{"metav1", "k8s.io/apimachinery/pkg/apis/meta/v1", []any{
		metav1.TypeMeta{}, metav1.ObjectMeta{}, metav1.ListMeta{}, metav1.OwnerReference{}, metav1.LabelSelector{},
		metav1.Condition{}, metav1.ManagedFieldsEntry{}, metav1.Preconditions{},
		metav1.GetOptions{}, metav1.ListOptions{}, metav1.CreateOptions{}, metav1.UpdateOptions{}, metav1.PatchOptions{},
		metav1.DeleteOptions{},
		metav1.Status{}, metav1.StatusDetails{}, metav1.StatusCause{},
		metav1.APIVersions{}, metav1.APIGroup{}, metav1.APIGroupList{}, metav1.APIResource{}, metav1.APIResourceList{},
	}},
	{"corev1", "k8s.io/api/core/v1", []any{
		corev1.Pod{}, corev1.PodList{}, corev1.PodTemplateSpec{}, corev1.Binding{},
		corev1.Node{}, corev1.NodeList{}, corev1.Namespace{}, corev1.NamespaceList{},
		corev1.Event{}, corev1.EventList{}, corev1.ConfigMap{}, corev1.ConfigMapList{},
		corev1.Secret{}, corev1.SecretList{}, corev1.Service{}, corev1.ServiceList{},
		corev1.ServiceAccount{}, corev1.ServiceAccountList{}, corev1.Endpoints{}, corev1.EndpointsList{},
		corev1.LimitRange{}, corev1.LimitRangeList{}, corev1.ResourceQuota{}, corev1.ResourceQuotaList{},
		corev1.PersistentVolume{}, corev1.PersistentVolumeList{}, corev1.PersistentVolumeClaim{}, corev1.PersistentVolumeClaimList{},
		corev1.PodTemplate{}, corev1.PodTemplateList{}, corev1.ReplicationController{}, corev1.ReplicationControllerList{},
		corev1.ComponentStatus{}, corev1.ComponentStatusList{}, corev1.PodLogOptions{},
	}},
	{"appsv1", "k8s.io/api/apps/v1", []any{
		appsv1.ReplicaSet{}, appsv1.ReplicaSetList{}, appsv1.Deployment{}, appsv1.DeploymentList{}, appsv1.DaemonSet{},
		appsv1.DaemonSetList{}, appsv1.StatefulSet{}, appsv1.StatefulSetList{}, appsv1.ControllerRevision{},
		appsv1.ControllerRevisionList{},
	}},
	{"coordinationv1", "k8s.io/api/coordination/v1", []any{
		coordinationv1.Lease{}, coordinationv1.LeaseList{},
	}},
	{"eventsv1", "k8s.io/api/events/v1", []any{
		eventsv1.Event{}, eventsv1.EventList{},
	}},
	{"autoscalingv1", "k8s.io/api/autoscaling/v1", []any{
		autoscalingv1.Scale{}, autoscalingv1.HorizontalPodAutoscaler{}, autoscalingv1.HorizontalPodAutoscalerList{},
		autoscalingv1.MetricSpec{}, autoscalingv1.MetricStatus{}, autoscalingv1.HorizontalPodAutoscalerCondition{}, // of its annotations
	}},
	{"autoscalingv2", "k8s.io/api/autoscaling/v2", []any{
		autoscalingv2.HorizontalPodAutoscaler{}, autoscalingv2.HorizontalPodAutoscalerList{},
	}},
	{"authenticationv1", "k8s.io/api/authentication/v1", []any{
		authenticationv1.TokenRequest{}, authenticationv1.TokenReview{}, authenticationv1.SelfSubjectReview{},
	}},
	{"authorizationv1", "k8s.io/api/authorization/v1", []any{
		authorizationv1.SelfSubjectAccessReview{}, authorizationv1.SubjectAccessReview{}, authorizationv1.LocalSubjectAccessReview{},
		authorizationv1.SelfSubjectRulesReview{},
	}},
	{"batchv1", "k8s.io/api/batch/v1", []any{
		batchv1.CronJob{}, batchv1.CronJobList{}, batchv1.Job{}, batchv1.JobList{},
	}},
	{"discoveryv1", "k8s.io/api/discovery/v1", []any{
		discoveryv1.EndpointSlice{}, discoveryv1.EndpointSliceList{},
	}},
	{"networkingv1", "k8s.io/api/networking/v1", []any{
		networkingv1.Ingress{}, networkingv1.IngressList{}, networkingv1.IngressClass{},
		networkingv1.IngressClassList{}, networkingv1.IPAddress{}, networkingv1.IPAddressList{},
		networkingv1.NetworkPolicy{}, networkingv1.NetworkPolicyList{}, networkingv1.ServiceCIDR{},
		networkingv1.ServiceCIDRList{},
	}},
	{"nodev1", "k8s.io/api/node/v1", []any{
		nodev1.RuntimeClass{}, nodev1.RuntimeClassList{},
	}},
	{"certificatesv1", "k8s.io/api/certificates/v1", []any{
		certificatesv1.CertificateSigningRequest{}, certificatesv1.CertificateSigningRequestList{},
	}},
	{"flowcontrolv1", "k8s.io/api/flowcontrol/v1", []any{
		flowcontrolv1.FlowSchema{}, flowcontrolv1.FlowSchemaList{}, flowcontrolv1.PriorityLevelConfiguration{},
		flowcontrolv1.PriorityLevelConfigurationList{},
	}},
	{"policyv1", "k8s.io/api/policy/v1", []any{
		policyv1.PodDisruptionBudget{}, policyv1.PodDisruptionBudgetList{}, policyv1.Eviction{},
	}},
	{"rbacv1", "k8s.io/api/rbac/v1", []any{
		rbacv1.ClusterRole{}, rbacv1.ClusterRoleList{}, rbacv1.ClusterRoleBinding{}, rbacv1.ClusterRoleBindingList{},
		rbacv1.Role{}, rbacv1.RoleList{}, rbacv1.RoleBinding{}, rbacv1.RoleBindingList{},
	}},
	{"resourcev1", "k8s.io/api/resource/v1", []any{
		resourcev1.DeviceClass{}, resourcev1.DeviceClassList{}, resourcev1.ResourceClaim{}, resourcev1.ResourceClaimList{},
		resourcev1.ResourceClaimTemplate{}, resourcev1.ResourceClaimTemplateList{}, resourcev1.ResourceSlice{}, resourcev1.ResourceSliceList{},
	}},
	{"schedulingv1", "k8s.io/api/scheduling/v1", []any{
		schedulingv1.PriorityClass{}, schedulingv1.PriorityClassList{},
	}},
	{"storagev1", "k8s.io/api/storage/v1", []any{
		storagev1.CSIDriver{}, storagev1.CSIDriverList{}, storagev1.CSINode{}, storagev1.CSINodeList{},
		storagev1.CSIStorageCapacity{}, storagev1.CSIStorageCapacityList{}, storagev1.StorageClass{},
		storagev1.StorageClassList{}, storagev1.VolumeAttachment{}, storagev1.VolumeAttachmentList{},
		storagev1.VolumeAttributesClass{}, storagev1.VolumeAttributesClassList{},
	}},
	{"admissionregistrationv1", "k8s.io/api/admissionregistration/v1", []any{
		admissionregistrationv1.MutatingAdmissionPolicy{}, admissionregistrationv1.MutatingAdmissionPolicyList{},
		admissionregistrationv1.MutatingAdmissionPolicyBinding{},
		admissionregistrationv1.MutatingAdmissionPolicyBindingList{},
		admissionregistrationv1.MutatingWebhookConfiguration{},
		admissionregistrationv1.MutatingWebhookConfigurationList{},
		admissionregistrationv1.ValidatingAdmissionPolicy{}, admissionregistrationv1.ValidatingAdmissionPolicyList{},
		admissionregistrationv1.ValidatingAdmissionPolicyBinding{},
		admissionregistrationv1.ValidatingAdmissionPolicyBindingList{},
		admissionregistrationv1.ValidatingWebhookConfiguration{},
		admissionregistrationv1.ValidatingWebhookConfigurationList{},
	}},
	{"apiextensionsv1", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", []any{
		apiextensionsv1.CustomResourceDefinition{}, apiextensionsv1.CustomResourceDefinitionList{},
	}},
	{"apiregistrationv1", "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1", []any{
		apiregistrationv1.APIService{}, apiregistrationv1.APIServiceList{},
	}},
}

// packageNames maps an upstream package to ours; the packages named here are written by hand.
var packageNames = func() map[string]string {
	m := map[string]string{
		"k8s.io/apimachinery/pkg/api/resource": "resource",
		"k8s.io/apimachinery/pkg/util/intstr":  "intstr",
		"k8s.io/apimachinery/pkg/types":        "types",
		"k8s.io/apimachinery/pkg/runtime":      "runtime",
	}
	for _, p := range packages {
		m[p.upstream] = p.name
	}
	return m
}()

// handWritten are the types inside generated packages that marshal themselves. Copying their value copies them whole.
var handWritten = map[string]bool{
	"metav1.Time": true, "metav1.MicroTime": true, "metav1.Duration": true, "metav1.FieldsV1": true,
}

// hot are the kinds that a busy cluster copies all the time: their copies are straight code.
var hot = []any{
	corev1.Pod{}, corev1.Node{}, corev1.Event{}, coordinationv1.Lease{}, discoveryv1.EndpointSlice{}, corev1.Endpoints{},
	appsv1.ReplicaSet{}, appsv1.Deployment{}, batchv1.Job{},
}

// cold are types inside the hot ones that few objects have, or that are large and mostly empty.
var cold = map[string]bool{
	"VolumeSource": true, "EphemeralContainer": true, "Affinity": true, "SecurityContext": true, "PodSecurityContext": true,
	"Lifecycle": true, "ContainerRestartRule": true, "PodResourceClaim": true, "PodDNSConfig": true, "PodFailurePolicy": true,
	"SuccessPolicy": true, "PodSchedulingGroup": true, "NodeConfigStatus": true, "NodeConfigSource": true, "ResourceHealth": true,
	"EventSeries": true, "EndpointHints": true, "ManagedFieldsEntry": true, "ContainerUser": true, "VolumeMountStatus": true,
	"PodExtendedResourceClaimStatus": true, "PodResourceClaimStatus": true, "ResourceStatus": true, "NodeRuntimeHandler": true,
}
