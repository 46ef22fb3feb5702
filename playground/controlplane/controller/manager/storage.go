package manager

import (
	"kubewalk/playground/controlplane/controller/persistentvolume"
	"kubewalk/playground/controlplane/controller/persistentvolume/protection"
	"kubewalk/playground/controlplane/controller/persistentvolume/provisioner"
	"kubewalk/playground/sim"
)

// The controllers of storage. Upstream: cmd/kube-controller-manager/app/core.go.
// The provisioner is no part of a controller manager; it is started with the
// others so that a cluster can make volumes.

func newPersistentVolumeBinderController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	return persistentvolume.NewController(ctx.Component, ctx.Client, core.PersistentVolumes(), core.PersistentVolumeClaims(),
		ctx.InformerFactory.Storage().V1().StorageClasses(), core.Pods()).Run
}

func newPersistentVolumeClaimProtectionController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	return protection.NewPVCProtectionController(ctx.Component, ctx.Client, core.PersistentVolumeClaims(), core.Pods()).Run
}

func newPersistentVolumeProtectionController(ctx ControllerContext) func(p *sim.Proc) {
	return protection.NewPVProtectionController(ctx.Component, ctx.Client, ctx.InformerFactory.Core().V1().PersistentVolumes()).Run
}

func newHostPathProvisioner(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	return provisioner.NewProvisionController(ctx.Component, ctx.Client, core.PersistentVolumeClaims(), core.PersistentVolumes(),
		ctx.InformerFactory.Storage().V1().StorageClasses()).Run
}
