package plugins

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// defaultBinder binds a Pod by creating its binding subresource. The UID in it
// makes sure that a Pod of the same name, created meanwhile, is not bound instead.
// Upstream: plugins/defaultbinder/default_binder.go.
type defaultBinder struct{ handle framework.Handle }

func newDefaultBinder(_ config.Args, h framework.Handle) (framework.Plugin, error) {
	return defaultBinder{h}, nil
}

func (defaultBinder) Name() string { return DefaultBinder }

func (pl defaultBinder) Bind(p *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	p.Logger().V(3).Info("Attempting to bind pod to node", "pod", framework.Key(pod), "node", nodeName)
	return framework.AsStatus(pl.handle.ClientSet().CoreV1().Pods(pod.Namespace).Bind(p, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: nodeName},
	}, metav1.CreateOptions{}))
}
