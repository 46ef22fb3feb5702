package scene

import "strings"

// drawController draws a controller's insides: what its informers have seen,
// which keys wait, and who works on what.
func (s *Stage) drawController(name string) {
	r, ok := s.board.frames[name]
	if !ok {
		return
	}
	if s.roles.of(name) == castMinor {
		s.drawMinor(name, r)
		return
	}
	if _, ran := s.cast[name]; !ran {
		return
	}
	labels := s.labels
	if r.w < 300 {
		labels = 0 // they stand above
	}
	s.group("component/"+name, func(put func(Shape)) {
		if s.upState(name) == "down" {
			return // its memory is gone with it
		}
		id := "component/" + name + "/"
		var resources []string
		// order: unique sorts.
		for _, owner := range sortedKeys(s.synced) {
			if c, resource, _ := strings.Cut(owner, "/"); c == name {
				resources = append(resources, resource)
			}
		}
		for _, owner := range sortedKeys(s.cacheSlots) {
			if c, resource, _ := strings.Cut(owner, "/"); c == name && len(s.caches[owner]) > 0 && !s.isSynced(owner) {
				resources = append(resources, resource)
			}
		}
		resources = unique(resources)
		y := r.y + 28
		if labels > 0 {
			y += 6
		}
		x := r.x + 12
		w := r.w - 24
		section := func(key, word, title string, h int) rect {
			if labels == 0 {
				l := label(id+key, rect{x, y, w, 15}, title, word)
				if key == "workers" {
					l.Detail = s.worksOn(name)
				}
				put(l)
				y += 15 + 2
				area := rect{x, y, w, h}
				y += h + s.gap
				return area
			}
			put(label(id+key, rect{x, y, labels - 8, s.row - 4}, title, word))
			area := rect{x + labels, y, w - labels, h}
			y += h + s.gap + 2
			return area
		}
		head, below := label(id+"cache", rect{x, y, w, 15}, "Informer cache", "scene.cache"), 17
		if labels > 0 {
			head.Y, head.H, below = y-4, 18, 18
		}
		if lost := s.watches.lostOnes(name); len(lost) > 0 {
			head.setDetail(first(w-said("scene.cache").width(s.font)-12, s.font, said("scene.unwatched", strings.Join(lost, ", ")),
				said("scene.unwatched.many")))
		}
		put(head)
		y += below
		// What is left after queue and workers is the caches'.
		left := r.bottom() - 10 - y - 2*(s.row+s.gap+2)
		if labels == 0 {
			left = r.bottom() - 6 - y - 2*(s.row+s.gap+17)
		}
		rows := max(1, (left+s.gap)/(s.row+s.gap))
		resources = s.worthARow(name, resources, rows)
		for i, resource := range resources {
			n := 1
			if resource == "pods" {
				n = max(1, rows-(len(resources)-1))
			}
			h := n*s.row + (n-1)*s.gap
			area := rect{x, y, w, h}
			if labels > 0 {
				l := label(id+"cache/"+resource, rect{x + 8, y, labels - 16, s.row - 4}, "", "")
				l.Title = fitEnd(resource, l.W, s.font)
				if s.watches.lost(name, resource) { // the mark hangs out, so that names stay in line
					l.Mark = marks["unwatched"]
					l.X, l.W = l.X-14, l.W+14
				}
				put(l)
				area.x += labels
				area.w -= labels
			}
			s.drawCache(put, name+"/"+resource, resource, area, labels == 0 && len(resources) > 2)
			y += h + s.gap
			if i == len(resources)-1 {
				y += 2
			}
		}
		low := r.bottom() - 10 - 2*s.row - s.gap - 2
		if labels == 0 {
			low = r.bottom() - 6 - 2*(s.row+17) - s.gap
		}
		y = max(y, low)
		queue := section("queue", "scene.queue", "Work queue", s.row)
		workers := section("workers", "scene.workers", "Workers", s.row)
		s.drawQueue(put, name, queue, workers)
	})
}

// worksOn says in few letters what a controller works on, for the layout whose
// workers are too small for a name.
func (s *Stage) worksOn(name string) string {
	for _, proc := range sortedKeys(s.workers[name]) {
		if key := s.workers[name][proc]; key != "" {
			return fitName(bareName(key), 60, s.font)
		}
	}
	return ""
}

func (s *Stage) isSynced(owner string) bool { _, ok := s.synced[owner]; return ok }

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

// worthARow picks the caches that are drawn when there is not room for all:
// those that hold something, in order. A controller that watches every resource
// (the garbage collector) has dozens.
func (s *Stage) worthARow(name string, resources []string, rows int) []string {
	if len(resources) <= rows {
		return resources
	}
	var out []string
	for _, r := range resources {
		if len(s.caches[name+"/"+r]) > 0 {
			out = append(out, r)
		}
	}
	if n := len(out); n > rows { // Pods, the last, are always among them
		out = append(out[:rows-1:rows-1], out[n-1])
	}
	return out
}

// drawCache draws what is in a cache. named says that its chips have to tell
// their kind, because nothing beside them does.
func (s *Stage) drawCache(put func(Shape), owner, resource string, area rect, named bool) {
	places := s.cacheSlots[owner]
	if places == nil {
		return
	}
	wide := 78
	if resource == "pods" {
		wide = 5*s.font*6/10 + 26 // "x2k9p" and a mark
	}
	if s.layout == Narrow {
		wide = 46
	}
	g := newGrid(area, len(places.keys), size{wide, s.row, s.gap}, size{14, 14, 3}, size{9, 9, 2}, size{5, 5, 1})
	component, _, _ := strings.Cut(owner, "/")
	unwatched := s.watches.lost(component, resource)
	for i, key := range places.keys {
		r, ok := g.at(i)
		if key == "" || !ok {
			continue
		}
		if g.cell.text() && resource != "pods" {
			r.w = min(r.w, 120)
		}
		state := "fresh"
		if now, stored := s.versions[resource+" "+key]; !stored {
			state = "gone"
		} else if now != s.caches[owner][key] {
			state = "stale"
		} else if unwatched {
			state = "unwatched"
		}
		title := suffix(bareName(key))
		if named && resource != "pods" {
			title = short(resource) + "/" + title
		}
		put(s.chip(Shape{ID: "cache/" + owner + "/" + key, Role: RoleCacheEntry, State: state, About: resource + " " + key}, r, title))
	}
}

// drawQueue draws a controller's keys. One that is being processed sits at its
// worker.
func (s *Stage) drawQueue(put func(Shape), name string, area, workers rect) {
	procs := sortedKeys(s.workers[name])
	at := map[string]rect{} // key → its worker's place
	const gap = 4
	n := max(5, len(procs))
	width := max(4, (workers.w-(n-1)*gap)/n)
	for i, proc := range procs {
		key := s.workers[name][proc]
		w := Shape{ID: "worker/" + name + "/" + proc, Kind: Box, Role: RoleWorker, State: "idle", Z: LayerParts,
			X: workers.x + i*(width+gap), Y: workers.y, W: width, H: workers.h, About: name}
		if w.X+w.W > workers.right() {
			break
		}
		if key != "" {
			w.State = "busy"
			at[key] = rect{w.X, w.Y, w.W, w.H}
		}
		put(w)
	}
	for _, queue := range sortedKeys(s.queues) {
		if s.queueOwner[queue] != name {
			continue
		}
		items := s.queues[queue]
		keys := sortedKeys(items)
		sortQueue(items, keys)
		waiting := 0
		for _, k := range keys {
			if !items[k].Processing || items[k].Dirty {
				waiting++
			}
		}
		q := newGrid(area, waiting, size{104, s.row, s.gap}, size{58, s.row, s.gap}, size{14, 14, 3}, size{8, 8, 2}, size{4, 4, 1})
		i := 0
		for _, k := range keys {
			item := items[k]
			c := Shape{ID: "queue/" + queue + "/" + k, Role: RoleQueueKey, State: "queued", About: name}
			switch {
			case item.Processing:
				c.State = "processing"
			case item.Position < 0:
				c.State = "delayed"
			}
			if item.Processing {
				if r, ok := at[k]; ok {
					put(s.chip(c, r, bareName(k)))
				}
				if !item.Dirty {
					continue
				}
				// It will be queued again when the worker is done: its place
				// in the queue is sketched.
				c.ID += "/again"
				c.State = "dirty"
			}
			r, ok := q.at(i)
			i++
			if !ok {
				continue
			}
			if q.cell.text() {
				r.w = min(r.w, 128)
			}
			title := k
			if !fits(k, r.w-25, s.font) {
				title = bareName(k)
			}
			put(s.chip(c, r, title))
		}
	}
}

// minorNames are the phrases that say in two words what a controller in brief
// does. Its name is what About says.
var minorNames = map[string]string{
	"generic-garbage-collector": "gc",
	"pod-garbage-collector":     "podgc",
	"node-controller":           "node",
	"taint-eviction-controller": "taint",
}

// drawMinor draws a controller in brief: that it is there, and whether it runs.
func (s *Stage) drawMinor(name string, r rect) {
	s.group("component/"+name, func(put func(Shape)) {
		c := Shape{ID: "component/" + name, Role: RoleMinor, State: s.upState(name), About: name}
		c = s.chip(c, r, "")
		if c.State == "running" {
			c.Mark = ""
		}
		// Room is kept for the mark: a name does not change when its owner crashes.
		room := r.w - 25
		options := []words{plain(name), plain(brief(name)), plain(fitEnd(brief(name), room, s.font))}
		if key := minorNames[name]; key != "" {
			options = []words{said("scene.minor." + key), said("scene.minor." + key + ".brief"), options[2]}
		}
		c.setTitle(first(room, s.font, options...))
		c.Z = LayerFrames
		put(c)
	})
}
