package kubectl

import (
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
)

// words is what kubectl prints of a failed request. doing says what it was at
// ("creating") and appears in the message only where named is true.
//
// Upstream: k8s.io/kubectl/pkg/cmd/util helpers.go, checkErr and
// StandardErrorMessage, and cli-runtime's AddSourceToErr (which also names the
// manifest's file: ours have none).
func words(err error, doing string, named bool) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		return fmt.Errorf("The connection to the server was refused or lost: %v", err)
	}
	s := status.ErrStatus
	if s.Reason == metav1.StatusReasonInvalid && s.Details != nil {
		return errors.New(invalid(s))
	}
	message := s.Message
	if named {
		message = fmt.Sprintf("error when %s: %s", doing, message)
	}
	if s.Reason == "" {
		return fmt.Errorf("Error from server: %s", message)
	}
	return fmt.Errorf("Error from server (%s): %s", s.Reason, message)
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
