//go:build !js || cel

package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
)

func init() {
	prune = func(s *session) (func([]*info) error, error) {
		kinds, err := s.prunable()
		return func(applied []*info) error { return s.prune(kinds, applied) }, err
	}
}

// pruned are the kinds that apply --prune looks through if none are listed: first those in namespaces.
// Upstream: kubectl pkg/util/prune/prune.go, defaultNamespacedPruneResources and defaultNonNamespacedPruneResources.
var pruned = []string{"core/v1/ConfigMap", "core/v1/Endpoints", "core/v1/PersistentVolumeClaim", "core/v1/Pod", "core/v1/ReplicationController",
	"core/v1/Secret", "core/v1/Service", "batch/v1/Job", "batch/v1/CronJob", "networking.k8s.io/v1/Ingress", "apps/v1/DaemonSet", "apps/v1/Deployment", "apps/v1/ReplicaSet",
	"apps/v1/StatefulSet", "core/v1/Namespace", "core/v1/PersistentVolume"}

// prune deletes what was applied earlier, and is in none of the manifests now.
// Upstream: kubectl pkg/cmd/apply/prune.go, pruner.pruneAll.
func (s *session) prune(kinds []*api.Kind, applied []*info) error {
	if !s.flags.has("prune-allowlist") {
		s.complain(fmt.Sprintf("W%s %7d prune.go:71] Deprecated: kubectl apply will no longer prune non-namespaced resources by default "+
			"when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly "+
			"in the --prune-allowlist flag.", s.p.Time().Format("0102 15:04:05.000000"), 1))
	}
	var uids, namespaces []string
	for _, i := range applied {
		if _, err := s.read(i, false); err == nil {
			uids = append(uids, string(i.object.GetUID()))
		} else if !apierrors.IsNotFound(err) {
			return err
		}
		if i.kind.Namespaced && !slices.Contains(namespaces, i.namespace) {
			namespaces = append(namespaces, i.namespace)
		}
	}
	for _, namespace := range append(namespaces, "") {
		for _, kind := range kinds {
			if kind.Namespaced != (namespace != "") {
				continue
			}
			if err := s.pruneOf(kind, namespace, uids); err != nil {
				how := "nonNamespaced"
				if kind.Namespaced {
					how = "namespaced"
				}
				return fmt.Errorf("error pruning %s object %v: %w", how, kind.GroupVersionKind, err)
			}
		}
	}
	return nil
}

// prunable are the kinds to look through. Upstream: kubectl pkg/util/prune/prune.go, ParseResources.
func (s *session) prunable() (kinds []*api.Kind, err error) {
	names := pruned
	if s.flags.has("prune-allowlist") {
		names = s.flags.all("prune-allowlist")
	}
	for _, name := range names {
		parts := strings.Split(name, "/")
		if len(parts) != 3 {
			return nil, errors.New("invalid GroupVersionKind format: " + name + ", please follow <group/version/kind>")
		}
		if parts[0] == "core" {
			parts[0] = ""
		}
		gvk := schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}
		kind := s.known(func(kinds api.KindSet) *api.Kind { return kinds.For(gvk) })
		if kind == nil {
			return nil, fmt.Errorf("no matches for kind %q in version %q", gvk.Kind, gvk.GroupVersion())
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

func (s *session) pruneOf(kind *api.Kind, namespace string, applied []string) error {
	policy, err := s.cascade()
	if err != nil {
		return err
	}
	options := metav1.DeleteOptions{PropagationPolicy: policy}
	if grace := s.flags.number("grace-period", -1); grace >= 0 {
		options.GracePeriodSeconds = &grace
	}
	objects, err := s.items(kind, namespace, s.flags.text("selector"), "")
	if err != nil {
		return err
	}
	for _, obj := range objects {
		if _, by := obj.GetAnnotations()[LastApplied]; !by || slices.Contains(applied, string(obj.GetUID())) {
			continue
		}
		i := &info{kind: kind, namespace: namespace, name: obj.GetName(), object: obj}
		if _, err := s.delete(i, options); err != nil {
			return err
		}
		if err := s.show(obj, i, "pruned"); err != nil {
			return err
		}
	}
	return nil
}
