//go:build !js || cel

package manager

import (
	"kubewalk/playground/controlplane/controller/validatingadmissionpolicystatus"
	"kubewalk/playground/sim"
)

func init() {
	rareControllers = append(rareControllers, &ControllerDescriptor{validatingadmissionpolicystatus.Name, validatingadmissionpolicystatus.Name,
		newValidatingAdmissionPolicyStatusController})
}

// Upstream: cmd/kube-controller-manager/app/validatingadmissionpolicystatus.go.
func newValidatingAdmissionPolicyStatusController(ctx ControllerContext) func(p *sim.Proc) {
	c := validatingadmissionpolicystatus.NewController(ctx.Component, ctx.InformerFactory.Admissionregistration().V1().ValidatingAdmissionPolicies(),
		ctx.Client, ctx.Options.TypeErrors)
	return func(p *sim.Proc) { c.Run(p, 5) }
}
