package scene

import (
	"sort"
	"strings"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/trace"
)

// controllerPanel is one controller from inside, in the room that a view has for it: numbers, the sets of its queue, what it logs.
type controllerPanel struct {
	*Stage
	inside
	at    panelPlaces
	cloud cloudNumbers
}

func newControllerPanel(s *Stage, name string, at panelPlaces) controllerPanel {
	return controllerPanel{Stage: s, inside: newInside(name), at: at, cloud: newCloudNumbers()}
}

// follow takes note of an event; it tells whether that changed anything.
func (v *controllerPanel) follow(e *trace.Event) bool {
	changed := v.inside.follow(e)
	return v.name == castCloud && v.cloud.follow(e) || changed
}

// panelPlaces are where the parts of a controller are, and how large. What has no height is not drawn.
type panelPlaces struct {
	panel      rect
	want, have rect
	bar        rect
	says       rect // what the difference is
	expects    rect // what is waited for
	caches     rect // how much is in each cache, line by line; without it, in numbers
	note       rect // what is wrong with the controller, when there is no room for it behind the name
	labels     int  // height of the words above the sets; 0 when they stand before them
	queue      rect // all sets are one when there is no room for the workers
	worker     rect
	later      rect
	log        rect
	title      int // how wide the name may be, if not as wide as the panel
}

// moved are the same places elsewhere.
func (p panelPlaces) moved(dx, dy int) panelPlaces {
	for _, r := range []*rect{&p.panel, &p.want, &p.have, &p.bar, &p.says, &p.expects, &p.caches, &p.note, &p.queue, &p.worker, &p.later, &p.log} {
		r.x, r.y = r.x+dx, r.y+dy
	}
	return p
}

// draw draws the controller.
func (v *controllerPanel) draw() {
	a, id := &v.at, "component/"+v.name
	v.group(id, func(put func(Shape)) {
		state := v.upState(v.name)
		busy := v.busy()
		if state == "running" && len(busy) > 0 {
			state = "busy"
		}
		f := panel(id, RoleController, state, a.panel, v.name)
		v.setName(&f)
		_, ran := v.cast[v.name]
		if !ran {
			f := panel(id, RoleController, "unstarted", a.panel, v.name)
			v.setName(&f)
			f.setDetail(first(v.nameRoom(&f)-f.titleWidth(typeName)-10, typeText, said("scene.unstarted")))
			put(f)
			return
		}
		wrong := v.wrongWith(v.name, state == "down")
		room := v.nameRoom(&f) - f.titleWidth(typeName) - 10
		f.setDetail(first(room, typeText, wrong...))
		if n := len(wrong); n > 1 && a.note.h > 0 && first(room, typeText, wrong[:n-1]...) == (words{}) {
			f.setDetail(words{}) // a note says more
		}
		put(f)
		if all := v.seen[goals[v.name]]; len(wrong) == 0 && len(all) > 1 && all[v.about()] != nil { // of which the numbers are
			_, name, _ := strings.Cut(v.about(), "/")
			if about := first(room, typeText, plain(name), plain(suffix(name))); about != (words{}) {
				w := about.width(typeText)
				put(text(id+"/about", RoleLabel, rect{a.panel.x + 14 + v.nameRoom(&f) - w, a.panel.y + 5, w, 23}, about))
			}
		}
		isNoted := f.Detail+f.DetailWord == "" && len(wrong) > 0 && a.note.h > 0
		if isNoted {
			note := text(id+"/note", RoleLabel, a.note, first(a.note.w, typeText, wrong...))
			note.State = "slow"
			put(note)
		}
		if state == "down" { // its memory is gone with it
			if at := a.want; at.h > 0 {
				at.w, at.h = a.panel.right()-10-at.x, 24
				put(text(id+"/nothing", RoleLabel, at, first(at.w, typeText, said("scene.memory.gone"), said("scene.memory.gone.brief"))))
			}
			return
		}
		v.drawNumbers(put, id, isNoted)
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

// short is a log line without its numbers; "" when it is too long even so: half a sentence says something else.
func (v *controllerPanel) short(line string) string {
	line, _, isNumbered := strings.Cut(line, "=")
	if isNumbered {
		line = line[:max(0, strings.LastIndexByte(line, ' '))]
	}
	return fitFirst(v.at.log.w, typeText, line)
}

// nameRoom is how much room there is for the name, and for what stands behind it.
func (v *controllerPanel) nameRoom(f *Shape) int {
	room := v.at.panel.w - 28
	if v.at.title > 0 {
		room = v.at.title
	}
	if f.Mark != "" {
		room -= 20
	}
	return room
}

// setName sets the name; the sign before it goes where there is room for the name alone.
func (v *controllerPanel) setName(f *Shape) {
	options := []words{controllerName(v.name), briefName(v.name), plain(v.name), plain(brief(v.name))}
	w := first(v.nameRoom(f), typeName, options...)
	if w == (words{}) && f.Mark != "" {
		f.Mark = ""
		w = first(v.nameRoom(f), typeName, options...)
	}
	f.setTitle(w)
}

// wrongWith says what is wrong with a controller, from long to short.
func (s *Stage) wrongWith(name string, isDown bool) []words {
	if t := s.trouble(name); isDown {
		return []words{said("scene.down")}
	} else if t.state != "" {
		return []words{t.words}
	}
	return s.unwatched(name)
}

// unwatched says of which resources a component is no longer told, from long to short; nothing when it is told of all.
func (s *Stage) unwatched(name string) []words {
	lost := s.watches.lostOnes(name)
	if len(lost) == 0 {
		return nil
	}
	brief := make([]string, len(lost))
	for i, resource := range lost {
		brief[i] = short(resource)
	}
	return []words{said("scene.unwatched", strings.Join(lost, ", ")), said("scene.unwatched", strings.Join(brief, ", ")), said("scene.unwatched.many")}
}

// briefName is a controller's name without the word for what it is: "ReplicaSet"; none if it has no such name.
func briefName(name string) words {
	if key := "scene.brief." + name; phrase.Word("en", key) != "" {
		return said(key)
	}
	return plain(name)
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
func (v *controllerPanel) drawNumbers(put func(Shape), id string, isNoted bool) {
	a := &v.at
	large := func(key string, r rect, n string, label words) {
		if isNoted && a.note.x < r.right() && a.note.y < r.bottom() && r.y < a.note.bottom() { // the note stands where the label would
			r, label = rect{r.x, a.note.bottom(), r.w, r.bottom() - a.note.bottom()}, words{}
		}
		out := Shape{ID: id + "/" + key, Kind: Box, Role: RoleNumber, Form: string(FormNumber), Z: LayerParts, X: r.x, Y: r.y, W: r.w, H: r.h, Title: n}
		out.setDetail(label)
		put(out)
	}
	g := v.goal()
	if len(v.seen) == 0 || g.resource != "" && !g.known {
		v.drawNothing(put, id, isNoted)
		return
	}
	if g.resource == "" { // it compares something else: what it knows
		target, now, aims := v.utilization()
		if a.caches.h > 0 && !aims {
			v.drawCaches(put, id, isNoted)
			return
		}
		if a.want.h == 0 {
			return
		}
		if v.name == castCloud {
			v.drawCloud(isNoted, large)
			return
		}
		if aims {
			large("want", a.want, number(target), said("scene.target"))
			if now >= 0 {
				large("have", a.have, number(now), said("scene.usage"))
			}
			return
		}
		x := a.want.x
		for i, resource := range v.known() {
			if i == 4 {
				break
			}
			r := rect{x, a.want.y, max(a.want.w, (textWidth(plural(resource), typeText)+9)/10), a.want.h}
			if r.right() > a.panel.right()-10 {
				break
			}
			large("cache/"+resource, r, number(len(v.seen[resource])), plain(plural(resource)))
			x = r.right() + 16
		}
		return
	}
	if a.want.h == 0 {
		return
	}
	large("want", a.want, number(g.want), said("scene.wanted"))
	large("have", a.have, number(g.have), first(a.have.w, typeText, said("scene.inCache"), said("scene.seen"), said("scene.seen.brief")))
	// One place for each Pod: that is there, that is asked for, that is missing, that is too many.
	n := max(g.want, g.have)
	gap := 4
	if n > 12 {
		gap = 2
	}
	if n > 0 && n <= a.bar.w/4 && a.bar.h > 0 {
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
	if a.says.h > 0 && !isNoted {
		put(says)
	}
	waits := text(id+"/expects", RoleExpects, a.expects, words{})
	switch {
	case g.add > 0:
		waits.setTitle(first(a.expects.w, typeText, said("scene.expects.add", number(g.add)), said("scene.expects.add.brief", number(g.add))))
	case g.del > 0:
		waits.setTitle(first(a.expects.w, typeText, said("scene.expects.del", number(g.del)), said("scene.expects.del.brief", number(g.del))))
	default:
		return
	}
	if a.expects.h > 0 {
		put(waits)
	}
}

// drawNothing says why the controller has nothing to compare.
func (v *controllerPanel) drawNothing(put func(Shape), id string, isNoted bool) {
	a := &v.at
	if a.want.h == 0 || isNoted && a.note.y < a.want.y+24 {
		return
	}
	at := rect{a.want.x, a.want.y, a.panel.right() - 10 - a.want.x, 24}
	options := []words{said("scene.cache.empty"), said("scene.cache.empty.brief")}
	switch resource := goals[v.name]; {
	case len(v.seen[resource]) > 0: // but not that on which it works, or worked last
		name := bareName(v.subject)
		options = []words{said("scene.cache.lacks", kinds[resource]+" "+name), said("scene.cache.lacks.brief", name), said("scene.cache.lacks.brief", suffix(name))}
	case len(v.seen) > 0:
		options = append([]words{said("scene.cache.lacks", kinds[resource]), said("scene.cache.lacks.brief", kinds[resource])}, options...)
	case v.synced[resource]:
		options = append([]words{said("scene.cache.synced", kinds[resource])}, options...)
	}
	put(text(id+"/nothing", RoleLabel, at, first(at.w, typeText, options...)))
}

// cacheRank are the resources that a picture says first what a cache has of, when it has more than there is room for.
var cacheRank = map[string]int{"deployments": 4, "replicasets": 3, "pods": 2, "persistentvolumeclaims": 1}

// drawCaches says how much is in each cache, as far as there is room.
func (v *controllerPanel) drawCaches(put func(Shape), id string, isNoted bool) {
	const high = 19
	r := v.at.caches
	if note := v.at.note; isNoted && note.y < r.y {
		r.y, r.h = note.bottom(), r.bottom()-note.bottom()
	} else if isNoted {
		r.h = note.y - r.y
	}
	most := r.h / high
	names := v.known()
	sort.SliceStable(names, func(i, j int) bool { return cacheRank[names[i]] > cacheRank[names[j]] })
	for i, resource := range names {
		at := rect{r.x, r.y + i*high, r.w, high}
		if i == most-1 && len(names) > most { // the rest in a line
			var rest []string
			for _, other := range names[i:] {
				rest = append(rest, short(other)+" "+number(len(v.seen[other])))
			}
			left := number(len(rest))
			put(text(id+"/caches/more", RoleLabel, at, first(at.w, typeText, plain(strings.Join(rest, " · ")), said("scene.more", left), plain("+"+left))))
			return
		}
		if i >= most {
			return
		}
		n := number(len(v.seen[resource]))
		put(text(id+"/cache/"+resource, RoleLabel, at, first(at.w, typeText, plain(plural(resource)+" "+n), plain(short(resource)+" "+n))))
	}
}

// knownFirst are the kinds that a controller of many is about.
var knownFirst = map[string]int{"machinedeployments": 3, "machinesets": 2, "machines": 1}

// known are the resources that its caches hold something of, what it is about first, and Pods last.
func (v *controllerPanel) known() []string {
	names := unique(sortedKeys(v.seen))
	sort.SliceStable(names, func(i, j int) bool { return knownFirst[plural(names[i])] > knownFirst[plural(names[j])] })
	return names
}

// unique are a list's texts, in order, each once; Pods last, because they take the room that is left.
func unique(in []string) []string {
	set := map[string]bool{}
	for _, v := range in {
		set[v] = true
	}
	out := sorted(set)
	// Pods last: they take the room that is left.
	for i, v := range out {
		if v == "pods" {
			return append(append(out[:i:i], out[i+1:]...), v)
		}
	}
	return out
}

// busy are the keys that its workers have, in the workers' order.
func (v *controllerPanel) busy() (keys []string) {
	for _, proc := range sortedKeys(v.workers[v.name]) {
		if key := v.workers[v.name][proc]; key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// drawSets draws the work queue, what is being worked on, and what waits for its time.
func (v *controllerPanel) drawSets(put func(Shape), id string, busy []string) {
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
		if label != (words{}) {
			put(text(id+"/"+name+"/label", RoleLabel, at, label))
		}
		fillSet(put, id+"/"+name, r.inset(5, 5, 5), sets[name], keyNames)
	}
	if a.worker.h == 0 {
		sets["queue"] = append(append(sets["worker"], sets["queue"]...), sets["later"]...)
		place("queue", a.queue, words{})
		return
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
func (v *controllerPanel) laterWords() words {
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

// fillSet puts keys side by side, as many as there is room for; the others are counted. names are what a key is called, from long to short.
func fillSet(put func(Shape), id string, r rect, keys []Shape, names func(key string) []string) {
	signs := map[string]string{"dirty": "↻ ", "delayed": "◷ "}
	width := func(title string) int { return (textWidth(title, typeText)+9)/10 + 18 }
	const rest = 40 // "+12"
	x := r.x
	for i, c := range keys {
		room := r.right() - x
		if i < len(keys)-1 {
			room -= rest
		}
		title := c.Title
		for _, option := range names(title) {
			if c.Title = signs[c.State] + option; width(c.Title) <= room {
				break
			}
		}
		w := width(c.Title)
		if w > room && i == 0 { // one at least has its name, closer to its edges, if need be without its sign or its domain
			const edges = 16
			sign, options := strings.TrimSpace(signs[c.State]), names(title)
			last := options[len(options)-1]
			if parts := strings.Split(last, "."); len(parts) > 2 {
				last = parts[0] + "." + parts[1]
			}
			for _, option := range append(options, last) {
				for _, c.Title = range []string{sign + option, option} {
					if fits(c.Title, room-edges, typeText) {
						w = min(width(c.Title), room)
						break
					}
				}
				if w <= room {
					break
				}
			}
		}
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
