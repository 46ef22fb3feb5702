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
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return fmt.Errorf("--raw must be a valid URL path: %w", err)
	}
	text, err := s.raw(u)
	if err != nil {
		return err
	}
	s.printf("%s\n", text)
	return nil
}

// raw is what the server answers to a GET request of a path.
func (s *session) raw(u *url.URL) (string, error) {
	r, err := requestinfo.Parse("GET", u.Path, u.Query())
	if err != nil {
		return "", err
	}
	var got any
	switch {
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
		if got, err = s.do(r); err != nil {
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
