package scene

import (
	"encoding/json"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/trace"
)

// frame makes a frame's shape.
func frame(id, role, state string, r rect, title, word, about string) Shape {
	return Shape{ID: id, Kind: Box, Role: role, State: state, Mark: frameMarks[state], Z: LayerFrames,
		X: r.x, Y: r.y, W: r.w, H: r.h, Title: title, Word: word, About: about}
}

func label(id string, r rect, title, word string) Shape {
	return Shape{ID: id, Kind: Box, Role: RoleLabel, Z: LayerParts, X: r.x, Y: r.y, W: r.w, H: r.h, Title: title, Word: word}
}

var frameMarks = map[string]string{"down": "✕", "not-ready": "!"}

// upState is a component's state.
func (s *Stage) upState(component string) string {
	if up, known := s.cast[component]; known && !up {
		return "down"
	}
	return "running"
}

// drawFrames draws what only changes when somebody comes or goes.
func (s *Stage) drawFrames() {
	b := &s.board
	s.group("frames", func(put func(Shape)) {
		api := frame("apiserver", RoleAPIServer, s.upState(castAPIServer), b.band, castAPIServer, "", castAPIServer)
		put(api)
		store := frame("store", RoleStore, "", b.store, "Store (etcd)", "scene.store", "store")
		store.Z = LayerParts
		put(store)
		if _, ok := s.cast[castScheduler]; ok {
			put(frame("scheduler", RoleScheduler, s.upState(castScheduler), b.scheduler, castScheduler, "", castScheduler))
		}
		for _, name := range b.controllers {
			f := frame("component/"+name, RoleController, s.upState(name), b.frames[name], "", "", name)
			f.Title = fitEnd(name, f.W-40, s.font)
			put(f)
		}
	})
	s.drawWires()
}

func (s *Stage) drawUser() {
	r := s.board.user
	s.group("user", func(put func(Shape)) {
		put(frame("user", RoleUser, "", r, "You", "scene.user", castUser))
		if n := len(s.commands); n > 0 {
			l := label("user/command", rect{r.x + 12, r.y + 22, r.w - 24, r.h - 24}, "", "")
			l.Title = fitEnd(s.commands[n-1], l.W, s.font)
			if s.layout == Wide {
				l.H -= 8
			}
			put(l)
		}
	})
}

// command keeps what an input says, in few words.
func (s *Stage) command(e *trace.Event) {
	words := []string{e.Text("kind")}
	if o := e.Object; o.Name != "" {
		words = append(words, short(o.Resource)+"/"+o.Name)
	} else if name := e.Text("name"); name != "" {
		words = append(words, short(e.Text("resource"))+"/"+name)
	} else if m := e.Text("manifest"); m != "" {
		if what := named(m); what != "" {
			words = append(words, what)
		}
	} else if node := e.Text("node"); node != "" {
		words = append(words, node)
	} else if c := e.Text("component"); c != "" {
		words = append(words, c)
	}
	if n := e.Get("replicas"); n != nil {
		words = append(words, "→", trace.String(n))
	}
	s.commands = []string{strings.Join(words, " ")}
	s.dirty.user = true
}

// named is what a manifest describes: "rs/web"; "" when it cannot be told.
func named(manifest string) string {
	var m struct {
		Kind     string
		Metadata struct{ Name, GenerateName string }
	}
	if json.Unmarshal([]byte(manifest), &m) != nil || m.Kind == "" {
		return ""
	}
	name := m.Metadata.Name
	if name == "" {
		name = m.Metadata.GenerateName
	}
	return short(m.Kind) + "/" + name
}

// short is a resource as kubectl lets one write it.
func short(resource string) string {
	if k := api.Resolve(resource); k != nil {
		if len(k.ShortNames) > 0 {
			return k.ShortNames[0]
		}
		return strings.ToLower(k.Kind)
	}
	return resource
}

// drawWorkloads draws the objects that say how many Pods there should be.
func (s *Stage) drawWorkloads() {
	area := s.board.workloads
	s.group("workloads", func(put func(Shape)) {
		keys := sortedKeys(s.sets)
		least := size{200, s.row, s.gap}
		if s.layout == Narrow {
			least.w = 104
		}
		g := newGrid(area, len(keys), least, size{100, s.row, s.gap}, size{14, 14, 3})
		for i, key := range keys {
			r, ok := g.at(i)
			if !ok {
				break
			}
			if g.cell.text() {
				r.w = min(r.w, 260)
			}
			o := s.sets[key]
			want := int64(1)
			if o.Spec.Replicas != nil {
				want = int64(*o.Spec.Replicas)
			}
			state := "settled"
			if want != int64(o.Status.Replicas) || want != int64(o.Status.ReadyReplicas) {
				state = "changing"
			}
			put(s.chip(Shape{ID: "replicaset/" + key, Role: RoleWorkload, State: state, About: "replicasets " + key}, r, o.Name,
				"replicas "+count(want)+" · status "+count(int64(o.Status.Replicas))+" · ready "+count(int64(o.Status.ReadyReplicas)),
				"replicas "+count(want)+" · ready "+count(int64(o.Status.ReadyReplicas)),
				"want "+count(want)+", have "+count(int64(o.Status.Replicas)),
				count(int64(o.Status.ReadyReplicas))+"/"+count(want)))
		}
	})
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

// chip completes a chip at a place: the title and the first detail that fit.
func (s *Stage) chip(c Shape, r rect, title string, details ...string) Shape {
	c.Kind, c.Z, c.Mark = Box, LayerChips, marks[c.State]
	c.X, c.Y, c.W, c.H = r.x, r.y, r.w, r.h
	if r.w < 22 {
		c.Mark = ""
		return c
	}
	room := r.w - 12
	if c.Mark != "" {
		room -= 13
	}
	if r.h >= 30 {
		c.Title = fitName(title, room, s.font)
		for _, d := range details {
			if fits(d, room, s.font) {
				c.Detail = d
				break
			}
		}
		return c
	}
	for _, d := range details {
		if left := room - (textWidth(d, s.font)+9)/10 - 8; left > 0 && fits(title, left, s.font) {
			c.Title, c.Detail = title, d
			return c
		}
	}
	c.Title = fitName(title, room, s.font)
	return c
}

// commit puts a revision on the strip.
func (s *Stage) commit(e *trace.Event) {
	n, _ := e.Get("revision").(int64)
	s.revisions = append(s.revisions, revision{n, strings.ToLower(e.Text("type")), e.Object})
	if most := s.stripSlots(); len(s.revisions) > most {
		s.revisions = append([]revision(nil), s.revisions[len(s.revisions)-most:]...)
	}
}

func (s *Stage) stripSlots() int {
	if s.layout == Narrow {
		return 4
	}
	return 7
}

// drawStrip draws the latest revisions: to the right the newest, or below.
func (s *Stage) drawStrip() {
	b := &s.board
	n := s.stripSlots()
	s.group("strip", func(put func(Shape)) {
		if s.revision > 0 {
			l := label("store/revision", rect{b.store.right() - 160, b.store.y + 6, 148, 18}, "", "")
			l.Detail = "revision " + count(s.revision)
			put(l)
		}
		area := b.store.inset(10, 30, 8)
		if s.layout == Narrow {
			area = b.store.inset(6, 26, 4)
		}
		for i, rev := range s.revisions {
			state := rev.kind
			if rev.number <= s.compacted {
				state = "compacted"
			}
			c := Shape{ID: "revision/" + count(rev.number), Role: RoleRevision, State: state, About: rev.about.String()}
			i += n - len(s.revisions)
			if len(s.revisions) < n {
				i -= n - len(s.revisions) // the strip fills up from its start
			}
			kind := kindOf(rev.about.Resource)
			if s.layout == Narrow {
				h := (area.h - (n-1)*2) / n
				r := rect{area.x, area.y + i*(h+2), area.w, h}
				put(s.chip(c, r, fitName(rev.about.Name, 150, s.font), kind+" "+count(rev.number), count(rev.number)))
				continue
			}
			w := (area.w - (n-1)*s.gap) / n
			put(s.chip(c, rect{area.x + i*(w+s.gap), area.y, w, area.h}, rev.about.Name,
				kind+" "+count(rev.number), short(rev.about.Resource)+" "+count(rev.number), count(rev.number)))
		}
	})
}

func kindOf(resource string) string {
	if k := api.Resolve(resource); k != nil {
		return k.Kind
	}
	return resource
}
