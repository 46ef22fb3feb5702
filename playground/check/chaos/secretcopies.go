package chaos

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// As operator/secretdistributor has them.
const (
	copier      = "secret-distributor"
	copySources = "platform"
	copyTo      = "secrets.example.com/to"
	copyMark    = "app.kubernetes.io/managed-by"
)

func init() {
	register(&ingredient{
		name:        "copies of Secrets",
		controllers: []string{"namespace-controller"},
		prepare:     func(_ *dice, cfg *cluster.Config) { cfg.Operators = append(cfg.Operators, copier) },
		act:         (*dice).secretCopies,
		unsettled:   secretCopiesUnsettled,
	})
}

// secretCopies make sources and namespaces, change and delete them, and change, delete and take over copies.
func (d *dice) secretCopies(at time.Duration) {
	source := fmt.Sprint("shared-", d.IntN(2))
	namespace := []string{"service-a", "service-b", "service-c"}[d.IntN(3)]
	command := func(args ...string) { d.add(cluster.Input{At: at, Kind: cluster.Command, Args: args}) }
	if home := copySources; !d.applied[home] {
		d.applied[home] = true
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": home}})
	}
	secret := func(where string, password int, more map[string]any) {
		metadata := map[string]any{"name": source, "namespace": where}
		for k, v := range more { // order: each sets its own key
			metadata[k] = v
		}
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": map[string]any{"password": fmt.Sprint(password)}})
	}
	switch d.IntN(12) {
	case 0, 1, 2:
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace,
			"labels": map[string]any{"tier": []string{"front", "back"}[d.IntN(2)]}}})
	case 3, 4, 5, 6:
		to := []string{"tier", "tier=front", "tier in (", ""}[d.IntN(4)]
		secret(copySources, d.IntN(5), map[string]any{"annotations": map[string]any{copyTo: to}})
	case 7:
		secret(namespace, 9, nil)
	case 8:
		command("label", "secret", source, "-n", namespace, copyMark+"-")
	case 9:
		command("delete", "secret", source, "-n", namespace, "--wait=false")
	case 10:
		command("delete", "secret", source, "-n", copySources, "--wait=false")
	default:
		command("delete", "namespace", namespace, "--wait=false")
	}
}

// secretCopiesUnsettled: there is a copy where one is wanted, and it is like its source; and there is none elsewhere.
func secretCopiesUnsettled(s trace.State, say sayer) {
	running := false
	for _, c := range s.Cells(trace.CellComponent) {
		running = running || c.Owner == copier && s[c] == "running"
	}
	if !running {
		return
	}
	secrets := map[string]*corev1.Secret{}
	for _, c := range s.Cells(trace.CellObject) {
		if obj, ok := s[c].(*corev1.Secret); ok {
			secrets[c.Key] = obj
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		copied, ok := s[c].(*corev1.Secret)
		if !ok {
			continue
		}
		source := secrets[copySources+"/"+copied.Name]
		if copied.Namespace != copySources {
			if copied.Labels[copyMark] == copier && source == nil {
				say("secret %s is a copy, and there is no source", c.Key)
			}
			continue
		}
		selector, err := labels.Parse(copied.Annotations[copyTo])
		if err != nil {
			continue // whatever there is stays
		}
		for _, at := range s.Cells(trace.CellObject) {
			ns, ok := s[at].(*corev1.Namespace)
			if !ok || ns.Name == copySources || ns.DeletionTimestamp != nil {
				continue
			}
			wanted := copied.Annotations[copyTo] != "" && selector.Matches(labels.Set(ns.Labels))
			there := secrets[ns.Name+"/"+copied.Name]
			mine := there != nil && there.Labels[copyMark] == copier
			switch {
			case wanted && there == nil:
				say("secret %s has no copy in %s", c.Key, ns.Name)
			case !wanted && mine:
				say("secret %s has a copy in %s, which it does not select", c.Key, ns.Name)
			case mine && !api.SemanticDeepEqual(there.Data, copied.Data):
				say("the copy of secret %s in %s is not like it", c.Key, ns.Name)
			}
		}
	}
}
