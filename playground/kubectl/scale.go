package kubectl

import (
	"encoding/json"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/client"
	"kubewalk/playground/sim"
)

// How often scale tries again after a conflict, and for how long.
// Upstream: kubectl pkg/cmd/scale/scale.go, RunScale.
const (
	retryInterval = time.Second
	retryTimeout  = 5 * time.Minute
)

// Scale is kubectl scale: a GET of the object, then a PATCH of its scale. With
// --current-replicas (current is not nil) the scale is read, compared and
// written back whole, so that nobody else can have changed it in between.
//
// Upstream: kubectl pkg/cmd/scale/scale.go RunScale, and pkg/scale/scale.go.
func (c Command) Scale(p *sim.Proc, resource, namespace, name string, replicas int32, current *int32) (string, error) {
	k, namespace, err := find(resource, namespace)
	if err != nil {
		return "", err
	}
	r := &client.Request{Resource: k.GroupVersionResource(), Namespace: namespace, Name: name}
	get := *r
	get.Verb = client.Get
	if _, err := c.transport.Do(p, &get); err != nil {
		return "", words(err, "")
	}
	r.Subresource, r.FieldManager = "scale", "kubectl-scale"
	for end := p.Now() + retryTimeout; ; p.Sleep(retryInterval) {
		if current == nil {
			err = c.patchScale(p, *r, replicas)
		} else {
			err = c.updateScale(p, *r, replicas, *current)
		}
		switch mismatch := (preconditionError{}); {
		case err == nil:
			return said(k, name, "scaled"), nil
		case asPrecondition(err, &mismatch):
			return "", mismatch
		case !apierrors.IsConflict(err):
			return "", words(err, "")
		case p.Now() >= end:
			return "", fmt.Errorf("error: timed out waiting for the condition")
		}
	}
}

func (c Command) patchScale(p *sim.Proc, r client.Request, replicas int32) error {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"replicas": replicas}})
	if err != nil {
		return err
	}
	r.Verb, r.PatchType, r.Patch = client.Patch, types.MergePatchType, patch
	_, err = c.transport.Do(p, &r)
	return err
}

func (c Command) updateScale(p *sim.Proc, r client.Request, replicas, current int32) error {
	get := r
	get.Verb = client.Get
	got, err := c.transport.Do(p, &get)
	if err != nil {
		return err
	}
	scale := got.(api.Object).DeepCopyObject().(*autoscalingv1.Scale)
	if scale.Spec.Replicas != current {
		return preconditionError{expected: current, actual: scale.Spec.Replicas}
	}
	scale.Spec.Replicas = replicas
	r.Verb, r.Object = client.Update, scale
	_, err = c.transport.Do(p, &r)
	return err
}

// preconditionError says that there are not as many replicas as was thought.
// Upstream: kubectl pkg/scale/scale.go, PreconditionError.
type preconditionError struct{ expected, actual int32 }

func (e preconditionError) Error() string {
	return fmt.Sprintf("error: Expected replicas to be %d, was %d", e.expected, e.actual)
}

func asPrecondition(err error, to *preconditionError) bool {
	e, ok := err.(preconditionError)
	*to = e
	return ok
}
