package printers

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/appsv1"
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
	"kubewalk/playground/api/storagev1"
)

// cells are an object's row, nil for a kind that has no columns of its own.
// Upstream: printers.go, AddHandlers.
func (p printer) cells(obj api.Object) []any {
	switch o := obj.(type) {
	case *corev1.Pod:
		return p.printPod(o)
	case *corev1.PodTemplate:
		return p.printPodTemplate(o)
	case *corev1.ReplicationController:
		return p.printReplicationController(o)
	case *corev1.Service:
		return p.printService(o)
	case *corev1.Endpoints:
		return []any{o.Name, formatEndpoints(o), p.created(o)}
	case *corev1.Node:
		return p.printNode(o)
	case *corev1.Event:
		return p.printEvent(o)
	case *corev1.Namespace:
		return []any{o.Name, string(o.Status.Phase), p.created(o)}
	case *corev1.Secret:
		return []any{o.Name, string(o.Type), int64(len(o.Data)), p.created(o)}
	case *corev1.ServiceAccount:
		return []any{o.Name, p.created(o)}
	case *corev1.PersistentVolume:
		return p.printPersistentVolume(o)
	case *corev1.PersistentVolumeClaim:
		return p.printPersistentVolumeClaim(o)
	case *corev1.ComponentStatus:
		return p.printComponentStatus(o)
	case *corev1.ConfigMap:
		return []any{o.Name, int64(len(o.Data) + len(o.BinaryData)), p.created(o)}
	case *corev1.ResourceQuota:
		return p.printResourceQuota(o)
	case *appsv1.ReplicaSet:
		return p.printReplicaSet(o)
	case *appsv1.Deployment:
		return p.printDeployment(o)
	case *appsv1.DaemonSet:
		return p.printDaemonSet(o)
	case *appsv1.StatefulSet:
		return p.printStatefulSet(o)
	case *appsv1.ControllerRevision:
		return p.printControllerRevision(o)
	case *batchv1.Job:
		return p.printJob(o)
	case *batchv1.CronJob:
		return p.printCronJob(o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		return p.printHorizontalPodAutoscaler(o)
	case *autoscalingv1.Scale:
		return []any{o.Name, int64(o.Spec.Replicas), int64(o.Status.Replicas), p.created(o)}
	case *policyv1.PodDisruptionBudget:
		return p.printPodDisruptionBudget(o)
	case *schedulingv1.PriorityClass:
		return []any{o.Name, int64(o.Value), o.GlobalDefault, p.created(o), some(o.PreemptionPolicy, "")}
	case *coordinationv1.Lease:
		return []any{o.Name, some(o.Spec.HolderIdentity, ""), p.created(o)}
	case *discoveryv1.EndpointSlice:
		return []any{o.Name, string(o.AddressType), formatDiscoveryPorts(o.Ports), formatDiscoveryEndpoints(o.Endpoints), p.created(o)}
	case *eventsv1.Event:
		return p.printEvent(coreEvent(o))
	case *networkingv1.Ingress:
		return p.printIngress(o)
	case *networkingv1.IngressClass:
		return p.printIngressClass(o)
	case *networkingv1.NetworkPolicy:
		return []any{o.Name, formatLabelSelector(&o.Spec.PodSelector), p.created(o)}
	case *networkingv1.IPAddress:
		return p.printIPAddress(o)
	case *networkingv1.ServiceCIDR:
		return p.printServiceCIDR(o)
	case *rbacv1.RoleBinding:
		return p.printBinding(o, o.RoleRef, o.Subjects)
	case *rbacv1.ClusterRoleBinding:
		return p.printBinding(o, o.RoleRef, o.Subjects)
	case *storagev1.StorageClass:
		return p.printStorageClass(o)
	case *storagev1.VolumeAttributesClass:
		return []any{o.Name, o.DriverName, p.created(o)}
	case *storagev1.VolumeAttachment:
		return []any{o.Name, o.Spec.Attacher, some(o.Spec.Source.PersistentVolumeName, ""), o.Spec.NodeName, o.Status.Attached, p.created(o)}
	case *storagev1.CSINode:
		return []any{o.Name, int64(len(o.Spec.Drivers)), p.created(o)}
	case *storagev1.CSIDriver:
		return p.printCSIDriver(o)
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		return []any{o.Name, int64(len(o.Webhooks)), p.created(o)}
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		return []any{o.Name, int64(len(o.Webhooks)), p.created(o)}
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return []any{o.Name, int64(len(o.Spec.Validations)), paramKind(o.Spec.ParamKind), p.created(o)}
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		return []any{o.Name, int64(len(o.Spec.Mutations)), paramKind(o.Spec.ParamKind), p.created(o)}
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		return []any{o.Name, o.Spec.PolicyName, paramRef(o.Spec.ParamRef), p.created(o)}
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		return []any{o.Name, o.Spec.PolicyName, paramRef(o.Spec.ParamRef), p.created(o)}
	case *apiregistrationv1.APIService:
		return p.printAPIService(o)
	}
	if rareCells != nil {
		return rareCells(p, obj)
	}
	return nil
}

// rareCells are the cells of the kinds that not every server has, in builds that contain them.
var rareCells func(p printer, obj api.Object) []any
