// Package livenessprobe is the sidecar that makes of a driver's Probe a path of HTTP, which a kubelet can ask: its container's answer is
// the driver's.
//
// Upstream: kubernetes-csi/livenessprobe, cmd/livenessprobe/main.go.
package livenessprobe

import (
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/operator/csi/program"
	"kubewalk/playground/sim"
)

// Name is the program's.
const Name = "livenessprobe"

// Probe is the program. Its container hands it what is asked over HTTP.
type Probe struct {
	*program.Program
	driver *program.Driver
}

// Start brings it up. It does not die with its driver: that is what it is there to tell.
func Start(k *sim.Kernel, t client.Transport, sockets *csi.Sockets, c program.Container) *Probe {
	l := &Probe{}
	l.Program = program.Start(k, Name, t, sockets, c, func(p *sim.Proc, g *program.Program) {
		l.driver = g.Connect(p, false)
		l.driver.Conn.Hidden = true
		p.Logger().Info("ServeMux listening", "address", "0.0.0.0:"+g.Flag("health-port", "9808"))
		p.Park()
	})
	return l
}

// Serve answers a request, whatever it asks.
// Upstream: healthProbe.checkProbe.
func (l *Probe) Serve(done func(status int, body string)) {
	if !l.Component().Running() {
		return
	}
	l.Component().Go("healthz", func(p *sim.Proc) {
		if l.driver == nil {
			done(500, "driver responded but is not ready")
			return
		}
		out, err := l.driver.Call(p, csi.Probe, &csi.Request{})
		switch {
		case err != nil:
			done(500, err.Error())
		case !out.Ready:
			done(500, "driver responded but is not ready")
		default:
			done(200, "ok")
		}
	})
}
