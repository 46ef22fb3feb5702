package kubectl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/types"
	"kubewalk/playground/api/validate"
	"kubewalk/playground/controlplane/client"
)

// changesOf tells resources from changes in arguments: key=value and key-.
// Upstream: kubectl pkg/cmd/util/helpers.go, GetResourcesAndPairs.
func changesOf(args []string, is func(string) bool) (resources, changes []string, err error) {
	for _, a := range args {
		switch {
		case is(a):
			changes = append(changes, a)
		case len(changes) > 0:
			return nil, nil, fmt.Errorf("all resources must be specified before %s changes: %s", "%s", a)
		default:
			resources = append(resources, a)
		}
	}
	return resources, changes, nil
}

func isPair(s string) bool {
	return strings.Contains(s, "=") && s[0] != '=' || strings.HasSuffix(s, "-") && s != "-"
}

// runLabel is kubectl label: a GET, then a PATCH of what changes.
// Upstream: kubectl pkg/cmd/label/label.go, RunLabel.
func runLabel(s *session) error {
	resources, specs, err := changesOf(s.args, isPair)
	if err != nil {
		return fmt.Errorf(err.Error(), "label")
	}
	if len(resources) == 0 && !s.flags.has("filename") {
		return errors.New("one or more resources must be specified as <resource> <name> or <resource>/<name>")
	}
	if len(specs) == 0 && !s.flags.yes("list") {
		return errors.New("at least one label update is required")
	}
	if err := allOrSelected(s); err != nil {
		return err
	}
	set, remove, err := parseLabels(specs)
	if err != nil {
		return err
	}
	infos, err := s.labelled(resources)
	if err != nil {
		return err
	}
	return s.each(infos, s.fetching(func(i *info) error {
		did, values, err := s.labels(i.object, set, remove)
		if err != nil {
			return err
		}
		if s.flags.yes("list") {
			s.listPairs(i, "labels", values, s.single(infos))
			return nil
		}
		after, err := s.setMeta(i, "labels", i.object.GetLabels(), values, "kubectl-label")
		if err != nil {
			return err
		}
		return s.show(after, i, did)
	}))
}

// labelled are the objects that are changed: one, if its version is given.
func (s *session) labelled(resources []string) ([]*info, error) {
	infos, err := s.infos(resources)
	if err == nil && s.flags.text("resource-version") != "" && !s.single(infos) {
		err = errors.New("--resource-version may only be used with a single resource")
	}
	return infos, err
}

// allOrSelected refuses --all beside a selector.
func allOrSelected(s *session) error {
	for _, flag := range []string{"selector", "field-selector"} {
		if s.flags.yes("all") && s.flags.has(flag) {
			return fmt.Errorf("cannot set --all and --%s at the same time", flag)
		}
	}
	return nil
}

// listPairs prints labels or annotations, below a title if there may be others. Upstream: label.go, LabelOptions.RunLabel.
func (s *session) listPairs(i *info, what string, pairs map[string]string, single bool) {
	indent := ""
	if !single {
		indent = " "
		s.printf("Listing %s for %s.%s/%s:\n", what, i.kind.Kind, i.kind.Group, i.name)
	}
	for _, k := range sortedKeys(pairs) {
		s.printf("%s%s=%s\n", indent, k, pairs[k])
	}
}

// single tells whether a command names one object. Upstream: cli-runtime pkg/resource/builder.go, Result.IntoSingleItemImplied.
func (s *session) single(infos []*info) bool {
	return len(infos) == 1 && !s.flags.has("selector") && !s.flags.has("field-selector") && !s.flags.yes("all")
}

// parseLabels is upstream's label.go, the function of that name.
func parseLabels(specs []string) (set map[string]string, remove []string, err error) {
	set = map[string]string{}
	for _, spec := range specs {
		key, value, has := strings.Cut(spec, "=")
		switch {
		case has && strings.Contains(value, "="):
			return nil, nil, fmt.Errorf("invalid label spec: %v", spec)
		case has:
			if errs := validate.IsLabelValue(value); len(errs) > 0 {
				return nil, nil, fmt.Errorf("invalid label value: %q: %s", spec, strings.Join(errs, ";"))
			}
			set[key] = value
		case strings.HasSuffix(spec, "-"):
			remove = append(remove, strings.TrimSuffix(spec, "-"))
		default:
			return nil, nil, fmt.Errorf("unknown label spec: %v", spec)
		}
	}
	for _, r := range remove {
		if _, both := set[r]; both {
			return nil, nil, errors.New("can not both modify and remove a label in the same command")
		}
	}
	return set, remove, nil
}

// labels are those of an object after the change, and what to call the change.
// Upstream: label.go, labelFunc and updateDataChangeMsg.
func (s *session) labels(obj api.Object, set map[string]string, remove []string) (did string, values map[string]string, err error) {
	values = maps.Clone(obj.GetLabels())
	if values == nil {
		values = map[string]string{}
	}
	for _, k := range remove {
		if _, has := values[k]; !has && !s.flags.yes("list") && s.dryRun != "client" {
			s.printf("label %q not found.\n", k)
		}
	}
	var taken aggregate
	for _, k := range sortedKeys(set) {
		if old, has := values[k]; has && old != set[k] && !s.flags.yes("overwrite") {
			taken = append(taken, fmt.Errorf("'%s' already has a value (%s), and --overwrite is false", k, old))
		}
	}
	if err := taken.orNil(); err != nil {
		return "", nil, err
	}
	did = "not labeled"
	for _, k := range remove {
		if _, has := values[k]; has {
			delete(values, k)
			did = "unlabeled"
		}
	}
	for _, k := range sortedKeys(set) {
		if old, has := values[k]; !has || old != set[k] {
			did = "labeled"
		}
		values[k] = set[k]
	}
	return did, values, nil
}

// setMeta patches labels or annotations to what they are to be. Nothing is
// sent when nothing changes.
func (s *session) setMeta(i *info, field string, before, after map[string]string, manager string) (api.Object, error) {
	change := map[string]any{}
	for k, v := range after { // order: each has its own key
		if old, has := before[k]; !has || old != v {
			change[k] = v
		}
	}
	for k := range before { // order: each has its own key
		if _, has := after[k]; !has {
			change[k] = nil
		}
	}
	switch changed := i.object.DeepCopyObject(); {
	case len(change) == 0 && s.flags.text("resource-version") == "":
		return changed, nil
	case s.dryRun == "client" && field == "labels":
		changed.SetLabels(after)
		return changed, nil
	case s.dryRun == "client":
		changed.SetAnnotations(after)
		return changed, nil
	}
	metadata := map[string]any{}
	if len(change) > 0 {
		metadata[field] = change
	}
	if version := s.flags.text("resource-version"); version != "" {
		metadata["resourceVersion"] = version
	}
	r := i.request(client.Patch)
	r.PatchType, r.FieldManager = types.MergePatchType, s.flags.or("field-manager", manager)
	r.Patch = encode(map[string]any{"metadata": metadata})
	return s.object(r)
}

// runAnnotate is kubectl annotate. Upstream: kubectl pkg/cmd/annotate/annotate.go, RunAnnotate.
func runAnnotate(s *session) error {
	resources, specs, err := changesOf(s.args, isPair)
	if err != nil {
		return fmt.Errorf(err.Error(), "annotation")
	}
	if len(resources) == 0 && !s.flags.has("filename") {
		return errors.New("one or more resources must be specified as <resource> <name> or <resource>/<name>")
	}
	if len(specs) == 0 && !s.flags.yes("list") {
		return errors.New("at least one annotation update is required")
	}
	if err := allOrSelected(s); err != nil {
		return err
	}
	set, remove := map[string]string{}, []string{}
	for _, spec := range specs {
		if key, value, has := strings.Cut(spec, "="); has {
			if key == "" {
				return fmt.Errorf("invalid annotation format: %v", spec)
			}
			set[key] = value
		} else {
			remove = append(remove, strings.TrimSuffix(spec, "-"))
		}
	}
	var both []string
	for _, r := range remove {
		if _, is := set[r]; is {
			both = append(both, r)
		}
	}
	if len(both) > 0 {
		return fmt.Errorf("can not both modify and remove the following annotation(s) in the same command: %s", strings.Join(both, ", "))
	}
	infos, err := s.labelled(resources)
	if err != nil {
		return err
	}
	return s.each(infos, s.fetching(func(i *info) error {
		before := i.object.GetAnnotations()
		after := maps.Clone(before)
		if after == nil {
			after = map[string]string{}
		}
		var taken []string
		for _, k := range sortedKeys(set) {
			if old, has := after[k]; has && old != set[k] && !s.flags.yes("overwrite") {
				taken = append(taken, fmt.Sprintf("'%s' already has a value (%s)", k, old))
			}
			after[k] = set[k]
		}
		if len(taken) > 0 {
			return fmt.Errorf("--overwrite is false but found the following declared annotation(s): %s", strings.Join(taken, "; "))
		}
		for _, k := range slices.Sorted(slices.Values(remove)) {
			delete(after, k)
		}
		if s.flags.yes("list") {
			s.listPairs(i, "annotations", after, s.single(infos))
			return nil
		}
		obj, err := s.setMeta(i, "annotations", before, after, "kubectl-annotate")
		if err != nil {
			return err
		}
		return s.show(obj, i, "annotated")
	}))
}
