package validation

import (
	"slices"

	"kubewalk/playground/api/corev1"
)

// allContainersCouldRestart tells whether some container's end may start all others again.
// Upstream: pkg/api/v1/pod/util.go, AllContainersCouldRestart.
func allContainersCouldRestart(spec *corev1.PodSpec) bool {
	for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range list {
			for _, rule := range list[i].RestartPolicyRules {
				if rule.Action == corev1.ContainerRestartRuleActionRestartAllContainers {
					return true
				}
			}
		}
	}
	return false
}

// containerShouldRestart tells whether a container that ended so is started again: by its own rules, its own policy, or the
// Pod's. Upstream: pkg/api/v1/pod/util.go, ContainerShouldRestart.
func containerShouldRestart(spec *corev1.PodSpec, name string, exitCode int32) bool {
	policy := spec.RestartPolicy
	for i := range spec.Containers {
		c := &spec.Containers[i]
		if c.Name != name || c.RestartPolicy == nil {
			continue
		}
		for _, rule := range c.RestartPolicyRules {
			if e := rule.ExitCodes; e != nil && slices.Contains(e.Values, exitCode) == (e.Operator == corev1.ContainerRestartRuleOnExitCodesOpIn) {
				return true
			}
		}
		policy = corev1.RestartPolicy(*c.RestartPolicy)
	}
	return policy == corev1.RestartPolicyAlways || policy == corev1.RestartPolicyOnFailure && exitCode != 0
}
