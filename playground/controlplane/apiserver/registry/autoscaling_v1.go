//go:build !js || cel

package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/controlplane/apiserver/autoscaling"
)

func init() {
	storedOther = func(obj api.Object) api.Object {
		if v1, ok := obj.(*autoscalingv1.HorizontalPodAutoscaler); ok {
			return autoscaling.FromV1(v1)
		}
		return obj
	}
	servedOther = func(kind *api.Kind, obj api.Object) api.Object {
		if v2, ok := obj.(*autoscalingv2.HorizontalPodAutoscaler); ok && kind.GroupVersion() == (api.GroupVersion{Group: "autoscaling", Version: "v1"}) {
			return autoscaling.ToV1(v2)
		}
		return obj
	}
}
