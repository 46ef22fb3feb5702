package kustomize

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/yaml"
)

// Gvk is a kind, or what selects kinds. Upstream: kyaml/resid/gvk.go.
type Gvk struct {
	Group   string `json:"group,omitempty"`
	Version string `json:"version,omitempty"`
	Kind    string `json:"kind,omitempty"`
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (g Gvk) String() string {
	return or(g.Kind, "[noKind]") + "." + or(g.Version, "[noVer]") + "." + or(g.Group, "[noGrp]")
}

// is says that a kind is among those that another one selects. Upstream: gvk.go, IsSelected.
func (g Gvk) is(of Gvk) bool {
	return (of.Group == "" || of.Group == g.Group) && (of.Version == "" || of.Version == g.Version) && (of.Kind == "" || of.Kind == g.Kind)
}

// ResId is what a resource is told from others by. Upstream: kyaml/resid/resid.go.
type ResId struct {
	Gvk
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

func (i ResId) String() string {
	return i.Gvk.String() + "/" + or(i.Name, "[noName]") + "." + or(i.Namespace, "[noNs]")
}

// shown is an id as %#v shows it.
func (i ResId) shown() string {
	return fmt.Sprintf("resid.ResId{Gvk:resid.Gvk{Group:%q, Version:%q, Kind:%q, isClusterScoped:%v}, Name:%q, Namespace:%q}",
		i.Group, i.Version, i.Kind, i.clusterScoped(), i.Name, i.Namespace)
}

// clusterKinds are those of which Kustomize knows that they are in no namespace. It does not know newer ones, and gives them a namespace.
// Upstream: kyaml/openapi/openapi.go, precomputedIsNamespaceScoped.
const clusterKinds = " admissionregistration.k8s.io/MutatingWebhookConfiguration admissionregistration.k8s.io/ValidatingWebhookConfiguration" +
	" apiextensions.k8s.io/CustomResourceDefinition apiregistration.k8s.io/APIService certificates.k8s.io/CertificateSigningRequest" +
	" networking.k8s.io/IngressClass node.k8s.io/RuntimeClass rbac.authorization.k8s.io/ClusterRole rbac.authorization.k8s.io/ClusterRoleBinding" +
	" scheduling.k8s.io/PriorityClass storage.k8s.io/CSIDriver storage.k8s.io/CSINode storage.k8s.io/StorageClass storage.k8s.io/VolumeAttachment" +
	" /ComponentStatus /Namespace /Node /PersistentVolume "

func (g Gvk) clusterScoped() bool {
	return g.Version == "v1" && strings.Contains(clusterKinds, " "+g.Group+"/"+g.Kind+" ")
}

const noNamespace = "_non_namespaceable_"

// effective is a namespace that tells ids apart. Upstream: resid.go, EffectiveNamespace.
func (i ResId) effective() string {
	if i.clusterScoped() {
		return noNamespace
	}
	return or(i.Namespace, "default")
}

// equals is upstream's resid.go, Equals.
func (i ResId) equals(o ResId) bool {
	return i.effective() == o.effective() && i.Name == o.Name && i.Gvk == o.Gvk
}

// resource is an object that is built. Upstream: api/resource/resource.go.
type resource struct {
	tree               map[string]any
	previous           []ResId // what it was, the oldest first
	prefixes, suffixes []string
	behavior           string
	hash               bool // its name gets a hash
	allowName          bool // of a patch: it changes the name
	allowKind          bool
}

func (r *resource) text(fields ...string) string {
	var v any = r.tree
	for _, f := range fields {
		m, _ := v.(map[string]any)
		v = m[f]
	}
	return scalar(v)
}

// scalar is a value as YAML writes it.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// texts are labels or annotations.
func (r *resource) texts(of string) map[string]string {
	out := map[string]string{}
	meta, _ := r.tree["metadata"].(map[string]any)
	m, _ := meta[of].(map[string]any)
	for k, v := range m { // order: each fills its own key
		out[k] = scalar(v)
	}
	return out
}

// set sets a field of the metadata; what is empty is removed.
func (r *resource) set(field string, value any) {
	meta, ok := r.tree["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		r.tree["metadata"] = meta
	}
	m, isMap := value.(map[string]any)
	if value == "" || isMap && len(m) == 0 {
		delete(meta, field)
		return
	}
	meta[field] = value
}

// gvk is what a resource is.
func (r *resource) gvk() Gvk {
	group, version, both := strings.Cut(r.text("apiVersion"), "/")
	if !both {
		group, version = "", group
	}
	return Gvk{group, version, r.text("kind")}
}

// id is what a resource is now, original what it was first.
func (r *resource) id() ResId {
	return ResId{r.gvk(), r.text("metadata", "name"), r.text("metadata", "namespace")}
}

func (r *resource) original() ResId { return r.previousIds()[0] }

// previousIds are those that it had, and the one that it has if it had none. Upstream: api/internal/utils/makeResIds.go, PrevIds.
func (r *resource) previousIds() []ResId {
	if len(r.previous) == 0 {
		return []ResId{r.id()}
	}
	out := slices.Clone(r.previous)
	for i := range out {
		g := r.gvk()
		g.Kind = out[i].Kind
		out[i].Gvk = g
	}
	return out
}

func (r *resource) ids() []ResId { return append(r.previousIds(), r.id()) }

// store remembers what a resource is before that changes. Upstream: resource.go, StorePreviousId.
func (r *resource) store() {
	i := r.id()
	i.Namespace = i.effective()
	r.previous = append(r.previous, i)
}

// resources are all, in their order. Upstream: api/resmap/reswrangler.go.
type resources []*resource

// add appends others.
func (all resources) add(more resources) (resources, error) {
	for _, r := range more {
		i := r.id()
		if slices.ContainsFunc(all, func(o *resource) bool { return o.id().equals(i) }) {
			return nil, fmt.Errorf("may not add resource with an already registered id: %s", i)
		}
		all = append(all, r)
	}
	return all, nil
}

// matching are those with an id, now or before.
func (all resources) matching(is func(ResId) bool) (out resources) {
	for _, r := range all {
		if slices.ContainsFunc(r.ids(), is) {
			out = append(out, r)
		}
	}
	return out
}

// one is the resource that a patch is about. Upstream: reswrangler.go, GetById.
func (all resources) one(i ResId) (*resource, error) {
	found := all.matching(i.equals)
	if len(found) == 1 {
		return found[0], nil
	}
	what := "no"
	if len(found) > 1 {
		what = "multiple"
	}
	return nil, fmt.Errorf("%s matches for Id %s; failed to find unique target for patch %s", what, i, i)
}

// parse makes resources of documents. Upstream: api/resource/factory.go, RNodesFromBytes.
func parse(text []byte) (out resources, err error) {
	var doc any
	if text, err = unquoted(text); err == nil {
		doc, err = decode(text)
	}
	if err != nil {
		return nil, err
	}
	docs, ok := doc.([]any)
	if !ok {
		docs = []any{doc}
	}
	for len(docs) > 0 {
		m, ok := docs[0].(map[string]any)
		if docs = docs[1:]; !ok {
			return nil, errors.New("wrong node kind: expected MappingNode but was " + nodeKind(doc))
		}
		r := &resource{tree: m}
		kind, name := r.text("kind"), r.text("metadata", "name")
		missing := ""
		switch list := strings.HasSuffix(kind, "List"); {
		case len(m) == 0:
			continue
		case kind == "":
			missing = "kind"
		case name == "" && !list:
			missing = "metadata.name"
		case list:
			if items, there := m["items"]; there {
				more, _ := items.([]any)
				docs = append(docs, more...)
				continue
			}
		}
		if missing != "" {
			return nil, fmt.Errorf("missing %s in object {{%s %s} {{%s %s} %v %v}}", missing, r.text("apiVersion"), kind, name, r.text("metadata", "namespace"),
				r.texts("labels"), r.texts("annotations"))
		}
		out = append(out, r)
	}
	return out, nil
}

// unquoted is a text that holds YAML as JSON; what is JSON stays as it is.
func unquoted(text []byte) ([]byte, error) {
	var s string
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text) {
		return text, nil
	}
	if json.Unmarshal(text, &s) != nil {
		s = string(text)
	}
	return yaml.ToJSON(s)
}

func nodeKind(v any) string {
	switch v.(type) {
	case map[string]any:
		return "MappingNode"
	case []any:
		return "SequenceNode"
	}
	return "ScalarNode"
}

func (r *resource) clone() *resource {
	out := *r
	out.tree = api.CopyTree(r.tree).(map[string]any)
	return &out
}
