package job

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
)

// matchPodFailurePolicy finds the first rule that a failed Pod matches. It returns
// why the Job fails, "" if it does not; whether the failure counts; and the
// rule's action, "" without one. Upstream: pod_failure_policy.go, matchPodFailurePolicy.
func matchPodFailurePolicy(policy *batchv1.PodFailurePolicy, pod *corev1.Pod) (failJob string, counts bool, action batchv1.PodFailurePolicyAction) {
	if policy == nil {
		return "", true, ""
	}
	for i := range policy.Rules {
		rule := &policy.Rules[i]
		message := ""
		if rule.OnExitCodes != nil {
			s := matchOnExitCodes(&pod.Status, rule.OnExitCodes)
			if s == nil {
				continue
			}
			message = fmt.Sprintf("Container %s for pod %s/%s failed with exit code %v matching %v rule at index %d",
				s.Name, pod.Namespace, pod.Name, s.State.Terminated.ExitCode, rule.Action, i)
		} else {
			c := matchOnPodConditions(&pod.Status, rule.OnPodConditions)
			if c == nil {
				continue
			}
			message = fmt.Sprintf("Pod %s/%s has condition %v matching %v rule at index %d", pod.Namespace, pod.Name, c.Type, rule.Action, i)
		}
		switch rule.Action {
		case batchv1.PodFailurePolicyActionIgnore:
			return "", false, rule.Action
		case batchv1.PodFailurePolicyActionFailIndex, batchv1.PodFailurePolicyActionCount:
			return "", true, rule.Action
		case batchv1.PodFailurePolicyActionFailJob:
			return message, true, rule.Action
		}
	}
	return "", true, ""
}

// getFailJobMessage is the message of the first failed Pod that a rule makes the
// Job fail for; "" without one.
func getFailJobMessage(job *batchv1.Job, pods []*corev1.Pod) string {
	if job.Spec.PodFailurePolicy == nil {
		return ""
	}
	for _, pod := range pods {
		if isPodFailed(pod, job) {
			if message, _, _ := matchPodFailurePolicy(job.Spec.PodFailurePolicy, pod); message != "" {
				return message
			}
		}
	}
	return ""
}

func matchOnExitCodes(status *corev1.PodStatus, r *batchv1.PodFailurePolicyOnExitCodesRequirement) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{status.ContainerStatuses, status.InitContainerStatuses} {
		for i := range list {
			s := &list[i]
			if s.State.Terminated == nil || s.State.Terminated.ExitCode == 0 || r.ContainerName != nil && *r.ContainerName != s.Name {
				continue // it runs still, or did well, or is not meant
			}
			in := slices.Contains(r.Values, s.State.Terminated.ExitCode)
			if in == (r.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn) {
				return s
			}
		}
	}
	return nil
}

func matchOnPodConditions(status *corev1.PodStatus, patterns []batchv1.PodFailurePolicyOnPodConditionsPattern) *corev1.PodCondition {
	for i := range status.Conditions {
		c := &status.Conditions[i]
		for _, pattern := range patterns {
			if c.Type == pattern.Type && c.Status == pattern.Status {
				return c
			}
		}
	}
	return nil
}
