package cluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/validate"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller/certificates"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/controlplane/scheduler"
	schedulerconfig "kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/kubectl"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/trace"
)

// Config is what a cluster is made of. It travels as JSON.
type Config struct {
	Epoch time.Time   `json:"epoch"` // what the clock shows at the start
	Nodes []Node      `json:"nodes,omitempty"`
	Trace trace.Level `json:"trace"` // how much of the run is kept
	// HollowNodes are nodes on which nothing runs, beside Nodes.
	HollowNodes *HollowNodes `json:"hollowNodes,omitempty"`
	// Preload is what stands already when the cluster starts. It needs HollowNodes.
	Preload *Preload `json:"preload,omitempty"`
	// Schedulers is how many schedulers run; 0 is 1. They are called
	// kube-scheduler, kube-scheduler-2 … With LeaderElect one of them schedules.
	// Without, none knows of the others: what happens when an election goes wrong.
	Schedulers int `json:"schedulers,omitempty"`
	// SchedulerProfiles are the schedulers' profiles, as in a KubeSchedulerConfiguration.
	// None is the default one.
	SchedulerProfiles []scheduler.KubeSchedulerProfile `json:"schedulerProfiles,omitempty"`
	// SchedulerPlugins are plugins from out of tree that the schedulers are built with: see SchedulerPlugins.
	SchedulerPlugins []string `json:"schedulerPlugins,omitempty"`
	// SchedulerExtenders are the schedulers' extenders, as in a KubeSchedulerConfiguration.
	SchedulerExtenders []schedulerconfig.Extender `json:"schedulerExtenders,omitempty"`
	// ControllerManagers is how many controller managers run with LeaderElect;
	// 0 is 1. They are called kube-controller-manager, kube-controller-manager-2 …
	ControllerManagers int `json:"controllerManagers,omitempty"`
	// LeaderElect has controller managers and schedulers elect who works, as a
	// real control plane does even when there is one of each. It is off unless
	// asked for: two Leases that are renewed every two seconds are most of what
	// happens in a cluster at rest. Without it the controller manager is no
	// component: its controllers are.
	LeaderElect bool `json:"leaderElect,omitempty"`
	// KubeAPIQPS is how many requests a second each controller, scheduler and kubelet may send, and twice as many in a burst; 0
	// leaves each its default. Upstream: kube-controller-manager --kube-api-qps and --kube-api-burst, KubeSchedulerConfiguration
	// clientConnection, KubeletConfiguration kubeAPIQPS.
	KubeAPIQPS int `json:"kubeAPIQPS,omitempty"`
	// CompactionInterval is how often etcd's history is dropped up to where it was one interval ago; 0 is five minutes.
	// Upstream: kube-apiserver --etcd-compaction-interval.
	CompactionInterval time.Duration `json:"compactionInterval,omitempty"`
	// Controllers says which controllers run, as --controllers does: "*" is all,
	// "name" one more, "-name" one less. Empty is "*".
	Controllers []string `json:"controllers,omitempty"`
	// Authorization is "rbac" where the API server asks who may do what; "" lets everybody do everything.
	// Upstream: kube-apiserver --authorization-mode, Node,RBAC or AlwaysAllow.
	Authorization string `json:"authorization,omitempty"`
	// CEL says that expressions are evaluated from the start: rules of definitions, admission policies, conditions of webhooks. In the
	// browser it takes the larger build. Without it, a program that can evaluates those that come later, and one that cannot refuses
	// them; no controller checks the types in policies.
	CEL bool `json:"cel,omitempty"`
	// AllKinds has the API server serve also the kinds that are rare, from the start: see api.AllKinds and rarekinds.go. In the browser they
	// are in the larger build.
	AllKinds bool `json:"allKinds,omitempty"`
	// Devices has the API server serve the kinds of resource.k8s.io, the controller of ResourceClaims run, schedulers allocate devices and
	// kubelets prepare them. In the browser all that is in the larger build.
	Devices bool `json:"devices,omitempty"`
	// Certificates looks into certificates. Hosts have it whose runs are not repeated elsewhere: the browser's build cannot.
	Certificates validation.Certificates `json:"-"`
	// X509 signs certificates, where Certificates looks into them.
	X509 certificates.X509 `json:"-"`
	// Tokens signs tokens of service accounts, which others than the API server can check then, and has kubelets ask for those in Pods'
	// volumes instead of making some up. Hosts have it as they have Certificates.
	Tokens registry.TokenSigner `json:"-"`
	// Network has a kube-proxy on each node, a name server, and packets on the
	// wire between Pods. Without it Services are only objects.
	Network bool `json:"network,omitempty"`
	// Ingress adds an Ingress controller on the first node. It needs Network.
	Ingress bool `json:"ingress,omitempty"`
	// NetworkPolicies adds an agent that makes NetworkPolicies true. It needs
	// Network. Without it they are only objects, as with many a network plugin.
	NetworkPolicies bool `json:"networkPolicies,omitempty"`
	// Cloud has the nodes be instances of a cloud, whose cloud-controller-manager
	// completes their Nodes and gives Services their load balancers.
	Cloud bool `json:"cloud,omitempty"`
	// CloudRoutes has that cloud lead packets between Pods of different nodes, by routes that cloud-controller-manager asks for. It needs
	// Cloud. Without it they find their way by themselves, as with a network plugin.
	// In the browser the controller of routes is in the larger build.
	CloudRoutes bool `json:"cloudRoutes,omitempty"`
	// Operators are controllers outside the controller manager that run, by name:
	// see OperatorNames.
	Operators []string `json:"operators,omitempty"`
	// StartLater are those of them that do not start with the cluster: an input starts them.
	StartLater []string `json:"startLater,omitempty"`
	// Metrics has metrics-server installed: a Deployment whose Pod asks the kubelets every 15 s what containers have
	// used. It needs Network. Without it autoscalers find nobody to ask.
	Metrics bool `json:"metrics,omitempty"`
	// Images are some that behave as kubewalk.dev/app does with such flags, by name:
	// "shop:v2".
	Images map[string][]string `json:"images,omitempty"`
	// Kubeadm has machines on which nothing runs but their container runtimes, until somebody runs kubeadm on them: it makes the first a
	// control plane, whose programs are static Pods, and others join. It needs Authorization, LeaderElect and AllKinds. In the browser it
	// is in the larger build.
	Kubeadm bool `json:"kubeadm,omitempty"`
	// Kustomize has kubectl build kustomizations. In the browser that is in the larger build.
	Kustomize bool `json:"kustomize,omitempty"`
	// Switch builds one component otherwise than the real one; nil does not.
	Switch *Switch `json:"switch,omitempty"`
}

// Large tells whether the browser needs the larger build of the control plane.
func (c Config) Large() bool {
	return c.CEL || c.AllKinds || c.Devices || len(c.SchedulerPlugins)+len(c.SchedulerExtenders) > 0 || c.usesClusterAPI() || c.usesCSI() ||
		c.usesHooks() || c.CloudRoutes || c.Kustomize
}

// Node is a machine.
type Node struct {
	Name   string            `json:"name"`
	CPU    string            `json:"cpu"`    // a quantity: "4", "500m"
	Memory string            `json:"memory"` // a quantity: "8Gi"
	Pods   int               `json:"pods"`   // how many Pods it takes
	Labels map[string]string `json:"labels,omitempty"`
}

// DefaultConfig is a cluster of three nodes.
func DefaultConfig() Config {
	return Config{
		Epoch: time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC),
		Nodes: NumberedNodes(3),
		Trace: trace.All,
	}
}

// NumberedNodes makes nodes node-1, node-2 … of 4 CPUs, 8 GiB and 110 Pods each.
func NumberedNodes(n int) []Node {
	nodes := make([]Node, n)
	for i := range nodes {
		nodes[i] = Node{Name: fmt.Sprintf("node-%d", i+1), CPU: "4", Memory: "8Gi", Pods: 110}
	}
	return nodes
}

// Names of the components that every cluster has, beside those of controllers
// and nodes.
const (
	Etcd      = "etcd"
	APIServer = "kube-apiserver"
	Scheduler = "kube-scheduler"
	Kubectl   = "kubectl"
)

// clientLimit is what KubeAPIQPS asks for; zero leaves the defaults.
func (c Config) clientLimit() client.Limit {
	return client.Limit{QPS: c.KubeAPIQPS, Burst: 2 * c.KubeAPIQPS}
}

func (c Config) schedulers() []string { return instances(Scheduler, c.Schedulers) }

// managers are the controller managers that are components.
func (c Config) managers() []string {
	if !c.LeaderElect {
		return nil
	}
	return instances(manager.Component, c.ControllerManagers)
}

// instances are name, name-2, name-3 … up to n of them, and at least one.
func instances(name string, n int) []string {
	names := []string{name}
	for i := 2; i <= n; i++ {
		names = append(names, fmt.Sprintf("%s-%d", name, i))
	}
	return names
}

// controllers are the components of the controllers that are to run.
func (c Config) controllers() []string {
	names, err := manager.Enabled(c.enabled())
	if err != nil {
		panic(err) // Validate says so
	}
	return names
}

// ControllerNames are the components of all controllers.
func ControllerNames() []string { return Config{Authorization: RBAC}.controllers() }

// AppFlags are the flags that Config.Images may have: "--crash-after".
func AppFlags() (out []string) {
	for _, name := range cri.AppFlags() {
		out = append(out, "--"+name)
	}
	return out
}

// CheckAppFlag says what is wrong with a flag of kubewalk.dev/app; known is false
// for one that there is not.
func CheckAppFlag(flag string) (known bool, err error) {
	name, _, _ := strings.Cut(flag, "=")
	return slices.Contains(AppFlags(), name), cri.CheckAppFlag(flag)
}

// OwnImages are the images that are no real ones, and OwnRegistry is what they begin with.
func OwnImages() []string { return cri.OwnImages() }

// OwnRegistry is where OwnImages come from.
const OwnRegistry = cri.OwnRegistry

// Validate says what is wrong with a configuration.
func (c Config) Validate() error {
	if _, err := manager.Enabled(c.Controllers); err != nil {
		return err
	}
	if c.Authorization != "" && c.Authorization != RBAC {
		return fmt.Errorf("authorization %q is unknown: write %s", c.Authorization, RBAC)
	}
	if c.CEL && cel.Installed == nil {
		return errors.New("this build of the control plane does not evaluate CEL")
	}
	if c.Kustomize && !kubectl.Kustomizes() {
		return errors.New("this build of the control plane does not build kustomizations")
	}
	if (c.AllKinds || c.Devices) && len(api.AllKinds()) == len(api.Kinds()) {
		return errors.New("this build of the control plane does not have all kinds")
	}
	if c.HollowNodes != nil {
		if err := c.HollowNodes.validate(); err != nil {
			return err
		}
	}
	if err := c.validatePreload(); err != nil {
		return err
	}
	for _, image := range slices.Sorted(maps.Keys(c.Images)) {
		for _, flag := range c.Images[image] {
			if err := cri.CheckAppFlag(flag); err != nil {
				return fmt.Errorf("image %q: %w", image, err)
			}
		}
	}
	if c.Ingress && !c.Network {
		return errors.New("ingress needs network")
	}
	if c.NetworkPolicies && !c.Network {
		return errors.New("networkPolicies needs network")
	}
	if c.Cloud && c.HollowNodes != nil {
		return errors.New("cloud is for nodes, not for hollowNodes")
	}
	if c.CloudRoutes && !c.Cloud {
		return errors.New("cloudRoutes needs cloud")
	}
	if err := c.validateMetrics(); err != nil {
		return err
	}
	if err := c.validateOperators(); err != nil {
		return err
	}
	if err := c.validateKubeadm(); err != nil {
		return err
	}
	if c.Switch != nil {
		if err := c.Switch.Validate(c); err != nil {
			return err
		}
	}
	return c.validateScheduler()
}

// ResourceFor finds the plural for what a person calls a resource: "rs",
// "pod", "replicasets.apps". ok is false when it is not served. A resource that
// a definition adds is called by its whole name, as "websites.example.com":
// whether it is there, only a run can tell.
func ResourceFor(name string) (plural string, ok bool) {
	if k := api.Resolve(name); k != nil {
		return k.Resource, true
	}
	if plural, group, _ := strings.Cut(name, "."); plural != "" && len(validate.IsDNS1123Subdomain(name)) == 0 && strings.Contains(group, ".") {
		return name, true
	}
	return "", false
}
