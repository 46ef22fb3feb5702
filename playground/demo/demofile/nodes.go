package demofile

import (
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/trace"
)

// maxCount is how many nodes, or Pods on a node, a demo may have.
const maxCount = 1000

// maxKubeAPIQPS is the largest kubeAPIQPS of a demo: nobody waits for so much.
const maxKubeAPIQPS = 10000

// maxInstances is how many controller managers, or schedulers, a demo may have.
const maxInstances = 3

func (b *builder) cluster(v value) cluster.Config {
	c := cluster.DefaultConfig()
	m := v.mapping(clusterForm)
	if epoch := m["epoch"]; epoch.There() {
		text := epoch.Text("epoch")
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			b.Fail(epoch.At, "epoch %q is not a time: write 2026-11-21T09:00:00Z", text)
		}
		c.Epoch = t
	}
	switch nodes := m["nodes"]; {
	case !nodes.There():
	case nodes.IsList():
		c.Nodes = b.nodes(nodes)
	case nodes.IsWhole():
		c.Nodes = cluster.NumberedNodes(int(nodes.whole("the number of nodes", 0, maxCount)))
	default:
		b.Fail(nodes.At, "nodes is a number, or a list such as [%s]", nodeExample)
	}
	if b.hollow(m["hollowNodes"], &c); m["hollowNodes"].There() && !m["nodes"].There() {
		c.Nodes = nil
	}
	if v := m["trace"]; v.There() {
		c.Trace = levels[v.OneOf("trace", sorted(levels))]
		if c.Trace == trace.Totals && c.HollowNodes == nil {
			b.Fail(v.At, "trace: totals draws nodes as cells and Pods as numbers: it is for hollowNodes")
		}
	}
	for _, item := range m["controllers"].list("controllers", "[replicaset-controller, garbage-collector-controller]") {
		name := item.Text("a controller")
		c.Controllers = append(c.Controllers, name)
		if err := (cluster.Config{Controllers: []string{name}}).Validate(); err != nil {
			b.Fail(item.At, "unknown controller %q (%s)", name, suggest.Cure(name, cluster.ControllerNames()))
			c.Controllers = nil
		}
	}
	if v := m["authorization"]; v.There() {
		c.Authorization = v.OneOf("authorization", []string{cluster.RBAC})
	}
	c.CEL, c.AllKinds, c.Devices = m["cel"].Yes("cel"), m["allKinds"].Yes("allKinds"), m["devices"].Yes("devices")
	c.LeaderElect, c.Kubeadm = m["leaderElect"].Yes("leaderElect"), m["kubeadm"].Yes("kubeadm")
	c.Network, c.Ingress, c.Metrics = m["network"].Yes("network"), m["ingress"].Yes("ingress"), m["metrics"].Yes("metrics")
	for _, item := range m["operators"].list("operators", "[workqueue-example]") {
		name := item.OneOf("operator", cluster.OperatorNames)
		switch {
		case slices.Contains(c.Operators, name):
			b.Fail(item.At, "operator %q is listed twice", name)
		case slices.Contains(cluster.OperatorNames, name):
			c.Operators = append(c.Operators, name)
		}
	}
	for _, item := range m["startLater"].list("startLater", "[workqueue-example]") {
		name := item.Text("an operator")
		if !slices.Contains(c.Operators, name) {
			b.Fail(item.At, "operator %q cannot start later: it is not among the operators", name)
			continue
		}
		c.StartLater = append(c.StartLater, name)
	}
	c.Cloud, c.CloudRoutes = m["cloud"].Yes("cloud"), m["cloudRoutes"].Yes("cloudRoutes")
	if c.CloudRoutes && !c.Cloud {
		b.Fail(m["cloudRoutes"].At, "cloudRoutes needs cloud: true")
	}
	if c.Cloud && c.HollowNodes != nil {
		b.Fail(m["cloud"].At, "cloud is for nodes, not for hollowNodes")
	}
	c.NetworkPolicies = m["networkPolicies"].Yes("networkPolicies")
	if c.Ingress && !c.Network {
		b.Fail(m["ingress"].At, "ingress needs network: true")
	}
	if c.NetworkPolicies && !c.Network {
		b.Fail(m["networkPolicies"].At, "networkPolicies needs network: true")
	}
	for _, n := range []struct {
		key string
		to  *int
	}{{"controllerManagers", &c.ControllerManagers}, {"schedulers", &c.Schedulers}} {
		if v := m[n.key]; v.There() {
			*n.to = int(v.whole(n.key, 1, maxInstances))
		}
	}
	if v := m["kubeAPIQPS"]; v.There() {
		c.KubeAPIQPS = int(v.whole("kubeAPIQPS", 1, maxKubeAPIQPS))
	}
	if v := m["controllerManagers"]; c.ControllerManagers > 1 && !c.LeaderElect {
		b.Fail(v.At, "more than one controller manager needs leaderElect: true")
	}
	if v := m["kubeadm"]; c.Kubeadm {
		if err := (cluster.Config{Kubeadm: true, Nodes: c.Nodes, HollowNodes: c.HollowNodes, Authorization: c.Authorization,
			LeaderElect: c.LeaderElect, AllKinds: c.AllKinds, Network: c.Network, Cloud: c.Cloud, Metrics: c.Metrics,
			Schedulers: c.Schedulers, ControllerManagers: c.ControllerManagers}).Validate(); err != nil {
			b.Fail(v.Key, "%v", err)
		}
	}
	b.preload(m["preload"], &c)
	c.Images = b.images(m["images"])
	for _, item := range m["schedulerPlugins"].list("schedulerPlugins", "[Coscheduling]") {
		c.SchedulerPlugins = append(c.SchedulerPlugins, item.OneOf("scheduler plugin", cluster.SchedulerPlugins()))
	}
	c.SchedulerProfiles = b.schedulerProfiles(m["schedulerProfiles"], c.SchedulerPlugins)
	c.SchedulerExtenders = b.schedulerExtenders(m["schedulerExtenders"], c.Network)
	return c
}

// schedulerExtenders reads extenders as they stand in a KubeSchedulerConfiguration.
func (b *builder) schedulerExtenders(v value, network bool) (out []cluster.SchedulerExtender) {
	for _, item := range v.list("schedulerExtenders", "[{urlPrefix: http://10.96.0.50, filterVerb: filter}]") {
		item.open("a scheduler's extender", "{urlPrefix: http://10.96.0.50, filterVerb: filter}")
		text, err := item.JSON()
		var e cluster.SchedulerExtender
		if err == nil {
			var strict *api.StrictError
			if strict, err = api.DecodeInto(text, &e); err == nil && strict != nil {
				err = strict
			}
		}
		if err != nil {
			b.Fail(item.At, "the scheduler's extender: %v", err)
			return nil
		}
		out = append(out, e)
	}
	if len(out) > 0 {
		if err := (cluster.Config{SchedulerExtenders: out, Network: network}).Validate(); err != nil {
			b.Fail(v.Key, "kube-scheduler would not start with these extenders: %v", err)
			return nil
		}
	}
	return out
}

// schedulerProfiles reads profiles as they stand in a KubeSchedulerConfiguration.
func (b *builder) schedulerProfiles(v value, plugins []string) (out []cluster.KubeSchedulerProfile) {
	for _, item := range v.list("schedulerProfiles", "[{schedulerName: default-scheduler}]") {
		item.open("a scheduler's profile", "{schedulerName: default-scheduler}")
		text, err := item.JSON()
		var profile cluster.KubeSchedulerProfile
		if err == nil {
			var strict *api.StrictError
			if strict, err = api.DecodeInto(text, &profile); err == nil && strict != nil {
				err = strict
			}
		}
		if err != nil {
			b.Fail(item.At, "the scheduler's profile: %v", err)
			return nil
		}
		out = append(out, profile)
	}
	if len(out) > 0 {
		if err := (cluster.Config{SchedulerProfiles: out, SchedulerPlugins: plugins}).Validate(); err != nil {
			b.Fail(v.Key, "kube-scheduler would not start with these profiles: %v", err)
			return nil
		}
	}
	return out
}

const nodeExample = "{name: node-1, cpu: 4, memory: 8Gi, pods: 110}"

func (b *builder) nodes(v value) []cluster.Node {
	var out []cluster.Node
	seen := map[string]bool{}
	for _, item := range v.list("nodes", "["+nodeExample+"]") {
		n := b.node(item)
		if n.Name != "" && seen[n.Name] {
			b.Fail(item.At, "two nodes are called %q (give one another name)", n.Name)
		}
		seen[n.Name] = true
		out = append(out, n)
	}
	return out
}

func (b *builder) node(v value) cluster.Node {
	n := cluster.NumberedNodes(1)[0]
	m := v.mapping(nodeForm)
	if n.Name = m["name"].Text("a node's name"); n.Name == "" {
		b.Fail(v.Key, "a node needs a name, as in %s", nodeExample)
	}
	for _, q := range []struct {
		key string
		to  *string
	}{{"cpu", &n.CPU}, {"memory", &n.Memory}} {
		amount := m[q.key]
		if !amount.There() {
			continue
		}
		*q.to = amount.Text(q.key)
		if parsed, err := resource.ParseQuantity(*q.to); err != nil {
			b.Fail(amount.At, "%s %q is not a quantity: write 4, 500m or 8Gi", q.key, *q.to)
		} else if parsed.Sign() < 0 {
			b.Fail(amount.At, "%s %s is negative", q.key, *q.to)
		}
	}
	if pods := m["pods"]; pods.There() {
		n.Pods = int(pods.whole("pods", 1, maxCount))
	}
	n.Labels = m["labels"].texts("labels", "{zone: a}")
	return n
}
