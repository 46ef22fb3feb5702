// Package defaults fills in what a manifest leaves open, so that everybody reads the same. What depends on more than the
// object itself (service account, priority, tolerations) is admission's.
//
// Upstream: pkg/apis/core/v1/defaults.go, pkg/apis/apps/v1/defaults.go and the generated zz_generated.defaults.go, which
// calls them for every container and volume.
package defaults

import (
	"maps"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/api/storagev1"
)

// Set fills in an object, which it changes.
func Set(obj api.Object) {
	switch o := obj.(type) {
	case *corev1.Pod:
		setPod(o)
	case *appsv1.ReplicaSet:
		orElse(&o.Spec.Replicas, 1)
		setPodSpec(&o.Spec.Template.Spec)
	case *appsv1.Deployment:
		setDeployment(o)
	case *appsv1.DaemonSet:
		setDaemonSet(o)
	case *appsv1.StatefulSet:
		setStatefulSet(o)
	case *corev1.ReplicationController:
		setReplicationController(o)
	case *corev1.PodTemplate:
		setPodSpec(&o.Template.Spec)
	case *corev1.Namespace:
		setNamespace(o)
	case *corev1.Node:
		if o.Status.Allocatable == nil && o.Status.Capacity != nil {
			o.Status.Allocatable = maps.Clone(o.Status.Capacity)
		}
	case *corev1.LimitRange:
		setLimitRange(o)
	case *corev1.Secret:
		if o.Type == "" {
			o.Type = corev1.SecretTypeOpaque
		}
	case *corev1.PersistentVolume:
		setPersistentVolume(o)
	case *corev1.PersistentVolumeClaim:
		setPersistentVolumeClaim(o)
	case *storagev1.StorageClass:
		setStorageClass(o)
	case *storagev1.CSIDriver:
		setCSIDriver(o)
	case *schedulingv1.PriorityClass:
		setPriorityClass(o)
	case *corev1.Service:
		setService(o)
	case *batchv1.Job:
		setJob(o)
	case *batchv1.CronJob:
		setCronJob(o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		setHorizontalPodAutoscaler(o)
	case *corev1.Endpoints:
		setEndpoints(o)
	case *discoveryv1.EndpointSlice:
		setEndpointSlice(o)
	case *networkingv1.NetworkPolicy:
		setNetworkPolicy(o)
	case *networkingv1.IngressClass:
		setIngressClass(o)
	default:
		setExtension(obj)
		if setRare != nil {
			setRare(obj)
		}
	}
}

// setRare is for the kinds that not every server has, in builds that contain them.
var setRare func(obj api.Object)

// orElse gives a missing value its default.
func orElse[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

func setPod(pod *corev1.Pod) {
	setPodSpec(&pod.Spec)
	orElse(&pod.Spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
	if pod.Spec.HostNetwork {
		defaultHostNetworkPorts(pod.Spec.Containers)
		defaultHostNetworkPorts(pod.Spec.InitContainers)
	}
	for _, list := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range list {
			requestLimits(&list[i].Resources)
		}
	}
}

// requestLimits makes a limit the request, if there is none. Upstream: SetDefaults_Pod.
func requestLimits(r *corev1.ResourceRequirements) {
	if r.Limits == nil {
		return
	}
	if r.Requests == nil {
		r.Requests = corev1.ResourceList{}
	}
	for name, limit := range r.Limits {
		if _, ok := r.Requests[name]; !ok {
			r.Requests[name] = limit
		}
	}
}

func defaultHostNetworkPorts(containers []corev1.Container) {
	for i := range containers {
		for j := range containers[i].Ports {
			if port := &containers[i].Ports[j]; port.HostPort == 0 {
				port.HostPort = port.ContainerPort
			}
		}
	}
}

func setPodSpec(spec *corev1.PodSpec) {
	// Kubernetes 1.36 serves no PodGroups unless asked to (GenericWorkload). Upstream drops the group when the object is stored:
	// pkg/api/pod/util.go, dropDisabledSchedulingGroup.
	spec.SchedulingGroup = nil
	if spec.DNSPolicy == "" {
		spec.DNSPolicy = corev1.DNSClusterFirst
	}
	if spec.RestartPolicy == "" {
		spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if spec.HostNetwork {
		defaultHostNetworkPorts(spec.Containers)
		defaultHostNetworkPorts(spec.InitContainers)
	}
	orElse(&spec.SecurityContext, corev1.PodSecurityContext{})
	orElse(&spec.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	if spec.SchedulerName == "" {
		spec.SchedulerName = corev1.DefaultSchedulerName
	}
	// The old name of the field is written as long as somebody may read it. Upstream: conversion.go.
	if spec.ServiceAccountName == "" {
		spec.ServiceAccountName = spec.DeprecatedServiceAccount
	}
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	for i := range spec.Volumes {
		setVolume(&spec.Volumes[i])
	}
	for i := range spec.InitContainers {
		setContainer(&spec.InitContainers[i])
	}
	for i := range spec.Containers {
		setContainer(&spec.Containers[i])
	}
	for i := range spec.EphemeralContainers {
		c := corev1.Container(spec.EphemeralContainers[i].EphemeralContainerCommon)
		setContainer(&c)
		spec.EphemeralContainers[i].EphemeralContainerCommon = corev1.EphemeralContainerCommon(c)
	}
}

// setNamespace labels a namespace with its name. Upstream: SetDefaults_Namespace.
func setNamespace(ns *corev1.Namespace) {
	if ns.Name == "" {
		return
	}
	if ns.Labels == nil {
		ns.Labels = map[string]string{}
	}
	ns.Labels[corev1.LabelMetadataName] = ns.Name
}
