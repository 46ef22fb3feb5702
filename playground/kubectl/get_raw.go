package kubectl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
)

// getRaw is kubectl get --raw: the GET request of a path, and the answer as it is.
//
// Simplified: paths of objects and lists only (no /healthz, no discovery, no OpenAPI), and managedFields are left out.
// Upstream: kubectl pkg/rawhttp/raw.go, RawGet; the checks are those of pkg/cmd/get/get.go, GetOptions.Validate.
func (s *session) getRaw(path string) error {
	switch {
	case len(s.args) > 0:
		return errors.New("arguments may not be passed when --raw is specified")
	case s.flags.has("output"):
		return errors.New("--raw and --output are mutually exclusive")
	}
	r, err := rawRequest(path)
	if err != nil {
		return err
	}
	got, err := s.do(r)
	if err != nil {
		return err
	}
	text, err := api.Encode(got)
	if err != nil {
		return err
	}
	s.printf("%s\n", text)
	return nil
}

// rawRequest reads /api/v1/… and /apis/GROUP/VERSION/…, then [namespaces/NS/]RESOURCE[/NAME][?PARAMETERS].
func rawRequest(path string) (*client.Request, error) {
	path, query, _ := strings.Cut(path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	r := &client.Request{Verb: client.List}
	switch {
	case len(parts) > 2 && parts[0] == "api":
		r.Resource.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		r.Resource.Group, r.Resource.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return nil, fmt.Errorf("path %q is absent here: ask for objects, as in /api/v1/namespaces/default/pods", path)
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		r.Namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 2 {
		r.Subresource = strings.Join(parts[2:], "/")
	}
	if len(parts) > 1 {
		r.Verb, r.Name = client.Get, parts[1]
	}
	r.Resource.Resource = parts[0]
	if api.KindForResource(r.Resource) == nil {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound,
			Message: "the server could not find the requested resource"}}
	}
	return r, rawParameters(r, query)
}

// rawParameters reads what stands behind the question mark.
func rawParameters(r *client.Request, query string) error {
	if query == "" {
		return nil
	}
	for _, p := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(p, "=")
		switch name {
		case "resourceVersion":
			r.List.ResourceVersion = value
		case "resourceVersionMatch":
			r.List.ResourceVersionMatch = metav1.ResourceVersionMatch(value)
		case "continue":
			r.List.Continue = value
		case "labelSelector":
			r.List.LabelSelector = value
		case "fieldSelector":
			r.List.FieldSelector = value
		case "limit":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return fmt.Errorf("parameter limit: %v", err)
			}
			r.List.Limit = n
		default:
			return fmt.Errorf("parameter %q is absent here", name)
		}
	}
	return nil
}
