package endpoints

import (
	"strings"
	"testing"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
)

// Whoever is refused for now is told when to ask again.
func TestRetryAfter(t *testing.T) {
	refused := &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 429, Reason: metav1.StatusReasonTooManyRequests}}
	if r := Failure(refused); r.Code != 429 || r.Header.Get("Retry-After") != "1" || strings.TrimSpace(string(r.Body)) != "Too many requests, please try again later." {
		t.Errorf("priority and fairness: %d %v %s", r.Code, r.Header, r.Body)
	}
	if r := Failure(apierrors.NewTooManyRequests("too many watches are open", 7)); r.Header.Get("Retry-After") != "7" {
		t.Errorf("with a time: %v", r.Header)
	}
	eviction := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
	if r := Failure(eviction); r.Header.Get("Retry-After") != "" || !strings.Contains(string(r.Body), "disruption budget") {
		t.Errorf("without one: %v %s", r.Header, r.Body)
	}
}
