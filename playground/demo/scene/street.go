package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/trace"
)

// packet draws what travels between machines, or takes it away. It goes from whoever has the one address to whoever has
// the other, along a street that runs across the lower edge of the nodes and up along an edge of the picture.
func (v *clusterView) packet(number string, n any) {
	route, pill := "route/"+number, "packet/"+number
	p, there := n.(trace.Packet)
	if !there {
		v.drop(pill)
		v.drop(route)
		return
	}
	from, to := v.dockOf(p.From, p.Source), v.dockOf(p.To, p.Destination)
	if from.points == nil || to.points == nil {
		return
	}
	s, _ := packetPill(pill, route, p, 170)
	for _, d := range []dock{from, to} { // beside the edge, not beyond it
		switch {
		case d.edge == 0:
		case d.edge < v.at.width/2:
			s.X = s.W/2 + 2
		default:
			s.X = -s.W/2 - 2
		}
	}
	if slices.Equal(from.points, to.points) { // from a Pod to itself, which may be at the edge
		x := from.points[0]
		s.X = min(max(s.X, s.W/2+2-x), v.at.width-s.W/2-2-x)
	}
	v.pass++
	v.put("packets", Shape{ID: route, Kind: Line, Role: RoleRoute, Path: path(way(from, to)...), Z: LayerPackets}, v.pass)
	v.put("packets", s, v.pass)
}

// dock is where packets leave a place and arrive at it: points in pairs, from the place to the street.
type dock struct {
	points []int
	edge   int // x of the edge along which they go up; 0 at a node
}

// way is how packets go from dock to dock. Two above the nodes do not need the street.
func way(from, to dock) []int {
	a, b := from.points, to.points
	if from.edge > 0 && from.edge == to.edge {
		a, b = a[:len(a)-2], b[:len(b)-2]
	}
	out := slices.Clone(a)
	for i := len(b) - 2; i >= 0; i -= 2 {
		if n := len(out); out[n-2] != b[i] || out[n-1] != b[i+1] {
			out = append(out, b[i], b[i+1])
		}
	}
	return out
}

// street is where packets cross the nodes: above what kube-proxy has written there, or along the nodes' edge, so that it strikes out no words.
func (v *clusterView) street() int {
	switch bottom := v.around.nodes.bottom(); {
	case v.layout == Narrow:
		return bottom - 3
	case v.rulesHeight() > 0:
		return bottom - 27
	default:
		return bottom - 14
	}
}

// dockOf is where packets of who has an address dock: at a Pod, or else at its node, a program, or somebody outside.
func (v *clusterView) dockOf(who, address string) dock {
	ip, _, _ := strings.Cut(address, ":")
	key, street := v.podOf(ip), v.street()
	node := who
	if place, isPod := strings.CutPrefix(v.place[key], "node/"); key != "" && isPod {
		node = place
	}
	shown, _ := v.nodesBeside(v.around.mostNodes)
	if i := slices.Index(shown, node); i >= 0 {
		if h := v.shapes["pod/"+key]; key != "" && h != nil {
			x := h.shape.X - 3
			return dock{points: []int{x, h.shape.Y + h.shape.H, x, street}} // below its name
		}
		return dock{points: []int{v.nodeRect(i).mid(), street}}
	}
	if who == "nowhere" { // it leaves the picture
		return dock{points: []int{v.at.width - 3, street}}
	}
	r := v.placeOfWho(who)
	if r.h == 0 {
		return dock{}
	}
	y := r.y + r.h/2
	if r.right() > v.at.width*3/4 && r.x > v.at.width/4 {
		edge := v.at.width - v.around.band.x/2
		return dock{points: []int{r.right(), y, edge, y, edge, street}, edge: edge}
	}
	edge := v.around.band.x / 2
	return dock{points: []int{r.x, y, edge, y, edge, street}, edge: edge}
}

// placeOfWho is the box of who stands above the nodes; without a height when there is none.
func (v *clusterView) placeOfWho(who string) rect {
	for i := range v.panels {
		if v.panels[i].name == who {
			return v.at.panels[i].panel
		}
	}
	if _, ran := v.cast[who]; who == "outside" || who == castUser {
		return v.around.user
	} else if !ran {
		return rect{}
	}
	if r := v.around.others; v.roles.of(who) == castMinor && r.h > 0 {
		return r
	}
	return v.around.band
}
