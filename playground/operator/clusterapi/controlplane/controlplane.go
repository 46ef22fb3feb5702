// Package controlplane is a control plane provider: it makes the machine on which `kubeadm init` runs, with the certificates that are the
// cluster's, and the kubeconfig with which everybody else gets in. It knows no cloud.
//
// Simplified: there is one machine. More replicas, upgrades, remediation, members of etcd, and a new machine for one that is gone, are absent.
// Upstream: controlplane/kubeadm/internal/controllers of sigs.k8s.io/cluster-api v1.14.
package controlplane

import (
	"encoding/json"
	"fmt"
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
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/sim"
)

// Name is the program's component.
const Name = "capi-kubeadm-control-plane-controller-manager"

// GroupVersion is that of the provider's kinds.
var GroupVersion = api.GroupVersion{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2"}

// Finalizer keeps a KubeadmControlPlane until its Machines are gone.
const Finalizer = "kubeadm.controlplane.cluster.x-k8s.io"

// deleteRequeueAfter is how often it looks whether Machines are gone. Upstream: controller.go.
const deleteRequeueAfter = 30 * time.Second

// KubeadmControlPlane is what the machines of a control plane should be. Upstream: api/controlplane/kubeadm/v1beta2.
type KubeadmControlPlane struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   KubeadmControlPlaneSpec   `json:"spec,omitzero"`
	Status KubeadmControlPlaneStatus `json:"status,omitzero"`
}

// KubeadmControlPlaneSpec is what should be. What is under kubeadmConfigSpec is the bootstrap provider's, as in a KubeadmConfig.
type KubeadmControlPlaneSpec struct {
	Replicas          *int32          `json:"replicas,omitempty"`
	Version           string          `json:"version,omitempty"`
	MachineTemplate   MachineTemplate `json:"machineTemplate,omitzero"`
	KubeadmConfigSpec map[string]any  `json:"kubeadmConfigSpec,omitempty"`
}

// MachineTemplate is a Machine to be.
type MachineTemplate struct {
	Spec MachineTemplateSpec `json:"spec,omitzero"`
}

// MachineTemplateSpec names the template of the infrastructure.
type MachineTemplateSpec struct {
	InfrastructureRef clusterv1.ContractVersionedObjectReference `json:"infrastructureRef,omitzero"`
}

// KubeadmControlPlaneStatus is what is.
type KubeadmControlPlaneStatus struct {
	Initialization     Initialization     `json:"initialization,omitzero"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	Selector           string             `json:"selector,omitempty"`
	Replicas           *int32             `json:"replicas,omitempty"`
	ReadyReplicas      *int32             `json:"readyReplicas,omitempty"`
	AvailableReplicas  *int32             `json:"availableReplicas,omitempty"`
	Version            string             `json:"version,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
}

// Initialization is true once and for all.
type Initialization struct {
	ControlPlaneInitialized *bool `json:"controlPlaneInitialized,omitempty"`
}

// DeepCopyObject implements api.Object.
func (k *KubeadmControlPlane) DeepCopyObject() api.Object {
	out := &KubeadmControlPlane{}
	text, err := json.Marshal(k)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		panic(err) // it consists of texts, numbers and times
	}
	return out
}

type reconciler struct {
	*kit.Program
	clusters *kit.ClusterCache
}

// Start brings the program up.
func Start(k *sim.Kernel, t client.Transport, dial kit.Dialer) *sim.Component {
	return kit.Start(k, t, Name, func(p *kit.Program, scheme *runtime.Scheme) (err error) {
		scheme.AddKnownTypes(GroupVersion, &KubeadmControlPlane{})
		r := &reconciler{Program: p}
		of := func(namespace, cluster string) []reconcile.Request {
			return kit.Requests(kit.Known(p, &KubeadmControlPlane{}, func(kcp *KubeadmControlPlane) bool {
				return kcp.Namespace == namespace && kcp.Labels[clusterv1.ClusterNameLabel] == cluster
			}))
		}
		var running *controller.Controller
		r.clusters = kit.NewClusterCache(p, dial, false, func(cluster types.NamespacedName, _ *corev1.Node) {
			running.Enqueue(of(cluster.Namespace, cluster.Name)...)
		})
		running, err = builder.ControllerManagedBy(p.Manager).For(&KubeadmControlPlane{}).Named("kubeadmcontrolplane").Owns(&clusterv1.Machine{}).
			Watches(&clusterv1.Cluster{}, func(obj api.Object) []reconcile.Request { return of(obj.GetNamespace(), obj.GetName()) }).Build(r)
		return err
	})
}

// scope is what one reconciliation finds.
type scope struct {
	kcp           *KubeadmControlPlane
	cluster       *clusterv1.Cluster
	machines, all []*clusterv1.Machine // those of the control plane, and those of the cluster
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	kcp := &KubeadmControlPlane{}
	if err := r.Get(ctx, req.NamespacedName, kcp); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	owner := ownerCluster(kcp)
	if owner == "" {
		ctx.Logger.Info("Cluster Controller has not yet set OwnerRef")
		return reconcile.Result{}, nil
	}
	s := &scope{kcp: kcp, cluster: &clusterv1.Cluster{}}
	if err := r.Get(ctx, crclient.ObjectKey{Namespace: kcp.Namespace, Name: owner}, s.cluster); err != nil {
		return reconcile.Result{}, err
	}
	patcher := kit.NewPatcher(r.Program, kcp)
	if kcp.DeletionTimestamp == nil && controllerutil.AddFinalizer(kcp, Finalizer) {
		return reconcile.Result{}, patcher.Patch(ctx, kcp)
	}
	all, err := kit.List(ctx, r.Program, &clusterv1.Machine{}, func(m *clusterv1.Machine) bool {
		return m.Namespace == kcp.Namespace && m.Spec.ClusterName == s.cluster.Name
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	s.all = all
	for _, m := range all {
		if controller := metav1.GetControllerOf(m); controller != nil && controller.UID == kcp.UID {
			s.machines = append(s.machines, m)
		}
	}
	var result reconcile.Result
	if kcp.DeletionTimestamp != nil {
		result, err = r.reconcileDelete(ctx, s)
	} else {
		result, err = r.reconcile(ctx, s)
		if statusErr := r.updateStatus(ctx, s); err == nil {
			err = statusErr
		}
	}
	if kit.IgnoreNotConnected(ctx, err) { // there will be another look when it is connected
		err = nil
	}
	kcp.Status.ObservedGeneration = kcp.Generation
	if writeErr := patcher.Patch(ctx, kcp); err == nil {
		err = writeErr
	}
	if err != nil {
		result = reconcile.Result{}
	}
	return result, err
}

// ownerCluster is the name of the Cluster that a control plane belongs to. Upstream: util.GetOwnerCluster.
func ownerCluster(kcp *KubeadmControlPlane) string {
	for _, ref := range kcp.OwnerReferences {
		if ref.Kind == "Cluster" {
			return ref.Name
		}
	}
	return ""
}

// region reconcile

// reconcile makes what a control plane needs, in this order: its
// certificates, the kubeconfig that they are good for, and the
// Machine.
func (r *reconciler) reconcile(ctx context.Context, s *scope) (reconcile.Result, error) {
	if !kit.Deref(s.cluster.Status.Initialization.InfrastructureProvisioned) {
		ctx.Logger.Info("Cluster infrastructure is not ready yet")
		return reconcile.Result{}, nil
	}
	owner := *metav1.NewControllerRef(s.kcp, GroupVersion.WithKind("KubeadmControlPlane"))
	if err := kit.EnsureCertificates(ctx, r.Program, s.cluster, owner); err != nil {
		return reconcile.Result{}, fmt.Errorf("error in look up or create cluster certificates: %w", err)
	}
	r.condition(s, "CertificatesAvailable", metav1.ConditionTrue, "Available", "")
	if s.cluster.Spec.ControlPlaneEndpoint.Host == "" {
		ctx.Logger.Info("Cluster does not yet have a ControlPlaneEndpoint defined")
		return reconcile.Result{}, nil
	}
	if err := kit.EnsureKubeconfig(ctx, r.Program, s.cluster, owner); err != nil {
		return reconcile.Result{}, err
	}
	if len(s.machines) == 0 && !kit.Deref(s.kcp.Status.Initialization.ControlPlaneInitialized) {
		ctx.Logger.Info("Initializing control plane", "desired", kit.Deref(s.kcp.Spec.Replicas), "existing", 0)
		return reconcile.Result{}, r.initializeControlPlane(ctx, s, owner)
	}
	return reconcile.Result{}, nil
}

// endregion

// initializeControlPlane clones the templates, and makes the first Machine. Upstream: scale.go, helpers.go cloneConfigsAndGenerateMachine.
func (r *reconciler) initializeControlPlane(ctx context.Context, s *scope, owner metav1.OwnerReference) error {
	kcp, m := s.kcp, &clusterv1.Machine{}
	m.Namespace, m.Name = kcp.Namespace, kcp.Name+"-"+r.Rand.Suffix(5)
	m.Labels = map[string]string{clusterv1.ClusterNameLabel: s.cluster.Name, clusterv1.MachineControlPlaneLabel: "",
		"cluster.x-k8s.io/control-plane-name": kcp.Name}
	m.OwnerReferences, m.Finalizers = []metav1.OwnerReference{owner}, []string{clusterv1.MachineFinalizer}
	m.Spec.ClusterName, m.Spec.Version = s.cluster.Name, kcp.Spec.Version
	keeper := owner // of the clones, until the Machine is there
	keeper.Controller, keeper.BlockOwnerDeletion = nil, nil
	_, ref, err := r.CloneTemplate(ctx, kcp.Spec.MachineTemplate.Spec.InfrastructureRef, m, keeper)
	if err != nil {
		return fmt.Errorf("failed to create infrastructure machine: %w", err)
	}
	m.Spec.InfrastructureRef = ref
	config := clusterv1.ContractVersionedObjectReference{APIGroup: "bootstrap.cluster.x-k8s.io", Kind: "KubeadmConfig", Name: m.Name}
	if err := r.createKubeadmConfig(ctx, s, m, config, keeper); err != nil {
		return fmt.Errorf("failed to generate bootstrap config: %w", err)
	}
	m.Spec.Bootstrap.ConfigRef = config
	return r.Create(ctx, m)
}

// createKubeadmConfig makes the config of the first Machine: without what is for those that join.
func (r *reconciler) createKubeadmConfig(ctx context.Context, s *scope, m *clusterv1.Machine, ref clusterv1.ContractVersionedObjectReference,
	owner metav1.OwnerReference) error {
	kind, err := r.KindOf(ref)
	if err != nil {
		return err
	}
	config := api.NewUnstructured(kind)
	config.SetGroupVersionKind(kind.GroupVersionKind)
	config.Namespace, config.Name, config.Labels = m.Namespace, m.Name, m.Labels
	config.OwnerReferences = []metav1.OwnerReference{owner}
	spec := map[string]any{"clusterConfiguration": map[string]any{}, "initConfiguration": map[string]any{}}
	for _, part := range []string{"clusterConfiguration", "initConfiguration"} {
		if given, is := s.kcp.Spec.KubeadmConfigSpec[part].(map[string]any); is {
			spec[part] = api.CopyTree(given)
		}
	}
	config.Fields = map[string]any{"spec": spec}
	return r.Create(ctx, config)
}

// updateStatus asks the new cluster whether it is there: kubeadm's configuration is stored late in `kubeadm init`. Upstream: status.go.
func (r *reconciler) updateStatus(ctx context.Context, s *scope) error {
	status := &s.kcp.Status
	status.Selector = clusterv1.ClusterNameLabel + "=" + s.cluster.Name + "," + clusterv1.MachineControlPlaneLabel
	var ready, available int32
	for _, m := range s.machines {
		if kit.IsTrue(m.Status.Conditions, "Ready") {
			ready++
		}
		if kit.IsTrue(m.Status.Conditions, "Available") {
			available++
		}
		if m.Status.NodeRef.Name != "" {
			status.Version = m.Spec.Version
		}
	}
	status.Replicas, status.ReadyReplicas, status.AvailableReplicas = kit.To(int32(len(s.machines))), &ready, &available
	err := r.setControlPlaneInitialized(ctx, s)
	switch {
	case !kit.Deref(status.Initialization.ControlPlaneInitialized):
		r.condition(s, "Initialized", metav1.ConditionFalse, "NotInitialized", "")
		r.condition(s, "Available", metav1.ConditionFalse, "NotAvailable", "Control plane not yet initialized")
	case available == 0:
		r.condition(s, "Initialized", metav1.ConditionTrue, "Initialized", "")
		r.condition(s, "Available", metav1.ConditionFalse, "NotAvailable", "")
	default:
		r.condition(s, "Initialized", metav1.ConditionTrue, "Initialized", "")
		r.condition(s, "Available", metav1.ConditionTrue, "Available", "")
	}
	return err
}

func (r *reconciler) condition(s *scope, name string, status metav1.ConditionStatus, reason, message string) {
	kit.SetCondition(&s.kcp.Status.Conditions, r.Now(), metav1.Condition{Type: name, Status: status, Reason: reason, Message: message,
		ObservedGeneration: s.kcp.Generation})
}

// setControlPlaneInitialized looks for kubeadm's ConfigMap. Upstream: status.go, setControlPlaneInitialized; workload_cluster.go, ClusterStatus.
func (r *reconciler) setControlPlaneInitialized(ctx context.Context, s *scope) error {
	initialized := &s.kcp.Status.Initialization.ControlPlaneInitialized
	if kit.Deref(*initialized) || len(s.machines) == 0 || s.machines[0].DeletionTimestamp != nil {
		return nil
	}
	there, err := r.clusters.Get(s.cluster)
	if err != nil {
		return err
	}
	_, err = client.New(there).CoreV1().ConfigMaps("kube-system").Get(ctx.Proc, "kubeadm-config", metav1.GetOptions{})
	if err == nil {
		*initialized = kit.To(true)
	}
	return crclient.IgnoreNotFound(err)
}

// reconcileDelete deletes the Machines of the control plane, when all others are gone.
func (r *reconciler) reconcileDelete(ctx context.Context, s *scope) (reconcile.Result, error) {
	ctx.Logger.Info("Reconcile KubeadmControlPlane deletion")
	switch {
	case len(s.machines) == 0:
		controllerutil.RemoveFinalizer(s.kcp, Finalizer)
		return reconcile.Result{}, nil
	case len(s.all) > len(s.machines):
		ctx.Logger.Info("Waiting for worker nodes to be deleted first")
		return reconcile.Result{RequeueAfter: deleteRequeueAfter}, nil
	}
	for _, m := range s.machines {
		if m.DeletionTimestamp != nil {
			continue
		}
		ctx.Logger.Info("Deleting control plane Machine")
		if err := r.Delete(ctx, m); err != nil && !apierrors.IsNotFound(err) {
			return reconcile.Result{}, fmt.Errorf("failed to delete control plane Machine %s/%s: %w", m.Namespace, m.Name, err)
		}
	}
	ctx.Logger.Info("Waiting for control plane Machines to not exist anymore")
	return reconcile.Result{RequeueAfter: deleteRequeueAfter}, nil
}
