// Package kubectl is the command line that a demo's steps and a reader's
// controls stand for: each command makes the requests that the real one makes,
// in its order, and answers with its words.
//
// Simplified: apply keeps the last applied configuration in the annotation, as
// client-side apply does, but merges by JSON merge patch, so a list in a
// manifest replaces the list as a whole (upstream: strategic merge patch).
// Delete does not wait until the object is gone.
package kubectl

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/autoscalingv1"
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
		return nil, fmt.Errorf("error: error parsing manifest: %v", err)
	}
	kind, _ := m.tree["kind"].(string)
	version, _ := m.tree["apiVersion"].(string)
	if kind == "" || version == "" {
		what := "kind"
		if kind != "" {
			what = "apiVersion"
		}
		return nil, fmt.Errorf("error: error validating data: %s not set; if you choose to ignore these errors, turn validation off with --validate=false", what)
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
		return nil, fmt.Errorf("error: resource mapping not found for name: %q namespace: %q: no matches for kind %q in version %q\nensure CRDs are installed first", m.name, m.namespace, kind, version)
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

// Create is kubectl create -f.
func (c Command) Create(p *sim.Proc, text []byte) (string, error) {
	m, err := read(text)
	if err != nil {
		return "", err
	}
	return c.create(p, m, text)
}

func (c Command) create(p *sim.Proc, m *manifest, body []byte) (string, error) {
	r := m.request(client.Create)
	r.Body = body
	r.FieldManager = "kubectl-create"
	made, err := c.transport.Do(p, r)
	if err != nil {
		return "", words(err, "creating", true)
	}
	name := m.name
	if obj, ok := made.(api.Object); ok {
		name = obj.GetName()
	}
	return said(m.kind, name, "created"), nil
}

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
		return c.create(p, m, body)
	}
	if err != nil {
		return "", words(err, "retrieving current configuration of", false)
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
	r.Name, r.PatchType, r.Patch, r.FieldManager = m.name, types.MergePatchType, patch, "kubectl-client-side-apply"
	if _, err := c.transport.Do(p, r); err != nil {
		return "", words(err, "applying patch to", false)
	}
	return said(m.kind, m.name, "configured"), nil
}

// Scale is kubectl scale: a patch of the scale subresource.
func (c Command) Scale(p *sim.Proc, resource, namespace, name string, replicas int32) (string, error) {
	k := api.Resolve(resource)
	if k == nil {
		return "", fmt.Errorf("error: the server doesn't have a resource type %q", resource)
	}
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"replicas": scale.Spec.Replicas}})
	if err != nil {
		return "", err
	}
	_, err = c.transport.Do(p, &client.Request{
		Verb: client.Patch, Resource: k.GroupVersionResource(), Subresource: "scale", Namespace: namespace, Name: name,
		PatchType: types.MergePatchType, Patch: patch, FieldManager: "kubectl-scale",
	})
	if err != nil {
		return "", words(err, "scaling", false)
	}
	return said(k, name, "scaled"), nil
}

// Delete is kubectl delete. A name that ends in * takes the oldest object
// whose name begins so: names of Pods are made up by the server.
// grace is in seconds; nil leaves it to the object.
func (c Command) Delete(p *sim.Proc, resource, namespace, name string, grace *int64) (string, error) {
	k := api.Resolve(resource)
	if k == nil {
		return "", fmt.Errorf("error: the server doesn't have a resource type %q", resource)
	}
	if !k.Namespaced {
		namespace = ""
	}
	if prefix, ok := strings.CutSuffix(name, "*"); ok {
		found, err := c.oldest(p, k, namespace, prefix)
		if err != nil {
			return "", err
		}
		name = found
	}
	background := metav1.DeletePropagationBackground
	_, err := c.transport.Do(p, &client.Request{
		Verb: client.Delete, Resource: k.GroupVersionResource(), Namespace: namespace, Name: name,
		Delete: metav1.DeleteOptions{GracePeriodSeconds: grace, PropagationPolicy: &background},
	})
	if err != nil {
		return "", words(err, "deleting", false)
	}
	if namespace == "" {
		return fmt.Sprintf("%s %q deleted", resourceName(k), name), nil
	}
	return fmt.Sprintf("%s %q deleted from %s namespace", resourceName(k), name, namespace), nil
}

func (c Command) oldest(p *sim.Proc, k *api.Kind, namespace, prefix string) (string, error) {
	got, err := c.transport.Do(p, &client.Request{Verb: client.List, Resource: k.GroupVersionResource(), Namespace: namespace})
	if err != nil {
		return "", words(err, "listing", false)
	}
	var match []api.Object
	for _, obj := range got.(api.List).GetItems() {
		if strings.HasPrefix(obj.GetName(), prefix) && obj.GetDeletionTimestamp() == nil {
			match = append(match, obj)
		}
	}
	if len(match) == 0 {
		return "", fmt.Errorf("No resources found in %s namespace.", namespace)
	}
	sort.Slice(match, func(i, j int) bool {
		ti, tj := match[i].GetCreationTimestamp(), match[j].GetCreationTimestamp()
		if !ti.Time.Equal(tj.Time) {
			return ti.Time.Before(tj.Time)
		}
		return match[i].GetName() < match[j].GetName()
	})
	return match[0].GetName(), nil
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
