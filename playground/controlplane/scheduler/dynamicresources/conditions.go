package dynamicresources

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// What is wrong with binding conditions. Upstream: ErrDeviceBindingTimeout and ErrDeviceBindingFailed.
var (
	errBindingTimeout = errors.New("device binding timeout")
	errBindingFailed  = errors.New("device binding failed")
)

// bindingPeriod is how often it is seen whether conditions are met. Upstream: PreBind.
const bindingPeriod = 5 * time.Second

// waitForBindingConditions has a Pod wait until the devices that it was given are ready, if they say when that is; upstream's own words for it
// are binding conditions. Simplified: a Pod whose place is taken meanwhile ends to wait within a second. Upstream: PreBind, its second half.
func (pl *plugin) waitForBindingConditions(p *sim.Proc, s *state, pod *corev1.Pod, nodeName string) *framework.Status {
	if !slices.ContainsFunc(s.claims, func(c *claimState) bool { return hasBindingConditions(c.claim) }) {
		return nil
	}
	pl.handle.EventRecorder().Eventf(pod, nil, corev1.EventTypeNormal, "BindingConditionsPending", "Scheduling",
		"waiting for binding conditions for device on node %s", nodeName)
	for waited := time.Duration(0); waited < pl.bindingTimeout; {
		ready, err := pl.isPodReadyForBinding(p, s)
		if err != nil {
			return framework.AsStatus(err)
		}
		if ready {
			p.Logger().V(5).Info("BindingConditions is met", "pod", framework.Key(pod), "node", nodeName, "devices", devicesWithConditions(s))
			return nil
		}
		for next := min(waited+bindingPeriod, pl.bindingTimeout); waited < next; {
			step := min(time.Second, next-waited)
			p.Sleep(step)
			waited += step
			if in := pl.handle.GetPodInPreBind(pod.UID); in != nil && in.Canceled() != nil {
				return framework.AsStatus(in.Canceled())
			}
		}
	}
	return framework.AsStatus(fmt.Errorf("%w: context deadline exceeded", errBindingTimeout))
}

// isPodReadyForBinding looks at all claims as they are now. Upstream: the same name.
func (pl *plugin) isPodReadyForBinding(p *sim.Proc, s *state) (bool, error) {
	for _, c := range s.claims {
		if c.extended && c.allocation == nil {
			continue // the node has the resources by itself
		}
		claim, err := pl.manager.claims.Get(key(c.claim), c.claim.Name)
		if err != nil {
			return false, err
		}
		c.claim = claim // for Unreserve
		ready, err := isClaimReadyForBinding(claim)
		switch {
		case err != nil:
			return false, err
		case !ready && pl.isClaimTimeout(p, claim):
			return false, fmt.Errorf("%w: claim=%s", errBindingTimeout, claim.Name)
		case !ready:
			return false, nil
		}
	}
	return true, nil
}

func hasBindingConditions(claim *resourcev1.ResourceClaim) bool {
	return claim.Status.Allocation != nil && slices.ContainsFunc(claim.Status.Allocation.Devices.Results,
		func(r resourcev1.DeviceRequestAllocationResult) bool { return len(r.BindingConditions) > 0 })
}

// isClaimReadyForBinding says whether all devices of a claim are ready; it is an error that one never will be. Upstream: the same name.
func isClaimReadyForBinding(claim *resourcev1.ResourceClaim) (bool, error) {
	if claim.Status.Allocation == nil {
		return false, nil
	}
	for i := range claim.Status.Allocation.Devices.Results {
		r := &claim.Status.Allocation.Devices.Results[i]
		if len(r.BindingConditions) == 0 {
			continue
		}
		conditions := deviceConditions(claim, r)
		for _, failure := range r.BindingFailureConditions {
			if c := find(conditions, failure); c != nil && c.Status == metav1.ConditionTrue {
				return false, fmt.Errorf("%w: claim=%s, reason=%s, message=%q", errBindingFailed, claim.Name, c.Reason, c.Message)
			}
		}
		for _, name := range r.BindingConditions {
			if c := find(conditions, name); c == nil || c.Status != metav1.ConditionTrue {
				return false, nil
			}
		}
	}
	return true, nil
}

// deviceConditions are what a claim's status says of a device. Upstream: getAllocatedDeviceStatus.
func deviceConditions(claim *resourcev1.ResourceClaim, r *resourcev1.DeviceRequestAllocationResult) []metav1.Condition {
	for i := range claim.Status.Devices {
		if d := &claim.Status.Devices[i]; d.Device == r.Device && d.Driver == r.Driver && d.Pool == r.Pool {
			return d.Conditions
		}
	}
	return nil
}

func find(conditions []metav1.Condition, name string) *metav1.Condition {
	if i := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == name }); i >= 0 {
		return &conditions[i]
	}
	return nil
}

// isClaimTimeout says that a claim has waited too long for its conditions. Upstream: the same name.
func (pl *plugin) isClaimTimeout(p *sim.Proc, claim *resourcev1.ResourceClaim) bool {
	a := claim.Status.Allocation
	return hasBindingConditions(claim) && a.AllocationTimestamp != nil && a.AllocationTimestamp.Time.Add(pl.bindingTimeout).Before(p.Time())
}

// devicesWithConditions names the devices for whose conditions a Pod has waited. Upstream: bindingConditionsStatusFormatter.
func devicesWithConditions(s *state) string {
	var out []string
	for _, c := range s.claims {
		if !hasBindingConditions(c.claim) {
			continue
		}
		for _, r := range c.claim.Status.Allocation.Devices.Results {
			if len(r.BindingConditions) > 0 {
				out = append(out, fmt.Sprintf("<driver=%s, pool=%s> %s", r.Driver, r.Pool, r.Device))
			}
		}
	}
	return strings.Join(out, "; ")
}
