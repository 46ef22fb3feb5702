//go:build !js || cel

package manager

import (
	"slices"

	"kubewalk/playground/controlplane/controller/attachdetach"
	"kubewalk/playground/controlplane/controller/bootstrap"
	"kubewalk/playground/controlplane/controller/certificates"
	"kubewalk/playground/controlplane/controller/devicetainteviction"
	"kubewalk/playground/controlplane/controller/endpointslicemirroring"
	"kubewalk/playground/controlplane/controller/resourceclaim"
	"kubewalk/playground/controlplane/controller/validatingadmissionpolicystatus"
	"kubewalk/playground/sim"
)

func init() {
	rareControllers = append(rareControllers, &ControllerDescriptor{attachDetach, attachdetach.Name, newAttachDetachController})
	rareControllers = append(rareControllers, &ControllerDescriptor{bootstrapSigner, bootstrap.Name, newBootstrapSignerController})
	rareControllers = append(rareControllers, &ControllerDescriptor{certificates.Name, certificates.Name, newCertificateController})
	rareControllers = append(rareControllers, &ControllerDescriptor{deviceTaintEviction, devicetainteviction.Name, newDeviceTaintEvictionController})
	rareControllers = append(rareControllers, &ControllerDescriptor{endpointSliceMirroring, endpointslicemirroring.Name, newEndpointSliceMirroringController})
	rareControllers = append(rareControllers, &ControllerDescriptor{resourceClaim, resourceclaim.Name, newResourceClaimController})
	rareControllers = append(rareControllers, &ControllerDescriptor{validatingadmissionpolicystatus.Name, validatingadmissionpolicystatus.Name,
		newValidatingAdmissionPolicyStatusController})
}

// Enable has further controllers run: at once, if the manager leads, and whenever it does. A real manager is started anew for that.
func (m *Manager) Enable(names ...string) {
	m.options.Controllers = append(slices.Clone(m.options.Controllers), names...)
	for _, name := range names {
		if d := m.find(name); d != nil && m.leading {
			m.start(d)
		}
	}
}

// Upstream: cmd/kube-controller-manager/app/validatingadmissionpolicystatus.go.
func newValidatingAdmissionPolicyStatusController(ctx ControllerContext) func(p *sim.Proc) {
	c := validatingadmissionpolicystatus.NewController(ctx.Component, ctx.InformerFactory.Admissionregistration().V1().ValidatingAdmissionPolicies(),
		ctx.Client, ctx.Options.TypeErrors)
	return func(p *sim.Proc) { c.Run(p, 5) }
}

// Upstream: cmd/kube-controller-manager/app/discovery.go.
func newEndpointSliceMirroringController(ctx ControllerContext) func(p *sim.Proc) {
	core := ctx.InformerFactory.Core().V1()
	c := endpointslicemirroring.NewController(ctx.Component, core.Endpoints(), ctx.InformerFactory.Discovery().V1().EndpointSlices(), core.Services(),
		endpointslicemirroring.MaxEndpointsPerSubset, ctx.Client)
	return func(p *sim.Proc) { c.Run(p, endpointslicemirroring.ConcurrentSyncs) }
}

// Upstream: cmd/kube-controller-manager/app/core.go, newResourceClaimController.
func newResourceClaimController(ctx ControllerContext) func(p *sim.Proc) {
	return resourceclaim.NewController(ctx.Component, ctx.Client, ctx.InformerFactory).Run
}

// Upstream: cmd/kube-controller-manager/app/resource.go.
func newDeviceTaintEvictionController(ctx ControllerContext) func(p *sim.Proc) {
	return devicetainteviction.New(ctx.Component, ctx.Client, ctx.InformerFactory).Run
}

// Upstream: cmd/kube-controller-manager/app/certificates.go, where each of what it does is a controller of its own.
func newCertificateController(ctx ControllerContext) func(p *sim.Proc) {
	return certificates.NewController(ctx.Component, ctx.InformerFactory, ctx.Client, ctx.Options.X509).Run
}

// Upstream: cmd/kube-controller-manager/app/core.go, newPersistentVolumeAttachDetachController.
func newAttachDetachController(ctx ControllerContext) func(p *sim.Proc) {
	return attachdetach.NewController(ctx.Component, ctx.Client, ctx.InformerFactory).Run
}

// Upstream: cmd/kube-controller-manager/app/bootstrap.go.
func newBootstrapSignerController(ctx ControllerContext) func(p *sim.Proc) {
	return bootstrap.NewSigner(ctx.Component, ctx.Client).Run
}
