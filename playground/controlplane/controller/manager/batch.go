package manager

import (
	"kubewalk/playground/controlplane/controller/cronjob"
	"kubewalk/playground/controlplane/controller/job"
	"kubewalk/playground/controlplane/controller/ttlafterfinished"
	"kubewalk/playground/sim"
)

func newJobController(ctx ControllerContext) func(p *sim.Proc) {
	jm := job.NewController(ctx.Component, ctx.InformerFactory.Core().V1().Pods(), ctx.InformerFactory.Batch().V1().Jobs(), ctx.Client)
	return func(p *sim.Proc) { jm.Run(p, job.ConcurrentJobSyncs) }
}

func newCronJobController(ctx ControllerContext) func(p *sim.Proc) {
	batch := ctx.InformerFactory.Batch().V1()
	jm := cronjob.NewControllerV2(ctx.Component, batch.Jobs(), batch.CronJobs(), ctx.Client)
	return func(p *sim.Proc) { jm.Run(p, cronjob.ConcurrentCronJobSyncs) }
}

func newTTLAfterFinishedController(ctx ControllerContext) func(p *sim.Proc) {
	tc := ttlafterfinished.New(ctx.Component, ctx.InformerFactory.Batch().V1().Jobs(), ctx.Client)
	return func(p *sim.Proc) { tc.Run(p, ttlafterfinished.ConcurrentTTLSyncs) }
}
