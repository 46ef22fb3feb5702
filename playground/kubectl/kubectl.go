// Package kubectl is the command line that a demo's steps and a reader's
// controls stand for: each command makes the requests that the real one makes,
// in its order, and answers with its words. Manifests come in as if on standard
// input (-f -), which is what errors call them: "STDIN".
//
// Simplified: the API is known, so no command asks for it first (discovery,
// OpenAPI). Apply keeps the last applied configuration in the annotation, as
// client-side apply does, but merges by JSON merge patch, so a list in a
// manifest replaces the list as a whole (upstream: strategic merge patch).
// Delete does not wait until the object is gone.
package kubectl

import (
	"encoding/json"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/types"
	"kubewalk/playground/client"
	"kubewalk/playground/sim"
)

// Command is a kubectl that speaks to one API server.
type Command struct{ transport client.Transport }

// New returns a kubectl for that server.
func New(t client.Transport) Command { return Command{t} }

// stdin is what kubectl calls what it reads from standard input.
// Upstream: cli-runtime pkg/resource/visitor.go, constSTDINstr.
const stdin = "STDIN"

// manifest is one object as an author wrote it.
type manifest struct {
	kind      *api.Kind
	namespace string
	name      string // generateName when there is no name
	tree      map[string]any
}

// read finds out what a manifest is about. The rest is the server's to judge.
func read(text []byte) (*manifest, error) {
	m := &manifest{}
	if err := json.Unmarshal(text, &m.tree); err != nil {
		return nil, fmt.Errorf("error: error parsing %s: error converting YAML to JSON: %v", stdin, err)
	}
	kind, _ := m.tree["kind"].(string)
	version, _ := m.tree["apiVersion"].(string)
	if kind == "" || version == "" {
		what := "kind"
		if kind != "" {
			what = "apiVersion"
		}
		return nil, fmt.Errorf("error: error validating %q: error validating data: %s not set; if you choose to ignore these errors, turn validation off with --validate=false", stdin, what)
	}
	meta, _ := m.tree["metadata"].(map[string]any)
	m.name, _ = meta["name"].(string)
	if m.name == "" {
		m.name, _ = meta["generateName"].(string)
	}
	m.namespace, _ = meta["namespace"].(string)
	gv, err := schema.ParseGroupVersion(version)
	if err == nil {
		m.kind = api.KindFor(gv.WithKind(kind))
	}
	if m.kind == nil || m.kind.Resource == "" {
		return nil, fmt.Errorf("error: resource mapping not found for name: %q namespace: %q from %q: no matches for kind %q in version %q\nensure CRDs are installed first", m.name, m.namespace, stdin, kind, version)
	}
	if !m.kind.Namespaced {
		m.namespace = ""
	} else if m.namespace == "" {
		m.namespace = metav1.NamespaceDefault
	}
	return m, nil
}

func (m *manifest) request(verb string) *client.Request {
	return &client.Request{Verb: verb, Resource: m.kind.GroupVersionResource(), Namespace: m.namespace}
}

// String is how errors show what they are about.
// Upstream: cli-runtime pkg/resource/visitor.go, Info.String.
func (m *manifest) String() string {
	return fmt.Sprintf("Resource: %q, GroupVersionKind: %q\nName: %q, Namespace: %q",
		m.kind.GroupVersionResource().String(), m.kind.GroupVersionKind.String(), m.name, m.namespace)
}

// Create is kubectl create -f.
func (c Command) Create(p *sim.Proc, text []byte) (string, error) {
	m, err := read(text)
	if err != nil {
		return "", err
	}
	return c.create(p, m, text, "kubectl-create")
}

func (c Command) create(p *sim.Proc, m *manifest, body []byte, manager string) (string, error) {
	r := m.request(client.Create)
	r.Body = body
	r.FieldManager = manager
	made, err := c.transport.Do(p, r)
	if err != nil {
		return "", words(err, "creating")
	}
	name := m.name
	if obj, ok := made.(api.Object); ok {
		name = obj.GetName()
	}
	return said(m.kind, name, "created"), nil
}

// applyManager is who apply says it is. Upstream: kubectl pkg/cmd/apply,
// FieldManagerClientSideApply.
const applyManager = "kubectl-client-side-apply"

// Apply is kubectl apply -f: a GET, then a POST or a PATCH.
func (c Command) Apply(p *sim.Proc, text []byte) (string, error) {
	m, err := read(text)
	if err != nil {
		return "", err
	}
	r := m.request(client.Get)
	r.Name = m.name
	got, err := c.transport.Do(p, r)
	if apierrors.IsNotFound(err) {
		annotate(m.tree, text)
		body, err := json.Marshal(m.tree)
		if err != nil {
			return "", err
		}
		return c.create(p, m, body, applyManager)
	}
	if err != nil {
		return "", words(err, fmt.Sprintf("retrieving current configuration of:\n%s\nfrom server for:", m))
	}
	live := got.(api.Object)
	patch, err := threeWay(live, m.tree, text)
	if err != nil {
		return "", err
	}
	if patch == nil {
		return said(m.kind, m.name, "unchanged"), nil
	}
	r = m.request(client.Patch)
	r.Name, r.PatchType, r.Patch, r.FieldManager = m.name, types.MergePatchType, patch, applyManager
	if _, err := c.transport.Do(p, r); err != nil {
		return "", words(err, fmt.Sprintf("applying patch:\n%s\nto:\n%s\nfor:", patch, m))
	}
	return said(m.kind, m.name, "configured"), nil
}

func said(k *api.Kind, name, done string) string {
	return fmt.Sprintf("%s/%s %s", resourceName(k), name, done)
}

// resourceName is "pod", "replicaset.apps".
func resourceName(k *api.Kind) string {
	if k.Group == "" {
		return k.Singular
	}
	return k.Singular + "." + k.Group
}

// find resolves what a person calls a resource, and the namespace that is
// meant when none is named.
func find(resource, namespace string) (*api.Kind, string, error) {
	k := api.Resolve(resource)
	if k == nil {
		return nil, "", fmt.Errorf("error: the server doesn't have a resource type %q", resource)
	}
	switch {
	case !k.Namespaced:
		namespace = ""
	case namespace == "":
		namespace = metav1.NamespaceDefault
	}
	return k, namespace, nil
}
