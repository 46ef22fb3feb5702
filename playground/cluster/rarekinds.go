//go:build !js || cel

package cluster

import "slices"

// A cluster that did not ask for the rare kinds has them all the same from the first input on that names one, as a manifest of the
// documentation does or kubectl get runtimeclasses. That follows from the log alone, so that it is the same wherever the log is repeated; what was
// before is as it was without. The API server serves all of AllKinds then, and has their system objects and priority and fairness; those of
// resource.k8s.io only if they are what is named. As soon as an input brings an object of these, or a Pod with claims, the controllers of claims
// and of devices' taints start, kubelets have devices prepared, and schedulers are restarted with the plugin that allocates them.
//
// Simplified: in a real cluster all that is there from the start. The controllers that Config.AllKinds brings along do not start later:
// nobody signs CertificateSigningRequests or cleans them up, attaches volumes, mirrors Endpoints.
func init() {
	serveRare = func(c *Cluster, in Input) {
		kinds := aboutRare(in)
		c.server.ServeRare(kinds.Others, kinds.Devices)
		if brings := len(in.Manifest)+len(in.Body) > 0; brings && kinds.Devices && !c.config.Devices {
			c.startDevices()
		}
	}
}

// startDevices has the programs work with devices that do so where Config.Devices says it.
func (c *Cluster) startDevices() {
	before := c.config.controllers()
	c.config.Devices = true
	later := slices.DeleteFunc(c.config.controllers(), func(name string) bool { return slices.Contains(before, name) })
	for _, name := range later {
		c.controller(name)
	}
	for _, m := range c.managers() {
		if m != nil {
			m.Enable(later...)
		}
	}
	for _, b := range c.boxes {
		if b.kubelet != nil && b.kubelet.Component().Running() {
			b.kubelet.PrepareDevices(c.config.kubeletDevices())
		}
	}
	c.restartSchedulers()
}
