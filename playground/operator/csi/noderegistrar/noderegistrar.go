// Package noderegistrar is the sidecar that tells a kubelet of the driver on its machine: it asks the driver for its name, and opens a
// socket in the kubelet's directory of plugins, at which the kubelet learns that name and where the driver listens.
//
// Upstream: kubernetes-csi/node-driver-registrar, cmd/csi-node-driver-registrar/main.go and node_register.go.
package noderegistrar

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/operator/csi/program"
	"kubewalk/playground/sim"
)

// Name is the program's.
const Name = "csi-node-driver-registrar"

// Start brings it up.
func Start(k *sim.Kernel, t client.Transport, sockets *csi.Sockets, c program.Container) *program.Program {
	return program.Start(k, Name, t, sockets, c, func(p *sim.Proc, g *program.Program) {
		d := g.Connect(p, false)
		at := g.Socket("/registration/" + d.Name + "-reg.sock")
		endpoint := g.Flag("kubelet-registration-path", "")
		p.Logger().Info("Starting Registration Server", "socketPath", at.Path)
		sockets.Listen(at, g.Component(), g.End(), func(p *sim.Proc, method string, in *csi.Request) (*csi.Response, error) {
			switch method {
			case csi.GetInfo:
				p.Logger().Info("Received GetInfo call")
				return &csi.Response{Name: d.Name, Endpoint: endpoint}, nil
			case csi.NotifyRegistrationStatus:
				p.Logger().Info("Received NotifyRegistrationStatus call", "pluginRegistered", in.PluginRegistered, "err", in.Error)
				if !in.PluginRegistered {
					p.Logger().Error(nil, "Registration process failed with error, restarting registration container", "err", in.Error)
					g.Exit(p, 1)
				}
				return &csi.Response{}, nil
			}
			return nil, &csi.Error{Code: csi.Unimplemented, Desc: "unknown method"}
		})
		g.OnTerm = func() { sockets.Remove(at) }
		p.Park()
	})
}
