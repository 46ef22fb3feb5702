package client

import (
	"errors"
	"strings"

	"kubewalk/playground/api/apierrors"
)

// ErrConnectionRefused is what a request to a server ends with that is not
// there: a Transport wraps it, so that its message reads as Go's net package
// puts it ("dial tcp 10.0.0.1:6443: connect: connection refused").
var ErrConnectionRefused = errors.New("connect: connection refused")

// ErrConnectionLost is what a request ends with that was on its way when the
// server went down. Whether it was carried out is unknown.
var ErrConnectionLost = errors.New("unexpected EOF")

// What a request ends with when no packet comes back: the connection is one that
// answers no ping any more, there is none to be had, or the client has waited
// for as long as it wanted to. Whether it was carried out is unknown, but for
// the second.
// Upstream: golang.org/x/net/http2 (30 s without a frame, and 15 s for a ping;
// HTTP2_READ_IDLE_TIMEOUT_SECONDS, HTTP2_PING_TIMEOUT_SECONDS of client-go), net.Dialer of 30 s
// in client-go/transport/cache.go, and context.
var (
	ErrHTTP2ConnectionLost = errors.New("http2: client connection lost")
	ErrDialTimeout         = errors.New("i/o timeout")
	ErrDeadlineExceeded    = errors.New("context deadline exceeded")
)

// IsTimeout tells whether a request ended without an answer in good time.
// Upstream: k8s.io/apimachinery/pkg/util/net IsTimeout.
func IsTimeout(err error) bool {
	return errors.Is(err, ErrDialTimeout) || errors.Is(err, ErrDeadlineExceeded) || errors.Is(err, ErrHTTP2ConnectionLost)
}

// IsConnectionRefused tells whether the server was not there: nothing happened,
// and the same request may be sent again.
// Upstream: k8s.io/apimachinery/pkg/util/net IsConnectionRefused.
func IsConnectionRefused(err error) bool { return errors.Is(err, ErrConnectionRefused) }

// NotServed adds what was asked for to the answer at a path that nothing is at.
// Upstream: apimachinery/pkg/api/errors/errors.go, NewGenericServerResponse.
func NotServed(r *Request, err error) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) || !apierrors.IsNotFound(err) || status.ErrStatus.Details == nil || status.ErrStatus.Details.Kind != "" {
		return err
	}
	out := *status
	about := strings.ToLower(r.Method()) + " " + r.Resource.GroupResource().String()
	if r.Name != "" {
		about += " " + r.Name
	}
	out.ErrStatus.Message += " (" + about + ")"
	return &out
}
