package manager

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/sim"
)

// Component is what the manager is called, and the Lease that its instances
// elect their leader with.
const Component = "kube-controller-manager"

// controllerStartJitter is how many percent longer a start interval may be.
const controllerStartJitter = 100

// Manager starts and stops controllers.
type Manager struct {
	kernel      *sim.Kernel
	transport   client.Transport
	options     Options
	component   *sim.Component // nil without leader election
	descriptors []*ControllerDescriptor
	running     map[string]*sim.Component // by component name
	leading     bool
}

// Start brings a manager up. With leader election that is a component, called
// as the options say, which starts the controllers when it leads and takes them
// along when it ends, as it does by itself when it no longer leads. Without
// there is no such component, and the controllers start at once.
// Upstream: controllermanager.go, Run.
func Start(k *sim.Kernel, t client.Transport, options Options) (*Manager, error) {
	m := &Manager{kernel: k, transport: t, options: options, descriptors: NewControllerDescriptors(), running: map[string]*sim.Component{}}
	if err := checkControllers(options.Controllers, m.descriptors); err != nil {
		return nil, err
	}
	if options.LeaderElect {
		m.elect()
	} else {
		m.leading = true
		m.startControllers(func(after time.Duration, do func()) { k.After(after, do) })
	}
	return m, nil
}

// startControllers starts those that the options ask for, one after another.
// Upstream: controllermanager.go, BuildControllers and RunControllers.
func (m *Manager) startControllers(at func(after time.Duration, do func())) {
	var after time.Duration
	for _, d := range m.descriptors {
		if !isControllerEnabled(m.options.Controllers, d) {
			continue
		}
		if after == 0 {
			m.start(d)
		} else {
			at(after, func() { m.start(d) })
		}
		after += wait.Jitter(m.kernel.Rand(Component), m.options.ControllerStartInterval, controllerStartJitter)
	}
}

// Component is the manager's own; nil without leader election.
func (m *Manager) Component() *sim.Component { return m.component }

// Leads tells whether this manager runs the controllers.
func (m *Manager) Leads() bool { return m.leading }

// Components lists the components of the controllers that are enabled, in the
// order in which they are started.
func (m *Manager) Components() []string { return enabled(m.options.Controllers, m.descriptors) }

// Enabled lists the components that such a value of --controllers lets run, in
// the order in which they are started.
func Enabled(controllers []string) ([]string, error) {
	all := NewControllerDescriptors()
	if err := checkControllers(controllers, all); err != nil {
		return nil, err
	}
	return enabled(controllers, all), nil
}

func enabled(controllers []string, all []*ControllerDescriptor) []string {
	var out []string
	for _, d := range all {
		if isControllerEnabled(controllers, d) {
			out = append(out, d.Component)
		}
	}
	return out
}

// Running tells whether a controller runs. The name is its component's, or the
// one that --controllers uses.
func (m *Manager) Running(name string) bool {
	d := m.find(name)
	return d != nil && m.running[d.Component] != nil && m.running[d.Component].Running()
}

// StartController starts one controller again, with nothing remembered.
// Starting one that runs is an error.
func (m *Manager) StartController(name string) error {
	d := m.find(name)
	if d == nil {
		return unknownController(name, m.descriptors)
	}
	if m.Running(name) {
		return fmt.Errorf("controller manager: %s is running already", d.Component)
	}
	if !m.leading {
		return fmt.Errorf("controller manager: %s does not lead", m.component.Name())
	}
	m.start(d)
	return nil
}

// StopController ends one controller at once, as a crash does. The others do
// not notice. Stopping one that does not run is an error.
func (m *Manager) StopController(name, reason string) error {
	d := m.find(name)
	if d == nil {
		return unknownController(name, m.descriptors)
	}
	if !m.Running(name) {
		return fmt.Errorf("controller manager: %s is not running", d.Component)
	}
	m.running[d.Component].Stop(reason)
	delete(m.running, d.Component)
	return nil
}

func (m *Manager) start(d *ControllerDescriptor) {
	if m.Running(d.Component) {
		return // somebody was faster than the start interval
	}
	c := m.kernel.Start(d.Component)
	m.running[d.Component] = c
	c.Run(func() {
		// Informers have a client of their own. Upstream's has a limit too; here each controller fills only its own caches.
		shared := m.transport
		if m.options.UseServiceAccountCredentials {
			shared = client.WithCredentials(shared, Component)
		}
		factory := informers.NewSharedInformerFactory(client.New(shared), m.resyncPeriod(d))
		limit := d.limit(m.options.ClientLimit)
		run := d.constructor(ControllerContext{
			Component: c, Client: client.New(client.Throttled(m.transport, m.kernel, limit)), InformerFactory: factory, Options: &m.options,
		})
		c.Go("controller", func(p *sim.Proc) {
			factory.Start(p)
			run(p)
		})
	})
}

// resyncPeriod is between one and two times the least. Upstream: controllermanager.go, ResyncPeriod.
func (m *Manager) resyncPeriod(d *ControllerDescriptor) time.Duration {
	least := m.options.MinResyncPeriod
	return m.kernel.Rand(d.Component+"/resync").Between(least, 2*least)
}

func (m *Manager) find(name string) *ControllerDescriptor { return find(m.descriptors, name) }

func find(all []*ControllerDescriptor, name string) *ControllerDescriptor {
	for _, d := range all {
		if d.Name == name || d.Component == name {
			return d
		}
	}
	return nil
}

func checkControllers(controllers []string, all []*ControllerDescriptor) error {
	for _, name := range controllers {
		if name = strings.TrimPrefix(name, "-"); name != "*" && find(all, name) == nil {
			return unknownController(name, all)
		}
	}
	return nil
}

// isControllerEnabled: being named decides before "*" does.
// Upstream: k8s.io/controller-manager/app/helper.go, IsControllerEnabled.
func isControllerEnabled(controllers []string, d *ControllerDescriptor) bool {
	star := len(controllers) == 0
	for _, name := range controllers {
		switch {
		case name == d.Name || name == d.Component:
			return true
		case name == "-"+d.Name || name == "-"+d.Component:
			return false
		case name == "*":
			star = true
		}
	}
	return star && !slices.Contains(disabledByDefault, d.Name)
}
