package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/trace"
)

// packetView follows one request: whoever sends it, the name server or the door from outside (packetdoor.go), the rules of the
// sender's node, and the Pods behind the Service. Beside it stands the EndpointSlice from which kube-proxy makes the rules.
type packetView struct {
	*Stage
	at     packetPlaces
	way    journey
	slices map[string]*discoveryv1.EndpointSlice
	routes routes
	shows  string // the door about which there was news since the last request
	stale  bool
}

// journey is what became of the request that was made last.
type journey struct {
	number        string
	from, url     string
	node          string // the node that it came to from outside: its rules it meets
	answer        string // of the name server
	resolved      bool   // the answer is an address
	before, after string // the destination, as it was sent and as the rules made it
	outcome       words
	failed        bool

	door     string // the load balancer or the Ingress controller that it came to
	passedOn string // the number of the request that the door made of it
	passes   string // where the load balancer sent it
	rule     string // of an Ingress that was met; the host and path if none was
	isUnmet  bool
	service  string // key of the Service that the door leads to
}

type packetPlaces struct {
	width, height int
	client, dns   rect
	rules, slice  rect
	api, user     rect
	nodes         rect
	asksAcross    bool // the name server stands beside the client
	nodesDown     bool // nodes stand below each other
	sliceInAPI    bool // the EndpointSlice has no place of its own, and is drawn in the API server, which stores it
	columns       int  // of rules
	rule          size
	pod           size
	mostNodes     int
}

var packetLayouts = map[Layout]packetPlaces{
	Wide: {
		width: 760, height: 514,
		client: rect{10, 8, 206, 136}, dns: rect{10, 204, 206, 110},
		rules: rect{264, 8, 224, 306}, slice: rect{264, 364, 224, 142}, api: rect{10, 364, 206, 142}, user: rect{536, 364, 214, 66},
		nodes: rect{536, 8, 214, 306}, nodesDown: true,
		columns: 1, rule: size{196, 32, 8}, pod: size{190, 28, 6}, mostNodes: 3,
	},
	Narrow: {
		width: 360, height: 390,
		client: rect{4, 4, 166, 80}, dns: rect{206, 4, 150, 80}, asksAcross: true,
		rules: rect{4, 92, 352, 114}, nodes: rect{4, 222, 352, 82}, api: rect{4, 312, 352, 76}, slice: rect{10, 340, 340, 45},
		columns: 2, rule: size{160, 22, 4}, pod: size{50, 22, 3}, mostNodes: 3, sliceInAPI: true,
	},
}

func newPacketView(s *Stage) *packetView {
	return &packetView{Stage: s, at: packetLayouts[s.layout], slices: map[string]*discoveryv1.EndpointSlice{},
		routes: routes{to: map[string]string{}}, stale: true}
}

func (v *packetView) size() (width, height int) { return v.at.width, v.at.height }

func (v *packetView) hasQueues() bool { return false }

func (v *packetView) watched(string) { v.stale = true }

func (v *packetView) message(*trace.Event, string, any, bool) {}

func (v *packetView) follow(e *trace.Event, _ bool) {
	for _, d := range e.Deltas {
		switch d.Cell.Kind {
		case trace.CellObject:
			if d.Cell.Owner == "endpointslices" {
				if o, ok := d.New.(*discoveryv1.EndpointSlice); ok {
					v.slices[d.Cell.Key] = o
				} else {
					delete(v.slices, d.Cell.Key)
				}
			}
			if o, ok := d.New.(*corev1.Service); ok && balancerOf(o) != "" {
				v.shows = castBalancer
			} else if d.Cell.Owner == "ingresses" {
				v.shows = castIngress
			}
			v.stale = true
		case trace.CellMessage, trace.CellCache, trace.CellQueue, trace.CellWorker:
		default:
			v.stale = true
		}
	}
	if v.followDoor(e) || v.followWay(e) || v.routes.follow(e) {
		v.stale = true
	}
}

// followWay takes note of what becomes of the request that was made last, and tells whether that is something new.
func (v *packetView) followWay(e *trace.Event) bool {
	way, number := &v.way, attrText(e, "request")
	switch {
	case e.Op == trace.NetRequest:
		v.shows = ""
		*way = journey{number: number, from: e.Text("from"), url: e.Text("method") + " " + e.Text("url")}
		return true
	case e.Op == trace.NetDNS && way.number != "" && way.before == "":
		way.answer = e.Text("answer")
		if way.resolved = way.answer != ""; !way.resolved {
			way.answer = e.Text("code")
		}
		return true
	case number == "" || number != way.number && (number != way.passedOn || e.Op == trace.NetDone):
		return false
	}
	switch e.Op {
	case trace.NetSend:
		if way.node != "" || v.pods[way.from] != nil || e.Text("from") != way.from {
			return false
		}
		way.node = e.Text("to")
	case trace.NetTranslate:
		way.before, way.after = e.Text("before"), e.Text("after")
	case trace.NetDrop:
		way.failed = true
		if way.before == "" { // by a rule
			way.before = e.Text("destination")
		}
		why := plain(e.Text("reason"))
		if e.Text("reason") == "no-route" {
			why = said("scene.packet.no-route")
		}
		way.outcome = first(v.outcomeRoom(), typeName, why, said("scene.packet.lost"))
	case trace.NetDone:
		if way.failed = e.Text("failure") != ""; way.failed {
			failure := e.Text("failure")
			way.outcome = first(v.outcomeRoom(), typeName, plain(failure), plain(strings.TrimPrefix(failure, "connection ")), said("scene.packet.failed"))
		} else {
			code := attrText(e, "code")
			way.outcome, way.failed = plain(code), code >= "400"
		}
	default:
		return false
	}
	return true
}

func (v *packetView) outcomeRoom() int { return v.at.client.w - 48 }

// attrText is an attribute as text, also when it is a number.
func attrText(e *trace.Event, key string) string {
	if n, ok := e.Get(key).(int64); ok {
		return count(n)
	}
	return e.Text(key)
}

func (v *packetView) draw() {
	if v.dirty.board || len(v.dirty.areas) > 0 || len(v.dirty.nodes) > 0 || v.dirty.user {
		v.stale = true
	}
	v.dirty = newDirt()
	if !v.stale {
		return
	}
	v.stale = false
	v.group("packet view", func(put func(Shape)) {
		v.drawClient(put)
		v.drawDoor(put)
		v.drawAPI(put)
		if v.showsRoutes() {
			v.drawRoutes(put)
		} else {
			v.drawRules(put)
			v.drawSlice(put)
		}
		v.drawNodes(put)
	})
}

// client is the Pod that sends requests: the last one that did, or else the first that belongs to nobody.
func (v *packetView) client() string {
	if v.way.from != "" {
		return v.way.from
	}
	for _, key := range sortedKeys(v.pods) {
		if len(v.pods[key].OwnerReferences) == 0 && !strings.HasPrefix(key, "kube-system/") {
			return key
		}
	}
	if v.shows != "" {
		return "outside" // who comes through a door
	}
	return ""
}

// home is the node whose rules the request meets first.
func (v *packetView) home() string {
	if p := v.pods[v.client()]; p != nil && p.Spec.NodeName != "" {
		return p.Spec.NodeName
	}
	if _, hasRules := v.network.forwards[v.way.node]; hasRules {
		return v.way.node
	}
	if shown, _ := v.nodesBeside(v.at.mostNodes); len(shown) > 0 {
		return shown[0]
	}
	return ""
}

// packet draws what travels: from the client past its rule to a Pod, or to the name server, and back.
func (v *packetView) packet(number string, n any) {
	route, pill := "route/"+number, "packet/"+number
	p, there := n.(trace.Packet)
	if !there {
		v.drop(pill)
		v.drop(route)
		return
	}
	s, back := packetPill(pill, route, p, 200)
	s.Back = back
	at := v.toDoor()
	if !passesDoor(p) {
		if at = v.toPod(p); back {
			at = v.toPod(trace.Packet{From: p.To, To: p.From, Destination: v.way.after})
		}
	}
	if at == "" {
		return
	}
	v.pass++
	v.put("packets", Shape{ID: route, Kind: Line, Role: RoleRoute, Path: at, Z: LayerPackets}, v.pass)
	v.put("packets", s, v.pass)
}

// toPod is the way past the rule that was chosen to the Pod that has the address, or to its node.
func (v *packetView) toPod(p trace.Packet) string {
	a := &v.at
	row := v.ruleRect(max(0, slices.Index(v.behind(), p.Destination)))
	if v.showsRoutes() {
		row = v.routeRect(max(0, v.routed(p.Destination)))
	}
	ip, _, _ := strings.Cut(p.Destination, ":")
	pod := v.podOf(ip)
	shown, _ := v.nodesBeside(a.mostNodes)
	for i, node := range shown {
		keys, places := v.podPlaces(node)
		j := slices.Index(keys, pod)
		if j < 0 && node != p.To {
			continue
		}
		end := v.nodeRect(i)
		if j >= 0 {
			end = places[j]
		}
		y, mid := row.y+row.h/2, end.y+end.h/2
		if a.nodesDown {
			street, lane, from := (a.rules.right()+a.nodes.x)/2, (a.client.right()+a.rules.x)/2, a.client.y+66
			if v.way.door != "" {
				from = a.dns.y + a.dns.h/2
			}
			return path(a.client.right(), from, lane, from, lane, y, street, y, street, mid, end.x, mid)
		}
		// Beside the words, and below the addresses.
		low, street, x := a.rules.bottom()-14, (a.rules.bottom()+a.nodes.y)/2, a.rules.x+8
		if v.way.door != "" {
			x = a.rules.right() - 8
		}
		return path(x, a.client.bottom(), x, low, row.mid(), low, row.mid(), street, end.mid(), street, end.mid(), end.y)
	}
	return ""
}
