package apiserver

import (
	"errors"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/client"
)

// Bounds of what a request may carry, in bytes.
const (
	// maxRequestBodyBytes bounds what a client sends.
	// Upstream: apiserver/pkg/server/config.go, MaxRequestBodyBytes.
	maxRequestBodyBytes = 3 << 20
	// maxStoredBytes bounds what etcd takes.
	// Upstream: etcd server/embed/config.go, DefaultMaxRequestBytes.
	maxStoredBytes = 3 << 19
	// worthMeasuring is from which size on a request may lead to an object that
	// is too large. (What grows by smaller steps has bounds of its own: data, annotations.)
	worthMeasuring = 128 << 10
)

// init: the operations "copy" of a patch may double an object again and again.
// Upstream: apiserver/pkg/server/config.go, JSONPatchMaxCopyBytes.
func init() { jsonpatch.AccumulatedCopySizeLimit = maxRequestBodyBytes }

// tooLarge is why a request is not read. Upstream: endpoints/handlers/rest.go, limitedReadBody.
func tooLarge(r *client.Request) error {
	if len(r.Body) > maxRequestBodyBytes || len(r.Patch) > maxRequestBodyBytes {
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxRequestBodyBytes))
	}
	return nil
}

// errRequestTooLarge is etcd's. Upstream: etcd api/v3rpc/rpctypes/error.go, ErrRequestTooLarge.
var errRequestTooLarge = errors.New("etcdserver: request is too large")

// tooLargeToStore is why etcd does not take an object. Simplified: it is measured as JSON.
func tooLargeToStore(r *client.Request, obj api.Object) error {
	if len(r.Body)+len(r.Patch) < worthMeasuring {
		return nil
	}
	if text, err := api.Encode(obj); err == nil && len(text) > maxStoredBytes {
		return errRequestTooLarge
	}
	return nil
}
