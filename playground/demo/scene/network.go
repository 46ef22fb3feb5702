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

// packet: such a run has none.
func (objectsView) packet(string, any) {}

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

// mostForwards is how many Services a node's rules are drawn of.
const mostForwards = 2

// rulesHeight is what a node's rules take of its frame.
func (s *Stage) rulesHeight() int {
	if len(s.network.forwards) == 0 {
		return 0
	}
	return mostForwards * (s.font + 4)
}

// drawRules draws where a node's rules send what goes to a Service: the ends
// of the Pods' names. The Services of the cluster itself are left out.
func (s *Stage) drawRules(put func(Shape), node string, r rect) {
	rules := s.network.forwards[node]
	var addresses []string
	for _, address := range sortedKeys(rules) {
		if s.serviceAt(address) != "" && len(addresses) < mostForwards {
			addresses = append(addresses, address)
		}
	}
	h := s.font + 4
	for i, address := range addresses {
		var to []string
		for _, a := range strings.Fields(rules[address]) {
			ip, _, _ := strings.Cut(a, ":")
			if key := s.podOf(ip); key != "" {
				to = append(to, suffix(bareName(key)))
			} else {
				to = append(to, ip)
			}
		}
		l := label("rules/"+node+"/"+address, rect{r.x + 12, r.bottom() - 8 - (len(addresses)-i)*h, r.w - 24, h}, "", "")
		l.About, l.State = "nodes "+node, ""
		room := l.W
		if s.upState("kube-proxy/"+node) == "down" { // nobody keeps them true
			l.State, l.Mark = "down", frameMarks["down"]
			room -= 14
		}
		l.Title = fitEnd(s.serviceAt(address)+" → "+strings.Join(to, " "), room, s.font)
		if rest := room - (textWidth(l.Title, s.font)+9)/10 - 10; i == 0 {
			l.setDetail(first(rest, s.font, plain("kube-proxy")))
		}
		put(l)
	}
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
