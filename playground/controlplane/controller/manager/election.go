package manager

import (
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/leaderelection"
	"kubewalk/playground/controlplane/client/leaderelection/resourcelock"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/sim"
)

// lost is why a manager ends that no longer leads. Upstream exits the process.
const lost = "leaderelection lost"

// elect makes the manager's component, a candidate. Its identity is its name and
// a UID that no other start has; upstream's begins with the name of the host.
// Upstream: controllermanager.go, Run and leaderElectAndRun.
func (m *Manager) elect() {
	if m.options.Name == "" {
		m.options.Name = Component
	}
	c := m.kernel.Start(m.options.Name)
	m.component = c
	c.OnStop(m.ended)
	c.Run(func() {
		clientset := client.New(m.transport)
		events := record.NewBroadcaster(c)
		elector, err := leaderelection.NewLeaderElector(c, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				Namespace: "kube-system", Name: Component, Client: client.New(client.WithTimeout(m.transport, leaderelection.DefaultRenewDeadline/2)),
				Holder:        m.options.Name + "_" + m.kernel.Rand(Component+"/identity").UUID(),
				EventRecorder: events.NewRecorder(corev1.EventSource{Component: Component}),
			},
			LeaseDuration: leaderelection.DefaultLeaseDuration,
			RenewDeadline: leaderelection.DefaultRenewDeadline,
			RetryPeriod:   leaderelection.DefaultRetryPeriod,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(p *sim.Proc) {
					m.leading = true
					m.startControllers(func(after time.Duration, do func()) { c.After(after, do) })
				},
				OnStoppedLeading: func(p *sim.Proc) {
					p.Logger().Error(nil, lost)
					c.Stop(lost)
				},
				OnNewLeader: func(identity string) {
					m.kernel.Logger().Info("new leader elected", "identity", identity)
				},
			},
		})
		if err != nil {
			panic(err) // the times are our own
		}
		c.Go("leader-election", func(p *sim.Proc) {
			p.Logger().Info("Starting", "controllers", len(m.Components()))
			events.StartRecordingToSink(clientset)
			elector.Run(p)
		})
	})
}

// ended takes the controllers along, in the order in which they were started.
func (m *Manager) ended() {
	m.leading = false
	for _, d := range m.descriptors {
		if c := m.running[d.Component]; c != nil && c.Running() {
			c.Stop(m.component.Name() + " ended")
		}
		delete(m.running, d.Component)
	}
}
