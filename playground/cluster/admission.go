package cluster

import (
	"slices"

	"kubewalk/playground/apiserver"
	"kubewalk/playground/controller/nodelifecycle"
	"kubewalk/playground/controller/persistentvolume/protection"
	"kubewalk/playground/controller/rootca"
	"kubewalk/playground/controller/serviceaccount"
)

// finishers are the controllers that finish what a plugin of admission begins. Without them the plugin does not run: Pods
// would wait for an account that nobody makes, and claims for somebody who lets them go.
var finishers = map[string][]string{
	"ServiceAccount":               {serviceaccount.Name, rootca.Name},
	"TaintNodesByCondition":        {nodelifecycle.Name},
	"StorageObjectInUseProtection": {protection.PVName, protection.PVCName},
}

// disabledAdmissionPlugins are those of a configuration that runs some controllers only.
func (c Config) disabledAdmissionPlugins() []string {
	running := c.controllers()
	return slices.DeleteFunc(apiserver.Awaiting(), func(plugin string) bool {
		for _, name := range finishers[plugin] {
			if !slices.Contains(running, name) {
				return false
			}
		}
		return true
	})
}
