//go:build !js || cel

package cluster

import (
	"kubewalk/playground/controlplane/scheduler"
	schedulerconfig "kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/coscheduling"
	"kubewalk/playground/controlplane/scheduler/extender"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/nodevolumelimits"
)

func init() {
	outOfTree = append(outOfTree, scheduler.Plugin{Name: coscheduling.Name, NewArgs: coscheduling.NewArgs, New: coscheduling.New})
	outOfTree = append(outOfTree, scheduler.Plugin{Name: nodevolumelimits.Name, NewArgs: nodevolumelimits.NewArgs, New: nodevolumelimits.New})
	checkExtenders = schedulerconfig.ValidateExtenders
	newExtender = func(c SchedulerExtender, post poster) framework.Extender { return extender.New(c, post) }
}
