// Package infrastructure is an infrastructure provider of this book, for an imaginary cloud: it has a machine run for each ToyMachine. It keeps
// the contract of InfraMachines, in the order in which upstream's providers do: wait for the owner, for the cluster, for the bootstrap data; then
// run the machine; report spec.providerID and status.initialization.provisioned.
// Upstream: docs/book/src/developer/providers/contracts/infra-machine.md; test/infrastructure/docker is such a provider.
package infrastructure

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	"kubewalk/playground/operator/clusterapi/kit"
	"kubewalk/playground/operator/controllerruntime/builder"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/controllerutil"
	"kubewalk/playground/operator/controllerruntime/reconcile"
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/sim"
)

// Name is the program's component.
const Name = "toy-controller-manager"

// GroupVersion is that of the provider's kinds.
var GroupVersion = api.GroupVersion{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2"}

// Finalizer keeps a ToyMachine until its machine is gone.
const Finalizer = "toymachine.infrastructure.cluster.x-k8s.io"

// ProviderIDPrefix is what providerIDs of the cloud begin with.
const ProviderIDPrefix = "toy:///"

// Cloud is where machines are. Each call takes time.
type Cloud interface {
	// Run has a new machine boot with user data, and returns its name. client makes the call the same when it comes again.
	Run(p *sim.Proc, client string, cpus int, userData string) (name string)
	// Find is the name of the machine that was made for a call; "" for none.
	Find(p *sim.Proc, client string) (name string)
	// Running tells whether a machine is up, and its address.
	Running(p *sim.Proc, name string) (up bool, address string)
	// Terminate has a machine go, and tells whether it is gone.
	Terminate(p *sim.Proc, name string) (gone bool)
	// Balance has a load balancer stand before the API server of a cluster that is to be, and returns its address. client is as with Run.
	Balance(p *sim.Proc, client string) (host string)
	// Unbalance has it go.
	Unbalance(p *sim.Proc, client string)
}

// ToyMachine is a machine of the cloud.
type ToyMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   ToyMachineSpec   `json:"spec,omitzero"`
	Status ToyMachineStatus `json:"status,omitzero"`
}

// region contract

// ToyMachineSpec has what the cloud has to know, and as the contract
// asks, which machine it has become.
type ToyMachineSpec struct {
	CPUs       int    `json:"cpus,omitempty"`
	ProviderID string `json:"providerID,omitempty"`
}

// ToyMachineStatus is what the contract asks for.
type ToyMachineStatus struct {
	Initialization Initialization     `json:"initialization,omitzero"`
	Addresses      []Address          `json:"addresses,omitempty"`
	Conditions     []metav1.Condition `json:"conditions,omitempty"`
}

// Initialization is true once and for all.
type Initialization struct {
	Provisioned *bool `json:"provisioned,omitempty"`
}

// endregion

// Address is one of a machine's.
type Address struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

// DeepCopyObject implements api.Object.
func (m *ToyMachine) DeepCopyObject() api.Object {
	out := *m
	m.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Addresses = append([]Address(nil), m.Status.Addresses...)
	out.Status.Conditions = append([]metav1.Condition(nil), m.Status.Conditions...)
	if m.Status.Initialization.Provisioned != nil {
		out.Status.Initialization.Provisioned = kit.To(*m.Status.Initialization.Provisioned)
	}
	return &out
}

type reconciler struct {
	*kit.Program
	cloud Cloud
}

// Start brings the program up.
func Start(k *sim.Kernel, t client.Transport, cloud Cloud) *sim.Component {
	return kit.Start(k, t, Name, func(p *kit.Program, scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(GroupVersion, &ToyMachine{}, &ToyCluster{})
		if _, err := p.KindOf(clusterv1.ContractVersionedObjectReference{APIGroup: GroupVersion.Group, Kind: "ToyCluster"}); err == nil {
			if err := setupCluster(p, cloud); err != nil { // where the kind is not defined, nobody has a cluster made
				return err
			}
		}
		return builder.ControllerManagedBy(p.Manager).For(&ToyMachine{}).Named("toymachine").
			Watches(&clusterv1.Machine{}, func(obj api.Object) []reconcile.Request {
				return kit.Requests(kit.Known(p, &ToyMachine{}, func(m *ToyMachine) bool {
					owner := metav1.GetControllerOf(m)
					return owner != nil && owner.UID == obj.GetUID()
				}))
			}).Complete(&reconciler{p, cloud})
	})
}

// poll is how often the cloud is asked about a machine that boots or goes.
const poll = 2 * time.Second

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	toy := &ToyMachine{}
	if err := r.Get(ctx, req.NamespacedName, toy); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	owner := metav1.GetControllerOf(toy)
	if owner == nil || owner.Kind != "Machine" {
		ctx.Logger.Info("Waiting for Machine Controller to set OwnerRef on ToyMachine")
		return reconcile.Result{}, nil
	}
	patcher := kit.NewPatcher(r.Program, toy)
	result, err := r.reconcile(ctx, toy, owner.Name)
	if writeErr := patcher.Patch(ctx, toy); err == nil {
		err = writeErr
	}
	if apierrors.IsNotFound(err) && toy.DeletionTimestamp == nil { // it was deleted before its finalizer could keep it: nobody else knows the machine
		for name := instance(toy); name != "" && !r.cloud.Terminate(ctx.Proc, name); {
		}
	}
	return result, err
}

// region reconcile

func (r *reconciler) reconcile(ctx context.Context, toy *ToyMachine, owner string) (reconcile.Result, error) {
	name := instance(toy)
	if toy.DeletionTimestamp != nil {
		if name == "" { // perhaps nobody had time to write it down
			name = r.cloud.Find(ctx.Proc, string(toy.UID))
		}
		if name != "" && !r.cloud.Terminate(ctx.Proc, name) {
			return reconcile.Result{RequeueAfter: poll}, nil
		}
		controllerutil.RemoveFinalizer(toy, Finalizer)
		return reconcile.Result{}, nil
	}
	machine, cluster := &clusterv1.Machine{}, &clusterv1.Cluster{}
	key := crclient.ObjectKey{Namespace: toy.Namespace, Name: owner}
	if err := r.Get(ctx, key, machine); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	key.Name = machine.Spec.ClusterName
	if err := r.Get(ctx, key, cluster); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	if controllerutil.AddFinalizer(toy, Finalizer) {
		return reconcile.Result{RequeueAfter: time.Nanosecond}, nil
	}
	if !kit.Deref(cluster.Status.Initialization.InfrastructureProvisioned) {
		ctx.Logger.Info("Waiting for Cluster status.initialization.infrastructureProvisioned to be true")
		return reconcile.Result{RequeueAfter: poll}, nil
	}
	if machine.Spec.Bootstrap.DataSecretName == nil {
		ctx.Logger.Info("Waiting for the Bootstrap provider controller to set bootstrap data")
		return reconcile.Result{}, nil
	}
	if name == "" {
		secret := &corev1.Secret{}
		key.Name = *machine.Spec.Bootstrap.DataSecretName
		if err := r.Get(ctx, key, secret); err != nil {
			return reconcile.Result{}, err
		}
		name = r.cloud.Run(ctx.Proc, string(toy.UID), toy.Spec.CPUs, string(secret.Data["value"]))
		toy.Spec.ProviderID = ProviderIDPrefix + name
	}
	up, address := r.cloud.Running(ctx.Proc, name)
	if !up {
		return reconcile.Result{RequeueAfter: poll}, nil
	}
	toy.Status.Addresses = []Address{{"InternalIP", address}}
	toy.Status.Initialization.Provisioned = kit.To(true)
	kit.SetCondition(&toy.Status.Conditions, r.Now(), metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Ready", ObservedGeneration: toy.Generation})
	return reconcile.Result{}, nil
}

// endregion

// instance is the name of a ToyMachine's machine, "" for none yet.
func instance(toy *ToyMachine) string {
	if len(toy.Spec.ProviderID) <= len(ProviderIDPrefix) {
		return ""
	}
	return toy.Spec.ProviderID[len(ProviderIDPrefix):]
}
