package client

import (
	"net/url"
	"slices"
	"strconv"

	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
)

// Path is the path of the URL that a request goes to.
// Upstream: client-go rest/request.go, Request.URL.
func (r *Request) Path() string {
	prefix, namespace, name, subresource := "/apis/"+r.Resource.Group+"/", "", "", ""
	if r.Resource.Group == "" {
		prefix = "/api/"
	}
	if r.Namespace != "" {
		namespace = "/namespaces/"
	}
	if r.Name != "" {
		name = "/"
	}
	if r.Subresource != "" {
		subresource = "/"
	}
	return prefix + r.Resource.Version + namespace + r.Namespace + "/" + r.Resource.Resource + name + r.Name + subresource + r.Subresource
}

// Query are the parameters of that URL: those that came with the request, or else what its options say, sorted by name.
// What a deletion's options say is in its body.
func (r *Request) Query() string {
	if r.RawQuery != "" {
		return r.RawQuery
	}
	q := url.Values{}
	set := func(key, value string) {
		if value != "" {
			q.Set(key, value)
		}
	}
	number := func(key string, n *int64) {
		if n != nil {
			q.Set(key, strconv.FormatInt(*n, 10))
		}
	}
	if r.Verb == Watch {
		q.Set("watch", "true")
	}
	set("fieldManager", r.FieldManager)
	set("fieldValidation", r.FieldValidation)
	if r.PatchType == types.ApplyPatchType {
		q.Set("force", strconv.FormatBool(r.Force))
	}
	if r.DryRun {
		q.Set("dryRun", metav1.DryRunAll)
	}
	set("labelSelector", r.List.LabelSelector)
	set("fieldSelector", r.List.FieldSelector)
	set("resourceVersion", r.List.ResourceVersion)
	set("resourceVersionMatch", string(r.List.ResourceVersionMatch))
	set("continue", r.List.Continue)
	if r.List.Limit > 0 {
		number("limit", &r.List.Limit)
	}
	number("timeoutSeconds", r.List.TimeoutSeconds)
	if log := r.Log; log != nil {
		set("container", log.Container)
		if log.Previous {
			q.Set("previous", "true")
		}
		number("tailLines", log.TailLines)
	}
	if r.Exec != nil {
		q["command"] = slices.Clone(r.Exec.Command)
		set("container", r.Exec.Container)
		q.Set("stdout", "true")
		q.Set("stderr", "true")
	}
	return q.Encode()
}

// Method is the HTTP method of a request.
// Upstream: client-go rest/client.go, RESTClient.Verb and what calls it.
func (r *Request) Method() string {
	switch r.Verb {
	case Create:
		return "POST"
	case Update:
		return "PUT"
	case Patch:
		return "PATCH"
	case Delete, DeleteCollection:
		return "DELETE"
	}
	return "GET"
}
