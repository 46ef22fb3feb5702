//go:build !js || cel

package cluster

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/yaml"
	"kubewalk/playground/trace"
)

const workloadObjects = `
apiVersion: v1
kind: List
items:
- apiVersion: cluster.x-k8s.io/v1beta2
  kind: Cluster
  metadata: {name: walk}
  spec:
    infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ToyCluster, name: walk}
    controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: KubeadmControlPlane, name: walk}
- {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: ToyCluster, metadata: {name: walk}}
- apiVersion: controlplane.cluster.x-k8s.io/v1beta2
  kind: KubeadmControlPlane
  metadata: {name: walk}
  spec:
    replicas: 1
    version: v1.36.3
    machineTemplate: {spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ToyMachineTemplate, name: small}}}
    kubeadmConfigSpec:
      initConfiguration: {nodeRegistration: {kubeletExtraArgs: [{name: provider-id, value: "toy:///{{ ds.meta_data.instance_id }}"}]}}
- {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: ToyMachineTemplate, metadata: {name: small}, spec: {template: {spec: {cpus: 2}}}}
- apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
  kind: KubeadmConfigTemplate
  metadata: {name: join}
  spec: {template: {spec: {joinConfiguration: {nodeRegistration: {kubeletExtraArgs: [{name: provider-id, value: "toy:///{{ ds.meta_data.instance_id }}"}]}}}}}
- apiVersion: cluster.x-k8s.io/v1beta2
  kind: MachineDeployment
  metadata: {name: workers}
  spec:
    clusterName: walk
    replicas: 1
    selector: {matchLabels: {app: workers}}
    template:
      metadata: {labels: {app: workers}}
      spec:
        clusterName: walk
        version: v1.36.3
        bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfigTemplate, name: join}}
        infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ToyMachineTemplate, name: small}
`

// cni is what a network plugin has to do here: a file on each node.
const cni = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: network, namespace: kube-system}
spec:
  selector: {matchLabels: {app: network}}
  template:
    metadata: {labels: {app: network}}
    spec:
      hostNetwork: true
      tolerations: [{operator: Exists}]
      volumes: [{name: cni, hostPath: {path: /etc/cni/net.d}}]
      containers:
      - {name: install, image: "busybox:1.37", command: [sh, -c], args: ["echo bridge > /cni/1.conf; sleep inf"], volumeMounts: [{name: cni, mountPath: /cni}]}
`

// says runs a command line, and lets two seconds pass.
func says(t *testing.T, c *Cluster, line, manifest string) string {
	t.Helper()
	args, err := ParseCommand(line)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{At: c.Elapsed(), Kind: Command, Args: args}
	if manifest != "" {
		text, err := yaml.ToJSON(manifest)
		if err != nil {
			t.Fatal(err)
		}
		in.Manifest = text
	}
	if err := c.Schedule(in); err != nil {
		t.Fatal(err)
	}
	c.RunUntil(c.Elapsed() + 2*time.Second)
	o := c.results[len(c.results)-1]
	if !o.Done {
		t.Fatalf("%s: no answer", line)
	}
	return o.Output + o.Error
}

// capi has the programs of Cluster API run, with a cluster defined that they make.
func capi(t *testing.T, seed uint64) *Cluster {
	t.Helper()
	config := DefaultConfig()
	config.Nodes = NumberedNodes(1)
	config.Operators = append([]string{ControlPlaneProvider}, ClusterAPI...)
	config.StartLater = config.Operators
	c := New(config, seed)
	t.Cleanup(c.Close)
	c.RunUntil(2 * time.Second)
	list := "apiVersion: v1\nkind: List\nitems:"
	for _, kind := range []string{"cluster.x-k8s.io Cluster", "cluster.x-k8s.io Machine", "cluster.x-k8s.io MachineSet", "cluster.x-k8s.io MachineDeployment",
		"controlplane.cluster.x-k8s.io KubeadmControlPlane", "bootstrap.cluster.x-k8s.io KubeadmConfig", "bootstrap.cluster.x-k8s.io KubeadmConfigTemplate",
		"infrastructure.cluster.x-k8s.io ToyCluster", "infrastructure.cluster.x-k8s.io ToyMachine", "infrastructure.cluster.x-k8s.io ToyMachineTemplate"} {
		group, kind, _ := strings.Cut(kind, " ")
		plural := strings.ToLower(kind) + "s"
		list += "\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata: {name: " + plural + "." + group +
			", annotations: {api-approved.kubernetes.io: unapproved}}\n  spec:\n    group: " + group + "\n    scope: Namespaced\n    names: {kind: " + kind +
			", plural: " + plural + "}\n    versions: [{name: v1beta2, served: true, storage: true, subresources: {status: {}}," +
			" schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]"
	}
	says(t, c, "apply -f list", list)
	for _, name := range config.Operators {
		if err := c.Schedule(Input{At: c.Elapsed(), Kind: Start, Component: name}); err != nil {
			t.Fatal(err)
		}
	}
	says(t, c, "apply -f list", workloadObjects)
	return c
}

// workloadUp has the cluster come up, with a network for Pods.
func workloadUp(t *testing.T, seed uint64) *Cluster {
	t.Helper()
	c := capi(t, seed)
	c.RunUntil(40 * time.Second)
	says(t, c, "apply -f cni --kubeconfig=walk.kubeconfig", cni)
	c.RunUntil(75 * time.Second)
	return c
}

// sees compares what commands print: a want that begins with "!" must not be there, and "" is that nothing is printed.
func sees(t *testing.T, c *Cluster, steps ...[2]string) {
	t.Helper()
	for _, step := range steps {
		got := says(t, c, step[0], "")
		unwanted, not := strings.CutPrefix(step[1], "!")
		if not == strings.Contains(got, unwanted) || step[1] == "" && got != "" {
			t.Errorf("$ %s\n%s\nwant %s", step[0], got, step[1])
		}
	}
}

func TestAClusterMakesACluster(t *testing.T) {
	c := workloadUp(t, 1)
	sees(t, c, [][2]string{
		{"get nodes -o name", "!vm-"},
		{"get nodes --kubeconfig=walk.kubeconfig", "!node-1"},
		{"get nodes --kubeconfig=walk.kubeconfig", "vm-1   Ready    control-plane"},
		{"get nodes --kubeconfig walk.kubeconfig", "vm-2   Ready    <none>"},
		{"get nodes -o jsonpath={.items[1].spec.taints} --kubeconfig walk.kubeconfig", ""}, // the core has removed it
		{"get nodes -o jsonpath={.items[*].metadata.annotations} --kubeconfig walk.kubeconfig", `"cluster.x-k8s.io/owner-kind":"KubeadmControlPlane"`},
		{"get machines.cluster.x-k8s.io -o jsonpath={.items[*].status.phase}", "Running Running"},
		{"get machines.cluster.x-k8s.io -o jsonpath={.items[*].status.nodeRef.name}", "vm-1 vm-2"},
		{"get pods -A -o name", ""}, // the control plane's Pods are in the cluster whose control plane it is
		{"get pods -A -o name --kubeconfig=walk.kubeconfig", "etcd-vm-1"},
		{"get secrets -o name", "secret/walk-kubeconfig"},
		{"get secrets -n kube-system -o name", "!bootstrap-token"}, // the token is where it is good for something
		{"get secrets -n kube-system -o name --kubeconfig=walk.kubeconfig", "secret/bootstrap-token-"},
		{"get machines.cluster.x-k8s.io --kubeconfig=walk.kubeconfig", "the server doesn't have a resource type"},
		{"get kubeadmcontrolplanes -o jsonpath={.items[0].status.conditions[*].type}", "Available"},
	}...)
	for i := range c.Trace().Len() {
		e := c.Trace().Event(trace.ID(i + 1))
		if strings.HasPrefix(e.Object.Name, "vm-") || e.Object.Namespace == "kube-system" && e.Object.Resource == "pods" {
			t.Fatalf("the trace says of another cluster's object: %v %s %v", e.Op, e.Component, e.Object)
		}
		if e.Cause == 0 && e.Op != trace.Input && e.At > 2*time.Second {
			t.Errorf("%v: %s %s %v has no cause", e.At, e.Component, e.Op, e.Attrs)
		}
	}
}

// TestTheOrderOfAClustersBirth is who waits for whom.
func TestTheOrderOfAClustersBirth(t *testing.T) {
	c := capi(t, 3)
	says(t, c, "version --kubeconfig=walk.kubeconfig", "") // too early
	if o := c.results[len(c.results)-1]; !strings.Contains(o.Error, "refused") {
		t.Errorf("before kubeadm init: %+v", o)
	}
	sees(t, c, [2]string{"get nodes --kubeconfig=run.kubeconfig", "error: stat run.kubeconfig: no such file or directory"},
		[2]string{"get kubeadmconfigs -o jsonpath={.items[*].status.conditions[*].message}", "Waiting for Cluster control plane to be initialized"})
	c.RunUntil(60 * time.Second)
	want := []struct{ who, message string }{
		{"toy-controller-manager", "Load balancer is up"},
		{ControlPlaneProvider, "Initializing control plane"},
		{"capi-kubeadm-bootstrap-controller-manager", "Creating BootstrapData for the first control plane"},
		{"toy-controller-manager", "Instance is booting"},
		{"kubeadm/vm-1", "[init] Using Kubernetes version: v1.36.3"},
		{"kubeadm/vm-1", "[certs] Using existing ca certificate authority"},
		{"kube-apiserver/walk", "Node is NotReady"},
		{"kubeadm/vm-1", "Your Kubernetes control-plane has initialized successfully!"},
		{ControlPlaneProvider, "Connected"},
		{"capi-kubeadm-bootstrap-controller-manager", "Creating BootstrapData for the worker node"},
		{"toy-controller-manager", "Instance is booting"},
		{"kubeadm/vm-2", "This node has joined the cluster:"},
	}
	for i := range c.Trace().Len() {
		e := c.Trace().Event(trace.ID(i + 1))
		if len(want) > 0 && e.Op == trace.Log && e.Component == want[0].who && e.Text("message") == want[0].message {
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("it did not come to %v", want[0])
	}
}

// TestWorkloadRunsElsewhere is that what is created in one cluster is nothing to the other, names or not.
func TestWorkloadRunsElsewhere(t *testing.T) {
	c := workloadUp(t, 2)
	sees(t, c, [][2]string{
		{"create deployment web --image=nginx --replicas=2 --kubeconfig=walk.kubeconfig", "deployment.apps/web created"},
		{"create deployment web --image=nginx --replicas=1", "deployment.apps/web created"},
		{"create deployment web --image=nginx --kubeconfig=walk.kubeconfig", "already exists"},
	}...)
	c.RunUntil(c.Elapsed() + 5*time.Second)
	sees(t, c, [][2]string{
		{"get pods -l app=web -o jsonpath={.items[*].spec.nodeName} --kubeconfig=walk.kubeconfig", "vm-2 vm-2"},
		{"get pods -l app=web -o jsonpath={.items[*].status.phase} --kubeconfig=walk.kubeconfig", "Running Running"},
		{"get pods -o jsonpath={.items[*].spec.nodeName}", "node-1"},
		{"get deployments -o jsonpath={.items[*].spec.replicas}", "1"},
		{"delete deployment web", "deleted"},
		{"get deployments -o name --kubeconfig=walk.kubeconfig", "deployment.apps/web"},
	}...)
	if a, b := c.store, c.toys.workloads[0].inner.store; a == b || a.Revision() == b.Revision() {
		t.Error("both have one store")
	}
}

// TestAWorkersMachineIsDeleted: it is drained and taken out of the cluster that it is in, and replaced.
func TestAWorkersMachineIsDeleted(t *testing.T) {
	c := workloadUp(t, 2)
	says(t, c, "create deployment web --image=nginx --replicas=2 --kubeconfig=walk.kubeconfig", "")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	says(t, c, "delete machines.cluster.x-k8s.io -l app=workers --wait=false", "")
	sees(t, c, [2]string{"get node vm-2 --kubeconfig=walk.kubeconfig", "Ready,SchedulingDisabled"})
	c.RunUntil(c.Elapsed() + 90*time.Second)
	sees(t, c, [][2]string{
		{"get nodes -o name --kubeconfig=walk.kubeconfig", "node/vm-1\nnode/vm-3"},
		{"get pods -l app=web -o jsonpath={.items[*].spec.nodeName} --kubeconfig=walk.kubeconfig", "vm-3 vm-3"},
		{"get machines.cluster.x-k8s.io -l app=workers -o jsonpath={.items[*].status.nodeRef.name}", "vm-3"},
	}...)
	if c.byName["kubelet/vm-2"] != nil || c.toys.workloads[0].inner.findBox("vm-2") != nil {
		t.Error("the machine is still there")
	}
}

// TestTheControlPlanesMachineLosesPower: nobody answers, what runs on workers runs on, and afterwards all is as before.
func TestTheControlPlanesMachineLosesPower(t *testing.T) {
	c := workloadUp(t, 2)
	says(t, c, "create deployment web --image=nginx --kubeconfig=walk.kubeconfig", "")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	power := func(kind Kind) {
		if err := c.Schedule(Input{At: c.Elapsed(), Kind: kind, Node: "vm-1"}); err != nil {
			t.Fatal(err)
		}
		c.RunUntil(c.Elapsed() + time.Minute)
		if o := c.results[len(c.results)-1]; o.Error != "" {
			t.Fatal(o.Error)
		}
	}
	power(KillNode)
	sees(t, c, [][2]string{
		{"get pods --kubeconfig=walk.kubeconfig", "The connection to the server 203.0.113.10:6443 was refused"},
		{"get nodes -o name", "node/node-1"},
		{"get machines.cluster.x-k8s.io -o jsonpath={.items[*].status.phase}", "Running Running"},
	}...)
	inner := c.toys.workloads[0].inner
	if containers, err := inner.findBox("vm-2").runtime.ListContainers(); err != nil || len(containers) == 0 || !inner.byName["kubelet/vm-2"].running() {
		t.Error("the worker does not run")
	}
	power(StartNode)
	c.RunUntil(c.Elapsed() + time.Minute)
	sees(t, c, [][2]string{
		{"get pods -l app=web -o jsonpath={.items[*].status.phase} --kubeconfig=walk.kubeconfig", "Running"},
		{"get machines.cluster.x-k8s.io -o jsonpath=\"{.items[*].status.conditions[?(@.type=='Ready')].status}\"", "True True"},
	}...)
}

// TestTheClusterIsDeleted: workers go first, then the control plane, then its address.
func TestTheClusterIsDeleted(t *testing.T) {
	c := workloadUp(t, 2)
	says(t, c, "delete clusters.cluster.x-k8s.io walk --wait=false", "")
	c.RunUntil(c.Elapsed() + 3*time.Minute)
	sees(t, c, [][2]string{
		{"get clusters.cluster.x-k8s.io,machines.cluster.x-k8s.io,toymachines,toyclusters,kubeadmcontrolplanes,kubeadmconfigs,machinedeployments -o name", ""},
		{"get secrets -o name", ""},
		{"get nodes --kubeconfig=walk.kubeconfig", "no such file or directory"},
		{"get nodes -o name", "node/node-1"},
	}...)
	if w := c.toys.workloads[0]; w.inner != nil || len(w.machines) > 0 || len(w.shadows) > 0 {
		t.Errorf("it is still there: machines %v, seen %v", w.machines, w.shadows)
	}
}

// TestWorkloadIsRepeated is that a seed gives one run, of both clusters.
func TestWorkloadIsRepeated(t *testing.T) {
	print := func() string {
		var b bytes.Buffer
		c := workloadUp(t, 5)
		for _, of := range []*Cluster{c, c.toys.workloads[0].inner} {
			if err := of.Trace().Print(&b); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	if first := print(); first != print() {
		t.Error("two runs differ")
	}
}
