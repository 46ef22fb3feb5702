package client

// Path is the path of the URL that a request goes to.
// Upstream: client-go rest/request.go, Request.URL.
func (r *Request) Path() string {
	b := "/apis/" + r.Resource.Group + "/" + r.Resource.Version
	if r.Resource.Group == "" {
		b = "/api/" + r.Resource.Version
	}
	if r.Namespace != "" {
		b += "/namespaces/" + r.Namespace
	}
	b += "/" + r.Resource.Resource
	if r.Name != "" {
		b += "/" + r.Name
	}
	if r.Subresource != "" {
		b += "/" + r.Subresource
	}
	return b
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
