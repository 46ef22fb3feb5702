package scene

import (
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// wireless is what the picture knows of the network.
type wireless struct {
	clients  map[string]string            // request → the address that asked
	forwards map[string]map[string]string // node → address of a Service → the addresses behind it
}

func newWireless() wireless {
	return wireless{clients: map[string]string{}, forwards: map[string]map[string]string{}}
}

// packet draws what travels between machines, or takes it away. It flies
// straight from whoever has the one address to whoever has the other.
func (s *Stage) packet(e *trace.Event, number string, v any) {
	route, dot := "route/"+number, "packet/"+number
	p, there := v.(trace.Packet)
	if !there {
		s.drop(dot)
		s.drop(route)
		return
	}
	if s.dirty.board || s.board.width == 0 {
		s.layOut()
		s.drawFrames()
	}
	fromX, fromY, ok := s.endpoint(p.From, p.Source)
	toX, toY, ok2 := s.endpoint(p.To, p.Destination)
	if !ok || !ok2 {
		return
	}
	request := e.Text("request")
	if _, known := s.network.clients[request]; !known {
		s.network.clients[request] = p.Source
	}
	role := RoleRequest
	if p.Destination == s.network.clients[request] {
		role = RoleReply
	}
	state := "good"
	if !p.Good {
		state = "error"
	}
	s.pass++
	s.put("messages", Shape{ID: route, Kind: Line, Role: RoleRoute, Path: path(fromX, fromY, toX, toY), Z: LayerPackets}, s.pass)
	s.put("messages", Shape{ID: dot, Kind: Packet, Role: role, State: state, Line: route, Z: LayerPackets,
		From: p.Sent.Microseconds(), To: p.Arrives.Microseconds(), X: 0, Title: fitEnd(p.Label, 130, s.font)}, s.pass)
}

// endpoint is where who has an address is drawn: a Pod, or else its node, a
// program, or somebody outside.
func (s *Stage) endpoint(who, address string) (x, y int, ok bool) {
	ip, _, _ := strings.Cut(address, ":")
	if key := s.podOf(ip); key != "" {
		if r, ok := s.placeRect(key); ok {
			return r.mid(), r.y + r.h/2, true
		}
	}
	r, ok := s.board.node[who]
	if !ok {
		r, ok = s.board.frames[who]
	}
	if !ok && who == "outside" {
		r, ok = s.board.user, true
	}
	if !ok && who == "nowhere" { // it leaves the picture
		return s.board.width - 6, s.board.height - 6, true
	}
	return r.mid(), r.y + min(r.h/2, 24), ok
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

// placeRect is where a Pod's box is.
func (s *Stage) placeRect(key string) (rect, bool) {
	a := s.areas[s.place[key]]
	if a == nil {
		return rect{}, false
	}
	g, ok := s.areaGrid(s.place[key])
	if !ok {
		return rect{}, false
	}
	r, ok := g.at(a.of[key])
	if g.cell.text() {
		r.w = min(r.w, 132)
	}
	return r, ok
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
	n := 0
	for _, address := range sortedKeys(s.network.forwards[node]) {
		name := s.serviceAt(address)
		if name == "" || n == mostForwards {
			continue
		}
		behind := s.network.forwards[node][address]
		var to []string
		for _, a := range strings.FieldsFunc(behind, func(r rune) bool { return r == ',' || r == ' ' }) {
			ip, _, _ := strings.Cut(a, ":")
			if key := s.podOf(ip); key != "" {
				to = append(to, suffix(bareName(key)))
			} else {
				to = append(to, ip)
			}
		}
		h := s.font + 4
		l := label("rules/"+node+"/"+address, rect{r.x + 12, r.bottom() - 6 - (mostForwards-n)*h, r.w - 24, h}, "", "")
		l.Title, l.About = fitEnd(name+" → "+strings.Join(to, " "), l.W, s.font), "nodes "+node
		put(l)
		n++
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
