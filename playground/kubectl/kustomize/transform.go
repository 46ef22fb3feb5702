package kustomize

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/sorting"
)

// The fields that labels and the like are written to. Upstream: api/internal/konfig/builtinpluginconsts.
const (
	templateLabels = `* +metadata/labels
		ReplicationController::v1 +spec/template/metadata/labels
		Deployment +spec/template/metadata/labels
		ReplicaSet +spec/template/metadata/labels
		DaemonSet +spec/template/metadata/labels
		StatefulSet:apps +spec/template/metadata/labels
		StatefulSet:apps +spec/volumeClaimTemplates[]/metadata/labels
		Job:batch +spec/template/metadata/labels
		CronJob:batch +spec/jobTemplate/metadata/labels
		CronJob:batch +spec/jobTemplate/spec/template/metadata/labels `
	selectors = `Service::v1 +spec/selector
		ReplicationController::v1 +spec/selector
		Deployment +spec/selector/matchLabels
		ReplicaSet +spec/selector/matchLabels
		DaemonSet +spec/selector/matchLabels
		StatefulSet:apps +spec/selector/matchLabels
		Job:batch spec/selector/matchLabels
		CronJob:batch spec/jobTemplate/spec/selector/matchLabels
		PodDisruptionBudget:policy spec/selector/matchLabels
		NetworkPolicy:networking.k8s.io spec/podSelector/matchLabels
		NetworkPolicy:networking.k8s.io spec/ingress/from/podSelector/matchLabels
		NetworkPolicy:networking.k8s.io spec/egress/to/podSelector/matchLabels `
	// for Deployments and StatefulSets, below their template
	podSelectors = `affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels
		affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels
		affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels
		affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels
		topologySpreadConstraints/labelSelector/matchLabels`
	annotated = `* +metadata/annotations
		ReplicationController::v1 +spec/template/metadata/annotations
		Deployment +spec/template/metadata/annotations
		ReplicaSet +spec/template/metadata/annotations
		DaemonSet +spec/template/metadata/annotations
		StatefulSet +spec/template/metadata/annotations
		Job:batch +spec/template/metadata/annotations
		CronJob:batch +spec/jobTemplate/metadata/annotations
		CronJob:batch +spec/jobTemplate/spec/template/metadata/annotations`
	images = `* spec/containers[]/image * spec/initContainers[]/image * spec/volumes[]/image/reference * spec/template/spec/containers[]/image
		* spec/template/spec/initContainers[]/image * spec/template/spec/volumes[]/image/reference`
	namespaced = `APIService:apiregistration.k8s.io +spec/service/namespace
		CustomResourceDefinition:apiextensions.k8s.io spec/conversion/webhook/clientConfig/service/namespace
		Namespace::v1 +metadata/name`
	scaled = `Deployment +spec/replicas StatefulSet +spec/replicas ReplicaSet +spec/replicas ReplicationController +spec/replicas`
	// whose names get neither prefix nor suffix
	unnamed = `CustomResourceDefinition * APIService:apiregistration.k8s.io * Namespace *`
)

// transform changes all resources as the folder says. Upstream: kusttarget_configplugin.go, configureBuiltinTransformers.
func (t *target) transform(all resources) (resources, error) {
	k := &t.k
	merging, err := t.patches()
	if err == nil {
		err = t.loadReplacements()
	}
	if err != nil {
		return nil, err
	}
	for _, p := range merging {
		if !p.operations {
			if all, err = p.apply(all); err != nil {
				return nil, err
			}
			all = slices.DeleteFunc(all, func(r *resource) bool { return len(r.tree) == 0 })
		}
	}
	if k.Namespace != "" {
		if err := all.namespace(k.Namespace); err != nil {
			return nil, err
		}
	}
	for _, r := range all {
		if slices.ContainsFunc(fields(unnamed), func(f FieldSpec) bool { return r.original().is(f.Gvk) }) {
			continue
		}
		if k.NamePrefix != "" {
			r.prefixes = append(slices.Clone(r.prefixes), k.NamePrefix)
			r.store()
			r.set("name", k.NamePrefix+r.text("metadata", "name"))
		}
		if k.NameSuffix != "" {
			r.suffixes = append(slices.Clone(r.suffixes), k.NameSuffix)
			r.store()
			r.set("name", r.text("metadata", "name")+k.NameSuffix)
		}
	}
	for _, l := range append(slices.Clone(k.Labels), Label{Pairs: k.CommonLabels, IncludeSelectors: true}) {
		specs := append(l.Fields, fields("* +metadata/labels")...)
		if l.IncludeSelectors {
			specs = append(specs, fields(selectors)...)
			for _, path := range strings.Fields(podSelectors) {
				specs = append(specs, fields("Deployment:apps spec/template/spec/"+path+" StatefulSet:apps spec/template/spec/"+path)...)
			}
		}
		if l.IncludeSelectors || l.IncludeTemplates {
			specs = append(specs, fields(templateLabels)...)
		}
		if err := all.put(l.Pairs, specs); err != nil {
			return nil, err
		}
	}
	if err := all.put(k.CommonAnnotations, fields(annotated)); err != nil {
		return nil, err
	}
	for _, p := range merging {
		if p.operations {
			if all, err = p.apply(all); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range k.Replicas {
		if err := all.scale(r); err != nil {
			return nil, err
		}
	}
	for _, i := range k.Images {
		for _, r := range all {
			if r.text("kind") == "CustomResourceDefinition" {
				continue
			}
			i.everywhere(r.tree)
			for _, f := range fields(images) {
				if err := r.each(f, nothing, i.replace); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, t.replace(all)
}

// put writes labels or annotations.
func (all resources) put(pairs map[string]string, specs []FieldSpec) error {
	for _, r := range all {
		for _, key := range slices.Sorted(maps.Keys(pairs)) {
			for _, f := range specs {
				if err := r.each(f, aMap, entry(key, pairs[key])); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// namespace moves resources. Upstream: api/filters/namespace/namespace.go.
func (all resources) namespace(name string) error {
	specs := fields(namespaced)
	for _, r := range all {
		r.store()
		if !r.gvk().clusterScoped() {
			r.set("namespace", name)
		}
		if kind := r.text("kind"); kind == "RoleBinding" || kind == "ClusterRoleBinding" {
			subjects, _ := r.tree["subjects"].([]any)
			for _, s := range subjects {
				if s, ok := s.(map[string]any); ok && s["name"] == "default" {
					s["namespace"] = name
				}
			}
		}
		for _, f := range specs {
			if f.Path == "metadata/name" && r.text("apiVersion") != "v1" {
				continue // a kind of that name of another group
			}
			if err := r.each(f, aText, to(name)); err != nil {
				return fmt.Errorf("namespace transformation failed: %w", err)
			}
		}
		i, n := r.id(), 0
		for _, o := range all {
			if o.id().equals(i) {
				n++
			}
		}
		if n != 1 {
			return fmt.Errorf("namespace transformation produces ID conflict: %s", i)
		}
	}
	return nil
}

// scale is upstream's internal/builtins/ReplicaCountTransformer.go.
func (all resources) scale(to Replica) error {
	found := false
	var kinds []Gvk
	for _, f := range fields(scaled) {
		kinds = append(kinds, f.Gvk)
		for _, r := range all.matching(func(i ResId) bool { return i.Name == to.Name && i.is(f.Gvk) }) {
			found = true
			count := to.Count
			if count == "" {
				count = "0"
			}
			if err := r.each(f, aText, func(any) (any, error) { return count, nil }); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("resource with name %s does not match a config with the following GVK %v", to.Name, kinds)
	}
	return nil
}

// everywhere replaces an image in all lists of containers. Upstream: api/filters/imagetag/legacy.go.
func (i Image) everywhere(v any) {
	switch v := v.(type) {
	case []any:
		for _, w := range v {
			i.everywhere(w)
		}
	case map[string]any:
		for name, w := range v { // order: each field is changed by itself
			i.everywhere(w)
			list, ok := w.([]any)
			if !ok || name != "containers" && name != "initContainers" {
				continue
			}
			for _, c := range list {
				if c, ok := c.(map[string]any); ok && c["image"] != nil {
					c["image"], _ = i.replace(c["image"])
				}
			}
		}
	}
}

// replace changes the name of an image if it is the one. Upstream: api/filters/imagetag/updater.go, and internal/image/image.go.
func (i Image) replace(v any) (any, error) {
	image, ok := v.(string)
	rest, is := strings.CutPrefix(image, i.Name)
	if !ok || !is || rest != "" && rest[0] != ':' && rest[0] != '@' {
		return v, nil
	}
	rest, digest, _ := strings.Cut(rest, "@")
	tag := strings.TrimPrefix(rest, ":")
	if strings.Contains(tag, "/") {
		return v, nil
	}
	name := or(i.NewName, i.Name)
	switch {
	case i.NewTag != "" || i.Digest != "":
		tag, digest = i.NewTag, i.Digest
	case i.TagSuffix != "":
		tag, digest = tag+i.TagSuffix, ""
	}
	if tag != "" {
		name += ":" + tag
	}
	if digest != "" {
		name += "@" + digest
	}
	return name, nil
}

// The kinds that come first and last. Upstream: internal/builtins/SortOrderTransformer.go.
const (
	orderFirst = "Namespace ResourceQuota StorageClass CustomResourceDefinition ServiceAccount PodSecurityPolicy Role ClusterRole RoleBinding " +
		"ClusterRoleBinding ConfigMap Secret Endpoints Service LimitRange PriorityClass PersistentVolume PersistentVolumeClaim Deployment " +
		"StatefulSet CronJob PodDisruptionBudget"
	orderLast = "MutatingWebhookConfiguration ValidatingWebhookConfiguration"
)

// sort puts resources in the order in which they are printed and applied.
func (all resources) sort(o *SortOptions) error {
	first, last := strings.Fields(orderFirst), strings.Fields(orderLast)
	if o != nil {
		custom := o.LegacySortOptions
		switch {
		case o.Order != "legacy" && o.Order != "fifo":
			return errors.New("the field 'sortOptions.order' must be one of [fifo, legacy]")
		case o.Order == "fifo" && custom != nil:
			return errors.New("the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'")
		case o.Order == "fifo":
			return nil
		case custom != nil:
			first, last = custom.OrderFirst, custom.OrderLast
		}
	}
	key := func(r *resource) string {
		i := r.id()
		rank := 500
		if n := slices.Index(first, i.Kind); n >= 0 {
			rank -= len(first) - n
		}
		if n := slices.Index(last, i.Kind); n >= 0 {
			rank = 501 + n
		}
		group := or(i.Group, "~G")
		if i.Kind == "Namespace" && i.Group == "" {
			group = "" // before others of that name
		}
		return fmt.Sprintf("%03d", rank) + group + "_" + or(i.Version, "~V") + "_" + or(i.Kind, "~K") + "\x00" + or(i.Namespace, "~X") + "|" + i.Name
	}
	sorting.Func(all, func(a, b *resource) int { return strings.Compare(key(a), key(b)) })
	return nil
}
