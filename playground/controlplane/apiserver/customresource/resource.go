// Package customresource is what a CustomResourceDefinition says of its objects: which fields they have, what is missing
// and wrong in them, and how they are shown and scaled. It knows trees of JSON (maps, lists, texts, json.Numbers), no
// requests and no storage.
//
// Absent: warnings of broken rules about what has not changed;
// formats that few use (isbn, creditcard, ssn, rgbcolor, bsonobjectid) are taken as they are; embedded resources are
// pruned, and their metadata is not checked.
//
// Upstream: apiextensions-apiserver/pkg/apiserver/schema, pkg/apiserver/validation and pkg/registry/customresource;
// kube-openapi/pkg/validation/validate.
package customresource

import (
	"bytes"
	"encoding/json"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/jsonpath"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/cel"
)

// Resource is a resource that a definition adds, as it is served in one version.
type Resource struct {
	// Kind is that of this version, Stored the one of the version in which objects are stored, which is Storage.
	Kind, Stored *api.Kind
	Storage      *Resource

	version *apiextensionsv1.CustomResourceDefinitionVersion
	columns []column
	selects []selectable
	rules   cel.Rules // nil if there are none
}

// New makes the resources of a definition, one for each version that is served, with the names that were accepted.
// The evaluator is for the rules in its schemas.
func New(crd *apiextensionsv1.CustomResourceDefinition, evaluator cel.Evaluator) []*Resource {
	var all []*Resource
	var stored *Resource
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		r := &Resource{Kind: newKind(crd, v), version: v, columns: columnsOf(v), selects: selectablesOf(v)}
		r.Kind.Table = r.table
		if evaluator != nil {
			r.rules = evaluator.Rules(r.Kind.Schema)
		}
		if v.Storage {
			stored = r
		}
		if v.Served {
			all = append(all, r)
		}
	}
	if stored == nil {
		return all // validation does not let that pass
	}
	stored.Stored, stored.Storage = stored.Kind, stored
	for _, r := range all {
		r.Stored, r.Storage = stored.Kind, stored
	}
	return all
}

// newKind is how a version of a definition is served.
func newKind(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion) *api.Kind {
	names := &crd.Status.AcceptedNames
	k := &api.Kind{
		GroupVersionKind: api.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: names.Kind},
		Resource:         names.Plural, Singular: names.Singular, ShortNames: names.ShortNames, Categories: names.Categories,
		Namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		Schema:     v.Schema.OpenAPIV3Schema,
	}
	k.New = func() api.Object { return api.NewUnstructured(k) }
	k.NewList = func() api.List { return api.NewUnstructuredList(k) }
	if sub := v.Subresources; sub != nil {
		if sub.Scale != nil {
			k.Subresources = append(k.Subresources, api.Subresource{Name: "scale", Kind: scaleKind})
		}
		if sub.Status != nil {
			k.Subresources = append(k.Subresources, api.Subresource{Name: "status"})
		}
	}
	return k
}

var scaleKind = api.KindOf(new(autoscalingv1.Scale)).GroupVersionKind

// HasStatus says that the status is a subresource, so that it can only be written there.
func (r *Resource) HasStatus() bool {
	return r.version.Subresources != nil && r.version.Subresources.Status != nil
}

// Deprecation is the warning that each request to the version is answered with, "" if there is none.
func (r *Resource) Deprecation() string {
	switch {
	case !r.version.Deprecated:
		return ""
	case r.version.DeprecationWarning != nil:
		return *r.version.DeprecationWarning
	}
	return r.Kind.GroupVersion().String() + " " + r.Kind.GroupVersionKind.Kind + " is deprecated"
}

// Decode makes an object of JSON: unknown fields are dropped and listed, null is dropped where it means nothing, defaults are
// filled in. The error is a *api.DecodeError.
// Upstream: pkg/apiserver/customresource_handler.go, schemaCoercingDecoder and unstructuredDefaulter.
func (r *Resource) Decode(text []byte, defaults *api.GroupVersionKind) (obj *api.Unstructured, strict *api.StrictError, err error) {
	gvk, err := api.ReadKind(text, defaults)
	if err == nil {
		obj = api.NewUnstructured(r.Kind)
		err = obj.UnmarshalJSON(text)
	}
	if err != nil {
		return nil, nil, &api.DecodeError{GVK: gvk, Err: err}
	}
	obj.SetGroupVersionKind(gvk)
	if fields := r.settle(obj); len(fields) > 0 {
		strict = &api.StrictError{Fields: fields}
	}
	return obj, strict, nil
}

// Served is a stored object as this version shows it. What the schema says now counts, whatever it said when the object was
// stored. Upstream: the same decoders, which read what etcd holds.
func (r *Resource) Served(obj *api.Unstructured) *api.Unstructured {
	if api.KindOf(obj) == r.Kind {
		return obj
	}
	out := obj.As(r.Kind)
	if out.Fields != nil {
		out.Fields = api.CopyTree(out.Fields).(map[string]any)
	}
	r.settle(out)
	return out
}

// Converted is an object of this version that a webhook made of another version's: its metadata, and all other fields.
func (r *Resource) Converted(meta *metav1.ObjectMeta, fields map[string]any) *api.Unstructured {
	out := api.NewUnstructured(r.Kind)
	out.SetGroupVersionKind(r.Kind.GroupVersionKind)
	out.ObjectMeta, out.Fields = *meta, fields
	r.settle(out)
	return out
}

// ToStored is an object in the form in which it is stored.
func (r *Resource) ToStored(obj *api.Unstructured) *api.Unstructured {
	if r.Kind == r.Stored {
		return obj
	}
	return obj.As(r.Stored)
}

// settle brings an object's fields into the form that the schema describes, and tells which it does not know.
func (r *Resource) settle(obj *api.Unstructured) []api.FieldError {
	if obj.Fields == nil {
		obj.Fields = map[string]any{}
	}
	canonical(obj.Fields)
	p := pruner{}
	p.prune(obj.Fields, r.Kind.Schema, true)
	dropNulls(obj.Fields, r.Kind.Schema)
	fillIn(obj.Fields, r.Kind.Schema)
	return p.sorted()
}

// decode reads JSON that is a part of a definition.
func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil // it was decoded with the definition
	}
	return canonicalValue(v)
}

// canonical writes numbers in the one way in which they come out of storage: 1.50 is 1.5.
func canonical(fields map[string]any) {
	for name, v := range fields { // order: each fills its own key
		fields[name] = canonicalValue(v)
	}
}

func canonicalValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		canonical(v)
	case []any:
		for i := range v {
			v[i] = canonicalValue(v[i])
		}
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return json.Number(strconv.FormatInt(i, 10))
		}
		if f, err := strconv.ParseFloat(string(v), 64); err == nil {
			if text, err := json.Marshal(f); err == nil {
				return json.Number(text)
			}
		}
	}
	return v
}

// selectable is a field by which a field selector can pick objects.
type selectable struct {
	name string
	path *jsonpath.JSONPath
}

func selectablesOf(v *apiextensionsv1.CustomResourceDefinitionVersion) []selectable {
	var out []selectable
	for _, f := range v.SelectableFields {
		if path, err := jsonpath.Parse("{" + f.JSONPath + "}"); err == nil {
			out = append(out, selectable{name: trimDot(f.JSONPath), path: path})
		}
	}
	return out
}

// Selectable are the values by which field selectors can pick an object, by name. Of a nil object they are all "".
// Upstream: pkg/registry/customresource/strategy.go, selectableFields.
func (r *Resource) Selectable(obj *api.Unstructured) map[string]string {
	out := map[string]string{}
	for _, s := range r.selects {
		out[s.name] = ""
		if obj == nil {
			continue
		}
		if values, err := s.path.Values(obj.Tree()); err == nil && len(values) > 0 && values[0] != nil {
			out[s.name] = jsonpath.Text(values[0])
		}
	}
	return out
}
