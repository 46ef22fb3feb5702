package kubectl

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/discovery"
	"kubewalk/playground/controlplane/requestinfo"
)

// getRaw is kubectl get --raw: the GET request of a path, and the answer as it is.
//
// Simplified: /metrics and OpenAPI are absent, and managedFields are left out.
// Upstream: kubectl pkg/rawhttp/raw.go, RawGet; the checks are those of pkg/cmd/get/get.go, GetOptions.Validate.
func (s *session) getRaw(path string) error {
	switch {
	case len(s.args) > 0:
		return errors.New("arguments may not be passed when --raw is specified")
	case s.flags.has("output"):
		return errors.New("--raw and --output are mutually exclusive")
	}
	return s.rawRequest("GET", path)
}

// rawFlags refuses what does not go with --raw where it sends a manifest. Upstream: create.go, replace.go and delete.go, Validate.
func (s *session) rawFlags() error {
	switch n := len(s.flags.all("filename")); {
	case n > 1 || n == 0 && s.name != "delete":
		return errors.New("--raw can only use a single local file or stdin")
	case s.flags.yes("recursive"):
		return errors.New("--raw and --recursive are mutually exclusive")
	case s.flags.has("output"):
		return errors.New("--raw and --output are mutually exclusive")
	}
	return nil
}

// rawRequest sends a request to a path, with what -f reads as its body, and prints the answer.
func (s *session) rawRequest(method, path string) error {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return fmt.Errorf("--raw must be a valid URL path: %w", err)
	}
	if method != "GET" {
		if err := s.rawFlags(); err != nil {
			return err
		}
	}
	text, err := s.raw(method, u)
	if err != nil {
		return err
	}
	s.printf("%s\n", text)
	return nil
}

// raw is what the server answers to a request of a path.
func (s *session) raw(method string, u *url.URL) (string, error) {
	r, err := requestinfo.Parse(method, u.Path, u.Query())
	if err != nil {
		return "", err
	}
	var got any
	switch {
	case r == nil && method != "GET":
		return "", errNoPath
	case r == nil:
		if text, err := s.health(u); text != "" || err != nil {
			return text, err
		}
		var ok bool
		if s.api().Unavailable(u.Path) {
			return "", &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 503, Reason: metav1.StatusReasonServiceUnavailable,
				Message: "the server is currently unable to handle the request"}}
		}
		if got, ok = s.api().At(strings.TrimSuffix(u.Path, "/"), "10.0.0.1:6443"); !ok {
			return "", errNoPath
		}
	case s.known(func(kinds api.KindSet) *api.Kind { return kinds.ForResource(r.Resource) }) == nil:
		return "", errNoPath
	default:
		if r.Verb == client.Create || r.Verb == client.Update {
			r.Body = s.stdin
		}
		got, err = s.do(r)
		var status *apierrors.StatusError
		if errors.As(err, &status) && status.ErrStatus.Code == 404 && status.ErrStatus.Details != nil && status.ErrStatus.Details.Kind == "" {
			err = errNoPath // of which kind something was asked for, --raw does not know
		}
		if err != nil {
			return "", err
		}
	}
	if list, is := got.(api.List); is {
		got = api.WithoutItemKinds(list)
	}
	text, err := api.Encode(got)
	return string(text), err
}

// health is what the server says of itself at /readyz and its like; "" is that it is another path. Whether etcd answers shows when the
// server reads from it.
func (s *session) health(u *url.URL) (string, error) {
	if code, _ := discovery.Health(u.Path, u.Query(), true); code == 0 {
		return "", nil
	}
	r, err := requestinfo.Parse("GET", "/api/v1/namespaces/"+metav1.NamespaceSystem, nil)
	if err == nil {
		_, err = s.do(r)
	}
	if err != nil && apierrors.ReasonForError(err) == "" {
		return "", err
	}
	code, text := discovery.Health(u.Path, u.Query(), err == nil || apierrors.IsNotFound(err))
	if code != 200 {
		return "", &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonInternalError,
			Message: "an error on the server (" + strconv.Quote(strings.TrimSpace(text)) + ") has prevented the request from succeeding"}}
	}
	return strings.TrimSuffix(text, "\n"), nil
}

// errNoPath is the answer to a path at which nothing is.
var errNoPath = &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound,
	Message: "the server could not find the requested resource"}}
