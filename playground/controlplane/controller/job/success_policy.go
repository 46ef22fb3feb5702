package job

import (
	"fmt"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// matchSuccessPolicy tells whether the indexes that succeeded are enough for one
// of the rules. Upstream: success_policy.go, matchSuccessPolicy.
func matchSuccessPolicy(log sim.Logger, policy *batchv1.SuccessPolicy, completions int, succeeded orderedIntervals) (string, bool) {
	if policy == nil || len(succeeded) == 0 {
		return "", false
	}
	for i := range policy.Rules {
		rule := &policy.Rules[i]
		met := false
		if rule.SucceededIndexes != nil {
			required, err := parseIndexesFromString(*rule.SucceededIndexes, completions)
			if err != nil {
				controller.HandleError(log, err, "SucceededIndexes couldn't be parsed", "succeededIndexes", *rule.SucceededIndexes)
				continue
			}
			met = matchSucceededIndexesRule(required, succeeded, rule.SucceededCount)
		} else if rule.SucceededCount != nil {
			met = succeeded.total() >= int(*rule.SucceededCount)
		}
		if met {
			return fmt.Sprintf("Matched rules at index %d", i), true
		}
	}
	return "", false
}

// matchSucceededIndexesRule asks for all of the required indexes or, with a
// count, for so many of them.
func matchSucceededIndexesRule(required, succeeded orderedIntervals, count *int32) bool {
	n := 0
	for _, v := range required {
		for ix := v.first; ix <= v.last; ix++ {
			if succeeded.has(ix) {
				n++
			}
		}
	}
	if count == nil {
		return n == required.total()
	}
	return n >= int(*count)
}

func isSuccessCriteriaMet(c *batchv1.JobCondition) bool {
	return c != nil && c.Type == batchv1.JobSuccessCriteriaMet
}
