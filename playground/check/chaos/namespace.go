package chaos

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{
		name:        "namespaces",
		controllers: []string{"namespace-controller", "serviceaccount-controller", "root-ca-certificate-publisher-controller"},
		act:         (*dice).namespaces,
		unsettled:   namespacesUnsettled,
	})
}

// namespaces makes and deletes namespaces with something in them.
func (d *dice) namespaces(at time.Duration) {
	name := []string{"team-a", "team-b"}[d.IntN(2)]
	if !d.applied[name] {
		d.applied[name] = true
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
		return
	}
	switch d.IntN(5) {
	case 0:
		d.applied[name] = false
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "namespaces", Name: name})
	case 1:
		rs := d.replicaSet("inner", d.IntN(4), d.IntN(3))
		rs["metadata"].(map[string]any)["namespace"] = name
		d.apply(at, rs)
	default:
		kind := []string{"ConfigMap", "Secret", "ServiceAccount"}[d.IntN(3)]
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": fmt.Sprintf("thing-%d", d.IntN(3)), "namespace": name}})
	}
}

// namespacesUnsettled: who was to go is gone, and nothing is in a namespace that is not there.
func namespacesUnsettled(s trace.State, say sayer) {
	there := map[string]bool{}
	for _, c := range s.Cells(trace.CellObject) {
		if ns, ok := s[c].(*corev1.Namespace); ok {
			there[ns.Name] = true
			if ns.DeletionTimestamp != nil {
				say("namespace %s is still terminating", ns.Name)
			}
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		if obj, ok := s[c].(api.Object); ok && obj.GetNamespace() != "" && !there[obj.GetNamespace()] {
			say("%s %s is in a namespace that is not there", c.Owner, c.Key)
		}
	}
}
