package scene

import (
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// wireless is what the picture knows of the network.
type wireless struct {
	forwards map[string]map[string]string // node → address of a Service → the addresses behind it
}

func newWireless() wireless {
	return wireless{forwards: map[string]map[string]string{}}
}

// podOf is the key of the Pod that has an address; "" when no Pod has.
func (s *Stage) podOf(ip string) string {
	found := ""
	for key, p := range s.pods { // order: the lowest key is taken
		if p.Status.PodIP == ip && !p.Spec.HostNetwork && p.Status.Phase != corev1.PodFailed && p.Status.Phase != corev1.PodSucceeded &&
			(found == "" || key < found) {
			found = key
		}
	}
	return found
}

// forward notes what a node's rules do with a Service's address.
func (s *Stage) forward(c trace.Cell, v any) {
	node := strings.TrimPrefix(c.Owner, "netfilter/")
	behind, there := v.(string)
	had := len(s.network.forwards)
	set(s.network.forwards, node, c.Key, behind, there)
	if len(s.network.forwards) != had { // room for them is kept at every node
		s.dirty.board = true
	}
	s.dirty.nodes[node] = true
}

// serviceAt is the name of the Service that has an address ("10.96.0.10:80/tcp"), unless it is the cluster's own.
func (s *Stage) serviceAt(address string) string {
	ip, _, _ := strings.Cut(address, ":")
	return s.services[ip]
}

// serviceMoved notes which Service has which address.
func (s *Stage) serviceMoved(key string, o *corev1.Service) {
	for _, ip := range sortedKeys(s.services) {
		if s.serviceKey[ip] == key {
			delete(s.services, ip)
			delete(s.serviceKey, ip)
		}
	}
	if o == nil || key == "default/kubernetes" || strings.HasPrefix(key, "kube-system/") || o.Spec.ClusterIP == "" || o.Spec.ClusterIP == corev1.ClusterIPNone {
		return
	}
	s.services[o.Spec.ClusterIP], s.serviceKey[o.Spec.ClusterIP] = bareName(key), key
	for node := range s.network.forwards { // order: it only marks
		s.dirty.nodes[node] = true
	}
}
