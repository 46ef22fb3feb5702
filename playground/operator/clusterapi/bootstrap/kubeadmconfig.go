// Package bootstrap is a bootstrap provider: it writes what a machine has to run to become a node. It knows no cloud.
// Upstream: bootstrap/kubeadm/reconcilers/kubeadmconfig of sigs.k8s.io/cluster-api v1.14.
package bootstrap

import (
	"fmt"
	"strings"
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

// KubeadmConfigSpec is about machines that join, not about the first one of a cluster.
type KubeadmConfigSpec struct {
	JoinConfiguration JoinConfiguration `json:"joinConfiguration,omitzero"`
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
	out.Status.Conditions = append([]metav1.Condition(nil), c.Status.Conditions...)
	if c.Status.Initialization.DataSecretCreated != nil {
		out.Status.Initialization.DataSecretCreated = kit.To(*c.Status.Initialization.DataSecretCreated)
	}
	return &out
}

type reconciler struct{ *kit.Program }

// Start brings the program up.
func Start(k *sim.Kernel, t client.Transport) *sim.Component {
	return kit.Start(k, t, Name, func(p *kit.Program, scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(GroupVersion, &KubeadmConfig{})
		return builder.ControllerManagedBy(p.Manager).For(&KubeadmConfig{}).Named("kubeadmconfig").
			Watches(&clusterv1.Cluster{}, func(obj api.Object) []reconcile.Request {
				return kit.Requests(kit.Known(p, &KubeadmConfig{}, func(c *KubeadmConfig) bool {
					return c.Namespace == obj.GetNamespace() && c.Labels[clusterv1.ClusterNameLabel] == obj.GetName()
				}))
			}).Complete(&reconciler{p})
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
	err := r.joinWorker(ctx, cluster, config)
	if writeErr := patcher.Patch(ctx, config); err == nil {
		err = writeErr
	}
	return reconcile.Result{}, err
}

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
	secret := &corev1.Secret{Type: "cluster.x-k8s.io/secret"}
	secret.Namespace, secret.Name = config.Namespace, config.Name
	secret.Labels = map[string]string{clusterv1.ClusterNameLabel: cluster.Name}
	secret.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(config, GroupVersion.WithKind("KubeadmConfig"))}
	secret.Data = map[string][]byte{"format": []byte("cloud-config"), "value": []byte(cloudInit(config))}
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
	to.APIServerEndpoint = fmt.Sprintf("%s:%d", cluster.Spec.ControlPlaneEndpoint.Host, cluster.Spec.ControlPlaneEndpoint.Port)
	if to.Token != "" {
		return nil
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
	if err := r.Create(ctx, token); err != nil {
		return err
	}
	to.Token = id + "." + secret
	return nil
}

// cloudInit is what the machine reads when it boots first. Upstream: bootstrap/kubeadm/pkg/cloudinit/node.go, kubeadm's JoinConfiguration v1beta4.
func cloudInit(config *KubeadmConfig) string {
	join := config.Spec.JoinConfiguration
	var b strings.Builder
	line := func(indent int, format string, args ...any) {
		b.WriteString(strings.Repeat(" ", indent))
		fmt.Fprintf(&b, format+"\n", args...)
	}
	line(0, "## template: jinja")
	line(0, "#cloud-config")
	line(0, "write_files:")
	line(0, "-   path: /run/kubeadm/kubeadm-join-config.yaml")
	line(4, "owner: root:root")
	line(4, "permissions: '0640'")
	line(4, "content: |")
	line(6, "---")
	line(6, "apiVersion: kubeadm.k8s.io/v1beta4")
	line(6, "discovery:")
	line(8, "bootstrapToken:")
	line(10, "apiServerEndpoint: %s", join.Discovery.BootstrapToken.APIServerEndpoint)
	line(10, "token: %s", join.Discovery.BootstrapToken.Token)
	line(6, "kind: JoinConfiguration")
	line(6, "nodeRegistration:")
	if len(join.NodeRegistration.KubeletExtraArgs) > 0 {
		line(8, "kubeletExtraArgs:")
		for _, arg := range join.NodeRegistration.KubeletExtraArgs {
			line(8, "- name: %s", arg.Name)
			line(10, "value: '%s'", arg.Value)
		}
	}
	line(8, "taints:")
	line(8, "- effect: NoSchedule")
	line(10, "key: %s", clusterv1.NodeUninitializedTaint)
	line(0, "runcmd:")
	line(2, "- kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > /run/cluster-api/bootstrap-success.complete")
	return b.String()
}
