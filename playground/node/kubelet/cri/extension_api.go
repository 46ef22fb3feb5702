package cri

import (
	"encoding/json"
	"slices"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/types"
)

// What extension API servers have in common: paths, discovery, tables and refusals. Upstream: k8s.io/apiserver, the library of such servers.

// apiPath is what a request is about. In that of discovery, resource is "".
type apiPath struct {
	group, version, namespace, resource, name string
}

// apiPathOf reads /apis/GROUP/VERSION[/namespaces/NAMESPACE]/RESOURCE[/NAME]. It returns nil for all other paths.
func apiPathOf(url string) *apiPath {
	path, _, _ := strings.Cut(parseURL(url).path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 3 || parts[0] != "apis" {
		return nil
	}
	at := &apiPath{group: parts[1], version: parts[2]}
	parts = parts[3:]
	if len(parts) > 2 && parts[0] == "namespaces" {
		at.namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 0 {
		at.resource = parts[0]
	}
	if len(parts) > 1 {
		at.name = parts[1]
	}
	if len(parts) > 2 {
		return nil
	}
	return at
}

func (at *apiPath) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: at.group, Resource: at.resource}
}

// nowhere is the answer at a path that nobody serves.
func nowhere() (int, string) { return 404, "404 page not found\n" }

// resourceList is what a version has, as discovery asks. Upstream: metav1.APIResourceList.
func resourceList(groupVersion string, resources ...map[string]any) map[string]any {
	return map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": groupVersion, "resources": resources}
}

func apiResource(name, singular, kind string, namespaced bool, verbs ...string) map[string]any {
	return map[string]any{"name": name, "singularName": singular, "namespaced": namespaced, "kind": kind, "verbs": verbs}
}

func asksForTable(header map[string][]string) bool {
	return slices.ContainsFunc(header["Accept"], func(v string) bool { return strings.Contains(v, "as=Table") })
}

// tableRow is one object in a table.
type tableRow struct {
	meta  any
	cells []string
}

// table is a list as people read it. The first column is the name.
func table(meta any, columns []string, rows []tableRow) map[string]any {
	var titles []metav1.TableColumnDefinition
	for _, title := range columns {
		titles = append(titles, metav1.TableColumnDefinition{Name: title, Type: "string"})
	}
	titles[0].Format = "name"
	out := []map[string]any{}
	for _, r := range rows {
		out = append(out, map[string]any{"cells": r.cells,
			"object": map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": r.meta}})
	}
	return map[string]any{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": meta, "columnDefinitions": titles, "rows": out}
}

// refused is the answer of an error. Upstream: apiserver/pkg/endpoints/handlers/responsewriters/status.go, ErrorToAPIStatus.
func refused(err error) (int, string) {
	status := metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: err.Error()}
	if known, is := err.(*apierrors.StatusError); is {
		status = known.ErrStatus
	}
	return asStatus(status)
}

// deleted is the answer of a deletion that is done.
func deleted(of schema.GroupResource, name, uid string) (int, string) {
	details := &metav1.StatusDetails{Name: name, Group: of.Group, Kind: of.Resource}
	details.UID = types.UID(uid)
	return asStatus(metav1.Status{Status: metav1.StatusSuccess, Code: 200, Details: details})
}

func asStatus(status metav1.Status) (int, string) {
	code := int(status.Code)
	if status.Kind, status.APIVersion = "Status", "v1"; code == 200 {
		status.Code = 0
	}
	return code, encoded(status)
}

func encoded(v any) string {
	text, _ := json.Marshal(v) // texts, numbers and lists
	return string(text)
}
