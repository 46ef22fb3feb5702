package client

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// AppsV1Client are the resources of group apps.
// Upstream: k8s.io/client-go/kubernetes/typed/apps/v1.
type AppsV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	ControllerRevisionInterface = ResourceClient[*appsv1.ControllerRevision, *appsv1.ControllerRevisionList]
	DaemonSetInterface          = ResourceClient[*appsv1.DaemonSet, *appsv1.DaemonSetList]
	StatefulSetInterface        = scalable[*appsv1.StatefulSet, *appsv1.StatefulSetList]
	DeploymentInterface         = scalable[*appsv1.Deployment, *appsv1.DeploymentList]
	ReplicaSetInterface         = scalable[*appsv1.ReplicaSet, *appsv1.ReplicaSetList]
)

// Deployments are the Deployments of a namespace.
func (c AppsV1Client) Deployments(namespace string) DeploymentInterface {
	return DeploymentInterface{newResource[*appsv1.Deployment, *appsv1.DeploymentList](c.transport, apps, "deployments", namespace)}
}

// ReplicaSets are the ReplicaSets of a namespace.
func (c AppsV1Client) ReplicaSets(namespace string) ReplicaSetInterface {
	return ReplicaSetInterface{newResource[*appsv1.ReplicaSet, *appsv1.ReplicaSetList](c.transport, apps, "replicasets", namespace)}
}

// ControllerRevisions are the ControllerRevisions of a namespace.
func (c AppsV1Client) ControllerRevisions(namespace string) ControllerRevisionInterface {
	return newResource[*appsv1.ControllerRevision, *appsv1.ControllerRevisionList](c.transport, apps, "controllerrevisions", namespace)
}

// DaemonSets are the DaemonSets of a namespace.
func (c AppsV1Client) DaemonSets(namespace string) DaemonSetInterface {
	return newResource[*appsv1.DaemonSet, *appsv1.DaemonSetList](c.transport, apps, "daemonsets", namespace)
}

// StatefulSets are the StatefulSets of a namespace.
func (c AppsV1Client) StatefulSets(namespace string) StatefulSetInterface {
	return StatefulSetInterface{newResource[*appsv1.StatefulSet, *appsv1.StatefulSetList](c.transport, apps, "statefulsets", namespace)}
}

// scalable is a resource with a subresource scale.
type scalable[T api.Object, L api.List] struct {
	ResourceClient[T, L]
}

// GetScale reads the number of replicas, asked for and there.
func (c scalable[T, L]) GetScale(p *sim.Proc, name string, opts metav1.GetOptions) (*autoscalingv1.Scale, error) {
	return As[*autoscalingv1.Scale](c.transport.Do(p, c.at(&Request{Verb: Get, Name: name, Subresource: "scale",
		List: metav1.ListOptions{ResourceVersion: opts.ResourceVersion}})))
}

// UpdateScale asks for a number of replicas.
func (c scalable[T, L]) UpdateScale(p *sim.Proc, name string, scale *autoscalingv1.Scale, opts metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	return As[*autoscalingv1.Scale](c.transport.Do(p, c.at(&Request{Verb: Update, Name: name, Subresource: "scale", Object: scale,
		DryRun: isDryRun(opts.DryRun), FieldManager: opts.FieldManager})))
}
