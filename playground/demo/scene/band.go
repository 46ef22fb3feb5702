package scene

import (
	"encoding/json"
	"slices"
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

var frameMarks = map[string]string{"down": "✕", "not-ready": "!", "cut": "↮", "failing": "↯", "slow": "◷"}

// upState is a component's state.
func (s *Stage) upState(component string) string {
	if up, known := s.cast[component]; known && !up {
		return "down"
	}
	if t := s.trouble(component); t.state != "" {
		return t.state
	}
	return "running"
}

// storeState is what is wrong with etcd, "" for nothing.
func (s *Stage) storeState() string {
	if state := s.upState("etcd"); state != "running" {
		return state
	}
	return ""
}

// drawFrames draws what only changes when somebody comes or goes.
func (s *Stage) drawFrames() {
	b := &s.board
	s.group("frames", func(put func(Shape)) {
		api := frame("apiserver", RoleAPIServer, s.upState(castAPIServer), b.band, castAPIServer, "", castAPIServer)
		if t := s.trouble(castAPIServer); t.state != "" {
			api.Mark = "" // there is no room for it beside the name
			api.setDetail(t.words)
		}
		put(api)
		store := frame("store", RoleStore, s.storeState(), b.store, "Store (etcd)", "scene.store", "store")
		store.Z = LayerParts
		put(store)
		if _, ok := s.cast[castScheduler]; ok {
			put(frame("scheduler", RoleScheduler, s.upState(castScheduler), b.scheduler, castScheduler, "", castScheduler))
		}
	})
	s.drawWires()
}

func (s *Stage) drawUser() {
	r := s.board.user
	s.group("user", func(put func(Shape)) {
		f := frame("user", RoleUser, "", r, "You", "scene.user", castUser)
		l := label("user/command", rect{r.x + 12, r.y + 22, r.w - 24, r.h - 24}, "", "")
		if s.layout == Wide {
			l.H -= 8
		}
		c := s.done
		l.Mark = c.mark
		room := l.W
		if l.Mark != "" {
			room -= 14
		}
		for i, option := range c.options {
			if l.Title = option; fits(option, room, s.font) {
				break
			}
			if i == len(c.options)-1 {
				l.Title = fitEnd(option, room, s.font)
			}
		}
		if c.word != "" {
			f.setDetail(first(f.W-24-said("scene.user").width(s.font)-8, s.font, said(c.word)))
		}
		put(f)
		if l.Title != "" {
			put(l)
		}
	})
}

// deed is what was done last from outside: a command of kubectl, or what befell
// the cluster.
type deed struct {
	word    string   // what it is, unless a command says it
	mark    string   // a sign for it
	options []string // the command, or who it befell, from long to short
}

// outside are the inputs that are no commands.
var outside = map[string]string{"kill-node": "✕", "start-node": "↑", "drop-watch": "↯", "stop": "✕", "start": "↑", "partition": "↮", "slow": "◷", "fail": "↯",
	"heal": "✓"}

// command keeps what an input says, in few words.
func (s *Stage) command(e *trace.Event) {
	s.dirty.user = true
	kind := e.Text("kind")
	if mark, ok := outside[kind]; ok {
		whom := e.Text("node") + e.Text("component")
		s.done = deed{word: "scene.input." + kind, mark: mark, options: []string{whom, brief(whom)}}
		return
	}
	object := ""
	switch o := e.Object; {
	case o.Name != "" && kind != "scale":
		object = strings.ToLower(kindOf(o.Resource)) + "/" + o.Name
	case o.Name != "":
		object = short(o.Resource) + "/" + o.Name
	case e.Text("selector") != "":
		object = short(o.Resource) + " -l " + e.Text("selector")
	case o.Resource != "":
		object = short(o.Resource)
	}
	bare := object[strings.IndexByte(object, '/')+1:]
	switch kind {
	case "apply", "create":
		file := "file.yaml"
		if name := named(e.Text("manifest")); name != "" {
			file = name + ".yaml"
		}
		s.done = deed{options: []string{kind + " -f " + file, kind + " " + file, file}}
	case "scale":
		n := e.Text("replicas")
		s.done = deed{options: []string{"scale " + object + " --replicas=" + n, "scale " + object + " " + n, "scale " + bare + " " + n, bare + " → " + n}}
	case "request":
		s.done = deed{options: []string{"curl " + e.Text("url"), e.Text("url")}}
	case "kubectl":
		s.done = deed{options: typed(e.Text("command"))}
	default:
		s.done = deed{options: []string{kind + " " + object, kind + " " + bare, kind + " " + short(e.Object.Resource)}}
	}
}

// typed is a command line, from long to short: as it was typed, without its
// flags, without what it is about.
func typed(line string) []string {
	words := strings.Fields(line)
	bare := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
	return []string{line, strings.Join(bare, " "), strings.Join(bare[:min(2, len(bare))], " ")}
}

// brief is a component's name without what most of them share.
func brief(component string) string {
	return strings.TrimPrefix(strings.TrimSuffix(component, "-controller"), "kube-")
}

// named is the name in a manifest; "" when there is none.
func named(manifest string) string {
	var m struct {
		Metadata struct{ Name, GenerateName string }
	}
	if json.Unmarshal([]byte(manifest), &m) != nil {
		return ""
	}
	if m.Metadata.Name != "" {
		return m.Metadata.Name
	}
	return strings.TrimRight(m.Metadata.GenerateName, "-")
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

func count(n int64) string { return strconv.FormatInt(n, 10) }

// chip completes a chip at a place: the title and the first detail that fit.
func (s *Stage) chip(c Shape, r rect, title string, details ...words) Shape {
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
			if d.width(s.font) <= room {
				c.setDetail(d)
				break
			}
		}
		return c
	}
	for _, d := range details {
		if left := room - d.width(s.font) - 8; left > 0 && fits(title, left, s.font) {
			c.Title = title
			c.setDetail(d)
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
	if most := 7; len(s.revisions) > most {
		s.revisions = append([]revision(nil), s.revisions[len(s.revisions)-most:]...)
	}
}

// drawStrip draws which revision the store is at.
func (s *Stage) drawStrip() {
	b := &s.board
	s.group("strip", func(put func(Shape)) {
		if s.revision > 0 {
			from := b.store.x + 24 + said("scene.store").width(s.font)
			state := s.storeState()
			if state != "" {
				from += 16 // the frame has a mark
			}
			l := label("store/revision", rect{from, b.store.y + 6, b.store.right() - 12 - from, 18}, "", "")
			now := count(s.revision)
			options := []words{said("scene.revision", now)}
			if state == "down" {
				options = []words{said("scene.down")}
			} else if state != "" {
				options = []words{s.trouble("etcd").words}
			}
			l.setDetail(first(l.W, s.font, options...))
			put(l)
		}
	})
}

func kindOf(resource string) string {
	if k := api.Resolve(resource); k != nil {
		return k.Kind
	}
	return resource
}
