//go:build !js || cel

package cluster

import (
	"errors"
	"strings"

	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/scheduler"
	"kubewalk/playground/controlplane/scheduler/dynamicresources"
	"kubewalk/playground/controlplane/scheduler/dynamicresources/structured"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/dra"
	"kubewalk/playground/sim"
)

func init() {
	newDynamicResources = func(c Config) scheduler.Plugin {
		return scheduler.Plugin{Name: dynamicresources.Name, NewArgs: dynamicresources.NewArgs, New: dynamicresources.NewFactory(c.deviceSelectors())}
	}
	newDeviceManager = func(component *sim.Component, cs *client.Clientset) kubelet.DynamicResources {
		return dra.New(component, cs)
	}
}

// deviceSelectors compiles for the scheduler what selects devices. Where nobody evaluates CEL, the API server has refused all of it.
func (c Config) deviceSelectors() func(expression string) (structured.Selector, error) {
	if cel.Installed == nil || !c.CEL && !evaluates() {
		return func(string) (structured.Selector, error) {
			return nil, errors.New("expressions in CEL are not evaluated in this cluster")
		}
	}
	var evaluator cel.Evaluator
	return func(expression string) (structured.Selector, error) {
		if evaluator == nil {
			evaluator = cel.Installed()
		}
		selector, err := evaluator.DeviceSelector(expression)
		if err != nil {
			return nil, err
		}
		return func(driver string, device *resourcev1.Device) (bool, error) {
			return selector.Matches(deviceForCEL(driver, device))
		}, nil
	}
}

// deviceForCEL is a device as expressions see it: a name without a domain is the driver's own.
// Upstream: dynamic-resource-allocation/cel/compile.go, DeviceMatches and getAttributeValue.
func deviceForCEL(driver string, device *resourcev1.Device) *cel.Device {
	out := &cel.Device{Driver: driver, AllowMultiple: device.AllowMultipleAllocations != nil && *device.AllowMultipleAllocations,
		Attributes: map[string]map[string]any{}, Capacity: map[string]map[string]resource.Quantity{}}
	split := func(name resourcev1.QualifiedName) (domain, id string) {
		if domain, id, qualified := strings.Cut(string(name), "/"); qualified {
			return domain, id
		}
		return driver, string(name)
	}
	for name, a := range device.Attributes { // order: each fills its own key
		domain, id := split(name)
		if out.Attributes[domain] == nil {
			out.Attributes[domain] = map[string]any{}
		}
		switch {
		case a.IntValue != nil:
			out.Attributes[domain][id] = *a.IntValue
		case a.BoolValue != nil:
			out.Attributes[domain][id] = *a.BoolValue
		case a.StringValue != nil:
			out.Attributes[domain][id] = *a.StringValue
		case a.VersionValue != nil:
			out.Attributes[domain][id] = cel.Version(*a.VersionValue)
		}
	}
	for name, c := range device.Capacity { // order: each fills its own key
		domain, id := split(name)
		if out.Capacity[domain] == nil {
			out.Capacity[domain] = map[string]resource.Quantity{}
		}
		out.Capacity[domain][id] = c.Value
	}
	return out
}
