package replicaset

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/sim"
)

// ReplicationName is the component of ReplicationControllers' controller.
const ReplicationName = "replication-controller"

// replicationControllerKind departs from a ReplicaSet's as upstream's does: the kind has no status.terminatingReplicas, and no
// cache is compared with what was written.
var replicationControllerKind = kind{
	GroupVersionKind: api.GroupVersionKind{Version: "v1", Kind: "ReplicationController"}, component: ReplicationName,
	queue: "replicationmanager",
	sets: func(c *client.Clientset, namespace string) sets {
		return replicationControllers{c.CoreV1().ReplicationControllers(namespace)}
	},
}

// NewReplicationManager makes the controller of ReplicationControllers. Its informer's cache holds them as ReplicaSets.
// Upstream: pkg/controller/replication/replication_controller.go, NewReplicationManager.
func NewReplicationManager(c *sim.Component, rcInformer informers.ReplicationControllerInformer, podInformer informers.PodInformer,
	kubeClient *client.Clientset, burstReplicas int) (*ReplicaSetController, error) {
	informer := rcInformer.Informer()
	if err := informer.SetTransform(func(obj any) (any, error) {
		rc, ok := obj.(*corev1.ReplicationController)
		if !ok {
			return nil, fmt.Errorf("replication-controller: a %T among ReplicationControllers", obj)
		}
		return toReplicaSet(rc), nil
	}); err != nil {
		return nil, err
	}
	return newController(c, replicationControllerKind, informer, podInformer, kubeClient, burstReplicas), nil
}

// replicationControllers are the ReplicationControllers of a namespace, in the API, as ReplicaSets.
// Upstream: pkg/controller/replication/conversion.go, conversionClient.
type replicationControllers struct {
	client client.ReplicationControllerInterface
}

func (c replicationControllers) Get(p *sim.Proc, name string, opts metav1.GetOptions) (*appsv1.ReplicaSet, error) {
	rc, err := c.client.Get(p, name, opts)
	if err != nil {
		return nil, err
	}
	return toReplicaSet(rc), nil
}

func (c replicationControllers) UpdateStatus(p *sim.Proc, rs *appsv1.ReplicaSet, opts metav1.UpdateOptions) (*appsv1.ReplicaSet, error) {
	rc, err := c.client.UpdateStatus(p, toReplicationController(rs), opts)
	if err != nil {
		return nil, err
	}
	return toReplicaSet(rc), nil
}

// toReplicaSet shares what the ReplicationController has. Upstream: core/v1/conversion.go,
// Convert_v1_ReplicationController_To_apps_ReplicaSet.
func toReplicaSet(rc *corev1.ReplicationController) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{
		ObjectMeta: rc.ObjectMeta,
		Spec:       appsv1.ReplicaSetSpec{Replicas: rc.Spec.Replicas, MinReadySeconds: rc.Spec.MinReadySeconds},
		Status: appsv1.ReplicaSetStatus{
			Replicas: rc.Status.Replicas, FullyLabeledReplicas: rc.Status.FullyLabeledReplicas, ReadyReplicas: rc.Status.ReadyReplicas,
			AvailableReplicas: rc.Status.AvailableReplicas, ObservedGeneration: rc.Status.ObservedGeneration,
		},
	}
	if rc.Spec.Selector != nil {
		rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: rc.Spec.Selector}
	}
	if rc.Spec.Template != nil {
		rs.Spec.Template = *rc.Spec.Template
	}
	for _, c := range rc.Status.Conditions {
		rs.Status.Conditions = append(rs.Status.Conditions, appsv1.ReplicaSetCondition{Type: appsv1.ReplicaSetConditionType(c.Type), Status: c.Status,
			LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message})
	}
	return rs
}

// toReplicationController is the way back, of a ReplicaSet that was made from one.
// Upstream: core/v1/conversion.go, Convert_apps_ReplicaSet_To_v1_ReplicationController.
func toReplicationController(rs *appsv1.ReplicaSet) *corev1.ReplicationController {
	rc := &corev1.ReplicationController{
		ObjectMeta: rs.ObjectMeta,
		Spec:       corev1.ReplicationControllerSpec{Replicas: rs.Spec.Replicas, MinReadySeconds: rs.Spec.MinReadySeconds, Template: &rs.Spec.Template},
		Status: corev1.ReplicationControllerStatus{
			Replicas: rs.Status.Replicas, FullyLabeledReplicas: rs.Status.FullyLabeledReplicas, ReadyReplicas: rs.Status.ReadyReplicas,
			AvailableReplicas: rs.Status.AvailableReplicas, ObservedGeneration: rs.Status.ObservedGeneration,
		},
	}
	if rs.Spec.Selector != nil {
		rc.Spec.Selector = rs.Spec.Selector.MatchLabels
	}
	for _, c := range rs.Status.Conditions {
		rc.Status.Conditions = append(rc.Status.Conditions, corev1.ReplicationControllerCondition{Type: corev1.ReplicationControllerConditionType(c.Type),
			Status: c.Status, LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message})
	}
	return rc
}
