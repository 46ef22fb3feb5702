package scene

import (
	"sort"
	"strings"

	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/trace"
)

// A request comes to a Service through a door: the name server tells a client in the cluster its address, and from outside it comes through a
// cloud's load balancer, or through an Ingress controller, which goes past the Service's address and kube-proxy's rules to the Pods themselves.
const (
	castDNS      = "coredns"
	castBalancer = "load-balancer"
	castIngress  = "ingress-controller"
)

// door is what stands between the client and the Service: what the request went through, or else what is new.
func (v *packetView) door() string {
	switch {
	case v.shows == castIngress && v.ingress() != "", v.shows == castBalancer && v.balancer() != "":
		return v.shows
	case v.way.door != "":
		return v.way.door
	}
	return castDNS
}

// isPastRules tells whether the request goes to a Pod without meeting kube-proxy's rules.
func (v *packetView) isPastRules() bool { return v.way.door == castIngress && v.way.service != "" }

// followDoor takes note of what a load balancer or an Ingress controller makes of the request, and tells whether that is something new.
func (v *packetView) followDoor(e *trace.Event) bool {
	way, number, to := &v.way, attrText(e, "request"), e.Text("to")
	switch {
	case e.Op == trace.NetRequest && way.door == castIngress && way.outcome == words{} && v.nodes[e.Text("from")] != nil:
		way.passedOn = number
		way.after, _, _ = strings.Cut(strings.TrimPrefix(e.Text("url"), "http://"), "/")
		way.before = way.after
	case e.Op == trace.NetSend && way.door == castBalancer && e.Text("from") == castBalancer && v.nodes[to] != nil:
		way.passedOn = number
	case e.Op == trace.Log && e.Component == castBalancer && way.door == castBalancer && e.Get("target") != nil:
		_, port, _ := strings.Cut(e.Text("address"), ":")
		way.node, way.passes = e.Text("target"), e.Text("target")+":"+port
	case e.Op == trace.NetSend && number == way.number && way.door == "" && (to == castBalancer || to == castIngress):
		way.door = to
		ip, _, _ := strings.Cut(e.Text("destination"), ":")
		for _, key := range sortedKeys(v.balancers) {
			if to == castBalancer && v.balancers[key] == ip {
				way.service = key
			}
		}
	case e.Op == trace.Log && e.Component == castIngress && way.door == castIngress && e.Get("host") != nil:
		way.rule, way.service = e.Text("rule"), e.Text("service")
		if way.isUnmet = way.rule == ""; way.isUnmet {
			way.rule = e.Text("host") + e.Text("path")
		}
	default:
		return false
	}
	return true
}

// ingress is the key of the first Ingress, "" for none.
func (v *packetView) ingress() string {
	for _, key := range sortedKeys(v.workloads) {
		if strings.HasPrefix(key, "ingresses ") {
			return key
		}
	}
	return ""
}

// balancer is the key of the Service whose load balancer is shown, "" for none.
func (v *packetView) balancer() string {
	for _, key := range sortedKeys(v.balancers) {
		if v.balancers[key] != "" && (v.shows != "" || v.way.service == "" || v.way.service == key) {
			return key
		}
	}
	return ""
}

// inSlices are the ready addresses of a Service's slices.
func (v *packetView) inSlices(service string) (out []string) {
	for _, key := range sortedKeys(v.slices) {
		o := v.slices[key]
		if o.Namespace+"/"+o.Labels[discoveryv1.LabelServiceName] != service {
			continue
		}
		for i := range o.Endpoints {
			e := &o.Endpoints[i]
			for j := range o.Ports {
				if port := o.Ports[j].Port; port != nil && isReady(e) && len(e.Addresses) > 0 {
					out = append(out, e.Addresses[0]+":"+n32(*port))
				}
			}
		}
	}
	sort.Strings(out)
	return out
}

func isReady(e *discoveryv1.Endpoint) bool { return e.Conditions.Ready == nil || *e.Conditions.Ready }

func (v *packetView) drawDoor(put func(Shape)) {
	a, door := &v.at, v.door()
	d := panel("component/"+door, RoleMinor, "", a.dns, door)
	if up, ran := v.cast[door]; ran && !up {
		d.State, d.Mark = "down", frameMarks["down"]
	}
	d.setTitle(first(a.dns.w-28, typeText, said("scene.door."+door), plain("Ingress")))
	put(d)
	if door != castDNS {
		at := path(a.dns.right(), a.dns.y+a.dns.h/2, a.rules.x, a.dns.y+a.dns.h/2)
		if a.asksAcross {
			at = path(a.rules.right()-8, a.dns.bottom(), a.rules.right()-8, a.rules.y)
		}
		put(Shape{ID: "wire/door", Kind: Line, Role: RoleWire, Path: at})
	}
	switch door {
	case castIngress:
		v.drawIngress(put)
	case castBalancer:
		key := v.balancer()
		v.line(put, "balancer/address", RoleSays, a.dns, 0, first(a.dns.w-28, typeText, plain(v.balancers[key])))
		to := []words{plain("→ " + v.way.passes), plain(v.way.passes)}
		if v.way.passes == "" {
			to = []words{plain("Service " + bareName(key)), plain(bareName(key))}
		}
		v.line(put, "balancer/to", RoleLabel, a.dns, 1, first(a.dns.w-28, typeText, to...))
	default:
		v.drawDNS(put, d.State)
	}
}

// drawIngress draws the rule that was met, and where it leads; before a request, the first rule.
func (v *packetView) drawIngress(put func(Shape)) {
	r, way := v.at.dns, &v.way
	rule, service := way.rule, bareName(way.service)
	if rule == "" {
		if details := v.workloads[v.ingress()].details; len(details) > 0 {
			rule, service, _ = strings.Cut(details[0].text, " → ")
		}
	}
	c := Shape{ID: "ingress/rule", Role: RoleRule, State: "open", About: v.ingress()}
	leads := plain("→ Service " + service)
	switch {
	case way.isUnmet:
		c.State, leads = "rejected", said("scene.ingress.none")
	case way.rule != "":
		c.State = "chosen"
	}
	if service == "" && !way.isUnmet {
		leads = words{}
	}
	host, _, _ := strings.Cut(rule, "/")
	put(tile(c, rect{r.x + 8, r.y + 32, r.w - 16, 22}, rule, host))
	v.line(put, "ingress/leads", RoleLabel, rect{r.x, r.y + 2, r.w, r.h}, 1, first(r.w-28, typeText, leads, plain("→ "+service)))
}

func (v *packetView) drawDNS(put func(Shape), state string) {
	a := &v.at
	if v.way.answer == "" && state == "" {
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

// passesDoor tells whether a packet goes from the client to a door, or back.
func passesDoor(p trace.Packet) bool {
	if p.From == castDNS || p.To == castDNS {
		return true
	}
	isAnswer := !strings.Contains(p.Destination, ":")
	isDoor := func(who string) bool { return who == castBalancer || who == castIngress }
	return isAnswer && isDoor(p.From) || !isAnswer && isDoor(p.To)
}

func (v *packetView) toDoor() string {
	a := &v.at
	if a.asksAcross {
		return path(a.client.right()-20, 60, a.dns.x+20, 60)
	}
	return path(a.dns.mid(), a.client.bottom(), a.dns.mid(), a.dns.y)
}
