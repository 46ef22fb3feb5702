package chaos

import (
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "cloud", prepare: (*dice).inCloud, act: (*dice).cloud, unsettled: cloudUnsettled, holds: cloudHolds, apart: true})
}

const (
	// balancedPrefix marks the Services of this ingredient.
	balancedPrefix = "public-"
	// cloudManager is the component that it breaks.
	cloudManager = "cloud-controller-manager"
)

// inCloud makes the nodes instances of a cloud, if they are not those of Cluster API's, which is another.
func (d *dice) inCloud(cfg *cluster.Config) {
	if slices.Contains(cfg.Operators, cluster.ClusterAPI[0]) {
		return
	}
	atLeast(2, cfg)
	cfg.Cloud = true
	if cfg.CloudRoutes = d.IntN(2) == 0; cfg.CloudRoutes {
		for i := range cfg.Nodes {
			cfg.Nodes[i].Labels = map[string]string{routedLabel: ""}
		}
	}
}

// cloud asks for load balancers and gives them back, has the cloud fail, and terminates an instance.
func (d *dice) cloud(at time.Duration) {
	if !d.scenario.Cluster.Cloud {
		return
	}
	name := balancedPrefix + names[d.IntN(len(names))]
	service := func(kind string) {
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"type": kind, "selector": map[string]any{"app": "steady"}, "ports": []any{map[string]any{"port": 80}}}})
	}
	if d.once(name) {
		service("LoadBalancer")
		return
	}
	nodes := d.scenario.Cluster.Nodes
	again := d.scenario.Cluster.CloudRoutes && d.mayLoseNode()
	switch n := d.IntN(10); {
	case n < 2:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "services", Namespace: "default", Name: name})
	case n < 4:
		service([]string{"LoadBalancer", "NodePort"}[d.IntN(2)])
	case n < 6 || n < 8 && !again:
		d.failCloud(at, d.cloudFault())
	case n < 8:
		if d.IntN(2) == 0 { // the Node's route is deleted, and there may be none for the next one
			d.failCloud(at, "route-quota")
		}
		d.registerAgain(at, nodes[0].Name)
	case d.mayLoseNode():
		d.add(cluster.Input{At: at, Kind: cluster.TerminateInstance, Node: nodes[len(nodes)-1].Name})
	default:
		service("LoadBalancer")
	}
}

// failCloud has the cloud, or the program, fail in one way, and no more if it does.
func (d *dice) failCloud(at time.Duration, fault string) {
	d.toggle(at, string(cluster.Fail)+" "+cloudManager, cluster.Input{Kind: cluster.Fail, Component: cloudManager, Value: fault},
		cluster.Input{Kind: cluster.Heal, Component: cloudManager, Value: string(cluster.Fail)})
}

// mayLoseNode tells whether nothing in an experiment needs a node that goes for good: no disk in it, no devices, no extender.
func (d *dice) mayLoseNode() bool {
	return !slices.ContainsFunc(d.chosen, func(i *ingredient) bool {
		return slices.Contains([]string{"CSI", "Cluster API", "devices", "scheduler plugins", "statefulsets", "volumes"}, i.name)
	})
}

// cloudFault is something that the cloud, or the program, can fail by.
func (d *dice) cloudFault() string {
	faults := []string{"quota", "api-errors", "crash"}
	if d.scenario.Cluster.CloudRoutes {
		faults = append(faults, "route-quota", "route-quota")
	}
	return faults[d.IntN(len(faults))]
}

// cloudUnsettled: a Node is initialised, and its instance runs; a Service has an address of its own if, and only if, it asks for a load balancer.
func cloudUnsettled(s trace.State, say sayer) {
	if !runs(s, cloudManager) {
		return
	}
	whose := map[string]string{} // Services, by address
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.Node:
			for _, t := range o.Spec.Taints {
				if strings.HasPrefix(t.Key, "node.cloudprovider.kubernetes.io/") {
					say("node %s has the taint %s", o.Name, t.Key)
				}
			}
			if !runs(s, "containerd/"+o.Name) {
				say("node %s is there, and its instance does not run", o.Name)
			}
			if o.Spec.ProviderID == "" {
				say("node %s has no providerID", o.Name)
			}
			routeUnsettled(o, say)
		case *corev1.Service:
			asks, addresses := o.Spec.Type == corev1.ServiceTypeLoadBalancer, o.Status.LoadBalancer.Ingress
			if o.DeletionTimestamp != nil {
				say("service %s is to go", c.Key)
			}
			if asks != (len(addresses) == 1) {
				say("service %s is of type %s, and has %d addresses", c.Key, o.Spec.Type, len(addresses))
			}
			if held := slices.Contains(o.Finalizers, "service.kubernetes.io/load-balancer-cleanup"); held != asks {
				say("service %s is of type %s, and its finalizers are %v", c.Key, o.Spec.Type, o.Finalizers)
			}
			for _, a := range addresses {
				if other := whose[a.IP]; other != "" {
					say("services %s and %s have the same address", other, c.Key)
				}
				whose[a.IP] = c.Key
			}
		}
	}
}

func cloudHolds(rec *trace.Recorder, say sayer) {
	balancersHold(rec, say)
	routesHold(rec, say)
}

// balancersHold: the cloud has a load balancer for each address of a Service, and no other, but for that of a Service that got its finalizer
// when its deletion was under way: upstream's Store.Delete looks first, and removes without a condition.
func balancersHold(rec *trace.Recorder, say sayer) {
	there := map[string]string{}   // Services, by address
	unguarded := map[string]bool{} // Services
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		for _, d := range e.Deltas {
			if o, is := d.Old.(*corev1.Service); is && d.New == nil && d.Cell.Kind == trace.CellObject && len(o.Finalizers) > 0 &&
				e.Cause != 0 && rec.Event(e.Cause).Text("verb") == "delete" {
				unguarded[d.Cell.Key] = true
			}
		}
		if e.Op != trace.Log || e.Component != cloudManager {
			continue
		}
		switch address := e.Text("address"); e.Text("message") {
		case "Load balancer is made":
			if there[address] != "" {
				say("event %d: a second load balancer with the address %s", e.ID, address)
			}
			there[address] = e.Text("service")
		case "Load balancer is deleted":
			delete(there, address)
		}
	}
	state := rec.Now()
	if !runs(state, cloudManager) {
		return
	}
	for _, c := range state.Cells(trace.CellObject) {
		if o, is := state[c].(*corev1.Service); is {
			for _, a := range o.Status.LoadBalancer.Ingress {
				if there[a.IP] != c.Key {
					say("service %s has the address %s, and the cloud has given it to %q", c.Key, a.IP, there[a.IP])
				}
				delete(there, a.IP)
			}
		}
	}
	for address, service := range there { // order: the sentences are sorted
		if unguarded[service] {
			continue
		}
		say("the cloud has a load balancer with the address %s for service %s, which does not ask for it", address, service)
	}
}
