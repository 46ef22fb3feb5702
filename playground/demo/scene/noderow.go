package scene

import "strings"

// drawPods draws the Pods of an area.
func (v *surroundings) drawPods(area string) {
	node, isNode := strings.CutPrefix(area, "node/")
	if !isNode {
		v.podTiles(area, v.around.waiting, v.around.tiles...)
		return
	}
	shown, _ := v.nodesBeside(v.around.mostNodes)
	for i, name := range shown {
		if name == node {
			r, in := v.nodeRect(i), v.around.inNode
			v.podTiles(area, rect{r.x + in.x, r.y + in.y, r.w - in.x - in.w, r.h - in.y - in.h - v.rulesHeight()}, v.around.tiles...)
			return
		}
	}
	v.group("pods "+area, func(func(Shape)) {})
}

func (v *surroundings) nodeRect(i int) rect {
	shown, others := v.nodesBeside(v.around.mostNodes)
	n := len(shown)
	if others > 0 {
		n++
	}
	gap := v.around.nodes.w / 60
	area := v.around.nodes
	w := min((area.w-(n-1)*gap)/n, max(area.w/2, 340))
	return rect{area.x + (area.w-n*w-(n-1)*gap)/2 + i*(w+gap), area.y, w, area.h}
}

func (v *surroundings) drawNodes() {
	v.group("nodes", func(put func(Shape)) {
		shown, others := v.nodesBeside(v.around.mostNodes)
		here := map[string]bool{}
		for i, name := range shown {
			here[nodeArea(name)] = true
			r := v.nodeRect(i)
			state, says := v.nodeState(name)
			f := panel("node/"+name, RoleNode, state, r, "nodes "+name)
			room := r.w - 28
			if f.Mark != "" {
				room -= 20
			}
			f.Title = name
			if !fits(name, room, typeName) {
				f.Title = name[strings.LastIndexByte(name, '-')+1:]
			}
			options := []words{says}
			if v.cast[kubeadm+name] {
				options = append(options, plain("kubeadm"))
			}
			f.setDetail(first(room-(textWidth(f.Title, typeName)+9)/10-10, typeText, options...))
			put(f)
			v.drawRulesLine(put, name, r)
			v.drawElsewhere(put, name, r)
		}
		if others > 0 {
			pods := 0
			for area, a := range v.areas { // order: it counts
				if strings.HasPrefix(area, "node/") && !here[area] {
					pods += len(a.of)
				}
			}
			r := v.nodeRect(len(shown))
			put(panel("nodes", RoleNode, "ready", r, ""))
			in := v.around.inNode
			more := text("nodes/more", RoleLabel, rect{r.x + in.x, r.y + 8, r.w - in.x - in.w, 22}, words{})
			more.setTitle(first(more.W, typeText, said("scene.nodes.more", number(others)), plain("+"+number(others))))
			put(more)
			holds := text("nodes/pods", RoleLabel, rect{r.x + in.x, r.y + 32, r.w - in.x - in.w, 22}, words{})
			holds.setTitle(first(holds.W, typeText, said("scene.pods", number(pods)), plain(number(pods))))
			put(holds)
		}
	})
}

// rulesHeight is how much of a node's box what kube-proxy has written takes.
func (v *surroundings) rulesHeight() int {
	if v.around.hasRules && len(v.network.forwards) > 0 {
		return 22
	}
	return 0
}

// drawRulesLine says where a node's rules send what goes to the first Service, and how many Services they know. The
// cluster's own are left out.
func (v *surroundings) drawRulesLine(put func(Shape), node string, r rect) {
	rules := v.network.forwards[node]
	var addresses []string
	for _, address := range sortedKeys(rules) {
		if v.serviceAt(address) != "" {
			addresses = append(addresses, address)
		}
	}
	if len(addresses) == 0 || v.rulesHeight() == 0 {
		return
	}
	var to []string
	for _, a := range strings.Fields(rules[addresses[0]]) {
		ip, _, _ := strings.Cut(a, ":")
		if key := v.podOf(ip); key != "" {
			ip = suffix(bareName(key))
		}
		to = append(to, ip)
	}
	l := text("rules/"+node, RoleHint, rect{r.x + 14, r.bottom() - 26, r.w - 28, 22}, words{})
	if l.About = "nodes " + node; v.upState("kube-proxy/"+node) == "down" { // nobody keeps them true
		l.State, l.Mark = "down", frameMarks["down"]
	}
	name := v.serviceAt(addresses[0])
	options := []words{plain(name + " → " + strings.Join(to, " ")), said("scene.rules.brief", name, number(len(to)))}
	if n := len(addresses); n > 1 {
		options = []words{said("scene.rules.many", number(n))}
	}
	if l.setTitle(first(l.W-18, typeText, options...)); l.Title != "" || l.Word != "" {
		put(l)
	}
}
