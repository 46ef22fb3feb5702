package kubectl

import (
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/client"
)

// words is what kubectl prints of a failed request. doing says what it was at
// with a manifest ("creating"); it is "" for commands that have none.
//
// Upstream: k8s.io/kubectl/pkg/cmd/util/helpers.go, checkErr and
// StandardErrorMessage, and AddSourceToErr.
func words(err error, doing string) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		return unreachable(err)
	}
	s := status.ErrStatus
	if s.Reason == metav1.StatusReasonInvalid && s.Details != nil {
		return errors.New(invalid(s))
	}
	message := s.Message
	if doing != "" {
		message = fmt.Sprintf("error when %s %q: %s", doing, stdin, message)
	}
	if s.Reason == "" {
		return fmt.Errorf("Error from server: %s", message)
	}
	return fmt.Errorf("Error from server (%s): %s", s.Reason, message)
}

// unreachable is for a request that nobody answered.
func unreachable(err error) error {
	if client.IsConnectionRefused(err) {
		return fmt.Errorf("The connection to the server %s was refused - did you specify the right host or port?", host(err.Error()))
	}
	_, why, found := strings.Cut(err.Error(), `": `)
	if !found {
		why = err.Error()
	}
	return fmt.Errorf("Unable to connect to the server: %s", why)
}

// host finds the server's address in an error of the wire: Get "https://10.0.0.1:6443/api/v1/…": …
func host(message string) string {
	_, url, found := strings.Cut(message, "://")
	if !found {
		return "kubernetes"
	}
	address, _, _ := strings.Cut(url, "/")
	return address
}

func invalid(s metav1.Status) string {
	head := fmt.Sprintf("The %s %q is invalid", s.Details.Kind, s.Details.Name)
	if s.Details.Kind == "" && s.Details.Name == "" {
		head = "The request is invalid"
	}
	switch causes := s.Details.Causes; len(causes) {
	case 0:
		return head + ": " + s.Message
	case 1:
		return head + ": " + cause(causes[0])
	default:
		var b strings.Builder
		b.WriteString(head + ": ")
		for _, c := range causes {
			b.WriteString("\n* " + cause(c))
		}
		return b.String()
	}
}

func cause(c metav1.StatusCause) string {
	if c.Field == "" {
		return c.Message
	}
	return c.Field + ": " + c.Message
}
