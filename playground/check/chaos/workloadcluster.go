package chaos

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "workload cluster", prepare: (*dice).workloadManagers, act: (*dice).workload, unsettled: workloadUnsettled,
		alone: true, apart: true})
}

// controlPlanes is the kind of a control plane that kubeadm makes.
const controlPlanes = "kubeadmcontrolplanes.controlplane." + capiGroup

// workloadManagers installs Cluster API, and has it make a cluster.
func (d *dice) workloadManagers(cfg *cluster.Config) {
	d.capiPrograms(cfg, append([]string{cluster.ControlPlaneProvider}, cluster.ClusterAPI...))
	d.install(5*time.Second, `
apiVersion: v1
kind: List
items:
- apiVersion: cluster.x-k8s.io/v1beta2
  kind: Cluster
  metadata: {name: walk, namespace: default}
  spec:
    infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ToyCluster, name: walk}
    controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: KubeadmControlPlane, name: walk}
- apiVersion: controlplane.cluster.x-k8s.io/v1beta2
  kind: KubeadmControlPlane
  metadata: {name: walk, namespace: default}
  spec:
    replicas: 1
    version: v1.36.3
    machineTemplate: {spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ToyMachineTemplate, name: small}}}
    kubeadmConfigSpec:
      initConfiguration: {nodeRegistration: {kubeletExtraArgs: [{name: provider-id, value: "toy:///{{ ds.meta_data.instance_id }}"}]}}
- {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: ToyCluster, metadata: {name: walk, namespace: default}}
`+machineTemplates)
	for _, at := range []time.Duration{40 * time.Second, FaultsEnd, FaultsEnd + 30*time.Second} { // its API server may be away
		d.install(at, networkPlugin, "--kubeconfig=walk.kubeconfig")
	}
}

// workload grows and shrinks the workers of the cluster that is made, deletes their Machines, and has the machine of its control plane lose
// power, once kubeadm is done there: a script that was interrupted does not run again.
func (d *dice) workload(at time.Duration) {
	const workers = "workers"
	if d.once(deployments) {
		d.machineDeployment(at, workers)
		return
	}
	switch d.IntN(6) {
	case 0, 1:
		d.kubectl(at, "scale", deployments, workers, fmt.Sprint("--replicas=", d.IntN(3)))
	case 2, 3:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: machines, Namespace: "default", Name: workers + "-*"})
	default:
		const vm = toyInstances + "1"
		if at < 45*time.Second {
			return
		}
		d.toggle(at, vm, cluster.Input{Kind: cluster.KillNode, Node: vm}, cluster.Input{Kind: cluster.StartNode, Node: vm})
	}
}

// workloadUnsettled: the control plane is there, each Machine has a Node in the cluster that was made, which is ready there and not here; and
// there are as many as are asked for.
func workloadUnsettled(s trace.State, say sayer) {
	if !runs(s, cluster.ControlPlaneProvider) {
		return
	}
	for key, kcp := range customs(s, controlPlanes) { // order: the sentences are sorted
		if is, _ := field(kcp, "status", "initialization", "controlPlaneInitialized").(bool); !is {
			say("control plane %s is not initialized", key)
		}
		if n := number(kcp, "status", "replicas"); n != 1 {
			say("control plane %s has %d machines", key, n)
		}
	}
	workers := int64(0)
	for key, m := range customs(s, machines) { // order: the sentences are sorted
		name, _ := field(m, "status", "nodeRef", "name").(string)
		state := s[trace.Cell{Kind: trace.CellElsewhere, Owner: "walk", Key: name}]
		switch {
		case m.DeletionTimestamp != nil:
			say("machine %s is to go", key)
		case name == "":
			say("machine %s has no node", key)
		case state != "Ready":
			say("machine %s has node %s, which is %v", key, name, state)
		}
		if s[trace.Cell{Kind: trace.CellObject, Owner: "nodes", Key: name}] != nil {
			say("machine %s of another cluster has a node %s here", key, name)
		}
		if strings.HasPrefix(key, "default/workers-") {
			workers++
		}
	}
	machinesUnsettled(s, workers, say)
}
