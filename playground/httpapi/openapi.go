package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/openapi"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/discovery"
	"kubewalk/playground/endpoints"
)

// document is an OpenAPI document, compressed, with the hash by which clients know it.
type document struct{ gzip, hash []byte }

// documents are made when somebody first asks for them, once for all servers, and so is builtInV2: they take 90 ms and 25 ms, and most
// runs end without anybody having asked for a schema. What takes little, the server reads when it starts.
var documents = sync.OnceValue(func() map[string]document {
	out := map[string]document{}
	for _, gv := range (discovery.API{Kinds: api.AllKinds()}).GroupVersions() {
		out[openAPIPath(gv)] = newDocument(describe(gv))
	}
	return out
})

func newDocument(content map[string]any) document {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // it is made of strings and maps
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text)
	z.Close()
	hash := sha512.Sum512(text)
	return document{b.Bytes(), hash[:]}
}

// allDocuments are those of the built-in kinds and, made each time, of the kinds that definitions added.
func (s *Server) allDocuments() (map[string]document, error) {
	var kinds api.KindSet
	if err := s.loop.do(func(c *cluster.Cluster) { kinds = c.Kinds() }); err != nil {
		return nil, err
	}
	all := map[string]document{}
	for _, gv := range (discovery.API{Kinds: kinds.BuiltIn()}).GroupVersions() {
		all[openAPIPath(gv)] = documents()[openAPIPath(gv)]
	}
	byVersion := map[schema.GroupVersion][]*api.Kind{}
	for _, k := range kinds.Defined() {
		byVersion[k.GroupVersion()] = append(byVersion[k.GroupVersion()], k)
	}
	for gv, kinds := range byVersion { // order: each fills its own key
		all[openAPIPath(gv)] = newDocument(describeCustom(kinds))
	}
	return all, nil
}

func openAPIPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}

// openAPI answers at /openapi/v3 with the list of documents, and below it with each of them.
// Upstream: kube-openapi/pkg/handler3.
func (s *Server) openAPI(w http.ResponseWriter, r *http.Request, path string) {
	name, ok := strings.CutPrefix(path, "/openapi/v3")
	if path == "/openapi/v2" {
		s.openAPIv2(w, r)
		return
	}
	if !ok {
		write(w, endpoints.NotFound())
		return
	}
	all, err := s.allDocuments()
	if err != nil {
		writeError(w, err)
		return
	}
	if name == "" {
		type link struct {
			ServerRelativeURL string `json:"serverRelativeURL"`
		}
		paths := map[string]link{}
		for p, d := range all {
			paths[p] = link{d.url(p)}
		}
		list := newDocument(map[string]any{"paths": paths})
		list.serve(w, r)
		return
	}
	d, ok := all[strings.TrimPrefix(name, "/")]
	if !ok {
		write(w, endpoints.NotFound())
		return
	}
	if hash := r.URL.Query().Get("hash"); hash != "" {
		if hash != fmt.Sprintf("%X", d.hash) {
			http.Redirect(w, r, d.url(strings.TrimPrefix(name, "/")), http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Cache-Control", "public, immutable")
		w.Header().Set("Expires", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
	}
	w.Header().Set("Vary", "Accept")
	d.serve(w, r)
}

// url is where the document of a path is, as it is now.
func (d document) url(path string) string { return fmt.Sprintf("/openapi/v3/%s?hash=%X", path, d.hash) }

// serve writes a document, unless the client has it already.
func (d document) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Etag", fmt.Sprintf("\"%X\"", d.hash))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Add("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.gzip))
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(d.gzip))
	if err != nil {
		writeError(w, err)
		return
	}
	var plain bytes.Buffer
	plain.ReadFrom(z)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(plain.Bytes()))
}

// describe is the document of a version: its paths, with what kubectl reads of them, and the types.
func describe(gv schema.GroupVersion) map[string]any {
	paths := map[string]any{}
	for _, k := range api.AllKinds() {
		if k.Resource != "" && k.GroupVersion() == gv {
			addPaths(paths, k)
		}
	}
	return openAPIDocument("Kubernetes", discovery.Version().GitVersion, paths, openapi.Types(gv))
}

func openAPIDocument(title, version string, paths map[string]any, types any) map[string]any {
	return map[string]any{
		"openapi": "3.0.0",
		"info":    map[string]any{"title": title, "version": version},
		"paths":   paths, "components": map[string]any{"schemas": types},
	}
}

// metaTypes are the types of the fields that every object has.
const metaTypes = "io.k8s.apimachinery.pkg.apis.meta.v1."

// describeCustom is the document of kinds of one version that definitions added.
// Upstream: apiextensions-apiserver/pkg/controller/openapi/builder/builder.go, BuildOpenAPIV3.
func describeCustom(kinds []*api.Kind) map[string]any {
	all := map[string]any{}
	for name, t := range openapi.Types(schema.GroupVersion{Version: "v1"}) { // order: each fills its own key
		if strings.HasPrefix(name, metaTypes) {
			all[name] = t
		}
	}
	paths := map[string]any{}
	for _, k := range kinds {
		addPaths(paths, k)
		all[definitionName(k)] = customType(k)
	}
	return openAPIDocument("Kubernetes CRD Swagger", "v0.1.0", paths, all)
}

// definitionName is that of a custom kind's type: "com.example.v1.Foo".
func definitionName(k *api.Kind) string {
	group := strings.Split(k.Group, ".")
	slices.Reverse(group)
	return strings.Join(group, ".") + "." + k.Version + "." + k.Kind
}

// gvkExtension says whose schema one is.
const gvkExtension = "x-kubernetes-group-version-kind"

// customType is a kind's schema with what every object has.
func customType(k *api.Kind) map[string]any {
	text, err := json.Marshal(discovery.Schema(k))
	if err != nil {
		panic(err) // it came out of JSON
	}
	var t map[string]any
	if err := json.Unmarshal(text, &t); err != nil {
		panic(err) // it was written a moment ago
	}
	t[gvkExtension] = []any{map[string]any{"group": k.Group, "kind": k.Kind, "version": k.Version}}
	return t
}

// addPaths adds what can be done with a kind and its subresources.
func addPaths(paths map[string]any, k *api.Kind) {
	base := "/" + openAPIPath(k.GroupVersion())
	collection := base + "/" + k.Resource
	if k.Namespaced {
		if k.NewList != nil {
			paths[collection] = operations(k.GroupVersionKind, []string{"list"})
		}
		collection = base + "/namespaces/{namespace}/" + k.Resource
	}
	var whole, one []string
	for _, verb := range discovery.Verbs(k) {
		switch verb {
		case "create", "list", "deletecollection":
			whole = append(whole, verb)
		case "get", "update", "patch", "delete":
			one = append(one, verb)
		}
	}
	paths[collection] = operations(k.GroupVersionKind, whole)
	if len(one) > 0 {
		paths[collection+"/{name}"] = operations(k.GroupVersionKind, one)
	}
	for _, s := range discovery.Subresources(k) {
		path := collection + "/{name}/" + s.Subresource
		if _, connects := discovery.Connects(k, s.Subresource); !connects {
			paths[path] = operations(schema.GroupVersionKind(s.ResponseKind), s.Verbs)
			continue
		}
		paths[path] = connections(schema.GroupVersionKind(s.ResponseKind), s.Verbs)
		if s.Subresource == "proxy" {
			paths[path+"/{path}"] = paths[path]
		}
	}
}

// connections are the operations at a path that leads further. A proxy's has two methods that discovery knows no verb for.
// Upstream: apiserver/pkg/endpoints/installer.go, registerResourceHandlers, CONNECT.
func connections(kind schema.GroupVersionKind, verbs []string) map[string]operation {
	out := operations(kind, verbs)
	if len(verbs) > 2 {
		out["head"], out["options"] = out["get"], out["get"]
	}
	for method, o := range out { // order: each changes its own
		o.Action, o.Parameters = "connect", nil
		out[method] = o
	}
	return out
}

// operation is what a document says of a method at a path.
type operation struct {
	Action     string      `json:"x-kubernetes-action"`
	Kind       any         `json:"x-kubernetes-group-version-kind"`
	Parameters []parameter `json:"parameters,omitempty"`
}

type parameter struct {
	Name   string            `json:"name"`
	In     string            `json:"in"`
	Schema map[string]string `json:"schema"`
}

// methods are those of each verb, and the action as upstream names it.
var methods = map[string]struct{ method, action string }{
	"get": {"get", "get"}, "list": {"get", "list"}, "create": {"post", "post"}, "update": {"put", "put"}, "patch": {"patch", "patch"},
	"delete": {"delete", "delete"}, "deletecollection": {"delete", "deletecollection"},
}

func operations(kind schema.GroupVersionKind, verbs []string) map[string]operation {
	out := map[string]operation{}
	for _, verb := range verbs {
		o := operation{Action: methods[verb].action, Kind: map[string]string{"group": kind.Group, "version": kind.Version, "kind": kind.Kind}}
		switch verb {
		case "create", "update", "patch":
			for _, name := range []string{"dryRun", "fieldManager", "fieldValidation"} {
				o.Parameters = append(o.Parameters, parameter{name, "query", map[string]string{"type": "string"}})
			}
		}
		out[methods[verb].method] = o
	}
	return out
}
