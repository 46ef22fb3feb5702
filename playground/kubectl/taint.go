package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/validate"
)

// runTaint is kubectl taint. Upstream: kubectl pkg/cmd/taint/taint.go, RunTaint.
func runTaint(s *session) error {
	resources, specs, err := changesOf(s.args, func(a string) bool { return isPair(a) || strings.Contains(a, ":") })
	if err != nil {
		return fmt.Errorf(err.Error(), "taint")
	}
	if len(resources) == 0 {
		return errors.New("one or more resources must be specified as <resource> <name>")
	}
	if len(specs) == 0 {
		return errors.New("at least one taint update is required")
	}
	set, remove, err := parseTaints(specs)
	if err != nil {
		return fmt.Errorf("%v\nSee 'kubectl taint -h' for help and examples", err)
	}
	kind := strings.ToLower(resources[0])
	switch k := s.resolve(kind); {
	case k == nil:
		return noMatch{resource: kind}
	case k != api.KindOf(new(corev1.Node)):
		return fmt.Errorf("invalid resource type %s, only node types are supported", kind)
	}
	var both []string
	for _, t := range set {
		for _, r := range remove {
			if r.Key == t.Key && (r.Effect == "" || r.Effect == t.Effect) {
				both = append(both, r.Key+"="+string(r.Effect))
			}
		}
	}
	all, selects := s.flags.yes("all"), s.flags.text("selector") != ""
	switch {
	case len(both) > 0:
		return fmt.Errorf("can not both modify and remove the following taint(s) in the same command: %s", strings.Join(both, ", "))
	case all && selects:
		return errors.New("setting 'all' parameter with a non empty selector is prohibited")
	case all:
		resources = resources[:1] // whatever is named
	case !selects && len(resources) < 2:
		return errors.New("at least one resource name must be specified since 'all' parameter is not set")
	}
	return s.eachFetched(resources, func(i *info) error {
		node, ok := i.object.DeepCopyObject().(*corev1.Node)
		if !ok {
			return fmt.Errorf("unexpected type %T, expected Node", i.object)
		}
		did, err := s.taint(node, set, remove)
		if err != nil {
			return err
		}
		after, err := s.change(i, node, "kubectl-taint")
		if err != nil {
			return err
		}
		if after == nil {
			after = i.object
		}
		mode := s.dryRun
		s.dryRun = "" // of which it says nothing
		err = s.show(after, i, did)
		s.dryRun = mode
		return err
	})
}

// parseTaints is upstream's kubectl pkg/cmd/taint/utils.go, the function of that name.
func parseTaints(specs []string) (set, remove []corev1.Taint, err error) {
	for _, spec := range specs {
		text, removed := strings.CutSuffix(spec, "-")
		t, err := parseTaint(text)
		if err != nil {
			return nil, nil, err
		}
		if removed {
			remove = append(remove, t)
			continue
		}
		if t.Effect == "" {
			return nil, nil, fmt.Errorf("invalid taint spec: %v", spec)
		}
		if slices.ContainsFunc(set, func(o corev1.Taint) bool { return o.Key == t.Key && o.Effect == t.Effect }) {
			return nil, nil, fmt.Errorf("duplicated taints with the same key and effect: %v", t)
		}
		set = append(set, t)
	}
	return set, remove, nil
}

func parseTaint(text string) (corev1.Taint, error) {
	var t corev1.Taint
	key, effect, hasEffect := strings.Cut(text, ":")
	if strings.Contains(effect, ":") {
		return t, fmt.Errorf("invalid taint spec: %v", text)
	}
	if t.Key = key; hasEffect {
		t.Key, t.Value, _ = strings.Cut(key, "=")
	}
	if strings.Contains(t.Value, "=") {
		return t, fmt.Errorf("invalid taint spec: %v", text)
	}
	t.Effect = corev1.TaintEffect(effect)
	if errs := validate.IsLabelValue(t.Value); len(errs) > 0 {
		return t, fmt.Errorf("invalid taint spec: %v, %s", text, strings.Join(errs, "; "))
	}
	if hasEffect && t.Effect != corev1.TaintEffectNoSchedule && t.Effect != corev1.TaintEffectPreferNoSchedule && t.Effect != corev1.TaintEffectNoExecute {
		return t, fmt.Errorf("invalid taint effect: %v, unsupported taint effect", effect)
	}
	if errs := validate.IsLabelKey(t.Key); len(errs) > 0 {
		return t, fmt.Errorf("invalid taint spec: %v, %s", text, strings.Join(errs, "; "))
	}
	return t, nil
}

// taint changes a node's taints, and returns what to call the change.
// Upstream: kubectl pkg/cmd/taint/utils.go, reorganizeTaints.
func (s *session) taint(node *corev1.Node, set, remove []corev1.Taint) (did string, err error) {
	old := node.Spec.Taints
	same := func(t corev1.Taint) func(corev1.Taint) bool {
		return func(o corev1.Taint) bool { return o.Key == t.Key && o.Effect == t.Effect }
	}
	if !s.flags.yes("overwrite") {
		var taken []string
		for _, t := range set {
			if slices.ContainsFunc(old, same(t)) {
				taken = append(taken, t.Key)
			}
		}
		if len(taken) > 0 {
			return "", fmt.Errorf("node %s already has %s taint(s) with same effect(s) and --overwrite is false", node.Name, strings.Join(taken, ","))
		}
	}
	did = "tainted"
	kept := slices.Clone(set)
	for _, t := range old {
		if !slices.ContainsFunc(set, same(t)) {
			kept = append(kept, t)
		} else {
			did = "modified"
		}
	}
	for _, r := range remove {
		n := len(kept)
		kept = slices.DeleteFunc(kept, func(t corev1.Taint) bool { return t.Key == r.Key && (r.Effect == "" || t.Effect == r.Effect) })
		if len(kept) == n {
			text := r.Key
			if r.Effect != "" {
				text += ":" + string(r.Effect)
			}
			return "", fmt.Errorf("taint %q not found", text)
		}
	}
	switch {
	case len(remove) > 0 && len(set) == 0:
		did = "untainted"
	case len(remove) > 0:
		did = "modified"
	}
	node.Spec.Taints = kept
	if len(kept) == 0 {
		node.Spec.Taints = nil
	}
	return did, nil
}
