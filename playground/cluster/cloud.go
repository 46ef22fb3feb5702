package cluster

import (
	"fmt"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/cloud"
	"kubewalk/playground/sim"
)

// cloudAt is when the cloud-controller-manager starts.
const cloudAt = 900 * time.Millisecond

// clouded are the components that Cloud adds.
func (c Config) clouded() []string {
	if !c.Cloud {
		return nil
	}
	return []string{cloud.Name}
}

// cloudController puts the cloud-controller-manager on the agenda. The cloud itself is there before and after it.
func (c *Cluster) cloudController() {
	if !c.config.Cloud {
		return
	}
	provider := cloud.NewCloud(c.kernel, c.instances())
	c.boot(c.supervised(cloud.Name, func() *sim.Component {
		return cloud.Start(c.kernel, c.Transport(), cloud.Options{Provider: provider, LeaderElect: c.config.LeaderElect})
	}), cloudAt)
}

// instances are the nodes as the cloud knows them: by their CPUs, in the zone that they are labelled with, or in turn.
func (c *Cluster) instances() (out []cloud.Instance) {
	for i, n := range c.config.Nodes {
		zone := n.Labels[corev1.LabelTopologyZone]
		if zone == "" {
			zone = "zone-" + string(rune('a'+i%3))
		}
		cpu := resource.MustParse(n.CPU)
		out = append(out, cloud.Instance{Name: n.Name, Zone: zone, Type: fmt.Sprintf("standard-%d", cpu.Value()), InternalIP: internalIP(i),
			Running: c.byName[runtimeName(n.Name)].running})
	}
	return out
}
