package corev1

import (
	"testing"

	"kubewalk/playground/api/resource"
)

func TestToleratesTaint(t *testing.T) {
	taint := Taint{Key: TaintNodeUnreachable, Value: "x", Effect: TaintEffectNoExecute}
	tests := []struct {
		tol  Toleration
		want bool
	}{
		{Toleration{Operator: TolerationOpExists}, true},
		{Toleration{Key: TaintNodeUnreachable, Operator: TolerationOpExists, Effect: TaintEffectNoExecute}, true},
		{Toleration{Key: TaintNodeUnreachable, Operator: TolerationOpExists, Effect: TaintEffectNoSchedule}, false},
		{Toleration{Key: TaintNodeUnreachable, Value: "x"}, true},
		{Toleration{Key: TaintNodeUnreachable, Value: "y"}, false},
		{Toleration{Key: "other", Operator: TolerationOpExists}, false},
		{Toleration{Key: TaintNodeUnreachable, Value: "1", Operator: TolerationOpGt}, false},
	}
	for _, tt := range tests {
		if got := tt.tol.ToleratesTaint(&taint); got != tt.want {
			t.Errorf("%+v tolerates %s: %v, want %v", tt.tol, taint.ToString(), got, tt.want)
		}
	}
	for taint, want := range map[Taint]string{
		{Key: "a"}: "a", {Key: "a", Value: "b"}: "a=b:", {Key: "a", Effect: "NoSchedule"}: "a:NoSchedule",
		{Key: "a", Value: "b", Effect: "NoSchedule"}: "a=b:NoSchedule",
	} {
		if got := taint.ToString(); got != want {
			t.Errorf("taint prints %s, want %s", got, want)
		}
	}
}

func TestResourceList(t *testing.T) {
	list := ResourceList{ResourceCPU: resource.MustParse("100m")}
	if list.Cpu().MilliValue() != 100 || !list.Memory().IsZero() || list.Memory().Format != resource.BinarySI {
		t.Errorf("cpu %s, memory %s", list.Cpu(), list.Memory())
	}
}
