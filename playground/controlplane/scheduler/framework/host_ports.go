package framework

import (
	"cmp"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
)

// HostPort is a port of the node that a container takes for itself.
type HostPort struct {
	IP       string // "0.0.0.0" is every address of the node
	Protocol string
	Port     int32
}

// DefaultBindAllHostIP is the address that a hostPort without hostIP takes.
const DefaultBindAllHostIP = "0.0.0.0"

// HostPorts lists a Pod's, sidecars included.
// Upstream: pkg/scheduler/util/utils.go, GetHostPorts.
func HostPorts(pod *corev1.Pod) []HostPort {
	var out []HostPort
	add := func(c *corev1.Container) {
		for _, p := range c.Ports {
			if p.HostPort <= 0 {
				continue
			}
			hp := HostPort{p.HostIP, string(p.Protocol), p.HostPort}
			if hp.IP == "" {
				hp.IP = DefaultBindAllHostIP
			}
			if hp.Protocol == "" {
				hp.Protocol = string(corev1.ProtocolTCP)
			}
			out = append(out, hp)
		}
	}
	for i := range pod.Spec.Containers {
		add(&pod.Spec.Containers[i])
	}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(c)
		}
	}
	return out
}

// HostPortInfo is a node's taken ports, sorted.
// Upstream: kube-scheduler/framework/types.go, HostPortInfo.
type HostPortInfo []HostPort

func (a HostPort) compare(b HostPort) int {
	return cmp.Or(strings.Compare(a.IP, b.IP), strings.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Port, b.Port))
}

// Add takes a port.
func (h *HostPortInfo) Add(p HostPort) {
	i, found := slices.BinarySearchFunc(*h, p, HostPort.compare)
	if !found {
		*h = slices.Insert(*h, i, p)
	}
}

// Remove gives a port back.
func (h *HostPortInfo) Remove(p HostPort) {
	if i, found := slices.BinarySearchFunc(*h, p, HostPort.compare); found {
		*h = slices.Delete(*h, i, i+1)
	}
}

// Conflicts tells whether the port is taken. 0.0.0.0 conflicts with every address.
func (h HostPortInfo) Conflicts(p HostPort) bool {
	for _, q := range h {
		if q.Port == p.Port && q.Protocol == p.Protocol &&
			(q.IP == p.IP || q.IP == DefaultBindAllHostIP || p.IP == DefaultBindAllHostIP) {
			return true
		}
	}
	return false
}
