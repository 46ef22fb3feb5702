package scene

import (
	"net/netip"
	"slices"
	"sort"
	"strings"

	"kubewalk/playground/trace"
)

// Where a cloud routes packets to Pods, and the request goes to no Service, the picture shows the cloud's routes in the place of kube-proxy's rules:
// which range of addresses leads to which node, and which leads nowhere. Below them stands who asks the cloud for them.

// castCloud is who makes a cloud's routes.
const castCloud = "cloud-controller-manager"

// routes are those of the cloud, as its controller's log tells of them.
type routes struct {
	are bool              // there is a controller for them
	to  map[string]string // range → node
}

// follow takes note of what becomes of the routes, and tells whether that is something new.
func (r *routes) follow(e *trace.Event) bool {
	if e.Op != trace.Log || e.Component != castCloud {
		return false
	}
	switch e.Text("message") {
	case "Starting route controller":
		r.are = true
	case "Route is made":
		r.to[e.Text("cidr")] = e.Text("node")
	case "Route is deleted":
		delete(r.to, e.Text("cidr"))
	default:
		return false
	}
	return true
}

// showsRoutes tells whether the cloud's routes stand where the rules do.
func (v *packetView) showsRoutes() bool { return v.routes.are && v.service() == "" && v.way.door == "" }

// ranges are those that a route leads to, or a Node has, in order.
func (v *packetView) ranges() (out []string) {
	out = sortedKeys(v.routes.to)
	for _, name := range sortedKeys(v.nodes) {
		if cidr := v.nodes[name].Spec.PodCIDR; cidr != "" && !slices.Contains(out, cidr) {
			out = append(out, cidr)
		}
	}
	sort.Strings(out)
	return out
}

// routed is which of the ranges an address is in; -1 for none.
func (v *packetView) routed(address string) int {
	host, _, _ := strings.Cut(address, ":")
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return -1
	}
	return slices.IndexFunc(v.ranges(), func(cidr string) bool {
		prefix, err := netip.ParsePrefix(cidr)
		return err == nil && prefix.Contains(ip)
	})
}

// asked is the address that the request goes to, if it names one.
func (v *packetView) asked() string {
	_, url, _ := strings.Cut(v.way.url, "://")
	host, _, _ := strings.Cut(url, "/")
	return host
}

// routeRect is the place of one of the ranges.
func (v *packetView) routeRect(i int) rect {
	r := v.at.rules
	h := v.at.rule.h
	return rect{r.x + 8, r.y + 34 + i*(h+6), r.w - 16, h}
}

func (v *packetView) drawRoutes(put func(Shape)) {
	a, ranges := &v.at, v.ranges()
	f := panel("rules", RoleRules, "", a.rules, castCloud)
	f.setTitle(first(a.rules.w-28, typeName, said("scene.routes"), said("scene.routes.brief")))
	put(f)
	put(Shape{ID: "wire/rules", Kind: Line, Role: RoleWire, Path: v.toRules()})
	if len(ranges) == 0 {
		v.line(put, "rules/service", RoleLabel, a.rules, 0, said("scene.packet.no-route"))
	}
	used := v.routed(v.asked())
	for i, cidr := range ranges {
		r := v.routeRect(i)
		if r.bottom() > a.rules.bottom()-4 {
			break
		}
		c := tile(Shape{ID: "rules/" + cidr, Role: RoleRule, State: "open"}, r, cidr+" → "+v.routes.to[cidr], cidr)
		switch {
		case v.routes.to[cidr] == "":
			c.State = "rejected"
			c.setTitle(first(r.w-6, typeText, said("scene.routes.none", cidr), plain(cidr)))
		case i == used:
			c.State = "chosen"
		}
		put(c)
	}
	v.drawCloud(put)
}

// drawCloud draws who asks for the routes, in the place of the EndpointSlice, and where the Nodes are whose ranges they are for.
func (v *packetView) drawCloud(put func(Shape)) {
	a := &v.at
	if a.sliceInAPI {
		return
	}
	put(Shape{ID: "wire/slice", Kind: Line, Role: RoleWire, State: v.wireState(castCloud, true), Path: path(a.slice.mid(), a.slice.y, a.slice.mid(), a.rules.bottom())})
	c := panel("component/"+castCloud, RoleController, v.upState(castCloud), a.slice, castCloud)
	c.setTitle(first(a.slice.w-48, typeName, plain(castCloud), plain("cloud-controller"))) // its whole name has no room
	put(c)
	v.line(put, "cloud/does", RoleLabel, a.slice, 0, first(a.slice.w-28, typeText, said("scene.routes.makes")))
	if t := v.trouble(castCloud); t.state != "" {
		l := text("cloud/trouble", RoleDifference, rect{a.slice.x + 14, a.slice.bottom() - 33, a.slice.w - 28, 22}, first(a.slice.w-46, typeName, t.words))
		l.State, l.Mark, l.Z = "missing", "✕", LayerChips
		put(l)
	}
}
