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

// packet draws what travels between machines, or takes it away. It goes from
// whoever has the one address to whoever has the other, past what is written
// between them.
func (s clusterView) packet(number string, v any) {
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
	from, ok := s.dockOf(p.From, p.Source)
	to, ok2 := s.dockOf(p.To, p.Destination)
	if !ok || !ok2 {
		return
	}
	role := RoleRequest
	if !strings.Contains(p.Destination, ":") { // to whoever asked: their port is not told
		role = RoleReply
	}
	state := "good"
	if !p.Good {
		state = "error"
	}
	room := 130
	if s.layout == Narrow { // beside a Pod there is another node
		room = 60
	}
	s.pass++
	s.put("messages", Shape{ID: route, Kind: Line, Role: RoleRoute, Path: path(way(from, to)...), Z: LayerPackets}, s.pass)
	s.put("messages", Shape{ID: dot, Kind: Packet, Role: role, State: state, Line: route, Z: LayerPackets,
		From: p.Sent.Microseconds(), To: p.Arrives.Microseconds(), X: 0, Title: fitEnd(p.Label, room, s.font)}, s.pass)
}

// dock is where packets leave a place and arrive at it: points in pairs, from
// the place to the street that all of them share, which runs below the Pods of
// the nodes and up along an edge of the picture. Where there is no street, it
// is the place alone.
type dock struct {
	points []int
	above  bool // it is none of a node's: it has a door to the street on the picture's edge
	alone  bool
}

// way is how packets go from dock to dock.
func way(from, to dock) []int {
	a, b := from.points, to.points
	switch {
	case from.alone || to.alone: // straight on
		a, b = a[:2], b[:2]
	case from.above && to.above: // from door to door
		a, b = a[:4], b[:4]
	}
	out := append([]int{}, a...)
	for i := len(b) - 2; i >= 0; i -= 2 {
		if n := len(out); out[n-2] != b[i] || out[n-1] != b[i+1] {
			out = append(out, b[i], b[i+1])
		}
	}
	return out
}

// dockOf is where packets of who has an address dock: at a Pod, or else at its
// node, a program, or somebody outside.
func (s *Stage) dockOf(who, address string) (dock, bool) {
	ip, _, _ := strings.Cut(address, ":")
	key := s.podOf(ip)
	if n, ok := s.board.node[who]; ok {
		return s.dockAt(n, key), true
	}
	if key != "" { // whoever sent it is said to be elsewhere, but it is a Pod's
		if n, ok := s.board.node[strings.TrimPrefix(s.place[key], "node/")]; ok {
			return s.dockAt(n, key), true
		}
	}
	r, ok := s.board.frames[who]
	switch {
	case ok:
	case who == "outside":
		r, ok = s.board.user, true
	case who == castAPIServer:
		r, ok = s.board.band, true
	case who == "nowhere": // it leaves the picture
		return dock{points: []int{s.board.width - 3, s.street()}}, true
	}
	if !ok {
		return dock{}, false
	}
	return s.dockAbove(r, who), true
}

// street is the height at which packets go from node to node.
func (s *Stage) street() int {
	y := s.board.height
	for _, r := range s.board.node { // order: they are as low as each other
		y = r.bottom()
	}
	return y - s.rulesHeight() - 14
}

// dockAt is a Pod's dock on a node; without a Pod that is there, the node's.
func (s *Stage) dockAt(node rect, key string) dock {
	if node.h < 100 { // nodes are many and small
		return dock{points: []int{node.mid(), node.y + node.h/2}, alone: true}
	}
	street := s.street()
	r, ok := s.placeRect(key)
	switch {
	case key == "" || !ok:
		return dock{points: []int{node.mid(), street}}
	case s.layout == Narrow: // there is room beside a Pod, and none below
		return dock{points: []int{r.right() + 7, r.y + r.h/2, r.right() + 7, street}}
	}
	return dock{points: []int{r.x - 3, r.bottom() + 7, r.x - 3, street}}
}

// dockAbove is the dock of who stands above the nodes.
func (s *Stage) dockAbove(r rect, who string) dock {
	b, y := &s.board, r.y+r.h/2
	edge := b.band.x / 2
	if r == b.band {
		return dock{points: []int{r.x, y, edge, y, edge, s.street()}, above: true}
	}
	if s.layout == Wide || who == "outside" { // there is room for a label below it
		y = r.bottom() + 8
	}
	if s.layout == Wide { // through the gap above the API server, and up between the columns
		door, gap := b.user.x-9, b.band.y-44
		return dock{points: []int{r.x, y, door, y, door, gap, edge, gap, edge, s.street()}, above: true}
	}
	if who == "outside" { // below those that stand in brief
		return dock{points: []int{r.x, y, edge, y, edge, s.street()}, above: true}
	}
	if r.x > b.width/2 {
		edge = b.width - edge
		return dock{points: []int{r.right(), y, edge, y, edge, s.street()}, above: true}
	}
	return dock{points: []int{r.x, y, edge, y, edge, s.street()}, above: true}
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
