package scene

import (
	"slices"
	"sort"
	"strings"

	"kubewalk/playground/api/discoveryv1"
)

// The parts of the picture of a request, each in its place.

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
	v.line(put, "packet/asks", RoleSays, a.client, 0, first(a.client.w-28, typeText, plain(v.way.url), plain(strings.TrimPrefix(v.way.url, "GET ")),
		plain(strings.TrimPrefix(v.way.url, "GET http://"))))
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

// service is the address whose rules are shown: where the request went, or else that of the first Service.
func (v *packetView) service() string {
	rules := v.network.forwards[v.home()]
	var own []string
	for _, address := range sortedKeys(rules) {
		if v.serviceAt(address) == "" {
			continue
		}
		ip, _, _ := strings.Cut(address, ":")
		if v.way.service != "" && v.way.service == v.serviceKey[ip] || v.way.before != "" && strings.HasPrefix(address, v.way.before+"/") {
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
		top = a.rules.y + 58
	}
	return rect{a.rules.x + 14 + i%a.columns*(a.rule.w+a.rule.gap), top + i/a.columns*(a.rule.h+a.rule.gap), a.rule.w, a.rule.h}
}

// behind are the addresses behind the Service: those that the rules know, or in the Ingress controller's stead those of the slices.
func (v *packetView) behind() (out []string) {
	if v.isPastRules() {
		return v.inSlices(v.way.service)
	}
	if to := v.network.forwards[v.home()][v.service()]; to != "REJECT" {
		out = strings.Fields(to)
	}
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
	if v.isPastRules() {
		name := bareName(v.way.service)
		f = panel("rules", RoleRules, "", a.rules, "services "+v.way.service)
		f.setTitle(first(a.rules.w-28, typeName, plain("Service "+name), plain(name), plain("Service")))
	}
	if f.State == "down" {
		f.setDetail(first(a.rules.w-48-f.titleWidth(typeName)-10, typeText, said("scene.down")))
	}
	put(f)
	if v.way.door == "" {
		put(Shape{ID: "wire/rules", Kind: Line, Role: RoleWire, Path: v.toRules()})
	}
	if address == "" {
		if f.State != "down" {
			v.line(put, "rules/service", RoleLabel, a.rules, 0, said("scene.rules.none"))
		}
		return
	}
	ip, _, _ := strings.Cut(address, "/")
	if v.isPastRules() {
		v.line(put, "rules/service", RoleLabel, a.rules, 0, first(a.rules.w-28, typeText, said("scene.rules.past")))
	} else if a.columns > 1 {
		v.line(put, "rules/service", RoleLabel, a.rules, 0, first(a.rules.w-28, typeText, plain(v.serviceAt(address)+" "+ip)))
	} else {
		v.line(put, "rules/service", RoleSays, a.rules, 0, first(a.rules.w-28, typeText, plain("Service "+v.serviceAt(address))))
		v.line(put, "rules/address", RoleSays, a.rules, 1, first(a.rules.w-28, typeText, plain(ip)))
	}
	v.drawDestination(put)
	behind := v.behind()
	if len(behind) == 0 {
		c := tile(Shape{ID: "rules/reject", Role: RoleRule, State: "rejected"}, v.ruleRect(0), "REJECT")
		if v.isPastRules() {
			c.setTitle(said("scene.slice.empty.brief"))
		}
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
	if way.after != "" && way.after != way.before {
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

// drawAPI draws the API server, and the user where there is room.
func (v *packetView) drawAPI(put func(Shape)) {
	a := &v.at
	api := panel("apiserver", RoleAPIServer, v.upState(castAPIServer), a.api, castAPIServer)
	api.setTitle(said("scene.api"))
	put(api)
	address := v.shownService()
	hasService := v.serviceKey[address] != ""
	at := rect{a.api.x + 14, a.api.y + 32, a.api.w - 28, 22}
	if a.sliceInAPI { // beside its name
		at = rect{a.api.right() - 184, a.api.y + 3, 170, 22}
	}
	if v.revision > 0 && !(a.sliceInAPI && hasService) {
		r := text("store/revision", RoleStore, at, said("scene.revision", count(v.revision)))
		r.About = "store"
		put(r)
	}
	if a.sliceInAPI {
		if hasService {
			put(text("service/address", RoleSays, at, first(at.w, typeText, plain(v.services[address]+" "+address), plain(address))))
		}
		return
	}
	if hasService {
		v.line(put, "service/name", RoleLabel, a.api, 1, first(a.api.w-28, typeText, plain("Service "+v.services[address])))
		v.line(put, "service/address", RoleSays, a.api, 2, first(a.api.w-28, typeText, plain(address)))
	}
	others := slices.DeleteFunc(v.others(), func(name string) bool { return name == v.door() || name == castCloud && v.showsRoutes() })
	v.dots(put, others, a.api.right()-12, a.api.bottom()-18, a.api.w-24)
	put(Shape{ID: "wire/api", Kind: Line, Role: RoleWire, Path: path(a.api.right(), a.api.y+a.api.h/2, a.slice.x, a.api.y+a.api.h/2), Z: LayerWires})
	user := panel("user", RoleUser, "", a.user, castUser)
	user.setTitle(said("scene.user"))
	put(user)
	v.line(put, "user/command", RoleLabel, a.user, 0, plain(fitFirst(a.user.w-28, typeText, v.done.options...)))
	if v.showsRoutes() {
		return
	}
	reader := v.reader()
	brief, _, _ := strings.Cut(reader, "/")
	proxy := text("wire/slice/name", RoleHint, rect{a.slice.mid() + 8, (a.slice.y+a.rules.bottom())/2 - 11, 152, 22}, plain(brief))
	if v.upState(reader) == "down" {
		proxy.State, proxy.Mark = "down", frameMarks["down"]
	}
	put(proxy)
}

// reader is who makes the rules, or the Ingress controller's table, of the slices.
func (v *packetView) reader() string {
	if v.isPastRules() {
		return castIngress
	}
	return "kube-proxy/" + v.home()
}

// shownService is the address of the Service that is shown: as long as no node has rules for it, the first that is stored.
func (v *packetView) shownService() string {
	address, _, _ := strings.Cut(v.service(), ":")
	if addresses := sortedKeys(v.services); address == "" && len(addresses) > 0 {
		address = addresses[0]
	}
	return address
}

// drawSlice draws what kube-proxy makes the rules of.
func (v *packetView) drawSlice(put func(Shape)) {
	a := &v.at
	service := v.serviceKey[v.shownService()]
	wire := path(a.slice.mid(), a.slice.y, a.slice.mid(), a.rules.bottom())
	if a.sliceInAPI { // around the nodes
		edge := a.api.right() + 2
		wire = path(a.api.right(), a.api.y+a.api.h/2, edge, a.api.y+a.api.h/2, edge, a.rules.y+a.rules.h/2, a.rules.right(), a.rules.y+a.rules.h/2)
	}
	put(Shape{ID: "wire/slice", Kind: Line, Role: RoleWire, State: v.wireState(v.reader(), true), Path: wire})
	for _, key := range sortedKeys(v.slices) {
		o := v.slices[key]
		owner := o.Namespace + "/" + o.Labels[discoveryv1.LabelServiceName]
		if owner != service && (service != "" || ofEveryCluster(owner)) {
			continue // as long as the node has no rules, what a user has made is shown
		}
		v.drawSlicePanel(put, "endpointslices "+key, o.Endpoints)
		if len(o.Endpoints) == 0 {
			v.line(put, "slice/none", RoleLabel, v.inSlice(), 0, first(a.slice.w-28, typeText, said("scene.slice.empty", bareName(owner)), said("scene.slice.empty.brief")))
		}
		for i := range o.Endpoints {
			e := &o.Endpoints[i]
			if len(e.Addresses) == 0 || i > 3 || v.endpointRect(i).bottom() > a.slice.bottom() {
				break
			}
			l := text("slice/"+e.Addresses[0], RoleEndpoint, v.endpointRect(i), plain(e.Addresses[0]))
			says := plain("ready")
			if l.State, l.Mark, l.Z = "ready", "●", LayerChips; !isReady(e) {
				l.State, l.Mark = "waiting", "○"
				says = said("scene.notReady")
			}
			l.setDetail(first(l.W-28-l.titleWidth(typeText), typeText, says))
			put(l)
		}
		return
	}
	v.drawSlicePanel(put, "", nil)
	none := said("scene.slice.none")
	if service == "" {
		none = said("scene.rules.none")
	}
	v.line(put, "slice/none", RoleLabel, v.inSlice(), 0, none)
}

// inSlice is where the first line below the slice's name is measured from.
func (v *packetView) inSlice() rect {
	r := v.at.slice
	if v.at.sliceInAPI {
		r.y -= 9
	}
	return r
}

// drawSlicePanel draws the slice's box with its name; in the API server it also says how many are ready, for which there is no room beside each.
func (v *packetView) drawSlicePanel(put func(Shape), about string, endpoints []discoveryv1.Endpoint) {
	f, name := panel("slice", RoleAPIServer, "", v.at.slice, about), plain("EndpointSlice")
	if !v.at.sliceInAPI {
		f.setTitle(name)
		put(f)
		return
	}
	f.Role, f.Z = RoleMinor, LayerParts
	put(f)
	l := text("slice/name", RoleLabel, rect{f.X + 14, f.Y + 1, f.W - 28, 20}, name)
	ready := 0
	for i := range endpoints {
		if isReady(&endpoints[i]) {
			ready++
		}
	}
	l.Z, l.About = LayerChips, about
	put(l)
	if len(endpoints) == 0 {
		return
	}
	says := plain("ready " + number(ready) + "/" + number(len(endpoints)))
	w := says.width(typeText)
	n := text("slice/ready", RoleLabel, rect{f.X + f.W - 14 - w, f.Y + 1, w, 20}, says)
	n.Z = LayerChips
	put(n)
}

// endpointRect is the place of one of the slice's endpoints.
func (v *packetView) endpointRect(i int) rect {
	r := v.at.slice
	if v.at.sliceInAPI {
		w := (r.w - 20) / 3
		return rect{r.x + 10 + i%3*w, r.y + 22 + i/3*22, w, 22}
	}
	return rect{r.x + 14, r.y + 36 + i*26, r.w - 28, 24}
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
	left := (r.w - columns*(a.pod.w+a.pod.gap) + a.pod.gap) / 2
	for _, key := range area.keys {
		if key == "" || key == v.client() || strings.HasPrefix(key, ghostKey) || strings.HasPrefix(key, "kube-system/") {
			continue
		}
		n := len(keys)
		at := rect{r.x + left + n%columns*(a.pod.w+a.pod.gap), r.y + 34 + n/columns*(a.pod.h+a.pod.gap), a.pod.w, a.pod.h}
		if at.bottom() > r.bottom()-2 {
			break
		}
		keys, places = append(keys, key), append(places, at)
	}
	for from := 0; from < len(keys); from += columns {
		row := keys[from:min(from+columns, len(keys))]
		if !slices.ContainsFunc(row, func(key string) bool { return nameRoom(key) > a.pod.w }) {
			continue
		}
		for i := range row {
			places[from+i] = rowRect(places[from+i], rect{r.x + 6, 0, r.w - 12, 0}, row, columns, a.pod.gap, i)
			places[from+i].w = min(places[from+i].w, max(a.pod.w, nameRoom(row[i])))
		}
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
