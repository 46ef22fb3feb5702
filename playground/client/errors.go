package client

import "errors"

// ErrConnectionRefused is what a request to a server ends with that is not
// there: a Transport wraps it, so that its message reads as Go's net package
// puts it ("dial tcp 10.0.0.1:6443: connect: connection refused").
var ErrConnectionRefused = errors.New("connect: connection refused")

// ErrConnectionLost is what a request ends with that was on its way when the
// server went down. Whether it was carried out is unknown.
var ErrConnectionLost = errors.New("unexpected EOF")

// IsConnectionRefused tells whether the server was not there: nothing happened,
// and the same request may be sent again.
// Upstream: k8s.io/apimachinery/pkg/util/net IsConnectionRefused.
func IsConnectionRefused(err error) bool { return errors.Is(err, ErrConnectionRefused) }
