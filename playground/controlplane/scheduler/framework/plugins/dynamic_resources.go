package plugins

import (
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// dynamicResources is the plugin where no ResourceClaims are served: a Pod that names
// one waits for ever, and there is never one to take back when no node fits, which is
// what the plugin then says. In clusters with devices, package dynamicresources replaces it.
// Upstream: plugins/dynamicresources/dynamicresources.go.
type dynamicResources struct{}

func newDynamicResources(config.Args, framework.Handle) (framework.Plugin, error) {
	return dynamicResources{}, nil
}

func (dynamicResources) Name() string { return DynamicResources }

func (dynamicResources) PreEnqueue(pod *corev1.Pod) *framework.Status {
	for _, c := range pod.Spec.ResourceClaims {
		switch {
		case c.ResourceClaimName != nil:
			return framework.NewStatus(framework.UnschedulableAndUnresolvable,
				fmt.Sprintf("resourceclaim %q not found", *c.ResourceClaimName))
		case c.ResourceClaimTemplateName != nil:
			return framework.NewStatus(framework.UnschedulableAndUnresolvable,
				fmt.Sprintf("pod %q: ResourceClaim not created yet", framework.Key(pod)))
		}
	}
	return nil
}

// PostFilter upstream deallocates claims that keep the Pod from other nodes.
func (dynamicResources) PostFilter(*sim.Proc, *framework.CycleState, *corev1.Pod, *framework.NodeToStatus) (*framework.PostFilterResult, *framework.Status) {
	return nil, framework.NewStatus(framework.Unschedulable, "no new claims to deallocate")
}

func (dynamicResources) EventsToRegister() []framework.ClusterEventWithHint { return nil }
