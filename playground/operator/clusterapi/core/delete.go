package core

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	"kubewalk/playground/operator/clusterapi/kit"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/controllerutil"
	"kubewalk/playground/operator/controllerruntime/reconcile"
)

// drainRetryInterval is between two looks at a node that is drained. Upstream: machine_controller.go.
const drainRetryInterval = 20 * time.Second

var (
	errNilNodeRef            = errors.New("noderef is nil")
	errNoControlPlaneNodes   = errors.New("no control plane members")
	errClusterIsBeingDeleted = errors.New("cluster is being deleted")
)

// region delete

// reconcileDelete takes a machine away: its Pods, the machine,
// its bootstrap config, its Node, in this order. It is called
// again and again, and returns where it has to wait.
func (r *machineReconciler) reconcileDelete(ctx context.Context, s *scope) (reconcile.Result, error) {
	m := s.machine
	s.deletingReason, s.deletingMessage = "Deleting", "Deletion started"
	notAllowed := r.isDeleteNodeAllowed(ctx, s)
	if notAllowed != nil {
		ctx.Logger.Info("Skipping deletion of Kubernetes Node associated with Machine as it is not allowed", "cause", notAllowed.Error())
	} else {
		if hooks := preDrainHooks(m); len(hooks) > 0 {
			s.deletingReason = "WaitingForPreDrainHook"
			s.deletingMessage = "Waiting for pre-drain hooks to succeed (hooks: " + strings.Join(hooks, ",") + ")"
			return reconcile.Result{}, nil
		}
		if s.infra != nil && s.infra.DeletionTimestamp == nil {
			if result, err := r.drainNode(ctx, s); err != nil || result.RequeueAfter > 0 {
				return result, err
			}
			r.recorder.Eventf(m, corev1.EventTypeNormal, "SuccessfulDrainNode", "success draining Machine's node %q", m.Status.NodeRef.Name)
		}
	}
	if gone, err := r.reconcileDeleteExternal(ctx, s.infra); err != nil || !gone {
		s.deletingReason = "WaitingForInfrastructureDeletion"
		s.deletingMessage = "Waiting for " + m.Spec.InfrastructureRef.Kind + " to be deleted"
		return reconcile.Result{}, err
	}
	if gone, err := r.reconcileDeleteExternal(ctx, s.bootstrap); err != nil || !gone {
		s.deletingReason = "WaitingForBootstrapDeletion"
		s.deletingMessage = "Waiting for " + m.Spec.Bootstrap.ConfigRef.Kind + " to be deleted"
		return reconcile.Result{}, err
	}
	if notAllowed == nil {
		ctx.Logger.Info("Deleting Node", "Node", m.Status.NodeRef.Name)
		err := kit.ErrClusterNotConnected
		if s.there != nil {
			err = client.New(s.there).CoreV1().Nodes().Delete(ctx.Proc, m.Status.NodeRef.Name, metav1.DeleteOptions{})
		}
		if err != nil && !apierrors.IsNotFound(err) {
			s.deletingReason = "DeletingNode"
			s.deletingMessage = "Error deleting Node, please check controller logs for errors"
			r.recorder.Eventf(m, corev1.EventTypeWarning, "FailedDeleteNode", "error deleting Machine's Node: %v", err)
			return reconcile.Result{}, err
		}
	}
	s.deletingReason, s.deletingMessage = "DeletionCompleted", "Deletion completed"
	controllerutil.RemoveFinalizer(m, clusterv1.MachineFinalizer)
	return reconcile.Result{}, nil
}

// endregion

// isDeleteNodeAllowed tells whether there is a Node that should go: not the last one of a control plane, nor one whose cluster goes.
func (r *machineReconciler) isDeleteNodeAllowed(ctx context.Context, s *scope) error {
	switch {
	case s.cluster.DeletionTimestamp != nil:
		return errClusterIsBeingDeleted
	case s.machine.Status.NodeRef.Name == "":
		return errNilNodeRef
	}
	left, err := kit.List(ctx, r.Program, &clusterv1.Machine{}, func(m *clusterv1.Machine) bool {
		_, controlPlane := m.Labels[clusterv1.MachineControlPlaneLabel]
		return controlPlane && m.Namespace == s.machine.Namespace && m.Spec.ClusterName == s.cluster.Name && m.DeletionTimestamp == nil
	})
	if err == nil && len(left) == 0 {
		err = errNoControlPlaneNodes
	}
	return err
}

// preDrainHooks are annotations of those who want to be asked first.
func preDrainHooks(m *clusterv1.Machine) (out []string) {
	for key := range m.Annotations { // order: sorted below
		if strings.HasPrefix(key, clusterv1.PreDrainDeleteHookAnnotationPrefix) {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

// reconcileDeleteExternal deletes an object of a provider, and tells whether it is gone.
func (r *machineReconciler) reconcileDeleteExternal(ctx context.Context, obj *api.Unstructured) (gone bool, err error) {
	if obj == nil {
		return true, nil
	}
	if obj.DeletionTimestamp == nil {
		err = crclient.IgnoreNotFound(r.Delete(ctx, obj))
	}
	return false, err
}

// drainNode writes that a node is drained, and drains it. A result that isn't zero is that it has to be called again.
func (r *machineReconciler) drainNode(ctx context.Context, s *scope) (reconcile.Result, error) {
	m, patcher := s.machine, kit.NewPatcher(r.Program, s.machine)
	if m.Status.Deletion == nil {
		now := metav1.NewTime(r.Now()).Rfc3339Copy()
		m.Status.Deletion = &clusterv1.MachineDeletionStatus{NodeDrainStartTime: &now}
	}
	s.deletingReason = "DrainingNode"
	s.deletingMessage = fmt.Sprintf("Drain not completed yet (started at %s):", m.Status.Deletion.NodeDrainStartTime.Format(time.RFC3339))
	r.updateStatus(s)
	if err := patcher.Patch(ctx, m); err != nil {
		return reconcile.Result{}, err
	}
	result, err := r.evictPods(ctx, s)
	if err != nil {
		s.deletingMessage = "Error draining Node, please check controller logs for errors"
		r.recorder.Eventf(m, corev1.EventTypeWarning, "FailedDrainNode", "error draining Machine's node %q: %v", m.Status.NodeRef.Name, err)
	}
	return result, err
}

// skipDeletedAfter is when Pods of a node whose kubelet is gone are no longer waited for. Upstream: drain.Helper, SkipWaitForDeleteTimeoutSeconds.
const skipDeletedAfter = time.Second

// evictPods has no new Pods come to a node and evicts those that are there. Upstream: machine_controller.go, drainNode; machine/drain.
func (r *machineReconciler) evictPods(ctx context.Context, s *scope) (reconcile.Result, error) {
	m, options := s.machine, (*metav1.DeleteOptions)(nil)
	if s.there == nil {
		s.deletingMessage = "Requeuing drain Node because connection to the workload cluster is down"
		ctx.Logger.V(5).Info(s.deletingMessage)
		return reconcile.Result{RequeueAfter: drainRetryInterval}, nil
	}
	if s.node == nil {
		ctx.Logger.Info("Could not find Node from Machine.status.nodeRef, skipping Node drain.")
		return reconcile.Result{}, nil
	}
	unreachable := slices.ContainsFunc(s.node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown
	})
	if unreachable { // nobody is there who would confirm that a Pod has ended
		options = &metav1.DeleteOptions{GracePeriodSeconds: kit.To(int64(1))}
		ctx.Logger.V(3).Info("Node is unreachable, draining will use 1s GracePeriodSeconds and will ignore all Pods that have a deletionTimestamp > 1s old")
	}
	if !s.node.Spec.Unschedulable {
		cordon := kit.NewPatcherIn(r.Program, s.there, s.node)
		s.node.Spec.Unschedulable = true
		if err := cordon.Patch(ctx, s.node); err != nil {
			return reconcile.Result{}, fmt.Errorf("failed to cordon Node %s: %w", s.node.Name, err)
		}
	}
	pods, err := client.New(s.there).CoreV1().Pods("").List(ctx.Proc, metav1.ListOptions{FieldSelector: "spec.nodeName=" + s.node.Name})
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("failed to get Pods for eviction: %w", err)
	}
	var leaving, refused []string
	var why string
	for i := range pods.Items {
		pod := pods.Items[i]
		name := pod.Namespace + "/" + pod.Name
		if owner := metav1.GetControllerOf(&pod); owner != nil && owner.Kind == "DaemonSet" || pod.Annotations["kubernetes.io/config.mirror"] != "" {
			continue
		}
		if unreachable && pod.DeletionTimestamp != nil && r.Now().Sub(pod.DeletionTimestamp.Time).Truncate(time.Second) > skipDeletedAfter {
			continue
		}
		if pod.DeletionTimestamp == nil {
			eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}, DeleteOptions: options}
			_, err := s.there.Do(ctx.Proc, &client.Request{Verb: client.Create, Resource: api.KindOf(&pod).GroupVersionResource(),
				Subresource: "eviction", Namespace: pod.Namespace, Name: pod.Name, Object: eviction})
			switch {
			case apierrors.IsNotFound(err):
				continue
			case err != nil:
				refused, why = append(refused, name), err.Error()
				continue
			}
		}
		leaving = append(leaving, name)
	}
	if len(leaving)+len(refused) == 0 {
		ctx.Logger.Info("Drain completed")
		return reconcile.Result{}, nil
	}
	if len(leaving) > 0 {
		s.deletingMessage += "\n* " + list(leaving) + ": deletionTimestamp set, but still not removed from the Node"
	}
	if len(refused) > 0 {
		why = strings.Replace(why, "Cannot evict", "cannot evict", 1)
		if !strings.HasPrefix(why, "cannot evict") {
			why = "failed to evict Pod, " + why
		}
		s.deletingMessage += "\n* " + list(refused) + ": " + why
	}
	ctx.Logger.Info(fmt.Sprintf("Drain not completed yet, requeuing in %s", drainRetryInterval))
	r.notBefore[m.Namespace+"/"+m.Name] = ctx.Proc.Now() + drainRetryInterval
	return reconcile.Result{RequeueAfter: drainRetryInterval}, nil
}

// list names Pods as upstream's PodListToString with three of them.
func list(pods []string) string {
	kind, more := "Pod ", ""
	if len(pods) > 1 {
		kind = "Pods "
	}
	if len(pods) > 3 {
		pods, more = pods[:3], fmt.Sprintf(", ... (%d more)", len(pods)-3)
	}
	return kind + strings.Join(pods, ", ") + more
}
