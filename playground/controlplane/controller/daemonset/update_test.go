package daemonset

import (
	"testing"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/intstr"
)

// TestAllowsSurge: what stands under rollingUpdate counts in a rolling update alone. Upstream: daemon/util/daemonset_util.go, SurgeCount.
func TestAllowsSurge(t *testing.T) {
	for _, c := range []struct {
		strategy appsv1.DaemonSetUpdateStrategyType
		surge    *intstr.IntOrString
		want     bool
	}{
		{appsv1.RollingUpdateDaemonSetStrategyType, new(intstr.FromInt32(1)), true},
		{appsv1.RollingUpdateDaemonSetStrategyType, new(intstr.FromString("10%")), true},
		{appsv1.RollingUpdateDaemonSetStrategyType, new(intstr.FromInt32(0)), false},
		{appsv1.RollingUpdateDaemonSetStrategyType, nil, false},
		{appsv1.OnDeleteDaemonSetStrategyType, new(intstr.FromInt32(1)), false},
	} {
		ds := &appsv1.DaemonSet{}
		ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: c.strategy, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: c.surge}}
		if got := AllowsSurge(ds); got != c.want {
			t.Errorf("%s, %v: %v", c.strategy, c.surge, got)
		}
	}
}
