package manager_test

import (
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/sim"
)

// TestEndpointSliceIsMadeOnce: what succeeds is not tried again, and nobody is told of a failure. Upstream: endpointslice_controller.go, syncService.
func TestEndpointSliceIsMadeOnce(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	w.create(webReplicaSet(2))
	w.do(func(p *sim.Proc) error {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}
		service.Spec.Selector, service.Spec.Ports = webReplicaSet(2).Spec.Selector.MatchLabels, []corev1.ServicePort{{Port: 80}}
		_, err := w.cs.CoreV1().Services("default").Create(p, service, metav1.CreateOptions{})
		return err
	})
	w.run(20 * time.Second)
	if failed := w.events("FailedToUpdateEndpointSlices"); len(failed) > 0 {
		t.Errorf("%s", failed[0].Message)
	}
}

// A ReplicationController says how many Pods it has. Upstream: replicaset/replica_set_utils.go, updateReplicaSetStatus, through replication/conversion.go.
func TestReplicationControllerStatus(t *testing.T) {
	w := newWorld(t, manager.DefaultOptions(), threeNodes...)
	two := int32(2)
	rc := &corev1.ReplicationController{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}
	rc.Spec.Replicas, rc.Spec.Selector = &two, webReplicaSet(2).Spec.Selector.MatchLabels
	template := webReplicaSet(2).Spec.Template
	rc.Spec.Template = &template
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.CoreV1().ReplicationControllers("default").Create(p, rc, metav1.CreateOptions{})
		return err
	})
	w.until(20*time.Second, "2 ready", func() bool {
		for _, rc := range objects[*corev1.ReplicationController](w, "replicationcontrollers") {
			return rc.Status.Replicas == 2 && rc.Status.ReadyReplicas == 2 && rc.Status.ObservedGeneration == rc.Generation
		}
		return false
	})
}
