//go:build !js || cel

package cluster

import (
	"kubewalk/playground/controlplane/scheduler"
	schedulerconfig "kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/coscheduling"
	"kubewalk/playground/controlplane/scheduler/extender"
	"kubewalk/playground/controlplane/scheduler/framework"
)

func init() {
	outOfTree = append(outOfTree, scheduler.Plugin{Name: coscheduling.Name, NewArgs: coscheduling.NewArgs, New: coscheduling.New})
	checkExtenders = schedulerconfig.ValidateExtenders
	newExtender = func(c SchedulerExtender, post poster) framework.Extender { return extender.New(c, post) }
}
