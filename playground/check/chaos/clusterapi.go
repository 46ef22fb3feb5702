package chaos

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "Cluster API", prepare: (*dice).capiManagers, act: (*dice).capi, unsettled: capiUnsettled})
}

// The kinds of Cluster API, and what machines of its cloud are called.
const (
	capiGroup    = "cluster.x-k8s.io"
	machines     = "machines." + capiGroup
	deployments  = "machinedeployments." + capiGroup
	toyMachines  = "toymachines.infrastructure." + capiGroup
	toyProvider  = "toy:///"
	toyInstances = "vm-"
)

// machineTemplates are what MachineDeployments refer to, as items of a list.
const machineTemplates = `
- apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
  kind: ToyMachineTemplate
  metadata: {name: small, namespace: default}
  spec: {template: {spec: {cpus: 1}}}
- apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
  kind: ToyMachineTemplate
  metadata: {name: large, namespace: default}
  spec: {template: {spec: {cpus: 4}}}
- apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
  kind: KubeadmConfigTemplate
  metadata: {name: join, namespace: default}
  spec: {template: {spec: {joinConfiguration: {nodeRegistration: {kubeletExtraArgs: [{name: provider-id, value: "toy:///{{ ds.meta_data.instance_id }}"}]}}}}}
`

// capiPrograms adds the kinds of Cluster API, and has some of its programs start.
func (d *dice) capiPrograms(cfg *cluster.Config, programs []string) {
	cfg.Operators, cfg.StartLater = append(cfg.Operators, programs...), append(cfg.StartLater, programs...)
	const scale = ", scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}"
	text := "apiVersion: v1\nkind: List\nitems:"
	type kinds struct{ group, kinds, scale string }
	all := []kinds{
		{"", "Cluster Machine", ""},
		{"", "MachineSet MachineDeployment", scale},
		{"bootstrap.", "KubeadmConfig KubeadmConfigTemplate", ""},
		{"infrastructure.", "ToyMachine ToyMachineTemplate", ""},
	}
	if slices.Contains(programs, cluster.ControlPlaneProvider) {
		all = append(all, kinds{"controlplane.", "KubeadmControlPlane", scale}, kinds{"infrastructure.", "ToyCluster", ""})
	}
	for _, k := range all {
		for _, kind := range strings.Fields(k.kinds) {
			text += definition(k.group+capiGroup, "v1beta2", kind, k.scale)
		}
	}
	d.install(installAt, text)
	for _, name := range programs {
		d.add(cluster.Input{At: 3 * time.Second, Kind: cluster.Start, Component: name})
	}
}

// capiManagers installs Cluster API with a control plane that is there already.
func (d *dice) capiManagers(cfg *cluster.Config) {
	d.capiPrograms(cfg, cluster.ClusterAPI)
	d.install(5*time.Second, `
apiVersion: v1
kind: List
items:
- {apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: walk, namespace: default}, spec: {controlPlaneEndpoint: {host: 10.0.0.10, port: 6443}}}
- apiVersion: cluster.x-k8s.io/v1beta2
  kind: Machine
  metadata:
    name: walk-control-plane
    namespace: default
    labels: {cluster.x-k8s.io/cluster-name: walk, cluster.x-k8s.io/control-plane: ""}
  spec:
    clusterName: walk
    bootstrap: {dataSecretName: walk-control-plane}
    infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ToyMachine, name: walk-control-plane}
- apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
  kind: ToyMachine
  metadata: {name: walk-control-plane, namespace: default}
  spec: {cpus: 4, providerID: "toy:///node-1"}
`+machineTemplates)
}

// capi grows and shrinks a MachineDeployment, changes its template, deletes it and its Machines, and has machines lose power.
func (d *dice) capi(at time.Duration) {
	const workers = "workers"
	if d.once(deployments) {
		d.machineDeployment(at, workers)
		return
	}
	switch d.IntN(9) {
	case 0, 1:
		d.kubectl(at, "scale", deployments, workers, fmt.Sprint("--replicas=", d.IntN(4)))
	case 2, 3:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: machines, Namespace: "default", Name: workers + "-*"})
	case 4:
		d.kubectl(at, "patch", deployments, workers, "--type=merge", "-p",
			fmt.Sprintf(`{"spec":{"template":{"spec":{"infrastructureRef":{"name":%q}}}}}`, []string{"small", "large"}[d.IntN(2)]))
	case 5, 6:
		vm := fmt.Sprint(toyInstances, 1+d.IntN(3))
		d.toggle(at, vm, cluster.Input{Kind: cluster.KillNode, Node: vm}, cluster.Input{Kind: cluster.StartNode, Node: vm})
	case 7:
		d.kubectl(at, "delete", deployments, workers, "--wait=false")
	default:
		d.machineDeployment(at, workers)
	}
}

func (d *dice) machineDeployment(at time.Duration, name string) {
	d.install(at, fmt.Sprintf(`
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: {name: %[1]s, namespace: default, labels: {cluster.x-k8s.io/cluster-name: walk}}
spec:
  clusterName: walk
  replicas: %[2]d
  selector: {matchLabels: {cluster.x-k8s.io/cluster-name: walk, cluster.x-k8s.io/deployment-name: %[1]s}}
  template:
    metadata: {labels: {cluster.x-k8s.io/cluster-name: walk, cluster.x-k8s.io/deployment-name: %[1]s}}
    spec:
      clusterName: walk
      version: v1.36.3
      bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfigTemplate, name: join}}
      infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ToyMachineTemplate, name: %[3]s}
`, name, 1+d.IntN(2), []string{"small", "large"}[d.IntN(2)]))
}

// capiUnsettled: there are as many Machines as are asked for, each with its Node; and there is no machine, ToyMachine or Node that none of them has.
func capiUnsettled(s trace.State, say sayer) {
	if !runs(s, cluster.ClusterAPI[0]) || runs(s, cluster.ControlPlaneProvider) {
		return // of another cluster's Machines see workloadUnsettled
	}
	nodes := map[string]*corev1.Node{} // by providerID
	for _, c := range s.Cells(trace.CellObject) {
		if n, ok := s[c].(*corev1.Node); ok {
			nodes[n.Spec.ProviderID] = n
		}
	}
	there := int64(0)
	of, known := map[string]bool{}, customs(s, machines) // UIDs of Machines; Machines
	for key, m := range known {                          // order: the sentences are sorted
		id, _ := field(m, "spec", "providerID").(string)
		of[string(m.UID)] = true
		switch name, _ := field(m, "status", "nodeRef", "name").(string); {
		case m.DeletionTimestamp != nil:
			say("machine %s is to go", key)
		case nodes[id] == nil || nodes[id].Name != name:
			say("machine %s has no node", key)
		case nodes[id].DeletionTimestamp != nil:
			say("machine %s has a node that is to go", key)
		}
		if !strings.HasSuffix(key, "-control-plane") {
			there++
		}
	}
	machinesUnsettled(s, there, say)
	ids := map[string]bool{}
	for key, toy := range customs(s, toyMachines) { // order: the sentences are sorted
		id, _ := field(toy, "spec", "providerID").(string)
		if ids[id] = true; len(toy.OwnerReferences) == 0 || !of[string(toy.OwnerReferences[0].UID)] {
			say("toymachine %s has no machine", key)
		}
	}
	for _, c := range s.Cells(trace.CellComponent) {
		if vm, is := strings.CutPrefix(c.Owner, "containerd/"+toyInstances); is && !ids[toyProvider+toyInstances+vm] {
			say("instance %s%s runs in the cloud, and no toymachine is about it", toyInstances, vm)
		}
	}
	networks := map[string]string{} // nodes, by the network of their Pods
	for _, n := range nodes {       // order: the sentences are sorted
		if other := networks[n.Spec.PodCIDR]; other != "" && n.Spec.PodCIDR != "" {
			say("nodes %s and %s have the same network", min(n.Name, other), max(n.Name, other))
		}
		networks[n.Spec.PodCIDR] = n.Name
		if name := n.Annotations["cluster.x-k8s.io/machine"]; name != "" && known["default/"+name] == nil {
			say("node %s is there, and its machine %s is gone", n.Name, name)
		}
	}
}

// machinesUnsettled: there are as many workers as MachineDeployments want, and those say so.
func machinesUnsettled(s trace.State, workers int64, say sayer) {
	wanted := int64(0)
	for key, md := range customs(s, deployments) { // order: the sentences are sorted
		wanted = number(md, "spec", "replicas")
		for _, f := range []string{"replicas", "readyReplicas", "availableReplicas", "upToDateReplicas"} {
			if n := number(md, "status", f); n != wanted {
				say("machinedeployment %s wants %d, and its status has %s %d", key, wanted, f, n)
			}
		}
	}
	if workers != wanted {
		say("%d machines are wanted, and there are %d", wanted, workers)
	}
}

// number reads a field that is one, 0 for none.
func number(o *api.Unstructured, path ...string) int64 {
	n, _ := field(o, path...).(json.Number)
	v, _ := n.Int64()
	return v
}
