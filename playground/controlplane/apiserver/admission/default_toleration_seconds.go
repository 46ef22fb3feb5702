package admission

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
)

// defaultTolerationSeconds lets Pods stay five minutes on a node that fails.
// Upstream: plugin/pkg/admission/defaulttolerationseconds/admission.go, Plugin.Admit.
type defaultTolerationSeconds struct{}

const defaultTolerationPeriod = int64(300)

func (defaultTolerationSeconds) Name() string { return "DefaultTolerationSeconds" }

func (d defaultTolerationSeconds) Admit(_ *sim.Proc, a *Attributes) error {
	pod, _ := a.Object.(*corev1.Pod)
	if pod == nil || a.Subresource != "" || a.Operation != Create && a.Operation != Update { // who leaves them out in an update has them again
		return nil
	}
	has := map[string]bool{}
	for _, t := range pod.Spec.Tolerations {
		if t.Effect != corev1.TaintEffectNoExecute && t.Effect != "" {
			continue
		}
		if t.Key == "" {
			has[corev1.TaintNodeNotReady], has[corev1.TaintNodeUnreachable] = true, true
		}
		has[t.Key] = true
	}
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if !has[key] {
			seconds := defaultTolerationPeriod
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
			a.changed(d)
		}
	}
	return nil
}
