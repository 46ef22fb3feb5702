package cluster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/yaml"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

const toyWorkers = `
- {apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: walk, namespace: default}}
- apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
  kind: ToyMachineTemplate
  metadata: {name: small, namespace: default}
  spec: {template: {spec: {cpus: 1}}}
- apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
  kind: KubeadmConfigTemplate
  metadata: {name: join, namespace: default}
  spec: {template: {spec: {joinConfiguration: {nodeRegistration: {kubeletExtraArgs: [{name: provider-id, value: "toy:///{{ ds.meta_data.instance_id }}"}]}}}}}
- apiVersion: cluster.x-k8s.io/v1beta2
  kind: MachineSet
  metadata: {name: workers, namespace: default}
  spec:
    clusterName: walk
    replicas: 1
    selector: {matchLabels: {app: workers}}
    template:
      metadata: {labels: {app: workers}}
      spec:
        clusterName: walk
        bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfigTemplate, name: join}}
        infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ToyMachineTemplate, name: small}
`

// timesOut answers the first requests that match with 504. Those of `done` were carried out nevertheless.
type timesOut struct {
	client.Transport
	left *map[string]int // how many more, by verb and resource
	done bool
	log  *[]string // what the core has written of Machines and clones
}

func (f timesOut) Do(p *sim.Proc, r *client.Request) (client.Result, error) {
	what := r.Verb + " " + r.Resource.Resource
	if p.Component().Name() != cluster.ClusterAPI[0] || r.Verb != client.Create && r.Verb != client.Delete ||
		!slices.Contains([]string{"machines", "toymachines", "kubeadmconfigs"}, r.Resource.Resource) {
		return f.Transport.Do(p, r)
	}
	if (*f.left)[what] == 0 {
		*f.log = append(*f.log, what)
		return f.Transport.Do(p, r)
	}
	(*f.left)[what]--
	*f.log = append(*f.log, what+" 504")
	if f.done {
		_, _ = f.Transport.Do(p, r)
	}
	return nil, apierrors.NewTimeoutError("request timed out", 0)
}

// install applies objects, written as YAML.
func install(t *testing.T, c *cluster.Cluster, list string) {
	t.Helper()
	text, err := yaml.ToJSON(list)
	if err != nil {
		t.Fatal(err)
	}
	if out := typed(t, c, "apply -f list", string(text)); !strings.Contains(out, "created") {
		t.Fatal(out)
	}
}

// installCAPI defines the kinds of Cluster API and of its toy cloud.
func installCAPI(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	list := "apiVersion: v1\nkind: List\nitems:"
	for _, kind := range []string{"Cluster", "Machine", "MachineSet", "MachineDeployment", "bootstrap KubeadmConfig", "bootstrap KubeadmConfigTemplate",
		"infrastructure ToyMachine", "infrastructure ToyMachineTemplate"} {
		group := "cluster.x-k8s.io"
		if prefix, name, has := strings.Cut(kind, " "); has {
			group, kind = prefix+"."+group, name
		}
		list += fmt.Sprintf(`
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: %[1]s.%[2]s, annotations: {api-approved.kubernetes.io: unapproved}}
  spec:
    group: %[2]s
    scope: Namespaced
    names: {kind: %[3]s, plural: %[1]s}
    versions: [{name: v1beta2, served: true, storage: true, subresources: {status: {}},
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]`, strings.ToLower(kind)+"s", group, kind)
	}
	install(t, c, list)
	c.RunUntil(c.Elapsed() + 2*time.Second)
}

// TestADeadMachineIsReplaced: nobody on it confirms that its Pods have ended, and it is drained nevertheless.
func TestADeadMachineIsReplaced(t *testing.T) {
	cfg := cluster.DefaultConfig()
	cfg.Nodes = cluster.NumberedNodes(1)
	cfg.Operators, cfg.StartLater = cluster.ClusterAPI, cluster.ClusterAPI
	c := cluster.New(cfg, 1)
	t.Cleanup(c.Close)
	installCAPI(t, c)
	for _, name := range cluster.ClusterAPI {
		schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Start, Component: name})
	}
	install(t, c, `apiVersion: v1
kind: List
items:
- apiVersion: cluster.x-k8s.io/v1beta2
  kind: Machine
  metadata: {name: cp, namespace: default, labels: {cluster.x-k8s.io/cluster-name: walk, cluster.x-k8s.io/control-plane: ""}}
  spec:
    clusterName: walk
    bootstrap: {dataSecretName: cp}
    infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: ToyMachine, name: cp}
- {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: ToyMachine, metadata: {name: cp, namespace: default}, spec: {providerID: "toy:///node-1"}}
`+toyWorkers)
	typed(t, c, "cordon node-1", "")
	typed(t, c, "create deployment web --image=nginx", "")
	c.RunUntil(c.Elapsed() + 30*time.Second)
	const where = "get pods -l app=web -o jsonpath={.items[*].spec.nodeName}"
	if got := typed(t, c, where, ""); got != "vm-1" {
		t.Fatalf("the Pod is on %q", got)
	}
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.KillNode, Node: "vm-1"})
	c.RunUntil(c.Elapsed() + time.Minute)
	machine := typed(t, c, "get machines -l app=workers -o jsonpath={.items[*].metadata.name}", "")
	typed(t, c, "delete machines.cluster.x-k8s.io "+machine+" --wait=false", "")
	c.RunUntil(c.Elapsed() + 2*time.Minute)
	if got := typed(t, c, "get nodes -o name", ""); got != "node/node-1\nnode/vm-2" {
		t.Errorf("the nodes are %q\n%s", got, typed(t, c, "get machines.cluster.x-k8s.io -o yaml", ""))
	}
	if got := typed(t, c, where, ""); got != "vm-2" {
		t.Errorf("the Pod is on %q", got)
	}
}

// TestMachineSetCleansUp is what a MachineSet does with its clones when it cannot make the other clone, or the Machine.
func TestMachineSetCleansUp(t *testing.T) {
	const config, infra, machine = "create kubeadmconfigs", "create toymachines", "create machines"
	all := []string{config, infra, machine}
	for _, test := range []struct {
		name  string
		fails map[string]int
		done  bool
		want  []string
		logs  string
	}{
		{"nothing fails", nil, false, all, ""},
		{"the second clone", map[string]int{infra: 1}, false,
			append([]string{config, infra + " 504", "delete kubeadmconfigs"}, all...),
			"failed to clone infrastructure machine from ToyMachineTemplate default/small while creating a Machine: Timeout: request timed out"},
		{"the Machine", map[string]int{machine: 1}, false,
			append([]string{config, infra, machine + " 504", "delete toymachines", "delete kubeadmconfigs"}, all...), "Timeout: request timed out"},
		{"the second clone, and its cleaning up", map[string]int{infra: 1, "delete kubeadmconfigs": 1}, false,
			append([]string{config, infra + " 504", "delete kubeadmconfigs 504", "delete kubeadmconfigs"}, all...),
			"after ToyMachineTemplate creation failed: Timeout: request timed out]"},
		{"the second clone, which is there", map[string]int{infra: 1}, true,
			append([]string{config, infra + " 504", "delete kubeadmconfigs", "delete toymachines"}, all...), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := cluster.DefaultConfig()
			cfg.Nodes = cluster.NumberedNodes(1)
			cfg.Operators, cfg.StartLater = cluster.ClusterAPI[:1], cluster.ClusterAPI[:1]
			var log []string
			c := cluster.NewObserved(cfg, 1, func(to client.Transport) client.Transport { return timesOut{to, &test.fails, test.done, &log} })
			t.Cleanup(c.Close)
			installCAPI(t, c)
			schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Start, Component: cluster.ClusterAPI[0]})
			c.RunUntil(c.Elapsed() + 2*time.Second)
			install(t, c, "apiVersion: v1\nkind: List\nitems:"+toyWorkers)
			c.RunUntil(c.Elapsed() + time.Minute)
			if !slices.Equal(log, test.want) {
				t.Errorf("got  %q\nwant %q", log, test.want)
			}
			objects := map[string]int{}
			for _, cell := range c.Trace().Now().Cells(trace.CellObject) {
				if _, is := c.Trace().Now()[cell].(*api.Unstructured); is {
					objects[cell.Owner]++
				}
			}
			for _, resource := range []string{"machines.cluster.x-k8s.io", "kubeadmconfigs.bootstrap.cluster.x-k8s.io", "toymachines.infrastructure.cluster.x-k8s.io"} {
				if objects[resource] != 1 {
					t.Errorf("there are %d %s", objects[resource], resource)
				}
			}
			var said bool
			for i := range c.Trace().Len() {
				said = said || strings.Contains(fmt.Sprint(c.Trace().Event(trace.ID(i+1)).Attrs), test.logs)
			}
			if !said {
				t.Errorf("the log does not say %q", test.logs)
			}
		})
	}
}
