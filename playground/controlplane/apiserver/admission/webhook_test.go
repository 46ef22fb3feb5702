package admission

import (
	"testing"

	"kubewalk/playground/api/metav1"
)

// TestDenied: what a webhook says of its refusal, or that it says nothing. Upstream: webhook/errors/statuserror_test.go.
func TestDenied(t *testing.T) {
	for want, status := range map[string]*metav1.Status{
		`admission webhook "a" denied the request without explanation`: nil,
		`admission webhook "a" denied the request: it stays`:           {Message: "it stays", Reason: metav1.StatusReasonForbidden},
		`admission webhook "a" denied the request: Forbidden`:          {Reason: metav1.StatusReasonForbidden},
	} {
		if err := denied("a", status); err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
