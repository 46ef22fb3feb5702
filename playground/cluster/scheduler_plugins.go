package cluster

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/scheduler"
	schedulerconfig "kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/network"
	"kubewalk/playground/sim"
)

// SchedulerExtender is an extender of the schedulers, for who reads a configuration.
type SchedulerExtender = schedulerconfig.Extender

// poster sends what extenders are asked.
type poster = func(p *sim.Proc, url string, body []byte, timeout time.Duration) (status int, answer []byte, err error)

// What few clusters have, and so not every build for the browser: see scheduler_rare.go.
var (
	outOfTree      []scheduler.Plugin
	newExtender    func(SchedulerExtender, poster) framework.Extender
	checkExtenders func([]SchedulerExtender) error
	// newDynamicResources is the plugin that allocates devices, for one scheduler.
	newDynamicResources func(Config) scheduler.Plugin
	// newDeviceManager is what prepares devices, for one kubelet.
	newDeviceManager func(*sim.Component, *client.Clientset) kubelet.DynamicResources
)

// kubeletDevices is what prepares devices for kubelets; nil where there are none.
func (c Config) kubeletDevices() func(*sim.Component, *client.Clientset) kubelet.DynamicResources {
	if !c.Devices {
		return nil
	}
	return newDeviceManager
}

// SchedulerPlugins are the plugins from out of tree that schedulers can be built with.
func SchedulerPlugins() (names []string) {
	for _, pl := range outOfTree {
		if pl.Name != nodeVolumeLimits {
			names = append(names, pl.Name)
		}
	}
	return names
}

// schedulerPlugins are those that the cluster's schedulers are built with.
func (c Config) schedulerPlugins() (out []scheduler.Plugin) {
	for _, pl := range outOfTree {
		if slices.Contains(c.SchedulerPlugins, pl.Name) || pl.Name == nodeVolumeLimits && c.usesCSI() {
			out = append(out, pl)
		}
	}
	if c.Devices && newDynamicResources != nil {
		out = append(out, newDynamicResources(c))
	}
	return out
}

func (c Config) validateScheduler() error {
	for _, name := range c.SchedulerPlugins {
		if !slices.Contains(SchedulerPlugins(), name) {
			return fmt.Errorf("this build of the control plane has no scheduler plugin %q", name)
		}
	}
	if len(c.SchedulerExtenders) > 0 {
		if newExtender == nil {
			return errors.New("this build of the control plane has no extenders")
		}
		if !c.Network {
			return errors.New("schedulerExtenders needs network")
		}
		if err := checkExtenders(c.SchedulerExtenders); err != nil {
			return err
		}
	}
	if len(c.SchedulerProfiles) == 0 {
		return nil
	}
	return scheduler.Validate(c.schedulerProfiles(), c.schedulerPlugins())
}

// nodeVolumeLimits is a plugin of Kubernetes' own that only clusters with CSI drivers have here.
const nodeVolumeLimits = "NodeVolumeLimits"

// schedulerProfiles are the profiles of the configuration, with that plugin where there are drivers.
func (c Config) schedulerProfiles() []scheduler.KubeSchedulerProfile {
	if !c.usesCSI() {
		return c.SchedulerProfiles
	}
	profiles := slices.Clone(c.SchedulerProfiles)
	if len(profiles) == 0 {
		profiles = []scheduler.KubeSchedulerProfile{{}}
	}
	for i := range profiles {
		own := schedulerconfig.Plugins{}
		if profiles[i].Plugins != nil {
			own = *profiles[i].Plugins
		}
		own.MultiPoint.Enabled = append(slices.Clone(own.MultiPoint.Enabled), schedulerconfig.Plugin{Name: nodeVolumeLimits})
		profiles[i].Plugins = &own
	}
	return profiles
}

// schedulerOptions are how the schedulers are built and configured.
func (c *Cluster) schedulerOptions(component *sim.Component) scheduler.Options {
	o := scheduler.Options{Profiles: c.config.schedulerProfiles(), Plugins: c.config.schedulerPlugins()}
	for _, e := range c.config.SchedulerExtenders {
		o.Extenders = append(o.Extenders, newExtender(e, func(p *sim.Proc, url string, body []byte, timeout time.Duration) (int, []byte, error) {
			return c.post(p, component, url, body, timeout)
		}))
		for _, r := range e.ManagedResources {
			if r.IgnoredByScheduler {
				o.IgnoredResources = append(o.IgnoredResources, r.Name)
			}
		}
	}
	return o
}

// post sends a request from the machine of the control plane. It has no kube-proxy of its own here: what becomes of a Service's address
// is as the first node that runs says. Errors are those of net/http's client.
func (c *Cluster) post(p *sim.Proc, component *sim.Component, url string, body []byte, timeout time.Duration) (int, []byte, error) {
	from := network.Source{Host: component, IP: apiserver.AdvertiseAddress}
	for _, n := range c.fabric.Nodes() {
		if n.Running() {
			from.Rules = n.Name
			break
		}
	}
	address := network.ParseURL(url)
	out, err := await(p, timeout, func(done func(network.Response)) {
		c.fabric.Dial(from, network.Request{Method: "POST", URL: url, Body: string(body)}, done)
	})
	if err != nil {
		return 0, nil, errors.New("context deadline exceeded (Client.Timeout exceeded while awaiting headers)")
	}
	switch out.Failure {
	case "":
		return out.Status, []byte(out.Body), nil
	case network.Refused:
		return 0, nil, fmt.Errorf("dial tcp %s: connect: connection refused", network.Address(address.Host, address.Port))
	case network.NotResolved:
		return 0, nil, fmt.Errorf("dial tcp: lookup %s: no such host", address.Host)
	}
	return 0, nil, fmt.Errorf("read tcp %s->%s: read: %s", apiserver.AdvertiseAddress, network.Address(address.Host, address.Port), out.Failure)
}
