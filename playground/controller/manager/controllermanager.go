package manager

import (
	"fmt"
	"time"

	"kubewalk/playground/client"
	"kubewalk/playground/client/informers"
	"kubewalk/playground/client/wait"
	"kubewalk/playground/sim"
)

// controllerStartJitter is how many percent longer a start interval may be.
const controllerStartJitter = 100

// Manager starts and stops controllers.
type Manager struct {
	kernel      *sim.Kernel
	transport   client.Transport
	options     Options
	descriptors []*ControllerDescriptor
	running     map[string]*sim.Component // by component name
}

// Start brings up the controllers that the options ask for, one after another.
// Upstream: controllermanager.go, BuildControllers and RunControllers.
func Start(k *sim.Kernel, t client.Transport, options Options) (*Manager, error) {
	m := &Manager{kernel: k, transport: t, options: options, descriptors: NewControllerDescriptors(), running: map[string]*sim.Component{}}
	if err := m.checkControllers(); err != nil {
		return nil, err
	}
	var after time.Duration
	for _, d := range m.descriptors {
		if !m.isControllerEnabled(d) {
			continue
		}
		if after == 0 {
			m.start(d)
		} else {
			k.After(after, func() { m.start(d) })
		}
		after += wait.Jitter(k.Rand("kube-controller-manager"), options.ControllerStartInterval, controllerStartJitter)
	}
	return m, nil
}

// Components lists the components of the controllers that are enabled, in the
// order in which they are started.
func (m *Manager) Components() []string {
	var out []string
	for _, d := range m.descriptors {
		if m.isControllerEnabled(d) {
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
		clientset := client.New(m.transport)
		factory := informers.NewSharedInformerFactory(clientset, 0)
		run := d.constructor(ControllerContext{Component: c, Client: clientset, InformerFactory: factory, Options: &m.options})
		c.Go("controller", func(p *sim.Proc) {
			factory.Start(p)
			run(p)
		})
	})
}

func (m *Manager) find(name string) *ControllerDescriptor {
	for _, d := range m.descriptors {
		if d.Name == name || d.Component == name {
			return d
		}
	}
	return nil
}

func (m *Manager) checkControllers() error {
	for _, name := range m.options.Controllers {
		if name != "*" && m.find(without(name)) == nil {
			return unknownController(without(name), m.descriptors)
		}
	}
	return nil
}

// isControllerEnabled: being named decides before "*" does.
// Upstream: k8s.io/controller-manager/app/helper.go, IsControllerEnabled.
func (m *Manager) isControllerEnabled(d *ControllerDescriptor) bool {
	star := len(m.options.Controllers) == 0
	for _, name := range m.options.Controllers {
		switch {
		case name == d.Name || name == d.Component:
			return true
		case name == "-"+d.Name || name == "-"+d.Component:
			return false
		case name == "*":
			star = true
		}
	}
	return star
}

func without(name string) string {
	if len(name) > 0 && name[0] == '-' {
		return name[1:]
	}
	return name
}
