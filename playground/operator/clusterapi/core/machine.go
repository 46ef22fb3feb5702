package core

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	"kubewalk/playground/operator/clusterapi/kit"
	"kubewalk/playground/operator/controllerruntime/builder"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/controller"
	"kubewalk/playground/operator/controllerruntime/controllerutil"
	"kubewalk/playground/operator/controllerruntime/reconcile"
)

// externalReadyWait is when an object that is missing is looked for again. Upstream: machine_controller_phases.go.
const externalReadyWait = 30 * time.Second

// notConnectedInterval is when somebody looks again who needs a workload cluster. Upstream: machine_controller.go.
const notConnectedInterval = time.Minute

// machineReconciler makes a node of each Machine. Upstream: reconcilers/machine.
type machineReconciler struct {
	*kit.Program
	recorder   *kit.Recorder
	controller *controller.Controller
	watched    []api.GroupVersionKind
	notBefore  map[string]time.Duration // when a deletion goes on. Upstream: DeferNextReconcileForObject
	clusters   *kit.ClusterCache
}

func setupMachine(p *kit.Program, dial kit.Dialer) (err error) {
	r := &machineReconciler{Program: p, recorder: p.Recorder("machine-controller"), notBefore: map[string]time.Duration{}}
	machines := func(match func(m *clusterv1.Machine) bool) []reconcile.Request {
		return kit.Requests(kit.Known(p, &clusterv1.Machine{}, match))
	}
	r.clusters = kit.NewClusterCache(p, dial, true, func(cluster types.NamespacedName, node *corev1.Node) {
		r.controller.Enqueue(machines(func(m *clusterv1.Machine) bool {
			return m.Namespace == cluster.Namespace && m.Spec.ClusterName == cluster.Name &&
				(node == nil || node.Spec.ProviderID != "" && m.Spec.ProviderID == node.Spec.ProviderID)
		})...)
	})
	r.controller, err = builder.ControllerManagedBy(p.Manager).For(&clusterv1.Machine{}).Named("machine").
		Watches(&clusterv1.Cluster{}, func(obj api.Object) []reconcile.Request {
			return machines(func(m *clusterv1.Machine) bool {
				return m.Namespace == obj.GetNamespace() && m.Spec.ClusterName == obj.GetName()
			})
		}).
		Watches(&corev1.Node{}, func(obj api.Object) []reconcile.Request {
			node := obj.(*corev1.Node)
			return machines(func(m *clusterv1.Machine) bool {
				return node.Spec.ProviderID != "" && m.Spec.ProviderID == node.Spec.ProviderID
			})
		}).Build(r)
	return err
}

// scope is what one reconciliation finds and does.
type scope struct {
	cluster                         *clusterv1.Cluster
	machine                         *clusterv1.Machine
	infra, bootstrap                *api.Unstructured // nil for none
	there                           client.Transport  // to the cluster that the Machine is for; nil for no connection
	node                            *corev1.Node      // nil for none
	deletingReason, deletingMessage string
}

// Reconcile implements reconcile.Reconciler.
func (r *machineReconciler) Reconcile(ctx context.Context, req reconcile.Request) (result reconcile.Result, err error) {
	m := &clusterv1.Machine{}
	if err := r.Get(ctx, req.NamespacedName, m); err != nil {
		delete(r.notBefore, req.String())
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	s := &scope{machine: m, cluster: &clusterv1.Cluster{}}
	if err := r.Get(ctx, crclient.ObjectKey{Namespace: m.Namespace, Name: m.Spec.ClusterName}, s.cluster); err != nil {
		return reconcile.Result{}, fmt.Errorf("failed to get cluster %q for machine %q in namespace %q: %w", m.Spec.ClusterName, m.Name, m.Namespace, err)
	}
	s.there, _ = r.clusters.Get(s.cluster)
	patcher := kit.NewPatcher(r.Program, m)
	if m.DeletionTimestamp == nil && controllerutil.AddFinalizer(m, clusterv1.MachineFinalizer) {
		return reconcile.Result{}, patcher.Patch(ctx, m)
	}
	if wait := r.notBefore[req.String()] - ctx.Proc.Now(); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	// region phases
	phases := []func(context.Context, *scope) (reconcile.Result, error){
		r.reconcileOwnerAndLabels,
		r.reconcileBootstrap,
		r.reconcileInfrastructure,
		r.reconcileNode,
	}
	if m.DeletionTimestamp != nil {
		phases = append(phases, r.reconcileDelete)
	}
	for _, phase := range phases {
		var next reconcile.Result
		if next, err = phase(ctx, s); err != nil {
			break
		}
		if next.RequeueAfter > 0 && (result.RequeueAfter == 0 || next.RequeueAfter < result.RequeueAfter) {
			result = next
		}
	}
	r.updateStatus(s)
	// endregion
	if err == nil {
		m.Status.ObservedGeneration = m.Generation
	}
	if writeErr := patcher.Patch(ctx, m); err == nil {
		err = writeErr
	}
	if err != nil {
		result = reconcile.Result{}
	}
	return result, err
}

func (r *machineReconciler) reconcileOwnerAndLabels(_ context.Context, s *scope) (reconcile.Result, error) {
	m := s.machine
	if metav1.GetControllerOf(m) == nil && !slices.ContainsFunc(m.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == s.cluster.UID }) {
		m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster",
			Name: s.cluster.Name, UID: s.cluster.UID}) // a Machine of its own
	}
	m.Labels = kit.With(m.Labels, clusterv1.ClusterNameLabel, m.Spec.ClusterName)
	return reconcile.Result{}, nil
}

// region external

// reconcileExternal reads an object of a provider, whatever its
// kind, has its events lead to the Machine, and makes the
// Machine its owner.
func (r *machineReconciler) reconcileExternal(
	ctx context.Context, m *clusterv1.Machine,
	ref clusterv1.ContractVersionedObjectReference,
) (*api.Unstructured, error) {
	obj, err := r.GetExternal(ctx, ref, m.Namespace)
	if err != nil {
		return nil, err
	}
	if gvk := api.KindOf(obj).GroupVersionKind; !slices.Contains(r.watched, gvk) {
		r.watched = append(r.watched, gvk)
		r.controller.Watch(ctx.Proc, &controller.Watch{
			Type: obj, Owner: clusterv1.GroupVersion.WithKind("Machine")})
	}
	if owner := metav1.GetControllerOf(obj); owner != nil && owner.UID == m.UID {
		return obj, nil
	}
	patcher := kit.NewPatcher(r.Program, obj)
	obj.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(
		m, clusterv1.GroupVersion.WithKind("Machine"))}
	obj.Labels = kit.With(obj.Labels, clusterv1.ClusterNameLabel, m.Spec.ClusterName)
	return obj, patcher.Patch(ctx, obj)
}

// endregion

// missing is what to do about an object of a provider that could not be read.
func missing(ctx context.Context, m *clusterv1.Machine, what string, err error) (reconcile.Result, error) {
	switch {
	case !apierrors.IsNotFound(err):
		return reconcile.Result{}, err
	case m.DeletionTimestamp != nil:
		return reconcile.Result{}, nil
	}
	ctx.Logger.Info("Could not find " + what + ", requeuing")
	return reconcile.Result{RequeueAfter: externalReadyWait}, nil
}

// region bootstrap

func (r *machineReconciler) reconcileBootstrap(ctx context.Context, s *scope) (reconcile.Result, error) {
	m := s.machine
	if !m.Spec.Bootstrap.ConfigRef.IsDefined() {
		return reconcile.Result{}, nil
	}
	obj, err := r.reconcileExternal(ctx, m, m.Spec.Bootstrap.ConfigRef)
	if err != nil {
		return missing(ctx, m, "bootstrap config object", err)
	}
	s.bootstrap = obj
	created, _ := kit.Field[bool](obj, "status", "initialization", "dataSecretCreated")
	if m.Spec.Bootstrap.DataSecretName == nil {
		if !created || obj.DeletionTimestamp != nil {
			ctx.Logger.Info("Waiting for bootstrap provider to generate data secret and set status.initialization.dataSecretCreated")
			return reconcile.Result{}, nil
		}
		secret, _ := kit.Field[string](obj, "status", "dataSecretName")
		m.Spec.Bootstrap.DataSecretName = &secret
		ctx.Logger.Info("Bootstrap provider generated data secret", "Secret", m.Namespace+"/"+secret)
	}
	m.Status.Initialization.BootstrapDataSecretCreated = kit.To(true)
	return reconcile.Result{}, nil
}

// endregion

// region infrastructure

func (r *machineReconciler) reconcileInfrastructure(ctx context.Context, s *scope) (reconcile.Result, error) {
	m := s.machine
	obj, err := r.reconcileExternal(ctx, m, m.Spec.InfrastructureRef)
	if err != nil {
		return missing(ctx, m, "InfrastructureMachine", err)
	}
	s.infra = obj
	if obj.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	before := kit.Deref(m.Status.Initialization.InfrastructureProvisioned)
	provisioned, _ := kit.Field[bool](obj, "status", "initialization", "provisioned")
	if !provisioned && !before {
		ctx.Logger.Info("Waiting for infrastructure provider to set status.initialization.provisioned on " + obj.Kind)
		return reconcile.Result{}, nil
	}
	providerID, _ := kit.Field[string](obj, "spec", "providerID")
	if providerID == "" {
		ctx.Logger.Info("Waiting for infrastructure provider to set spec.providerID on " + obj.Kind)
		return reconcile.Result{}, nil
	}
	if !before {
		ctx.Logger.Info("Infrastructure provider has completed provisioning", obj.Kind, m.Namespace+"/"+obj.Name)
	}
	m.Status.Addresses, _ = kit.Field[[]any](obj, "status", "addresses")
	m.Spec.ProviderID = providerID
	m.Status.Initialization.InfrastructureProvisioned = kit.To(true)
	return reconcile.Result{}, nil
}

// endregion

// region node

// reconcileNode finds the Node with the machine's providerID.
func (r *machineReconciler) reconcileNode(ctx context.Context, s *scope) (reconcile.Result, error) {
	m := s.machine
	if m.Spec.ProviderID == "" {
		return reconcile.Result{}, nil
	}
	nodes, err := r.clusters.Nodes(ctx, s.cluster, func(n *corev1.Node) bool {
		return n.Spec.ProviderID == m.Spec.ProviderID
	})
	switch {
	case kit.IgnoreNotConnected(ctx, err):
		return reconcile.Result{RequeueAfter: notConnectedInterval}, nil
	case err != nil:
		return reconcile.Result{}, err
	case len(nodes) == 0 && m.DeletionTimestamp != nil:
		return reconcile.Result{}, nil
	case len(nodes) == 0 && m.Status.NodeRef.Name != "":
		return reconcile.Result{}, fmt.Errorf("no matching Node for Machine %q in namespace %q", m.Name, m.Namespace)
	case len(nodes) == 0:
		ctx.Logger.Info("Infrastructure provider reporting spec.providerID, matching Kubernetes Node is not yet available", "providerID", m.Spec.ProviderID)
		return reconcile.Result{}, nil
	}
	s.node = nodes[0]
	if m.Status.NodeRef.Name == "" {
		m.Status.NodeRef.Name = s.node.Name
		ctx.Logger.Info("Infrastructure provider reporting spec.providerID, Kubernetes Node is now available", "Node", s.node.Name)
		r.recorder.Eventf(m, corev1.EventTypeNormal, "SuccessfulSetNodeRef", "%s", s.node.Name)
	}
	return reconcile.Result{}, r.patchNode(ctx, s)
}

// endregion

// patchNode says on the Node which Machine it is, and takes off the taint that it came with.
func (r *machineReconciler) patchNode(ctx context.Context, s *scope) error {
	if s.there == nil {
		return nil
	}
	m, patcher := s.machine, kit.NewPatcherIn(r.Program, s.there, s.node)
	annotations := map[string]string{clusterv1.ClusterNameAnnotation: m.Spec.ClusterName, clusterv1.ClusterNamespaceAnnotation: m.Namespace,
		clusterv1.MachineAnnotation: m.Name}
	if owner := metav1.GetControllerOf(m); owner != nil {
		annotations[clusterv1.OwnerKindAnnotation], annotations[clusterv1.OwnerNameAnnotation] = owner.Kind, owner.Name
	}
	for key, value := range annotations { // order: each fills its own key
		s.node.Annotations = kit.With(s.node.Annotations, key, value)
	}
	s.node.Spec.Taints = slices.DeleteFunc(s.node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == clusterv1.NodeUninitializedTaint })
	return patcher.Patch(ctx, s.node)
}

// updateStatus derives conditions and the phase from what was found. Upstream: machine_controller_status.go.
func (r *machineReconciler) updateStatus(s *scope) {
	m := s.machine
	set := func(name string, status metav1.ConditionStatus, reason, message string) {
		kit.SetCondition(&m.Status.Conditions, r.Now(), metav1.Condition{Type: name, Status: status, Reason: reason, Message: message,
			ObservedGeneration: m.Generation})
	}
	external := func(name string, ref clusterv1.ContractVersionedObjectReference, obj *api.Unstructured, field string, done bool) {
		switch {
		case obj == nil && done:
			set(name, metav1.ConditionFalse, "ObjectDeleted", ref.Kind+" has been deleted")
		case obj == nil:
			set(name, metav1.ConditionFalse, "ObjectDoesNotExist", ref.Kind+" does not exist")
		case done:
			set(name, metav1.ConditionTrue, "Ready", "")
		default:
			set(name, metav1.ConditionFalse, "NotReady", fmt.Sprintf("%s %s is false", ref.Kind, field))
		}
	}
	if m.Spec.Bootstrap.ConfigRef.IsDefined() {
		external("BootstrapConfigReady", m.Spec.Bootstrap.ConfigRef, s.bootstrap, "status.initialization.dataSecretCreated",
			kit.Deref(m.Status.Initialization.BootstrapDataSecretCreated))
	} else {
		set("BootstrapConfigReady", metav1.ConditionTrue, "DataSecretProvided", "")
	}
	external("InfrastructureReady", m.Spec.InfrastructureRef, s.infra, "status.initialization.provisioned",
		kit.Deref(m.Status.Initialization.InfrastructureProvisioned))
	r.nodeConditions(s, set)
	if m.DeletionTimestamp == nil {
		set("Deleting", metav1.ConditionFalse, "NotDeleting", "")
	} else if s.deletingReason != "" {
		set("Deleting", metav1.ConditionTrue, s.deletingReason, s.deletingMessage)
	}
	r.summary(m, set)
	phase := clusterv1.MachinePhasePending
	if kit.Deref(m.Status.Initialization.BootstrapDataSecretCreated) && !kit.Deref(m.Status.Initialization.InfrastructureProvisioned) {
		phase = clusterv1.MachinePhaseProvisioning
	}
	if m.Spec.ProviderID != "" {
		phase = clusterv1.MachinePhaseProvisioned
	}
	if m.Status.NodeRef.Name != "" && kit.Deref(m.Status.Initialization.InfrastructureProvisioned) {
		phase = clusterv1.MachinePhaseRunning
	}
	if m.DeletionTimestamp != nil {
		phase = clusterv1.MachinePhaseDeleting
	}
	if m.Status.Phase != phase {
		now := metav1.NewTime(r.Now()).Rfc3339Copy()
		m.Status.LastUpdated = &now
	}
	m.Status.Phase = phase
}

// nodeConditions say what is known of the Node.
func (r *machineReconciler) nodeConditions(s *scope, set func(name string, status metav1.ConditionStatus, reason, message string)) {
	m := s.machine
	both := func(status metav1.ConditionStatus, reason, message string) {
		set("NodeReady", status, reason, message)
		set("NodeHealthy", status, reason, message)
	}
	switch {
	case !kit.IsTrue(s.cluster.Status.Conditions, "ControlPlaneInitialized") && s.node == nil:
		both(metav1.ConditionUnknown, "InspectionFailed", "Waiting for Cluster control plane to be initialized")
	case s.there == nil:
		both(metav1.ConditionUnknown, "ConnectionDown", "Remote connection not established yet")
	case s.node != nil:
		i := slices.IndexFunc(s.node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
		switch {
		case i < 0:
			set("NodeReady", metav1.ConditionUnknown, "NodeReadyUnknown", "* Node.Ready: Condition not yet reported")
			set("NodeHealthy", metav1.ConditionUnknown, "NodeHealthyUnknown", "* Node.Ready: Condition not yet reported")
		case s.node.Status.Conditions[i].Status == corev1.ConditionTrue:
			set("NodeReady", metav1.ConditionTrue, "NodeReady", "")
			set("NodeHealthy", metav1.ConditionTrue, "NodeHealthy", "")
		default:
			message := "* Node.Ready: " + s.node.Status.Conditions[i].Message
			if s.node.Status.Conditions[i].Status == corev1.ConditionFalse {
				set("NodeReady", metav1.ConditionFalse, "NodeNotReady", message)
				set("NodeHealthy", metav1.ConditionFalse, "NodeNotHealthy", message)
			} else {
				set("NodeReady", metav1.ConditionUnknown, "NodeReadyUnknown", message)
				set("NodeHealthy", metav1.ConditionUnknown, "NodeHealthyUnknown", message)
			}
		}
	case m.DeletionTimestamp != nil && m.Status.NodeRef.Name != "":
		both(metav1.ConditionFalse, "NodeDeleted", "Node "+m.Status.NodeRef.Name+" has been deleted")
	case m.Status.NodeRef.Name != "":
		both(metav1.ConditionFalse, "NodeDeleted", "Node "+m.Status.NodeRef.Name+" has been deleted while the Machine still exists")
	case m.Spec.ProviderID != "":
		both(metav1.ConditionUnknown, "InspectionFailed", "Waiting for a Node with spec.providerID "+m.Spec.ProviderID+" to exist")
	default:
		both(metav1.ConditionUnknown, "InspectionFailed", "Waiting for "+m.Spec.InfrastructureRef.Kind+" to report spec.providerID")
	}
}

// summary makes Ready of the other conditions, and Available of Ready.
func (r *machineReconciler) summary(m *clusterv1.Machine, set func(name string, status metav1.ConditionStatus, reason, message string)) {
	var bad, unknown []string
	if d := kit.Condition(m.Status.Conditions, "Deleting"); d != nil && d.Status == metav1.ConditionTrue {
		bad = append(bad, "* Deleting: "+strings.ReplaceAll(d.Message, "\n", "\n  "))
	}
	for _, name := range []string{"BootstrapConfigReady", "InfrastructureReady", "NodeHealthy"} {
		c := kit.Condition(m.Status.Conditions, name)
		line := "* " + name + ": " + c.Message
		switch c.Status {
		case metav1.ConditionFalse:
			bad = append(bad, line)
		case metav1.ConditionUnknown:
			unknown = append(unknown, line)
		}
	}
	switch {
	case len(bad) > 0:
		set("Ready", metav1.ConditionFalse, "NotReady", strings.Join(append(bad, unknown...), "\n"))
	case len(unknown) > 0:
		set("Ready", metav1.ConditionUnknown, "ReadyUnknown", strings.Join(unknown, "\n"))
	default:
		set("Ready", metav1.ConditionTrue, "Ready", "")
	}
	if kit.IsTrue(m.Status.Conditions, "Ready") {
		set("Available", metav1.ConditionTrue, "Available", "")
	} else {
		set("Available", metav1.ConditionFalse, "NotReady", "")
	}
}
