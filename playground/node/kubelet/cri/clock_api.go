package cri

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// apiServer is an extension API server: it answers for a group behind the aggregation layer.
type apiServer interface {
	// serve is a code of HTTP and a body of JSON. uid makes a new object's.
	serve(now time.Time, request Request, uid func() string) (status int, body string)
}

// clockAPI serves clock.example.com/v1. Its Times are computed when somebody asks, and stored nowhere. Its Alarms are in its memory,
// and gone with it.
//
// Simplified: who asks is believed to be whom the header names, and may do everything: a real one checks the certificate of who
// sends the header, and asks the API server with a SubjectAccessReview. There are no watches, no updates and no selectors.
// Upstream: k8s.io/sample-apiserver, for its form.
type clockAPI struct {
	alarms   []*alarm // by namespace and name
	revision int64
}

const clockGroupVersion = "clock.example.com/v1"

// zone is where a clock is.
type zone struct {
	name, zone string
	offset     time.Duration
}

// zones are the Times that there are, by name. None of them has summer time.
var zones = []zone{{"delhi", "Asia/Kolkata", 5*time.Hour + 30*time.Minute}, {"tokyo", "Asia/Tokyo", 9 * time.Hour}, {"utc", "UTC", 0}}

// clockTime and alarm are the kinds.
type clockTime struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Metadata   clockMetadata `json:"metadata"`
	Status     struct {
		Zone string `json:"zone"`
		Time string `json:"time"`
	} `json:"status"`
}

type alarm struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Metadata   clockMetadata `json:"metadata"`
	Spec       struct {
		Zone string `json:"zone"`
		At   string `json:"at"` // "07:00"
	} `json:"spec"`
	Status struct {
		SetBy   string `json:"setBy,omitempty"`
		RingsIn string `json:"ringsIn,omitempty"` // computed
	} `json:"status"`
}

type clockMetadata struct {
	Name              string            `json:"name,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	CreationTimestamp string            `json:"creationTimestamp,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
}

// clockColumns are the columns of each resource's table.
var clockColumns = map[string][]string{"times": {"Name", "Zone", "Time"}, "alarms": {"Name", "Zone", "At", "Rings In"}}

func (c *clockAPI) serve(now time.Time, request Request, uid func() string) (int, string) {
	path, _, _ := strings.Cut(parseURL(request.URL).path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 3 || parts[0] != "apis" || parts[1]+"/"+parts[2] != clockGroupVersion {
		return 404, "404 page not found\n"
	}
	parts = parts[3:]
	namespace := ""
	if len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	if len(parts) == 0 {
		return 200, encoded(clockResources)
	}
	name := ""
	if len(parts) > 1 {
		name = parts[1]
	}
	method := request.Method
	switch {
	case len(parts) > 2 || parts[0] != "times" && parts[0] != "alarms":
		return 404, "404 page not found\n"
	case method == "GET" && strings.Contains(request.URL, "watch=true"):
		return clockRefused(405, "MethodNotAllowed", parts[0], "", fmt.Sprintf("watch is not supported on resources of kind %q", qualified(parts[0])))
	case method == "GET":
		return c.read(now, parts[0], namespace, name, asksForTable(request.Header))
	case parts[0] == "alarms" && method == "POST" && name == "":
		return c.create(now, namespace, request, uid)
	case parts[0] == "alarms" && method == "DELETE":
		return c.delete(namespace, name)
	}
	verbs := map[string]string{"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
	return clockRefused(405, "MethodNotAllowed", parts[0], "", fmt.Sprintf("%s is not supported on resources of kind %q", verbs[method], qualified(parts[0])))
}

// clockResources are what it has, as discovery asks. Upstream: metav1.APIResourceList.
var clockResources = map[string]any{
	"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": clockGroupVersion,
	"resources": []map[string]any{
		{"name": "alarms", "singularName": "alarm", "namespaced": true, "kind": "Alarm", "verbs": []string{"create", "delete", "deletecollection", "get", "list"}},
		{"name": "times", "singularName": "time", "namespaced": false, "kind": "Time", "verbs": []string{"get", "list"}},
	},
}

func asksForTable(header map[string][]string) bool {
	return slices.ContainsFunc(header["Accept"], func(v string) bool { return strings.Contains(v, "as=Table") })
}

// read answers a get, or a list if there is no name.
func (c *clockAPI) read(now time.Time, resource, namespace, name string, table bool) (int, string) {
	items, rows := []any{}, []map[string]any{}
	add := func(object any, meta clockMetadata, cells ...string) {
		items = append(items, object)
		rows = append(rows, map[string]any{"cells": append([]string{meta.Name}, cells...),
			"object": map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": meta}})
	}
	kind := "Time"
	if resource == "times" {
		for _, z := range zones {
			if name == "" || name == z.name {
				t := clockTime{APIVersion: clockGroupVersion, Kind: "Time", Metadata: clockMetadata{Name: z.name}}
				t.Status.Zone, t.Status.Time = z.zone, now.UTC().Add(z.offset).Format("15:04:05")
				add(t, t.Metadata, t.Status.Zone, t.Status.Time)
			}
		}
	} else {
		kind = "Alarm"
		for _, a := range c.alarms {
			if (namespace == "" || a.Metadata.Namespace == namespace) && (name == "" || name == a.Metadata.Name) {
				now := a.at(now)
				add(now, now.Metadata, now.Spec.Zone, now.Spec.At, now.Status.RingsIn)
			}
		}
	}
	switch {
	case name != "" && len(items) == 0:
		return clockRefused(404, "NotFound", resource, name, fmt.Sprintf("%s %q not found", qualified(resource), name))
	case table:
		var columns []map[string]any
		for _, title := range clockColumns[resource] {
			format := ""
			if title == "Name" {
				format = "name"
			}
			columns = append(columns, map[string]any{"name": title, "type": "string", "format": format, "description": "", "priority": 0})
		}
		return 200, encoded(map[string]any{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{}, "columnDefinitions": columns, "rows": rows})
	case name != "":
		return 200, encoded(items[0])
	}
	return 200, encoded(map[string]any{"kind": kind + "List", "apiVersion": clockGroupVersion,
		"metadata": map[string]any{"resourceVersion": strconv.FormatInt(c.revision, 10)}, "items": items})
}

// at is the alarm with what only this moment can tell.
func (a *alarm) at(now time.Time) alarm {
	out := *a
	for _, z := range zones {
		if at, err := time.Parse("15:04", a.Spec.At); err == nil && z.name == a.Spec.Zone {
			there := now.UTC().Add(z.offset)
			rings := time.Date(there.Year(), there.Month(), there.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
			if rings.Before(there) {
				rings = rings.AddDate(0, 0, 1)
			}
			out.Status.RingsIn = rings.Sub(there).Truncate(time.Minute).String()
			out.Status.RingsIn = strings.TrimSuffix(out.Status.RingsIn, "0s")
		}
	}
	return out
}

func (c *clockAPI) create(now time.Time, namespace string, request Request, uid func() string) (int, string) {
	a := &alarm{}
	if err := json.Unmarshal([]byte(request.Body), a); err != nil {
		return clockRefused(400, "BadRequest", "", "", "the object provided is unrecognized: "+err.Error())
	}
	a.APIVersion, a.Kind, a.Metadata.Namespace = clockGroupVersion, "Alarm", namespace
	_, err := time.Parse("15:04", a.Spec.At)
	known := slices.ContainsFunc(zones, func(z zone) bool { return z.name == a.Spec.Zone })
	switch {
	case a.Metadata.Name == "" || namespace == "":
		return clockRefused(400, "BadRequest", "", "", "name and namespace must be provided")
	case !known || err != nil:
		return clockRefused(422, "Invalid", "alarms", a.Metadata.Name, fmt.Sprintf(
			"Alarm.clock.example.com %q is invalid: spec: write a zone (delhi, tokyo, utc) and a time: {zone: tokyo, at: %q}", a.Metadata.Name, "07:00"))
	}
	i, found := slices.BinarySearchFunc(c.alarms, a.Metadata, func(b *alarm, m clockMetadata) int {
		return strings.Compare(b.Metadata.Namespace+"/"+b.Metadata.Name, m.Namespace+"/"+m.Name)
	})
	if found {
		return clockRefused(409, "AlreadyExists", "alarms", a.Metadata.Name, fmt.Sprintf("%s %q already exists", qualified("alarms"), a.Metadata.Name))
	}
	c.revision++
	a.Metadata.UID, a.Metadata.ResourceVersion, a.Metadata.CreationTimestamp = uid(), strconv.FormatInt(c.revision, 10), now.UTC().Format(time.RFC3339)
	if user := request.Header["X-Remote-User"]; len(user) > 0 {
		a.Status.SetBy = user[0]
	}
	c.alarms = slices.Insert(c.alarms, i, a)
	return 201, encoded(a.at(now))
}

// delete takes an alarm away, or all of a namespace.
func (c *clockAPI) delete(namespace, name string) (int, string) {
	before := len(c.alarms)
	c.alarms = slices.DeleteFunc(c.alarms, func(a *alarm) bool {
		return a.Metadata.Namespace == namespace && (name == "" || name == a.Metadata.Name)
	})
	if name != "" && len(c.alarms) == before {
		return clockRefused(404, "NotFound", "alarms", name, fmt.Sprintf("%s %q not found", qualified("alarms"), name))
	}
	c.revision++
	return 200, encoded(map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Success",
		"details": map[string]any{"name": name, "group": "clock.example.com", "kind": "alarms"}})
}

func qualified(resource string) string { return resource + ".clock.example.com" }

// clockRefused is a Status.
func clockRefused(code int, reason, resource, name, message string) (int, string) {
	details := map[string]any{}
	if resource != "" {
		details = map[string]any{"name": name, "group": "clock.example.com", "kind": resource}
	}
	return code, encoded(map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure", "code": code,
		"reason": reason, "message": message, "details": details})
}

func encoded(v any) string {
	text, _ := json.Marshal(v) // texts, numbers and lists
	return string(text)
}
