package kustomize

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"kubewalk/playground/api"
	"kubewalk/playground/api/labels"
)

// Selector selects resources. Upstream: api/types/selector.go.
type Selector struct {
	ResId
	AnnotationSelector string `json:"annotationSelector,omitempty"`
	LabelSelector      string `json:"labelSelector,omitempty"`
}

// patch is one that was loaded.
type patch struct {
	target     *Selector
	source     string    // what errors call it; "" for one of the deprecated fields
	merges     resources // strategic merge patches
	json       jsonpatch.Patch
	operations bool // of patchesJson6902, which come later
}

// patches loads all patches of the folder. Upstream: internal/builtins/PatchTransformer.go, PatchStrategicMergeTransformer.go and
// PatchJson6902Transformer.go, Config.
func (t *target) patches() (out []patch, err error) {
	for _, name := range t.k.PatchesStrategicMerge {
		p := patch{}
		if p.merges, err = parse([]byte(name)); err != nil {
			var text json.RawMessage
			if text, err = t.read(name); err == nil {
				p.merges, err = parse(text)
			}
		}
		if err != nil {
			return nil, t.trouble("PatchStrategicMergeTransformer", map[string]any{"paths": t.k.PatchesStrategicMerge}, err)
		}
		out = append(out, p)
	}
	for _, given := range t.k.Patches {
		p, err := t.patch(given)
		if err != nil {
			return nil, t.trouble("PatchTransformer", given, err)
		}
		out = append(out, p)
	}
	for _, given := range t.k.PatchesJson6902 {
		p := patch{target: given.Target, operations: true}
		var text json.RawMessage
		switch {
		case given.Target == nil || given.Target.Name == "":
			err = errors.New("must specify the target name")
		case given.Path == "" && given.Patch == "":
			err = errors.New("empty file path and empty jsonOp")
		case given.Path != "" && given.Patch != "":
			err = errors.New("must specify a file path or jsonOp, not both")
		case given.Path != "":
			text, err = t.read(given.Path)
		default:
			text = json.RawMessage(given.Patch)
		}
		if err == nil {
			if p.json, err = operations(text); err != nil {
				err = fmt.Errorf("decoding %s: %w", text, err)
			}
		}
		if err != nil {
			config := map[string]any{"jsonOp": given.Patch, "path": given.Path, "target": given.Target}
			maps.DeleteFunc(config, func(_ string, v any) bool { return v == "" || v == (*Selector)(nil) })
			return nil, t.trouble("PatchJson6902Transformer", config, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// trouble is an error of a transformer's configuration, which it shows.
func (t *target) trouble(with string, config any, err error) error {
	return fmt.Errorf("trouble configuring builtin %s with config: `\n%s`: %w", with, t.shown(config), err)
}

func (t *target) shown(v any) string {
	text, _ := json.Marshal(v)
	tree, _ := decode(text)
	return t.yaml(tree)
}

func (t *target) patch(given Patch) (p patch, err error) {
	given.Patch = strings.TrimSpace(given.Patch)
	p.target = given.Target
	var text []byte
	switch {
	case given.Patch == "" && given.Path == "":
		return p, fmt.Errorf("must specify one of patch and path in\n%s", t.shown(given))
	case given.Patch != "" && given.Path != "":
		return p, fmt.Errorf("patch and path can't be set at the same time\n%s", t.shown(given))
	case given.Patch != "":
		text, p.source = []byte(given.Patch), fmt.Sprintf("[patch: %q]", given.Patch)
	default:
		if text, err = t.read(given.Path); err != nil {
			return p, fmt.Errorf("failed to get the patch file from path(%s): %w", given.Path, err)
		}
		p.source = fmt.Sprintf("[path: %q]", given.Path)
	}
	var errMerge, errJSON error
	p.merges, errMerge = parse(text)
	if errMerge != nil {
		if p.json, errJSON = operations(text); errJSON != nil {
			return p, fmt.Errorf("unable to parse SM or JSON patch from %s", p.source)
		}
	}
	for _, m := range p.merges {
		if o := given.Options; o != nil {
			m.allowName, m.allowKind = o.AllowNameChange, o.AllowKindChange
		}
	}
	return p, nil
}

func operations(text []byte) (jsonpatch.Patch, error) {
	var err error
	if len(text) > 0 && text[0] != '[' {
		text, err = unquoted(text)
	}
	if err != nil {
		return nil, err
	}
	return jsonpatch.DecodePatch(text)
}

// apply changes what the patch is about. Upstream: the transformers' Transform.
func (p patch) apply(all resources) (resources, error) {
	if p.json != nil {
		return all, p.operate(all)
	}
	if p.target == nil || len(p.merges) == 0 {
		for _, m := range p.merges {
			to, err := all.one(m.id())
			if err != nil {
				if p.source != "" {
					err = fmt.Errorf("no resource matches strategic merge patch %q: %w", m.id(), err)
				}
				return nil, err
			}
			if err := to.merge(m); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	if len(p.merges) > 1 {
		return nil, fmt.Errorf("Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field: %s", p.source)
	}
	selected, err := all.selected(p.target)
	if err != nil {
		return nil, fmt.Errorf("unable to find patch target %q in `resources`: %w", p.target.shownTarget(), err)
	}
	for _, r := range selected {
		m := p.merges[0].clone()
		m.tree["apiVersion"] = r.tree["apiVersion"]
		if err := r.merge(m); err != nil {
			return nil, err
		}
	}
	return resources(nil).add(slices.DeleteFunc(all, func(r *resource) bool { return len(r.tree) == 0 }))
}

func (s *Selector) shownTarget() string {
	return fmt.Sprintf("%s:a=%s:l=%s", s.ResId, s.AnnotationSelector, s.LabelSelector)
}

// merge applies a strategic merge patch. What it deletes is empty then. Upstream: api/resource/resource.go, ApplySmPatch.
func (r *resource) merge(p *resource) error {
	was := r.id()
	if p.allowName || p.allowKind {
		r.store()
	}
	var t reflect.Type
	if k := api.KindFor(was.schema()); k != nil {
		t = reflect.TypeOf(k.New())
	}
	p = p.clone()
	out, err := merge(r.tree, p.tree, t, nil)
	if err != nil {
		return err
	}
	if r.tree, _ = out.(map[string]any); len(r.tree) == 0 {
		return nil
	}
	if !p.allowKind {
		r.tree["kind"] = was.Kind
	}
	if !p.allowName {
		r.set("name", was.Name)
	}
	r.set("namespace", was.Namespace)
	return nil
}

func (g Gvk) schema() api.GroupVersionKind {
	return api.GroupVersionKind{Group: g.Group, Version: g.Version, Kind: g.Kind}
}

// operate applies a JSON patch.
func (p patch) operate(all resources) error {
	if p.target == nil {
		return fmt.Errorf("must specify a target for JSON patch %s", p.source)
	}
	selected, err := all.selected(p.target)
	if err != nil {
		return err
	}
	for _, r := range selected {
		if !p.operations {
			r.store()
		}
		text, _ := json.Marshal(r.tree)
		if text, err = p.json.Apply(text); err != nil {
			return err
		}
		out, err := decode(text)
		if err != nil {
			return err
		}
		tree, ok := out.(map[string]any)
		if !ok {
			return fmt.Errorf("wrong node kind: expected MappingNode but was %s", nodeKind(out))
		}
		r.tree = tree
	}
	return nil
}

// selected are what a selector selects. Upstream: reswrangler.go, Select.
func (all resources) selected(s *Selector) (out resources, err error) {
	for _, r := range all {
		now, first := r.id(), r.original()
		is := s.kinds(now.Gvk) && (matches(s.Namespace, first.effective()) || matches(s.Namespace, now.effective())) &&
			(matches(s.Name, first.Name) || matches(s.Name, now.Name))
		if is {
			if is, err = s.marked(r); err != nil {
				return nil, err
			}
		}
		if is {
			out = append(out, r)
		}
	}
	return out, nil
}

func (s *Selector) kinds(g Gvk) bool {
	return matches(s.Group, g.Group) && matches(s.Version, g.Version) && matches(s.Kind, g.Kind)
}

// marked says that a resource has the labels and annotations.
func (s *Selector) marked(r *resource) (bool, error) {
	for _, by := range [][2]string{{"labels", s.LabelSelector}, {"annotations", s.AnnotationSelector}} {
		which, err := labels.Parse(by[1])
		if err != nil {
			return false, err
		}
		if !which.Matches(labels.Set(r.texts(by[0]))) {
			return false, nil
		}
	}
	return true, nil
}

// matches says whether a pattern matches a whole text: characters, . for any, \ before what is meant as it is, each with *, + or ? behind
// it, and | between alternatives. The empty one matches all. Other patterns of regexp match nothing.
func matches(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	for _, one := range strings.Split(pattern, "|") {
		at := make([]bool, len(text)+1) // where the part of the pattern may end that was read
		at[0] = true
		for i := 0; i < len(one); i++ {
			c, any := one[i], one[i] == '.'
			if c == '\\' && i+1 < len(one) {
				i++
				c = one[i]
			}
			least, most := 1, 1
			if i+1 < len(one) {
				switch i++; one[i] {
				case '*':
					least, most = 0, len(text)
				case '+':
					most = len(text)
				case '?':
					least = 0
				default:
					i--
				}
			}
			next := make([]bool, len(text)+1)
			for from, ok := range at {
				for n := 0; ok && n <= most; n++ {
					if n >= least {
						next[from+n] = true
					}
					if from+n == len(text) || !any && text[from+n] != c {
						break
					}
				}
			}
			at = next
		}
		if at[len(text)] {
			return true
		}
	}
	return false
}
