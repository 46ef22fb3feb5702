package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/cluster"
)

func init() {
	register(&ingredient{name: "amounts", controllers: []string{"resourcequota-controller"}, prepare: (*dice).fewSeats, act: (*dice).amounts, apart: true})
}

// Of a resource that is none of Kubernetes' own, every node has a few, once somebody has written that.
const (
	gadget          = "example.com/gadget"
	gadgets         = 3
	amountNamespace = "measured"
)

// crowded is a node that takes few Pods, which all like because it is large; the others are as ever, so that whoever else there is finds room.
const crowded = "node-9"

func (d *dice) fewSeats(cfg *cluster.Config) {
	if !slices.ContainsFunc(d.chosen, func(i *ingredient) bool { // one that has nodes of its own, or wants a seat on each
		return i.prepare != nil && i.name != "amounts" || i.name == "daemonsets"
	}) {
		cfg.Nodes = append(cfg.Nodes, cluster.Node{Name: crowded, CPU: "64", Memory: "64Gi", Pods: 5})
	}
}

// amounts makes and deletes what uses much of each resource: of nodes, and of a quota that names all kinds of resources.
func (d *dice) amounts(at time.Duration) {
	if d.once("amounts") {
		for _, n := range d.scenario.Cluster.Nodes {
			d.add(cluster.Input{At: at, Kind: cluster.Command, Args: []string{"patch", "node", n.Name, "--subresource=status", "--type=merge",
				"-p", fmt.Sprintf(`{"status":{"capacity":{%q:"%d"},"allocatable":{%q:"%d"}}}`, gadget, gadgets, gadget, gadgets)}})
		}
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": amountNamespace}})
		d.apply(at+50*time.Millisecond, d.amountQuota())
		return
	}
	for range 1 + d.IntN(4) {
		switch d.IntN(8) {
		case 0:
			d.apply(at, d.amountQuota())
		case 1:
			d.measured(at, "Service", d.IntN(4))
		case 2:
			d.measured(at, "PersistentVolumeClaim", d.IntN(4))
		case 3, 4:
			d.measured(at, "Pod", d.IntN(8))
		default:
			kind := d.IntN(5)
			for range 1 + d.IntN(6) {
				d.largePod(at, kind)
			}
		}
	}
}

func (d *dice) amountQuota() map[string]any {
	hard := map[string]any{
		"pods": 2 + d.IntN(5), "count/pods": 3 + d.IntN(5),
		"requests.cpu": []string{"300m", "1", "1500m"}[d.IntN(3)], "limits.cpu": []string{"1", "3"}[d.IntN(2)],
		"requests.memory": []string{"300Mi", "1Gi"}[d.IntN(2)], "limits.memory": []string{"600Mi", "2Gi"}[d.IntN(2)],
		"requests.ephemeral-storage": []string{"3Gi", "6Gi"}[d.IntN(2)], "limits.ephemeral-storage": []string{"5Gi", "10Gi"}[d.IntN(2)],
		"requests." + gadget: 1 + d.IntN(4),
		"services":           1 + d.IntN(3), "services.nodeports": d.IntN(3), "services.loadbalancers": d.IntN(2), "count/services": 1 + d.IntN(4),
		"persistentvolumeclaims": 1 + d.IntN(3), "requests.storage": []string{"2Gi", "5Gi"}[d.IntN(2)],
	}
	return map[string]any{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": map[string]any{"name": "amounts", "namespace": amountNamespace},
		"spec": map[string]any{"hard": hard}}
}

// measured makes something that the quota counts, or deletes it.
func (d *dice) measured(at time.Duration, kind string, n int) {
	name := fmt.Sprintf("%s-%d", strings.ToLower(kind), n)
	if !d.once(amountNamespace + "/" + name) {
		d.applied[amountNamespace+"/"+name] = false
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: kind, Namespace: amountNamespace, Name: name})
		return
	}
	var spec map[string]any
	switch kind {
	case "Service":
		spec = map[string]any{"selector": map[string]any{"app": "none"}, "ports": []any{map[string]any{"port": 80}},
			"type": []string{"ClusterIP", "NodePort", "LoadBalancer"}[d.IntN(3)]}
	case "PersistentVolumeClaim":
		spec = map[string]any{"storageClassName": "nobody", "accessModes": []any{"ReadWriteOnce"},
			"resources": map[string]any{"requests": map[string]any{"storage": []string{"1Gi", "2Gi"}[d.IntN(2)]}}}
	default:
		few, rare := 1+d.IntN(3), d.IntN(2)
		amounts := func(times int) map[string]any {
			return map[string]any{"cpu": fmt.Sprint(100*few*times, "m"), "memory": fmt.Sprint(100*few*times, "Mi"),
				"ephemeral-storage": fmt.Sprint(few*times, "Gi"), gadget: rare}
		}
		spec = map[string]any{"terminationGracePeriodSeconds": 1, "containers": []any{map[string]any{"name": "c", "image": "nginx:1.27",
			"resources": map[string]any{"requests": amounts(1), "limits": amounts(2)}}}}
	}
	d.apply(at, map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": amountNamespace}, "spec": spec})
}

// largePod makes a Pod that uses much of one resource of its node, or deletes it.
func (d *dice) largePod(at time.Duration, kind int) {
	name := fmt.Sprintf("large-%d", d.IntN(16))
	if !d.once("pods/" + name) {
		d.applied["pods/"+name] = false
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: name})
		return
	}
	asks := []map[string]any{{"cpu": "1500m"}, {"memory": "5Gi"}, {"ephemeral-storage": "60Gi"}, {gadget: "2"}, {"cpu": "1m"}}[kind]
	resources := map[string]any{"requests": asks}
	if asks[gadget] != nil {
		resources["limits"] = asks
	}
	d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name}, "spec": map[string]any{
		"terminationGracePeriodSeconds": 1, "containers": []any{map[string]any{"name": "c", "image": "nginx:1.27", "resources": resources}}}})
}

// counter adds up amounts by name.
type counter map[corev1.ResourceName]*resource.Quantity

func (c counter) add(name corev1.ResourceName, q resource.Quantity) {
	if c[name] == nil {
		c[name] = resource.NewQuantity(0, resource.DecimalSI)
	}
	c[name].Add(q)
}

func (c counter) one(name corev1.ResourceName) {
	c.add(name, *resource.NewQuantity(1, resource.DecimalSI))
}

func (c counter) of(name corev1.ResourceName) resource.Quantity {
	if c[name] == nil {
		return resource.Quantity{}
	}
	return c[name].DeepCopy()
}

// demand is what a Pod asks of its node, without what only init containers ask for.
func demand(pod *corev1.Pod) counter {
	out := counter{}
	out.one(corev1.ResourcePods)
	for i := range pod.Spec.Containers {
		for name, q := range pod.Spec.Containers[i].Resources.Requests { // order: sums
			out.add(name, q)
		}
	}
	return out
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// uses is what an object takes of quotas, by all names that they can have, as the API's documentation says it: not by the code that is judged.
func uses(obj api.Object) counter {
	out := counter{}
	kind := api.KindOf(obj)
	if kind == nil {
		return out
	}
	name := kind.Resource
	if kind.Group != "" {
		name += "." + kind.Group
	}
	out.one(corev1.ResourceName("count/" + name))
	switch o := obj.(type) {
	case *corev1.ConfigMap, *corev1.Secret, *corev1.ReplicationController, *corev1.ResourceQuota:
		out.one(corev1.ResourceName(name))
	case *corev1.Service:
		out.one("services")
		if o.Spec.Type == corev1.ServiceTypeLoadBalancer {
			out.one("services.loadbalancers")
		}
		if o.Spec.Type == corev1.ServiceTypeLoadBalancer || o.Spec.Type == corev1.ServiceTypeNodePort {
			out.add("services.nodeports", *resource.NewQuantity(int64(len(o.Spec.Ports)), resource.DecimalSI))
		}
	case *corev1.PersistentVolumeClaim:
		out.one("persistentvolumeclaims")
		out.add("requests.storage", o.Spec.Resources.Requests[corev1.ResourceStorage])
	case *corev1.Pod:
		if ended(o) {
			return out
		}
		out.one(corev1.ResourcePods)
		for i := range o.Spec.Containers {
			r := o.Spec.Containers[i].Resources
			for name, q := range r.Requests { // order: sums
				out.add("requests."+name, q)
				if !strings.Contains(string(name), "/") {
					out.add(name, q)
				}
			}
			for name, q := range r.Limits { // order: sums
				out.add("limits."+name, q)
			}
		}
	}
	return out
}
