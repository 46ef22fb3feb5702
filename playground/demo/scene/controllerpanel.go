package scene

import (
	"strings"

	"kubewalk/playground/demo/phrase"
)

// This is what a controllerView shows inside the controller: numbers, the sets of its queue, what it logs.

// drawPanel draws the controller.
func (v *controllerView) drawPanel() {
	a, id := &v.at, "component/"+v.name
	v.group(id, func(put func(Shape)) {
		state := v.upState(v.name)
		busy := v.busy()
		if state == "running" && len(busy) > 0 {
			state = "busy"
		}
		f := panel(id, RoleController, state, a.panel, v.name)
		f.setTitle(first(a.panel.w-40, typeName, controllerName(v.name), plain(v.name)))
		if t := v.trouble(v.name); t.state != "" {
			f.setDetail(t.words)
		} else if lost := v.watches.lostOnes(v.name); len(lost) > 0 {
			f.setDetail(first(a.panel.w-28-f.titleWidth(typeName)-10, typeText, said("scene.unwatched", strings.Join(lost, ", ")), said("scene.unwatched.many")))
		}
		if _, ran := v.cast[v.name]; !ran || state == "down" {
			if ran {
				f.setDetail(said("scene.down"))
			}
			put(f)
			return // its memory is gone with it
		}
		put(f)
		v.drawNumbers(put, id)
		v.drawSets(put, id, busy)
		if a.log.h > 0 && v.logged.text != "" {
			l := text(id+"/log", RoleSays, a.log, words{})
			if l.Title = v.logged.text; !fits(l.Title, a.log.w, typeText) {
				l.Title = v.short(l.Title)
			}
			if len(busy) == 0 {
				l.State = "past"
			}
			if l.Title != "" {
				put(l)
			}
		}
	})
}

// short is a log line without its numbers; "" when it is too long even so.
func (v *controllerView) short(line string) string {
	line, _, _ = strings.Cut(line, "=")
	line = line[:max(0, strings.LastIndexByte(line, ' '))]
	if fits(line, v.at.log.w, typeText) {
		return line
	}
	return ""
}

// controllerName is what a controller is called in words: "ReplicaSet controller";
// one that has no such name is called what its log calls it.
func controllerName(name string) words {
	key := "scene.name." + name
	if phrase.Word("en", key) == "" {
		return words{text: name}
	}
	return said(key)
}

// titleWidth is how wide a shape's title is in the language in which it is longest.
func (s *Shape) titleWidth(font int) int {
	return words{key: s.Word, args: s.Args, text: s.Title}.width(font)
}

// drawNumbers draws what is wanted, what the cache has, and the difference.
func (v *controllerView) drawNumbers(put func(Shape), id string) {
	a := &v.at
	large := func(key string, r rect, n string, label words) {
		out := Shape{ID: id + "/" + key, Kind: Box, Role: RoleNumber, Form: string(FormNumber), Z: LayerParts, X: r.x, Y: r.y, W: r.w, H: r.h, Title: n}
		out.setDetail(label)
		put(out)
	}
	g := v.goal()
	if g.resource == "" { // it compares something else: what it knows
		x := a.want.x
		for i, resource := range v.known() {
			if i == 4 {
				break
			}
			r := rect{x, a.want.y, max(a.want.w, (textWidth(resource, typeText)+9)/10), a.want.h}
			if r.right() > a.panel.right()-10 {
				break
			}
			large("cache/"+resource, r, number(len(v.seen[resource])), plain(resource))
			x = r.right() + 16
		}
		return
	}
	if !g.known {
		return
	}
	large("want", a.want, number(g.want), said("scene.wanted"))
	large("have", a.have, number(g.have), first(a.have.w, typeText, said("scene.inCache"), said("scene.seen")))
	// One place for each Pod: that is there, that is asked for, that is missing, that is too many.
	n := max(g.want, g.have)
	gap := 4
	if n > 12 {
		gap = 2
	}
	if n > 0 && n <= a.bar.w/4 {
		w := min((a.bar.w-(n-1)*gap)/n, 64)
		for i := range n {
			c := Shape{ID: id + "/place/" + number(i), Kind: Box, Role: RolePlace, Form: string(FormTile), State: "there", Z: LayerParts,
				X: a.bar.x + i*(w+gap), Y: a.bar.y, W: w, H: a.bar.h}
			switch {
			case i >= g.want && i >= g.have-g.del:
				c.State = "leaving"
			case i >= g.want:
				c.State = "surplus"
			case i >= g.have && i < g.have+g.add:
				c.State = "asked"
			case i >= g.have:
				c.State = "missing"
			}
			put(c)
		}
	}
	says := text(id+"/difference", RoleDifference, a.says, words{})
	switch {
	case g.have < g.want:
		says.State = "missing"
		says.setTitle(said("scene.missing", number(g.want-g.have)))
	case g.have > g.want:
		says.State = "surplus"
		says.setTitle(said("scene.surplus", number(g.have-g.want)))
	default:
		says.State, says.Mark = "settled", "✓"
		says.setTitle(said("scene.settled"))
	}
	put(says)
	waits := text(id+"/expects", RoleExpects, a.expects, words{})
	switch {
	case g.add > 0:
		waits.setTitle(first(a.expects.w, typeText, said("scene.expects.add", number(g.add)), said("scene.expects.add.brief", number(g.add))))
	case g.del > 0:
		waits.setTitle(first(a.expects.w, typeText, said("scene.expects.del", number(g.del)), said("scene.expects.del.brief", number(g.del))))
	default:
		return
	}
	put(waits)
}

// known are the resources that its caches hold something of, Pods last.
func (v *controllerView) known() []string { return unique(sortedKeys(v.seen)) }

// busy are the keys that its workers have, in the workers' order.
func (v *controllerView) busy() (keys []string) {
	for _, proc := range sortedKeys(v.workers[v.name]) {
		if key := v.workers[v.name][proc]; key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// drawSets draws the work queue, what is being worked on, and what waits for its time.
func (v *controllerView) drawSets(put func(Shape), id string, busy []string) {
	a := &v.at
	sets := map[string][]Shape{}
	// order: a controller has one queue, or draws them in the order of their names.
	for _, queue := range sortedKeys(v.queues) {
		if v.queueOwner[queue] != v.name {
			continue
		}
		items := v.queues[queue]
		keys := sortedKeys(items)
		sortQueue(items, keys)
		for _, k := range keys {
			item := items[k]
			c := Shape{ID: "queue/" + queue + "/" + k, Kind: Box, Role: RoleQueueKey, Form: string(FormPill), State: "queued", Z: LayerChips, Title: k, About: v.name}
			if item.Processing {
				c.State = "processing"
				sets["worker"] = append(sets["worker"], c)
				if !item.Dirty {
					continue
				}
				// It will be queued again when the worker is done: its place in the queue is sketched.
				c.ID, c.State = c.ID+"/again", "dirty"
				sets["queue"] = append(sets["queue"], c)
				continue
			}
			if item.Position < 0 {
				c.State = "delayed"
				sets["later"] = append(sets["later"], c)
				continue
			}
			sets["queue"] = append(sets["queue"], c)
		}
	}
	place := func(name string, r rect, label words) {
		box := Shape{ID: id + "/" + name, Kind: Box, Role: RoleSet, Form: string(FormTile), Z: LayerParts, X: r.x, Y: r.y, W: r.w, H: r.h}
		box.State = "empty"
		if len(sets[name]) > 0 {
			box.State = "holds"
		}
		put(box)
		at := rect{r.x + 2, r.y - a.labels, r.w - 2, a.labels}
		if a.labels == 0 { // before it
			w := label.width(typeText)
			at = rect{r.x - w - 6, r.y + 4, w, 24}
		}
		put(text(id+"/"+name+"/label", RoleLabel, at, label))
		v.fillSet(put, id+"/"+name, r.inset(5, 5, 5), sets[name])
	}
	if a.labels > 0 {
		place("queue", a.queue, said("scene.queue.words"))
		put(Shape{ID: id + "/take", Kind: Line, Role: RoleTake, Path: path(a.queue.right(), a.queue.y+a.queue.h/2, a.worker.x, a.worker.y+a.worker.h/2)})
		place("worker", a.worker, said("scene.worker"))
		place("later", a.later, v.laterWords())
		return
	}
	sets["queue"] = append(sets["queue"], sets["later"]...)
	place("queue", a.queue, said("scene.queue.brief"))
	place("worker", a.worker, said("scene.worker"))
}

// laterWords say why keys wait for their time: how often a sync of the first has failed in a row.
func (v *controllerView) laterWords() words {
	for _, queue := range sortedKeys(v.queues) {
		if v.queueOwner[queue] != v.name {
			continue
		}
		for _, key := range sortedKeys(v.queues[queue]) {
			if item := v.queues[queue][key]; item.Position < 0 && !item.Processing && item.Failures > 0 {
				return first(v.at.later.w, typeText, said("scene.later.failed", number(item.Failures)), said("scene.later"))
			}
		}
	}
	return said("scene.later")
}

// fillSet puts keys side by side, as many as there is room for; the others are counted.
func (v *controllerView) fillSet(put func(Shape), id string, r rect, keys []Shape) {
	signs := map[string]string{"dirty": "↻ ", "delayed": "◷ "}
	width := func(title string) int { return (textWidth(title, typeText)+9)/10 + 18 }
	const rest = 40 // "+12"
	x := r.x
	for i, c := range keys {
		room := r.right() - x
		if i < len(keys)-1 {
			room -= rest
		}
		for _, title := range keyNames(c.Title) {
			if c.Title = signs[c.State] + title; width(c.Title) <= room {
				break
			}
		}
		w := width(c.Title)
		if w > room {
			more := text(id+"/more", RoleLabel, rect{x + 4, r.y, rest, r.h}, plain("+"+number(len(keys)-i)))
			more.Z = LayerChips
			put(more)
			return
		}
		c.X, c.Y, c.W, c.H = x, r.y, w, r.h
		put(c)
		x += w + 6
	}
}
