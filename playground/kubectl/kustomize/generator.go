package kustomize

import (
	"encoding/base64"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"kubewalk/playground/api/hash"
)

// ConfigMapArgs is a ConfigMap that is made. Upstream: api/types/configmapargs.go, generatorargs.go and kvpairsources.go.
type ConfigMapArgs struct{ GeneratorArgs }

// GeneratorArgs are what is the same for a Secret.
type GeneratorArgs struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Behavior  string `json:"behavior"`
	KvPairSources
	Options *GeneratorOptions `json:"options"`
}

// KvPairSources are where keys and values are from.
type KvPairSources struct {
	Literals []string `json:"literals"`
	Files    []string `json:"files"`
	Envs     []string `json:"envs"`
	Env      string   `json:"env"`
}

// SecretArgs is a Secret that is made.
type SecretArgs struct {
	GeneratorArgs
	Type string `json:"type"`
}

// GeneratorOptions are about one ConfigMap or Secret, or about all.
type GeneratorOptions struct {
	Labels                map[string]string `json:"labels"`
	Annotations           map[string]string `json:"annotations"`
	DisableNameSuffixHash bool              `json:"disableNameSuffixHash"`
	Immutable             bool              `json:"immutable"`
}

// generate adds what is made. Upstream: kusttarget.go, runGenerators.
func (t *target) generate(all resources) (resources, error) {
	args := make([]SecretArgs, 0, len(t.k.ConfigMapGenerator)+len(t.k.SecretGenerator))
	for _, a := range t.k.ConfigMapGenerator {
		args = append(args, SecretArgs{GeneratorArgs: a.GeneratorArgs})
	}
	args = append(args, t.k.SecretGenerator...)
	for i, a := range args {
		tree := map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}
		r := &resource{tree: tree, behavior: a.Behavior}
		secret := i >= len(t.k.ConfigMapGenerator)
		if secret {
			tree["kind"], tree["type"] = "Secret", or(a.Type, "Opaque")
		}
		if a.Name == "" {
			return nil, fmt.Errorf("a configmap must have a name")
		}
		r.set("name", a.Name)
		r.set("namespace", a.Namespace)
		pairs, err := t.pairs(a.KvPairSources)
		if err != nil {
			return nil, fmt.Errorf("loading KV pairs: %w", err)
		}
		data := map[string]any{}
		for _, p := range pairs {
			if _, there := data[p.key]; there {
				return nil, fmt.Errorf("configmap %s illegally repeats the key `%s`", a.Name, p.key)
			}
			data[p.key] = p.value
			if secret {
				data[p.key] = encoded(p.value)
			}
		}
		if secret || len(data) > 0 {
			tree["data"] = data
		}
		var labels, annotations map[string]any
		r.hash = true
		for _, o := range []*GeneratorOptions{t.k.GeneratorOptions, a.Options} { // its own are stronger
			if o != nil {
				labels, annotations = with(labels, o.Labels), with(annotations, o.Annotations)
				r.hash = r.hash && !o.DisableNameSuffixHash
				if o.Immutable {
					tree["immutable"] = true
				}
			}
		}
		r.set("labels", labels)
		r.set("annotations", annotations)
		if all, err = all.absorb(r); err != nil {
			return nil, fmt.Errorf("merging from generator: %w", err)
		}
	}
	return all, nil
}

// with is a map with more in it.
func with(m map[string]any, more map[string]string) map[string]any {
	out := map[string]any{}
	maps.Copy(out, m)
	for k, v := range more { // order: each fills its own key
		out[k] = v
	}
	return out
}

// encoded is base64 in lines. Upstream: kyaml/yaml/datamap.go, encodeBase64.
func encoded(s string) string {
	const width = 70
	s = base64.StdEncoding.EncodeToString([]byte(s))
	if len(s) < width {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		n := min(len(s), width)
		b.WriteString(s[:n] + "\n")
		s = s[n:]
	}
	return b.String()
}

type pair struct{ key, value string }

// pairs are keys with their values. Upstream: api/kv/kv.go, loader.Load.
func (t *target) pairs(a KvPairSources) (out []pair, err error) {
	envs := a.Envs
	if a.Env != "" {
		envs = append(envs, a.Env)
	}
	for _, name := range envs {
		text, err := t.content(name)
		if err != nil {
			return nil, fmt.Errorf("env source files: %v: %w", envs, err)
		}
		for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
			line = strings.TrimLeftFunc(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), unicode.IsSpace)
			if key, value, _ := strings.Cut(line, "="); key != "" && line[0] != '#' {
				out = append(out, pair{key, value})
			}
		}
	}
	for _, s := range a.Literals {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("literal sources %v: invalid literal source %v, expected key=value", a.Literals, s)
		}
		if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
			value = value[1 : n-1]
		}
		out = append(out, pair{key, value})
	}
	for _, s := range a.Files {
		key, file, ok := strings.Cut(s, "=")
		text := ""
		switch {
		case !ok:
			key, file = path.Base(s), s
		case strings.Contains(file, "="):
			err = fmt.Errorf("source %q key name or file path contains '='", s)
		case key == "":
			err = fmt.Errorf("missing key name for file path %q in source %q", file, s)
		case file == "":
			err = fmt.Errorf("missing file path for key name %q in source %q", key, s)
		}
		if err == nil {
			text, err = t.content(file)
		}
		if err != nil {
			return nil, fmt.Errorf("file sources: %v: %w", a.Files, err)
		}
		out = append(out, pair{key, text})
	}
	return out, nil
}

// absorb adds what is made, or puts it into what is there. Upstream: reswrangler.go, appendReplaceOrMerge.
func (all resources) absorb(r *resource) (resources, error) {
	i := r.id()
	found := all.matching(i.equals)
	changes := r.behavior == "merge" || r.behavior == "replace"
	switch {
	case len(found) > 1:
		return nil, fmt.Errorf("found multiple objects %v that could accept merge of %s", found, i)
	case len(found) == 0 && changes:
		return nil, fmt.Errorf("id %s does not exist; cannot merge or replace", i.shown())
	case len(found) == 0:
		return all.add(resources{r})
	case !changes:
		behavior := "unspecified"
		if r.behavior == "create" {
			behavior = r.behavior
		}
		return nil, fmt.Errorf("id %s exists; can not use behavior: '%s', behavior must be merge or replace", i.shown(), behavior)
	}
	old := found[0]
	out := *old
	out.tree, out.hash = r.tree, old.hash && r.hash
	for _, of := range []string{"labels", "annotations"} {
		out.set(of, with(with(nil, old.texts(of)), r.texts(of)))
	}
	out.set("name", old.text("metadata", "name"))
	out.set("namespace", old.text("metadata", "namespace"))
	for _, of := range []string{"data", "binaryData"} {
		was, _ := old.tree[of].(map[string]any)
		is, _ := out.tree[of].(map[string]any)
		if len(was) > 0 && r.behavior == "merge" {
			was = maps.Clone(was)
			maps.Copy(was, is)
			out.tree[of] = was
		}
	}
	all = slices.Clone(all)
	all[slices.Index(all, old)] = &out
	return all, nil
}

// hash appends to names what their content hashes to. Upstream: internal/builtins/HashTransformer.go and api/hasher/hasher.go.
func (all resources) hash() {
	for _, r := range all {
		if !r.hash {
			continue
		}
		name := r.text("metadata", "name")
		content := map[string]any{"kind": r.text("kind"), "name": "", "data": ""} // upstream looks for the name in the wrong place
		if r.text("kind") == "Secret" {
			content["type"] = r.text("type")
		}
		for _, of := range []string{"data", "binaryData", "stringData"} {
			if m, ok := r.tree[of].(map[string]any); ok {
				content[of] = m
			}
		}
		r.store()
		r.set("name", name+"-"+hash.Content(content))
	}
}
