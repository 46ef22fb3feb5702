package scene

import (
	"slices"
	"sort"
	"strings"

	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/trace"
)

// packetView follows one request: whoever sends it, the name server, the rules of the sender's node, and the
// Pods behind the Service. Beside it stands the EndpointSlice from which kube-proxy makes the rules.
type packetView struct {
	*Stage
	at     packetPlaces
	way    journey
	slices map[string]*discoveryv1.EndpointSlice
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
}

type packetPlaces struct {
	width, height int
	client, dns   rect
	rules, slice  rect
	api, user     rect
	nodes         rect
	asksAcross    bool // the name server stands beside the client
	nodesDown     bool // nodes stand below each other
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
		width: 360, height: 330,
		client: rect{4, 4, 166, 80}, dns: rect{206, 4, 150, 80}, asksAcross: true,
		rules: rect{4, 98, 352, 124}, nodes: rect{4, 244, 352, 82},
		columns: 2, rule: size{160, 24, 4}, pod: size{50, 22, 3}, mostNodes: 3,
	},
}

func newPacketView(s *Stage) *packetView {
	return &packetView{Stage: s, at: packetLayouts[s.layout], slices: map[string]*discoveryv1.EndpointSlice{}, stale: true}
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
			v.stale = true
		case trace.CellMessage, trace.CellCache, trace.CellQueue, trace.CellWorker:
		default:
			v.stale = true
		}
	}
	number := attrText(e, "request")
	if e.Op == trace.NetRequest {
		v.way = journey{number: number, from: e.Text("from"), url: e.Text("method") + " " + e.Text("url")}
		v.stale = true
		return
	}
	if e.Op == trace.NetDNS && v.way.number != "" && v.way.before == "" {
		v.way.answer, v.stale = e.Text("answer"), true
		if v.way.resolved = v.way.answer != ""; !v.way.resolved {
			v.way.answer = e.Text("code")
		}
		return
	}
	if number != v.way.number || number == "" {
		return
	}
	switch e.Op {
	case trace.NetSend:
		if v.way.node != "" || v.pods[v.way.from] != nil || e.Text("from") != v.way.from {
			return
		}
		v.way.node = e.Text("to")
	case trace.NetTranslate:
		v.way.before, v.way.after = e.Text("before"), e.Text("after")
	case trace.NetDrop:
		v.way.failed = true
		if v.way.before == "" { // by a rule
			v.way.before = e.Text("destination")
		}
		v.way.outcome = first(v.outcomeRoom(), typeName, plain(e.Text("reason")), said("scene.packet.lost"))
	case trace.NetDone:
		if v.way.failed = e.Text("failure") != ""; v.way.failed {
			failure := e.Text("failure")
			v.way.outcome = first(v.outcomeRoom(), typeName, plain(failure), plain(strings.TrimPrefix(failure, "connection ")), said("scene.packet.failed"))
		} else {
			v.way.outcome = plain(attrText(e, "code"))
		}
	default:
		return
	}
	v.stale = true
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
		v.drawDNS(put)
		v.drawRules(put)
		v.drawSlice(put)
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

func (v *packetView) line(put func(Shape), id, role string, in rect, i int, w words) {
	l := text(id, role, rect{in.x + 14, in.y + 30 + i*23, in.w - 28, 22}, w)
	l.Z = LayerChips
	if l.Title != "" || l.Word != "" {
		put(l)
	}
}

func (v *packetView) drawClient(put func(Shape)) {
	a, key := &v.at, v.client()
	if key == "" {
		return
	}
	c := panel("pod/"+key, RolePod, "", a.client, "pods "+key)
	if p := v.pods[key]; p != nil {
		c.State = v.podState(key)
	}
	c.Title = fitFirst(a.client.w-28, typeName, names(key)...)
	if v.pods[key] != nil {
		c.setDetail(first(a.client.w-28-c.titleWidth(typeName)-10, typeText, plain(v.home())))
	}
	put(c)
	if v.way.url == "" {
		v.line(put, "packet/asks", RoleLabel, a.client, 0, first(a.client.w-28, typeText, said("scene.packet.none"), said("scene.packet.none.brief")))
	}
	v.line(put, "packet/asks", RoleSays, a.client, 0, first(a.client.w-28, typeText, plain(v.way.url), plain(strings.TrimPrefix(v.way.url, "GET "))))
	if v.way.outcome.key+v.way.outcome.text != "" {
		o := text("packet/outcome", RoleDifference, rect{a.client.x + 14, a.client.bottom() - 27, a.client.w - 28, 22}, v.way.outcome)
		if o.State, o.Mark, o.Z = "settled", "✓", LayerChips; v.way.failed {
			o.State, o.Mark = "missing", "✕"
		}
		put(o)
	}
	if a.asksAcross {
		put(Shape{ID: "wire/dns", Kind: Line, Role: RoleWire, Path: path(a.client.right(), 60, a.dns.x, 60), Z: LayerWires})
	} else {
		put(Shape{ID: "wire/dns", Kind: Line, Role: RoleWire, Path: path(a.dns.mid(), a.client.bottom(), a.dns.mid(), a.dns.y)})
	}
}

// fitFirst is the first text that fits; "" for none.
func fitFirst(units, font int, of ...string) string {
	for _, s := range of {
		if fits(s, units, font) {
			return s
		}
	}
	return ""
}

func (v *packetView) drawDNS(put func(Shape)) {
	a := &v.at
	d := panel("component/coredns", RoleMinor, "", a.dns, "coredns")
	if up, ran := v.cast["coredns"]; ran && !up {
		d.State, d.Mark = "down", frameMarks["down"]
	}
	d.setTitle(said("scene.dns"))
	put(d)
	if v.way.answer == "" && d.State == "" {
		v.line(put, "packet/name", RoleLabel, a.dns, 0, first(a.dns.w-28, typeText, said("scene.dns.none"), said("scene.dns.none.brief")))
	}
	if v.way.answer != "" {
		name := v.way.url[strings.LastIndexByte(v.way.url, '/')+1:]
		v.line(put, "packet/name", RoleLabel, a.dns, 0, first(a.dns.w-28, typeText, plain(name)))
		if a.dns.h >= 80 {
			v.line(put, "packet/answer", RoleSays, a.dns, 1, first(a.dns.w-28, typeText, plain("→ "+v.way.answer), plain(v.way.answer)))
		}
	}
}

// service is the address whose rules are shown: where the request went, or else that of the first Service.
func (v *packetView) service() string {
	rules := v.network.forwards[v.home()]
	var own []string
	for _, address := range sortedKeys(rules) {
		if v.serviceAt(address) == "" {
			continue
		}
		if v.way.before != "" && strings.HasPrefix(address, v.way.before+"/") {
			return address
		}
		own = append(own, address)
	}
	if len(own) == 0 {
		return ""
	}
	return own[0]
}

// ruleRect is the place of one of the addresses behind the Service.
func (v *packetView) ruleRect(i int) rect {
	a := &v.at
	top := a.rules.y + 92
	if a.columns > 1 {
		top = a.rules.y + 64
	}
	return rect{a.rules.x + 14 + i%a.columns*(a.rule.w+a.rule.gap), top + i/a.columns*(a.rule.h+a.rule.gap), a.rule.w, a.rule.h}
}

func (v *packetView) behind() []string {
	to := v.network.forwards[v.home()][v.service()]
	if to == "REJECT" {
		return nil
	}
	out := strings.Fields(to)
	sort.Strings(out)
	return out
}

func (v *packetView) drawRules(put func(Shape)) {
	a, home, address := &v.at, v.home(), v.service()
	if home == "" {
		return
	}
	f := panel("rules", RoleRules, v.upState("kube-proxy/"+home), a.rules, "kube-proxy/"+home)
	f.setTitle(first(a.rules.w-40, typeName, said("scene.rulesOf", home), plain(home)))
	if f.State == "down" {
		f.setDetail(first(a.rules.w-48-f.titleWidth(typeName)-10, typeText, said("scene.down")))
	}
	put(f)
	put(Shape{ID: "wire/rules", Kind: Line, Role: RoleWire, Path: v.toRules()})
	if address == "" {
		if f.State != "down" {
			v.line(put, "rules/service", RoleLabel, a.rules, 0, said("scene.rules.none"))
		}
		return
	}
	ip, _, _ := strings.Cut(address, "/")
	if a.columns > 1 {
		v.line(put, "rules/service", RoleLabel, a.rules, 0, first(a.rules.w-28, typeText, plain(v.serviceAt(address)+" "+ip)))
	} else {
		v.line(put, "rules/service", RoleSays, a.rules, 0, first(a.rules.w-28, typeText, plain("Service "+v.serviceAt(address))))
		v.line(put, "rules/address", RoleSays, a.rules, 1, first(a.rules.w-28, typeText, plain(ip)))
	}
	v.drawDestination(put)
	behind := v.behind()
	if len(behind) == 0 {
		c := tile(Shape{ID: "rules/reject", Role: RoleRule, State: "rejected"}, v.ruleRect(0), "REJECT")
		c.Mark = marks["rejected"]
		put(c)
	}
	for i, to := range behind {
		r := v.ruleRect(i)
		if r.bottom() > a.rules.bottom()-6 || a.columns == 1 && i > 2 {
			break
		}
		c := tile(Shape{ID: "rules/" + to, Role: RoleRule, State: "open"}, r, to)
		if to == v.way.after { // of the Service's address, or of a node's port
			c.State = "chosen"
		}
		put(c)
	}
}

// drawDestination draws where the packet goes: what it was sent to, and what the rules made of that.
func (v *packetView) drawDestination(put func(Shape)) {
	r, way := v.at.rules, &v.way
	if v.at.columns > 1 || way.before == "" && !way.resolved {
		return
	}
	line := func(id, role string, i int, w words) {
		l := text(id, role, rect{r.x + 14, r.bottom() - 84 + i*26, r.w - 28, 24}, w)
		l.Z = LayerChips
		put(l)
	}
	line("packet/label", RoleLabel, 0, said("scene.packet.to"))
	if way.before == "" {
		line("packet/before", RoleDestination, 1, plain(way.answer))
		return
	}
	line("packet/before", RoleDestination, 1, plain(way.before))
	if way.after != "" {
		l := text("packet/after", RoleDestination, rect{r.x + 14, r.bottom() - 32, r.w - 28, 26}, plain("→ "+way.after))
		l.State, l.Z = "now", LayerChips
		put(l)
	}
}

// toRules is the way from the client to the rules.
func (v *packetView) toRules() string {
	a := &v.at
	if a.asksAcross {
		return path(a.client.x+40, a.client.bottom(), a.client.x+40, a.rules.y)
	}
	return path(a.client.right(), a.client.y+66, a.rules.x, a.client.y+66)
}

// drawSlice draws what kube-proxy makes the rules of.
func (v *packetView) drawSlice(put func(Shape)) {
	a := &v.at
	if a.slice.h == 0 {
		return
	}
	api := panel("apiserver", RoleAPIServer, v.upState(castAPIServer), a.api, castAPIServer)
	api.setTitle(said("scene.api"))
	put(api)
	if v.revision > 0 {
		r := text("store/revision", RoleStore, rect{a.api.x + 14, a.api.y + 32, a.api.w - 28, 22}, said("scene.revision", count(v.revision)))
		r.About = "store"
		put(r)
	}
	name, _, _ := strings.Cut(v.service(), ":")
	if addresses := sortedKeys(v.services); name == "" && len(addresses) > 0 {
		name = addresses[0] // stored, and no node has rules for it yet
	}
	service := v.serviceKey[name]
	if service != "" {
		v.line(put, "service/name", RoleLabel, a.api, 1, first(a.api.w-28, typeText, plain("Service "+v.services[name])))
		v.line(put, "service/address", RoleSays, a.api, 2, first(a.api.w-28, typeText, plain(name)))
	}
	others := slices.DeleteFunc(v.others(), func(name string) bool { return name == "coredns" })
	v.dots(put, others, a.api.right()-12, a.api.bottom()-18, a.api.w-24)
	put(Shape{ID: "wire/api", Kind: Line, Role: RoleWire, Path: path(a.api.right(), a.api.y+a.api.h/2, a.slice.x, a.api.y+a.api.h/2), Z: LayerWires})
	user := panel("user", RoleUser, "", a.user, castUser)
	user.setTitle(said("scene.user"))
	put(user)
	v.line(put, "user/command", RoleLabel, a.user, 0, plain(fitFirst(a.user.w-28, typeText, v.done.options...)))
	put(Shape{ID: "wire/slice", Kind: Line, Role: RoleWire,
		State: v.wireState("kube-proxy/"+v.home(), true), Path: path(a.slice.mid(), a.slice.y, a.slice.mid(), a.rules.bottom())})
	proxy := text("wire/slice/name", RoleHint, rect{a.slice.mid() + 8, (a.slice.y+a.rules.bottom())/2 - 11, 102, 22}, plain("kube-proxy"))
	if v.upState("kube-proxy/"+v.home()) == "down" {
		proxy.State, proxy.Mark = "down", frameMarks["down"]
	}
	put(proxy)
	for _, key := range sortedKeys(v.slices) {
		o := v.slices[key]
		owner := o.Namespace + "/" + o.Labels[discoveryv1.LabelServiceName]
		if owner != service && (service != "" || ofEveryCluster(owner)) {
			continue // as long as the node has no rules, what a user has made is shown
		}
		f := panel("slice", RoleAPIServer, "", a.slice, "endpointslices "+key)
		f.Title = "EndpointSlice"
		put(f)
		if len(o.Endpoints) == 0 {
			v.line(put, "slice/none", RoleLabel, a.slice, 0, first(a.slice.w-28, typeText, said("scene.slice.empty", bareName(owner)), said("scene.slice.empty.brief")))
		}
		for i := range o.Endpoints {
			e := &o.Endpoints[i]
			if len(e.Addresses) == 0 || i > 3 {
				break
			}
			l := text("slice/"+e.Addresses[0], RoleEndpoint, rect{a.slice.x + 14, a.slice.y + 36 + i*26, a.slice.w - 28, 24}, plain(e.Addresses[0]))
			l.Z = LayerChips
			if ready := e.Conditions.Ready; ready != nil && !*ready {
				l.State, l.Mark = "waiting", "○"
				l.setDetail(said("scene.notReady"))
			} else {
				l.State, l.Mark = "ready", "●"
				l.setDetail(plain("ready"))
			}
			put(l)
		}
		return
	}
	f := panel("slice", RoleAPIServer, "", a.slice, "")
	f.Title = "EndpointSlice"
	put(f)
	none := said("scene.slice.none")
	if service == "" {
		none = said("scene.rules.none")
	}
	v.line(put, "slice/none", RoleLabel, a.slice, 0, none)
}

// ofEveryCluster tells the Services that are there before a user makes one.
func ofEveryCluster(key string) bool {
	return key == "default/kubernetes" || strings.HasPrefix(key, "kube-system/")
}

func (v *packetView) nodeRect(i int) rect {
	a := &v.at
	shown, _ := v.nodesBeside(a.mostNodes)
	n := max(1, len(shown))
	if a.nodesDown {
		h := (a.nodes.h - (n-1)*14) / n
		return rect{a.nodes.x, a.nodes.y + i*(h+14), a.nodes.w, h}
	}
	w := (a.nodes.w - (n-1)*6) / n
	return rect{a.nodes.x + i*(w+6), a.nodes.y, w, a.nodes.h}
}

// podPlaces are the places of a node's Pods, but for the client.
func (v *packetView) podPlaces(node string) (keys []string, places []rect) {
	a := &v.at
	shown, _ := v.nodesBeside(a.mostNodes)
	area, i := v.areas[nodeArea(node)], slices.Index(shown, node)
	if area == nil || i < 0 {
		return nil, nil
	}
	r := v.nodeRect(i)
	columns := max(1, (r.w-12+a.pod.gap)/(a.pod.w+a.pod.gap))
	for _, key := range area.keys {
		if key == "" || key == v.client() || strings.HasPrefix(key, ghostKey) || strings.HasPrefix(key, "kube-system/") {
			continue
		}
		n := len(keys)
		at := rect{r.x + (r.w-columns*(a.pod.w+a.pod.gap)+a.pod.gap)/2 + n%columns*(a.pod.w+a.pod.gap), r.y + 34 + n/columns*(a.pod.h+a.pod.gap), a.pod.w, a.pod.h}
		if at.bottom() > r.bottom()-2 {
			break
		}
		keys, places = append(keys, key), append(places, at)
	}
	return keys, places
}

func (v *packetView) drawNodes(put func(Shape)) {
	shown, _ := v.nodesBeside(v.at.mostNodes)
	for i, name := range shown {
		r := v.nodeRect(i)
		state, says := v.nodeState(name)
		f := panel("node/"+name, RoleNode, state, r, "nodes "+name)
		f.Title = fitFirst(r.w-48, typeName, name, name[strings.LastIndexByte(name, '-')+1:])
		f.setDetail(first(r.w-48-f.titleWidth(typeName)-10, typeText, says))
		put(f)
		keys, places := v.podPlaces(name)
		for j, key := range keys {
			t := tile(Shape{ID: "pod/" + key, Role: RolePod, State: v.podState(key), About: "pods " + key}, places[j], names(key)[1:]...)
			if ip := v.pods[key]; t.Mark != "" && ip != nil && fits(ip.Status.PodIP, t.W-41-(textWidth(t.Title, typeText)+9)/10, typeText) {
				t.Detail = ip.Status.PodIP
			}
			put(t)
		}
		v.drawLeads(put, name, r, places)
	}
}

// drawLeads says below a node's Pods where its own rules lead, so that one node's can be compared with another's.
func (v *packetView) drawLeads(put func(Shape), node string, in rect, pods []rect) {
	to := v.network.forwards[node][v.service()]
	at := rect{in.x + 10, in.bottom() - 25, in.w - 20, 22}
	if to == "" || len(pods) > 0 && pods[len(pods)-1].bottom() > at.y {
		return
	}
	behind := strings.Fields(to)
	sort.Strings(behind)
	var addresses []string
	for _, b := range behind {
		ip, _, _ := strings.Cut(b, ":")
		addresses = append(addresses, ip)
	}
	room, short, n := at.w-18, strings.Join(addresses, " "), number(len(behind))
	l := text("leads/"+node, RoleHint, at,
		first(room, typeText, said("scene.rules.lead", short), said("scene.rules.leads", n), plain("→ "+short), plain("→ "+n)))
	if l.Z, l.About = LayerChips, "kube-proxy/"+node; v.upState("kube-proxy/"+node) == "down" {
		l.State, l.Mark = "down", frameMarks["down"]
	}
	put(l)
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
	at := v.toDNS()
	if p.From != "coredns" && p.To != "coredns" {
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

func (v *packetView) toDNS() string {
	a := &v.at
	if a.asksAcross {
		return path(a.client.right()-20, 60, a.dns.x+20, 60)
	}
	return path(a.dns.mid(), a.client.bottom(), a.dns.mid(), a.dns.y)
}

// toPod is the way past the rule that was chosen to the Pod that has the address, or to its node.
func (v *packetView) toPod(p trace.Packet) string {
	a := &v.at
	row := v.ruleRect(max(0, slices.Index(v.behind(), p.Destination)))
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
			street, door := (a.rules.right()+a.nodes.x)/2, (a.client.right()+a.rules.x)/2
			return path(a.client.right(), a.client.y+66, door, a.client.y+66, door, y, street, y, street, mid, end.x, mid)
		}
		// Beside the words, and below the addresses.
		low, street := a.rules.bottom()-14, (a.rules.bottom()+a.nodes.y)/2
		return path(a.rules.x+8, a.client.bottom(), a.rules.x+8, low, row.mid(), low, row.mid(), street, end.mid(), street, end.mid(), end.y)
	}
	return ""
}
