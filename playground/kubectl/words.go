package kubectl

import (
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
)

// sourceError says at what a command was with a manifest when it failed.
// Upstream: kubectl pkg/cmd/util/helpers.go, AddSourceToErr.
type sourceError struct {
	doing, source string
	err           error
}

func (e *sourceError) Error() string {
	return fmt.Sprintf("error when %s %q: %v", e.doing, e.source, e.err)
}

func (e *sourceError) Unwrap() error { return e.err }

// aggregate are several errors: a command goes on with the next object.
type aggregate []error

func (a aggregate) Error() string {
	var all []string
	for _, e := range a {
		all = append(all, e.Error())
	}
	if len(all) == 1 {
		return all[0]
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// orNil is nil when there are none.
func (a aggregate) orNil() error {
	switch len(a) {
	case 0:
		return nil
	case 1:
		return a[0]
	}
	return a
}

// message is what kubectl prints of an error, on standard error.
// Upstream: kubectl pkg/cmd/util/helpers.go, checkErr and StandardErrorMessage.
func message(err error) string {
	if all, ok := err.(aggregate); ok { // upstream: MultipleErrors
		var lines []string
		for _, e := range all {
			text, ok := standardMessage(e)
			if !ok {
				text = e.Error()
			}
			lines = append(lines, text)
		}
		return strings.Join(lines, "\n")
	}
	text, ok := standardMessage(err)
	if !ok {
		text = err.Error()
		if !strings.HasPrefix(text, "error: ") {
			text = "error: " + text
		}
	}
	return text
}

// standardMessage is the text of errors that kubectl knows.
func standardMessage(err error) (text string, ok bool) {
	var status *apierrors.StatusError
	source, _ := err.(*sourceError)
	if direct, ok := err.(*apierrors.StatusError); ok {
		status = direct
	} else if source != nil {
		status, _ = source.err.(*apierrors.StatusError)
	}
	if status != nil {
		s := status.ErrStatus
		if s.Reason == metav1.StatusReasonInvalid && s.Details != nil {
			return invalid(s), true
		}
		text := s.Message
		if source != nil {
			text = fmt.Sprintf("error when %s %q: %s", source.doing, source.source, text)
		}
		switch s.Reason {
		case "":
			return "Error from server: " + text, true
		case metav1.StatusReasonUnauthorized:
			return fmt.Sprintf("error: You must be logged in to the server (%s)", text), true
		}
		return fmt.Sprintf("Error from server (%s): %s", s.Reason, text), true
	}
	if client.IsConnectionRefused(err) || client.IsTimeout(err) || errors.Is(err, client.ErrConnectionLost) {
		return unreachable(err), true
	}
	switch err.(type) {
	case noMatch, configurationError, unsortable:
		return err.Error(), true
	}
	return "", false
}

// noMatch is a resource that there is not, where kubectl asks its RESTMapper.
// Upstream: kubectl pkg/cmd/util/helpers.go, StandardErrorMessage, of meta.NoResourceMatchError.
type noMatch struct{ resource, group string }

func (e noMatch) Error() string {
	if e.group == "" {
		return fmt.Sprintf("the server doesn't have a resource type %q", e.resource)
	}
	return fmt.Sprintf("the server doesn't have a resource type %q in group %q", e.resource, e.group)
}

// unreachable is for a request that nobody answered.
func unreachable(err error) string {
	if client.IsConnectionRefused(err) {
		return fmt.Sprintf("The connection to the server %s was refused - did you specify the right host or port?", host(err.Error()))
	}
	_, why, found := strings.Cut(err.Error(), `": `)
	if !found {
		why = err.Error()
	}
	return fmt.Sprintf("Unable to connect to the server: %s", why)
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
	var causes []string
	for _, c := range s.Details.Causes {
		text := c.Field + ": " + c.Message
		if c.Field == "" {
			text = c.Message
		}
		known := false
		for _, k := range causes {
			known = known || k == text
		}
		if !known {
			causes = append(causes, text)
		}
	}
	switch len(causes) {
	case 0:
		return head + ": " + s.Message
	case 1:
		return head + ": " + causes[0]
	}
	return head + ": \n* " + strings.Join(causes, "\n* ")
}
