package plugins

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// dynamicResources speaks for ResourceClaims, whose devices nobody allocates here:
// a Pod that names one waits for ever, also where claims are served, and there is
// never one to take back when no node fits, which is what the plugin then says.
// Upstream: plugins/dynamicresources/dynamicresources.go, which allocates.
type dynamicResources struct{ handle framework.Handle }

func newDynamicResources(_ config.Args, h framework.Handle) (framework.Plugin, error) {
	return dynamicResources{h}, nil
}

// served says that the API server has claims.
func (pl dynamicResources) served() bool {
	return pl.handle != nil && pl.handle.ClientSet() != nil && pl.handle.ClientSet().Transport().Kinds().ForResource(
		api.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"}) != nil
}

func (dynamicResources) Name() string { return DynamicResources }

func (pl dynamicResources) PreEnqueue(pod *corev1.Pod) *framework.Status {
	for _, c := range pod.Spec.ResourceClaims {
		switch {
		case pl.served():
			return framework.NewStatus(framework.UnschedulableAndUnresolvable, "devices of ResourceClaims are not allocated in Kubewalk")
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
