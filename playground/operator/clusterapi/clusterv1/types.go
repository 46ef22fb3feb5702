// Package clusterv1 has the kinds of the core, as far as its reconcilers read or write them.
// Upstream: api/core/v1beta2.
package clusterv1

import (
	"encoding/json"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/operator/controllerruntime/runtime"
)

// GroupVersion is that of the core.
var GroupVersion = api.GroupVersion{Group: "cluster.x-k8s.io", Version: "v1beta2"}

// AddToScheme adds the kinds to a scheme.
func AddToScheme(s *runtime.Scheme) {
	s.AddKnownTypes(GroupVersion, &Cluster{}, &MachineDeployment{}, &MachineSet{}, &Machine{})
}

// Labels, annotations, finalizers and taints. Upstream: common_types.go, machine_types.go.
const (
	ClusterNameLabel           = "cluster.x-k8s.io/cluster-name"
	MachineControlPlaneLabel   = "cluster.x-k8s.io/control-plane"
	MachineSetNameLabel        = "cluster.x-k8s.io/set-name"
	MachineDeploymentNameLabel = "cluster.x-k8s.io/deployment-name"
	// MachineDeploymentUniqueLabel tells the MachineSets of a MachineDeployment apart, and their Machines.
	MachineDeploymentUniqueLabel = "machine-template-hash"

	ClusterFinalizer = "cluster.cluster.x-k8s.io"
	MachineFinalizer = "machine.cluster.x-k8s.io"

	ClusterNameAnnotation                 = "cluster.x-k8s.io/cluster-name"
	ClusterNamespaceAnnotation            = "cluster.x-k8s.io/cluster-namespace"
	MachineAnnotation                     = "cluster.x-k8s.io/machine"
	OwnerKindAnnotation                   = "cluster.x-k8s.io/owner-kind"
	OwnerNameAnnotation                   = "cluster.x-k8s.io/owner-name"
	DeleteMachineAnnotation               = "cluster.x-k8s.io/delete-machine"
	TemplateClonedFromNameAnnotation      = "cluster.x-k8s.io/cloned-from-name"
	TemplateClonedFromGroupKindAnnotation = "cluster.x-k8s.io/cloned-from-groupkind"
	PreDrainDeleteHookAnnotationPrefix    = "pre-drain.delete.hook.machine.cluster.x-k8s.io"

	// NodeUninitializedTaint is on a node until the core has found its Machine.
	NodeUninitializedTaint = "node.cluster.x-k8s.io/uninitialized"
)

// ContractVersionedObjectReference names an object of a provider: the version is found out.
type ContractVersionedObjectReference struct {
	APIGroup string `json:"apiGroup,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Name     string `json:"name,omitempty"`
}

// IsDefined tells whether it names anything.
func (r ContractVersionedObjectReference) IsDefined() bool {
	return r != ContractVersionedObjectReference{}
}

// Cluster is what Machines belong to.
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   ClusterSpec   `json:"spec,omitzero"`
	Status ClusterStatus `json:"status,omitzero"`
}

// ClusterSpec says where the control plane is.
type ClusterSpec struct {
	ControlPlaneEndpoint APIEndpoint                      `json:"controlPlaneEndpoint,omitzero"`
	ControlPlaneRef      ContractVersionedObjectReference `json:"controlPlaneRef,omitzero"`
	InfrastructureRef    ContractVersionedObjectReference `json:"infrastructureRef,omitzero"`
}

// APIEndpoint is a host and a port.
type APIEndpoint struct {
	Host string `json:"host,omitempty"`
	Port int32  `json:"port,omitempty"`
}

// ClusterStatus is what has been seen.
type ClusterStatus struct {
	Conditions         []metav1.Condition          `json:"conditions,omitempty"`
	Initialization     ClusterInitializationStatus `json:"initialization,omitzero"`
	Phase              string                      `json:"phase,omitempty"`
	ObservedGeneration int64                       `json:"observedGeneration,omitempty"`
}

// ClusterInitializationStatus is true once and for all.
type ClusterInitializationStatus struct {
	InfrastructureProvisioned *bool `json:"infrastructureProvisioned,omitempty"`
	ControlPlaneInitialized   *bool `json:"controlPlaneInitialized,omitempty"`
}

// Machine is one node to be.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   MachineSpec   `json:"spec,omitzero"`
	Status MachineStatus `json:"status,omitzero"`
}

// region machine

// MachineSpec says of what kind a machine is by two references.
type MachineSpec struct {
	ClusterName       string                           `json:"clusterName,omitempty"`
	Bootstrap         Bootstrap                        `json:"bootstrap,omitzero"`
	InfrastructureRef ContractVersionedObjectReference `json:"infrastructureRef,omitzero"`
	Version           string                           `json:"version,omitempty"`
	ProviderID        string                           `json:"providerID,omitempty"`
}

// Bootstrap says what makes a node of a machine.
type Bootstrap struct {
	ConfigRef      ContractVersionedObjectReference `json:"configRef,omitzero"`
	DataSecretName *string                          `json:"dataSecretName,omitempty"`
}

// endregion

// MachineStatus is what has been seen.
type MachineStatus struct {
	Conditions         []metav1.Condition          `json:"conditions,omitempty"`
	Initialization     MachineInitializationStatus `json:"initialization,omitzero"`
	NodeRef            MachineNodeReference        `json:"nodeRef,omitzero"`
	LastUpdated        *metav1.Time                `json:"lastUpdated,omitempty"`
	Addresses          []any                       `json:"addresses,omitempty"`
	Phase              string                      `json:"phase,omitempty"`
	ObservedGeneration int64                       `json:"observedGeneration,omitempty"`
	Deletion           *MachineDeletionStatus      `json:"deletion,omitempty"`
}

// MachineInitializationStatus is true once and for all.
type MachineInitializationStatus struct {
	InfrastructureProvisioned  *bool `json:"infrastructureProvisioned,omitempty"`
	BootstrapDataSecretCreated *bool `json:"bootstrapDataSecretCreated,omitempty"`
}

// MachineNodeReference names a Node.
type MachineNodeReference struct {
	Name string `json:"name,omitempty"`
}

// MachineDeletionStatus says since when a deletion has been waiting for something.
type MachineDeletionStatus struct {
	NodeDrainStartTime *metav1.Time `json:"nodeDrainStartTime,omitempty"`
}

// The phases of a Machine. Upstream: machine_phase_types.go.
const (
	MachinePhasePending      = "Pending"
	MachinePhaseProvisioning = "Provisioning"
	MachinePhaseProvisioned  = "Provisioned"
	MachinePhaseRunning      = "Running"
	MachinePhaseDeleting     = "Deleting"
)

// MachineTemplateSpec is a Machine to be: its references are to templates.
type MachineTemplateSpec struct {
	ObjectMeta ObjectMeta  `json:"metadata,omitzero"`
	Spec       MachineSpec `json:"spec,omitzero"`
}

// ObjectMeta is the metadata that a template may have.
type ObjectMeta struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// MachineSet keeps a number of Machines.
type MachineSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   MachineSetSpec   `json:"spec,omitzero"`
	Status MachineSetStatus `json:"status,omitzero"`
}

// MachineSetSpec is what should be.
type MachineSetSpec struct {
	ClusterName string               `json:"clusterName,omitempty"`
	Replicas    *int32               `json:"replicas,omitempty"`
	Selector    metav1.LabelSelector `json:"selector,omitzero"`
	Template    MachineTemplateSpec  `json:"template,omitzero"`
}

// MachineSetStatus is what is.
type MachineSetStatus struct {
	Selector           string `json:"selector,omitempty"`
	Replicas           *int32 `json:"replicas,omitempty"`
	ReadyReplicas      *int32 `json:"readyReplicas,omitempty"`
	AvailableReplicas  *int32 `json:"availableReplicas,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
}

// MachineDeployment replaces MachineSets by others.
type MachineDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   MachineDeploymentSpec   `json:"spec,omitzero"`
	Status MachineDeploymentStatus `json:"status,omitzero"`
}

// MachineDeploymentSpec is what should be. The strategy is RollingUpdate, with upstream's defaults: maxSurge 1, maxUnavailable 0.
type MachineDeploymentSpec struct {
	ClusterName string               `json:"clusterName,omitempty"`
	Replicas    *int32               `json:"replicas,omitempty"`
	Selector    metav1.LabelSelector `json:"selector,omitzero"`
	Template    MachineTemplateSpec  `json:"template,omitzero"`
}

// MachineDeploymentStatus is what is.
type MachineDeploymentStatus struct {
	Selector           string `json:"selector,omitempty"`
	Replicas           *int32 `json:"replicas,omitempty"`
	ReadyReplicas      *int32 `json:"readyReplicas,omitempty"`
	AvailableReplicas  *int32 `json:"availableReplicas,omitempty"`
	UpToDateReplicas   *int32 `json:"upToDateReplicas,omitempty"`
	Phase              string `json:"phase,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
}

// DeepCopyObject implements api.Object.
func (c *Cluster) DeepCopyObject() api.Object { return deepCopy(c, &Cluster{}) }

// DeepCopyObject implements api.Object.
func (m *Machine) DeepCopyObject() api.Object { return deepCopy(m, &Machine{}) }

// DeepCopyObject implements api.Object.
func (m *MachineSet) DeepCopyObject() api.Object { return deepCopy(m, &MachineSet{}) }

// DeepCopyObject implements api.Object.
func (m *MachineDeployment) DeepCopyObject() api.Object { return deepCopy(m, &MachineDeployment{}) }

func deepCopy(from, to api.Object) api.Object {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(err) // it consists of texts, numbers and times
	}
	return to
}
