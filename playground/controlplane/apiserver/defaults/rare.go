//go:build !js || cel

package defaults

import (
	"cmp"

	"kubewalk/playground/api"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/flowcontrolv1"
)

func init() { setRare = setRareKind }

// setRareKind fills in objects of kinds that not every server has.
// Upstream: pkg/apis/autoscaling/v1/defaults.go, pkg/apis/flowcontrol/v1/defaults.go.
func setRareKind(obj api.Object) {
	switch o := obj.(type) {
	case *autoscalingv1.HorizontalPodAutoscaler: // the rest is filled in once it is a v2
		orElse(&o.Spec.MinReplicas, 1)
	case *flowcontrolv1.FlowSchema:
		if o.Spec.MatchingPrecedence == 0 {
			o.Spec.MatchingPrecedence = 1000
		}
	case *flowcontrolv1.PriorityLevelConfiguration:
		setPriorityLevel(o)
	}
}

func setPriorityLevel(o *flowcontrolv1.PriorityLevelConfiguration) {
	if e := o.Spec.Exempt; e != nil {
		orElse(&e.NominalConcurrencyShares, 0)
		orElse(&e.LendablePercent, 0)
	}
	l := o.Spec.Limited
	if l == nil {
		return
	}
	orElse(&l.NominalConcurrencyShares, 30)
	orElse(&l.LendablePercent, 0)
	if q := l.LimitResponse.Queuing; q != nil {
		q.Queues, q.HandSize, q.QueueLengthLimit = cmp.Or(q.Queues, 64), cmp.Or(q.HandSize, 8), cmp.Or(q.QueueLengthLimit, 50)
	}
}
