package customresource

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
)

func trimDot(path string) string { return strings.TrimPrefix(path, ".") }

// nested is what is at a path such as ".spec.replicas".
func nested(fields map[string]any, path string) any {
	var v any = fields
	for _, name := range strings.Split(trimDot(path), ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// count is a whole number at a path, 0 if nothing is there.
// Upstream: apimachinery/pkg/apis/meta/v1/unstructured/helpers.go, NestedInt64.
func count(fields map[string]any, path string) (n int64, found bool, err error) {
	v := nested(fields, path)
	if v == nil {
		return 0, false, nil
	}
	if number, ok := v.(json.Number); ok {
		if n, err := strconv.ParseInt(string(number), 10, 64); err == nil {
			return n, true, nil
		}
	}
	return 0, false, fmt.Errorf("%s accessor error: %v is of the type %s, expected int64", path, v, goType(v))
}

func goType(v any) string {
	switch v.(type) {
	case json.Number:
		return "float64"
	case map[string]any:
		return "map[string]interface {}"
	case []any:
		return "[]interface {}"
	}
	return fmt.Sprintf("%T", v)
}

func (r *Resource) validateScale(obj *api.Unstructured) field.ErrorList {
	var errs field.ErrorList
	if r.version.Subresources == nil || r.version.Subresources.Scale == nil {
		return nil
	}
	scale := r.version.Subresources.Scale
	for _, path := range []string{scale.SpecReplicasPath, scale.StatusReplicasPath} {
		switch n, _, err := count(obj.Fields, path); {
		case err != nil:
			errs = append(errs, field.Invalid(field.NewPath(path), n, err.Error()))
		case n < 0:
			errs = append(errs, field.Invalid(field.NewPath(path), n, "should be a non-negative integer"))
		case n > math.MaxInt32:
			errs = append(errs, field.Invalid(field.NewPath(path), n, fmt.Sprintf("should be less than or equal to %v", math.MaxInt32)))
		}
	}
	if path := scale.LabelSelectorPath; path != nil {
		if v := nested(obj.Fields, *path); v != nil {
			if _, ok := v.(string); !ok {
				errs = append(errs, field.Invalid(field.NewPath(*path), "", fmt.Sprintf("%s accessor error: %v is of the type %s, expected string", *path, v, goType(v))))
			}
		}
	}
	return errs
}

// Scale is the scale of an object.
// Upstream: pkg/registry/customresource/etcd.go, ScaleREST.Get and scaleFromCustomResource.
func (r *Resource) Scale(obj *api.Unstructured) (*autoscalingv1.Scale, error) {
	paths := r.version.Subresources.Scale
	spec, found, err := count(obj.Fields, paths.SpecReplicasPath)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", paths.SpecReplicasPath))
	}
	status, _, err := count(obj.Fields, paths.StatusReplicasPath)
	if err != nil {
		return nil, err
	}
	scale := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: obj.Name, Namespace: obj.Namespace, UID: obj.UID, ResourceVersion: obj.ResourceVersion, CreationTimestamp: obj.CreationTimestamp,
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(spec)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(status)},
	}
	if paths.LabelSelectorPath != nil {
		scale.Status.Selector, _ = nested(obj.Fields, *paths.LabelSelectorPath).(string)
	}
	return scale, nil
}

// SetReplicas writes the replicas of a scale into an object, which is changed.
func (r *Resource) SetReplicas(obj *api.Unstructured, replicas int32) {
	names := strings.Split(trimDot(r.version.Subresources.Scale.SpecReplicasPath), ".")
	at := obj.Fields
	for _, name := range names[:len(names)-1] {
		inner, ok := at[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[name] = inner
		}
		at = inner
	}
	at[names[len(names)-1]] = json.Number(strconv.Itoa(int(replicas)))
}
