// Package bootstrap is a bootstrap provider: it writes what a machine has to run to become a node. It knows no cloud.
// Upstream: bootstrap/kubeadm/reconcilers/kubeadmconfig of sigs.k8s.io/cluster-api v1.14.
package bootstrap

import (
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
	"kubewalk/playground/operator/controllerruntime/reconcile"
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/sim"
)

// Name is the program's component.
const Name = "capi-kubeadm-bootstrap-controller-manager"

// GroupVersion is that of the provider's kinds.
var GroupVersion = api.GroupVersion{Group: "bootstrap.cluster.x-k8s.io", Version: "v1beta2"}

// KubeadmConfig says how a machine joins. Upstream: api/bootstrap/kubeadm/v1beta2.
type KubeadmConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   KubeadmConfigSpec   `json:"spec,omitzero"`
	Status KubeadmConfigStatus `json:"status,omitzero"`
}

// KubeadmConfigSpec has the first two for the first machine of a cluster, and the last for machines that join.
type KubeadmConfigSpec struct {
	ClusterConfiguration *ClusterConfiguration `json:"clusterConfiguration,omitempty"`
	InitConfiguration    *InitConfiguration    `json:"initConfiguration,omitempty"`
	JoinConfiguration    JoinConfiguration     `json:"joinConfiguration,omitzero"`
}

// ClusterConfiguration is kubeadm's, as far as it is used.
type ClusterConfiguration struct {
	ControlPlaneEndpoint string `json:"controlPlaneEndpoint,omitempty"`
}

// InitConfiguration is kubeadm's, as far as it is used.
type InitConfiguration struct {
	NodeRegistration NodeRegistration `json:"nodeRegistration,omitzero"`
}

// JoinConfiguration is kubeadm's, as far as it is used.
type JoinConfiguration struct {
	NodeRegistration NodeRegistration `json:"nodeRegistration,omitzero"`
	Discovery        Discovery        `json:"discovery,omitzero"`
}

// NodeRegistration is how the kubelet starts.
type NodeRegistration struct {
	KubeletExtraArgs []Arg `json:"kubeletExtraArgs,omitempty"`
}

// Arg is a flag of the kubelet.
type Arg struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Discovery is how the machine finds the cluster.
type Discovery struct {
	BootstrapToken BootstrapToken `json:"bootstrapToken,omitzero"`
}

// BootstrapToken is what the machine joins with.
type BootstrapToken struct {
	Token             string `json:"token,omitempty"`
	APIServerEndpoint string `json:"apiServerEndpoint,omitempty"`
	// CACertHashes are there where the cluster's CA is known: in the Secrets of its control plane.
	CACertHashes []string `json:"caCertHashes,omitempty"`
}

// region contract

// KubeadmConfigStatus has what the contract asks for: the name of
// a Secret, and that it is there.
type KubeadmConfigStatus struct {
	DataSecretName string             `json:"dataSecretName,omitempty"`
	Initialization Initialization     `json:"initialization,omitzero"`
	Conditions     []metav1.Condition `json:"conditions,omitempty"`
}

// Initialization is true once and for all.
type Initialization struct {
	DataSecretCreated *bool `json:"dataSecretCreated,omitempty"`
}

// endregion

// DeepCopyObject implements api.Object.
func (c *KubeadmConfig) DeepCopyObject() api.Object {
	out := *c
	c.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.JoinConfiguration.NodeRegistration.KubeletExtraArgs = append([]Arg(nil), c.Spec.JoinConfiguration.NodeRegistration.KubeletExtraArgs...)
	out.Spec.JoinConfiguration.Discovery.BootstrapToken.CACertHashes = append([]string(nil), c.Spec.JoinConfiguration.Discovery.BootstrapToken.CACertHashes...)
	if c.Spec.ClusterConfiguration != nil {
		out.Spec.ClusterConfiguration = kit.To(*c.Spec.ClusterConfiguration)
	}
	if c.Spec.InitConfiguration != nil {
		out.Spec.InitConfiguration = &InitConfiguration{}
		out.Spec.InitConfiguration.NodeRegistration.KubeletExtraArgs = append([]Arg(nil), c.Spec.InitConfiguration.NodeRegistration.KubeletExtraArgs...)
	}
	out.Status.Conditions = append([]metav1.Condition(nil), c.Status.Conditions...)
	if c.Status.Initialization.DataSecretCreated != nil {
		out.Status.Initialization.DataSecretCreated = kit.To(*c.Status.Initialization.DataSecretCreated)
	}
	return &out
}

type reconciler struct {
	*kit.Program
	clusters *kit.ClusterCache
}

// Start brings the program up.
func Start(k *sim.Kernel, t client.Transport, dial kit.Dialer) *sim.Component {
	return kit.Start(k, t, Name, func(p *kit.Program, scheme *runtime.Scheme) (err error) {
		scheme.AddKnownTypes(GroupVersion, &KubeadmConfig{})
		of := func(namespace, cluster string) []reconcile.Request {
			return kit.Requests(kit.Known(p, &KubeadmConfig{}, func(c *KubeadmConfig) bool {
				return c.Namespace == namespace && c.Labels[clusterv1.ClusterNameLabel] == cluster
			}))
		}
		r := &reconciler{Program: p}
		var running *controller.Controller
		r.clusters = kit.NewClusterCache(p, dial, false, func(cluster types.NamespacedName, _ *corev1.Node) {
			running.Enqueue(of(cluster.Namespace, cluster.Name)...)
		})
		running, err = builder.ControllerManagedBy(p.Manager).For(&KubeadmConfig{}).Named("kubeadmconfig").
			Watches(&clusterv1.Cluster{}, func(obj api.Object) []reconcile.Request { return of(obj.GetNamespace(), obj.GetName()) }).Build(r)
		return err
	})
}

const (
	// tokenTTL is how long a token is good for. Upstream: --bootstrap-token-ttl.
	tokenTTL = 15 * time.Minute
	// dataSecretAvailable is the condition that says whether the Secret is there.
	dataSecretAvailable = "DataSecretAvailable"
)

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	config := &KubeadmConfig{}
	if err := r.Get(ctx, req.NamespacedName, config); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	owner := metav1.GetControllerOf(config)
	if config.DeletionTimestamp != nil || owner == nil || owner.Kind != "Machine" || config.Status.DataSecretName != "" {
		return reconcile.Result{}, nil
	}
	cluster := &clusterv1.Cluster{}
	if err := r.Get(ctx, crclient.ObjectKey{Namespace: config.Namespace, Name: config.Labels[clusterv1.ClusterNameLabel]}, cluster); err != nil {
		return reconcile.Result{}, crclient.IgnoreNotFound(err)
	}
	patcher := kit.NewPatcher(r.Program, config)
	var err error
	if !kit.Deref(cluster.Status.Initialization.InfrastructureProvisioned) || kit.IsTrue(cluster.Status.Conditions, "ControlPlaneInitialized") ||
		!isControlPlane(config) {
		err = r.joinWorker(ctx, cluster, config)
	} else {
		err = r.handleClusterNotInitialized(ctx, cluster, config)
	}
	result := reconcile.Result{}
	if kit.IgnoreNotConnected(ctx, err) {
		result.RequeueAfter, err = notConnectedInterval, nil
	}
	if writeErr := patcher.Patch(ctx, config); err == nil {
		err = writeErr
	}
	if err != nil {
		result = reconcile.Result{}
	}
	return result, err
}

// notConnectedInterval is when somebody looks again who needs a workload cluster. Upstream: ClusterCache.GetHealthCheckingState and its users.
const notConnectedInterval = time.Minute

// isControlPlane tells whether a config is of a machine of a control plane. Upstream asks its Machine, whose labels it has.
func isControlPlane(config *KubeadmConfig) bool {
	_, is := config.Labels[clusterv1.MachineControlPlaneLabel]
	return is
}

// region init

// handleClusterNotInitialized writes what the first machine of a
// control plane has to run.
func (r *reconciler) handleClusterNotInitialized(ctx context.Context, cluster *clusterv1.Cluster, config *KubeadmConfig) error {
	if config.Spec.InitConfiguration == nil && config.Spec.ClusterConfiguration == nil {
		const waiting = "Waiting for Cluster control plane to be initialized"
		ctx.Logger.Info("Control plane is not ready, requeuing joining control planes until ready.")
		r.condition(config, metav1.ConditionFalse, "NotAvailable", waiting)
		return nil
	}
	ctx.Logger.Info("Creating BootstrapData for the first control plane")
	certificates, err := kit.LookupCertificates(ctx, r.Program, cluster)
	if err != nil {
		return err
	}
	if config.Spec.ClusterConfiguration == nil {
		config.Spec.ClusterConfiguration = &ClusterConfiguration{}
	}
	config.Spec.ClusterConfiguration.ControlPlaneEndpoint = kit.Endpoint(cluster)
	return r.storeBootstrapData(ctx, cluster, config, cloudInitOfFirst(cluster, config, certificates))
}

// endregion

// region join

func (r *reconciler) joinWorker(ctx context.Context, cluster *clusterv1.Cluster, config *KubeadmConfig) error {
	waiting := ""
	switch {
	case !kit.Deref(cluster.Status.Initialization.InfrastructureProvisioned):
		waiting = "Waiting for Cluster status.initialization.infrastructureProvisioned to be true"
	case !kit.IsTrue(cluster.Status.Conditions, "ControlPlaneInitialized"):
		waiting = "Waiting for Cluster control plane to be initialized"
	}
	if waiting != "" {
		ctx.Logger.Info(waiting)
		r.condition(config, metav1.ConditionFalse, "NotAvailable", waiting)
		return nil
	}
	ctx.Logger.Info("Creating BootstrapData for the worker node")
	if err := r.discovery(ctx, cluster, config); err != nil {
		return err
	}
	return r.storeBootstrapData(ctx, cluster, config, cloudInit(config))
}

// storeBootstrapData writes the Secret, and says so.
func (r *reconciler) storeBootstrapData(ctx context.Context, cluster *clusterv1.Cluster, config *KubeadmConfig, data string) error {
	secret := &corev1.Secret{Type: "cluster.x-k8s.io/secret"}
	secret.Namespace, secret.Name = config.Namespace, config.Name
	secret.Labels = map[string]string{clusterv1.ClusterNameLabel: cluster.Name}
	secret.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(config, GroupVersion.WithKind("KubeadmConfig"))}
	secret.Data = map[string][]byte{"format": []byte("cloud-config"), "value": []byte(data)}
	err := r.Create(ctx, secret)
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	config.Status.DataSecretName = secret.Name
	config.Status.Initialization.DataSecretCreated = kit.To(true)
	r.condition(config, metav1.ConditionTrue, "Available", "")
	return nil
}

// endregion

// condition says whether the Secret is there; Ready is the same, as there is no other condition.
func (r *reconciler) condition(config *KubeadmConfig, status metav1.ConditionStatus, reason, message string) {
	kit.SetCondition(&config.Status.Conditions, r.Now(), metav1.Condition{Type: dataSecretAvailable, Status: status, Reason: reason, Message: message,
		ObservedGeneration: config.Generation})
	ready := metav1.Condition{Type: "Ready", Status: status, Reason: "Ready", ObservedGeneration: config.Generation}
	if status != metav1.ConditionTrue {
		ready.Reason, ready.Message = "NotReady", "* "+dataSecretAvailable+": "+message
	}
	kit.SetCondition(&config.Status.Conditions, r.Now(), ready)
}

// discovery makes a token for one machine. Upstream: reconcileDiscovery, token.go createToken.
func (r *reconciler) discovery(ctx context.Context, cluster *clusterv1.Cluster, config *KubeadmConfig) error {
	to := &config.Spec.JoinConfiguration.Discovery.BootstrapToken
	to.APIServerEndpoint = kit.Endpoint(cluster)
	if kit.IsRemote(cluster) && len(to.CACertHashes) == 0 {
		hash, err := kit.CAHash(ctx, r.Program, cluster)
		if err != nil {
			return err
		}
		to.CACertHashes = []string{hash}
	}
	if to.Token != "" {
		return nil
	}
	there, err := r.clusters.Get(cluster)
	if err != nil {
		return err
	}
	id, secret := r.Rand.Suffix(6), r.Rand.Suffix(16)
	token := &corev1.Secret{Type: "bootstrap.kubernetes.io/token"}
	token.Namespace, token.Name = "kube-system", "bootstrap-token-"+id
	token.Data = map[string][]byte{
		"token-id": []byte(id), "token-secret": []byte(secret),
		"expiration":              []byte(r.Now().UTC().Add(tokenTTL).Format(time.RFC3339)),
		"usage-bootstrap-signing": []byte("true"), "usage-bootstrap-authentication": []byte("true"),
		"auth-extra-groups": []byte("system:bootstrappers:kubeadm:default-node-token"),
		"description":       []byte("token generated by cluster-api-bootstrap-provider-kubeadm"),
	}
	if err := kit.CreateIn(ctx, r.Program, there, token); err != nil {
		return err
	}
	to.Token = id + "." + secret
	return nil
}
