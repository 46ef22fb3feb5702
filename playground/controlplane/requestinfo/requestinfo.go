// Package requestinfo reads what an HTTP request asks of the API server: a path, a query and a body become a
// client.Request. Hosts that speak HTTP use it, and kubectl for get --raw.
//
// Absent: bodies in CBOR.
//
// Upstream: apiserver/pkg/endpoints/request/requestinfo.go, RequestInfoFactory.NewRequestInfo; the options are those of
// apimachinery/pkg/apis/meta/v1 and api/core/v1, converted from url.Values.
package requestinfo

import (
	"net/url"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
)

// Parse reads a request's method, path (not escaped) and query. It returns nil for a path that is about no resource: the
// root, discovery, /healthz. The error is an *apierrors.StatusError.
func Parse(method, path string, query url.Values) (*client.Request, error) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	r := &client.Request{RawQuery: query.Encode()}
	switch {
	case len(parts) > 2 && parts[0] == "api":
		r.Resource.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		r.Resource.Group, r.Resource.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return nil, nil
	}
	watch := parts[0] == "watch" && len(parts) > 1 // the old way to say ?watch=true
	if watch {
		parts = parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		r.Namespace, parts = parts[1], parts[2:]
	}
	r.Resource.Resource = parts[0]
	if len(parts) > 1 {
		r.Name = parts[1]
	}
	if len(parts) > 2 {
		r.Subresource = strings.Join(parts[2:], "/")
	}
	q := &reader{values: query}
	if err := setVerb(r, method, watch || q.boolean("watch")); err != nil {
		return nil, err
	}
	readOptions(r, q)
	return r, q.err
}

// setVerb says what the method means at such a path.
func setVerb(r *client.Request, method string, watch bool) error {
	switch method {
	case "GET", "HEAD":
		switch {
		case watch:
			r.Verb = client.Watch
		case r.Name == "":
			r.Verb = client.List
		default:
			r.Verb = client.Get
		}
	case "POST":
		r.Verb = client.Create
	case "PUT":
		r.Verb = client.Update
	case "PATCH":
		r.Verb = client.Patch
	case "DELETE":
		r.Verb = client.Delete
		if r.Name == "" {
			r.Verb = client.DeleteCollection
		}
	case "OPTIONS":
		if name, _, _ := strings.Cut(r.Subresource, "/"); name == "proxy" { // it is the Pod's; the verb is "", as upstream has it
			break
		}
		fallthrough
	default:
		return apierrors.NewMethodNotSupported(api.GroupResource{Group: r.Resource.Group, Resource: r.Resource.Resource}, strings.ToLower(method))
	}
	return nil
}

// readOptions reads the query's parameters, of which each verb has its own. Others are ignored, as upstream does.
func readOptions(r *client.Request, q *reader) {
	switch r.Verb {
	case client.Get:
		if r.Subresource == "log" {
			r.Log = readLogOptions(q)
		}
	case client.Watch, client.List, client.DeleteCollection:
		readListOptions(&r.List, q)
		if r.Verb == client.Watch && r.Name != "" { // of one object: it is a watch of a list that holds it
			r.List.FieldSelector = strings.Trim(r.List.FieldSelector+",metadata.name="+r.Name, ",")
			r.Name = ""
		}
	}
	switch r.Verb {
	case client.Create, client.Update, client.Patch:
		r.FieldManager = q.text("fieldManager")
		r.FieldValidation = q.text("fieldValidation")
		if r.FieldValidation == "" {
			r.FieldValidation = metav1.FieldValidationWarn
		}
		r.Force = q.boolean("force")
		r.DryRun = q.dryRun(optionsOf[r.Verb])
	case client.Delete, client.DeleteCollection:
		r.Delete.GracePeriodSeconds = q.integer("gracePeriodSeconds")
		if v := q.text("propagationPolicy"); v != "" {
			policy := metav1.DeletionPropagation(v)
			r.Delete.PropagationPolicy = &policy
		}
		if _, ok := q.values["orphanDependents"]; ok {
			orphan := q.boolean("orphanDependents")
			r.Delete.OrphanDependents = &orphan
		}
		r.Delete.DryRun = q.values["dryRun"]
	}
	if r.Subresource == "exec" || r.Subresource == "attach" {
		r.Exec = &client.ExecOptions{Container: q.text("container"), Command: slices.Clone(q.values["command"]),
			Stdin: q.boolean("stdin"), Stdout: q.boolean("stdout"), Stderr: q.boolean("stderr"), TTY: q.boolean("tty")}
	}
}

// optionsOf are the kinds of the options of writes, as errors name them.
var optionsOf = map[string]string{client.Create: "CreateOptions", client.Update: "UpdateOptions", client.Patch: "PatchOptions"}

// readListOptions is upstream's metav1.ListOptions from a query.
func readListOptions(o *metav1.ListOptions, q *reader) {
	o.LabelSelector, o.FieldSelector = q.text("labelSelector"), q.text("fieldSelector")
	o.ResourceVersion, o.ResourceVersionMatch = q.text("resourceVersion"), metav1.ResourceVersionMatch(q.text("resourceVersionMatch"))
	o.Continue = q.text("continue")
	o.AllowWatchBookmarks = q.boolean("allowWatchBookmarks")
	if n := q.integer("limit"); n != nil {
		o.Limit = *n
	}
	o.TimeoutSeconds = q.integer("timeoutSeconds")
	if _, ok := q.values["sendInitialEvents"]; ok {
		send := q.boolean("sendInitialEvents")
		o.SendInitialEvents = &send
	}
}

// readLogOptions is upstream's v1.PodLogOptions from a query.
func readLogOptions(q *reader) *corev1.PodLogOptions {
	return &corev1.PodLogOptions{
		Container: q.text("container"), Follow: q.boolean("follow"), Previous: q.boolean("previous"), Timestamps: q.boolean("timestamps"),
		SinceSeconds: q.integer("sinceSeconds"), SinceTime: q.time("sinceTime"), TailLines: q.integer("tailLines"), LimitBytes: q.integer("limitBytes"),
	}
}

// The media types of bodies.
const (
	JSON = "application/json"
	YAML = "application/yaml"
)

// SetBody gives a request its body, which is JSON whatever its type says: a host turns YAML and protobuf into JSON first. contentType is
// the header, "" where there is none.
// Upstream: endpoints/handlers/create.go, patch.go and delete.go, where they read the body.
func SetBody(r *client.Request, contentType string, body []byte) error {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	switch r.Verb {
	case client.Create, client.Update:
		if !isObject(media) {
			return unsupported(JSON, YAML)
		}
		if r.Subresource == "exec" || r.Subresource == "attach" || r.Subresource == "portforward" {
			return nil
		}
		r.Body = body
	case client.Patch:
		r.PatchType, r.Patch = types.PatchType(media), body
	case client.Delete, client.DeleteCollection:
		if len(body) == 0 {
			return nil
		}
		if !isObject(media) {
			return unsupported(JSON, YAML)
		}
		var options metav1.DeleteOptions
		if _, err := api.DecodeInto(body, &options); err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
		if options.DryRun == nil {
			options.DryRun = r.Delete.DryRun
		}
		r.Delete = options
	}
	return nil
}

func isObject(media string) bool { return media == "" || media == JSON || media == YAML }

// unsupported is the answer to a body of a type that nobody here reads.
// Upstream: endpoints/handlers/negotiation/errors.go, NewUnsupportedMediaTypeError.
func unsupported(accepted ...string) error { return apierrors.NewUnsupportedMediaType(accepted) }
