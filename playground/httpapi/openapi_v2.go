package httpapi

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"

	"kubewalk/playground/api"
	"kubewalk/playground/api/openapi"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/discovery"
)

// protobufV2 is the form of version 2 in which clients of Go ask for it.
const protobufV2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"

// openAPIv2 answers with one document of all kinds, in JSON. Who wants protobuf gets a document without types: kubectl
// asks for it when version 3 does not know a kind, and leaves the check of fields to the server when it finds nothing.
// Upstream: kube-openapi/pkg/handler.
func (s *Server) openAPIv2(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.Header.Get("Accept"), protobufV2) {
		w.Header().Set("Content-Type", strings.Replace(protobufV2, "@", ".", 1)) // an @ cannot be in a type
		w.Write([]byte("\x0a\x032.0"))                                           // field 1, swagger
		return
	}
	var kinds api.KindSet
	if err := s.loop.do(func(c *cluster.Cluster) { kinds = c.Kinds() }); err != nil {
		writeError(w, err)
		return
	}
	definitions, paths := maps.Clone(builtInV2()), map[string]any{}
	for _, k := range kinds.BuiltIn() {
		if k.Resource != "" {
			addPaths(paths, k)
		}
	}
	for _, k := range kinds.Defined() {
		addPaths(paths, k)
		t := customType(k)
		if t["x-kubernetes-preserve-unknown-fields"] == true { // nothing is said of it; upstream: builder.go, buildKubeNative
			t = map[string]any{"type": "object", gvkExtension: t[gvkExtension]}
		}
		definitions[definitionName(k)] = toV2(t)
	}
	text, err := json.Marshal(map[string]any{
		"swagger": "2.0", "info": map[string]any{"title": "Kubernetes", "version": discovery.Version().GitVersion},
		"paths": pathsV2(paths), "definitions": definitions,
	})
	if err != nil {
		writeError(w, err)
		return
	}
	etag := fmt.Sprintf("\"%X\"", sha512.Sum512(text))
	w.Header().Set("Etag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(text)
}

// builtInV2 are the types of the built-in kinds; see documents.
var builtInV2 = sync.OnceValue(func() map[string]any {
	out := map[string]any{}
	for _, gv := range openapi.Versions() {
		for name, t := range openapi.Types(gv) { // order: each fills its own key
			out[name] = toV2(t)
		}
	}
	return out
})

// toV2 is a type of version 3 as version 2 has it: another place of definitions, no allOf around a single reference, and neither nullable,
// defaults of references nor alternatives. Upstream: kube-openapi/pkg/schemaconv, and apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go,
// ToStructuralOpenAPIV2.
func toV2(t map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range t { // order: each fills its own key
		switch key {
		case "$ref":
			name, _ := value.(string)
			out[key] = strings.Replace(name, "#/components/schemas/", "#/definitions/", 1)
		case "properties", "patternProperties":
			all := map[string]any{}
			fields, _ := value.(map[string]any)
			for name, field := range fields { // order: likewise
				all[name] = typeV2(field)
			}
			out[key] = all
		case "items", "additionalProperties":
			out[key] = typeV2(value)
		case "allOf":
			all, _ := value.([]any)
			if len(all) == 1 {
				if only, ok := all[0].(map[string]any); ok && only["$ref"] != nil {
					maps.Copy(out, toV2(only))
				}
			}
		case "nullable", "oneOf", "anyOf", "not":
		default:
			out[key] = value
		}
	}
	if out["$ref"] != nil {
		delete(out, "default")
	}
	if t["x-kubernetes-preserve-unknown-fields"] == true { // version 2 cannot say what else may be there
		delete(out, "items")
		delete(out, "properties")
	}
	if t["oneOf"] != nil && t["type"] == nil && t["x-kubernetes-int-or-string"] == nil { // a quantity, or an integer or string
		out["type"] = "string"
	}
	if t["nullable"] == true {
		for _, key := range []string{"type", "items", "properties"} {
			delete(out, key)
		}
	}
	if out["type"] == "array" && out["items"] == nil {
		delete(out, "type")
	}
	return out
}

func typeV2(t any) any {
	if m, ok := t.(map[string]any); ok {
		return toV2(m)
	}
	return t
}

// pathsV2 are paths whose parameters have their type beside their name.
func pathsV2(paths map[string]any) map[string]any {
	out := map[string]any{}
	for path, value := range paths { // order: each fills its own key
		all := map[string]any{}
		for method, o := range value.(map[string]operation) { // order: likewise
			more := map[string]any{"x-kubernetes-action": o.Action, "x-kubernetes-group-version-kind": o.Kind}
			var parameters []any
			for _, p := range o.Parameters {
				parameters = append(parameters, map[string]any{"name": p.Name, "in": p.In, "type": p.Schema["type"]})
			}
			if parameters != nil {
				more["parameters"] = parameters
			}
			all[method] = more
		}
		out[path] = all
	}
	return out
}
