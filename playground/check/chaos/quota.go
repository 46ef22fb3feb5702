package chaos

import (
	"fmt"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/quota"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{
		name:        "quotas",
		controllers: []string{"resourcequota-controller", "namespace-controller"},
		act:         (*dice).quotas,
		unsettled:   quotasUnsettled,
	})
}

const quotaNamespace = "limited"

// quotas makes and deletes what a quota counts, in a namespace of its own.
func (d *dice) quotas(at time.Duration) {
	if !d.applied[quotaNamespace] {
		d.applied[quotaNamespace] = true
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": quotaNamespace}})
		d.apply(at+50*time.Millisecond, d.quota())
		return
	}
	name, kind := fmt.Sprintf("counted-%d", d.IntN(5)), []string{"ConfigMap", "Secret"}[d.IntN(2)]
	switch d.IntN(6) {
	case 0:
		d.apply(at, d.quota())
	case 1, 2:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: kind, Namespace: quotaNamespace, Name: name})
	default:
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": quotaNamespace}})
	}
}

func (d *dice) quota() map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "ResourceQuota",
		"metadata": map[string]any{"name": "limits", "namespace": quotaNamespace},
		"spec":     map[string]any{"hard": map[string]any{"count/configmaps": 1 + d.IntN(4), "secrets": 1 + d.IntN(4)}},
	}
}

// quotasUnsettled: a quota's status says what its spec does, and what is there.
func quotasUnsettled(s trace.State, say sayer) {
	count := map[string]int64{} // by namespace and name of the quota's resource
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.ConfigMap:
			count[o.Namespace+" count/configmaps"]++
		case *corev1.Secret:
			count[o.Namespace+" secrets"]++
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		q, ok := s[c].(*corev1.ResourceQuota)
		if !ok {
			continue
		}
		if !quota.Equals(q.Spec.Hard, q.Status.Hard) {
			say("quota %s limits %s, and its status says %s", c.Key, quota.PrettyPrint(q.Spec.Hard), quota.PrettyPrint(q.Status.Hard))
		}
		for _, name := range quota.ResourceNames(q.Spec.Hard) {
			if name != "secrets" && name != "count/configmaps" {
				continue
			}
			used, want := q.Status.Used[name], resource.NewQuantity(count[q.Namespace+" "+string(name)], resource.DecimalSI)
			if used.Cmp(*want) != 0 {
				say("quota %s says that %s of %s are used, and there are %s", c.Key, used.String(), name, want.String())
			}
		}
	}
}
