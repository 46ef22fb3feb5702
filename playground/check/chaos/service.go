package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{
		name: "services", controllers: []string{"endpointslice-controller", "endpoints-controller"},
		prepare: func(_ *dice, cfg *cluster.Config) { cfg.Network = true },
		act:     (*dice).services, unsettled: servicesUnsettled, holds: packetsFollowRules,
	})
}

// servicePrefix marks the Services of this ingredient: others may have nobody to make their slices.
const servicePrefix = "svc-"

// services makes and changes Services over the apps of other ingredients, gives Pods to those without, and sends requests.
func (d *dice) services(at time.Duration) {
	app := names[d.IntN(len(names))]
	name := servicePrefix + app
	if !d.applied[app] {
		d.applied[app] = true
		d.apply(at, d.replicaSet(app, 1+d.IntN(5), d.IntN(3)))
	}
	if !d.applied[name] {
		d.applied[name] = true
		d.apply(at, d.service(name, app))
		return
	}
	switch d.IntN(6) {
	case 0:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "services", Namespace: "default", Name: name})
		d.applied[name] = false
	case 1:
		d.apply(at, d.service(name, names[d.IntN(len(names))]))
	default:
		from := "outside"
		if d.IntN(2) == 0 {
			from = d.scenario.Cluster.Nodes[d.IntN(len(d.scenario.Cluster.Nodes))].Name
		}
		if d.IntN(3) == 0 {
			from = app + "-*"
		}
		d.add(cluster.Input{At: at, Kind: cluster.Ask, From: from, URL: []string{"http://" + name, "http://" + name + ":81", "http://10.0.0.10:30080",
			"http://10.96.0.1"}[d.IntN(4)]})
	}
}

func (d *dice) service(name, app string) map[string]any {
	spec := map[string]any{"selector": map[string]any{"app": app}, "ports": []any{map[string]any{"port": 80}}}
	switch d.IntN(4) {
	case 0:
		spec["type"] = "NodePort"
		spec["externalTrafficPolicy"] = []string{"Cluster", "Local"}[d.IntN(2)]
	case 1:
		spec["sessionAffinity"] = "ClientIP"
	case 2:
		spec["ports"] = []any{map[string]any{"name": "a", "port": 80}, map[string]any{"name": "b", "port": 81, "targetPort": 80}}
	}
	return map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": name}, "spec": spec}
}

// servicesUnsettled compares, for each Service, its ready Pods with its slices, and these with every node's rules.
func servicesUnsettled(s trace.State, say sayer) {
	ready := map[string][]string{} // by namespace and app
	for _, c := range s.Cells(trace.CellObject) {
		pod, ok := s[c].(*corev1.Pod)
		if !ok || pod.DeletionTimestamp != nil || pod.Status.PodIP == "" {
			continue
		}
		for _, cond := range pod.Status.Conditions {
			if cond.Type == corev1.PodReady && cond.Status == corev1.ConditionTrue {
				key := pod.Namespace + "/" + pod.Labels["app"]
				ready[key] = append(ready[key], pod.Status.PodIP)
			}
		}
	}
	listed := map[string][]string{} // by namespace and Service
	for _, c := range s.Cells(trace.CellObject) {
		if slice, ok := s[c].(*discoveryv1.EndpointSlice); ok {
			for _, e := range slice.Endpoints {
				if e.Conditions.Ready != nil && *e.Conditions.Ready {
					key := slice.Namespace + "/" + slice.Labels[discoveryv1.LabelServiceName]
					listed[key] = append(listed[key], e.Addresses[0])
				}
			}
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		svc, ok := s[c].(*corev1.Service)
		if !ok || !strings.HasPrefix(svc.Name, servicePrefix) {
			continue
		}
		want := ready[svc.Namespace+"/"+svc.Spec.Selector["app"]]
		got := listed[svc.Namespace+"/"+svc.Name]
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			say("service %s has ready pods %v, and its slices say %v", c.Key, want, got)
		}
		for i := range svc.Spec.Ports {
			at := fmt.Sprintf("%s:%d/tcp", svc.Spec.ClusterIP, svc.Spec.Ports[i].Port)
			for _, node := range s.Cells(trace.CellComponent) {
				name, is := strings.CutPrefix(node.Owner, "netfilter/")
				if !is {
					continue
				}
				value, _ := s[trace.Cell{Kind: trace.CellForward, Owner: node.Owner, Key: at}].(string)
				if to := addresses(value); !slices.Equal(to, want) {
					say("service %s has ready pods %v, and the rules of %s send %s to %q", c.Key, want, name, at, value)
				}
			}
		}
	}
}

// addresses are those of a rule, without ports, sorted.
func addresses(forward string) (out []string) {
	for _, word := range strings.Fields(forward) {
		if ip, _, ok := strings.Cut(word, ":"); ok {
			out = append(out, ip)
		}
	}
	slices.Sort(out)
	return out
}

// packetsFollowRules says that no packet was sent where the rules of its node, at that moment, did not lead, and that every
// request had one end.
func packetsFollowRules(rec *trace.Recorder, say sayer) {
	rules := map[trace.Cell]string{}
	ended := map[string]int{}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		for _, d := range e.Deltas {
			if d.Cell.Kind == trace.CellForward {
				rules[d.Cell], _ = d.New.(string)
			}
		}
		switch e.Op {
		case trace.NetTranslate:
			owner, before := "netfilter/"+e.Text("node"), e.Text("before")
			_, port, _ := strings.Cut(before, ":")
			known := false
			for _, key := range []string{before + "/tcp", before + "/udp", "node:" + port + "/tcp"} {
				known = known || slices.Contains(strings.Fields(rules[trace.Cell{Kind: trace.CellForward, Owner: owner, Key: key}]), e.Text("after"))
			}
			// A client inside goes to any endpoint of a NodePort, whatever its policy says of clients outside.
			if !known && !strings.HasPrefix(before, "10.0.") {
				say("event %d: %s sends a packet for %s to %s, which its rules do not name", e.ID, e.Text("node"), before, e.Text("after"))
			}
		case trace.NetDone:
			if id := e.Text("request"); ended[id] > 0 {
				say("event %d: request %s ends for the second time", e.ID, id)
			} else {
				ended[id]++
			}
		}
	}
}
